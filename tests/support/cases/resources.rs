//! R rows at the default limits: bombs, floods, and big archives that have to pass. Made when they are needed.

use super::{Case, Expect::*, Sheet};
use crate::support::carrier::Carrier;
use crate::support::gzip::{Gzip, crc32, gzip, stored};
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
    overlaps(&mut s);
    recursion(&mut s);
    frontmatter(&mut s);
    lies(&mut s);
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

/// Fifield's bombs: members that share their data, so that a small file expands to any size.
fn overlaps(s: &mut Sheet) {
    let (zip, refused) = (Carrier::Zip, Refused("zip-overlap"));
    s.lazy("R05-kernel-2", "two members that share one kernel of 1 MiB", zip, || shared_kernel(2), refused);
    s.lazy("R05-kernel-250", "250 members that share one kernel of 1 MiB", zip, || shared_kernel(250), refused);
    s.lazy("R05-kernel-4000", "4000 members that share one kernel of 1 MiB", zip, || shared_kernel(4000), refused);
    s.lazy("R05-quoted-2", "a member whose data quotes the next one's header", zip, || quoted(2), refused);
    s.lazy("R05-quoted-250", "250 members, each quoting the next one's header", zip, || quoted(250), refused);
    let alone = || quoted_entries(2).into_iter().take(1).fold(Zip::skill(), Zip::entry).build();
    s.lazy("R05-quoted-1", "the same data in one member: it quotes nothing that is listed", zip, alone, Accepted);
}

fn shared_kernel(members: usize) -> Vec<u8> {
    let at = Zip::skill().places().central as u32;
    let kernel = Entry::file("m0000", vec![0; MIB]).deflated();
    let (packed, crc) = (kernel.packed(), crc32(&kernel.data));
    let member = |n: usize| {
        Entry::file(format!("m{n:04}"), "").deflated().with(|e| {
            e.local.omit = true;
            e.body = Some(packed.clone());
            (e.central.offset, e.central.crc, e.central.size) = (Some(at), Some(crc), Some(MIB as u32));
        })
    };
    (1..members).map(member).fold(Zip::skill().entry(kernel.clone()), Zip::entry).build()
}

/// Each member begins with a stored block that holds the next one's local header, and goes on as the next one does.
fn quoted_entries(members: usize) -> Vec<Entry> {
    let name = |n: usize| format!("m{n:04}");
    let mut entries = vec![Entry::file(name(members), vec![0; 64 << 10]).deflated()];
    for n in (1..members).rev() {
        let next = entries.last().expect("the kernel is there");
        let body = next.packed();
        let local = Zip::empty().entry(next.clone()).build()[..30 + next.name.len()].to_vec();
        let length = u16::try_from(local.len()).expect("a short header");
        let block = [&[0][..], &length.to_le_bytes(), &(!length).to_le_bytes(), &local].concat();
        let data = [&local[..], &next.data].concat();
        let entry = Entry::file(name(n), data).deflated();
        entries.push(entry.with(|e| e.body = Some([block, body].concat())));
    }
    entries.reverse();
    entries
}

fn quoted(members: usize) -> Vec<u8> {
    let at = Zip::skill().places().central;
    let step = 30 + "m0000".len() + 5;
    let entries = quoted_entries(members).into_iter().enumerate();
    let entries = entries
        .map(|(n, entry)| entry.with(|e| (e.local.omit, e.central.offset) = (n > 0, Some((at + n * step) as u32))));
    entries.fold(Zip::skill(), Zip::entry).build()
}

