//! No byte that could harm a terminal, a log or a CI run reaches stdout or stderr, wherever a stranger's text comes from:
//! the catalogue of cases, and hostile texts in every place that takes one.
//!
//! Each place gets a third of the texts, another third than its neighbours; `SKILLX_HOSTILE=all` gives it all of them.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)] // Tests look at the file system as it is.

mod support;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use serde_json::Value;

use support::carrier::{Carrier, dir, exec, file, hardlink, symlink, with_skill};
use support::cases::{self, Bytes};
use support::gzip::{Gzip, gzip};
use support::run::{Outcome, observe};
use support::tar::{Header, Tar};
use support::zip::{Entry, Zip};
use support::{SKILL_MD, sha256, temp_dir};

/// What terminals, log viewers, CI systems and people act on. None of them holds NUL or `/`: they have to be file names.
fn hostile_texts() -> Vec<Vec<u8>> {
    let texts = [
        "\u{1b}[31mred\u{1b}[0m",
        "\u{1b}]0;title\u{7}",
        "\u{1b}]8;;http:evil\u{1b}\\link",
        "\u{9b}31m",
        "\u{9d}0;x\u{9c}",
        "over\rwritten",
        "two\nlines",
        "\n::error title=x::y",
        "::error::x",
        "::set-output name=a::b",
        "\n##vso[task.setvariable variable=a]b",
        "##[error]x",
        "\n##teamcity[buildStatus status='FAILURE']",
        "back\u{8}\u{8}space",
        "\u{7f}\u{7}bell",
        "\u{202e}txt.exe",
        "\u{2066}a\u{2069}\u{200f}",
        "zero\u{200b}width\u{200d}\u{feff}",
        "\u{ad}\u{2028}\u{2029}\u{85}",
        "\u{e0041}\u{e007f}tag",
        "\u{e000}\u{f8ff}\u{10ffff}",
        "gu\u{ed}a \u{6f22}\u{5b57} \u{1f600}",
        "\"quote\" 'quote' `tick` $(x)",
    ];
    let mut texts: Vec<_> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    texts.push(b"caf\xe9".to_vec());
    texts.push(b"\xff\xfe\x80\x9b31m".to_vec());
    texts.push(b"\xc3".to_vec());
    texts.push([b"\x1b[".as_slice(), &b"9".repeat(190), b"m"].concat());
    texts
}

/// A place that takes a stranger's text: prepares a directory and says which call meets the text.
type Place = fn(&Path, &[u8]) -> Vec<OsString>;

fn call(args: &[&str]) -> Vec<OsString> {
    args.iter().map(OsString::from).collect()
}

/// `check` of an archive that holds the text.
fn check(directory: &Path, archive: impl AsRef<[u8]>) -> Vec<OsString> {
    fs::write(directory.join("a.bin"), archive).unwrap();
    call(&["check", "a.bin", "--allow-unverified"])
}

fn check_members(directory: &Path, members: Vec<support::Member>) -> Vec<OsString> {
    check(directory, Carrier::TarGz.write(&with_skill(members)))
}

fn with_text(mut args: Vec<OsString>, text: &[u8]) -> Vec<OsString> {
    args.push(OsString::from_vec(text.to_vec()));
    args
}

/// SKILL.md with the text in a YAML string (where it is text), else as it stands.
fn quoted(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    serde_json::to_string(&text).unwrap().into_bytes()
}

fn skill_md(directory: &Path, text: Vec<u8>) -> Vec<OsString> {
    check(directory, gzip(Tar::empty().file("SKILL.md", text).end()))
}

