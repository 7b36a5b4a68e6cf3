//! The builder: what each option changes, and that a report says by which rules it was made.

use std::time::Duration;

use skillx_archive::{Code, Layout, Limits, Links, Options, parse_size};

use crate::support::carrier::{file, hardlink, skill_md, symlink};
use crate::support::{SKILL_MD, temp_dir};
use crate::{check, code_of, demo, failure, json, tar_gz, verified};

#[test]
fn the_default_is_the_strict_one_and_stands_in_the_report() {
    let report = json(&verified(&demo()).check(&Options::default()));
    assert_eq!(report["schema"], "skillx.report/1");
    assert_eq!(report["tool"]["name"], "skillx-archive");
    assert_eq!(report["tool"]["version"], env!("CARGO_PKG_VERSION"));
    let policy = &report["policy"];
    assert_eq!((&policy["layout"], &policy["links"]), (&"skill".into(), &"keep".into()));
    assert_eq!(policy["deny"], serde_json::json!([]));
    let mib = 1 << 20;
    for (limit, value) in [
        ("archive", 32 * mib),
        ("spool_memory", 64 * mib),
        ("total", 100 * mib),
        ("file", 50 * mib),
        ("entries", 4096),
        ("depth", 24),
        ("path", 512),
        ("component", 255),
        ("link_target", 1024),
        ("extension", 64 << 10),
        ("extension_total", 8 * mib),
        ("ratio", 200),
        ("ratio_floor", 8 * mib),
        ("skill_md", mib),
        ("time_seconds", 120),
    ] {
        assert_eq!(policy["limits"][limit], value, "{limit}");
    }
    assert_eq!(policy["limits"].as_object().unwrap().len(), 15, "every limit is asserted here");
}

#[test]
fn every_option_shows_in_the_report_and_leaves_other_clones_alone() {
    let base = Options::default();
    let mut limits = Limits::default();
    limits.entries = 77;
    limits.time = Duration::from_secs(7);
    let changed = base
        .clone()
        .layout(Layout::Any)
        .links(Links::Deny)
        .limits(limits.clone())
        .deny(Code::SkillBom)
        .deny(Code::SkillUnknownKey)
        .expect_name("x")
        .strip_root(true)
        .replace(true)
        .fsync(true);
    let policy = changed.blank_report().policy;
    assert_eq!((policy.layout, policy.links), ("any", "deny"));
    assert_eq!(policy.deny, ["skill-bom", "skill-unknown-key"]);
    assert_eq!(policy.limits, limits);
    assert_eq!(base.clone().deny_all().blank_report().policy.deny, ["all"]);
    assert_eq!(base.clone().deny_all().deny(Code::SkillBom).blank_report().policy.deny, ["all"]);
    assert_eq!(base.blank_report().policy, Options::default().blank_report().policy);
}

#[test]
fn a_denied_finding_refuses_and_other_codes_cannot_be_denied() {
    let text = "---\nname: Bad_Name\ndescription: d\nsurprise: 1\n---\n";
    let bytes = tar_gz(&[file("SKILL.md", text)]);
    let run = |options: &Options| verified(&bytes).check(options);
    let report = run(&Options::default());
    assert_eq!(code_of(&report), None);
    let found: Vec<_> = report.findings.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(found, ["skill-name-form", "skill-unknown-key"]);
    for (options, codes) in [
        (Options::default().deny(Code::SkillNameForm), vec!["skill-name-form"]),
        (Options::default().deny(Code::SkillUnknownKey), vec!["skill-unknown-key"]),
        (Options::default().deny_all(), vec!["skill-name-form", "skill-unknown-key"]),
        (Options::default().deny(Code::SkillBom), vec![]),
        (Options::default().deny(Code::PathTraversal).deny(Code::Io), vec![]),
    ] {
        let report = run(&options);
        let refused: Vec<_> = report.refusals.iter().map(|error| error.code().as_str()).collect();
        assert_eq!(refused, codes);
        assert_eq!(code_of(&report), codes.first().copied());
        assert_eq!(report.findings.len(), 2, "a denied finding is still a finding");
    }
    let directory = temp_dir();
    let failure = failure(verified(&bytes).extract(directory.path().join("x"), &Options::default().deny_all()));
    assert_eq!((failure.code(), failure.kind()), (Code::SkillNameForm, skillx_archive::Kind::Refused));
    assert!(crate::names(directory.path()).is_empty());
}

#[test]
fn links_can_be_denied() {
    let deny = Options::default().links(Links::Deny);
    for link in [symlink("l", "SKILL.md"), hardlink("h", "SKILL.md")] {
        assert_eq!(code_of(&check(vec![link.clone()], &Options::default())), None);
        assert_eq!(code_of(&check(vec![link], &deny)), Some("links-denied"));
    }
    assert_eq!(code_of(&check(vec![file("x", "")], &deny)), None);
}

