//! Plugins in archives: the same rules, before anything is published.

use std::path::Path;

use skillx_archive::{Artifact, Code, Layout, Options, Report, VerifiedArtifact};

use super::support::carrier::{Carrier, Member, dir, file, hardlink, symlink};
use super::support::temp_dir;
use super::{mcp, minimal, skill};

fn archive(members: &[Member]) -> VerifiedArtifact {
    Artifact::from_bytes(Carrier::TarGz.write(members)).trust_without_digest()
}

fn options() -> Options {
    Options::default().layout(Layout::Plugin)
}

fn plugin(more: Vec<Member>) -> Vec<Member> {
    let mut members = vec![file("plugin.json", minimal()), file("skills/deploy/SKILL.md", skill("deploy"))];
    members.extend(more);
    members
}

fn check(members: &[Member]) -> Report {
    archive(members).check(&options())
}

#[track_caller]
fn refused(members: &[Member], code: Code) -> Report {
    let report = check(members);
    assert_eq!(report.error.as_ref().map(skillx_archive::Error::code), Some(code), "{:?}", report.error);
    assert!(report.plugin.is_none());
    let place = temp_dir();
    let failure = archive(members).extract(place.path().join("x"), &options()).expect_err("it is refused");
    assert_eq!(failure.code(), code);
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "nothing is left");
    report
}

#[test]
fn a_plugin_is_published_whole_and_told() {
    let members = plugin(vec![
        file(
            "mcp.json",
            mcp(r#""s": {"type": "stdio", "command": "./bin/s"}, "t": {"type": "sse", "url": "https://e.com"}"#),
        ),
        file("skills/broken/SKILL.md", "no frontmatter"),
        file("skills/README.md", ""),
        file("bin/s", ""),
        file("com.example/x.json", "{"),
    ]);
    let place = temp_dir();
    let done = archive(&members).extract(place.path().join("reports"), &options()).unwrap();
    assert_eq!((done.name().as_raw(), done.plugin().unwrap().skills().len()), ("reports", 1));
    assert!(done.skill_md().is_none());
    let report = done.report().plugin.as_ref().unwrap();
    assert_eq!((report.servers.len(), report.problems.len()), (1, 2));
    let codes: Vec<_> = done.report().findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [Code::PluginSkillSkipped, Code::PluginTransportUnsupported]);
    // What a directory says of itself afterwards is what the archive said.
    let loaded = skillx_archive::Plugin::load(&super::open(&place.path().join("reports"))).unwrap();
    assert_eq!(&loaded, done.plugin().unwrap());
}

#[test]
fn zip_and_tar_say_the_same() {
    let members = plugin(vec![file("skills/other/SKILL.md", skill("mismatch"))]);
    let of = |carrier: Carrier| {
        let artifact = Artifact::from_bytes(carrier.write(&members)).trust_without_digest();
        artifact.check(&options()).plugin
    };
    assert_eq!(of(Carrier::TarGz), of(Carrier::Zip));
}

#[test]
fn the_name_of_the_plugin_is_that_of_its_directory() {
    let place = temp_dir();
    let done = archive(&plugin(vec![])).extract_by_name(place.path(), &options()).unwrap();
    assert_eq!(done.path(), place.path().join("reports"));
    let device = minimal().replace("reports", "con");
    let error = archive(&[file("plugin.json", device)]).extract_by_name(place.path(), &options()).unwrap_err();
    assert_eq!(error.code(), Code::Usage);
    let error = archive(&plugin(vec![])).extract(place.path().join("y"), &options().expect_name("other")).unwrap_err();
    assert_eq!(error.code(), Code::SkillNameMismatch);
}

