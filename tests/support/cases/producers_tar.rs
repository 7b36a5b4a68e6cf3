//! A rows: tar.gz files as real tools write them, field by field. All of them have to be accepted.

use super::{Case, Expect::*, Sheet};
use crate::support::SKILL_MD;
use crate::support::gzip::{Gzip, gzip, padded};
use crate::support::tar::{DEV_MAJOR, DEV_MINOR, Field, GID, GNAME, Header, MODE, MTIME, SIZE, Tar, UID, UNAME};
use crate::support::tree;

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    gnu_tar(&mut s);
    bsdtar(&mut s);
    node(&mut s);
    java(&mut s);
    python(&mut s);
    go_rust_git(&mut s);
    compressors(&mut s);
    s.done()
}

const SCRIPT: &[u8] = b"#!/bin/sh\necho hello\n";

/// What every sample below holds besides SKILL.md.
fn sample_tree() -> [(String, tree::Node); 3] {
    [tree::dir("scripts"), tree::exec("scripts/run.sh", SCRIPT), tree::file("notes.txt", "notes\n")]
}

/// The sample with headers as `style` makes them and names behind `prefix`; directories with a slash.
fn sample(prefix: &str, style: impl Fn(u8, &str, u64, usize) -> Header) -> Tar {
    let mut tar = Tar::empty();
    if !prefix.is_empty() {
        tar = tar.header(style(b'5', prefix, 0o755, 0));
    }
    let name = |rest: &str| format!("{prefix}{rest}");
    tar.header(style(b'0', &name("SKILL.md"), 0o644, SKILL_MD.len()))
        .data(SKILL_MD)
        .header(style(b'5', &name("scripts/"), 0o755, 0))
        .header(style(b'0', &name("scripts/run.sh"), 0o755, SCRIPT.len()))
        .data(SCRIPT)
        .header(style(b'0', &name("notes.txt"), 0o644, 6))
        .data("notes\n")
}

fn gnu_style(kind: u8, name: &str, mode: u64, size: usize) -> Header {
    Header::gnu(kind, name)
        .octal(MODE, mode)
        .octal(UID, 1000)
        .octal(GID, 1000)
        .size(size as u64)
        .octal(MTIME, 1_700_000_000)
        .set(UNAME, "user")
        .set(GNAME, "group")
}

fn ustar_style(kind: u8, name: &str, mode: u64, size: usize) -> Header {
    gnu_style(kind, name, mode, size).magic(crate::support::tar::USTAR).octal(DEV_MAJOR, 0).octal(DEV_MINOR, 0)
}

fn gnu_tar(s: &mut Sheet) {
    s.stream("A-gnu-dot", "GNU tar -czf x -C dir .", sample("./", gnu_style).end_blocked(), Accepted)
        .tree(sample_tree());
    s.stream("A-gnu-names", "GNU tar with names given", sample("", gnu_style).end_blocked(), Accepted)
        .tree(sample_tree());
    s.stream("A-gnu-ustar", "GNU tar --format=ustar", sample("./", ustar_style).end_blocked(), Accepted)
        .tree(sample_tree());
    let ldap = |kind: u8, name: &str, mode: u64, size: usize| {
        gnu_style(kind, name, mode, size).base256(UID, 1_234_567_890).base256(GID, 1_234_567_891)
    };
    s.stream("A-gnu-ldap", "GNU tar, owner ids beyond octal", sample("./", ldap).end_blocked(), Accepted)
        .tree(sample_tree());
    let early =
        |kind: u8, name: &str, mode: u64, size: usize| gnu_style(kind, name, mode, size).base256(MTIME, -86_400);
    s.stream("A-gnu-1969", "GNU tar, files from before 1970", sample("./", early).end_blocked(), Accepted)
        .tree(sample_tree());
    let times: &[(&str, &[u8])] =
        &[("mtime", b"1700000000.123456789"), ("atime", b"1700000001.5"), ("ctime", b"1700000000.123456789")];
    let times = crate::support::tar::records(times);
    let posix = Tar::empty()
        .member(ustar_style(b'x', "./PaxHeaders/SKILL.md", 0o644, times.len()), &times)
        .member(ustar_style(b'0', "./SKILL.md", 0o644, SKILL_MD.len()), SKILL_MD)
        .member(ustar_style(b'x', "./PaxHeaders/l", 0o644, times.len()), &times)
        .header(ustar_style(b'2', "./l", 0o777, 0).link("SKILL.md"));
    s.stream("A-gnu-posix", "GNU tar --format=posix", posix.end_blocked(), Accepted)
        .tree([tree::link("l", "SKILL.md")]);
    let long_link_header =
        || Header::gnu(b'L', "././@LongLink").octal(MODE, 0o644).set(UNAME, "root").set(GNAME, "root");
    let long = format!("./{}/{}", "references-".repeat(7), "chapter-".repeat(8));
    let tar = Tar::empty()
        .member(gnu_style(b'0', "./SKILL.md", 0o644, SKILL_MD.len()), SKILL_MD)
        .member(long_link_header(), [long.as_bytes(), b"\0"].concat())
        .member(gnu_style(b'0', &long, 0o644, 1), "1");
    s.stream("A-gnu-longlink", "GNU tar, a path over 100 bytes", tar.end_blocked(), Accepted).tree([
        tree::dir(long.trim_start_matches("./").split_once('/').expect("two parts").0),
        tree::file(long.trim_start_matches("./"), "1"),
    ]);
    let hard = Tar::empty()
        .header(gnu_style(b'5', "./", 0o755, 0))
        .member(gnu_style(b'0', "./SKILL.md", 0o644, SKILL_MD.len()), SKILL_MD)
        .member(gnu_style(b'0', "./a", 0o644, 1), "1")
        .header(gnu_style(b'1', "./b", 0o644, 0).link("./a"));
    s.stream("A-gnu-hardlink", "GNU tar, two names of one file", hard.end_blocked(), Accepted)
        .tree([tree::file("a", "1"), tree::file("b", "1")]);
}

