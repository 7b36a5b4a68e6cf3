//! T rows about GNU long names and links: their payload, their order, and that they never meet pax.

use super::{Case, Expect::*, Sheet};
use crate::support::tar::{Header, Tar, record};
use crate::support::tree;

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    payload(&mut s);
    order(&mut s);
    mixed(&mut s);
    accepted(&mut s);
    s.done()
}

fn a() -> Header {
    Header::gnu(b'0', "a")
}

fn payload(s: &mut Sheet) {
    s.tar(
        "T13-hidden",
        "bytes after the NUL",
        Tar::skill().long_name_raw("vis\0hidden\0").member(a(), "1"),
        Refused("path-nul"),
    )
    .at(2);
    s.tar(
        "T13-hidden-unended",
        "bytes after the NUL, and no final NUL",
        Tar::skill().long_name_raw("vis\0hidden").member(a(), "1"),
        Refused("path-nul"),
    )
    .at(2);
    without_nul(s);
    s.tar(
        "T14-no-payload",
        "a long name of no bytes",
        Tar::skill().long_name_raw("").member(a(), "1"),
        Refused("tar-header"),
    );
    s.tar(
        "T14-k-no-payload",
        "a long link of no bytes",
        Tar::skill().long_link_raw("").header(Header::gnu(b'2', "s").link("SKILL.md")),
        Refused("tar-header"),
    );
    s.tar(
        "P05-gnu-nuls",
        "a long name of NULs",
        Tar::skill().long_name_raw("\0\0\0").member(a(), "1"),
        Refused("path-empty"),
    );
    s.tar("T13-several-nuls", "several final NULs", Tar::skill().long_name_raw("x\0\0\0\0").member(a(), "1"), Accepted)
        .tree([tree::file("x", "1")]);
}

/// Perl's Archive::Tar leaves the NUL out. Readers agree as long as the rest of the block is NULs; GNU tar and Python go on
/// in what else stands there.
fn without_nul(s: &mut Sheet) {
    let what = "a long name without a NUL, its block filled up with NULs";
    for length in [1, 100, 101, 255, 510, 511, 512] {
        let name = long(length);
        let tar = Tar::skill().long_name_raw(&name).member(Header::gnu(b'0', &name), "1").file("after", "2");
        let nodes = parents(&name).chain([tree::file(&name, "1"), tree::file("after", "2")]);
        s.tar(format!("T14-no-nul-{length}"), what, tar, Accepted).tree_bare(with_skill_md(nodes));
    }
    let too_long = Tar::skill().long_name_raw(long(513)).member(a(), "1");
    s.tar("T14-no-nul-513", what, too_long, Refused("path-too-long")).at(2);
    let ustar = Tar::skill()
        .member(Header::ustar(b'L', "@LongLink"), "a-name-from-perl")
        .member(Header::ustar(b'0', "a-name"), "1");
    s.tar("T14-perl", "the same with ustar magic, as Perl has it", ustar, Accepted)
        .tree([tree::file("a-name-from-perl", "1")]);
    let link = |target: &str| Tar::skill().long_link_raw(target).header(Header::gnu(b'2', "s").link(target));
    s.tar("T14-k-no-nul", "a long link without a NUL", link("SKILL.md"), Accepted).tree([tree::link("s", "SKILL.md")]);
    let block = "./".repeat(252) + "SKILL.md";
    s.tar("T14-k-no-nul-block", "a long link that fills its block", link(&block), Accepted)
        .tree([tree::link("s", &block)]);
    let what = "a long name without a NUL, something else in the rest of its block";
    let mut bytes = b"name".to_vec();
    for (id, at, byte) in [("next", 4, b'x'), ("last", 511, b'x'), ("behind-nul", 6, b'/')] {
        bytes.resize(512, 0);
        bytes[at] = byte;
        for (kind, k) in [(b'L', ""), (b'K', "k-")] {
            let header = Header::gnu(kind, "././@LongLink").size(4);
            let tar = Tar::skill().header(header).raw(&bytes).member(a(), "1");
            s.tar(format!("T14-{k}padding-{id}"), what, tar, Refused("tar-header")).at(2);
        }
        bytes.truncate(4);
    }
    let ended = Tar::skill().header(Header::gnu(b'L', "././@LongLink").size(5)).raw(b"name\0junk").raw([7; 503]);
    s.tar(
        "T14-nul-then-padding",
        "a long name with its NUL, anything in the rest of its block",
        ended.member(a(), "1"),
        Accepted,
    )
    .tree([tree::file("name", "1")]);
}

