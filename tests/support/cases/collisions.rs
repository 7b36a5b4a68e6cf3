//! C rows: two members for one place, whether the names are equal, or equal once a file system folds them.

use super::{Case, Expect::*, Sheet};
use crate::support::carrier::{dir, file, symlink};
use crate::support::tar::{Header, Tar};

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    duplicates(&mut s);
    directories(&mut s);
    folded(&mut s);
    distinct(&mut s);
    file_against_directory(&mut s);
    s.done()
}

fn duplicates(s: &mut Sheet) {
    let refused = Refused("duplicate-path");
    s.both("C01-different", "a file twice", vec![file("a", "1"), file("a", "2")], refused).at(3);
    s.both("C01-same", "a file twice with the same bytes", vec![file("a", "1"), file("a", "1")], refused).at(3);
    s.both("C01-skill-md", "SKILL.md twice", vec![file("SKILL.md", crate::support::SKILL_MD)], refused).at(2);
    s.both(
        "C01-skill-md-other",
        "a second SKILL.md with other content",
        vec![file("SKILL.md", "---\nname: evil\ndescription: x\n---\n")],
        refused,
    )
    .at(2);
    s.both(
        "C01-far",
        "a file twice with others between",
        vec![file("d/a", "1"), file("b", "2"), file("c", "3"), file("d/a", "4")],
        refused,
    )
    .at(5);
    for (id, first, second) in [
        ("C02-dot", "a", "./a"),
        ("C02-dot-first", "./a", "a"),
        ("C02-double-slash", "a//b", "a/b"),
        ("C02-inner-dot", "a/b", "a/./b"),
        ("C02-many", "a/.//b", "./a/b"),
    ] {
        s.both(id, "the same path, spelled differently", vec![file(first, "1"), file(second, "2")], refused).at(3);
    }
    s.both("C02-skill-md", "SKILL.md behind `./`", vec![file("./SKILL.md", "1")], refused).at(2);
    s.tar(
        "C01-pax",
        "the same path, once from pax",
        Tar::skill().file("a", "1").pax(&[("path", b"a")]).file("b", "2"),
        refused,
    )
    .at(3);
    s.tar(
        "C01-prefix",
        "the same path, split between prefix and name",
        Tar::skill().file("a/b", "1").member(Header::ustar(b'0', "b").prefix("a"), "2"),
        refused,
    )
    .at(3);
    s.tar(
        "C01-gnu",
        "the same path, once under GNU magic",
        Tar::skill().file("a", "1").member(Header::gnu(b'0', "a"), "2"),
        refused,
    )
    .at(3);
}

fn directories(s: &mut Sheet) {
    s.both("C03-twice", "the same directory twice", vec![dir("a/"), dir("a/"), file("a/x", "1")], Accepted);
    s.both("C03-after", "a directory after what is in it", vec![file("a/x", "1"), dir("a/")], Accepted);
    s.both(
        "C03-spellings",
        "a directory in several spellings",
        vec![dir("a/"), dir("./a/"), dir("a//"), dir("a/b/"), dir("a/./b")],
        Accepted,
    );
    s.tar("C03-slash", "a directory with and without its slash", Tar::skill().dir("a").dir("a/"), Accepted)
        .tree([crate::support::tree::dir("a")]);
    s.both(
        "C09-modes",
        "a directory twice with different modes",
        vec![dir("a/").mode(0o700), dir("a/").mode(0o777), file("a/x", "1")],
        Accepted,
    );
}

