//! Findings: said of an accepted archive, and refusals when they are denied, one by one and all together.
#![allow(clippy::disallowed_methods, clippy::pedantic)]

mod support;

use skillx_archive::{Artifact, Code, Options, Report, Verdict, check_directory};
use support::carrier::{Carrier, file};
use support::tar::Tar;
use support::zip::{Entry, Zip};

fn judge(bytes: Vec<u8>, options: &Options) -> Report {
    Artifact::from_bytes(bytes).trust_without_digest().check(options)
}

fn skill_md(text: &str) -> Vec<u8> {
    Carrier::TarGz.write(&[file("SKILL.md", text)])
}

/// Accepted with exactly this finding; refused once it is denied.
#[track_caller]
fn finds(bytes: &[u8], code: Code) {
    let report = judge(bytes.to_vec(), &Options::default());
    assert_eq!(report.verdict, Verdict::Accepted, "{:?}", report.error);
    assert_eq!(report.findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), [code]);
    for options in [Options::default().deny(code), Options::default().deny_all()] {
        let report = judge(bytes.to_vec(), &options);
        assert_eq!(report.verdict, Verdict::Refused);
        assert_eq!(report.refusals.iter().map(|refusal| refusal.code()).collect::<Vec<_>>(), [code]);
    }
    let other = if code == Code::SkillBom { Code::SkillNameForm } else { Code::SkillBom };
    assert_eq!(judge(bytes.to_vec(), &Options::default().deny(other)).verdict, Verdict::Accepted);
}

#[track_caller]
fn finds_nothing(bytes: Vec<u8>) {
    let report = judge(bytes, &Options::default().deny_all());
    assert_eq!((report.verdict, report.findings.len()), (Verdict::Accepted, 0), "{:?}", report.error);
}

#[test]
fn names_outside_the_rule_are_found() {
    for name in ["PDF", "a_b", "-a", "a-", "a--b", "gu\u{ed}a", "a b", "con", "lpt1", &"a".repeat(65)] {
        finds(&skill_md(&format!("---\nname: {name}\ndescription: x\n---\n")), Code::SkillNameForm);
    }
    for name in ["a", "pdf-2", "0", &"a".repeat(64), "console", "com"] {
        finds_nothing(skill_md(&format!("---\nname: \"{name}\"\ndescription: x\n---\n")));
    }
}

#[test]
fn descriptions_are_measured_in_characters() {
    for character in ["x", "\u{e9}", "\u{6280}"] {
        let text = |length| format!("---\nname: demo\ndescription: {}\n---\n", character.repeat(length));
        finds_nothing(skill_md(&text(1024)));
        finds(&skill_md(&text(1025)), Code::SkillDescriptionLong);
    }
}

#[test]
fn unknown_keys_and_byte_order_marks_are_found() {
    finds(&skill_md("---\nname: demo\ndescription: x\nversion: 1.0\n---\n"), Code::SkillUnknownKey);
    finds(&skill_md("\u{feff}---\nname: demo\ndescription: x\n---\n"), Code::SkillBom);
    let known = "license: MIT\ncompatibility: any\nallowed-tools: Read\nmetadata:\n  version: \"1\"\n";
    finds_nothing(skill_md(&format!("---\nname: demo\ndescription: x\n{known}---\n")));
}

#[test]
fn names_that_are_not_marked_as_utf8_are_found() {
    let entry = Entry::file("gu\u{ed}a.md", "x").with(|entry| entry.flags = 0);
    finds(&Zip::skill().entry(entry).build(), Code::ZipNameUnflagged);
    finds_nothing(Zip::skill().entry(Entry::file("guia.md", "x")).build());
}

#[test]
fn a_directory_of_another_name_is_found() {
    let place = support::temp_dir();
    for (directory, finding) in [("demo", None), ("other", Some(Code::SkillNameDirectory))] {
        let path = place.path().join(directory);
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("SKILL.md"), support::SKILL_MD).unwrap();
        let report = check_directory(&path, &Options::default()).unwrap();
        assert_eq!(report.verdict, Verdict::Accepted);
        assert_eq!(report.findings.first().map(|finding| finding.code), finding);
        let denied = check_directory(&path, &Options::default().deny(Code::SkillNameDirectory)).unwrap();
        assert_eq!(denied.error.map(|error| error.code()), finding);
    }
}

#[test]
fn several_findings_are_all_said_and_the_first_one_decides() {
    let text = "\u{feff}---\nname: A B\ndescription: x\nversion: 1\n---\n";
    let report = judge(support::gzip::gzip(Tar::empty().file("SKILL.md", text).end()), &Options::default().deny_all());
    let codes: Vec<_> = report.refusals.iter().map(|refusal| refusal.code()).collect();
    assert_eq!(codes, [Code::SkillNameForm, Code::SkillUnknownKey, Code::SkillBom]);
}
