//! S10 rows: what macOS leaves in archives is checked like anything else, then left out, and never decides the root.

use super::{Case, Expect::*, Sheet};
use crate::support::carrier::{dir, file, hardlink, skill_md, symlink};
use crate::support::tar::{Header, Tar};
use crate::support::tree;

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    left_out(&mut s);
    kept(&mut s);
    refused(&mut s);
    root(&mut s);
    s.done()
}

fn left_out(s: &mut Sheet) {
    s.both(
        "S10-all",
        "AppleDouble, .DS_Store and __MACOSX",
        vec![
            file(".DS_Store", "1"),
            file("._SKILL.md", "2"),
            dir("__MACOSX/"),
            file("__MACOSX/._SKILL.md", "3"),
            file("a/x", "4"),
            file("a/.DS_Store", "5"),
            file("a/._x", "6"),
            file("__MACOSX/a/._x", "7"),
            file("__MACOSX/anything/at all", "8"),
            dir("__MACOSX/empty/"),
        ],
        Accepted,
    );
    s.both("S10-before", "noise before SKILL.md", vec![file("._a", "1")], Accepted);
    s.both_bare("S10-first", "noise as the first member", vec![file("./._.", "1"), dir("./"), skill_md()], Accepted);
    s.both(
        "S10-dot",
        "`._.`, which macOS tar writes for the root",
        vec![file("._.", "1"), file("a/._.", "2"), file("a/b", "3")],
        Accepted,
    );
    s.both("S10-dots", "AppleDouble of names with trailing dots", vec![file("._..", "1"), file("._x.", "2")], Accepted);
    s.both("S10-only-dir", "a directory that holds only noise", vec![dir("a/"), file("a/.DS_Store", "1")], Accepted);
    s.both("S10-macosx-skill", "a SKILL.md below __MACOSX", vec![file("__MACOSX/SKILL.md", "1")], Accepted);
    s.tar(
        "S10-old-type",
        "AppleDouble with the old file type",
        Tar::skill().member(Header::ustar(0, "._x"), "1"),
        Accepted,
    )
    .tree([]);
    s.tar("S10-pax", "AppleDouble named by pax", Tar::skill().pax(&[("path", b"a/._x")]).file("a/y", "1"), Accepted)
        .tree([]);
}

fn kept(s: &mut Sheet) {
    s.both(
        "S10-near",
        "names that resemble noise",
        vec![
            dir("._d/"),
            file("._d/x", "1"),
            dir("e/.DS_Store/"),
            file("a/__MACOSX/x", "2"),
            file("DS_Store", "3"),
            file(".ds_store", "4"),
            file("_.x", "5"),
            file("x._y", "6"),
            file(".DS_Store2", "7"),
            file("__MACOSX2/x", "8"),
        ],
        Accepted,
    );
}

fn refused(s: &mut Sheet) {
    for (id, name, code) in [
        ("S10-traversal", "a/../._x", "path-traversal"),
        ("S10-macosx-traversal", "__MACOSX/../x", "path-traversal"),
        ("S10-absolute", "/._x", "absolute-path"),
        ("S10-control", "._a\x1b", "path-control-char"),
        ("S10-colon", "__MACOSX/a:b", "path-colon"),
        ("S10-backslash", "._a\\b", "path-backslash"),
        ("S10-invisible", "__MACOSX/a\u{200b}", "path-invisible"),
        ("S10-device", "__MACOSX/CON", "path-reserved-name"),
        ("S10-git", "__MACOSX/.git/config", "path-forbidden"),
        ("S10-short", "__MACOSX/GIT~1", "path-short-name"),
    ] {
        s.both(id, "noise obeys the path rules", vec![file(name, "1")], Refused(code)).at(2);
    }
    s.both("S10-latin1", "noise that is not UTF-8", vec![file(b"._caf\xe9", "1")], Refused("path-not-utf8")).at(2);
    let long = format!("._{}", "n".repeat(254));
    s.both("S10-long", "noise of 256 bytes", vec![file(long, "1")], Refused("component-too-long")).at(2);
    for (id, name, target) in [
        ("S10-link", "._l", "SKILL.md"),
        ("S10-link-ds", "a/.DS_Store", "../SKILL.md"),
        ("S10-link-macosx", "__MACOSX/l", "../SKILL.md"),
    ] {
        s.both(id, "noise as a link", vec![symlink(name, target)], Refused("link-target-invalid")).at(2);
    }
    s.both("S10-hardlink", "noise as a hard link", vec![hardlink("._h", "SKILL.md")], Refused("link-target-invalid"))
        .at(2);
    s.both(
        "S10-total",
        "noise is not written, and counts all the same",
        vec![file("._a", vec![b'x'; 2000])],
        Refused("limit-total"),
    )
    .args(&["--max-total", "1000"]);
    s.both("S10-file", "noise over the limit of one file", vec![file("._a", vec![b'x'; 2000])], Refused("limit-file"))
        .args(&["--max-file", "1000"]);
    s.both(
        "S10-entries",
        "noise counts as an entry",
        vec![file("._a", "1"), file("._b", "2")],
        Refused("limit-entries"),
    )
    .args(&["--max-entries", "2"]);
}