/// libarchive: six digits, space, NUL in the short fields; eleven digits and a space in the long ones.
fn bsd_style(kind: u8, name: &str, mode: u64, size: usize) -> Header {
    let short = |value: u64| format!("{value:06o} \0");
    Header::ustar(kind, name)
        .set(MODE, short(mode))
        .set(UID, short(501))
        .set(GID, short(20))
        .set(SIZE, format!("{size:011o} "))
        .set(MTIME, format!("{:011o} ", 1_700_000_000))
        .set(UNAME, "user")
        .set(GNAME, "staff")
        .set(DEV_MAJOR, short(0))
        .set(DEV_MINOR, short(0))
}

fn bsdtar(s: &mut Sheet) {
    s.stream("A-bsd-dot", "bsdtar -czf x -C dir .", sample("./", bsd_style).end_blocked(), Accepted)
        .tree(sample_tree());
    let piped = gzip(sample("./", bsd_style).end());
    let zeros = 10_240 - piped.len();
    s.gz("A-bsd-pipe", "bsdtar to a pipe: the compressed file is padded", padded(piped, zeros), Accepted)
        .tree(sample_tree());
    let wide = |kind: u8, name: &str, mode: u64, size: usize| {
        bsd_style(kind, name, mode, size).set(UID, "07654321").set(GID, "12345670")
    };
    s.stream(
        "A-bsd-wide-uid",
        "bsdtar, owner ids of eight digits without an end",
        sample("./", wide).end_blocked(),
        Accepted,
    )
    .tree(sample_tree());
    let double = |name: &str| Tar::empty().member(bsd_style(b'0', name, 0o644, 4), "\x00\x05\x16\x07").unended();
    let mac = Tar::empty()
        .raw(double("./._."))
        .header(bsd_style(b'5', "./", 0o755, 0))
        .raw(double("./._SKILL.md"))
        .member(bsd_style(b'x', "PaxHeader/SKILL.md", 0o644, mac_records().len()), mac_records())
        .member(bsd_style(b'0', "./SKILL.md", 0o644, SKILL_MD.len()), SKILL_MD)
        .raw(double("./._scripts"))
        .header(bsd_style(b'5', "./scripts/", 0o755, 0))
        .raw(double("./scripts/._run.sh"))
        .member(bsd_style(b'0', "./scripts/run.sh", 0o755, SCRIPT.len()), SCRIPT)
        .member(bsd_style(b'0', "./.DS_Store", 0o644, 4), "Bud1");
    s.stream("A-macos", "macOS tar, AppleDouble files and all", mac.end_blocked(), Accepted)
        .tree([tree::dir("scripts"), tree::exec("scripts/run.sh", SCRIPT)]);
}

fn mac_records() -> Vec<u8> {
    crate::support::tar::records(&[
        ("mtime", b"1700000000.123456"),
        ("LIBARCHIVE.creationtime", b"1690000000"),
        ("SCHILY.fflags", b"hidden"),
        ("LIBARCHIVE.xattr.com.apple.provenance", b"AQIAtd9LsLkLkLk"),
        ("SCHILY.xattr.com.apple.provenance", b"\x01\x02\x00\xb5\xdf\x4b"),
    ])
}

