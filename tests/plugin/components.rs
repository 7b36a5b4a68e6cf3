//! Fixed locations: what is found there, what is not looked for, and what is skipped.

use skillx_archive::{Code, ComponentState};

use super::{Package, findings, mcp, names, problems, servers, skill};

const STDIO: &str = r#""local": {"type": "stdio", "command": "npx"}"#;

#[test]
fn a_plugin_may_consist_of_its_manifest() {
    let plugin = Package::minimal().loads();
    let components = plugin.components();
    assert_eq!((components.skills, components.mcp), (ComponentState::Absent, ComponentState::Absent));
    assert_eq!((problems(&plugin), findings(&plugin)), (vec![], vec![]));
}

#[test]
fn one_component_type_is_enough() {
    let package = Package::minimal();
    package.put("skills/deploy/SKILL.md", &skill("deploy"));
    let plugin = package.loads();
    assert_eq!((names(&plugin), plugin.components().mcp), (vec!["deploy"], ComponentState::Absent));
    let plugin = Package::serving(STDIO).loads();
    assert_eq!((servers(&plugin), plugin.components().skills), (vec!["local"], ComponentState::Absent));
}

#[test]
fn a_location_of_the_wrong_kind_takes_its_own_component_type_alone() {
    let package = Package::serving(STDIO);
    package.put("skills", "a file");
    let plugin = package.loads();
    assert_eq!(plugin.components().skills, ComponentState::Invalid);
    assert_eq!(problems(&plugin), [("component-type", "skills".to_owned(), Code::PluginComponentInvalid)]);
    assert_eq!(servers(&plugin), ["local"]);

    let package = Package::minimal();
    package.put("mcp.json/x", "").put("skills/deploy/SKILL.md", &skill("deploy"));
    let plugin = package.loads();
    assert_eq!(plugin.components().mcp, ComponentState::Invalid);
    assert_eq!(problems(&plugin), [("component-type", "mcp".to_owned(), Code::PluginComponentInvalid)]);
    assert_eq!(names(&plugin), ["deploy"]);
}

#[test]
fn skills_are_immediate_children_with_a_regular_skill_md() {
    let package = Package::minimal();
    package
        .put("skills/deploy/SKILL.md", &skill("deploy"))
        .put("skills/deploy/references/SKILL.md", &skill("references"))
        .put("skills/group/rollback/SKILL.md", &skill("rollback"))
        .put("skills/lower/skill.md", &skill("lower"))
        .put("skills/kind/SKILL.md/x", "")
        .put("skills/empty/README.md", "")
        .put("skills/README.md", "")
        .put("skills/SKILL.md", &skill("skills"))
        .put("other/SKILL.md", &skill("other"))
        .put("SKILL.md", &skill("root"));
    let plugin = package.loads();
    assert_eq!((names(&plugin), problems(&plugin)), (vec!["deploy"], vec![]));
}

#[test]
fn a_skill_that_does_not_conform_is_skipped_and_told() {
    let package = Package::serving(STDIO);
    let long = skill("long").replace("Use it", &"x".repeat(1020));
    package
        .put("skills/a-good/SKILL.md", &skill("a-good"))
        .put("skills/broken/SKILL.md", "# no frontmatter\n")
        .put("skills/elsewhere/SKILL.md", &skill("other"))
        .put("skills/Form/SKILL.md", &skill("Form"))
        .put("skills/huge/SKILL.md", &"x".repeat((1 << 20) + 1))
        .put("skills/long/SKILL.md", &long)
        .put("skills/nameless/SKILL.md", "---\ndescription: d\n---\n")
        .put("skills/z-good/SKILL.md", &skill("z-good"));
    let plugin = package.loads();
    assert_eq!((names(&plugin), servers(&plugin)), (vec!["a-good", "z-good"], vec!["local"]));
    let expected = [
        ("Form", Code::SkillNameForm),
        ("broken", Code::SkillMdInvalid),
        ("elsewhere", Code::SkillNameDirectory),
        ("huge", Code::SkillMdInvalid),
        ("long", Code::SkillDescriptionLong),
        ("nameless", Code::SkillMdInvalid),
    ];
    assert_eq!(problems(&plugin), expected.map(|(name, code)| ("skill", name.to_owned(), code)));
    assert_eq!(findings(&plugin), [Code::PluginSkillSkipped; 6]);
}

