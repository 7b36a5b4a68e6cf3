//! R rows at the default limits: bombs, floods, and big archives that have to pass. Made when they are needed.

use super::{Case, Expect::*, Sheet};
use crate::support::carrier::Carrier;
use crate::support::gzip::{Gzip, gzip, stored};
use crate::support::tar::{Header, Tar, record};
use crate::support::zip::{Entry, Zip};

const MIB: usize = 1 << 20;

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    ratio(&mut s);
    floods(&mut s);
    metadata(&mut s);
    tail(&mut s);
    quadratic(&mut s);
    s.done()
}

fn zeros_tar(mebibytes: usize) -> Vec<u8> {
    gzip(Tar::skill().file("zeros", vec![0; mebibytes * MIB]).end())
}

fn zeros_zip(mebibytes: usize) -> Vec<u8> {
    Zip::skill().entry(Entry::file("zeros", vec![0; mebibytes * MIB]).deflated()).build()
}

fn ratio(s: &mut Sheet) {
    let (tar, zip) = (Carrier::TarGz, Carrier::Zip);
    s.lazy("R01-below-floor.tar", "7 MiB of zeros: below the floor", tar, || zeros_tar(7), Accepted);
    s.lazy("R01-below-floor.zip", "7 MiB of zeros: below the floor", zip, || zeros_zip(7), Accepted);
    s.lazy("R01-above-floor.tar", "9 MiB of zeros", tar, || zeros_tar(9), Refused("limit-ratio"));
    s.lazy("R01-above-floor.zip", "9 MiB of zeros", zip, || zeros_zip(9), Refused("limit-ratio"));
    s.lazy("R01-raised.tar", "9 MiB of zeros where that is allowed", tar, || zeros_tar(9), Accepted)
        .args(&["--max-ratio", "2000"]);
    s.lazy("R01-raised.zip", "9 MiB of zeros where that is allowed", zip, || zeros_zip(9), Accepted)
        .args(&["--max-ratio", "2000"]);
    s.lazy("R02-file-default.tar", "51 MiB in one file", tar, || zeros_tar(51), Refused("limit-file"))
        .args(&["--max-ratio", "2000"]);
    s.lazy("R02-file-default.zip", "51 MiB in one file", zip, || zeros_zip(51), Refused("limit-file"))
        .args(&["--max-ratio", "2000"]);
    let sum = || {
        let files = (0..11).fold(Tar::skill(), |tar, n| tar.file(format!("f{n}"), vec![0; 10 * MIB]));
        gzip(files.end())
    };
    s.lazy("R02-total-default.tar", "110 MiB in eleven files", tar, sum, Refused("limit-total"))
        .args(&["--max-ratio", "2000"]);
    let many = || {
        let files =
            (0..40).fold(Zip::skill(), |zip, n| zip.entry(Entry::file(format!("f{n}"), vec![0; MIB]).deflated()));
        files.build()
    };
    s.lazy(
        "R01-many-files.zip",
        "40 MiB of zeros in 40 files: the ratio is the archive's",
        zip,
        many,
        Refused("limit-ratio"),
    );
    let text = || {
        // Plain text of a kind that compresses well, and still far below the limit.
        let lines: String =
            (0..250_000).map(|n: u64| format!("line {} of the table {}\n", n, n.wrapping_mul(0x9e37_79b9))).collect();
        gzip(Tar::skill().file("table.txt", lines).end())
    };
    s.lazy("R01-text.tar", "a long table of text", tar, text, Accepted);
}

