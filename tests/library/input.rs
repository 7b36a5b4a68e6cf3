//! Bytes in: every way gives the same artifact, within the limit, and nothing that happens to the file later matters.

use std::fs;
use std::io::{self, Cursor, Read, Write};

use skillx_archive::{Artifact, Code, Error, Format, Kind, Limits, Options};

use crate::support::gzip::gzip;
use crate::support::tar::Tar;
use crate::support::{temp_dir, tree};
use crate::{content, demo, demo_members, digest_of, tar_gz, verified};

/// A reader that gives what a bad day on the network gives.
struct Trickle<'a> {
    bytes: &'a [u8],
    sizes: std::iter::Cycle<std::iter::Copied<std::slice::Iter<'a, usize>>>,
}

impl<'a> Trickle<'a> {
    /// Pieces of these sizes, again and again; 0 stands for a call that was interrupted.
    fn new(bytes: &'a [u8], sizes: &'a [usize]) -> Self {
        Self { bytes, sizes: sizes.iter().copied().cycle() }
    }
}

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes.next().unwrap_or(1);
        if size == 0 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let size = size.min(buffer.len());
        self.bytes.read(&mut buffer[..size])
    }
}

fn limits(change: impl FnOnce(&mut Limits)) -> Limits {
    let mut limits = Limits::default();
    change(&mut limits);
    limits
}

#[test]
fn every_way_in_gives_the_same_digest_the_same_length_and_the_same_report() {
    let bytes = demo();
    let digest = digest_of(&bytes);
    let directory = temp_dir();
    let path = directory.path().join("demo.tar.gz");
    fs::write(&path, &bytes).unwrap();
    let all = Limits::default();
    let in_file = limits(|limits| limits.spool_memory = 1);
    let ways = [
        ("open", Artifact::open(&path).unwrap()),
        ("open_with", Artifact::open_with(&path, &in_file).unwrap()),
        ("from_bytes", Artifact::from_bytes(bytes.as_slice())),
        ("from_reader", Artifact::from_reader(Cursor::new(&bytes), &all).unwrap()),
        ("one byte at a time", Artifact::from_reader(Trickle::new(&bytes, &[1]), &all).unwrap()),
        ("short reads", Artifact::from_reader(Trickle::new(&bytes, &[3, 7, 1, 100, 2]), &all).unwrap()),
        ("interrupted", Artifact::from_reader(Trickle::new(&bytes, &[0, 5, 0, 0, 1]), &all).unwrap()),
        ("short reads to a file", Artifact::from_reader(Trickle::new(&bytes, &[9, 0, 1]), &in_file).unwrap()),
    ];
    let expected = content(&verified(&bytes).check(&Options::default()));
    assert_eq!(expected["verdict"], "accepted");
    for (way, artifact) in ways {
        assert_eq!(artifact.len(), bytes.len() as u64, "{way}");
        assert!(!artifact.is_empty(), "{way}");
        assert!(artifact.digest() == digest, "{way}");
        let report = artifact.verify(&digest).unwrap().check(&Options::default());
        assert_eq!(content(&report), expected, "{way}");
    }
}

#[test]
fn a_writer_fed_in_pieces_of_every_size_gives_the_same_artifact() {
    let bytes = demo();
    for memory in [0, 100, u64::MAX] {
        let limits = limits(|limits| limits.spool_memory = memory);
        for size in 1..=bytes.len() {
            let mut writer = Artifact::writer(&limits);
            for piece in bytes.chunks(size) {
                writer.write_all(piece).unwrap();
                writer.flush().unwrap();
            }
            assert_eq!(writer.write(b"").unwrap(), 0);
            let artifact = writer.finish().unwrap();
            assert_eq!(artifact.len(), bytes.len() as u64);
            let artifact = artifact.verify(&digest_of(&bytes)).unwrap();
            if size % 50 == 1 {
                assert_eq!(code_of_default(&artifact), None, "pieces of {size}, {memory} bytes in memory");
            }
        }
    }
}

fn code_of_default(artifact: &skillx_archive::VerifiedArtifact) -> Option<&'static str> {
    crate::code_of(&artifact.check(&Options::default()))
}

