//! Reading without writing: `check`, `skill` and `read`.

use skillx_archive::{Code, EntryKind, EntryPath, Layout, Options, SkillMd, Verdict};

use crate::support::carrier::{dir, exec, file, hardlink, skill_md, symlink, with_skill};
use crate::support::gzip::gzip;
use crate::support::tar::{Header, Tar};
use crate::{check, demo, failure, tar_gz, verified};

#[test]
fn check_describes_every_member_in_archive_order() {
    let report = verified(&demo()).check(&Options::default());
    assert_eq!(report.verdict, Verdict::Accepted);
    assert!(report.error.is_none() && report.refusals.is_empty());
    let found: Vec<_> = report.findings.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(found, ["portability-links", "portability-exec-bit"]);
    let skill = report.skill.as_ref().unwrap();
    assert_eq!((skill.name.as_str(), skill.description.as_str()), ("demo", "A demo skill."));
    assert_eq!(report.output, None, "nothing is written");
    let seen: Vec<_> = report
        .entries
        .iter()
        .map(|entry| {
            let EntryPath::Text(path) = &entry.path else { panic!("every name is text") };
            (path.as_str(), entry.kind, entry.bytes, entry.executable, entry.link_target.as_deref())
        })
        .collect();
    let guide = 40 * 8;
    assert_eq!(
        seen,
        [
            ("SKILL.md", EntryKind::File, crate::support::SKILL_MD.len() as u64, false, None),
            ("scripts", EntryKind::Directory, 0, false, None),
            ("scripts/run.sh", EntryKind::File, 21, true, None),
            ("references/guide.md", EntryKind::File, guide, false, None),
            ("assets/empty", EntryKind::File, 0, false, None),
            ("references/copy.md", EntryKind::File, guide, false, Some("references/guide.md")),
            ("latest.md", EntryKind::Symlink, 0, false, Some("references/guide.md")),
        ]
    );
    let totals = report.totals;
    assert_eq!((totals.files, totals.directories, totals.links), (5, 3, 1));
    assert_eq!(totals.bytes, crate::support::SKILL_MD.len() as u64 + 21 + 2 * guide);
}

#[test]
fn what_is_refused_stands_in_the_report_as_it_stands_in_the_archive() {
    let report = check(
        vec![
            file("./a//b/./c", "x"),
            file(b"caf\xe9", ""),
            file(".DS_Store", "noise"),
            file("._x", "noise"),
            dir("./"),
            file("bad\u{7}", ""),
        ],
        &Options::default(),
    );
    let paths: Vec<_> = report.entries.iter().map(|entry| entry.path.clone()).collect();
    assert_eq!(paths[1], EntryPath::Text("a/b/c".to_owned()), "normalised");
    assert_eq!(paths[2], EntryPath::Bytes(b"caf\xe9".to_vec()));
    assert_eq!(report.entries[2].refused, Some(Code::PathNotUtf8));
    assert!(report.entries[3].omitted && report.entries[4].omitted);
    assert_eq!((report.entries[3].bytes, report.entries[3].refused), (5, None));
    assert_eq!(paths[6], EntryPath::Text("bad\u{7}".to_owned()), "raw in the library");
    assert_eq!(report.entries[6].refused, Some(Code::PathControlChar));
    let json = crate::json(&report);
    assert_eq!(json["entries"][2]["path_hex"], "636166e9");
    assert!(json["entries"][2].get("path").is_none());
    assert_eq!(json["entries"][3]["omitted"], true);
    assert!(json["entries"][1].get("omitted").is_none());
}

#[test]
fn skill_gives_the_whole_of_skill_md_and_its_body() {
    let text =
        "---\r\nname: pdf\r\ndescription: |\r\n  Two\r\n  lines\r\nlicense: MIT\r\n---\r\n# Body\r\n---\r\nmore\r\n";
    let artifact = verified(&gzip(Tar::empty().file("SKILL.md", text).file("x", "y").end()));
    let skill = artifact.skill(&Options::default()).unwrap();
    assert_eq!(skill.name().as_raw(), "pdf");
    assert_eq!(skill.description().as_raw(), "Two\nlines\n");
    assert_eq!(skill.text(), text);
    assert_eq!(skill.body(), "# Body\r\n---\r\nmore\r\n");
    assert!(skill.has_valid_name());
    assert_eq!(SkillMd::parse(text.as_bytes()).unwrap(), skill);
    assert_eq!(artifact.read("SKILL.md", &Options::default()).unwrap(), text.as_bytes());
}

