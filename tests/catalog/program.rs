//! `skillx catalog`, `skillx show`, `skillx completions`, `skillx man`.

use std::process::Command;

use serde_json::Value;

use super::support::run::{Outcome, observe};
use super::{Shelf, skill};

fn skillx(shelf: &Shelf, args: &[&str]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
    command.args(args).current_dir(shelf.directory.path());
    observe(command, b"")
}

fn json(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.out()).unwrap_or_else(|error| panic!("{error}: {}", outcome.out()))
}

#[test]
fn a_catalogue_is_listed_and_broken_skills_are_told() {
    let shelf = Shelf::new();
    shelf.install("a", vec![]).put("b/SKILL.md", skill("b")).put("broken/SKILL.md", "");
    let outcome = skillx(&shelf, &["catalog", "skills"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.err());
    assert_eq!(outcome.out(), "verified    a - Use it for a.\nunverified  b - Use it for b.\n");
    assert!(outcome.err().contains("skipped[skill-md-invalid]: `broken`"), "{}", outcome.err());
    let answer = json(&skillx(&shelf, &["catalog", "skills", "--json"]));
    assert_eq!(answer["schema"], "skillx.catalog/1");
    assert_eq!(answer["skills"][0]["standing"], "verified");
    assert_eq!(answer["skipped"][0]["error"]["code"], "skill-md-invalid");
}

#[test]
fn the_presentations_and_the_tool_are_printed() {
    let shelf = Shelf::new();
    shelf.put("a/SKILL.md", skill("a"));
    for how in ["all", "on-demand", "filesystem"] {
        let outcome = skillx(&shelf, &["catalog", "skills", "--prompt", how]);
        assert!(outcome.out().starts_with("<available_skills>\n"), "{}", outcome.out());
        let end = outcome.out().rsplit_once("</available_skills>\n").unwrap().1.to_owned();
        assert_eq!(end.is_empty(), how != "all", "{}", outcome.out());
    }
    let tool = skillx(&shelf, &["catalog", "--tool-schema"]);
    assert_eq!(json(&tool)["function"]["name"], "load_skill");
    assert!(skillx(&shelf, &["catalog"]).out().contains("Use it for a."), "skills is where skills are looked for");
}

#[test]
fn a_skill_that_cannot_be_loaded_takes_no_other_along() {
    let shelf = Shelf::new();
    let large = format!("{}{}", skill("large"), "x\n".repeat(600_000));
    shelf.put("a/SKILL.md", skill("a")).put("large/SKILL.md", large);
    let outcome = skillx(&shelf, &["catalog", "skills", "--prompt", "all"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.err());
    assert!(outcome.out().contains("Use it for a.") && !outcome.out().contains("large"), "{}", outcome.out());
    assert!(outcome.err().contains("skipped[skill-md-invalid]: `large`"), "{}", outcome.err());
    let answer = json(&skillx(&shelf, &["catalog", "skills", "--prompt", "all", "--json"]));
    assert_eq!((&answer["skills"][0]["name"], &answer["skipped"][0]["directory"]), (&"a".into(), &"large".into()));
    assert_eq!(answer["skills"].as_array().unwrap().len(), 1);
    // By name and description it is there: only its body is too much.
    assert!(skillx(&shelf, &["catalog", "skills", "--prompt", "on-demand"]).out().contains("Use it for large."));
}

#[test]
fn a_thousand_skills_are_read_with_few_open_files() {
    let shelf = Shelf::new();
    for number in 0..300 {
        shelf.put(&format!("s{number}/SKILL.md"), skill(&format!("s{number}")));
    }
    let mut command = Command::new("sh");
    let line = r#"ulimit -n 64 && exec "$0" catalog skills --json"#;
    command.args(["-c", line, env!("CARGO_BIN_EXE_skillx")]).current_dir(shelf.directory.path());
    let answer = serde_json::from_slice::<Value>(&command.output().unwrap().stdout).unwrap();
    assert_eq!((answer["skills"].as_array().unwrap().len(), &answer["skipped"]), (300, &serde_json::json!([])));
}

#[test]
fn what_is_not_as_installed_is_shown_as_such() {
    let shelf = Shelf::new();
    shelf.install("a", vec![super::file("x", "1")]).put("a/x", "evil\n");
    let shown = |more: &[&str]| skillx(&shelf, &[&["show", "a", "x", "--allow-modified"], more].concat());
    assert_eq!(json(&shown(&["--json"]))["standing"], "modified");
    let outcome = shown(&[]);
    assert_eq!(outcome.out(), "evil\n", "skills is where skills are looked for");
    assert!(outcome.err().contains("this is not what was installed"), "{}", outcome.err());
    assert_eq!(shown(&["-q"]).err(), "");
    let outcome = skillx(&shelf, &["show", "a", "../x"]);
    assert!(outcome.err().contains("by its path in the skill's directory"), "{}", outcome.err());
    std::fs::create_dir(shelf.directory.path().join("empty")).unwrap();
    assert!(skillx(&shelf, &["catalog", "empty"]).err().contains("there are no skills"));
}

#[test]
fn show_prints_the_body_or_a_file_as_it_is() {
    let shelf = Shelf::new();
    let raw = b"\x1b[31m\xff\n".to_vec();
    shelf.put("a/SKILL.md", skill("a")).put("a/x.bin", &raw);
    let outcome = skillx(&shelf, &["show", "-d", "skills", "a"]);
    assert_eq!((outcome.code, outcome.out().as_str()), (Some(0), "# a\n\nDo it.\n"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
    command.args(["show", "-d", "skills", "a", "x.bin"]).current_dir(shelf.directory.path());
    assert_eq!(command.output().unwrap().stdout, raw);
    let answer = json(&skillx(&shelf, &["show", "-d", "skills", "a", "x.bin", "--json"]));
    assert_eq!((&answer["schema"], &answer["hex"]), (&"skillx.show/1".into(), &"1b5b33316dff0a".into()));
    let answer = json(&skillx(&shelf, &["show", "-d", "skills", "a", "--json"]));
    assert_eq!((&answer["text"], &answer["standing"]), (&"# a\n\nDo it.\n".into(), &"unverified".into()));
}

#[test]
fn show_names_what_there_is_when_there_is_no_such_skill() {
    let shelf = Shelf::new();
    shelf.put("a/SKILL.md", skill("a"));
    let outcome = skillx(&shelf, &["show", "-d", "skills", "b"]);
    assert_eq!((outcome.code, outcome.out().as_str()), (Some(2), ""));
    assert!(outcome.err().contains("known are `a`"), "{}", outcome.err());
}

#[test]
fn a_modified_skill_is_exit_1_unless_it_may_be_shown() {
    let shelf = Shelf::new();
    shelf.install("a", vec![]);
    shelf.put("a/SKILL.md", skill("a") + "more\n");
    let outcome = skillx(&shelf, &["show", "-d", "skills", "a"]);
    assert_eq!((outcome.code, outcome.out().as_str()), (Some(1), ""));
    assert!(outcome.err().contains("error[tree-changed]"), "{}", outcome.err());
    let outcome = skillx(&shelf, &["show", "-d", "skills", "a", "--allow-modified"]);
    assert!(outcome.code == Some(0) && outcome.out().ends_with("more\n"));
}

#[test]
fn a_terminal_gets_strangers_text_escaped() {
    let shelf = Shelf::new();
    shelf.put("a/SKILL.md", skill("a") + "\x1b[31mred\ttab\u{202e}\n");
    // `script` gives the program a terminal.
    let mut command = Command::new("script");
    let call = format!("{} show -d skills a", env!("CARGO_BIN_EXE_skillx"));
    command.args(["-qec", &call, "/dev/null"]).current_dir(shelf.directory.path());
    let Ok(output) = command.output() else { return };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(r"\u{1b}[31mred") && text.contains(r"\u{202e}") && !text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn completions_and_the_manual_know_every_command() {
    let shelf = Shelf::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = skillx(&shelf, &["completions", shell]);
        assert!(script.code == Some(0) && script.out().contains("verify-extract"), "{shell}");
    }
    let page = skillx(&shelf, &["man"]).out();
    assert!(page.starts_with(".ie") || page.contains(".TH"), "{page:.60}");
    for command in ["verify-extract", "catalog", "plugin", "show"] {
        assert!(page.replace('\\', "").contains(command), "{command}");
        assert!(skillx(&shelf, &["man", command]).out().contains(".TH"), "{command}");
    }
    assert_eq!(skillx(&shelf, &["man", "nothing"]).code, Some(2));
    assert_eq!(skillx(&shelf, &["completions", "tcsh"]).code, Some(2));
}