/// node-tar and tar-stream: digits, space, NUL everywhere, the checksum too.
fn node_style(kind: u8, name: &str, mode: u64, size: usize) -> Header {
    let number = |field: Field, value: u64| format!("{value:0width$o} \0", width = field.1 - 2);
    let header = Header::ustar(kind, name)
        .set(MODE, number(MODE, mode))
        .set(UID, [0; 8])
        .set(GID, [0; 8])
        .set(SIZE, number(SIZE, size as u64))
        .set(MTIME, [0; 12])
        .set(DEV_MAJOR, number(DEV_MAJOR, 0))
        .set(DEV_MINOR, number(DEV_MINOR, 0));
    let sum = format!("{:06o} \0", header.sum());
    header.checksum_raw(sum.as_bytes().try_into().expect("eight bytes"))
}

fn node(s: &mut Sheet) {
    s.stream("A-node-flat", "node-tar in portable mode", sample("", node_style).end(), Accepted).tree(sample_tree());
    s.stream("A-npm", "npm pack, unwrapped", sample("package/", node_style).end(), Accepted)
        .args(&["--strip-root"])
        .tree(sample_tree());
    let records = crate::support::tar::records(&[("path", "gu\u{ed}a.md".as_bytes()), ("uname", b""), ("gname", b"")]);
    let tar = Tar::empty()
        .header(node_style(b'0', "SKILL.md", 0o644, SKILL_MD.len()))
        .data(SKILL_MD)
        .header(node_style(b'x', "PaxHeader/gu\u{ed}a.md", 0o644, records.len()))
        .data(records)
        .header(node_style(b'0', "gu\u{ed}a.md", 0o644, 1))
        .data("1");
    s.stream("A-node-pax", "node-tar, a pax header with an empty uname", tar.end(), Accepted)
        .tree([tree::file("gu\u{ed}a.md", "1")]);
}

/// Ant and commons-compress: digits and one space, no NUL; the checksum six digits, NUL, space.
fn java_style(kind: u8, name: &str, mode: u64, size: usize) -> Header {
    let number = |field: Field, value: u64| format!("{value:0width$o} ", width = field.1 - 1);
    [(MODE, mode), (UID, 0), (GID, 0), (SIZE, size as u64), (MTIME, 1_700_000_000), (DEV_MAJOR, 0), (DEV_MINOR, 0)]
        .into_iter()
        .fold(Header::ustar(kind, name), |header, (field, value)| header.set(field, number(field, value)))
}

fn java(s: &mut Sheet) {
    s.stream("A-java", "commons-compress", sample("", java_style).end_blocked(), Accepted).tree(sample_tree());
    let wide =
        |kind: u8, name: &str, mode: u64, size: usize| java_style(kind, name, mode, size).base256(UID, 1_234_567_890);
    s.stream(
        "A-java-big-uid",
        "commons-compress, a base-256 uid under ustar magic",
        sample("", wide).end_blocked(),
        Accepted,
    )
    .tree(sample_tree());
    let long = format!("{}/x", "long-".repeat(25));
    let dir = long.trim_end_matches("/x").to_owned();
    let payload = [long.as_bytes(), b"\0"].concat();
    let tar = |magic: &[u8; 8]| {
        Tar::empty()
            .header(java_style(b'0', "SKILL.md", 0o644, SKILL_MD.len()))
            .data(SKILL_MD)
            .header(java_style(b'L', "././@LongLink", 0, payload.len()).magic(magic))
            .data(&payload)
            .header(java_style(b'0', &long, 0o644, 1))
            .data("1")
    };
    s.stream(
        "A-java-long",
        "a GNU long name beside ustar members",
        tar(crate::support::tar::GNU).end_blocked(),
        Accepted,
    )
    .tree([tree::dir(&dir), tree::file(&long, "1")]);
    s.stream(
        "A-ant-long-ustar",
        "a long name whose own header is ustar",
        tar(crate::support::tar::USTAR).end_blocked(),
        Accepted,
    )
    .tree([tree::dir(&dir), tree::file(&long, "1")]);
}

