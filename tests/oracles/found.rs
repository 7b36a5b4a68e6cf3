//! What oracles and fuzzing found, as tests of the whole kind.

use skillx_archive::{Artifact, Code, Layout, Options, Report};

use crate::support::gzip::gzip;
use crate::support::tar::Tar;
use crate::support::zip::{Entry, Zip};

fn check(archive: Vec<u8>, options: &Options) -> Report {
    Artifact::from_bytes(archive).trust_without_digest().check(options)
}

/// Whatever a name comes down to, an entry that contradicts itself is refused: the root and a wrapper are no exceptions.
#[test]
fn a_root_or_wrapper_that_contradicts_its_own_kind_is_refused() {
    const DOS: u8 = 0;
    const VOLUME_LABEL: u32 = 0x08;
    let kinds: [(&str, fn(Entry) -> Entry); 4] = [
        ("a regular file", |entry| entry.unix_mode(0o100_644)),
        ("a link", |entry| entry.unix_mode(0o120_777)),
        ("a link not made on Unix", |entry| entry.unix_mode(0o120_777).host(DOS)),
        ("a volume label", |entry| entry.external(VOLUME_LABEL)),
    ];
    let any = Options::default().layout(Layout::Any);
    let stripping = Options::default().strip_root(true);
    for (what, kind) in kinds {
        for content in ["", "x"] {
            for root in ["./", ".//", "././"] {
                let archive = Zip::skill().entry(kind(Entry::file(root, content))).build();
                let report = check(archive, &any);
                let code = report.error.map(|error| error.code());
                assert_eq!(code, Some(Code::PathKindMismatch), "{root} is {what} with {content:?}");
            }
            let archive = Zip::empty()
                .entry(kind(Entry::file("w/", content)))
                .entry(Entry::file("w/SKILL.md", crate::support::SKILL_MD))
                .build();
            let code = check(archive, &stripping).error.map(|error| error.code());
            assert_eq!(code, Some(Code::PathKindMismatch), "a wrapper is {what} with {content:?}");
        }
    }
    let plain = Zip::skill().entry(Entry::dir("./")).build();
    assert!(check(plain, &any).error.is_none());
}

/// Metadata is left out, but it is no place to hide: beside a stripped wrapper, too, only files and directories are metadata.
#[test]
fn special_files_among_metadata_are_refused_wherever_it_lies() {
    use crate::support::tar::Header;

    for kind in [b'3', b'4', b'6'] {
        for name in ["__MACOSX", "__MACOSX/x", "__MACOSX/._x", "w/__MACOSX/x", "w/._x", "._x"] {
            for wrapper_first in [true, false] {
                let special = |tar: Tar| tar.header(Header::ustar(kind, name));
                let wrapper = |tar: Tar| tar.file("w/SKILL.md", crate::support::SKILL_MD);
                let tar = Tar::empty();
                let tar = if wrapper_first { special(wrapper(tar)) } else { wrapper(special(tar)) };
                for options in [Options::default().strip_root(true), Options::default().layout(Layout::Any)] {
                    let report = check(gzip(tar.clone().end()), &options);
                    let code = report.error.map(|error| error.code());
                    assert_eq!(code, Some(Code::SpecialFile), "{name} of type {}", char::from(kind));
                }
            }
        }
    }
}

/// Metadata that comes before it is known which directory is the wrapper lies in it all the same, and the wrapper has a name
/// like any other: two members at one path are refused in whatever order they come.
#[test]
fn early_metadata_and_the_wrapper_take_part_in_collisions() {
    let put = |tar: Tar, name: &str| match name.strip_suffix('/') {
        Some(directory) => tar.dir(directory),
        None => tar.file(name, "x"),
    };
    for (one, other, code) in [
        ("w/._a", "w/._a/", Code::FileDirConflict),
        ("w/._a", "w/._a/b", Code::FileDirConflict),
        ("w/._a", "w/._a", Code::DuplicatePath),
        ("w/._a", "w/._A", Code::PathCollision),
        ("w/d/._a", "w/D/b", Code::PathCollision),
        ("w/d/._a", "w/d", Code::FileDirConflict),
        ("w/w/._a", "w/w/._a/", Code::FileDirConflict),
    ] {
        for (first, second) in [(one, other), (other, one)] {
            for skill_between in [true, false] {
                let skill = |tar: Tar| tar.file("w/SKILL.md", crate::support::SKILL_MD);
                let tar = put(Tar::empty(), first);
                let tar = if skill_between { put(skill(tar), second) } else { skill(put(tar, second)) };
                let report = check(gzip(tar.end()), &Options::default().strip_root(true));
                let found = report.error.map(|error| error.code());
                assert_eq!(found, Some(code), "{first} {second} {skill_between}");
            }
        }
    }
    // The wrapper itself, and a file of metadata of its name.
    for (name, code) in [("._w", Code::FileDirConflict), ("._W", Code::PathCollision)] {
        for first in [true, false] {
            let skill = |tar: Tar| tar.file("._w/SKILL.md", crate::support::SKILL_MD);
            let tar = if first { skill(put(Tar::empty(), name)) } else { put(skill(Tar::empty()), name) };
            let report = check(gzip(tar.end()), &Options::default().strip_root(true));
            // A file where the wrapper is: it would be the skill's directory itself.
            let code = if first || name == "._W" { code } else { Code::PathEmpty };
            assert_eq!(report.error.map(|error| error.code()), Some(code), "{name} {first}");
        }
    }
    // As macOS packs it: metadata before the file that it belongs to, and before the wrapper.
    let tar = Tar::empty().file("._w", "x").file("w/._SKILL.md", "x").file("w/SKILL.md", crate::support::SKILL_MD);
    let tar = tar.file("w/d/._a", "x").file("w/d/a", "x").dir("__MACOSX").file("__MACOSX/._w", "x");
    let report = check(gzip(tar.end()), &Options::default().strip_root(true));
    assert!(report.error.is_none(), "{:?}", report.error);
}

/// Where an archive was not made on Unix, nothing in its attributes makes a link for skillx; what some reader takes for one is
/// refused: 7-Zip by the type of a link, the crate `zip` by its bits in any type.
#[test]
fn whatever_some_reader_takes_for_a_link_is_refused_where_the_host_has_none() {
    const LINK: u32 = 0o12;
    for host in [0, 2, 10, 11, 14, 19] {
        for format in 0..0o20_u32 {
            let archive = Zip::skill().entry(Entry::file("b", "SKILL.md").unix_mode(format << 12 | 0o644).host(host));
            let code = check(archive.build(), &Options::default()).error.map(|error| error.code());
            let expected = (format & LINK == LINK).then_some(Code::PathKindMismatch);
            assert_eq!(code, expected, "host {host}, type {format:o}");
        }
    }
}