#[test]
fn a_directory_whose_name_is_no_text_is_told() {
    use std::os::unix::ffi::OsStrExt as _;
    let package = Package::minimal();
    package.put("skills/deploy/SKILL.md", &skill("deploy"));
    let odd = package.root().join("skills").join(std::ffi::OsStr::from_bytes(b"\xffx"));
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(odd.join("SKILL.md"), skill("x")).unwrap();
    std::fs::write(package.root().join("skills").join(std::ffi::OsStr::from_bytes(b"\xfffile")), "").unwrap();
    let plugin = package.loads();
    assert_eq!(names(&plugin), ["deploy"]);
    assert_eq!(problems(&plugin), [("skill", "\u{fffd}x".to_owned(), Code::SkillNameForm)]);
}

#[test]
fn keys_that_the_specification_does_not_forbid_are_only_told() {
    let package = Package::minimal();
    package.put("skills/deploy/SKILL.md", &skill("deploy").replace("---\n#", "version: 1\n---\n#"));
    let plugin = package.loads();
    assert_eq!((names(&plugin), findings(&plugin)), (vec!["deploy"], vec![Code::SkillUnknownKey]));
}

#[test]
fn mcp_as_a_whole_is_disabled_and_the_skills_are_loaded() {
    let schema = "\"$schema\": \"https://agent-plugins.org/schemas/1.0.0/mcp.schema.json\"";
    for (text, cause, words) in [
        ("{".to_owned(), Code::PluginComponentInvalid, "line 1, column 1"),
        ("[]".to_owned(), Code::PluginComponentInvalid, "holds an array"),
        (mcp(STDIO).replace("1.0.0", "1.1.0"), Code::PluginVersionUnsupported, "targets version 1.1.0"),
        (mcp(STDIO).replace("mcp.schema", "plugin.schema"), Code::PluginVersionUnsupported, "unknown schema"),
        ("{\"mcpServers\": {}}".to_owned(), Code::PluginComponentInvalid, "lacks the required field `$schema`"),
        (format!("{{{schema}}}"), Code::PluginComponentInvalid, "lacks the required field `mcpServers`"),
        (format!("{{{schema}, \"mcpServers\": []}}"), Code::PluginComponentInvalid, "an array in `mcpServers`"),
        (format!("{{{schema}, \"mcpServers\": {{}}, \"x\": 1}}"), Code::PluginComponentInvalid, "unknown field `x`"),
        (format!("{{{schema}, {schema}, \"mcpServers\": {{}}}}"), Code::PluginComponentInvalid, "`$schema` twice"),
        (" ".repeat((1 << 20) + 1), Code::PluginComponentInvalid, "more than 1048576 bytes"),
    ] {
        let package = Package::minimal();
        package.put("mcp.json", &text).put("skills/deploy/SKILL.md", &skill("deploy"));
        let plugin = package.loads();
        assert_eq!(problems(&plugin), [("component-type", "mcp".to_owned(), cause)], "{words}");
        assert!(plugin.problems()[0].message().contains(words), "{}", plugin.problems()[0].message());
        assert_eq!((names(&plugin), servers(&plugin)), (vec!["deploy"], vec![]));
    }
}

#[test]
fn no_servers_are_no_error() {
    let plugin = Package::serving("").loads();
    assert_eq!((plugin.components().mcp, problems(&plugin)), (ComponentState::Loaded, vec![]));
}

#[test]
fn other_component_types_and_the_directories_of_clients_are_ignored() {
    let package = Package::minimal();
    package
        .put("com.example.client/hooks/hooks.json", "not json")
        .put("commands/x.md", "")
        .put("hooks.json", "[")
        .put("agents/x/SKILL.md", "broken");
    let plugin = package.loads();
    assert_eq!((problems(&plugin), findings(&plugin)), (vec![], vec![]));
}
