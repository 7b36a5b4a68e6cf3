//! R rows with small limits given as flags: each limit met exactly passes, one more does not.

use super::{Case, Expect, Expect::*, Sheet};
use crate::support::SKILL_MD;
use crate::support::carrier::{Carrier, Member, dir, file, symlink, with_skill};
use crate::support::tar::{Header, Tar};

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    archive(&mut s);
    total(&mut s);
    one_file(&mut s);
    entries(&mut s);
    extension_headers(&mut s);
    zero(&mut s);
    s.done()
}

/// The limit exactly met, and one less than needed.
fn pair(
    s: &mut Sheet,
    id: &str,
    what: &'static str,
    members: Vec<Member>,
    flag: &str,
    need: usize,
    code: &'static str,
) {
    s.both(format!("{id}-exact"), what, members.clone(), Accepted).args(&[flag, &need.to_string()]);
    s.both(format!("{id}-less"), what, members, Refused(code)).args(&[flag, &(need - 1).to_string()]);
}

fn archive(s: &mut Sheet) {
    let members = with_skill(vec![file("a", "some content")]);
    for format in Carrier::ALL {
        let bytes = format.write(&members);
        let suffix = format.suffix();
        for (id, limit, expect) in [
            ("exact", bytes.len(), Accepted),
            ("more", bytes.len() + 1, Accepted),
            ("less", bytes.len() - 1, Refused("limit-archive")),
            ("one", 1, Refused("limit-archive")),
        ] {
            s.raw(format!("R-archive-{id}.{suffix}"), "the size of the archive", format, bytes.clone(), expect)
                .args(&["--max-archive", &limit.to_string()]);
        }
    }
}

fn total(s: &mut Sheet) {
    let skill = SKILL_MD.len();
    let code = "limit-total";
    pair(
        s,
        "R02-total",
        "two files",
        vec![file("a", [b'x'; 1000]), file("b", [b'y'; 500])],
        "--max-total",
        skill + 1500,
        code,
    );
    pair(
        s,
        "R02-total-empty",
        "empty files cost nothing",
        vec![file("a", ""), file("b", "1"), dir("d/")],
        "--max-total",
        skill + 1,
        code,
    );
    pair(
        s,
        "R02-total-link",
        "links cost nothing",
        vec![symlink("l", "SKILL.md"), file("b", "1")],
        "--max-total",
        skill + 1,
        code,
    );
    let tar = |copies: usize| {
        (0..copies).fold(Tar::skill().file("t", [b'x'; 1000]), |tar, n| tar.hardlink(format!("h{n}"), "t"))
    };
    for (id, limit, expect) in [("exact", skill + 4000, Accepted), ("less", skill + 3999, Refused(code))] {
        s.tar(format!("L09-total-{id}"), "hard links are charged as copies", tar(3), expect)
            .args(&["--max-total", &limit.to_string()]);
    }
    let bomb = (0..2000).fold(Tar::skill().file("t", vec![b'x'; 100_000]), |tar, n| tar.hardlink(format!("h{n}"), "t"));
    s.tar("L09-bomb", "2000 copies of 100 kB", bomb, Refused(code));
    let two = vec![file("a", vec![b'x'; 501]), file("b", vec![b'y'; 501])];
    s.both("R02-two-halves", "two files of half the limit and one byte", two, Refused(code))
        .args(&["--max-total", "1000"])
        .at(3);
    s.both("R02-units", "a limit with a unit", vec![file("a", vec![b'x'; 1000])], Accepted)
        .args(&["--max-total", "2KiB"]);
}

fn one_file(s: &mut Sheet) {
    let code = "limit-file";
    pair(s, "R02-file", "one file", vec![file("a", [b'x'; 1000]), file("b", "1")], "--max-file", 1000, code);
    pair(s, "R02-file-skill", "SKILL.md is a file too", vec![file("a", "1")], "--max-file", SKILL_MD.len(), code);
    pair(
        s,
        "R02-file-deep",
        "one file in a directory",
        vec![file("a/b/c", [b'x'; 70_000])],
        "--max-file",
        70_000,
        code,
    );
}

fn entries(s: &mut Sheet) {
    let code = "limit-entries";
    pair(s, "R03-files", "files", vec![file("a", "1"), file("b", "2"), file("c", "")], "--max-entries", 4, code);
    pair(s, "R03-dirs", "directories", vec![dir("a/"), dir("b/"), dir("c/")], "--max-entries", 4, code);
    pair(s, "R03-links", "links", vec![symlink("a", "SKILL.md"), symlink("b", "SKILL.md")], "--max-entries", 3, code);
    pair(s, "R06-implied", "implied directories", vec![file("a/b/c", "1")], "--max-entries", 4, code);
    pair(
        s,
        "R06-shared",
        "implied directories, shared",
        vec![file("a/b/c", "1"), file("a/b/d", "2")],
        "--max-entries",
        5,
        code,
    );
    let deep: Vec<Member> = (0..10).map(|n| file(format!("d{n}/a/b/c/d/e/f"), "1")).collect();
    pair(s, "R06-many", "ten files, each in directories of its own", deep, "--max-entries", 71, code);
    let hard = (0..3).fold(Tar::skill(), |tar, n| tar.hardlink(format!("h{n}"), "SKILL.md"));
    for (id, limit, expect) in [("exact", "4", Accepted), ("less", "3", Refused(code))] {
        s.tar(format!("R03-hardlinks-{id}"), "hard links", hard.clone(), expect).args(&["--max-entries", limit]);
    }
}

/// Twice as many extension headers as entries may be.
fn extension_headers(s: &mut Sheet) {
    let globals = |count: usize| {
        (0..count).fold(Tar::empty(), |tar, _| tar.global(&[("comment", b"c")])).file("SKILL.md", SKILL_MD)
    };
    let cases: [(&str, usize, Expect); 2] = [("exact", 8, Accepted), ("more", 9, Refused("limit-entries"))];
    for (id, count, expect) in cases {
        s.tar(format!("R04-globals-{id}"), "global headers", globals(count), expect).args(&["--max-entries", "4"]);
    }
    let pax =
        |count: usize| (0..count).fold(Tar::skill(), |tar, n| tar.pax(&[("mtime", b"1")]).file(format!("f{n}"), "1"));
    s.tar("R04-pax-each", "an extension header for each member, as Python writes them", pax(7), Accepted)
        .args(&["--max-entries", "8"]);
    let both = |n: usize| {
        let name = format!("s{n}");
        Tar::empty().long_link("SKILL.md").long_name(&name).header(Header::gnu(b'2', name).link("SKILL.md")).unended()
    };
    let gnu = |count: usize| (0..count).fold(Tar::skill(), |tar, n| tar.raw(both(n)));
    s.tar("R04-gnu-both", "two extension headers for each member", gnu(7), Accepted).args(&["--max-entries", "8"]);
    s.stream(
        "R04-globals-endless",
        "more extension headers than a small limit allows, and no end",
        globals(100).unended(),
        Refused("limit-entries"),
    )
    .args(&["--max-entries", "10"]);
}

fn zero(s: &mut Sheet) {
    for flag in ["--max-archive", "--max-total", "--max-file", "--max-entries", "--max-depth", "--max-ratio"] {
        for (id, value) in [("zero", "0"), ("minus", "-1"), ("junk", "x"), ("empty", "")] {
            let name = flag.trim_start_matches("--max-");
            s.both(format!("R-usage-{name}-{id}"), "a limit that is none", vec![], Usage("usage"))
                .args(&[format!("{flag}={value}")]);
        }
    }
}
