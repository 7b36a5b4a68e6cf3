//! Archives of any number of entries, and what a run over them costs: instructions and peak memory of a process.

use std::io::{Cursor, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;

/// What a run may cost for each entry of a large archive, measured by what each entry of a small one costs.
pub const MOST: f64 = 1.3;

const SKILL_MD: &[u8] = b"---\nname: demo\ndescription: A demo skill.\n---\n";

/// An archive whose size is given in entries.
pub struct Kind {
    pub name: &'static str,
    /// `tar.gz` or `zip`.
    pub format: &'static str,
    pub build: fn(usize) -> Vec<u8>,
}

/// Files, directories, links, extension headers, near-collisions, zip records, deep trees, long chains.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "files",
        format: "tar.gz",
        build: |n| tar(|t| (0..n).for_each(|i| file(t, &format!("d{}/f{i}", i % 61)))),
    },
    Kind {
        name: "directories",
        format: "tar.gz",
        build: |n| tar(|t| (0..n).for_each(|i| directory(t, &format!("d{i}/")))),
    },
    Kind {
        name: "links",
        format: "tar.gz",
        build: |n| tar(|t| (0..n).for_each(|i| link(t, &format!("l{i}"), "SKILL.md"))),
    },
    Kind { name: "chains of eight links", format: "tar.gz", build: chains },
    Kind {
        name: "hard links",
        format: "tar.gz",
        build: |n| tar(|t| (0..n).for_each(|i| hard_link(t, &format!("h{i}")))),
    },
    Kind { name: "pax headers", format: "tar.gz", build: pax },
    Kind { name: "names that differ in their last letter", format: "tar.gz", build: near },
    Kind { name: "names that differ after folding", format: "tar.gz", build: folding },
    Kind { name: "trees of 24 levels with one trunk", format: "tar.gz", build: trunk },
    Kind { name: "trees of 24 levels of their own", format: "tar.gz", build: deep },
    Kind { name: "zip records", format: "zip", build: |n| zip_of(n, zip::CompressionMethod::Stored) },
    Kind { name: "zip records, deflated", format: "zip", build: |n| zip_of(n, zip::CompressionMethod::Deflated) },
];

type Builder = tar::Builder<GzEncoder<Vec<u8>>>;

fn tar(fill: impl FnOnce(&mut Builder)) -> Vec<u8> {
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut header = tar::Header::new_ustar();
    header.set_mode(0o644);
    header.set_size(SKILL_MD.len() as u64);
    builder.append_data(&mut header, "SKILL.md", SKILL_MD).expect("a builder in memory");
    fill(&mut builder);
    builder.into_inner().expect("a builder in memory").finish().expect("a builder in memory")
}

fn member(builder: &mut Builder, kind: tar::EntryType, name: &str, target: &str, data: &[u8]) {
    let mut header = tar::Header::new_ustar();
    header.set_entry_type(kind);
    header.set_mode(0o644);
    header.set_size(data.len() as u64);
    header.set_path(name).expect("a short name");
    if !target.is_empty() {
        header.set_link_name(target).expect("a short target");
    }
    header.set_cksum();
    builder.append(&header, data).expect("a builder in memory");
}

fn file(builder: &mut Builder, name: &str) {
    member(builder, tar::EntryType::Regular, name, "", b"x");
}

fn directory(builder: &mut Builder, name: &str) {
    member(builder, tar::EntryType::Directory, name, "", b"");
}

fn link(builder: &mut Builder, name: &str, target: &str) {
    member(builder, tar::EntryType::Symlink, name, target, b"");
}

fn hard_link(builder: &mut Builder, name: &str) {
    member(builder, tar::EntryType::Link, name, "SKILL.md", b"");
}

fn chains(n: usize) -> Vec<u8> {
    tar(|t| {
        for i in 0..n {
            let target = if i % 8 == 0 { "SKILL.md".to_owned() } else { format!("l{}", i - 1) };
            link(t, &format!("l{i}"), &target);
        }
    })
}

/// A file whose name stands in a pax header.
fn long(builder: &mut Builder, name: &str) {
    let body = format!(" path={name}\n");
    let mut length = body.len();
    while length != body.len() + length.to_string().len() {
        length = body.len() + length.to_string().len();
    }
    member(builder, tar::EntryType::XHeader, "PaxHeaders.0/x", "", format!("{length}{body}").as_bytes());
    file(builder, "x");
}

