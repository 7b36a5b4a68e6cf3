//! G rows: the gzip member around the tar stream, its header, its trailer, and what follows it.

use super::{Case, Expect::*, Sheet};
use crate::support::gzip::{Gzip, deflate, gzip, padded, stored, to_block};
use crate::support::tar::Tar;
use crate::support::tree;

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    members(&mut s);
    after(&mut s);
    padding(&mut s);
    trailer(&mut s);
    truncated(&mut s);
    header(&mut s);
    header_options(&mut s);
    body(&mut s);
    order(&mut s);
    s.done()
}

fn stream() -> Vec<u8> {
    Tar::skill().file("a", "1").end()
}

fn member() -> Gzip {
    Gzip::new(stream())
}

fn accepted(s: &mut Sheet, id: impl Into<String>, what: &'static str, bytes: Vec<u8>) {
    s.gz(id, what, bytes, Accepted).tree([tree::file("a", "1")]);
}

fn members(s: &mut Sheet) {
    let refused = Refused("gzip-multi-member");
    let whole = stream();
    for (id, at) in
        [("inside-file", 600), ("at-header", 1024), ("before-end", whole.len() - 1024), ("in-end", whole.len() - 512)]
    {
        let (first, second) = whole.split_at(at);
        s.gz(format!("G01-{id}"), "one tar stream in two members", [gzip(first), gzip(second)].concat(), refused);
    }
    let second = Tar::empty().file("hidden", "2").end();
    s.gz("G02-second-tar", "a second member with another tar", [gzip(&whole), gzip(second)].concat(), refused);
    s.gz("G02-empty-after", "an empty second member", [gzip(&whole), gzip("")].concat(), refused);
    s.gz("G02-empty-before", "an empty first member", [gzip(""), gzip(&whole)].concat(), refused);
    s.gz("G02-header-only", "the header of a second member", [gzip(&whole), member().header()].concat(), refused);
    s.gz("G02-magic-only", "the magic of a second member", [gzip(&whole), vec![0x1f, 0x8b]].concat(), refused);
    s.gz(
        "G02-broken-second",
        "a second member that is broken",
        [gzip(&whole), member().with(|g| g.method = 9).build()].concat(),
        refused,
    );
    s.gz("G01-bgzip", "blocks as bgzip writes them", bgzip(&whole, 700), refused);
    let gap = [padded(gzip(&whole), to_block(gzip(&whole).len())), gzip(stream())].concat();
    s.gz("G04-member-after-zeros", "a second member after padding", gap, Refused("gzip-trailing-data"));
}

/// Small members with their length in an extra field, and an empty one at the end.
fn bgzip(data: &[u8], step: usize) -> Vec<u8> {
    let blocks = data.chunks(step).chain([&b""[..]]);
    let block = |bytes: &[u8]| {
        let plain = Gzip::new(bytes).with(|g| g.extra = Some(b"BC\x02\0\0\0".to_vec()));
        let length = (plain.build().len() - 1) as u16;
        plain.with(|g| g.extra = Some([&b"BC\x02\0"[..], &length.to_le_bytes()].concat())).build()
    };
    blocks.flat_map(block).collect()
}

