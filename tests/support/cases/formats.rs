//! T35 and D08 rows: the declared format against the bytes, and files that are no archive.

use super::{Case, Expect::*, Sheet};
use crate::support::SKILL_MD;
use crate::support::carrier::{Carrier, skill_md};
use crate::support::gzip::{Gzip, gzip};
use crate::support::tar::{Header, Tar, record};
use crate::support::zip::{Entry, Zip};

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    let tar = Tar::skill().end();
    let zip = Zip::skill().build();
    let mismatch = Refused("format-mismatch");
    s.raw("T35-zip-as-tar", "a zip declared as tar.gz", Carrier::TarGz, zip.clone(), mismatch);
    s.raw("T35-tar-as-zip", "a tar.gz declared as zip", Carrier::Zip, gzip(&tar), mismatch);
    s.raw("T35-empty-zip-as-tar", "an empty zip declared as tar.gz", Carrier::TarGz, Zip::empty().build(), mismatch);
    for format in Carrier::ALL {
        let id = |name: &str| format!("T35-{name}.{}", format.suffix());
        for (name, head) in [
            ("xz", &b"\xfd7zXZ\0\0\x04"[..]),
            ("zstd", b"\x28\xb5\x2f\xfd\x04\x58"),
            ("bzip2", b"BZh91AY&SY"),
            ("7z", b"7z\xbc\xaf\x27\x1c\0\x04"),
            ("rar", b"Rar!\x1a\x07\x01\0"),
        ] {
            let bytes = [head, &[0x55; 600]].concat();
            s.raw(id(name), "another compression than the declared one", format, bytes, mismatch);
        }
        s.raw(id("plain-tar"), "a tar that is not compressed", format, tar.clone(), mismatch);
        let none = Refused("not-an-archive");
        s.raw(id("empty"), "an empty file", format, Vec::new(), none);
        let html = b"<!DOCTYPE html>\n<html><head><title>404</title></head><body>Not found</body></html>\n".to_vec();
        s.raw(id("html"), "an error page", format, html, none);
        s.raw(
            id("escape"),
            "a text with control bytes at its beginning",
            format,
            b"\x1b]0;x\x07\x1b[2J::error::x\r\n".to_vec(),
            none,
        );
        s.raw(
            id("bidi"),
            "a text with bidirectional controls at its beginning",
            format,
            "\u{202e}txt\u{2066}##vso[x]".into(),
            none,
        );
        s.raw(id("binary"), "bytes of no kind", format, (0..=255).rev().collect(), none);
        s.raw(id("skill-md"), "a bare SKILL.md", format, SKILL_MD.to_vec(), none);
        s.raw(id("zeros"), "NULs", format, vec![0; 10_240], none);
        s.raw(id("one-byte"), "one byte", format, vec![0x1f], none);
        s.raw(id("pk"), "the letters PK", format, b"PK".to_vec(), none);
        s.raw(
            id("newline-first"),
            "a newline before the archive",
            format,
            [b"\n".to_vec(), format.write(&[skill_md()])].concat(),
            none,
        );
    }
    let sfx = [b"MZ\x90\0".to_vec(), vec![0; 200], zip].concat();
    s.raw("T35-sfx", "a zip behind a program", Carrier::Zip, sfx, Refused("not-an-archive"));
    let polyglot = [gzip(&tar), Zip::skill().build()].concat();
    s.raw(
        "D08-gzip-then-zip",
        "a tar.gz with a zip behind it",
        Carrier::TarGz,
        polyglot.clone(),
        Refused("gzip-trailing-data"),
    );
    s.raw("D08-gzip-then-zip-as-zip", "the same, declared as zip", Carrier::Zip, polyglot, mismatch);
    for (id, name) in [("tar", &b"x.tar"[..]), ("zip", b"x.zip")] {
        let tar_gz = Gzip::new(&tar).with(|gzip| gzip.name = Some(name.to_vec())).build();
        s.raw(
            format!("T35-gzip-name-{id}"),
            "a tar.gz whose gzip header names another type",
            Carrier::TarGz,
            tar_gz,
            Accepted,
        );
    }
    let inside = [Entry::file("inner.tar.gz", gzip(&tar)), Entry::file("inner.zip", Zip::skill().build())];
    let zip_inside = inside.iter().cloned().fold(Zip::skill(), Zip::entry).build();
    s.raw("T35-archives-inside", "archives inside a zip: files like any other", Carrier::Zip, zip_inside, Accepted);
    s.stream("T35-zip-in-gzip", "a zip, compressed with gzip", Zip::skill().build(), Refused("tar-truncated"));
    s.stream("T35-double-gzip", "a tar.gz, compressed once more", gzip(&tar), Refused("tar-truncated"));
    s.stream("T35-gzip-text", "a compressed text of a few bytes", b"hello\n".to_vec(), Refused("tar-truncated"));
    two_faces(&mut s, &tar);
    s.done()
}

/// Files that are two archives: which one a reader sees depends on where it looks first.
fn two_faces(s: &mut Sheet, tar: &[u8]) {
    let mismatch = Refused("format-mismatch");
    let mut extra = vec![0; 400];
    extra[245..250].copy_from_slice(b"ustar");
    let gzip_tar = Gzip::new(tar).with(|gzip| gzip.extra = Some(extra)).build();
    s.raw("D08-gzip-and-tar", "a tar header around the gzip header", Carrier::TarGz, gzip_tar, mismatch);
    let mut content = vec![b'.'; 400];
    content[226..231].copy_from_slice(b"ustar");
    let zip = Zip::empty().entry(Entry::file("a", &content)).entry(Entry::file("SKILL.md", SKILL_MD)).build();
    s.raw("D08-zip-and-tar", "a tar header around the zip header", Carrier::Zip, zip, mismatch);
    let with_end_record = |comment: usize| {
        let mut record = b"PK\x05\x06".to_vec();
        record.resize(20, 0);
        record.extend_from_slice(&u16::try_from(comment).unwrap().to_le_bytes());
        Gzip::new(tar).with(|gzip| gzip.extra = Some(record)).build()
    };
    // The extra field begins at byte 12.
    let comment = with_end_record(0).len() - 12 - 22;
    s.raw(
        "D08-gzip-and-zip",
        "an end record whose comment is the rest of a gzip",
        Carrier::TarGz,
        with_end_record(comment),
        mismatch,
    );
    let other = with_end_record(comment - 1);
    s.raw("D08-gzip-and-no-zip", "an end record that ends elsewhere", Carrier::TarGz, other, Accepted);
    for name in ["BZh91AY&SYx", "#mtree", "begin 644 x"] {
        let id = format!("D08-name-{}", name.split([' ', '9']).next().unwrap_or_default().trim_start_matches('#'));
        let tar = Tar::empty().file(name, "1").file("SKILL.md", SKILL_MD);
        s.tar(id, "a first name that bsdtar takes for another format", tar, Refused("tar-header"));
    }
    let hidden = Tar::empty().member(Header::ustar(b'x', b"\x1f\x8b\x08"), record("path", "SKILL.md"));
    let hidden = hidden.member(Header::ustar(b'0', "x"), SKILL_MD);
    s.tar("D08-name-gzip", "a first header whose unused name is a gzip signature", hidden, Refused("tar-header"));
    let fine =
        Tar::empty().file("begin here.md", "1").file("SKILL.md", SKILL_MD).file("#mtree", "1").file("BZh.md", "1");
    s.tar("D08-name-fine", "names that look a little alike, or come later", fine, Accepted);
}