#[test]
fn the_limit_on_the_archive_holds_while_it_arrives_by_whichever_way() {
    let bytes = demo();
    let directory = temp_dir();
    let path = directory.path().join("demo.tar.gz");
    fs::write(&path, &bytes).unwrap();
    let write = |limits: &Limits| {
        let mut writer = Artifact::writer(limits);
        // The error of the write is the error of `finish`.
        let _ = writer.write_all(&bytes);
        writer.finish()
    };
    let size = bytes.len() as u64;
    for memory in [0, u64::MAX] {
        let exact = limits(|limits| (limits.archive, limits.spool_memory) = (size, memory));
        assert_eq!(Artifact::open_with(&path, &exact).unwrap().len(), size);
        assert_eq!(Artifact::from_reader(Trickle::new(&bytes, &[11]), &exact).unwrap().len(), size);
        assert_eq!(write(&exact).unwrap().len(), size);
        let less = limits(|limits| (limits.archive, limits.spool_memory) = (size - 1, memory));
        let errors = [
            Artifact::open_with(&path, &less).unwrap_err(),
            Artifact::from_reader(Trickle::new(&bytes, &[11]), &less).unwrap_err(),
            write(&less).unwrap_err(),
        ];
        for error in errors {
            assert_eq!((error.code(), error.kind()), (Code::LimitArchive, Kind::Refused));
            assert!(error.to_string().contains(&(size - 1).to_string()), "{error}");
        }
    }
    // Bytes that were in memory already are measured when they are read as an archive.
    let less = limits(|limits| limits.archive = size - 1);
    let report = verified(&bytes).check(&Options::default().limits(less));
    assert_eq!(crate::code_of(&report), Some("limit-archive"));
    let exact = limits(|limits| limits.archive = size);
    assert_eq!(crate::code_of(&verified(&bytes).check(&Options::default().limits(exact))), None);
}

#[test]
fn an_endless_stream_is_read_no_further_than_the_limit() {
    struct Endless(u64);
    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += buffer.len() as u64;
            buffer.fill(b'x');
            Ok(buffer.len())
        }
    }
    let mut endless = Endless(0);
    let small = limits(|limits| limits.archive = 100_000);
    assert_eq!(Artifact::from_reader(&mut endless, &small).unwrap_err().code(), "limit-archive");
    assert!(endless.0 < 100_000 + (1 << 20), "{} bytes were read", endless.0);
}

#[test]
fn a_writer_that_has_failed_stays_failed() {
    let ten = limits(|limits| limits.archive = 10);
    let mut writer = Artifact::writer(&ten);
    writer.write_all(b"12345").unwrap();
    let error = writer.write_all(b"678901").unwrap_err();
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()).expect("the library's own error");
    assert_eq!(inner.code(), Code::LimitArchive);
    // These two bytes would fit: what was refused once is not taken in parts.
    assert!(writer.write_all(b"67").is_err());
    assert!(writer.write(b"").is_err());
    assert_eq!(writer.finish().unwrap_err().code(), Code::LimitArchive);
}

#[test]
fn what_cannot_be_read_is_a_failure_and_no_verdict() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::new(io::ErrorKind::ConnectionReset, "the line went dead"))
        }
    }
    let directory = temp_dir();
    let broken = Cursor::new(demo()).take(40).chain(Broken);
    let errors = [
        Artifact::from_reader(broken, &Limits::default()).unwrap_err(),
        Artifact::open(directory.path().join("missing.tar.gz")).unwrap_err(),
        Artifact::open(directory.path()).unwrap_err(),
    ];
    for error in errors {
        assert_eq!((error.code(), error.kind()), (Code::Io, Kind::Failed), "{error:?}");
        assert!(error.io_error().is_some(), "{error:?}");
        assert!(std::error::Error::source(&error).is_some(), "{error:?}");
    }
    assert_eq!(
        Artifact::from_reader(Broken, &Limits::default()).unwrap_err().io_error().unwrap().kind(),
        io::ErrorKind::ConnectionReset
    );
}