const PLACES: &[(&str, Place)] = &[
    ("a member's name", |at, text| check_members(at, vec![file(text, "x")])),
    ("a directory's name", |at, text| check_members(at, vec![dir(text)])),
    ("a component's name", |at, text| check_members(at, vec![file([b"a/", text, b"/b"].concat(), "x")])),
    ("a colliding name", |at, text| check_members(at, vec![file(text, "x"), file(text, "y")])),
    ("a link's target", |at, text| check_members(at, vec![symlink("l", text)])),
    ("a link's name", |at, text| check_members(at, vec![symlink(text, "/etc")])),
    ("a hard link's target", |at, text| check_members(at, vec![hardlink("h", text)])),
    ("a zip member's name", |at, text| check(at, Carrier::Zip.write(&with_skill(vec![exec(text, "x")])))),
    ("a zip link's target", |at, text| check(at, Carrier::Zip.write(&with_skill(vec![symlink("l", text)])))),
    ("a zip's local name", |at, text| {
        let entry = Entry::file("a", "x").with(|entry| entry.local.name = Some(text.to_vec()));
        check(at, Zip::skill().entry(entry).build())
    }),
    ("a zip's comment", |at, text| check(at, Zip::skill().with(|zip| zip.end.comment = text.to_vec()).build())),
    ("a gzip header", |at, text| {
        let gzip = Gzip::new(Tar::skill().end());
        let both = |gzip: &mut Gzip| (gzip.name, gzip.comment) = (Some(text.to_vec()), Some(text.to_vec()));
        check(at, gzip.with(both).build())
    }),
    ("a pax key", |at, text| {
        let key = [b"GNU.sparse.".as_slice(), text].concat();
        let record = support::tar::record(key, "1");
        check(at, gzip(Tar::skill().pax_raw(record).file("a", "").end()))
    }),
    ("a pax value", |at, text| check(at, gzip(Tar::skill().pax(&[("size", text)]).file("a", "").end()))),
    ("a pax payload", |at, text| check(at, gzip(Tar::skill().pax_raw(text).file("a", "").end()))),
    ("a charset", |at, text| check(at, gzip(Tar::skill().pax(&[("hdrcharset", text)]).file("a", "").end()))),
    ("a long name", |at, text| check(at, gzip(Tar::skill().file_gnu_long(text, "").end()))),
    ("a number", |at, text| {
        let header = Header::ustar(b'0', "a").set(support::tar::MODE, &text[..text.len().min(8)]);
        check(at, gzip(Tar::skill().member(header, "").end()))
    }),
    ("the file's first bytes", |at, text| check(at, text)),
    ("the skill's name", |at, text| {
        skill_md(at, [b"---\nname: ", &quoted(text)[..], b"\ndescription: d\n---\n"].concat())
    }),
    ("the skill's raw name", |at, text| skill_md(at, [b"---\nname: ", text, b"\ndescription: d\n---\n"].concat())),
    ("the description", |at, text| {
        skill_md(at, [b"---\nname: a\ndescription: ", &quoted(text)[..], b"\n---\n"].concat())
    }),
    ("an unknown key", |at, text| {
        skill_md(at, [b"---\nname: a\ndescription: d\n", &quoted(text)[..], b": 1\n---\n"].concat())
    }),
    ("a line of broken YAML", |at, text| {
        skill_md(at, [b"---\nname: a\ndescription: what: ever ", text, b" [\n---\n"].concat())
    }),
    ("a body that is no frontmatter", |at, text| skill_md(at, text.to_vec())),
    ("a wrapper's name", |at, text| {
        let name = [text, b"/SKILL.md"].concat();
        check(at, Carrier::TarGz.write(&[file(name, SKILL_MD)]))
    }),
    ("the name of an archive", |at, text| {
        fs::write(at.join(OsStr::from_bytes(text)), gzip(Tar::skill().end())).unwrap();
        with_text(call(&["check", "--"]), text)
    }),
    ("the name of a missing file", |_, text| with_text(call(&["check", "--allow-unverified", "--"]), text)),
    ("the name of a directory", |at, text| {
        let path = at.join(OsStr::from_bytes(text));
        fs::create_dir(&path).unwrap();
        fs::write(path.join("SKILL.md"), SKILL_MD).unwrap();
        with_text(call(&["check", "--"]), text)
    }),
    ("a name in a directory", |at, text| {
        fs::create_dir(at.join("skill")).unwrap();
        fs::write(at.join("skill/SKILL.md"), SKILL_MD).unwrap();
        fs::write(at.join("skill").join(OsStr::from_bytes(text)), "x").unwrap();
        call(&["check", "skill"])
    }),
    ("a link in a directory", |at, text| {
        fs::create_dir(at.join("skill")).unwrap();
        std::os::unix::fs::symlink(OsStr::from_bytes(text), at.join("skill/l")).unwrap();
        call(&["check", "skill"])
    }),
    ("a sidecar", |at, text| {
        fs::write(at.join("a.tar.gz"), gzip(Tar::skill().end())).unwrap();
        fs::write(at.join("a.tar.gz.sha256"), text).unwrap();
        call(&["check", "a.tar.gz"])
    }),
    ("a sidecar's file name", |at, text| {
        fs::write(at.join("a.tar.gz"), gzip(Tar::skill().end())).unwrap();
        let line = [&sha256(b"").as_bytes()[7..], b"  ", text].concat();
        fs::write(at.join("a.tar.gz.sha256"), line).unwrap();
        call(&["check", "a.tar.gz"])
    }),
    ("a list of digests", |at, text| {
        fs::write(at.join("SUMS"), text).unwrap();
        call(&["check", "x", "--digests", "SUMS"])
    }),
    ("an ambiguous list of digests", |at, text| {
        let lines = ["0", "1"].map(|digit| [digit.repeat(64).as_bytes(), b"  ", text, b"\n"].concat());
        fs::write(at.join("SUMS"), lines.concat()).unwrap();
        fs::write(at.join(OsStr::from_bytes(text)), "x").unwrap();
        with_text(call(&["check", "--digests", "SUMS", "--"]), text)
    }),
    ("the name of a list of digests", |_, text| with_text(call(&["check", "x", "--digests"]), text)),
    ("the name of a list", |_, text| with_text(call(&["check", "--files-from"]), text)),
    ("a list", |at, text| {
        fs::write(at.join("list"), text).unwrap();
        call(&["check", "--files-from", "list", "--allow-unverified"])
    }),
    ("a destination", |at, text| {
        fs::write(at.join("a.tar.gz"), gzip(Tar::skill().end())).unwrap();
        with_text(call(&["verify-extract", "a.tar.gz", "--allow-unverified", "-o"]), text)
    }),
    ("a destination that is taken", |at, text| {
        fs::write(at.join("a.tar.gz"), gzip(Tar::skill().end())).unwrap();
        fs::write(at.join(OsStr::from_bytes(text)), "x").unwrap();
        with_text(call(&["verify-extract", "a.tar.gz", "--allow-unverified", "-o"]), text)
    }),
    ("a parent that is no directory", |at, text| {
        fs::write(at.join("a.tar.gz"), gzip(Tar::skill().end())).unwrap();
        fs::write(at.join(OsStr::from_bytes(text)), "x").unwrap();
        with_text(call(&["verify-extract", "a.tar.gz", "--allow-unverified", "-o"]), &[text, b"/x"].concat())
    }),
    ("a promised name", |at, text| {
        fs::write(at.join("a.tar.gz"), gzip(Tar::skill().end())).unwrap();
        with_text(call(&["verify-extract", "a.tar.gz", "--allow-unverified", "--name"]), text)
    }),
    ("a digest", |_, text| with_text(call(&["check", "x", "--digest"]), text)),
    ("a finding to deny", |_, text| with_text(call(&["check", "x", "--deny"]), text)),
    ("a layout", |_, text| with_text(call(&["check", "x", "--layout"]), text)),
    ("a format", |_, text| with_text(call(&["check", "x", "--format"]), text)),
    ("a size", |_, text| with_text(call(&["check", "x", "--max-total"]), text)),
    ("a number of jobs", |_, text| with_text(call(&["check", "x", "-j"]), text)),
    ("a colour", |_, text| with_text(call(&["check", "x", "--color"]), text)),
    ("a flag", |_, text| with_text(call(&["check", "x"]), &[b"--", text].concat())),
    ("a short flag", |_, text| with_text(call(&["check", "x"]), &[b"-", text].concat())),
    ("a command", |_, text| with_text(Vec::new(), text)),
    ("a code to explain", |_, text| with_text(call(&["explain", "--"]), text)),
    ("one argument too many", |_, text| with_text(call(&["list", "x", "y"]), text)),
];