#[test]
fn skill_refuses_what_extraction_would_refuse() {
    // The fault comes long after SKILL.md.
    let bytes = tar_gz(&with_skill(vec![file("a", ""), symlink("l", "/etc/passwd")]));
    assert_eq!(failure(verified(&bytes).skill(&Options::default())).code(), "link-absolute");
    let cut = demo();
    let cut = &cut[..cut.len() - 1];
    assert_eq!(failure(verified(cut).skill(&Options::default())).code(), "gzip-truncated");
    assert_eq!(failure(verified(cut).read("SKILL.md", &Options::default())).code(), "gzip-truncated");
    let any = Options::default().layout(Layout::Any);
    assert_eq!(failure(verified(&demo()).skill(&any)).code(), "usage");
}

#[test]
fn read_gives_the_content_of_files_and_of_hard_links() {
    let artifact = verified(&tar_gz(&[
        file("first", "not the one"),
        skill_md(),
        exec("a/b/run", vec![0xa5; 200_000]),
        hardlink("a/copy", "a/b/run"),
        hardlink("copy-of-copy", "a/copy"),
        hardlink("copy-of-copy-of-copy", "copy-of-copy"),
        file("empty", ""),
        hardlink("empty-copy", "empty"),
    ]));
    let read = |path: &str| artifact.read(path, &Options::default()).unwrap();
    assert_eq!(read("first"), b"not the one");
    for path in ["a/b/run", "a/copy", "copy-of-copy", "copy-of-copy-of-copy"] {
        assert_eq!(read(path), vec![0xa5; 200_000], "{path}");
    }
    assert!(read("empty").is_empty());
    assert!(read("empty-copy").is_empty());
}

#[test]
fn read_of_what_is_no_file_of_the_archive_is_a_wrong_call() {
    let artifact = verified(&tar_gz(&[
        skill_md(),
        dir("d"),
        file("d/x", "x"),
        file("implied/y", "y"),
        symlink("l", "d/x"),
        file(".DS_Store", "noise"),
    ]));
    for path in ["missing", "d", "d/", "implied", "l", "", "/", "..", "d/x/", "D/X", "\u{1b}[31m", ".DS_Store"] {
        let failure = failure(artifact.read(path, &Options::default()));
        assert_eq!(failure.code(), "usage", "{path:?}");
        assert!(failure.to_string().is_ascii() && !failure.to_string().contains('\u{1b}'), "{failure}");
    }
    assert_eq!(artifact.read("d/x", &Options::default()).unwrap(), b"x");
}

#[test]
fn read_refuses_what_extraction_would_refuse() {
    let bytes = tar_gz(&with_skill(vec![file("good", "fine"), file("../bad", "")]));
    assert_eq!(failure(verified(&bytes).read("good", &Options::default())).code(), "path-traversal");
    let missing = tar_gz(&[file("good", "fine")]);
    assert_eq!(failure(verified(&missing).read("good", &Options::default())).code(), "skill-md-missing");
    let any = Options::default().layout(Layout::Any);
    assert_eq!(verified(&missing).read("good", &any).unwrap(), b"fine");
}

#[test]
fn read_with_a_stripped_wrapper_takes_the_path_without_it() {
    let bytes = tar_gz(&[file("w/SKILL.md", crate::support::SKILL_MD), file("w/a", "A")]);
    let options = Options::default().strip_root(true);
    assert_eq!(verified(&bytes).read("a", &options).unwrap(), b"A");
    assert_eq!(failure(verified(&bytes).read("w/a", &options)).code(), "usage");
    // The wrapper turns out to be none half way: what was kept of the first reading is forgotten.
    let flat = tar_gz(&[file("w/a", "A"), file("a", "B"), skill_md()]);
    assert_eq!(verified(&flat).read("a", &options).unwrap(), b"B");
    assert_eq!(verified(&flat).read("w/a", &options).unwrap(), b"A");
}

#[test]
fn a_member_of_every_metadata_form_is_read_under_its_real_name() {
    let long = format!("{}/{}.txt", "d".repeat(120), "f".repeat(120));
    let tar = Tar::skill().pax(&[("path", long.as_bytes())]).member(Header::ustar(b'0', "cut"), "pax");
    assert_eq!(verified(&gzip(tar.end())).read(&long, &Options::default()).unwrap(), b"pax");
    let tar = Tar::skill().file_gnu_long(&long, "gnu");
    assert_eq!(verified(&gzip(tar.end())).read(&long, &Options::default()).unwrap(), b"gnu");
    let tar = Tar::skill().member(Header::ustar(b'0', "f.txt").prefix("some/prefix"), "ustar");
    assert_eq!(verified(&gzip(tar.end())).read("some/prefix/f.txt", &Options::default()).unwrap(), b"ustar");
}
