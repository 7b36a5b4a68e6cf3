//! `check` for other programs: SARIF against its schema, annotations that no name can forge, the action and the hooks.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, clippy::pedantic)] // Tests look at the file system as it is.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use support::carrier::{Carrier, exec, file, symlink, with_skill};
use support::run::{Outcome, observe};
use support::{SKILL_MD, temp_dir};

fn run(directory: &Path, args: &[&str]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
    command.args(args).current_dir(directory);
    observe(command, b"")
}

fn sample() -> tempfile::TempDir {
    let place = temp_dir();
    let put = |name: &str, bytes: &[u8]| {
        fs::create_dir_all(place.path().join(name).parent().unwrap()).unwrap();
        fs::write(place.path().join(name), bytes).unwrap();
    };
    put("good.tar.gz", &Carrier::TarGz.write(&with_skill(vec![])));
    let hostile = [
        "a\n::error::x",
        "%0A::warning::y",
        "::set-output name=a::b",
        "\u{1b}[31m",
        "\u{202e}",
        "a,b=c%2C",
        "##[error]z",
    ];
    let mut members: Vec<_> = hostile.iter().map(|name| file(format!("../{name}"), "")).collect();
    members.extend(hostile.iter().map(|name| symlink(format!("l{name}"), "/")));
    put("bad, %0A:x.tar.gz", &Carrier::TarGz.write(&with_skill(members)));
    put(
        "found.zip",
        &Carrier::Zip.write(&with_skill(vec![
            exec("run.sh", ""),
            file("CLAUDE.md", ""),
            file("sub/SKILL.md", ""),
            file("::warning file=x::y.url", ""),
        ])),
    );
    put("dir/odd skill/SKILL.md", SKILL_MD);
    put("dir/odd skill/100% a,b/conftest.py", b"");
    put("broken.tar.gz", b"\x1f\x8b");
    place
}

const INPUTS: [&str; 5] = ["good.tar.gz", "bad, %0A:x.tar.gz", "found.zip", "dir/odd skill", "broken.tar.gz"];

fn sarif(directory: &Path, args: &[&str]) -> (Option<i32>, Value) {
    let outcome = run(directory, &[args, &["--message-format", "sarif"]].concat());
    assert_eq!(outcome.dirt(), Vec::<String>::new());
    let log = outcome.json().unwrap_or_else(|why| panic!("{args:?}: {why} {}", outcome.err()));
    let schema = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sarif/sarif-schema-2.1.0.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    let faults: Vec<_> = validator.iter_errors(&log).map(|fault| format!("{}: {fault}", fault.instance_path)).collect();
    assert_eq!(faults, Vec::<String>::new(), "{log:#}");
    assert!(
        !validator.is_valid(&serde_json::json!({ "version": "2.1.0", "runs": [{}] })),
        "the schema refuses something"
    );
    (outcome.code, log)
}

