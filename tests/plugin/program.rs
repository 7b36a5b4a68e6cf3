//! `skillx plugin` and `--layout plugin`: exit codes, streams, JSON.

use std::process::Command;

use serde_json::Value;

use super::support::carrier::{Carrier, file};
use super::support::run::{Outcome, observe};
use super::{Package, mcp, minimal, skill};

fn skillx(package: &Package, args: &[&str]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
    command.args(args).current_dir(package.directory.path());
    observe(command, b"")
}

fn json(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.out()).unwrap_or_else(|error| panic!("{error}: {}", outcome.out()))
}

#[test]
fn a_plugin_that_loads_in_part_is_exit_0_and_says_what_it_gave_up() {
    let package =
        Package::serving(r#""old": {"type": "sse", "url": "https://e.com"}, "s": {"type": "stdio", "command": "npx"}"#);
    package.put("skills/deploy/SKILL.md", &skill("deploy")).put("skills/broken/SKILL.md", "");
    let outcome = skillx(&package, &["plugin", "plugin"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.err());
    for line in
        ["plugin   reports", "skill    deploy - Use it for deploy.", "server   s (stdio) npx", "skipped  skill broken"]
    {
        assert!(outcome.out().contains(line), "{}", outcome.out());
    }
    assert!(outcome.err().contains("note[plugin-skill-skipped]"), "{}", outcome.err());
    assert!(outcome.err().contains("note[plugin-transport-unsupported]"), "{}", outcome.err());

    let answer = json(&skillx(&package, &["plugin", "plugin", "--json"]));
    assert_eq!((&answer["schema"], &answer["verdict"]), (&"skillx.plugin/1".into(), &"accepted".into()));
    assert_eq!(answer["plugin"]["problems"][0]["boundary"], "skill");
    assert_eq!(answer["plugin"]["problems"][0]["subject"], "broken");
    assert_eq!(answer["plugin"]["servers"][0]["type"], "stdio");
}

#[test]
fn a_plugin_that_is_rejected_is_exit_1_and_no_component_is_told() {
    let package = Package::with("{}");
    package.put("skills/deploy/SKILL.md", &skill("deploy")).put("mcp.json", &mcp(""));
    let outcome = skillx(&package, &["plugin", "plugin"]);
    assert_eq!((outcome.code, outcome.out().as_str()), (Some(1), ""));
    assert!(outcome.err().contains("error[plugin-json-invalid]"), "{}", outcome.err());
    let answer = json(&skillx(&package, &["plugin", "plugin", "--json"]));
    assert_eq!((&answer["verdict"], &answer["plugin"]), (&"refused".into(), &Value::Null));
    assert_eq!(answer["error"]["code"], "plugin-json-invalid");
}

#[test]
fn a_directory_that_is_not_there_is_exit_3() {
    let package = Package::minimal();
    let outcome = skillx(&package, &["plugin", "nowhere", "--json"]);
    assert_eq!((outcome.code, &json(&outcome)["error"]["code"]), (Some(3), &"io".into()));
}

#[test]
fn an_archive_is_extracted_under_the_name_of_the_plugin() {
    let package = Package::minimal();
    let members = [file("plugin.json", minimal()), file("skills/deploy/SKILL.md", skill("deploy"))];
    std::fs::write(package.directory.path().join("p.zip"), Carrier::Zip.write(&members)).unwrap();
    let args = ["verify-extract", "p.zip", "--layout", "plugin", "--allow-unverified", "--json"];
    let answer = json(&skillx(&package, &args));
    assert_eq!((&answer["verdict"], &answer["output"]), (&"accepted".into(), &"reports".into()));
    assert_eq!((&answer["policy"]["layout"], &answer["skill"]), (&"plugin".into(), &Value::Null));
    assert_eq!(answer["plugin"]["skills"][0]["name"], "deploy");
    assert!(package.directory.path().join("reports/skills/deploy/SKILL.md").is_file());
}

#[test]
fn nothing_of_a_plugin_reaches_the_terminal_raw() {
    let package = Package::with(&super::manifest(r#", "description": "\u001b[31mred\u202e", "version": "::error::""#));
    package.put("skills/\u{1b}x/SKILL.md", "").put("mcp.json", &mcp(r#""\u001b": {"type": "\u009b"}"#));
    for args in [&["plugin", "plugin"][..], &["plugin", "plugin", "--json"]] {
        let outcome = skillx(&package, args);
        assert_eq!(outcome.dirt(), Vec::<String>::new());
    }
}
