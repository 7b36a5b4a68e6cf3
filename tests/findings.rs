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
    let known = "license: MIT\ncompatibility: any\nmetadata:\n  version: \"1\"\n";
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

fn with(members: Vec<support::Member>) -> Report {
    let members = support::carrier::with_skill(members);
    let reports = [Carrier::TarGz, Carrier::Zip].map(|carrier| judge(carrier.write(&members), &Options::default()));
    let [tar, zip] = reports;
    assert_eq!((tar.verdict, zip.verdict), (Verdict::Accepted, Verdict::Accepted), "{:?}", tar.error);
    let lasting = |report: &Report| -> Vec<_> {
        let only_tar = [Code::PortabilityNonAscii, Code::PortabilityLongPaths];
        let kept = report.findings.iter().filter(|finding| !only_tar.contains(&finding.code));
        kept.map(|finding| (finding.code, finding.path.clone())).collect()
    };
    assert_eq!(lasting(&tar), lasting(&zip), "the format makes no difference");
    tar
}

/// Exactly these, and each refuses once it is denied.
#[track_caller]
fn gives(members: Vec<support::Member>, codes: &[Code]) {
    let report = with(members.clone());
    let found: Vec<_> = report.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(found, codes, "{:?}", report.findings);
    for code in codes {
        let bytes = Carrier::TarGz.write(&support::carrier::with_skill(members.clone()));
        let denied = judge(bytes, &Options::default().deny(*code));
        assert_eq!(denied.error.map(|error| error.code()), Some(*code));
    }
}

#[test]
fn configuration_that_agents_and_editors_load_is_found() {
    for name in [
        "CLAUDE.md",
        "agents.md",
        ".mcp.json",
        ".claude/settings.json",
        "sub/.claude/settings.json",
        ".cursor/rules/x.mdc",
        ".vscode/tasks.json",
        "hooks/pre",
    ] {
        gives(vec![file(name, "x")], &[Code::AgentConfig]);
    }
    for name in ["sub/CLAUDE.md", "claude.txt", "hooks", "scripts/hooks/x", "claude/x", "references/agents.md"] {
        gives(vec![file(name, "x")], &[]);
    }
}

