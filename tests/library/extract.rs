//! Extraction through the library: by path, in a held directory, by the skill's own name; from clones in several threads.

use std::fs;
use std::path::Path;

use skillx_archive::cap_std::ambient_authority;
use skillx_archive::cap_std::fs::Dir;
use skillx_archive::{Artifact, Code, Kind, Layout, Options, Verdict, VerifiedArtifact, check_directory};

use crate::support::carrier::{expected_tree, file, skill_md};
use crate::support::tree::{self, differences, walk};
use crate::support::{SKILL_MD, temp_dir};
use crate::{demo, demo_members, failure, names, tar_gz, verified};

#[track_caller]
fn assert_demo(at: &Path) {
    assert_eq!(differences(&expected_tree(&demo_members()), &walk(at)), Vec::<String>::new(), "{}", at.display());
    assert_eq!(tree::bad_modes(at), Vec::<String>::new());
}

/// A skill with this name in its frontmatter.
fn named(name: &str) -> VerifiedArtifact {
    verified(&tar_gz(&[file("SKILL.md", format!("---\nname: {name}\ndescription: d\n---\n"))]))
}

#[test]
fn extraction_makes_the_tree_and_says_what_it_is() {
    let directory = temp_dir();
    let out = directory.path().join("out");
    let skill = verified(&demo()).extract(&out, &Options::default()).unwrap();
    assert_eq!((skill.name().as_raw(), skill.description().as_raw()), ("demo", "A demo skill."));
    assert_eq!(skill.path(), out);
    assert_eq!(skill.skill_md().unwrap().text().as_bytes(), SKILL_MD);
    let report = skill.report();
    assert_eq!(report.verdict, Verdict::Accepted);
    assert_eq!(report.output.as_deref(), out.to_str());
    assert_eq!(report.skill.as_ref().unwrap().name, "demo");
    assert_demo(&out);
    assert_eq!(names(directory.path()), ["out"]);
    let mut checked = crate::json(&verified(&demo()).check(&Options::default()));
    checked["output"] = crate::json(report)["output"].clone();
    assert_eq!(crate::json(&skill.into_report()), checked, "check reports what extraction reports");
}

#[test]
fn missing_parents_are_made_and_an_empty_directory_is_taken() {
    let directory = temp_dir();
    let deep = directory.path().join("a/b/c/out");
    verified(&demo()).extract(&deep, &Options::default()).unwrap();
    assert_demo(&deep);
    assert_eq!(names(&directory.path().join("a/b/c")), ["out"]);
    let empty = directory.path().join("empty");
    fs::create_dir(&empty).unwrap();
    verified(&demo()).extract(&empty, &Options::default()).unwrap();
    assert_demo(&empty);
}

#[test]
fn what_stands_at_the_destination_is_never_touched() {
    let directory = temp_dir();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("file"), "keep").unwrap();
    fs::create_dir(at("full")).unwrap();
    fs::write(at("full/x"), "keep").unwrap();
    let before = walk(directory.path());
    for (name, code) in [("file", "dest-exists"), ("full", "dest-exists"), ("full/", "dest-exists")] {
        let failure = failure(verified(&demo()).extract(at(name), &Options::default()));
        assert_eq!((failure.code().as_str(), failure.kind()), (code, Kind::Failed), "{name}");
    }
    // Nothing is parsed before: this is no archive at all.
    let no_archive = Artifact::from_bytes(&b"x"[..]).trust_without_digest();
    assert_eq!(failure(no_archive.extract(at("full"), &Options::default())).code(), "dest-exists");
    assert_eq!(failure(verified(&demo()).extract("", &Options::default())).code(), "usage");
    assert_eq!(walk(directory.path()), before);
}

#[cfg(unix)]
/// Cases: I02-link.
#[test]
fn a_link_at_the_destination_is_refused_and_links_in_its_parents_are_followed() {
    use std::os::unix::fs::symlink;

    let directory = temp_dir();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("real")).unwrap();
    symlink("real", at("to-empty")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    for name in ["to-empty", "to-empty/", "dangling"] {
        for options in [Options::default(), Options::default().replace(true)] {
            let failure = failure(verified(&demo()).extract(at(name), &options));
            assert_eq!((failure.code(), failure.kind()), (Code::DestIsSymlink, Kind::Failed), "{name}");
        }
    }
    assert!(names(&at("real")).is_empty());
    verified(&demo()).extract(at("to-empty/out"), &Options::default()).unwrap();
    assert_demo(&at("real/out"));
}

#[test]
fn a_refused_archive_leaves_nothing_not_even_an_empty_parent() {
    let directory = temp_dir();
    let bytes = tar_gz(&[skill_md(), file("a/b", "x"), file("a/../../y", "")]);
    let failure = failure(verified(&bytes).extract(directory.path().join("p/q/out"), &Options::default()));
    assert_eq!(failure.code(), "path-traversal");
    assert!(names(directory.path()).is_empty());
    let empty = directory.path().join("empty");
    fs::create_dir(&empty).unwrap();
    assert!(verified(&bytes).extract(&empty, &Options::default()).is_err());
    assert_eq!((names(directory.path()), names(&empty)), (vec!["empty".to_owned()], Vec::new()));
}