fn run(directory: &Path, args: &[OsString], more: &[&str]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
    // In front, where they are flags whatever follows.
    command.args(more).args(args).current_dir(directory);
    observe(command, b"")
}

/// Everything that is wrong with what a run printed.
fn faults(outcome: &Outcome, is_json: bool) -> Vec<String> {
    let mut faults = outcome.dirt();
    faults.extend(outcome.ci_commands());
    if outcome.code.is_none() {
        faults.push("it was killed".to_owned());
    }
    if outcome.err().contains("internal error") {
        faults.push(format!("it panicked: {}", outcome.err()));
    }
    if is_json {
        let text = outcome.out();
        if text.contains("::") || text.contains("##") {
            faults.push(format!("a CI command: {text}"));
        }
        if let Some(line) = text.lines().find(|line| serde_json::from_str::<Value>(line).is_err()) {
            faults.push(format!("no JSON: {line}"));
        }
        if text.is_empty() && outcome.code != Some(0) {
            faults.push("no JSON line".to_owned());
        }
    }
    faults
}

/// Takes away the colours that were asked for, so that what is left must be clean.
fn without_colours(mut outcome: Outcome) -> Outcome {
    let text = outcome.err();
    let mut parts = text.split("\u{1b}[");
    let mut clear = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
        // At most `1;31`: more is not ours and stays in view.
        match part[digits..].strip_prefix('m') {
            Some(rest) if digits <= 5 => clear.push_str(rest),
            _ => clear.extend(["\u{1b}[", part]),
        }
    }
    outcome.stderr = clear.into_bytes();
    outcome
}

