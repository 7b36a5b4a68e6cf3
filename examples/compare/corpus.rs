//! Archives to measure with: the same bytes from run to run.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::write::SimpleFileOptions;

use super::Outcome;

/// A typical skill; a large one; 10,000 small files; eight large ones; four that do not shrink.
pub(crate) const KINDS: [&str; 5] = ["skill", "repo", "many", "large", "random"];

pub(crate) const FORMATS: [&str; 2] = ["tar.gz", "zip"];

const FRONT: &str = "---\nname: bench-skill\ndescription: Made to measure extraction with.\n---\n\n# Bench\n\n";
const WORDS: &str = "the skill reads file and writes table of results then checks each row against schema before it \
    returns name description version license metadata allowed tools script reference asset template";

pub(crate) type Files = Vec<(String, Vec<u8>)>;

/// Writes one archive into `directory`, unless it is there.
pub(crate) fn build(directory: &Path, name: &str, format: &str, files: impl FnOnce() -> Files) -> Outcome<PathBuf> {
    let path = directory.join(format!("{name}.{format}"));
    if path.exists() {
        return Ok(path);
    }
    let mut files = files();
    files.insert(0, ("SKILL.md".to_owned(), FRONT.into()));
    let file = File::create(&path)?;
    if format == "zip" {
        write_zip(file, &files)?
    } else {
        write_tar(file, &files)?
    }
    Ok(path)
}

fn write_tar(file: File, files: &Files) -> Outcome<()> {
    let mut builder = tar::Builder::new(GzEncoder::new(file, Compression::new(6)));
    for (name, content) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, content.as_slice())?;
    }
    builder.into_inner()?.finish()?;
    Ok(())
}

fn write_zip(file: File, files: &Files) -> Outcome<()> {
    let mut writer = zip::ZipWriter::new(file);
    for (name, content) in files {
        writer.start_file(name.as_str(), SimpleFileOptions::default().compression_level(Some(6)))?;
        writer.write_all(content)?;
    }
    writer.finish()?;
    Ok(())
}

/// The files of a kind.
pub(crate) fn files(kind: &str) -> Files {
    let mut source = Source(0x9e37_79b9_7f4a_7c15);
    let mut files = Vec::new();
    match kind {
        "skill" => {
            (0..3).for_each(|n| files.push((format!("references/ref{n}.md"), source.text(12_000))));
            (0..3).for_each(|n| files.push((format!("scripts/tool{n}.py"), source.text(8_000))));
            files.push(("assets/logo.png".to_owned(), source.noise(20_000)));
        }
        "repo" => {
            for n in 0..300 {
                let size = 500 + source.below(19_500);
                files.push((format!("references/group{}/ref{n}.md", n % 20), source.text(size)));
            }
            for n in 0..70 {
                let size = 500 + source.below(11_500);
                files.push((format!("scripts/lib{}/tool{n}.py", n % 7), source.text(size)));
            }
            for n in 0..29 {
                let size = 60_000 + source.below(340_000);
                files.push((format!("assets/fonts/font{n}.ttf"), source.noise(size)));
            }
        }
        "many" => {
            for n in 0..10_000 {
                let size = 200 + source.below(1_600);
                files.push((format!("data/d{:02}/f{n:05}.txt", n % 100), source.text(size)));
            }
        }
        "large" => (0..8).for_each(|n| files.push((format!("data/big{n}.txt"), source.text(32 << 20)))),
        _ => (0..4).for_each(|n| files.push((format!("data/noise{n}.bin"), source.noise(32 << 20)))),
    }
    files
}

/// A generator that needs to be neither good nor secret.
pub(crate) struct Source(pub(crate) u64);

impl Source {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }

    pub(crate) fn noise(&mut self, size: usize) -> Vec<u8> {
        (0..size.div_ceil(8)).flat_map(|_| self.next().to_le_bytes()).take(size).collect()
    }

    /// Lines of words and numbers: shrinks to about a third.
    pub(crate) fn text(&mut self, size: usize) -> Vec<u8> {
        let words: Vec<&str> = WORDS.split_whitespace().collect();
        let mut text = Vec::with_capacity(size + 100);
        while text.len() < size {
            for _ in 0..4 + self.below(10) {
                text.extend_from_slice(words[self.below(words.len())].as_bytes());
                text.push(b' ');
            }
            text.extend_from_slice(format!("{}\n", self.next() % 100_000).as_bytes());
        }
        text.truncate(size);
        text
    }
}