/// Cases: I03-handle.
#[test]
fn extract_in_writes_below_the_directory_that_is_held_and_nowhere_else() {
    let directory = temp_dir();
    let held = directory.path().join("held");
    fs::create_dir(&held).unwrap();
    let dir = Dir::open_ambient_dir(&held, ambient_authority()).unwrap();
    // Renamed and put in the place of: the handle is what counts.
    fs::rename(&held, directory.path().join("moved")).unwrap();
    fs::create_dir(&held).unwrap();
    let skill = verified(&demo()).extract_in(&dir, "out", &Options::default()).unwrap();
    assert_eq!(skill.path(), Path::new("out"));
    assert_eq!(skill.report().output.as_deref(), Some("out"));
    assert_demo(&directory.path().join("moved/out"));
    assert!(names(&held).is_empty());
    assert_eq!(names(&directory.path().join("moved")), ["out"]);
    assert_eq!(failure(verified(&demo()).extract_in(&dir, "out", &Options::default())).code(), "dest-exists");
}

#[test]
fn extract_in_takes_one_component_only() {
    let directory = temp_dir();
    fs::create_dir(directory.path().join("a")).unwrap();
    let dir = Dir::open_ambient_dir(directory.path(), ambient_authority()).unwrap();
    for name in ["", ".", "..", "a/b", "../a", "/", "/tmp/x", "a/../b", "./b"] {
        let outcome = verified(&demo()).extract_in(&dir, name, &Options::default());
        assert_eq!(outcome.err().map(|failure| failure.code()), Some(Code::Usage), "{name:?}");
    }
    assert_eq!(names(directory.path()), ["a"]);
    assert!(names(&directory.path().join("a")).is_empty());
}

#[test]
fn extract_by_name_uses_a_well_formed_name_and_no_other() {
    let directory = temp_dir();
    let parent = directory.path().join("skills");
    let skill = verified(&demo()).extract_by_name(&parent, &Options::default()).unwrap();
    assert_eq!(skill.path(), parent.join("demo"));
    assert_eq!(skill.report().output.as_deref(), parent.join("demo").to_str());
    assert_demo(&parent.join("demo"));
    assert_eq!(failure(verified(&demo()).extract_by_name(&parent, &Options::default())).code(), "dest-exists");
    for name in ["Demo", "-x", "x-", "a--b", "a_b", "a.b", "\"..\"", "\"../x\"", "a/b", "\"\u{202e}x\"", "'x '"] {
        let failure = failure(named(name).extract_by_name(&parent, &Options::default()));
        assert_eq!(failure.code(), "usage", "{name}");
        assert!(failure.help().contains("--output"), "{}", failure.help());
        // With a path of the caller's own the name is only a finding.
        let at = directory.path().join("by-path");
        let skill = named(name).extract(&at, &Options::default()).unwrap();
        assert_eq!(skill.report().findings[0].code, Code::SkillNameForm, "{name}");
        fs::remove_dir_all(at).unwrap();
    }
    assert_eq!(names(&parent), ["demo"]);
    let longest = "x".repeat(64);
    named(&longest).extract_by_name(&parent, &Options::default()).unwrap();
    assert_eq!(failure(named(&"x".repeat(65)).extract_by_name(&parent, &Options::default())).code(), "usage");
}

/// Cases: I10-device.
#[test]
fn a_windows_device_name_is_never_used_as_a_directory() {
    let directory = temp_dir();
    for name in ["con", "nul", "aux", "com1", "lpt9"] {
        let outcome = named(name).extract_by_name(directory.path(), &Options::default());
        assert_eq!(outcome.err().map(|failure| failure.code()), Some(Code::Usage), "{name}");
    }
    assert!(names(directory.path()).is_empty());
}

#[test]
fn a_promised_name_is_compared_and_picks_what_is_replaced() {
    let directory = temp_dir();
    let parent = directory.path();
    let other = Options::default().expect_name("other");
    let refused = failure(verified(&demo()).extract_by_name(parent, &other));
    assert_eq!((refused.code(), refused.kind()), (Code::SkillNameMismatch, Kind::Refused));
    assert!(refused.to_string().contains("`demo`") && refused.to_string().contains("`other`"), "{refused}");
    assert_eq!(failure(verified(&demo()).extract(parent.join("x"), &other)).code(), "skill-name-mismatch");
    assert!(names(parent).is_empty());
    let replace = Options::default().replace(true);
    assert_eq!(failure(verified(&demo()).extract_by_name(parent, &replace)).code(), "usage");
    let promised = replace.expect_name("demo");
    verified(&demo()).extract_by_name(parent, &promised).unwrap();
    fs::write(parent.join("demo/local"), "gone after the exchange").unwrap();
    verified(&demo()).extract_by_name(parent, &promised).unwrap();
    assert_demo(&parent.join("demo"));
    assert_eq!(names(parent), ["demo"]);
    let hostile = Options::default().replace(true).expect_name("../demo");
    assert_eq!(failure(verified(&demo()).extract_by_name(parent, &hostile)).code(), "usage");
    assert_demo(&parent.join("demo"));
}