fn root(s: &mut Sheet) {
    for (id, noise) in [("ds-store", ".DS_Store"), ("appledouble", "._w")] {
        let skill = || file("w/SKILL.md", crate::support::SKILL_MD);
        let (outside, inside) = (file(noise, "1"), file(format!("w/{noise}"), "2"));
        let what = "noise beside the wrapper and the same in it";
        for (order, members) in [
            ("first", vec![outside.clone(), inside.clone(), skill()]),
            ("between", vec![inside.clone(), outside.clone(), skill()]),
            ("last", vec![skill(), inside, outside.clone()]),
        ] {
            s.both_bare(format!("S10-strip-{id}-{order}"), what, members, Accepted)
                .args(&["--strip-root"])
                .tree_bare(tree::Tree::from([tree::file("SKILL.md", crate::support::SKILL_MD)]));
        }
        let twice = vec![outside.clone(), skill(), outside.clone()];
        s.both_bare(
            &format!("S10-strip-{id}-twice"),
            "the same noise twice beside it",
            twice,
            Refused("duplicate-path"),
        )
        .args(&["--strip-root"]);
        let flat = vec![outside.clone(), file("SKILL.md", crate::support::SKILL_MD), outside];
        let what = "noise twice, and no wrapper";
        s.both_bare(format!("S10-strip-{id}-flat"), what, flat, Refused("duplicate-path")).args(&["--strip-root"]);
    }
    let wrapper = Refused("wrapper-directory");
    let demo = || file("demo/SKILL.md", crate::support::SKILL_MD);
    s.both_bare(
        "S10-wrapper",
        "a wrapper directory, and Finder's __MACOSX beside it",
        vec![demo(), file("__MACOSX/demo/._SKILL.md", "1"), file("__MACOSX/._demo", "2")],
        wrapper,
    );
    s.both_bare(
        "S10-wrapper-double",
        "a wrapper directory with its AppleDouble",
        vec![file("._demo", "1"), demo()],
        wrapper,
    );
    s.both_bare("S10-wrapper-ds", "a wrapper directory and .DS_Store", vec![file(".DS_Store", "1"), demo()], wrapper);
    s.both_bare("S10-alone", "nothing but noise", vec![file(".DS_Store", "1")], Refused("skill-md-missing"));
    s.both_bare(
        "S10-double-alone",
        "only the AppleDouble of SKILL.md",
        vec![file("._SKILL.md", "1")],
        Refused("skill-md-missing"),
    );
    s.both_bare(
        "S10-strip-root",
        "noise before the wrapper does not fix it",
        vec![
            file("._demo", "1"),
            file("__MACOSX/._demo", "2"),
            dir("demo/"),
            file("demo/._SKILL.md", "3"),
            demo(),
            file("demo/a", "4"),
        ],
        Accepted,
    )
    .args(&["--strip-root"])
    .tree([tree::file("a", "4")]);
}