/// A name of this many bytes, in directories.
fn long(length: usize) -> String {
    let mut name: String = ["d", "e", "f"].map(|letter| letter.repeat(200)).join("/");
    name.truncate(length);
    name
}

fn parents(path: &str) -> impl Iterator<Item = (String, tree::Node)> {
    path.match_indices('/').map(|(at, _)| tree::dir(&path[..at])).collect::<Vec<_>>().into_iter()
}

fn with_skill_md(nodes: impl Iterator<Item = (String, tree::Node)>) -> tree::Tree {
    nodes.chain([tree::file("SKILL.md", crate::support::SKILL_MD)]).collect()
}

fn order(s: &mut Sheet) {
    let dangling = Refused("dangling-extension");
    s.tar("T10-two-l", "two long names", Tar::skill().long_name("x").long_name("y").member(a(), "1"), dangling);
    s.tar(
        "T10-two-k",
        "two long links",
        Tar::skill().long_link("SKILL.md").long_link("SKILL.md").header(Header::gnu(b'2', "s")),
        dangling,
    );
    s.tar(
        "T10-l-k-l",
        "a long name on both sides of a long link",
        Tar::skill().long_name("x").long_link("SKILL.md").long_name("y").header(Header::gnu(b'2', "s")),
        dangling,
    );
    s.tar("T12-l-end", "a long name before the end", Tar::skill().long_name("x"), dangling);
    s.tar("T12-k-end", "a long link before the end", Tar::skill().long_link("x"), dangling);
    s.tar(
        "T10-l-global",
        "a long name before a global header",
        Tar::skill().long_name("x").global(&[("comment", b"c")]).member(a(), "1"),
        dangling,
    );
    s.stream(
        "T12-l-cut",
        "a long name, and the stream ends",
        Tar::skill().long_name("x").unended(),
        Refused("tar-no-end"),
    );
    s.tar(
        "T12-l-unknown",
        "a long name before an unknown type",
        Tar::skill().long_name("x").header(Header::gnu(b'Z', "a")),
        Refused("unsupported-entry-type"),
    );
    let two = Tar::skill().long_name("x").member(a(), "1").member(Header::gnu(b'0', "b"), "2");
    s.tar("T04-gnu", "a long name does not reach the second file", two, Accepted)
        .tree([tree::file("x", "1"), tree::file("b", "2")]);
}

fn mixed(s: &mut Sheet) {
    let refused = Refused("mixed-tar-dialect");
    let frompax: &[(&str, &[u8])] = &[("path", b"frompax")];
    s.tar("T11-x-l", "pax, then a long name", Tar::skill().pax(frompax).long_name("fromgnu").file("a", "1"), refused);
    s.tar("T11-l-x", "a long name, then pax", Tar::skill().long_name("fromgnu").pax(frompax).file("a", "1"), refused);
    s.tar(
        "T11-l-x-gnu",
        "a long name, then pax, then a GNU member",
        Tar::skill().long_name("fromgnu").pax(frompax).member(a(), "1"),
        refused,
    );
    s.tar(
        "T11-x-k",
        "pax, then a long link",
        Tar::skill().pax(&[("mtime", b"1")]).long_link("SKILL.md").symlink("s", "x"),
        refused,
    );
    s.tar(
        "T11-k-x",
        "a long link, then pax",
        Tar::skill().long_link("SKILL.md").pax(&[("mtime", b"1")]).symlink("s", "x"),
        refused,
    );
    s.tar(
        "T03-size",
        "a pax size before a long name",
        Tar::skill().pax(&[("size", b"1024")]).long_name("x").member(a(), vec![0; 1024]),
        refused,
    );
    let under_gnu = Header::gnu(b'x', "x");
    s.tar(
        "T11-x-gnu",
        "a pax header under GNU magic before a long name",
        Tar::skill().member(under_gnu, record("path", "y")).long_name("x").member(a(), "1"),
        refused,
    );
}