/// Cases: D01-swap.
#[test]
fn what_happens_to_the_file_after_it_was_read_changes_nothing() {
    let bytes = demo();
    let other = gzip(Tar::empty().file("SKILL.md", "---\nname: evil\ndescription: Swapped.\n---\n").end());
    type Change = fn(&std::path::Path, &[u8]);
    let changes: [(&str, Change); 5] = [
        ("overwritten in place", |path, other| {
            let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
            file.write_all(other).unwrap();
        }),
        ("swapped by a rename", |path, other| {
            let new = path.with_extension("new");
            fs::write(&new, other).unwrap();
            fs::rename(new, path).unwrap();
        }),
        ("truncated", |path, _| {
            fs::OpenOptions::new().write(true).open(path).unwrap().set_len(20).unwrap();
        }),
        ("appended to", |path, other| {
            fs::OpenOptions::new().append(true).open(path).unwrap().write_all(other).unwrap();
        }),
        ("removed", |path, _| fs::remove_file(path).unwrap()),
    ];
    let expected = crate::support::carrier::expected_tree(&demo_members());
    for memory in [0, u64::MAX] {
        let limits = limits(|limits| limits.spool_memory = memory);
        for (what, change) in changes {
            let directory = temp_dir();
            let path = directory.path().join("demo.tar.gz");
            fs::write(&path, &bytes).unwrap();
            let artifact = Artifact::open_with(&path, &limits).unwrap();
            change(&path, &other);
            let artifact = artifact.verify(&digest_of(&bytes)).unwrap();
            let out = directory.path().join("out");
            artifact.extract(&out, &Options::default()).unwrap();
            assert_eq!(tree::differences(&expected, &tree::walk(&out)), Vec::<String>::new(), "{what}");
        }
    }
}

/// Cases: D01-spool.
#[test]
fn a_copy_in_memory_and_one_in_a_file_give_identical_reports() {
    let good = demo();
    let cut = good[..good.len() - 9].to_vec();
    let refused = gzip(Tar::skill().file("../x", "x").symlink("l", "/etc").file("a", vec![7; 200_000]).end());
    let large = gzip(Tar::skill().file("noise.bin", noise(300_000)).end());
    for bytes in [good, cut, refused, large, b"no archive".to_vec(), Vec::new()] {
        let reports = [u64::MAX, bytes.len() as u64, (bytes.len() as u64).saturating_sub(1), 1, 0].map(|memory| {
            let limits = limits(|limits| limits.spool_memory = memory);
            let artifact = Artifact::from_reader(bytes.as_slice(), &limits).unwrap();
            content(&artifact.verify(&digest_of(&bytes)).unwrap().check(&Options::default()))
        });
        assert!(reports.iter().all(|report| *report == reports[0]), "{reports:#?}");
    }
}

/// Bytes that deflate cannot shrink.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..count).map(|_| next()).collect()
}

/// From half a megabyte on another thread hashes: the same sum, limits and failures, however the bytes come.
#[test]
fn a_large_archive_is_hashed_and_limited_like_a_small_one() {
    let all = noise(2_000_000);
    for length in [524_287, 524_288, 524_289, 655_360, 2_000_000] {
        let bytes = &all[..length];
        let digest = digest_of(bytes);
        for sizes in [&[usize::MAX][..], &[131_072, 1, 0, 70_000], &[524_288, 3], &[4096]] {
            for memory in [0, 600_000, u64::MAX] {
                let limits = limits(|limits| limits.spool_memory = memory);
                let artifact = Artifact::from_reader(Trickle::new(bytes, sizes), &limits).unwrap();
                assert_eq!((artifact.len(), artifact.digest().to_string()), (length as u64, digest.to_string()));
                artifact.verify(&digest).unwrap();
            }
        }
        let exact = limits(|limits| limits.archive = length as u64);
        assert_eq!(Artifact::from_reader(bytes, &exact).unwrap().len(), length as u64);
        let short = limits(|limits| limits.archive = length as u64 - 1);
        assert_eq!(Artifact::from_reader(bytes, &short).unwrap_err().code(), Code::LimitArchive);
        // A failure behind so many bytes.
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("gone"))
            }
        }
        let error = Artifact::from_reader(bytes.chain(Broken), &Limits::default()).unwrap_err();
        assert_eq!(error.code(), Code::Io);
    }
}