#[test]
fn what_rejects_a_directory_refuses_an_archive() {
    refused(&[file("SKILL.md", skill("x"))], Code::PluginJsonMissing);
    refused(&[file("plugin.json", "{")], Code::PluginJsonInvalid);
    refused(&[file("plugin.json", minimal().replace("1.0.0", "9.0.0"))], Code::PluginVersionUnsupported);
    refused(&[dir("plugin.json"), file("plugin.json/x", "")], Code::PluginJsonMissing);
    refused(&[file("plugin.json", " ".repeat((1 << 20) + 1))], Code::PluginJsonInvalid);
    // A link out of the archive is refused before anybody asks what it is for.
    refused(&[symlink("plugin.json", "../plugin.json")], Code::LinkEscape);
}

#[test]
fn a_wrapper_is_named() {
    let members = vec![file("w/plugin.json", minimal()), file("w/skills/deploy/SKILL.md", skill("deploy"))];
    let report = refused(&members, Code::WrapperDirectory);
    assert!(report.error.unwrap().to_string().contains("the plugin lies in the directory `w`"));
    let stripped = archive(&members).check(&options().strip_root(true));
    assert_eq!(stripped.plugin.unwrap().skills.len(), 1);
}

#[test]
fn links_and_copies_inside_are_followed() {
    let members = vec![
        file("shared/plugin.json", minimal()),
        symlink("plugin.json", "shared/plugin.json"),
        file("shared/a/SKILL.md", skill("a")),
        symlink("skills/a", "../shared/a"),
        file("shared/b.md", skill("b")),
        hardlink("skills/b/SKILL.md", "shared/b.md"),
        symlink("skills/c/SKILL.md", "../../shared/c.md"),
        file("shared/c.md", skill("c")),
        symlink("mcp.json", "shared/mcp.json"),
        file("shared/mcp.json", mcp(r#""s": {"type": "stdio", "command": "npx", "cwd": "./skills/a"}"#)),
    ];
    let report = check(&members);
    let plugin = report.plugin.unwrap_or_else(|| panic!("{:?}", report.error));
    let names: Vec<_> = plugin.skills.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!((names, plugin.servers.len(), plugin.problems.len()), (vec!["a", "b", "c"], 1, 0));
}

#[test]
fn a_server_that_leads_out_is_skipped() {
    let members = plugin(vec![file(
        "mcp.json",
        mcp(
            r#""up": {"type": "stdio", "command": "./../x"}, "d": {"type": "stdio", "command": "npx", "cwd": "${PLUGIN_ROOT}/a/../.."}"#,
        ),
    )]);
    let plugin = check(&members).plugin.unwrap();
    let causes: Vec<_> = plugin.problems.iter().map(|problem| (problem.boundary, problem.cause)).collect();
    assert_eq!(causes, [("server", Code::PluginPathOutside); 2]);
}

#[test]
fn a_finding_that_is_denied_refuses() {
    let members = plugin(vec![file("skills/broken/SKILL.md", "")]);
    let report = archive(&members).check(&options().deny(Code::PluginSkillSkipped));
    assert_eq!(report.error.unwrap().code(), Code::PluginSkillSkipped);
}

#[test]
fn an_older_plugin_is_replaced_and_nothing_else() {
    let place = temp_dir();
    let path = place.path().join("reports");
    let install = |path: &Path| archive(&plugin(vec![])).extract(path, &options().replace(true)).map(|_| ());
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("notes.txt"), "mine").unwrap();
    assert_eq!(install(&path).unwrap_err().code(), Code::DestNotASkill);
    std::fs::write(path.join("plugin.json"), "{}").unwrap();
    install(&path).unwrap();
    assert!(!path.join("notes.txt").exists() && path.join("skills/deploy/SKILL.md").exists());
}

#[test]
fn a_directory_is_checked_like_the_archive_of_it() {
    let place = temp_dir();
    std::fs::create_dir_all(place.path().join("skills/deploy")).unwrap();
    std::fs::write(place.path().join("plugin.json"), minimal()).unwrap();
    std::fs::write(place.path().join("skills/deploy/SKILL.md"), skill("deploy")).unwrap();
    let report = skillx_archive::check_directory(place.path(), &options()).unwrap();
    assert_eq!(report.plugin.unwrap().skills.len(), 1);
}