/// What makes a recursive reader run out of stack.
fn recursion(s: &mut Sheet) {
    let deep = |levels: usize| "a/".repeat(levels) + "f";
    let pax = |path: String| gzip(Tar::skill().pax(&[("path", path.as_bytes())]).file("x", "1").end());
    s.gz("R09-levels-24", "24 levels", pax(deep(23)), Accepted);
    s.gz("R09-levels-25", "25 levels", pax(deep(24)), Refused("path-too-deep"));
    s.gz("R09-levels-20000", "20,000 levels", pax(deep(20_000)), Refused("path-too-long"));
    s.zip("R09-zip-levels-25", "25 levels", Zip::skill().file(deep(24), "1"), Refused("path-too-deep"));
    s.zip("R09-zip-levels-20000", "20,000 levels", Zip::skill().file(deep(20_000), "1"), Refused("path-too-long"));
    for (id, open, close) in [("list", "[", "]"), ("map", "{a: ", "}"), ("block", "", "")] {
        let yaml = |levels: usize| {
            let nested = if id == "block" {
                (0..levels).map(|level| format!("\n{}-", " ".repeat(level + 1))).collect::<String>() + " x"
            } else {
                format!("{}x{}", open.repeat(levels), close.repeat(levels))
            };
            gzip(Tar::empty().file("SKILL.md", format!("---\nname: a\ndescription: b\nx: {nested}\n---\n")).end())
        };
        s.gz(format!("R09-yaml-{id}-6"), "frontmatter nested a little", yaml(6), Accepted);
        let levels = if id == "block" { 1000 } else { 100_000 };
        s.gz(format!("R09-yaml-{id}"), "frontmatter nested beyond reason", yaml(levels), Refused("skill-md-invalid"));
    }
}

/// Frontmatter that costs more than its size, or is larger than any that is needed.
fn frontmatter(s: &mut Sheet) {
    let skill = |yaml: String| {
        gzip(Tar::empty().file("SKILL.md", format!("---\nname: a\ndescription: b\n{yaml}\n---\n")).end())
    };
    let refused = Refused("skill-md-invalid");
    let keys = |count: usize| (0..count).map(|n| format!("k{n}: 1\n")).collect::<String>();
    s.gz("R08-yaml-900-keys", "frontmatter of many keys", skill(keys(900)), Accepted);
    s.gz("R08-yaml-1100-keys", "frontmatter of more keys", skill(keys(1100)), refused);
    s.gz("R08-yaml-60k", "frontmatter of 60 KiB", skill(format!("x: {}", "y".repeat(60 << 10))), Accepted);
    s.gz("R08-yaml-65k", "frontmatter of 65 KiB", skill(format!("x: {}", "y".repeat(65 << 10))), refused);
    let laughs = (1..9).map(|n| format!("l{n}: &l{n} [{}]\n", vec![format!("*l{}", n - 1); 9].join(", ")));
    let laughs = format!("l0: &l0 [{}]\n{}", vec!["ha"; 9].join(", "), laughs.collect::<String>());
    s.gz("R08-yaml-laughs", "aliases of aliases of aliases", skill(laughs), refused);
}

/// Sizes that are declared and do not come: nothing may be set aside for them.
fn lies(s: &mut Sheet) {
    let size = 49 << 20;
    let cut = Tar::skill().header(Header::ustar(b'0', "large").size(size)).data("little");
    s.stream("R13-tar", "a file that declares 49 MiB and has six bytes", cut.unended(), Refused("tar-truncated")).at(2);
    let many = (0..20).fold(Tar::skill(), |tar, n| tar.file(format!("f{n}"), ""));
    let many = many.header(Header::ustar(b'0', "large").size(size)).data("little");
    s.stream("R13-tar-late", "the same behind other files", many.unended(), Refused("tar-truncated")).at(22);
    for (id, entry) in
        [("stored", Entry::file("large", "little")), ("deflated", Entry::file("large", "little").deflated())]
    {
        let entry = entry.with(|e| (e.local.size, e.central.size) = (Some(size as u32), Some(size as u32)));
        s.zip(
            format!("R13-zip-{id}"),
            "a file that declares 49 MiB and has six bytes",
            Zip::skill().entry(entry),
            Refused("zip-size-mismatch"),
        )
        .at(2);
    }
}