fn python(s: &mut Sheet) {
    s.stream("A-python-gnu", "Python tarfile, GNU format", sample("", gnu_style).end_blocked(), Accepted)
        .tree(sample_tree());
    s.stream("A-python-ustar", "Python tarfile, ustar format", sample("", ustar_style).end_blocked(), Accepted)
        .tree(sample_tree());
    let float: &[(&str, &[u8])] = &[("mtime", b"1700000000.1234567")];
    let header = |kind: u8, name: &str, mode: u64, size: usize| {
        let own = ustar_style(kind, name, mode, size);
        (Header::ustar(b'x', "././@PaxHeader").octal(MODE, 0), own)
    };
    let mut tar = Tar::empty();
    for (kind, name, mode, bytes) in [
        (b'5', "./", 0o755, &b""[..]),
        (b'0', "./SKILL.md", 0o644, SKILL_MD),
        (b'5', "./scripts", 0o755, b""),
        (b'0', "./scripts/run.sh", 0o755, SCRIPT),
        (b'0', "./notes.txt", 0o644, b"notes\n"),
    ] {
        let (pax, own) = header(kind, name, mode, bytes.len());
        tar = tar.member(pax, crate::support::tar::records(float)).header(own).data(bytes);
    }
    s.stream("A-python-make-archive", "shutil.make_archive: a pax header for each member", tar.end_blocked(), Accepted)
        .tree(sample_tree());
}

fn go_rust_git(s: &mut Sheet) {
    let go = |kind: u8, name: &str, mode: u64, size: usize| {
        Header::ustar(kind, name)
            .octal(MODE, mode)
            .size(size as u64)
            .set(MTIME, "00000000000")
            .set(DEV_MAJOR, "0000000")
            .set(DEV_MINOR, "0000000")
    };
    s.stream("A-go", "Go archive/tar", sample("", go).end(), Accepted).tree(sample_tree());
    let cargo = |kind: u8, name: &str, mode: u64, size: usize| {
        Header::gnu(kind, name).octal(MODE, mode).size(size as u64).octal(MTIME, 1).octal(UID, 0).octal(GID, 0)
    };
    s.stream("A-tar-rs", "the tar crate, as in crate files", sample("demo-1.0.0/", cargo).end(), Accepted)
        .args(&["--strip-root"])
        .tree(sample_tree());
    let git = |kind: u8, name: &str, mode: u64, size: usize| {
        Header::ustar(kind, name)
            .octal(MODE, if mode == 0o644 { 0o664 } else { 0o775 })
            .size(size as u64)
            .octal(MTIME, 1_700_000_000)
            .set(UNAME, "root")
            .set(GNAME, "root")
    };
    let comment =
        |tar: Tar| Tar::empty().global(&[("comment", b"0123456789abcdef0123456789abcdef01234567")]).raw(tar.unended());
    s.stream("A-git", "git archive", comment(sample("", git)).end_blocked(), Accepted).tree(sample_tree());
    s.stream("A-git-prefix", "git archive --prefix", comment(sample("demo/", git)).end_blocked(), Accepted)
        .args(&["--strip-root"])
        .tree(sample_tree());
    let seven = |kind: u8, name: &str, mode: u64, size: usize| {
        let header = git(kind, name, mode, size);
        let sum = format!("{:07o}\0", header.sum());
        header.checksum_raw(sum.as_bytes().try_into().expect("eight bytes"))
    };
    s.stream("A-github-checksum", "a checksum of seven digits", comment(sample("", seven)).end_blocked(), Accepted)
        .tree(sample_tree());
    let spaces = |kind: u8, name: &str, mode: u64, size: usize| {
        let number = |field: Field, value: u64| format!("{value:>width$o} ", width = field.1 - 1);
        let header = ustar_style(kind, name, mode, size);
        header.set(MODE, number(MODE, mode)).set(UID, number(UID, 0)).set(SIZE, number(SIZE, size as u64))
    };
    s.stream("A-leading-spaces", "numbers padded with spaces in front", sample("", spaces).end(), Accepted)
        .tree(sample_tree());
}

fn compressors(s: &mut Sheet) {
    let tar = || sample("./", gnu_style).end_blocked();
    let with = |change: fn(&mut Gzip)| Gzip::new(tar()).with(change).build();
    for (id, what, bytes) in [
        (
            "A-gzip-file",
            "gzip of a file: name and time",
            with(|g| (g.name, g.mtime, g.os) = (Some(b"skill.tar".to_vec()), 1_700_000_000, 3)),
        ),
        ("A-gzip-n", "gzip -n", with(|g| g.os = 3)),
        ("A-gzip-9", "gzip -9", with(|g| (g.xfl, g.os) = (2, 3))),
        (
            "A-python-gzip",
            "Python tarfile w:gz: the whole path as name",
            with(|g| (g.name, g.mtime, g.xfl, g.os) = (Some(b"demo.tar".to_vec()), 1, 2, 255)),
        ),
        ("A-go-gzip", "Go: no name, unknown system", with(|g| g.os = 255)),
        ("A-node-zlib", "node zlib on macOS", with(|g| g.os = 19)),
        ("A-windows", "a Windows tool", with(|g| g.os = 11)),
    ] {
        s.gz(id, what, bytes, Accepted).tree(sample_tree());
    }
}
