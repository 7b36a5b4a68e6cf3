//! One test for each line of docs/oracles.md: the reader does differ from skillx, in that and in nothing else.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use skillx_archive::{Artifact, EntryPath, Layout, Options};

use super::readers::{composed, link_to_file, without_modes, without_noise};
use crate::support::gzip::gzip;
use crate::support::tar::{self, Header, Tar, record};
use crate::support::tree::{self, Node, Tree};
use crate::support::zip::{Entry, Zip, extra};
use crate::support::{self, temp_dir};
use crate::tools::{have, npm, try_shell};

const ZIPFILE: &str = "python3 -c \"import os, zipfile; zipfile.ZipFile(os.environ['IN']).extractall('.')\"";

/// What skillx installs.
fn ours(archive: &[u8]) -> Tree {
    let temp = temp_dir();
    let place = temp.path().join("ours");
    let artifact = Artifact::from_bytes(archive.to_vec()).trust_without_digest();
    artifact.extract(&place, &Options::default().layout(Layout::Any)).expect("skillx accepts it");
    tree::walk(&place)
}

/// What a script makes of `$IN`.
fn theirs(archive: &[u8], script: &str) -> Tree {
    theirs_with(archive, script, Path::new(""))
}

fn theirs_with(archive: &[u8], script: &str, node_modules: &Path) -> Tree {
    let temp = temp_dir();
    let (input, out) = (temp.path().join("archive"), temp.path().join("out"));
    fs::write(&input, archive).unwrap();
    fs::create_dir(&out).unwrap();
    try_shell(&out, script, &[("IN", &input), ("NODE_PATH", node_modules)]).unwrap_or_else(|why| panic!("{why}"));
    tree::walk(&out)
}

/// The trees differ, and once `normalise` has taken the difference out they do not.
fn differ_only(theirs: Tree, ours: Tree, normalise: impl FnOnce(&mut Tree, &mut Tree)) {
    let (mut theirs, mut ours) = (theirs, ours);
    assert_ne!(theirs, ours, "the line is not needed");
    normalise(&mut theirs, &mut ours);
    assert_eq!(tree::differences(&theirs, &ours), Vec::<String>::new());
}

fn rename(tree: &mut Tree, from: &str, to: &str) {
    let node = tree.remove(from).unwrap_or_else(|| panic!("no {from:?} in {tree:?}"));
    tree.insert(to.to_owned(), node);
}

#[test]
fn line_1_names_without_the_flag_are_decoded_as_code_page_437() {
    let archive = Zip::skill().entry(Entry::file("guía.md", "x").with(|entry| entry.flags = 0)).build();
    if have(&["python3"]) {
        differ_only(theirs(&archive, ZIPFILE), ours(&archive), |theirs, _| rename(theirs, "gu├¡a.md", "guía.md"));
    }
}

#[test]
fn line_2_names_of_dos_are_converted() {
    const DOS: u8 = 0;
    let archive = Zip::skill().entry(Entry::file("guía.md", "x").host(DOS)).build();
    if have(&["unzip"]) {
        differ_only(theirs(&archive, "unzip -q $IN"), ours(&archive), |theirs, _| {
            let other = theirs.keys().find(|name| name.starts_with("gu") && name.ends_with("a.md")).cloned();
            rename(theirs, &other.expect("it has some name"), "guía.md");
        });
    }
    for (tool, script) in [("python3", ZIPFILE), ("bsdtar", "bsdtar -xf $IN"), ("7z", "7z x -y $IN > /dev/null")] {
        if have(&[tool]) {
            assert_eq!(without_modes(theirs(&archive, script)), ours(&archive), "{tool}");
        }
    }
}

#[test]
fn line_3_links_become_files_that_hold_the_target() {
    let archive = Zip::skill().entry(Entry::symlink("l", "SKILL.md")).build();
    for (tool, script) in [("python3", ZIPFILE), ("jar", "jar -xf $IN")] {
        if have(&[tool]) {
            differ_only(theirs(&archive, script), ours(&archive), |_, ours| ours.values_mut().for_each(link_to_file));
        }
    }
}

#[test]
fn line_4_hard_links_are_second_names() {
    if have(&["tar", "gzip"]) {
        let archive = gzip(Tar::skill().hardlink("again", "SKILL.md").end());
        let temp = temp_dir();
        let place = temp.path().join("ours");
        let artifact = Artifact::from_bytes(archive.clone()).trust_without_digest();
        artifact.extract(&place, &Options::default()).expect("skillx accepts it");
        assert_eq!(fs::metadata(place.join("again")).unwrap().nlink(), 1);
        fs::write(temp.path().join("archive"), &archive).unwrap();
        try_shell(
            temp.path(),
            "mkdir o && cd o && tar -xzf $IN && test $(stat -c %h again) = 2",
            &[("IN", &temp.path().join("archive"))],
        )
        .unwrap();
        assert_eq!(theirs(&archive, "tar -xzf $IN"), ours(&archive));
    }
}