#[test]
fn files_that_tools_run_or_obey_are_found() {
    for name in [
        ".npmrc",
        "a/.envrc",
        "conftest.py",
        "sitecustomize.py",
        "a/x.pth",
        "Makefile",
        ".gitattributes",
        ".gitmodules",
    ] {
        gives(vec![file(name, "x")], &[Code::ToolAutoload]);
    }
    let manifest = |text: &str| vec![file("package.json", text)];
    gives(manifest(r#"{"scripts": {"postinstall" : "node x.js"}}"#), &[Code::ToolAutoload]);
    gives(manifest(&format!(r#"{{"x": "{}", "prepare": "x"}}"#, "y".repeat(30_000))), &[Code::ToolAutoload]);
    gives(manifest(r#"{"scripts": {"test": "x", "build": "install"}, "keywords": ["install"]}"#), &[]);
}

#[test]
fn files_that_stand_in_for_others_are_found() {
    for members in [
        vec![file("a.pyc", "x")],
        vec![file("lib.py", "x"), file("lib.so", "x")],
        vec![file("d/lib.py", "x"), file("d/lib.cpython-313-x86_64-linux-gnu.so", "x")],
        vec![file("README.md.exe", "x")],
        vec![file("a/report.pdf.js", "x")],
    ] {
        gives(members, &[Code::ShadowingFile]);
    }
    for members in
        [vec![file("lib.so", "x")], vec![file("d/lib.py", "x"), file("lib.so", "x")], vec![file("a.min.js", "x")]]
    {
        gives(members, &[]);
    }
}

#[test]
fn files_that_windows_acts_on_are_found() {
    for name in ["desktop.ini", "a/x.URL", "x.lnk", "x.library-ms", "autorun.inf", "x.scf"] {
        gives(vec![file(name, "x")], &[Code::OsAutoload]);
    }
    gives(vec![file("url", "x"), file("a.ini", "x"), file(".url", "x")], &[]);
}

#[test]
fn names_that_look_alike_are_found() {
    gives(
        vec![file("s/install.sh", "x"), file("s/\u{456}nstall.sh", "x")],
        &[Code::HomoglyphSibling, Code::PortabilityNonAscii],
    );
    gives(vec![file("a/x", "x"), file("\u{430}/x", "x")], &[Code::HomoglyphSibling, Code::PortabilityNonAscii]);
    // Not in one directory; not beyond ASCII; not alike.
    gives(vec![file("s/a", "x"), file("t/\u{430}", "x")], &[Code::PortabilityNonAscii]);
    gives(vec![file("l.md", "x"), file("1.md", "x")], &[]);
    gives(vec![file("gu\u{ed}a.md", "x"), file("guia.md", "x")], &[Code::PortabilityNonAscii]);
}

#[test]
fn programs_and_archives_are_known_by_their_first_bytes() {
    let mut windows = vec![0; 200];
    windows[..2].copy_from_slice(b"MZ");
    windows[0x3c] = 0x80;
    windows[0x80..0x84].copy_from_slice(b"PE\0\0");
    let mut tar = vec![0; 600];
    tar[257..262].copy_from_slice(b"ustar");
    for bytes in [&b"\x7fELF\x02"[..], b"\xcf\xfa\xed\xfe\x07", b"\xca\xfe\xba\xbe\0\0\0\x02", &windows] {
        gives(vec![file("tool", bytes)], &[Code::NativeExecutable]);
    }
    for bytes in
        [&b"PK\x03\x04x"[..], b"\x1f\x8b\x08\0", b"7z\xbc\xaf\x27\x1c", b"BZh91AY&SY", b"\x28\xb5\x2f\xfd", &tar]
    {
        gives(vec![file("data", bytes)], &[Code::NestedArchive]);
    }
    for (name, bytes) in [
        ("a.docx", &b"PK\x03\x04"[..]),
        ("A.class", b"\xca\xfe\xba\xbe\0\0\0\x34"),
        ("a.txt", b"MZ is a text"),
        ("b.txt", b"PK"),
        ("empty", b""),
    ] {
        gives(vec![file(name, bytes)], &[]);
    }
}

#[test]
fn a_second_skill_md_is_found() {
    for name in ["a/SKILL.md", "a/b/skill.md"] {
        gives(vec![file(name, "x")], &[Code::NestedSkillMd]);
    }
}

#[track_caller]
fn text_gives(body: &str, codes: &[Code]) {
    let report = judge(skill_md(&format!("---\nname: demo\ndescription: x\n---\n{body}\n")), &Options::default());
    assert_eq!(report.verdict, Verdict::Accepted);
    assert_eq!(report.findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), codes, "{body:?}");
}

#[test]
fn hidden_text_is_found_with_its_line() {
    for body in [
        "a\u{e0041}\u{e0042}b",
        "a\u{202e}b",
        "a\u{2066}b",
        "a\u{200b}b",
        "a\u{200d}b",
        "a\u{ad}b",
        "a\u{fe0f}",
        "a\u{e0100}",
        "\u{1f600}\u{e0101}\u{e0102}",
        "a\u{1b}[8mb",
        "a\0b",
        "seen\rhidden",
        "a\u{3164}b",
    ] {
        text_gives(body, &[Code::HiddenText]);
    }
    for body in [
        "\u{2764}\u{fe0f} \u{1f469}\u{200d}\u{1f4bb} 1\u{fe0f}\u{20e3}",
        "\u{646}\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}",
        "line\r\nend\tof \u{e0b0} file",
        "gu\u{ed}a \u{6280}\u{80fd}",
    ] {
        text_gives(body, &[]);
    }
    let text = "---\nname: demo\ndescription: x\n---\n\nfine\na\u{202e}b\u{200b}\n";
    let report = judge(skill_md(text), &Options::default());
    assert!(report.findings[0].message.contains("2 hidden characters, the first is U+202E at line 7"), "{report:?}");
    let frontmatter = "---\nname: demo\ndescription: \"x\u{200b}y\"\n---\n";
    finds(&skill_md(frontmatter), Code::HiddenText);
}

#[test]
fn what_hosts_act_on_at_load_is_found() {
    for body in ["!`ls`", "- !`git status`", "Now: !`date`", "(!`x`)"] {
        text_gives(body, &[Code::LoadCommand]);
    }
    for body in ["`x`", "Wow!`x`", "! `x`", "!`", "!``", "!`a\nb`", "![image](x)"] {
        text_gives(body, &[]);
    }
    finds(&skill_md("---\nname: demo\ndescription: x\nallowed-tools: Bash\n---\n"), Code::AllowedTools);
    let hooks = judge(skill_md("---\nname: demo\ndescription: x\nhooks:\n  Stop: x\n---\n"), &Options::default());
    let codes: Vec<_> = hooks.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [Code::SkillUnknownKey, Code::FrontmatterHooks]);
}

#[test]
fn comments_and_very_long_lines_are_found() {
    text_gives("a <!-- b -->", &[Code::HtmlComment]);
    text_gives(&"x".repeat(5000), &[]);
    text_gives(&"x".repeat(5001), &[Code::LongLine]);
}

#[test]
fn what_clients_break_in_is_said_once_with_their_names() {
    use support::carrier::{exec, hardlink, symlink};

    let report = with(vec![exec("a.sh", "x"), exec("b.sh", "x"), file("x", "x")]);
    let [only] = report.findings.as_slice() else { panic!("{:?}", report.findings) };
    assert_eq!(only.code, Code::PortabilityExecBit);
    assert!(
        only.message.contains("2 files are") && only.message.contains("`a.sh`") && only.message.contains("npx skills"),
        "{only:?}"
    );
    gives(vec![file("a", "x"), symlink("l", "a")], &[Code::PortabilityLinks]);
    let linked = Carrier::TarGz.write(&support::carrier::with_skill(vec![file("a", "x"), hardlink("l", "a")]));
    finds(&linked, Code::PortabilityLinks);
    finds(&Carrier::TarGz.write(&[file("./SKILL.md", support::SKILL_MD)]), Code::PortabilityDotEntries);
    let path = |length: usize| format!("d/{}", "n".repeat(length - 2));
    finds_nothing(Carrier::TarGz.write(&support::carrier::with_skill(vec![file(path(100), "")])));
    finds(&Carrier::TarGz.write(&support::carrier::with_skill(vec![file(path(101), "")])), Code::PortabilityLongPaths);
    finds_nothing(Carrier::Zip.write(&support::carrier::with_skill(vec![file(path(101), ""), file("gu\u{ed}a", "")])));
    let files = |count: usize| (0..count).map(|number| file(format!("f{number}"), "")).collect::<Vec<_>>();
    gives(files(19), &[]);
    gives(files(20), &[Code::PortabilitySmallLimits]);
    gives(files(999), &[Code::PortabilitySmallLimits]);
    gives(files(1000), &[Code::PortabilityLarge]);
    gives(vec![file("big", vec![7; 1 << 20])], &[Code::PortabilitySmallLimits]);
    // Nothing that deflate makes small: the ratio has a limit.
    let noise = (0..10_u64 << 20).scan(1_u64, |state, _| {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some((*state >> 56) as u8)
    });
    gives(vec![file("big", noise.collect::<Vec<u8>>())], &[Code::LargeFile, Code::PortabilityLarge]);
}

#[test]
fn many_findings_are_counted_and_few_are_listed() {
    let members = (0..500).map(|number| file(format!("d{number}/SKILL.md"), "")).collect::<Vec<_>>();
    let report = with(members);
    let nested: Vec<_> = report.findings.iter().filter(|finding| finding.code == Code::NestedSkillMd).collect();
    assert_eq!(nested.len(), 10);
    assert!(nested[9].message.ends_with("(and 490 more)"), "{:?}", nested[9]);
}

#[test]
fn a_directory_is_told_the_same_and_any_layout_nothing() {
    let place = support::temp_dir();
    let root = place.path().join("demo");
    std::fs::create_dir_all(root.join(".claude")).unwrap();
    std::fs::write(root.join("SKILL.md"), support::SKILL_MD).unwrap();
    std::fs::write(root.join(".claude/settings.json"), "{}").unwrap();
    std::os::unix::fs::symlink("SKILL.md", root.join("CLAUDE.md")).unwrap();
    let report = check_directory(&root, &Options::default()).unwrap();
    let codes: Vec<_> = report.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [Code::AgentConfig, Code::AgentConfig, Code::PortabilityLinks]);
    assert_eq!(report.entries.iter().filter(|entry| entry.link_target.is_some()).count(), 1);
    let any = check_directory(&root, &Options::default().layout(skillx_archive::Layout::Any)).unwrap();
    assert_eq!(any.findings.len(), 0);
}

#[test]
fn warnings_weigh_more_than_notes_and_both_are_findings() {
    use skillx_archive::Severity;

    for code in Code::ALL {
        assert_eq!(code.is_finding(), code.severity() != Severity::Error, "{code}");
        assert!(code.severity() != Severity::Warning || !code.as_str().starts_with("portability-"), "{code}");
    }
}