fn folded(s: &mut Sheet) {
    let refused = Refused("path-collision");
    for (id, first, second) in [
        ("C04-case", "Readme", "README"),
        ("C04-parent", "Dir/x", "dir/y"),
        ("C04-both", "Dir/x", "dir/X"),
        ("C04-deep", "a/B/c/d", "a/b/e/f"),
        ("C04-accent", "\u{c9}t\u{e9}", "\u{e9}t\u{e9}"),
        ("C04-cyrillic", "\u{42f}", "\u{44f}"),
        ("C04-greek", "\u{3a3}", "\u{3c3}"),
        ("C04-final-sigma", "\u{3bf}\u{3c2}", "\u{3bf}\u{3c3}"),
        ("C04-deseret", "\u{10400}", "\u{10428}"),
        ("C04-cherokee", "\u{13a0}", "\u{ab70}"),
        ("C04-georgian", "\u{10d0}", "\u{1c90}"),
        ("C04-armenian", "\u{531}", "\u{561}"),
        ("C05-nfc-nfd", "caf\u{e9}", "cafe\u{301}"),
        ("C05-parent", "caf\u{e9}/x", "cafe\u{301}/y"),
        ("C05-case-too", "CAF\u{c9}", "cafe\u{301}"),
        ("C05-hangul", "\u{d55c}", "\u{1112}\u{1161}\u{11ab}"),
        ("C05-mark-order", "a\u{323}\u{307}", "a\u{307}\u{323}"),
        ("C05-angstrom", "\u{212b}", "\u{c5}"),
        ("C05-ohm", "\u{2126}", "\u{3a9}"),
        ("C05-cjk-compat", "\u{f900}", "\u{8c48}"),
        ("C06-sharp-s", "stra\u{df}e", "strasse"),
        ("C06-capital-sharp-s", "\u{1e9e}", "ss"),
        ("C06-fi", "\u{fb01}x", "fix"),
        ("C06-ff", "a\u{fb00}", "aff"),
        ("C06-kelvin", "\u{212a}", "k"),
        ("C06-long-s", "\u{17f}o", "so"),
        ("C06-n-apostrophe", "\u{149}", "\u{2bc}n"),
        ("C06-dotted-i", "\u{130}", "i\u{307}"),
        ("C06-iota-subscript", "\u{1fb3}", "\u{3b1}\u{3b9}"),
        ("C06-ypogegrammeni", "\u{3b1}\u{345}", "\u{3b1}\u{3b9}"),
        ("C06-micro", "\u{b5}", "\u{3bc}"),
        ("C06-armenian-ligature", "\u{587}", "\u{565}\u{582}"),
    ] {
        s.both(
            id,
            "names that a folding file system takes for one",
            vec![file(first, "1"), file(second, "2")],
            refused,
        )
        .at(3);
    }
    s.both("C04-dirs", "two directories equal but for case", vec![dir("Dir/"), dir("dir/")], refused).at(3);
    s.both("C04-dir-implied", "a directory and an implied one", vec![dir("Dir/"), file("dir/x", "1")], refused).at(3);
    s.both(
        "C08-file-parent",
        "a file and an implied directory equal but for case",
        vec![file("A", "1"), file("a/b", "2")],
        refused,
    )
    .at(3);
    s.both("C08-parent-file", "the same, the other way round", vec![file("a/b", "1"), file("A", "2")], refused).at(3);
    s.both("C04-link", "a file and a link equal but for case", vec![file("a", "1"), symlink("A", "SKILL.md")], refused)
        .at(3);
    s.both("C05-dirs", "two directories equal but for form", vec![dir("caf\u{e9}/"), dir("cafe\u{301}/")], refused)
        .at(3);
    let three = vec![file("a/x", "1"), file("b/x", "2"), file("B/y", "3")];
    s.both("C04-third", "the third parent collides with the second", three, refused).at(4);
}

fn distinct(s: &mut Sheet) {
    for (id, first, second) in [
        ("C06-dotless-i", "\u{131}", "i"),
        ("C06-dotted-capital-i", "\u{130}", "i"),
        ("C06-dotless-capital", "\u{131}", "I"),
        ("C06-full-width", "\u{ff41}", "a"),
        ("C06-circled", "\u{2460}", "1"),
        ("C06-superscript", "\u{b2}", "2"),
        ("C06-cyrillic-a", "\u{430}", "a"),
        ("C06-accent", "e", "\u{e9}"),
        ("C06-o-slash", "\u{f8}", "o"),
        ("C04-suffix", "a", "a.md"),
        ("C04-same-leaf", "a/x", "b/x"),
        ("C05-nfd-alone", "cafe\u{301}", "cafe"),
    ] {
        s.both(
            format!("{id}-distinct"),
            "names that stay two everywhere",
            vec![file(first, "1"), file(second, "2")],
            Accepted,
        );
    }
    let same_parent = vec![dir("Dir/"), file("Dir/a", "1"), file("Dir/b/c", "2"), file("Dir/b/d", "3")];
    s.both("C04-same-case", "one parent, always in the same case", same_parent, Accepted);
    s.both(
        "C05-nfd",
        "decomposed names alone",
        vec![file("cafe\u{301}/e\u{301}", "1"), file("cafe\u{301}/a\u{30a}", "2")],
        Accepted,
    );
}

fn file_against_directory(s: &mut Sheet) {
    let refused = Refused("file-dir-conflict");
    s.both("C07-file-child", "a file, then something below it", vec![file("a", "1"), file("a/b", "2")], refused).at(3);
    s.both("C07-child-file", "something below it, then a file", vec![file("a/b", "1"), file("a", "2")], refused).at(3);
    s.both("C07-file-dir", "a file, then a directory", vec![file("a", "1"), dir("a/")], refused).at(3);
    s.both("C07-dir-file", "a directory, then a file", vec![dir("a/"), file("a", "1")], refused).at(3);
    s.both("C07-deep", "a file, then something far below it", vec![file("a/b", "1"), file("a/b/c/d/e", "2")], refused)
        .at(3);
    s.both("C07-file-dir-below", "a file, then a directory below it", vec![file("a", "1"), dir("a/b/")], refused).at(3);
    s.both(
        "C07-file-link-below",
        "a file, then a link below it",
        vec![file("a", "1"), symlink("a/l", "../SKILL.md")],
        refused,
    )
    .at(3);
    s.both("C07-skill-md-parent", "something below SKILL.md", vec![file("SKILL.md/x", "1")], refused).at(2);
}