#[test]
fn line_5_permissions_are_restored_in_many_ways() {
    let archive = Zip::skill().entry(Entry::file("run", "x").unix_mode(0o100_755)).build();
    for (tool, script) in [("python3", ZIPFILE), ("jar", "jar -xf $IN")] {
        if have(&[tool]) {
            differ_only(theirs(&archive, script), ours(&archive), |_, ours| *ours = without_modes(ours.clone()));
        }
    }
    // The crate `zip` and UnZip believe the mode of hosts that have none; the others do not.
    const VMS: u8 = 2;
    let archive = Zip::skill().entry(Entry::file("run", "x").unix_mode(0o100_755).host(VMS)).build();
    if have(&["unzip"]) {
        differ_only(theirs(&archive, "unzip -q $IN"), ours(&archive), |theirs, _| {
            *theirs = without_modes(theirs.clone())
        });
    }
    let mut crates = zip::ZipArchive::new(std::io::Cursor::new(archive)).unwrap();
    assert_eq!(crates.by_index(1).unwrap().unix_mode(), Some(0o100_755));
}

#[test]
fn line_18_a_hard_link_sets_the_mode_again() {
    if have(&["python3"]) {
        let header = |kind, name| Header::ustar(kind, name);
        let tar = Tar::skill().member(header(b'0', "run").mode(0o755), "x");
        let archive = gzip(tar.header(header(b'1', "again").link("run").mode(0o644)).end());
        let script = "python3 -c \"import os, tarfile; tarfile.open(os.environ['IN']).extractall('.', filter='data')\"";
        differ_only(theirs(&archive, script), ours(&archive), |_, ours| *ours = without_modes(ours.clone()));
        if have(&["tar", "gzip"]) {
            assert_eq!(theirs(&archive, "tar -xzf $IN"), ours(&archive));
        }
    }
}

#[test]
fn line_6_metadata_of_macos_is_written() {
    if have(&["tar", "gzip"]) {
        let archive = gzip(Tar::skill().file("._SKILL.md", "x").file("d/.DS_Store", "x").dir("__MACOSX").end());
        let skill = ours(&archive);
        differ_only(theirs(&archive, "tar -xzf $IN"), skill.clone(), |theirs, _| {
            *theirs = without_noise(std::mem::take(theirs), &skill);
        });
    }
}

#[test]
fn line_7_listings_spell_names_as_they_stand() {
    if have(&["tar", "gzip"]) {
        let archive = gzip(Tar::skill().dir("./d/").file(".//d/./x", "1").end());
        let listing = theirs(&archive, "tar -tzf $IN > list");
        let Some(Node::File { bytes, .. }) = listing.get("list") else { panic!("{listing:?}") };
        let report = Artifact::from_bytes(archive).trust_without_digest().check(&Options::default());
        let text = |path: &EntryPath| match path {
            EntryPath::Text(text) => text.clone(),
            _ => panic!("a clean name is text"),
        };
        let ours: Vec<String> = report.entries.iter().map(|entry| text(&entry.path)).collect();
        let listed: Vec<String> = String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect();
        assert_ne!(listed, ours, "the line is not needed");
        let normal =
            |name: &String| name.split('/').filter(|part| !matches!(*part, "" | ".")).collect::<Vec<_>>().join("/");
        assert_eq!(listed.iter().map(normal).collect::<Vec<_>>(), ours);
    }
}

#[test]
fn line_8_names_are_composed() {
    if have(&["bsdtar"]) {
        let name = "cafe\u{301}.md";
        let archive = gzip(Tar::skill().pax(&[("path", name.as_bytes())]).member(Header::ustar(b'0', "x"), "1").end());
        differ_only(theirs(&archive, "bsdtar -xf $IN"), ours(&archive), |theirs, ours| {
            *theirs = composed(std::mem::take(theirs));
            *ours = composed(std::mem::take(ours));
        });
    }
}

#[test]
fn line_9_links_that_lead_up_are_not_created() {
    if have(&["7z"]) {
        let archive = Zip::skill().entry(Entry::symlink("d/l", "../SKILL.md")).build();
        differ_only(theirs(&archive, "7z x -y $IN > /dev/null || true"), ours(&archive), |theirs, ours| {
            assert!(!matches!(theirs.get("d/l"), Some(Node::Link(_))), "7-Zip creates it");
            (theirs.remove("d/l"), ours.remove("d/l"));
        });
    }
}