fn accepted(s: &mut Sheet) {
    let long = format!("{}/{}", "d".repeat(120), "f".repeat(120));
    let dir = "d".repeat(120);
    s.tar("A-gnu-long", "a long name", Tar::skill().file_gnu_long(&long, "1"), Accepted)
        .tree([tree::dir(&dir), tree::file(&long, "1")]);
    s.tar(
        "A-gnu-long-ustar",
        "a long name before a ustar member",
        Tar::skill().long_name(&long).file(&long, "1"),
        Accepted,
    )
    .tree([tree::dir(&dir), tree::file(&long, "1")]);
    let ustar_l = Header::ustar(b'L', "././@LongLink");
    let payload = [long.as_bytes(), b"\0"].concat();
    s.tar(
        "A-ant-long",
        "a long name under ustar magic",
        Tar::skill().member(ustar_l, payload).file(&long, "1"),
        Accepted,
    )
    .tree([tree::dir(&dir), tree::file(&long, "1")]);
    let target = format!("{}/t", "e".repeat(120));
    let k_then_l = Tar::skill()
        .file_gnu_long(&target, "1")
        .long_link(&target)
        .long_name("s2")
        .header(Header::gnu(b'2', "s").link(&target));
    s.tar("A-gnu-k-l", "a long link, then a long name", k_then_l, Accepted).tree([
        tree::dir(&"e".repeat(120)),
        tree::file(&target, "1"),
        tree::link("s2", &target),
    ]);
    let l_then_k = Tar::skill()
        .file_gnu_long(&target, "1")
        .long_name("s2")
        .long_link(&target)
        .header(Header::gnu(b'2', "s").link(&target));
    s.tar("A-gnu-l-k", "a long name, then a long link", l_then_k, Accepted).tree([
        tree::dir(&"e".repeat(120)),
        tree::file(&target, "1"),
        tree::link("s2", &target),
    ]);
    let long_dir = format!("{}/", "g".repeat(130));
    s.tar(
        "A-gnu-long-dir",
        "a long directory name",
        Tar::skill().long_name(&long_dir).header(Header::gnu(b'5', &long_dir)),
        Accepted,
    )
    .tree([tree::dir(long_dir.trim_end_matches('/'))]);
    let cut = format!("{}\u{e9}{}", "x".repeat(99), "y".repeat(20));
    let cut_header = Header::gnu(b'0', &cut);
    s.tar(
        "A-gnu-cut-character",
        "a header name cut inside a character",
        Tar::skill().long_name(&cut).member(cut_header, "1"),
        Accepted,
    )
    .tree([tree::file(&cut, "1")]);
    let cut_pax = Tar::skill().pax(&[("path", cut.as_bytes())]).file(&cut, "1");
    s.tar("A-pax-cut-character", "a header name cut inside a character, under pax", cut_pax, Accepted)
        .tree([tree::file(&cut, "1")]);
    s.tar("A-gnu-short", "a long name that is short", Tar::skill().long_name("b").member(a(), "1"), Accepted)
        .tree([tree::file("b", "1")]);
    s.tar(
        "A-gnu-l-mode",
        "a long name header with mode and owner",
        Tar::skill()
            .member(Header::gnu(b'L', "././@LongLink").mode(0o644).base256(crate::support::tar::UID, 1 << 30), "b\0")
            .member(a(), "1"),
        Accepted,
    )
    .tree([tree::file("b", "1")]);
}
