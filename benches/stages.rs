//! The stages of an extraction, each through the public face: `cargo bench`.
//!
//! hash: reading into an artifact; gzip_tar, zip: container, policy and budget over few large members; policy: the same
//! over many empty ones; staging: what writing adds; pipeline: all of it for a typical skill. Figures are per byte or
//! per entry; `docs/performance.md` says how they are read.
#![allow(missing_docs, clippy::disallowed_methods, clippy::pedantic)]

use std::hint::black_box;
use std::io::Write as _;
use std::num::NonZeroUsize;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use flate2::Compression;
use flate2::write::GzEncoder;
use skillx_archive::{Artifact, Layout, Limits, Options, VerifiedArtifact};
use zip::write::SimpleFileOptions;

const SKILL_MD: &[u8] = b"---\nname: bench\ndescription: Made to measure with.\n---\n";

type Files = Vec<(String, Vec<u8>)>;

fn tar_gz(files: &Files) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::new(6)));
    for (name, content) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, content.as_slice()).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

fn zip(files: &Files) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(name.as_str(), SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn text(size: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut text = Vec::new();
    while text.len() < size {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.extend_from_slice(format!("row {} of the table {} reads\n", state >> 24, state >> 12).as_bytes());
    }
    text.truncate(size);
    text
}

fn files(count: usize, size: usize) -> Files {
    let mut files = vec![("SKILL.md".to_owned(), SKILL_MD.to_vec())];
    files.extend((0..count).map(|n| (format!("d{}/f{n}", n % 20), text(size))));
    files
}

fn artifact(bytes: &[u8]) -> VerifiedArtifact {
    Artifact::from_bytes(bytes.to_vec()).trust_without_digest()
}

fn one_thread() -> Options {
    let mut limits = Limits::default();
    limits.ratio = 10_000;
    Options::default().layout(Layout::Any).limits(limits).most_threads(NonZeroUsize::MIN)
}

/// In memory where there is such a place: a disk would be measured otherwise.
fn place() -> tempfile::TempDir {
    let memory = std::path::Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap()
}

fn hash(criterion: &mut Criterion) {
    let bytes = text(8 << 20);
    let mut group = criterion.benchmark_group("hash");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("8 MiB", |bench| {
        bench.iter(|| Artifact::from_reader(black_box(bytes.as_slice()), &Limits::default()).unwrap().digest());
    });
    group.finish();
}

fn containers(criterion: &mut Criterion) {
    let options = one_thread();
    for (group, files, unit) in [
        ("few large members", files(8, 1 << 20), Throughput::Bytes(8 << 20)),
        ("policy, 2,000 empty members", files(2_000, 0), Throughput::Elements(2_000)),
    ] {
        let mut group = criterion.benchmark_group(group);
        group.throughput(unit);
        for (format, bytes) in [("gzip_tar", tar_gz(&files)), ("zip", zip(&files))] {
            let artifact = artifact(&bytes);
            group.bench_function(format, |bench| bench.iter(|| black_box(&artifact).check(&options)));
        }
        group.finish();
    }
}

fn staging(criterion: &mut Criterion) {
    let place = place();
    let files = files(500, 1_000);
    let mut group = criterion.benchmark_group("staging, 500 files of 1 kB");
    group.throughput(Throughput::Elements(500)).sample_size(20);
    for (format, bytes) in [("gzip_tar", tar_gz(&files)), ("zip", zip(&files))] {
        let artifact = artifact(&bytes);
        for (threads, options) in
            [("one thread", one_thread()), ("threads", one_thread().most_threads(NonZeroUsize::new(3).unwrap()))]
        {
            let out = place.path().join("out");
            group.bench_function(format!("{format}, {threads}"), |bench| {
                bench.iter_batched(
                    || drop(std::fs::remove_dir_all(&out)),
                    |()| artifact.extract(&out, &options).unwrap(),
                    BatchSize::PerIteration,
                );
            });
        }
    }
    group.finish();
}

fn pipeline(criterion: &mut Criterion) {
    let place = place();
    let files = files(8, 10_000);
    let mut group = criterion.benchmark_group("pipeline, a skill of 8 files");
    for (format, bytes) in [("gzip_tar", tar_gz(&files)), ("zip", zip(&files))] {
        let digest = Artifact::from_bytes(bytes.clone()).digest().to_string().parse().unwrap();
        let out = place.path().join("out");
        group.bench_function(format, |bench| {
            bench.iter_batched(
                || drop(std::fs::remove_dir_all(&out)),
                |()| {
                    let verified = Artifact::from_bytes(bytes.clone()).verify(&digest).unwrap();
                    verified.extract(&out, &Options::default()).unwrap()
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, hash, containers, staging, pipeline);
criterion_main!(benches);
