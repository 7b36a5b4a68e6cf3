//! The failure ladder: a path that leads out of the plugin takes as little with it as the specification says.

use skillx_archive::{Code, ComponentState, Plugin};

use super::{Package, mcp, names, problems, servers, skill};

const STDIO: &str = r#""local": {"type": "stdio", "command": "npx"}"#;

fn full() -> Package {
    let package = Package::serving(STDIO);
    package.put("skills/deploy/SKILL.md", &skill("deploy"));
    package
}

#[test]
fn plugin_json_outside_rejects_the_plugin() {
    for target in ["../outside/plugin.json", "/etc/hostname", "skills/../../outside/plugin.json"] {
        let package = full();
        package.remove("plugin.json").link("plugin.json", target);
        package.rejected(Code::PluginPathOutside, "plugin.json does not resolve inside");
    }
}

#[test]
fn a_component_location_outside_takes_its_component_type() {
    let package = Package::serving(STDIO);
    package.link("skills", "../outside");
    let plugin = package.loads();
    assert_eq!(problems(&plugin), [("component-type", "skills".to_owned(), Code::PluginPathOutside)]);
    assert_eq!((plugin.components().skills, servers(&plugin)), (ComponentState::Invalid, vec!["local"]));

    let package = full();
    package.remove("mcp.json").link("mcp.json", "../outside/mcp.json");
    let plugin = package.loads();
    assert_eq!(problems(&plugin), [("component-type", "mcp".to_owned(), Code::PluginPathOutside)]);
    assert_eq!(names(&plugin), ["deploy"]);
}

#[test]
fn a_skill_md_outside_takes_its_skill() {
    let package = full();
    package.link("skills/file/SKILL.md", "../../../outside/SKILL.md").link("skills/outside", "../../outside");
    let plugin = package.loads();
    let expected = ["file", "outside"].map(|name| ("skill", name.to_owned(), Code::PluginPathOutside));
    assert_eq!(problems(&plugin), expected);
    assert_eq!((names(&plugin), servers(&plugin)), (vec!["deploy"], vec!["local"]));
}

#[test]
fn a_command_or_cwd_outside_takes_its_server() {
    let package = full();
    package.put("bin/server", "").link("bin/out", "../../outside/tool").link("data", "..");
    let server = |name: &str, rest: &str| format!("\"{name}\": {{\"type\": \"stdio\", {rest}}}");
    let entries = [
        server("good", r#""command": "./bin/server", "cwd": "./bin""#),
        server("up", r#""command": "./../bin/server""#),
        server("hidden", r#""command": "./bin/../../bin/server""#),
        server("absent", r#""command": "./none/../../server""#),
        server("link", r#""command": "./bin/out""#),
        server("cwd", r#""command": "npx", "cwd": "./data""#),
        server("root", r#""command": "npx", "cwd": "${PLUGIN_ROOT}/..""#),
        server("data", r#""command": "npx", "cwd": "${PLUGIN_DATA}/a/../..""#),
    ];
    package.put("mcp.json", &mcp(&entries.join(", ")));
    let plugin = package.loads();
    assert_eq!(servers(&plugin), ["good"]);
    let told = problems(&plugin);
    let (of_servers, denied): (Vec<_>, Vec<_>) = told.into_iter().partition(|(boundary, ..)| *boundary == "server");
    let expected = ["up", "hidden", "absent", "link", "cwd", "root", "data"];
    assert_eq!(of_servers, expected.map(|name| ("server", name.to_owned(), Code::PluginPathOutside)));
    // The links themselves are told as well.
    assert_eq!(denied.len(), 2);
    assert_eq!(names(&plugin), ["deploy"]);
}

#[test]
fn any_other_path_outside_is_denied() {
    let package = full();
    package
        .link("skills/deploy/references/up.md", "../../../../outside/SKILL.md")
        .link("skills/deploy/references/in.md", "../SKILL.md")
        .link("assets", "/etc");
    let plugin = package.loads();
    let expected = ["assets", "skills/deploy/references/up.md"];
    assert_eq!(problems(&plugin), expected.map(|path| ("path", path.to_owned(), Code::PluginPathOutside)));
    assert_eq!((names(&plugin), servers(&plugin)), (vec!["deploy"], vec!["local"]));

    let read = |path: &str| Plugin::read(&package.dir(), path).map_err(|error| error.code());
    assert_eq!(read("skills/deploy/references/in.md").unwrap(), skill("deploy").into_bytes());
    for outside in
        ["skills/deploy/references/up.md", "assets/hostname", "../outside/SKILL.md", "skills/../../outside/SKILL.md"]
    {
        assert_eq!(read(outside), Err(Code::PluginPathOutside), "{outside}");
    }
    for missing in ["none", "skills", "plugin.json/x", "none/SKILL.md", "a\0b"] {
        assert_eq!(read(missing), Err(Code::Usage), "{missing}");
    }
}

#[test]
fn links_that_stay_inside_are_followed() {
    let package = Package::minimal();
    package
        .put("shared/deploy/SKILL.md", &skill("deploy"))
        .put("shared/text.md", &skill("written"))
        .put("config/servers.json", &mcp(STDIO))
        .put("config/real.json", &super::minimal())
        .link("skills/deploy", "../shared/deploy")
        .link("skills/written/SKILL.md", "../../shared/text.md")
        .link("mcp.json", "config/../config/servers.json");
    package.remove("plugin.json").link("plugin.json", "config/real.json");
    let plugin = package.loads();
    assert_eq!((names(&plugin), servers(&plugin)), (vec!["deploy", "written"], vec!["local"]));
    assert_eq!(problems(&plugin), []);
}

#[test]
fn links_that_never_end_are_no_skills() {
    let package = Package::serving(STDIO);
    package.link("skills/loop", "loop").link("skills/a", "b").link("skills/b", "a").link("skills/gone", "nowhere");
    let plugin = package.loads();
    assert_eq!((names(&plugin), problems(&plugin)), (vec![], vec![]));
}

#[test]
fn what_cannot_be_read_takes_no_more_than_what_leads_out() {
    use std::os::unix::fs::PermissionsExt as _;
    let package = full();
    package.put("skills/closed/SKILL.md", &skill("closed"));
    let closed = package.root().join("skills/closed/SKILL.md");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&closed).is_ok() {
        return; // Run by root, who may read everything.
    }
    let plugin = package.loads();
    assert_eq!(problems(&plugin), [("skill", "closed".to_owned(), Code::Io)]);
    assert_eq!(names(&plugin), ["deploy"]);
}