#[test]
fn line_10_links_become_files_in_a_stream() {
    if have(&["bsdtar"]) {
        let archive = Zip::skill().entry(Entry::symlink("l", "SKILL.md")).build();
        let stream = theirs(&archive, "cat $IN | bsdtar -xf -");
        differ_only(stream, ours(&archive), |_, ours| ours.values_mut().for_each(link_to_file));
        assert_eq!(theirs(&archive, "bsdtar -xf $IN"), ours(&archive));
    }
}

#[test]
fn line_11_members_with_far_times_are_dropped() {
    let Some(modules) = npm(&["tar@7", "tar-fs@3"]) else { return };
    let archive = gzip(Tar::skill().member(Header::ustar(b'0', "far").base256(tar::MTIME, 1 << 62), "1").end());
    let script = "node -e \"require('tar').x({ file: process.env.IN, sync: true })\"";
    differ_only(theirs_with(&archive, script, &modules.join("node_modules")), ours(&archive), |_, ours| {
        ours.remove("far");
    });
}

#[test]
fn line_12_a_version_is_cut_off() {
    if have(&["unzip"]) {
        let archive = Zip::skill().entry(Entry::file("a;1", "x")).build();
        differ_only(theirs(&archive, "unzip -q $IN"), ours(&archive), |theirs, _| rename(theirs, "a", "a;1"));
        assert_eq!(theirs(&archive, "unzip -V -q $IN"), ours(&archive));
    }
}

#[test]
fn line_13_attributes_of_an_amiga_make_a_directory() {
    if have(&["7z"]) {
        const AMIGA: u8 = 1;
        let archive = Zip::skill().entry(Entry::file("a", "").host(AMIGA).external(0x0800_0000)).build();
        differ_only(theirs(&archive, "7z x -y $IN > /dev/null"), ours(&archive), |theirs, ours| {
            assert_eq!(theirs.remove("a"), Some(Node::Dir));
            ours.remove("a");
        });
    }
}

#[test]
fn line_14_a_pax_header_ends_at_a_nul() {
    if have(&["7z"]) {
        let records = [record("SCHILY.xattr.user.x", "a\0b"), record("path", "real")].concat();
        let archive = gzip(Tar::skill().pax_raw(records).member(Header::ustar(b'0', "short"), "1").end());
        let script = "7z x -so -tgzip $IN 2> /dev/null | 7z x -y -si -ttar > /dev/null";
        differ_only(theirs(&archive, script), ours(&archive), |theirs, _| rename(theirs, "short", "real"));
    }
}

#[test]
fn line_15_a_global_header_is_handed_out() {
    let stream = Tar::empty().global(&[("comment", b"x")]).file("SKILL.md", support::SKILL_MD).end();
    let mut crates = ::tar::Archive::new(stream.as_slice());
    let kinds: Vec<_> = crates.entries().unwrap().map(|entry| entry.unwrap().header().entry_type()).collect();
    assert_eq!(kinds, [::tar::EntryType::XGlobalHeader, ::tar::EntryType::Regular]);
    assert_eq!(ours(&gzip(stream)).len(), 1);
}

#[test]
fn line_16_nuls_stay_in_a_long_name() {
    let stream = Tar::skill().long_name_raw("x\0\0\0").member(Header::gnu(b'0', "x"), "1").end();
    let mut crates = ::tar::Archive::new(stream.as_slice());
    let names: Vec<_> = crates.entries().unwrap().map(|entry| entry.unwrap().path_bytes().into_owned()).collect();
    assert_eq!(names, [b"SKILL.md".as_slice(), b"x\0\0"]);
    assert!(ours(&gzip(stream)).contains_key("x"));
}

#[test]
fn line_17_readers_give_up() {
    // The crate `tar` on a size of NULs.
    let stream = Tar::skill().member(Header::ustar(b'0', "x").set(tar::SIZE, ""), "").end();
    let mut crates = ::tar::Archive::new(stream.as_slice());
    let fault = crates.entries().unwrap().filter_map(Result::err).next().expect("the line is not needed");
    assert!(fault.to_string().starts_with("numeric field was not a number:  when getting size"), "{fault}");
    assert_eq!(ours(&gzip(stream)).len(), 2);
    // The crate `zip` on an extra field that is too short for what it would say if anybody asked.
    let comment = extra(0x6375, "");
    let archive = Zip::skill().entry(Entry::file("x", "1").with(|entry| entry.central.extra = Some(comment))).build();
    assert!(zip::ZipArchive::new(std::io::Cursor::new(archive.clone())).is_err(), "the line is not needed");
    assert_eq!(ours(&archive).len(), 2);
}