fn after(s: &mut Sheet) {
    let refused = Refused("gzip-trailing-data");
    for (id, tail) in [
        ("garbage", &b"GARBAGE!"[..]),
        ("newline", b"\n"),
        ("one-byte", b"x"),
        ("half-magic", b"\x1f"),
        ("half-magic-other", b"\x1f\x8a"),
        ("zip", b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        ("signature", b"-----BEGIN SIGNATURE-----\n"),
    ] {
        s.gz(format!("G03-{id}"), "bytes after the member", [gzip(stream()), tail.to_vec()].concat(), refused);
    }
    let mut last = padded(gzip(stream()), to_block(gzip(stream()).len()));
    *last.last_mut().expect("not empty") = 1;
    s.gz("G04-last-not-zero", "padding whose last byte is not NUL", last, refused);
    let mut first = padded(gzip(stream()), to_block(gzip(stream()).len()));
    let at = gzip(stream()).len();
    first[at] = b'\n';
    s.gz("G04-first-not-zero", "padding whose first byte is not NUL", first, refused);
}

/// Fewer than 10,240 NULs that end at a multiple of 512.
fn padding(s: &mut Sheet) {
    let refused = Refused("gzip-trailing-data");
    let file = gzip(stream());
    let block = to_block(file.len());
    accepted(s, "G04-none", "no padding", file.clone());
    accepted(s, "G04-block", "padding to the next 512", padded(file.clone(), block));
    accepted(s, "G04-blocks", "padding to the second next 512", padded(file.clone(), block + 512));
    accepted(
        s,
        "G04-bsdtar",
        "padding to 10,240, as bsdtar writes to a pipe",
        padded(file.clone(), 10_240 - file.len()),
    );
    s.gz("G04-one-short", "one NUL less", padded(file.clone(), block - 1), refused);
    s.gz("G04-one-more", "one NUL more", padded(file.clone(), block + 1), refused);
    s.gz("G04-one", "a single NUL", padded(file.clone(), 1), refused);
    s.gz("G04-512", "512 NULs that end nowhere", padded(file, 512), refused);
    // A name in the header brings the member to the length that is wanted.
    let sized = |rest: usize| {
        let plain = member().with(|g| g.name = Some(Vec::new())).build().len();
        let fill = (rest + 512 - plain % 512) % 512;
        let file = member().with(|g| g.name = Some(vec![b'n'; fill])).build();
        assert_eq!(file.len() % 512, rest);
        file
    };
    accepted(s, "G04-most", "10,239 NULs", padded(sized(1), 10_239));
    s.gz("G04-too-many", "10,240 NULs", padded(sized(0), 10_240), refused);
    s.gz("G04-far-too-many", "10,751 NULs", padded(sized(1), 10_239 + 512), refused);
    accepted(s, "G04-aligned", "no padding, at a multiple of 512", sized(0));
    accepted(s, "G04-aligned-more", "512 NULs, from one multiple of 512 to the next", padded(sized(0), 512));
    accepted(s, "G04-one-fits", "a single NUL that ends at a multiple of 512", padded(sized(511), 1));
}

fn trailer(s: &mut Sheet) {
    let refused = Refused("gzip-crc");
    s.gz("G05-crc", "a wrong CRC", member().with(|g| g.crc ^= 1).build(), refused);
    s.gz("G05-crc-high", "a CRC wrong in its last byte", member().with(|g| g.crc ^= 1 << 31).build(), refused);
    s.gz("G05-crc-zero", "a CRC of zero", member().with(|g| g.crc = 0).build(), refused);
    s.gz("G05-isize", "a wrong length", member().with(|g| g.isize += 1).build(), refused);
    s.gz("G05-isize-zero", "a length of zero", member().with(|g| g.isize = 0).build(), refused);
    s.gz(
        "G05-swapped",
        "CRC and length swapped",
        member().with(|g| (g.crc, g.isize) = (g.isize, g.crc)).build(),
        refused,
    );
    let mut flipped = member().with(|g| g.body = stored(&stream(), 60_000)).build();
    flipped[600] ^= 1;
    s.gz("G05-data", "a byte of the data changed", flipped, refused);
    let crc = member().with(|g| g.crc ^= 1).build();
    s.gz("G05-crc-padded", "a wrong CRC and padding", padded(crc.clone(), to_block(crc.len())), refused);
    s.gz("G05-crc-garbage", "a wrong CRC and garbage", [crc.clone(), b"x".to_vec()].concat(), refused);
    s.gz("G05-crc-member", "a wrong CRC and a second member", [crc, gzip("x")].concat(), refused);
}

fn truncated(s: &mut Sheet) {
    let refused = Refused("gzip-truncated");
    let whole = gzip(stream());
    for cut in [1, 4, 5, 7, 8] {
        s.gz(format!("G05-cut-{cut}"), "the trailer is cut", whole[..whole.len() - cut].to_vec(), refused);
    }
    s.gz("G05-cut-deflate", "the deflate stream is cut by one byte", whole[..whole.len() - 9].to_vec(), refused);
    s.gz("G05-cut-half", "half of the file", whole[..whole.len() / 2].to_vec(), refused);
    for length in [2, 3, 9, 10, 11] {
        s.gz(format!("G05-first-{length}"), "only the first bytes", whole[..length].to_vec(), refused);
    }
    let options = member().with(|g| {
        (g.extra, g.name, g.comment) = (Some(b"extra".to_vec()), Some(b"name".to_vec()), Some(b"comment".to_vec()));
        g.header_crc = Some(0);
    });
    let header = options.header();
    for length in [11, 12, 14, 17, 20, 25, header.len() - 1] {
        s.gz(format!("G06-cut-options-{length}"), "the header is cut", header[..length].to_vec(), refused);
    }
    let extra = [&member().with(|g| g.extra_flags = 4).header()[..], &[0xff, 0xff], b"short"].concat();
    s.gz("G06-extra-beyond", "an extra field longer than the file", extra, refused);
    let open = [&member().with(|g| g.extra_flags = 8).header()[..], &[b'n'; 1000]].concat();
    s.gz("G06-name-open", "a name that never ends", open, refused);
    let tar_cut = Gzip::new(&stream()[..700]);
    s.gz(
        "G05-tar-cut-too",
        "a cut trailer over a cut tar stream",
        tar_cut.build()[..tar_cut.build().len() - 3].to_vec(),
        refused,
    );
    let mut open = stored(&stream(), 60_000);
    open[0] = 0;
    s.gz(
        "G05-no-final-block",
        "no deflate block says that it is the last",
        [member().header(), open].concat(),
        refused,
    );
}

fn header(s: &mut Sheet) {
    let refused = Refused("gzip-header");
    for bit in [5, 6, 7] {
        s.gz(
            format!("G06-reserved-{bit}"),
            "a reserved flag",
            member().with(|g| g.extra_flags = 1 << bit).build(),
            refused,
        );
    }
    for method in [0, 7, 9, 255] {
        s.gz(
            format!("G06-method-{method}"),
            "another method than deflate",
            member().with(|g| g.method = method).build(),
            refused,
        );
    }
    s.gz("G06-fhcrc-wrong", "a wrong header CRC", member().with(|g| g.header_crc = Some(1)).build(), refused);
    let full = member().with(|g| {
        (g.extra, g.name, g.comment, g.header_crc) =
            (Some(b"e".to_vec()), Some(b"n".to_vec()), Some(b"c".to_vec()), Some(0x8000));
    });
    s.gz("G06-fhcrc-wrong-options", "a wrong header CRC over all options", full.build(), refused);
    let long = |name: usize| member().with(|g| g.name = Some(vec![b'n'; name]));
    s.gz("G06-name-70000", "a name of 70,000 bytes", long(70_000).build(), refused);
    s.gz("G06-header-65537", "a header of 65,537 bytes", long(65_537 - 11).build(), refused);
    accepted(s, "G06-header-65536", "a header of 65,536 bytes", long(65_536 - 11).build());
    s.gz(
        "G06-comment-70000",
        "a comment of 70,000 bytes",
        member().with(|g| g.comment = Some(vec![b'c'; 70_000])).build(),
        refused,
    );
    s.gz(
        "G06-extra-65535",
        "an extra field of 65,535 bytes",
        member().with(|g| g.extra = Some(vec![0; 65_535])).build(),
        refused,
    );
    let extra_and_name = member().with(|g| (g.extra, g.name) = (Some(vec![0; 60_000]), Some(vec![b'n'; 6000])));
    s.gz("G06-extra-and-name", "extra field and name together too long", extra_and_name.build(), refused);
    let unended = [long(0).with(|g| (g.name, g.extra_flags) = (None, 8)).header(), vec![b'n'; 80_000]].concat();
    s.gz("G06-name-never-ends", "a name of 80,000 bytes without an end", unended, refused);
}

fn header_options(s: &mut Sheet) {
    accepted(s, "G06-ftext", "the text flag", member().with(|g| g.extra_flags = 1).build());
    accepted(s, "G06-fhcrc", "a right header CRC", member().with(|g| g.header_crc = Some(0)).build());
    accepted(s, "G06-extra", "an extra field", member().with(|g| g.extra = Some(b"AB\x01\0x".to_vec())).build());
    accepted(s, "G06-extra-empty", "an empty extra field", member().with(|g| g.extra = Some(Vec::new())).build());
    accepted(
        s,
        "G06-extra-malformed",
        "an extra field without structure",
        member().with(|g| g.extra = Some(b"x".to_vec())).build(),
    );
    accepted(s, "G06-comment", "a comment", member().with(|g| g.comment = Some(b"hello".to_vec())).build());
    accepted(
        s,
        "G06-name",
        "a name, as gzip writes it",
        member().with(|g| g.name = Some(b"skill.tar".to_vec())).build(),
    );
    accepted(s, "G06-name-empty", "an empty name", member().with(|g| g.name = Some(Vec::new())).build());
    let all = member().with(|g| {
        (g.extra, g.name, g.comment) = (Some(b"AB\x01\0x".to_vec()), Some(b"n".to_vec()), Some(b"c".to_vec()));
        (g.header_crc, g.extra_flags, g.mtime, g.xfl, g.os) = (Some(0), 1, u32::MAX, 2, 3);
    });
    accepted(s, "G06-all", "every option at once", all.build());
    accepted(
        s,
        "G06-os",
        "odd values where nothing depends on them",
        member().with(|g| (g.mtime, g.xfl, g.os) = (1, 99, 77)).build(),
    );
    accepted(
        s,
        "G07-name-traversal",
        "a name that leads out",
        member().with(|g| g.name = Some(b"../../x".to_vec())).build(),
    );
    accepted(
        s,
        "G07-name-escape",
        "a name with control bytes",
        member().with(|g| g.name = Some(b"\x1b[31m\r\n".to_vec())).build(),
    );
    accepted(
        s,
        "G07-comment-escape",
        "a comment with control bytes",
        member().with(|g| g.comment = Some(b"\x1b]0;x\x07".to_vec())).build(),
    );
}

fn body(s: &mut Sheet) {
    for level in 0..=9 {
        accepted(
            s,
            format!("G-level-{level}"),
            "a compression level",
            member().with(|g| g.body = deflate(&stream(), level)).build(),
        );
    }
    for step in [1, 2, 511, 512, 513] {
        accepted(
            s,
            format!("R07-stored-{step}"),
            "stored blocks of a few bytes",
            member().with(|g| g.body = stored(&stream(), step)).build(),
        );
    }
    let with_empty = [vec![0, 0, 0, 0xff, 0xff].repeat(50), deflate(&stream(), 6)].concat();
    accepted(
        s,
        "G-empty-blocks",
        "empty stored blocks first, as a sync flush leaves them",
        member().with(|g| g.body = with_empty).build(),
    );
    let refused = Refused("deflate-invalid");
    let with = |body: &[u8]| member().with(|g| g.body = body.to_vec()).build();
    s.gz("G-block-type-3", "a block of the type that does not exist", with(&[7, 0, 0, 0, 0, 0, 0, 0]), refused);
    s.gz("G-stored-length", "a stored block whose length check fails", with(&[1, 5, 0, 0, 0, 1, 2, 3, 4, 5]), refused);
    s.gz("G-distance", "a copy from before the beginning", with(&[0x03, 0x02, 0, 0]), refused);
    s.gz("G-random", "bytes that are no deflate stream", with(&[0xff; 64]), refused);
    let mut broken = deflate(&stream(), 6);
    let middle = broken.len() / 2;
    broken.truncate(middle);
    broken.extend_from_slice(&[0xff; 300]);
    s.gz(
        "G-broken-middle",
        "a deflate stream that breaks off into junk",
        member().with(|g| g.body = broken).build(),
        refused,
    );
}

/// More than one defect: a member that is refused for itself comes before what is found behind it.
fn order(s: &mut Sheet) {
    let evil = || Gzip::new(Tar::skill().file("../x", "1").end());
    s.gz(
        "G-order-crc",
        "a refused name and a wrong CRC",
        evil().with(|g| g.crc ^= 1).build(),
        Refused("path-traversal"),
    )
    .at(2);
    s.gz(
        "G-order-member",
        "a refused name and a second member",
        [evil().build(), gzip("x")].concat(),
        Refused("path-traversal"),
    );
    s.gz(
        "G-order-trailing",
        "a refused name and garbage",
        [evil().build(), b"x".to_vec()].concat(),
        Refused("path-traversal"),
    );
    let cut = Gzip::new(Tar::skill().file("a", "1").unended());
    s.gz(
        "G-order-no-end",
        "no end blocks and a wrong CRC: the CRC is judged first",
        cut.clone().with(|g| g.crc ^= 1).build(),
        Refused("gzip-crc"),
    );
    s.gz(
        "G-order-no-end-member",
        "no end blocks and a second member",
        [cut.build(), gzip([0; 1024])].concat(),
        Refused("gzip-multi-member"),
    );
    s.gz(
        "G-order-no-end-garbage",
        "no end blocks and garbage",
        [cut.build(), b"x".to_vec()].concat(),
        Refused("gzip-trailing-data"),
    );
    let truncated = Gzip::new(&stream()[..600]);
    s.gz(
        "G-order-truncated",
        "a cut tar stream and a wrong CRC",
        truncated.with(|g| g.crc ^= 1).build(),
        Refused("gzip-crc"),
    );
    let missing = Gzip::new(Tar::empty().file("a", "1").end());
    s.gz("G-order-skill-md", "no SKILL.md and a wrong CRC", missing.with(|g| g.crc ^= 1).build(), Refused("gzip-crc"));
    let dangling = Gzip::new(Tar::skill().symlink("l", "nowhere").end());
    s.gz(
        "G-order-link",
        "a dangling link and a wrong CRC: with bytes missing or wrong nobody knows what dangles",
        dangling.with(|g| g.crc ^= 1).build(),
        Refused("gzip-crc"),
    );
}
