//! T rows about where a tar stream ends: missing and single zero blocks, data after the end, padding, truncation.

use super::{Case, Expect::*, Sheet};
use crate::support::SKILL_MD;
use crate::support::gzip::gzip;
use crate::support::tar::{Header, NAME, Tar, record};
use crate::support::tree;

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    ends(&mut s);
    after_the_end(&mut s);
    padding(&mut s);
    truncated(&mut s);
    empty(&mut s);
    s.done()
}

fn base() -> Tar {
    Tar::skill().file("a", "1")
}

fn ends(s: &mut Sheet) {
    let refused = Refused("tar-no-end");
    s.stream("T24-none", "no end blocks", base().unended(), refused);
    s.stream("T24-one", "one zero block", base().zero_blocks(1).unended(), refused);
    s.stream("T24-two", "two zero blocks", base().zero_blocks(2).unended(), Accepted).tree([tree::file("a", "1")]);
    s.stream("T24-three", "three zero blocks", base().zero_blocks(3).unended(), Accepted).tree([tree::file("a", "1")]);
    s.stream("T25-entry", "a member after one zero block", base().zero_blocks(1).file("b", "2").end(), refused);
    s.stream(
        "T25-first",
        "a zero block before all else",
        Tar::empty().zero_blocks(1).file("SKILL.md", SKILL_MD).end(),
        refused,
    );
    s.stream(
        "T25-junk",
        "junk after one zero block",
        base().zero_blocks(1).data("junk").zero_blocks(2).unended(),
        refused,
    );
    s.stream(
        "T25-last-byte",
        "a second zero block with one byte in it",
        base().zero_blocks(1).raw([0; 511]).raw("x").zero_blocks(2).unended(),
        refused,
    );
}

fn after_the_end(s: &mut Sheet) {
    let refused = Refused("tar-trailing-data");
    s.stream("T26-member", "a member after the end", base().zero_blocks(2).file("hidden", "2").end(), refused);
    s.stream(
        "T26-archive",
        "a whole archive after the end",
        base().zero_blocks(2).raw(Tar::skill().end()).unended(),
        refused,
    );
    s.stream("T27-garbage", "garbage after the end", base().zero_blocks(2).raw("GARBAGE").unended(), refused);
    s.stream("T27-newline", "a newline after the end", base().zero_blocks(2).raw("\n").unended(), refused);
    s.stream(
        "T27-after-padding",
        "garbage after 20 zero blocks",
        base().zero_blocks(20).raw("GARBAGE").unended(),
        refused,
    );
    s.stream(
        "T27-odd",
        "garbage after an odd number of zeros",
        base().zero_blocks(2).raw([0; 100]).raw("x").unended(),
        refused,
    );
    let mut far = base().end();
    far.resize(200_000, 0);
    far.push(1);
    s.stream("T27-far", "one byte after 200,000", far, refused);
    s.stream(
        "T27-third-block",
        "the last byte of the third block",
        base().zero_blocks(2).raw([0; 511]).raw("x").unended(),
        refused,
    );
}

fn padding(s: &mut Sheet) {
    let tree = || [tree::file("a", "1")];
    s.stream("T28-blocked", "padded to 10,240 bytes", base().end_blocked(), Accepted).tree(tree());
    s.stream("T28-one", "one zero after the end", base().zero_blocks(2).raw([0]).unended(), Accepted).tree(tree());
    s.stream("T28-odd", "100 zeros after the end", base().zero_blocks(2).raw([0; 100]).unended(), Accepted)
        .tree(tree());
    s.stream("T28-many", "a mebibyte of zeros after the end", base().zero_blocks(2048).unended(), Accepted)
        .tree(tree());
    let junk = base().header(Header::ustar(b'0', "b").size(3)).raw(b"abc").raw([b'x'; 509]);
    s.tar("T28-payload-padding", "a payload padded with other bytes than NUL", junk, Accepted)
        .tree([tree::file("a", "1"), tree::file("b", "abc")]);
}

