//! The faults that are mixed: each is one fault, by itself enough to refuse an archive, and none touches the names of
//! another.
#![allow(unreachable_pub)] // the test is one program

use crate::support::Carrier;
use crate::support::carrier::{Kind, Member, dir, file, hardlink, special, symlink};
use crate::support::gzip::Gzip;
use crate::support::tar::{Header, MTIME, Tar};
use crate::support::zip::{Descriptor, Entry, Zip};

/// When a fault is seen.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// Before the first entry; of several the lowest number is named.
    Opening(u8),
    /// At this entry of the block (from 0), which is refused; the reading goes on.
    Entry(u64),
    /// At the end, when all that a link may point to is known; named at this entry of the block.
    Link(u64),
    /// At this entry of the block, where the reading ends.
    Container(u64),
    /// Behind the last entry; of several the lowest number is named.
    End(u8),
}

/// How a fault gets into an archive.
pub enum Part {
    /// Entries that either format may carry.
    Members(Vec<Member>),
    /// So many entries of a tar.
    Tar(fn(Tar) -> Tar, u64),
    /// A change to the finished tar stream.
    TarEnd(fn(Vec<u8>) -> Vec<u8>),
    Gzip(fn(Gzip) -> Gzip),
    /// A change to the finished gzip file.
    Tail(fn(Vec<u8>) -> Vec<u8>),
    /// So many entries of a zip.
    Zip(fn(Zip) -> Zip, u64),
    ZipEnd(fn(Zip) -> Zip),
}

pub struct Block {
    pub name: &'static str,
    pub code: &'static str,
    pub when: When,
    pub part: Part,
}

impl Block {
    /// How many entries it adds.
    pub fn entries(&self) -> u64 {
        match &self.part {
            Part::Members(members) => members.len() as u64,
            Part::Tar(_, count) | Part::Zip(_, count) => *count,
            _ => 0,
        }
    }
}

/// All faults that a format can have.
pub fn of(format: Carrier) -> Vec<Block> {
    let mut blocks = common();
    blocks.retain(|block| !matches!(&block.part, Part::Members(members) if !format.can_carry(members)));
    blocks.extend(match format {
        Carrier::TarGz => tar(),
        Carrier::Zip => zip(),
    });
    blocks
}

fn common() -> Vec<Block> {
    let entry = |name, code, at, members| Block { name, code, when: When::Entry(at), part: Part::Members(members) };
    let link = |name, code, at, members| Block { name, code, when: When::Link(at), part: Part::Members(members) };
    vec![
        entry("traversal", "path-traversal", 0, vec![file("../up", "1")]),
        entry("absolute", "absolute-path", 0, vec![file("/tmp/absolute", "1")]),
        entry("not UTF-8", "path-not-utf8", 0, vec![file(b"caf\xe9", "1")]),
        entry("control character", "path-control-char", 0, vec![file("a\x1b[31m", "1")]),
        entry("bidi", "path-invisible", 0, vec![file("a\u{202e}gpj.exe", "1")]),
        entry("backslash", "path-backslash", 0, vec![file("back\\slash", "1")]),
        entry("trailing dot", "path-trailing-dot-space", 0, vec![file("dot./x", "1")]),
        entry("device", "path-reserved-name", 0, vec![file("nul.txt", "1")]),
        entry("short name", "path-short-name", 0, vec![file("GIT~1/config", "1")]),
        entry("git", "path-forbidden", 0, vec![file("vendor/.GIT/config", "1")]),
        entry("too deep", "path-too-deep", 0, vec![file("deep/".repeat(24) + "x", "1")]),
        entry("look-alike", "lookalike-skill-md", 0, vec![file("skill.md", "1")]),
        entry("slash after a file", "path-kind-mismatch", 0, vec![file("slashed/", "")]),
        entry("duplicate", "duplicate-path", 1, vec![file("twice", "1"), file("./twice", "2")]),
        entry("second SKILL.md", "duplicate-path", 0, vec![file("SKILL.md", "---\nname: evil\n---\n")]),
        entry("case", "path-collision", 1, vec![file("Case/a", "1"), file("case/b", "2")]),
        entry("file and directory", "file-dir-conflict", 1, vec![file("both", "1"), file("both/x", "2")]),
        entry("fifo", "special-file", 0, vec![special(Kind::Fifo, "fifo")]),
        entry("absolute link", "link-absolute", 0, vec![symlink("to-etc", "/etc")]),
        entry("escaping link", "link-escape", 0, vec![symlink("to-parent", "../outside")]),
        entry("empty link", "link-target-invalid", 0, vec![symlink("to-nothing", "")]),
        entry("through a link", "link-as-parent", 2, vec![dir("real"), symlink("way", "real"), file("way/x", "1")]),
        link("dangling link", "link-target-missing", 0, vec![symlink("dangling", "no-such-file"), file("beside", "1")]),
        link("link to itself", "link-cycle", 0, vec![symlink("self", "self")]),
        link(
            "link to a file with a slash",
            "link-target-invalid",
            1,
            vec![file("flat", "1"), symlink("flat-link", "flat/")],
        ),
        entry("hard link to nothing", "link-target-missing", 0, vec![hardlink("hard", "no-such-source")]),
        entry("hard link out", "link-escape", 0, vec![hardlink("hard-out", "../outside")]),
    ]
}

