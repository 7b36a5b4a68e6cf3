//! A small tar writer, and what must hold of every report.

use std::cell::RefCell;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::sync::LazyLock;

use skillx_archive::{Artifact, EntryPath, Options, Report, Verdict, VerifiedArtifact};

/// A valid SKILL.md.
pub(crate) const SKILL_MD: &[u8] = b"---\nname: demo\ndescription: A demo.\n---\n";

/// One ustar header with its payload and padding.
pub(crate) fn member(out: &mut Vec<u8>, flag: u8, name: &[u8], link: &[u8], payload: &[u8]) {
    let mut header = [0; 512];
    header[..name.len().min(100)].copy_from_slice(&name[..name.len().min(100)]);
    header[100..108].copy_from_slice(b"0000755\0");
    header[108..116].copy_from_slice(b"0000000\0");
    header[116..124].copy_from_slice(b"0000000\0");
    header[124..136].copy_from_slice(format!("{:011o}\0", payload.len()).as_bytes());
    header[136..148].copy_from_slice(b"00000000000\0");
    header[148..156].fill(b' ');
    header[156] = flag;
    header[157..157 + link.len().min(100)].copy_from_slice(&link[..link.len().min(100)]);
    header[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    out.extend_from_slice(&header);
    out.extend_from_slice(payload);
    out.resize(out.len().next_multiple_of(512), 0);
}

/// A pax record, its length included.
pub(crate) fn record(key: &[u8], value: &[u8]) -> Vec<u8> {
    let body = key.len() + value.len() + 3;
    let mut length = body + 1;
    while length != body + length.to_string().len() {
        length = body + length.to_string().len();
    }
    [length.to_string().as_bytes(), b" ", key, b"=", value, b"\n"].concat()
}

/// With two zero blocks: the stream, and the gzip file around it.
pub(crate) fn finish(mut tar: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
    tar.resize(tar.len() + 1024, 0);
    let file = gzip(&tar);
    (tar, file)
}

/// One gzip member in stored blocks: there is nothing to gain from compressing what is inflated again at once.
pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut out = b"\x1f\x8b\x08\0\0\0\0\0\0\xff".to_vec();
    out.extend(super::forge::gzip::stored(content, u16::MAX));
    let mut crc = flate2::Crc::new();
    crc.update(content);
    out.extend_from_slice(&crc.sum().to_le_bytes());
    out.extend_from_slice(&(content.len() as u32).to_le_bytes());
    out
}

/// Options for one thread: asking how many the machine has costs more than reading a small archive.
pub(crate) fn options() -> Options {
    Options::default().most_threads(NonZeroUsize::MIN)
}

/// A small number that follows from the input: for checks that every fourth or so execution makes.
pub(crate) fn turn(data: &[u8]) -> u8 {
    let start = data.len().saturating_sub(64);
    data[start..].iter().fold(data.len() as u8, |sum, byte| sum.rotate_left(3) ^ byte)
}

thread_local! {
    static SEEN: RefCell<Option<Vec<Vec<u8>>>> = const { RefCell::new(None) };
}

/// The archives that a target makes of an input: for tests that give them to other readers.
pub(crate) fn archives_of(run: fn(&[u8]), input: &[u8]) -> Vec<Vec<u8>> {
    SEEN.set(Some(Vec::new()));
    run(input);
    SEEN.take().unwrap_or_default()
}

/// The bytes as an artifact that may be read. `SKILLX_FUZZ_ARCHIVE` names a file that gets them, too: to see, and to give
/// to other readers, what an input of a target by structure stands for.
pub(crate) fn artifact(bytes: Vec<u8>) -> VerifiedArtifact {
    static WANTED: LazyLock<Option<OsString>> = LazyLock::new(|| std::env::var_os("SKILLX_FUZZ_ARCHIVE"));
    if let Some(file) = &*WANTED {
        std::fs::write(file, &bytes).expect("SKILLX_FUZZ_ARCHIVE can be written");
    }
    SEEN.with_borrow_mut(|seen| seen.as_mut().map(|seen| seen.push(bytes.clone())));
    Artifact::from_bytes(bytes).trust_without_digest()
}

/// Checks the archive, and what must hold of the report whatever is in it.
pub(crate) fn check(artifact: &VerifiedArtifact, options: &Options) -> Report {
    let report = artifact.check(options);
    match report.verdict {
        Verdict::Accepted => assert!(report.error.is_none() && report.refusals.is_empty()),
        Verdict::Refused => {
            let error = report.error.as_ref().expect("a refusal has an error");
            assert_eq!(report.refusals[0].code(), error.code());
            let shown = format!("{error} {error:?} {}", error.help());
            assert!(shown.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{shown:?}");
        }
        _ => {}
    }
    if report.verdict == Verdict::Accepted {
        report.entries.iter().filter(|entry| !entry.omitted).for_each(|entry| assert_clean(&entry.path));
    }
    report
}

fn assert_clean(path: &EntryPath) {
    let EntryPath::Text(path) = path else { panic!("an accepted path is UTF-8") };
    // The root directory is listed as it stands (so is noise, which the caller leaves out).
    if path == "." {
        return;
    }
    assert!(path.len() <= 512 && path.split('/').count() <= 24);
    for component in path.split('/') {
        assert!(!matches!(component, "" | "." | "..") && component.len() <= 255, "{path:?}");
        assert!(!component.ends_with(['.', ' ']) && !component.eq_ignore_ascii_case(".git"), "{path:?}");
    }
    let refused = |c: char| c.is_control() || "\\:*?\"<>|\u{200b}\u{202e}\u{2066}\u{feff}".contains(c);
    assert!(!path.contains(refused), "{path:?}");
}

/// Every file below a folder, sorted: a corpus, or the fixtures.
pub(crate) fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}