#[test]
fn the_layout_any_asks_for_no_skill_md() {
    let any = Options::default().layout(Layout::Any);
    let bytes = tar_gz(&[file("x", "y")]);
    assert_eq!(code_of(&verified(&bytes).check(&Options::default())), Some("skill-md-missing"));
    let report = verified(&bytes).check(&any);
    assert_eq!((code_of(&report), report.skill), (None, None));
    let directory = temp_dir();
    let skill = verified(&bytes).extract(directory.path().join("x"), &any).unwrap();
    assert!(skill.skill_md().is_none());
    assert_eq!((skill.name().as_raw(), skill.description().as_raw()), ("", ""));
    assert_eq!(code_of(&verified(&tar_gz(&[])).check(&any)), Some("empty-archive"));
    // A broken SKILL.md is nobody's business there, and `.git` is everybody's.
    assert_eq!(code_of(&verified(&tar_gz(&[file("SKILL.md", "no frontmatter")])).check(&any)), None);
    assert_eq!(code_of(&verified(&tar_gz(&[file(".git/config", "")])).check(&any)), Some("path-forbidden"));
}

#[test]
fn a_wrapper_is_stripped_only_when_asked_for() {
    let strip = Options::default().strip_root(true);
    let wrapped = tar_gz(&[file("w/SKILL.md", SKILL_MD), file("w/a", "A")]);
    let refused = failure(verified(&wrapped).skill(&Options::default()));
    assert_eq!(refused.code(), "wrapper-directory");
    assert!(refused.to_string().contains("`w`") && refused.help().contains("--strip-root"), "{refused}");
    let directory = temp_dir();
    verified(&wrapped).extract(directory.path().join("x"), &strip).unwrap();
    assert_eq!(crate::names(&directory.path().join("x")), ["SKILL.md", "a"]);
    let flat = tar_gz(&[skill_md(), file("w/a", "A")]);
    let reports = [strip.clone(), Options::default()].map(|options| json(&verified(&flat).check(&options)));
    assert_eq!(reports[0], reports[1], "a flat archive passes unchanged");
    let outside = tar_gz(&[file("w/SKILL.md", SKILL_MD), file("other", "")]);
    let refused = failure(verified(&outside).skill(&strip));
    assert_eq!(refused.code(), "wrapper-directory");
    assert!(refused.to_string().contains("`other`"), "{refused}");
}

#[test]
fn a_flat_archive_that_begins_like_a_wrapped_one_passes_unchanged() {
    // Below a wrapper `a` the link would lead out. Only the last member shows that there is no wrapper.
    let flat = tar_gz(&[symlink("a/link", "../SKILL.md"), file("a/x", "X"), skill_md()]);
    let artifact = verified(&flat);
    let strip = Options::default().strip_root(true);
    assert_eq!(code_of(&artifact.check(&Options::default())), None);
    assert_eq!(code_of(&artifact.check(&strip)), None);
    assert_eq!(artifact.read("a/x", &strip).map_err(|failure| failure.code()).unwrap(), b"X");
    assert_eq!(artifact.skill(&strip).map_err(|failure| failure.code()).unwrap().name().as_raw(), "demo");
    let directory = temp_dir();
    let outcome = artifact.extract(directory.path().join("x"), &strip);
    assert_eq!(outcome.err().map(|failure| failure.code()), None);
}

#[test]
fn of_an_archive_with_a_false_wrapper_check_and_extraction_name_the_same_refusal() {
    for (members, code) in [
        (vec![symlink("a/link", "../nowhere"), file("b", "")], "link-target-missing"),
        (vec![file("a/con/x", ""), file("a/x", ""), file("b", "")], "path-reserved-name"),
        (vec![symlink("a/l", "../../x"), skill_md()], "link-escape"),
        (vec![symlink("a/l", "../x"), file("a/SKILL.md", SKILL_MD), file("a/SKILL.md", "")], "link-escape"),
    ] {
        let artifact = verified(&tar_gz(&members));
        let strip = Options::default().strip_root(true);
        let report = artifact.check(&strip);
        assert_eq!(code_of(&report), Some(code));
        let directory = temp_dir();
        let failure = failure(artifact.extract(directory.path().join("x"), &strip));
        assert_eq!(failure.to_string(), report.error.unwrap().to_string());
    }
}

#[test]
fn sizes_are_parsed_as_the_program_parses_them() {
    assert_eq!(parse_size("32M"), Ok(Limits::default().archive));
    assert_eq!(parse_size("10MiB"), Ok(10 << 20));
    assert_eq!(parse_size("10MB"), Ok(10_000_000));
    for text in ["0", "", "-1", "1.5M", "ten", "1 M", "16E", "0x10", "\u{0661}"] {
        assert!(parse_size(text).is_err(), "{text}");
    }
}