fn tar() -> Vec<Block> {
    let container = |name, code, add| Block { name, code, when: When::Container(0), part: Part::Tar(add, 1) };
    let end = |name, code, rank, part| Block { name, code, when: When::End(rank), part };
    vec![
        container("checksum", "tar-checksum", |tar| tar.member(Header::ustar(b'0', "sum").checksum_off(1), "1")),
        container("junk number", "tar-numeric", |tar| {
            tar.member(Header::ustar(b'0', "junk").set(MTIME, "0000000zz"), "1")
        }),
        container("old magic", "tar-dialect", |tar| tar.member(Header::ustar(b'0', "v7").magic(&[0; 8]), "1")),
        container("link name on a file", "tar-header", |tar| {
            tar.member(Header::ustar(b'0', "linked").link("SKILL.md"), "1")
        }),
        container("payload on a directory", "payload-on-non-file", |tar| {
            tar.member(Header::ustar(b'5', "loaded/"), "smuggled")
        }),
        container("unknown type", "unsupported-entry-type", |tar| tar.member(Header::ustar(b'Z', "unknown"), "1")),
        container("sparse", "sparse-unsupported", |tar| tar.member(Header::gnu(b'S', "sparse"), "1")),
        container("pax path twice", "pax-duplicate", |tar| {
            tar.pax(&[("path", b"first"), ("path", b"last")]).file("twice-named", "1")
        }),
        container("pax size", "tar-size-conflict", |tar| tar.pax(&[("size", b"512")]).file("sized", "1")),
        container("global path", "pax-global-member", |tar| tar.global(&[("path", b"for-all")]).file("one", "1")),
        container("two pax headers", "dangling-extension", |tar| {
            tar.pax(&[("mtime", b"1")]).pax(&[("mtime", b"2")]).file("after-two", "1")
        }),
        container("pax and GNU", "mixed-tar-dialect", |tar| {
            tar.pax(&[("mtime", b"1")]).long_name("long").file("mixed", "1")
        }),
        end("no end blocks", "tar-no-end", 2, Part::TarEnd(|tar| tar[..tar.len() - 1024].to_vec())),
        end("wrong CRC", "gzip-crc", 0, Part::Gzip(|gzip| gzip.with(|g| g.crc ^= 1))),
        end("garbage after gzip", "gzip-trailing-data", 1, Part::Tail(|file| [&file[..], b"GARBAGE!"].concat())),
    ]
}

fn zip() -> Vec<Block> {
    let container = |name, code, add| Block { name, code, when: When::Container(0), part: Part::Zip(add, 1) };
    let opening = |name, code, rank, part| Block { name, code, when: When::Opening(rank), part: Part::ZipEnd(part) };
    vec![
        container("wrong CRC", "zip-crc", |zip| {
            zip.entry(Entry::file("crc", "1").with(|e| (e.local.crc, e.central.crc) = (Some(1), Some(1))))
        }),
        container("another local name", "zip-header-mismatch", |zip| {
            zip.entry(Entry::file("named", "1").with(|e| e.local.name = Some(b"other".to_vec())))
        }),
        container("encrypted", "zip-encrypted", |zip| zip.entry(Entry::file("secret", "1").with(|e| e.flags |= 1))),
        container("method", "zip-method", |zip| zip.entry(Entry::file("packed", "1").with(|e| e.method = 12))),
        container("flag", "zip-flag", |zip| zip.entry(Entry::file("flagged", "1").with(|e| e.flags |= 1 << 4))),
        container("version", "zip-version", |zip| zip.entry(Entry::file("new", "1").with(|e| e.version = 99))),
        container("cut extra field", "zip-extra", |zip| {
            zip.entry(Entry::file("extra", "1").with(|e| e.extra = vec![0x55, 0x54, 9, 0]))
        }),
        container("untrue descriptor", "zip-data-descriptor", |zip| {
            let untrue = Descriptor { crc: Some(1), ..Descriptor::default() };
            zip.entry(Entry::file("streamed", "1").deflated().streamed(untrue))
        }),
        container("comment of an entry", "zip-comment", |zip| {
            zip.entry(Entry::file("told", "1").with(|e| e.central.comment = b"PK\x03\x04".to_vec()))
        }),
        container("payload on a directory", "payload-on-non-file", |zip| {
            zip.entry(Entry::dir("loaded/").with(|e| e.data = b"smuggled".to_vec()))
        }),
        Block { name: "hidden entry", code: "zip-hidden-entry", when: When::Container(1), part: Part::Zip(hidden, 2) },
        opening("garbage at the end", "zip-trailing-data", 0, |zip| zip.with(|z| z.trailing = b"JUNK".to_vec())),
        opening("other disk", "zip-multi-disk", 2, |zip| zip.with(|z| z.end.disk = 1)),
        opening("wrong count", "zip-count", 3, |zip| zip.with(|z| z.end.count = Some(77))),
        opening("bytes behind the directory", "zip-unaccounted-data", 4, |zip| {
            zip.with(|z| z.after_central = b"bytes".to_vec())
        }),
    ]
}

/// A local header that the directory does not list, behind an entry that it does.
fn hidden(zip: Zip) -> Zip {
    zip.file("seen", "1").entry(Entry::file("hidden", "1").with(|e| e.central.omit = true))
}