fn floods(s: &mut Sheet) {
    let tar = Carrier::TarGz;
    s.lazy("R03-4096.tar", "4096 entries", tar, || flood_tar(4095), Accepted);
    s.lazy("R03-4097.tar", "4097 entries", tar, || flood_tar(4096), Refused("limit-entries"));
    s.lazy("R03-20000.tar", "20,000 empty files", tar, || flood_tar(20_000), Refused("limit-entries"));
    s.lazy("R03-4097.zip", "4097 entries", Carrier::Zip, || flood_zip(4096), Refused("limit-entries"));
    s.lazy("R03-20000.zip", "20,000 empty files", Carrier::Zip, || flood_zip(20_000), Refused("limit-entries"));
    s.lazy(
        "R06-deep-dirs.tar",
        "1000 directories of depth 20, all different",
        tar,
        || {
            let path = |n: usize| (0..20).map(|level| format!("d{n}-{level}")).collect::<Vec<_>>().join("/");
            gzip((0..1000).fold(Tar::skill(), |tar, n| tar.pax(&[("path", path(n).as_bytes())]).dir("x")).end())
        },
        Refused("limit-entries"),
    );
    s.lazy(
        "R03-same-dir.tar",
        "5000 times the same directory",
        tar,
        || gzip((0..5000).fold(Tar::skill(), |tar, _| tar.dir("d")).end()),
        Refused("limit-entries"),
    );
    s.lazy(
        "R03-links.tar",
        "5000 links",
        tar,
        || gzip((0..5000).fold(Tar::skill(), |tar, n| tar.symlink(format!("l{n}"), "SKILL.md")).end()),
        Refused("limit-entries"),
    );
}

fn flood_tar(count: usize) -> Vec<u8> {
    gzip((0..count).fold(Tar::skill(), |tar, n| tar.file(format!("f{n}"), "")).end())
}

fn flood_zip(count: usize) -> Vec<u8> {
    (0..count).fold(Zip::skill(), |zip, n| zip.file(format!("f{n}"), "")).build()
}

fn metadata(s: &mut Sheet) {
    let tar = Carrier::TarGz;
    let refused = Refused("limit-metadata");
    s.lazy("R04-pax-64k", "a pax header of 64 KiB", tar, || pax_of(65_536), Accepted);
    s.lazy("R04-pax-64k-more", "a pax header of 64 KiB and one byte", tar, || pax_of(65_537), refused);
    s.lazy("R04-global-64k", "global headers of 64 KiB together", tar, || globals_of(&[32_768, 32_768]), Accepted);
    s.lazy(
        "R04-global-64k-more",
        "global headers of 64 KiB and one byte together",
        tar,
        || globals_of(&[32_768, 32_769]),
        refused,
    );
    s.lazy("R04-global-one", "a global header of 64 KiB and one byte", tar, || globals_of(&[65_537]), refused);
    s.lazy(
        "R04-name-64k",
        "a long name of 64 KiB: no metadata bomb, only a long name",
        tar,
        || name_of(65_536),
        Refused("path-too-long"),
    );
    s.lazy("R04-name-64k-more", "a long name of 64 KiB and one byte", tar, || name_of(65_537), refused);
    s.lazy(
        "R04-link-64k-more",
        "a long link of 64 KiB and one byte",
        tar,
        || gzip(Tar::skill().long_link("n".repeat(65_536)).header(Header::gnu(b'2', "s")).end()),
        refused,
    );
    for (id, kind) in [("pax", b'x'), ("global", b'g'), ("name", b'L'), ("link", b'K')] {
        let header = if kind.is_ascii_lowercase() { Header::ustar(kind, "x") } else { Header::gnu(kind, "x") };
        let declared = Tar::skill().header(header.clone().size(150 << 20));
        s.stream(
            format!("R04-declared-{id}"),
            "an extension header that declares 150 MiB",
            declared.unended(),
            refused,
        );
        let huge = Tar::skill().header(header.base256(crate::support::tar::SIZE, i128::from(i64::MAX)));
        s.stream(format!("R04-declared-most-{id}"), "an extension header that declares 8 EiB", huge.unended(), refused);
    }
    s.lazy("R04-sum-8m", "8 MiB of pax headers", tar, || pax_sum(128), Accepted);
    s.lazy("R04-sum-8m-more", "more than 8 MiB of pax headers", tar, || pax_sum(129), refused);
    s.lazy(
        "R04-many-pax",
        "10,000 pax headers for nothing",
        tar,
        || gzip((0..10_000).fold(Tar::skill(), |tar, n| tar.pax(&[("mtime", b"1")]).file(format!("f{n}"), "")).end()),
        Refused("limit-entries"),
    );
    s.lazy(
        "R04-many-globals",
        "10,000 global headers",
        tar,
        || uncompressed(&(0..10_000).fold(Tar::skill(), |tar, _| tar.global(&[("a", b"")])).end()),
        Refused("limit-entries"),
    );
}

