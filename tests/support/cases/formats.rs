//! T35 and D08 rows: the declared format against the bytes, and files that are no archive.

use super::{Case, Expect::*, Sheet};
use crate::support::SKILL_MD;
use crate::support::carrier::{Carrier, skill_md};
use crate::support::gzip::gzip;
use crate::support::tar::Tar;
use crate::support::zip::Zip;

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    let tar = Tar::skill().end();
    let zip = Zip::skill().build();
    let mismatch = Refused("format-mismatch");
    s.raw("F-zip-as-tar", "a zip declared as tar.gz", Carrier::TarGz, zip.clone(), mismatch);
    s.raw("F-tar-as-zip", "a tar.gz declared as zip", Carrier::Zip, gzip(&tar), mismatch);
    s.raw("F-empty-zip-as-tar", "an empty zip declared as tar.gz", Carrier::TarGz, Zip::empty().build(), mismatch);
    for format in Carrier::ALL {
        let id = |name: &str| format!("F-{name}.{}", format.suffix());
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
    s.raw("F-sfx", "a zip behind a program", Carrier::Zip, sfx, Refused("not-an-archive"));
    let polyglot = [gzip(&tar), Zip::skill().build()].concat();
    s.raw(
        "D08-gzip-then-zip",
        "a tar.gz with a zip behind it",
        Carrier::TarGz,
        polyglot.clone(),
        Refused("gzip-trailing-data"),
    );
    s.raw("D08-gzip-then-zip-as-zip", "the same, declared as zip", Carrier::Zip, polyglot, mismatch);
    s.stream("F-double-gzip", "a tar.gz, compressed once more", gzip(&tar), Refused("tar-truncated"));
    s.stream("F-gzip-text", "a compressed text of a few bytes", b"hello\n".to_vec(), Refused("tar-truncated"));
    s.done()
}