#[test]
fn sarif_validates_and_says_what_the_json_says() {
    let place = sample();
    let args = [&["check", "--allow-unverified"][..], &INPUTS].concat();
    let (code, log) = sarif(place.path(), &args);
    assert_eq!(code, Some(1));
    let lines = run(place.path(), &[args.as_slice(), &["--json"]].concat());
    let reports: Vec<Value> = lines.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let list = |value: &Value, key: &str| -> Vec<String> {
        value[key].as_array().unwrap().iter().map(|item| item["code"].as_str().unwrap().to_owned()).collect()
    };
    let expected: Vec<String> =
        reports.iter().flat_map(|report| [list(report, "refusals"), list(report, "findings")].concat()).collect();
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    let found: Vec<String> = results.iter().map(|result| result["ruleId"].as_str().unwrap().to_owned()).collect();
    assert_eq!(found, expected);
    for result in results {
        let rule = &run["tool"]["driver"]["rules"][usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
    }
    let uris: Vec<_> = results
        .iter()
        .map(|result| result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap())
        .collect();
    assert!(uris.contains(&"bad%2C%20%250A%3Ax.tar.gz"), "{uris:?}");
    assert!(uris.contains(&"dir/odd%20skill/100%25%20a%2Cb/conftest.py"), "{uris:?}");
    assert!(run["invocations"][0]["executionSuccessful"].as_bool().unwrap());
}

#[test]
fn sarif_of_failures_and_wrong_calls_validates_too() {
    let place = sample();
    let (code, log) = sarif(place.path(), &["check", "none.tar.gz", "--allow-unverified"]);
    assert_eq!((code, &log["runs"][0]["invocations"][0]["executionSuccessful"]), (Some(3), &Value::Bool(false)));
    let (code, log) = sarif(place.path(), &["check"]);
    assert_eq!(code, Some(2));
    assert_eq!(log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["descriptor"]["id"], "usage");
    let (code, _) = sarif(place.path(), &["list", "good.tar.gz", "--allow-unverified"]);
    assert_eq!(code, Some(2));
}

/// The commands in a log as GitHub's runner reads them: at the beginning of a line, after spaces.
fn commands(outcome: &Outcome) -> Vec<String> {
    let text = outcome.out() + &outcome.err();
    let lines = text.split(['\n', '\r']).map(str::trim_start);
    lines.filter(|line| line.starts_with("::") || line.contains("##[")).map(str::to_owned).collect()
}

#[test]
fn annotations_are_ours_and_no_name_can_forge_one() {
    let place = sample();
    let outcome =
        run(place.path(), &[&["check", "--allow-unverified", "--message-format", "github"][..], &INPUTS].concat());
    assert_eq!(outcome.code, Some(1));
    assert_eq!(outcome.dirt(), Vec::<String>::new());
    let found = commands(&outcome);
    for line in &found {
        let level =
            ["::error file=", "::warning file=", "::notice file="].iter().find(|level| line.starts_with(**level));
        assert!(level.is_some() && line.contains(",title=skillx "), "{line}");
        let (_, rest) = line[2..].split_once("::").unwrap();
        assert!(!rest.contains("::"), "the message holds what looks like a command: {line}");
        let properties = &line[..line.len() - rest.len() - 2];
        assert_eq!(properties[2..].matches(':').count(), 0, "{line}");
        assert_eq!(properties.matches(',').count(), 1, "{line}");
    }
    let reports = run(place.path(), &[&["check", "--allow-unverified", "--json"][..], &INPUTS].concat());
    let reports: Vec<Value> = reports.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let length = |report: &Value, key: &str| report[key].as_array().unwrap().len();
    let expected: usize = reports.iter().map(|report| length(report, "refusals") + length(report, "findings")).sum();
    assert_eq!(found.len(), expected, "{found:#?}");
    assert!(
        found.iter().any(|line| line.starts_with("::error file=bad%2C %250A%3Ax.tar.gz,title=skillx path-traversal::"))
    );
    assert!(found.iter().any(|line| line.starts_with("::warning file=dir/odd skill/100%25 a%2Cb/conftest.py,title=")));
    assert!(found.iter().any(|line| line.starts_with("::notice file=found.zip,title=skillx portability-exec-bit::")));
}

/// YAML as JSON.
fn yaml(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    serde_saphyr::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Runs bash as a runner does, with the program under test on the path.
fn bash(directory: &Path, script: &str, args: &[&str], environment: &[(&str, &str)]) -> Outcome {
    let program = Path::new(env!("CARGO_BIN_EXE_skillx")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script, "bash"]).args(args);
    command.current_dir(directory).env("PATH", path).envs(environment.iter().copied());
    observe(command, b"")
}

#[test]
fn the_action_annotates_and_fails_where_it_has_to() {
    let action = yaml("action.yml");
    let steps = action["runs"]["steps"].as_array().unwrap();
    let names: Vec<_> = action["inputs"].as_object().unwrap().keys().map(String::as_str).collect();
    let given = steps[1]["env"].as_object().unwrap();
    let place = sample();
    let go = |paths: &str, deny: &str, sarif: &str| {
        let mut environment = Vec::new();
        for (variable, expression) in given {
            let input = expression.as_str().unwrap().trim_start_matches("${{ inputs.").trim_end_matches(" }}");
            assert!(names.contains(&input), "{input}");
            let value = match input {
                "paths" => paths,
                "deny" => deny,
                _ => sarif,
            };
            environment.push((variable.as_str(), value));
        }
        let scripts = steps.iter().map(|step| step["run"].as_str().unwrap());
        assert!(scripts.clone().all(|script| !script.contains("${{")), "values come by the environment");
        let script: Vec<_> = scripts.collect();
        bash(place.path(), &script.join("\n"), &[], &environment)
    };
    let good = go("good.tar.gz\ndir/odd skill\n", "", "");
    assert_eq!(good.code, Some(0), "{}{}", good.out(), good.err());
    assert!(good.out().contains("::warning file=dir/odd skill/"), "{}", good.out());
    let denied = go("good.tar.gz\ndir/odd skill", "hidden-text\ntool-autoload\n", "out.sarif");
    assert_eq!(denied.code, Some(1), "{}", denied.err());
    assert!(denied.out().contains("title=skillx tool-autoload"), "{}", denied.out());
    let log: Value = serde_json::from_slice(&fs::read(place.path().join("out.sarif")).unwrap()).unwrap();
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(go("broken.tar.gz", "", "").code, Some(1));
    assert_eq!(go("good.tar.gz", "no-such-code", "").code, Some(2));
}

#[test]
fn the_hooks_check_the_files_they_are_given() {
    let hooks = yaml(".pre-commit-hooks.yaml");
    let place = sample();
    fs::create_dir_all(place.path().join("bad")).unwrap();
    fs::write(place.path().join("bad/SKILL.md"), "none").unwrap();
    let go = |id: &str, files: &[&str]| {
        let hook = hooks.as_array().unwrap().iter().find(|hook| hook["id"] == id).unwrap();
        assert_eq!(hook["language"], "rust");
        // pre-commit splits the entry like a shell and appends the files.
        bash(place.path(), &format!("{} \"$@\"", hook["entry"].as_str().unwrap()), files, &[])
    };
    let good = go("skillx-check-skill", &["dir/odd skill/SKILL.md"]);
    assert_eq!(good.code, Some(0), "{}", good.err());
    assert_eq!(go("skillx-check-skill", &["dir/odd skill/SKILL.md", "bad/SKILL.md"]).code, Some(1));
    assert_eq!(go("skillx-check-archive", &["good.tar.gz"]).code, Some(0));
    assert_eq!(go("skillx-check-archive", &["good.tar.gz", "broken.tar.gz"]).code, Some(1));
}