fn comment_of(bytes: usize) -> Vec<u8> {
    let overhead = bytes.to_string().len() + " comment=\n".len();
    let payload = record("comment", vec![b'c'; bytes - overhead]);
    assert_eq!(payload.len(), bytes);
    payload
}

fn pax_of(bytes: usize) -> Vec<u8> {
    gzip(Tar::skill().pax_raw(comment_of(bytes)).file("a", "1").end())
}

fn globals_of(sizes: &[usize]) -> Vec<u8> {
    gzip(sizes.iter().fold(Tar::skill(), |tar, &size| tar.global_raw(comment_of(size))).file("a", "1").end())
}

fn name_of(bytes: usize) -> Vec<u8> {
    gzip(Tar::skill().long_name("n".repeat(bytes - 1)).member(Header::gnu(b'0', "a"), "1").end())
}

fn pax_sum(headers: usize) -> Vec<u8> {
    uncompressed(
        &(0..headers).fold(Tar::skill(), |tar, n| tar.pax_raw(comment_of(65_536)).file(format!("f{n}"), "")).end(),
    )
}

/// Stored, so that no ratio comes into it.
fn uncompressed(stream: &[u8]) -> Vec<u8> {
    Gzip::new(stream).with(|g| g.body = stored(stream, 65_535)).build()
}

/// Zeros after the end are padding, and are counted like everything else.
fn tail(s: &mut Sheet) {
    let tar = Carrier::TarGz;
    s.lazy("R01-tail", "20 MiB of zeros after the end", tar, tail_20, Refused("limit-ratio"));
    s.lazy("R01-tail-raised", "20 MiB of zeros after the end, where that ratio is allowed", tar, tail_20, Accepted)
        .args(&["--max-ratio", "5000"]);
    s.lazy("R01-tail-total", "20 MiB of zeros after the end of a small skill", tar, tail_20, Refused("limit-total"))
        .args(&["--max-ratio", "5000", "--max-total", "1MiB", "--max-entries", "10"]);
}

fn tail_20() -> Vec<u8> {
    gzip(Tar::skill().zero_blocks(20 * 2048).end())
}

/// Shapes that cost a naive reader quadratic time.
fn quadratic(s: &mut Sheet) {
    let tar = Carrier::TarGz;
    s.lazy(
        "R08-links-to-links",
        "4000 links, each to the same link to a file",
        tar,
        || {
            gzip(
                (0..4000).fold(Tar::skill().symlink("l", "SKILL.md"), |tar, n| tar.symlink(format!("l{n}"), "l")).end(),
            )
        },
        Accepted,
    );
    s.lazy(
        "R08-deep",
        "150 files at the deepest level",
        tar,
        || {
            let path = |n: usize| format!("{}/f", vec![format!("d{n}"); 23].join("/"));
            gzip((0..150).fold(Tar::skill(), |tar, n| tar.pax(&[("path", path(n).as_bytes())]).file("x", "1")).end())
        },
        Accepted,
    );
    s.lazy(
        "R08-common-prefix",
        "3000 files whose long names differ at the end",
        tar,
        || {
            let name = |n: usize| format!("{}{n}", "p".repeat(200));
            gzip((0..3000).fold(Tar::skill(), |tar, n| tar.pax(&[("path", name(n).as_bytes())]).file("x", "1")).end())
        },
        Accepted,
    );
    s.lazy(
        "R08-combining",
        "names of many combining marks",
        tar,
        || {
            let name = |n: usize| format!("{n}{}", "\u{301}\u{323}".repeat(60));
            gzip((0..1000).fold(Tar::skill(), |tar, n| tar.pax(&[("path", name(n).as_bytes())]).file("x", "1")).end())
        },
        Accepted,
    );
}