fn truncated(s: &mut Sheet) {
    let refused = Refused("tar-truncated");
    let whole = base().header(Header::ustar(b'0', "b").size(5000));
    let before = base().unended().len();
    s.stream("T29-payload", "3000 of 5000 bytes", whole.clone().raw(vec![b'x'; 3000]).unended(), refused);
    s.stream(
        "T29-payload-blocks",
        "a payload that ends at a block boundary too early",
        whole.clone().raw(vec![b'x'; 1024]).unended(),
        refused,
    );
    s.stream("T29-payload-none", "no payload at all", whole.clone().unended(), refused);
    s.stream("T29-payload-last", "one byte is missing", whole.clone().raw(vec![b'x'; 4999]).unended(), refused);
    s.stream(
        "T29-padding",
        "the padding of the payload is missing",
        whole.clone().raw(vec![b'x'; 5000]).unended(),
        refused,
    );
    s.stream(
        "T29-padding-last",
        "the last byte of the padding is missing",
        whole.raw(vec![b'x'; 5119]).unended(),
        refused,
    );
    for cut in [1, 100, 300, 511] {
        let stream = whole_cut(before + cut);
        s.stream(format!("T29-header-{cut}"), "the stream ends inside a header", stream, refused);
    }
    s.stream("T29-first-header", "the stream ends inside the first header", whole_cut(200), refused);
    s.stream(
        "T29-pax-header",
        "no payload after a pax header",
        base().header(Header::ustar(b'x', "x").size(100)).unended(),
        refused,
    );
    let pax = base().header(Header::ustar(b'x', "x").size(600)).raw([b'x'; 512]);
    s.stream("T29-pax-payload", "half of a pax payload", pax.unended(), refused);
    s.stream(
        "T29-gnu-payload",
        "half of a long name",
        base().header(Header::gnu(b'L', "x").size(600)).raw([b'x'; 512]).unended(),
        refused,
    );
    s.stream(
        "R10-declared-huge",
        "a file that declares 8 GiB and has nothing",
        base().header(Header::ustar(b'0', "b").size(0o77777777777)).unended(),
        refused,
    );
    s.stream(
        "R10-declared-over-limit",
        "a declared size over the limit is not what counts",
        base().header(Header::ustar(b'0', "b").size(5000)).raw([b'x'; 512]).unended(),
        refused,
    )
    .args(&["--max-file", "1000"]);
    let swallowed = base().header(Header::ustar(b'0', "b").size(10_000)).raw(base().end());
    s.stream("T29-swallowed", "a size that swallows the end of the archive", swallowed.unended(), refused);
}

/// A stream of three files, cut.
fn whole_cut(length: usize) -> Vec<u8> {
    let mut bytes = base().file("b", "2").end();
    bytes.truncate(length);
    bytes
}

fn empty(s: &mut Sheet) {
    s.stream("T24-empty-stream", "nothing in the gzip member", Vec::new(), Refused("tar-no-end"));
    s.stream("T24-empty-archive", "only the end", Tar::empty().end(), Refused("empty-archive"));
    s.stream("T24-empty-blocked", "only the end, padded", Tar::empty().end_blocked(), Refused("empty-archive"));
    s.stream("T24-empty-any", "only the end, in any layout", Tar::empty().end(), Refused("empty-archive"))
        .args(&["--layout", "any"]);
    s.stream(
        "T24-globals-only",
        "a global header and no member",
        Tar::empty().global(&[("comment", b"x")]).end(),
        Refused("empty-archive"),
    );
    s.tar(
        "T12-global-last",
        "a global header as the last thing: Python fails on it",
        Tar::skill().file("a", "1").global(&[("comment", b"x")]),
        Refused("dangling-extension"),
    );
    for (id, flag, payload) in [
        ("x", b'x', record("path", "b")),
        ("g", b'g', record("comment", "b")),
        ("L", b'L', b"b\0".to_vec()),
        ("K", b'K', b"b\0".to_vec()),
    ] {
        let header = || if flag.is_ascii_uppercase() { Header::gnu(flag, "") } else { Header::ustar(flag, "") };
        let what = "an extension header without a name, which node-tar passes over";
        let tar = Tar::skill().member(header(), &payload).symlink("l", "SKILL.md");
        s.tar(format!("T31-nameless-{id}"), what, tar, Refused("tar-header")).at(2);
        let what = "an extension header with a link name, as bsdtar and tar-stream write it";
        let member = if id == "K" { Header::gnu(b'2', "l").link("b") } else { Header::ustar(b'0', "b") };
        let tar = Tar::skill().file("b", "").member(header().set(NAME, "pax").link("x"), &payload);
        let tar = if id == "K" {
            tar.member(member, "")
        } else {
            Tar::skill().member(header().set(NAME, "pax").link("x"), &payload).member(member, "")
        };
        s.tar(format!("X05-extension-{id}"), what, tar, Accepted);
    }
    s.gz("T24-one-block", "one zero block and nothing else", gzip([0; 512]), Refused("tar-no-end"));
}