/// Cases: O01-places.
#[test]
fn hostile_text_in_any_place_is_escaped_in_every_form_of_output() {
    let texts = hostile_texts();
    let all = std::env::var_os("SKILLX_HOSTILE").is_some_and(|value| value == "all");
    let found = Mutex::new(Vec::new());
    let work = Mutex::new(PLACES.iter().enumerate());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((turn, (place, prepare))) = work.lock().unwrap().next() else { return };
                    for (number, text) in texts.iter().enumerate().filter(|(number, _)| all || number % 3 == turn % 3) {
                        let at = temp_dir();
                        let args = prepare(at.path(), text);
                        // In text and JSON, now and then in colour too.
                        let mut outcomes = vec![
                            ("text", faults(&run(at.path(), &args, &[]), false)),
                            ("json", faults(&run(at.path(), &args, &["--json"]), true)),
                        ];
                        if number % 4 == 0 && *place != "a colour" {
                            let colored = without_colours(run(at.path(), &args, &["--color", "always"]));
                            outcomes.push(("colour", faults(&colored, false)));
                        }
                        if args.first().is_some_and(|command| command == "check") && args.len() == 3 {
                            let list = [call(&["list"]), args[1..].to_vec()].concat();
                            outcomes.push(("list", faults(&run(at.path(), &list, &[]), false)));
                        }
                        for (form, faults) in outcomes.into_iter().filter(|(_, faults)| !faults.is_empty()) {
                            let text = String::from_utf8_lossy(text).into_owned();
                            found.lock().unwrap().push(format!("{place}, {text:?}, {form}: {faults:?}"));
                        }
                    }
                }
            });
        }
    });
    let found = found.into_inner().unwrap();
    assert!(found.is_empty(), "{} faults:\n{}", found.len(), found.join("\n"));
}