fn pax(n: usize) -> Vec<u8> {
    tar(|t| (0..n).for_each(|i| long(t, &format!("d{}/f{i}", i % 61))))
}

fn near(n: usize) -> Vec<u8> {
    tar(|t| (0..n).for_each(|i| long(t, &format!("{}/{}{i:06}", "p".repeat(200), "q".repeat(200)))))
}

/// Letters that become three when they are folded and decomposed.
fn folding(n: usize) -> Vec<u8> {
    tar(|t| (0..n).for_each(|i| long(t, &format!("{}{i:06}", "\u{390}".repeat(100)))))
}

fn trunk(n: usize) -> Vec<u8> {
    tar(|t| (0..n).for_each(|i| long(t, &format!("{}f{i:06}", "d/".repeat(23)))))
}

/// Of `n` entries one in 24 is a file, the others are its directories.
fn deep(n: usize) -> Vec<u8> {
    tar(|t| (0..n.div_ceil(24)).for_each(|i| long(t, &format!("{}f", format!("d{i:05}/").repeat(23)))))
}

fn zip_of(n: usize, method: zip::CompressionMethod) -> Vec<u8> {
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("SKILL.md", options).expect("a writer in memory");
    writer.write_all(SKILL_MD).expect("a writer in memory");
    for i in 0..n {
        writer.start_file(format!("d{}/f{i}", i % 61), options).expect("a writer in memory");
        writer.write_all(b"x").expect("a writer in memory");
    }
    writer.finish().expect("a writer in memory").into_inner()
}

/// What counts the instructions of a process here.
#[derive(Clone, Copy, Debug)]
pub enum Counter {
    Perf,
    Valgrind,
}

impl Counter {
    /// `perf stat` where there is a hardware counter, else valgrind, else none.
    pub fn find() -> Option<Self> {
        let nothing = || Command::new("true");
        [Self::Perf, Self::Valgrind].into_iter().find(|counter| counter.count(&nothing()).is_some())
    }

    /// Instructions of a process in user space; `None` if it cannot be counted or does not end well.
    pub fn count(self, command: &Command) -> Option<u64> {
        let mut counted = match self {
            Self::Perf => Command::new("perf"),
            Self::Valgrind => Command::new("valgrind"),
        };
        counted.args(match self {
            Self::Perf => &["stat", "-x,", "-e", "instructions:u", "--"][..],
            Self::Valgrind => &["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"],
        });
        counted.arg(command.get_program()).args(command.get_args()).env("LC_ALL", "C");
        if let Some(directory) = command.get_current_dir() {
            counted.current_dir(directory);
        }
        let output = counted.stdin(Stdio::null()).output().ok().filter(|output| output.status.success())?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let number = match self {
            Self::Perf => text.lines().find(|line| line.contains("instructions"))?.split(',').next()?.to_owned(),
            Self::Valgrind => text.lines().find(|line| line.contains("refs:"))?.rsplit(':').next()?.replace(',', ""),
        };
        number.trim().parse().ok()
    }
}

/// Peak resident memory of a process that has ended, in KiB, as GNU `time` tells it; `None` without that.
pub fn peak_memory(command: &Command) -> Option<u64> {
    let mut timed = Command::new("/usr/bin/time");
    timed.args(["-f", "peak %M"]).arg(command.get_program()).args(command.get_args());
    let output = timed.stdin(Stdio::null()).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.lines().find_map(|line| line.strip_prefix("peak "))?.trim().parse().ok()
}

/// What each further entry costs beyond what the run costs with one.
pub fn per_entry(with_one: u64, with_many: u64, many: usize) -> f64 {
    with_many.saturating_sub(with_one) as f64 / (many - 1) as f64
}

/// Writes an archive of this kind and size.
pub fn write(kind: &Kind, entries: usize, directory: &Path) -> std::path::PathBuf {
    let path = directory.join(format!("{entries}.{}", kind.format));
    std::fs::write(&path, (kind.build)(entries)).expect("the temporary directory can be written");
    path
}