#[test]
fn a_link_to_the_archive_is_followed() {
    let directory = temp_dir();
    let bytes = demo();
    fs::write(directory.path().join("real"), &bytes).unwrap();
    #[cfg(unix)]
    {
        let link = directory.path().join("link.tar.gz");
        std::os::unix::fs::symlink("real", &link).unwrap();
        assert!(Artifact::open(link).unwrap().digest() == digest_of(&bytes));
    }
}

#[test]
fn a_declared_format_must_agree_with_the_bytes() {
    let bytes = demo();
    let report = |artifact: Artifact| artifact.verify(&digest_of(&bytes)).unwrap().check(&Options::default());
    let by_magic = report(Artifact::from_bytes(bytes.as_slice()));
    assert_eq!((by_magic.artifact.format, by_magic.artifact.format_source), (Some("tar.gz"), Some("magic")));
    let declared = report(Artifact::from_bytes(bytes.as_slice()).with_format(Format::TarGz));
    assert_eq!((declared.artifact.format, declared.artifact.format_source), (Some("tar.gz"), Some("flag")));
    let wrong = report(Artifact::from_bytes(bytes.as_slice()).with_format(Format::Zip));
    assert_eq!(crate::code_of(&wrong), Some("format-mismatch"));
    assert_eq!(wrong.error.unwrap().offset(), Some(0));
}

#[test]
fn the_extension_declares_a_format_and_a_declaration_by_the_caller_comes_before_it() {
    let bytes = demo();
    let directory = temp_dir();
    let open = |name: &str| {
        let path = directory.path().join(name);
        fs::write(&path, &bytes).unwrap();
        Artifact::open(path).unwrap()
    };
    let judge = |artifact: Artifact| {
        let report = artifact.verify(&digest_of(&bytes)).unwrap().check(&Options::default());
        (crate::code_of(&report), report.artifact.format_source)
    };
    for name in ["a.tar.gz", "a.tgz", "A.TAR.GZ", "b.TGZ", ".tgz"] {
        assert_eq!(judge(open(name)), (None, Some("extension")), "{name}");
    }
    for name in ["a", "a.gz", "tgz", "a.tar.gz.part", "a.bin"] {
        assert_eq!(judge(open(name)), (None, Some("magic")), "{name}");
    }
    for name in ["a.zip", "a.skill", "a.tar.gz.ZIP"] {
        assert_eq!(judge(open(name)).0, Some("format-mismatch"), "{name}");
        assert_eq!(judge(open(name).with_format(Format::TarGz)), (None, Some("flag")), "{name}");
    }
}

#[test]
fn a_content_type_names_a_format_or_none() {
    for (value, format) in [
        ("application/gzip", Some(Format::TarGz)),
        ("application/x-gzip", Some(Format::TarGz)),
        ("application/x-tar; charset=binary", Some(Format::TarGz)),
        ("application/x-gtar", Some(Format::TarGz)),
        ("Application/X-TGZ", Some(Format::TarGz)),
        ("application/zip", Some(Format::Zip)),
        ("application/octet-stream", None),
        ("text/html", None),
        ("", None),
    ] {
        assert_eq!(Format::from_content_type(value), format, "{value}");
    }
    for (text, format) in [("tar.gz", Format::TarGz), ("zip", Format::Zip)] {
        assert_eq!(text.parse::<Format>().unwrap(), format);
        assert_eq!(format.to_string(), text);
        assert_eq!(format.as_str(), text);
    }
    assert_eq!("rar".parse::<Format>().unwrap_err().code(), Code::Usage);
}

#[test]
fn nothing_declared_and_no_known_magic_is_no_archive() {
    for bytes in [&b""[..], b"<html>", b"\x1f", b"PK", &[0; 600]] {
        let report = verified(bytes).check(&Options::default());
        assert_eq!(crate::code_of(&report), Some("not-an-archive"), "{bytes:?}");
        assert_eq!(report.artifact.bytes, Some(bytes.len() as u64));
    }
    let tar = Tar::skill().end();
    assert_eq!(crate::code_of(&verified(&tar).check(&Options::default())), Some("not-an-archive"));
    let declared = Artifact::from_bytes(tar).with_format(Format::TarGz).trust_without_digest();
    assert_eq!(crate::code_of(&declared.check(&Options::default())), Some("format-mismatch"));
    assert_eq!(crate::code_of(&verified(&tar_gz(&[])).check(&Options::default())), Some("empty-archive"));
}