/// Cases: O02-json.
#[test]
fn json_gives_hostile_text_back_as_it_was() {
    for text in hostile_texts() {
        let Ok(text) = String::from_utf8(text) else { continue };
        let at = temp_dir();
        let members = vec![file(&text, "x")];
        let mut args = check_members(at.path(), members);
        fs::rename(at.path().join("a.bin"), at.path().join(&text)).unwrap();
        args[1] = format!("./{text}").into();
        let report = run(at.path(), &args, &["--json"]).json().unwrap();
        assert_eq!(report["artifact"]["source"], format!("./{text}"));
        assert_eq!(report["entries"][1]["path"], text);
    }
}

/// Cases: O01-panic.
#[test]
fn a_panic_prints_nothing_that_harms() {
    if !cfg!(debug_assertions) {
        return; // The seam is not in release builds.
    }
    let at = temp_dir();
    for text in hostile_texts() {
        for more in [&[][..], &["--json"]] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
            command.args(more).args(["check", "--"]).arg(OsStr::from_bytes(&text)).current_dir(at.path());
            command.env("SKILLX_TEST_PANIC", OsStr::from_bytes(&text)).env("RUST_BACKTRACE", "full");
            let outcome = observe(command, b"");
            assert_eq!(outcome.code, Some(3));
            assert!(outcome.err().contains("internal error at src/"), "{}", outcome.err());
            let dirt = [outcome.dirt(), outcome.ci_commands()].concat();
            assert_eq!(dirt, Vec::<String>::new(), "{}", String::from_utf8_lossy(&text));
        }
    }
}

/// `check` of the whole catalogue in text, a few calls for all of it; `list` of some cases of each code.
/// Cases: O01-catalogue.
#[test]
fn nothing_in_the_catalogue_of_cases_reaches_the_terminal_as_it_is() {
    let at = temp_dir();
    let mut groups: BTreeMap<Vec<String>, Vec<u8>> = BTreeMap::new();
    let mut listed: BTreeMap<&str, u32> = BTreeMap::new();
    let mut lists = Vec::new();
    for (number, case) in cases::all().into_iter().enumerate() {
        let Bytes::Now(bytes) = &case.bytes else { continue };
        let name = format!("{number}.{}", case.format.flag());
        fs::write(at.path().join(&name), bytes).unwrap();
        groups.entry(case.args.clone()).or_default().extend_from_slice(format!("{name}\0").as_bytes());
        let count = listed.entry(case.code().unwrap_or_default()).or_default();
        *count += 1;
        if *count <= 3 {
            lists.push((case.id.clone(), [call(&["list", &name, "--allow-unverified"]), strings(&case.args)].concat()));
        }
    }
    for (args, list) in groups {
        let fixed = ["check", "--allow-unverified", "-0", "-j2", "--files-from", "-"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
        command.args(fixed).args(&args).current_dir(at.path());
        assert_eq!(faults(&observe(command, &list), false), Vec::<String>::new(), "{args:?}");
    }
    for (id, args) in lists {
        assert_eq!(faults(&run(at.path(), &args, &[]), false), Vec::<String>::new(), "{id}");
    }
}

fn strings(args: &[String]) -> Vec<OsString> {
    args.iter().map(OsString::from).collect()
}

/// No log library stands between a name and the terminal: asking for logs changes nothing.
/// Cases: O03-logs.
#[test]
fn asking_for_logs_adds_nothing_to_the_output() {
    let at = temp_dir();
    for text in hostile_texts() {
        let args = check_members(at.path(), vec![file(text, "x")]);
        let plain = run(at.path(), &args, &[]);
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
        command.args(&args).current_dir(at.path());
        for variable in ["RUST_LOG", "RUST_LOG_STYLE", "SKILLX_LOG", "DEBUG", "VERBOSE"] {
            command.env(variable, if variable == "RUST_LOG_STYLE" { "always" } else { "trace" });
        }
        let logged = observe(command, b"");
        assert_eq!((plain.code, plain.out(), plain.err()), (logged.code, logged.out(), logged.err()));
        assert_eq!(faults(&logged, false), Vec::<String>::new());
    }
}
