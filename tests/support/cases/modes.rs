//! M rows: permissions come down to one bit, and owners, times and attributes to nothing. The runner checks besides that no
//! file is beyond 0644 or 0755.

use super::{Case, Expect::*, Sheet};
use crate::support::carrier::{Carrier, dir, exec, file};
use crate::support::tar::{GNAME, Header, Tar, UNAME};
use crate::support::tree;
use crate::support::zip::{DOS, Entry, NTFS, OSX, UNIX, Zip};

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    bits(&mut s);
    directories(&mut s);
    tar_modes(&mut s);
    owners_and_times(&mut s);
    zip_hosts(&mut s);
    s.done()
}

fn bits(s: &mut Sheet) {
    for mode in [
        0o000, 0o400, 0o444, 0o600, 0o644, 0o646, 0o664, 0o666, 0o002, 0o200, 0o100, 0o010, 0o001, 0o111, 0o700, 0o755,
        0o775, 0o777, 0o4755, 0o2755, 0o6755, 0o1777, 0o4644, 0o7777, 0o4000,
    ] {
        let members = vec![file("a", "1").mode(mode)];
        let row = if matches!(mode, 0o666 | 0o777 | 0o1777) { "M02" } else { "M01" };
        s.both(format!("{row}-file-{mode:04o}"), "a file's mode", members, Accepted);
    }
    s.both(
        "M-mixed",
        "scripts and documents",
        vec![exec("scripts/run.sh", "#!/bin/sh\n"), file("README.md", "x")],
        Accepted,
    );
    for format in Carrier::ALL {
        let members = [crate::support::carrier::skill_md().mode(0o4755)];
        s.raw(
            format!("M01-skill-md.{}", format.suffix()),
            "a setuid SKILL.md",
            format,
            format.write(&members),
            Accepted,
        )
        .tree([tree::exec("SKILL.md", crate::support::SKILL_MD)]);
    }
}

fn directories(s: &mut Sheet) {
    for mode in [0o000, 0o111, 0o400, 0o500, 0o700, 0o755, 0o777, 0o1777, 0o2755, 0o4755, 0o7777] {
        let members = vec![dir("d/").mode(mode), file("d/e/x", "1"), file("d/y", "2")];
        let row = if matches!(mode, 0o777 | 0o1777) { "M02" } else { "M03" };
        s.both(format!("{row}-dir-{mode:04o}"), "a directory's mode, set before its children come", members, Accepted);
    }
    let members = vec![file("d/x", "1").mode(0), dir("d/").mode(0)];
    s.both("M03-after", "a closed directory after its children", members, Accepted);
    s.both("M09-implied", "implied directories", vec![file("a/b/c/x", "1")], Accepted);
    s.both("M03-root", "a closed root", vec![dir("./").mode(0), file("x", "1")], Accepted);
    let open =
        vec![dir("./").mode(0o777), dir("d/").mode(0o777), exec("d/run", "1").mode(0o777), file("x", "1").mode(0o666)];
    s.both("M02-all", "a root, a directory and files that anyone may write", open, Accepted);
    let link = vec![file("t", "1").mode(0o666), crate::support::carrier::symlink("l", "t").mode(0o777)];
    s.both("M02-link", "a link that anyone may write", link, Accepted);
}

fn tar_modes(s: &mut Sheet) {
    let a = || Header::ustar(b'0', "a");
    s.tar(
        "M01-type-bits",
        "type bits in the mode, as old writers leave them",
        Tar::skill().member(a().mode(0o100_644), "1"),
        Accepted,
    )
    .tree([tree::file("a", "1")]);
    s.tar(
        "M01-type-bits-dir",
        "a directory's type bits in the mode of a file",
        Tar::skill().member(a().mode(0o040_755), "1"),
        Accepted,
    )
    .tree([tree::exec("a", "1")]);
    s.tar(
        "M01-type-bits-link",
        "a link's type bits in the mode of a file",
        Tar::skill().member(a().mode(0o120_777), "1"),
        Accepted,
    )
    .tree([tree::exec("a", "1")]);
    s.tar("M01-all-bits", "every bit of the field", Tar::skill().member(a().mode(0o7_777_777), "1"), Accepted)
        .tree([tree::exec("a", "1")]);
}

fn owners_and_times(s: &mut Sheet) {
    let one = [tree::file("a", "1")];
    let pax: [(&str, &[(&str, &[u8])]); 6] = [
        ("M04-pax-owner", &[("uid", b"0"), ("gid", b"0"), ("uname", b"root"), ("gname", b"root")]),
        (
            "M05-pax-xattr",
            &[("SCHILY.xattr.security.capability", b"\x01\0\0\x02\0\x20"), ("SCHILY.acl.access", b"u::rwx")],
        ),
        ("M05-pax-selinux", &[("RHT.security.selinux", b"unconfined_u:object_r:user_home_t:s0")]),
        ("M05-pax-apple", &[("LIBARCHIVE.xattr.com.apple.quarantine", b"MDA4MTs"), ("SCHILY.fflags", b"hidden")]),
        ("M07-pax-future", &[("mtime", b"9999999999.5"), ("atime", b"9999999999"), ("ctime", b"1")]),
        ("M07-pax-negative", &[("mtime", b"-9223372036854775808")]),
    ];
    for (id, records) in pax {
        s.tar(id, "an attribute that is dropped", Tar::skill().pax(records).file("a", "1"), Accepted).tree(one.clone());
    }
    let header =
        Header::ustar(b'0', "a").set(UNAME, "nobody").set(GNAME, "nogroup").octal(crate::support::tar::UID, 65_534);
    s.tar("M04-owner", "an owner", Tar::skill().member(header, "1"), Accepted).tree(one.clone());
    let future = Header::ustar(b'0', "a").set(crate::support::tar::MTIME, "777777777777");
    s.tar("M07-future", "a time in the year 4147", Tar::skill().member(future, "1"), Accepted).tree(one.clone());
    for (id, time, date) in
        [("zero", 0, 0), ("ones", u16::MAX, u16::MAX), ("month-0", 0, 0x0001), ("differs", 1, 0x5921)]
    {
        let entry = Entry::file("a", "1").with(|e| {
            (e.time, e.date) = (time, date);
            e.central.time = (id == "differs").then_some(2);
        });
        s.zip(format!("M07-zip-{id}"), "a time that is not restored", Zip::skill().entry(entry), Accepted)
            .tree(one.clone());
    }
}

/// x bits count for host 3 only.
fn zip_hosts(s: &mut Sheet) {
    for (name, host) in [("dos", DOS), ("ntfs", NTFS), ("osx", OSX), ("amiga", 1), ("vfat", 14)] {
        let entry = Entry::file("a", "1").host(host).unix_mode(0o100_755);
        s.zip(format!("M06-{name}"), "x bits of a host that has none", Zip::skill().entry(entry), Accepted)
            .tree([tree::file("a", "1")]);
    }
    for (id, mode) in [("type", 0o100_755), ("no-type", 0o755), ("setuid", 0o104_755), ("group", 0o100_010)] {
        let entry = Entry::file("a", "1").host(UNIX).unix_mode(mode);
        s.zip(format!("M06-unix-{id}"), "x bits of a unix host", Zip::skill().entry(entry), Accepted)
            .tree([tree::exec("a", "1")]);
    }
    let read_only = Entry::file("a", "1").host(DOS).external(0x01 | 0x02 | 0x04);
    s.zip("M06-dos-read-only", "DOS attributes", Zip::skill().entry(read_only), Accepted).tree([tree::file("a", "1")]);
}