#[test]
fn replace_exchanges_a_whole_skill_and_nothing_else() {
    let directory = temp_dir();
    let at = directory.path().join("skill");
    let replace = Options::default().replace(true).fsync(true);
    named("old").extract(&at, &replace).unwrap();
    fs::write(at.join("extra"), "not merged").unwrap();
    verified(&demo()).extract(&at, &replace).unwrap();
    assert_demo(&at);
    fs::create_dir(directory.path().join("no-skill")).unwrap();
    fs::write(directory.path().join("no-skill/x"), "keep").unwrap();
    fs::write(directory.path().join("file"), "keep").unwrap();
    let before = walk(directory.path());
    for name in ["no-skill", "file"] {
        let failure = failure(verified(&demo()).extract(directory.path().join(name), &replace));
        assert_eq!((failure.code(), failure.kind()), (Code::DestNotASkill, Kind::Failed), "{name}");
    }
    let refused = tar_gz(&[skill_md(), file("nul", "")]);
    assert_eq!(failure(verified(&refused).extract(&at, &replace)).code(), "path-reserved-name");
    assert_eq!(walk(directory.path()), before);
}

#[test]
fn an_artifact_is_extracted_from_four_threads_at_once() {
    let directory = temp_dir();
    for memory in [0, u64::MAX] {
        let mut limits = skillx_archive::Limits::default();
        limits.spool_memory = memory;
        let artifact = Artifact::from_reader(demo().as_slice(), &limits).unwrap();
        let artifact = artifact.verify(&crate::digest_of(&demo())).unwrap();
        std::thread::scope(|scope| {
            for number in 0..4 {
                let artifact = artifact.clone();
                let at = directory.path().join(format!("{memory}-{number}"));
                scope.spawn(move || {
                    artifact.extract(&at, &Options::default()).unwrap();
                    assert_demo(&at);
                });
            }
        });
    }
    assert_eq!(names(directory.path()).len(), 8);
}

#[test]
fn of_threads_that_race_for_one_destination_exactly_one_wins() {
    let directory = temp_dir();
    let at = directory.path().join("p/q/out");
    let artifact = verified(&demo());
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| artifact.extract(&at, &Options::default()))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let lost: Vec<_> = outcomes.into_iter().filter_map(Result::err).map(|failure| failure.code().as_str()).collect();
    assert_eq!(lost.len(), 3, "{lost:?}");
    assert!(lost.iter().all(|code| ["concurrent-install", "dest-exists"].contains(code)), "{lost:?}");
    assert_demo(&at);
    assert_eq!(names(at.parent().unwrap()), ["out"]);
}

#[test]
fn the_public_types_can_be_shared_between_threads() {
    fn shared<T: Clone + Send + Sync + 'static>() {}
    shared::<Artifact>();
    shared::<VerifiedArtifact>();
    shared::<Options>();
    shared::<skillx_archive::Limits>();
    shared::<skillx_archive::Cancel>();
    shared::<skillx_archive::Error>();
    shared::<skillx_archive::Failure>();
    shared::<skillx_archive::Report>();
    shared::<skillx_archive::Skill>();
    shared::<skillx_archive::SkillMd>();
    fn sent<T: Send>() {}
    sent::<skillx_archive::ArtifactWriter>();
}

#[test]
fn a_directory_is_judged_as_the_archive_of_itself() {
    let directory = temp_dir();
    let at = directory.path().join("demo");
    verified(&demo()).extract(&at, &Options::default()).unwrap();
    let report = check_directory(&at, &Options::default()).unwrap();
    assert_eq!(report.verdict, Verdict::Accepted);
    let packed = verified(&demo()).check(&Options::default());
    // The hard link has become a file: one link less, but the same is said.
    let codes =
        |report: &skillx_archive::Report| report.findings.iter().map(|finding| finding.code).collect::<Vec<_>>();
    assert_eq!(codes(&report), codes(&packed));
    assert_eq!((report.totals.files, report.totals.links), (packed.totals.files, packed.totals.links));
    assert_eq!((report.totals.directories, report.totals.bytes), (packed.totals.directories, packed.totals.bytes));
    assert_eq!(report.artifact.sha256, None);
    fs::write(at.join("a:b"), "").unwrap();
    fs::write(at.join("aux"), "").unwrap();
    let report = check_directory(&at, &Options::default()).unwrap();
    let codes: Vec<_> = report.refusals.iter().map(|error| error.code().as_str()).collect();
    assert_eq!(codes, ["path-colon", "path-reserved-name"]);
    fs::rename(&at, directory.path().join("other")).unwrap();
    let any = Options::default().layout(Layout::Any);
    assert_eq!(crate::code_of(&check_directory(directory.path().join("other"), &any).unwrap()), Some("path-colon"));
    assert_eq!(check_directory(directory.path().join("missing"), &any).unwrap_err().code(), "io");
}
