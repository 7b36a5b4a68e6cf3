//! zip by structure: a valid archive, then fields, order, offsets, counts and extras changed, or records moved.

use arbitrary::{Arbitrary, Result, Unstructured};
use skillx_archive::{Layout, Verdict};

use super::oracle;
use super::support::{SKILL_MD, artifact, check, options, turn};

const NAMES: [&[u8]; 12] =
    [b"a", b"b", b"A", b"d/", b"d/x", b"SKILL.md", b"../x", b"caf\xc3\xa9", b"l", b"__MACOSX/._a", b"./d/./y", b"d//z"];
const DATA: [&[u8]; 5] = [b"", b"x", SKILL_MD, b"PK\x03\x04PK\x07\x08", &[0; 300]];
const VALUES: [u64; 9] = [0, 1, 2, 8, 0x14, 0xff, 0xffff, 0xffff_ffff, u64::MAX];

/// Who made the archive: DOS, Unix, NTFS, macOS, VMS.
const HOSTS: [u8; 5] = [3, 0, 10, 19, 2];
/// Extra fields that say something to somebody: zip64, NTFS, Unix, times, Unicode path and comment, ASi, a jar's mark.
const EXTRAS: [u16; 10] = [1, 0x0a, 0x0d, 0x5455, 0x5855, 0x7075, 0x6375, 0x7875, 0x756e, 0xcafe];

/// One entry of the valid archive.
#[derive(Debug, Arbitrary)]
struct Entry {
    name: u8,
    data: u8,
    deflate: bool,
    descriptor: Option<Descriptor>,
    zip64: bool,
    link: bool,
    exec: bool,
    /// Names are UTF-8 either way; without the flag they only are by the host's custom.
    unflagged: bool,
    host: u8,
    extra: Option<(u16, u8)>,
    central_extra: Option<(u16, u8)>,
    comment: u8,
}

#[derive(Debug, Clone, Copy, Arbitrary)]
struct Descriptor {
    signature: bool,
    local_zeros: bool,
}

/// One change to the finished archive.
#[derive(Debug, Arbitrary)]
enum Change {
    /// Bytes of a field of a record, by a value that matters or by its old value and a small difference.
    Field {
        record: u8,
        at: u8,
        width: u8,
        value: u8,
        relative: bool,
    },
    Insert {
        record: u8,
        bytes: [u8; 4],
    },
    /// The bytes between two records come twice, or in another place.
    Move {
        record: u8,
        to: u8,
        keep: bool,
    },
    Cut {
        at: u16,
    },
    Append {
        bytes: [u8; 4],
    },
}

pub(crate) fn run(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let Ok(bytes) = build(&mut input) else { return };
    let artifact = artifact(bytes.clone());
    let any = options().layout(Layout::Any);
    let report = check(&artifact, &any);
    if report.verdict == Verdict::Accepted {
        oracle::agree_on_zip(&bytes, &artifact, &any, &report);
    }
    if turn(data) & 3 == 0 {
        let stripping = options().strip_root(true);
        let report = check(&artifact, &stripping);
        if report.verdict == Verdict::Accepted {
            oracle::agree_on_zip(&bytes, &artifact, &stripping, &report);
        }
    }
}

fn build(input: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut zip = Zip::default();
    let zip64_end = input.arbitrary()?;
    let (rotate, comment) = (input.arbitrary()?, input.arbitrary()?);
    let entries: Vec<Entry> = input.arbitrary()?;
    for entry in entries.iter().take(12) {
        zip.add(entry);
    }
    zip.finish(zip64_end, rotate, comment);
    let changes: Vec<Change> = input.arbitrary()?;
    for change in changes.iter().take(6) {
        zip.change(change);
    }
    Ok(zip.bytes)
}

/// An archive being written, and where its records begin.
#[derive(Default)]
struct Zip {
    bytes: Vec<u8>,
    records: Vec<usize>,
    central: Vec<Vec<u8>>,
}

impl Zip {
    fn add(&mut self, entry: &Entry) {
        let name = NAMES[usize::from(entry.name) % NAMES.len()];
        let is_directory = name.ends_with(b"/");
        let data = if is_directory { b"" } else { DATA[usize::from(entry.data) % DATA.len()] };
        let deflate = entry.deflate && !is_directory;
        let packed = if deflate { deflated(entry.data) } else { data.to_vec() };
        let crc = crc(data);
        let (packed_size, size) = (packed.len() as u32, data.len() as u32);
        let descriptor = entry.descriptor.filter(|_| deflate);
        let flags = if descriptor.is_some() { 1 << 3 } else { 0 } | if entry.unflagged { 0 } else { 1 << 11 };
        let zeros = descriptor.is_some_and(|descriptor| descriptor.local_zeros);
        let local = if zeros { (0, 0, 0) } else { (crc, packed_size, size) };
        let offset = self.bytes.len() as u32;
        let mut extra = Vec::new();
        if entry.zip64 {
            extra.extend_from_slice(&[1, 0, 16, 0]);
            extra.extend_from_slice(&u64::from(local.2).to_le_bytes());
            extra.extend_from_slice(&u64::from(local.1).to_le_bytes());
        }
        extra.extend(filler(entry.extra));
        self.records.push(self.bytes.len());
        self.bytes.extend_from_slice(b"PK\x03\x04\x14\x00");
        fields(&mut self.bytes, flags, deflate, local, name, &extra);
        self.bytes.extend_from_slice(name);
        self.bytes.extend_from_slice(&extra);
        self.bytes.extend_from_slice(&packed);
        if let Some(descriptor) = descriptor {
            self.records.push(self.bytes.len());
            if descriptor.signature {
                self.bytes.extend_from_slice(b"PK\x07\x08");
            }
            self.bytes.extend_from_slice(&crc.to_le_bytes());
            for number in [packed_size, size] {
                self.bytes.extend_from_slice(&number.to_le_bytes());
                if entry.zip64 {
                    self.bytes.extend_from_slice(&[0; 4]);
                }
            }
        }
        let mode: u32 = if is_directory {
            0o040_755
        } else if entry.link {
            0o120_777
        } else if entry.exec {
            0o100_755
        } else {
            0o100_644
        };
        let mut record = b"PK\x01\x02\x14".to_vec();
        record.push(HOSTS[usize::from(entry.host) % HOSTS.len()]);
        record.extend_from_slice(&[0x14, 0]);
        let (extra, comment) = (filler(entry.central_extra), vec![b'c'; usize::from(entry.comment % 8)]);
        fields(&mut record, flags, deflate, (crc, packed_size, size), name, &extra);
        record.extend_from_slice(&(comment.len() as u16).to_le_bytes());
        record.extend_from_slice(&[0; 4]);
        record.extend_from_slice(&(mode << 16).to_le_bytes());
        record.extend_from_slice(&offset.to_le_bytes());
        record.extend_from_slice(name);
        record.extend_from_slice(&extra);
        record.extend_from_slice(&comment);
        self.central.push(record);
    }

    fn finish(&mut self, zip64: bool, rotate: u8, comment: u8) {
        if !self.central.is_empty() {
            let by = usize::from(rotate) % self.central.len();
            self.central.rotate_left(by);
        }
        let count = self.central.len() as u64;
        let start = self.bytes.len() as u64;
        for record in std::mem::take(&mut self.central) {
            self.records.push(self.bytes.len());
            self.bytes.extend_from_slice(&record);
        }
        let size = self.bytes.len() as u64 - start;
        if zip64 {
            let at = self.bytes.len() as u64;
            self.records.push(self.bytes.len());
            self.bytes.extend_from_slice(b"PK\x06\x06\x2c\0\0\0\0\0\0\0\x2d\x03\x2d\0\0\0\0\0\0\0\0\0");
            for number in [count, count, size, start] {
                self.bytes.extend_from_slice(&number.to_le_bytes());
            }
            self.records.push(self.bytes.len());
            self.bytes.extend_from_slice(b"PK\x06\x07\0\0\0\0");
            self.bytes.extend_from_slice(&at.to_le_bytes());
            self.bytes.extend_from_slice(&1_u32.to_le_bytes());
        }
        self.records.push(self.bytes.len());
        self.bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        for _ in 0..2 {
            self.bytes.extend_from_slice(&(count as u16).to_le_bytes());
        }
        self.bytes.extend_from_slice(&(size as u32).to_le_bytes());
        self.bytes.extend_from_slice(&(start as u32).to_le_bytes());
        let comment = vec![b'c'; usize::from(comment % 8)];
        self.bytes.extend_from_slice(&(comment.len() as u16).to_le_bytes());
        self.bytes.extend_from_slice(&comment);
    }

    fn change(&mut self, change: &Change) {
        match change {
            Change::Field { record, at, width, value, relative } => {
                let Some(start) = self.record(*record) else { return };
                let width = [1, 2, 4, 8][usize::from(*width) % 4];
                let at = start + usize::from(*at) % 64;
                let Some(field) = self.bytes.get_mut(at..at + width) else { return };
                let mut old = [0; 8];
                old[..width].copy_from_slice(field);
                let new = if *relative {
                    u64::from_le_bytes(old).wrapping_add(u64::from(*value)).wrapping_sub(128)
                } else {
                    VALUES[usize::from(*value) % VALUES.len()]
                };
                field.copy_from_slice(&new.to_le_bytes()[..width]);
            }
            Change::Insert { record, bytes } => {
                let Some(start) = self.record(*record) else { return };
                self.bytes.splice(start..start, bytes.iter().copied());
            }
            Change::Move { record, to, keep } => {
                let (Some(start), Some(to)) = (self.record(*record), self.record(*to)) else { return };
                let end = self.records.iter().copied().filter(|end| *end > start).min().unwrap_or(self.bytes.len());
                let Some(piece) = self.bytes.get(start..end).map(<[u8]>::to_vec) else { return };
                self.bytes.splice(to..to, piece.iter().copied());
                if !keep {
                    let start = if to <= start { start + piece.len() } else { start };
                    self.bytes.drain(start..start + piece.len());
                }
            }
            Change::Cut { at } => self.bytes.truncate(self.bytes.len().saturating_sub(usize::from(*at) % 128)),
            Change::Append { bytes } => self.bytes.extend_from_slice(bytes),
        }
    }

    fn record(&self, number: u8) -> Option<usize> {
        let at = usize::from(number) % self.records.len().max(1);
        self.records.get(at).copied().filter(|start| *start < self.bytes.len())
    }
}

/// The fields that local and central headers have in common, flags to extra length.
fn fields(
    out: &mut Vec<u8>,
    flags: u16,
    deflate: bool,
    (crc, packed, size): (u32, u32, u32),
    name: &[u8],
    extra: &[u8],
) {
    out.extend_from_slice(&flags.to_le_bytes());
    out.extend_from_slice(&[if deflate { 8 } else { 0 }, 0]);
    out.extend_from_slice(&[0, 0, 0x21, 0x58]);
    for number in [crc, packed, size] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    out.extend_from_slice(&(name.len() as u16).to_le_bytes());
    out.extend_from_slice(&(extra.len() as u16).to_le_bytes());
}

/// One extra field of an identifier and a length, or none.
fn filler(extra: Option<(u16, u8)>) -> Vec<u8> {
    let Some((id, length)) = extra else { return Vec::new() };
    let id = if id & 1 == 0 { EXTRAS[usize::from(id >> 1) % EXTRAS.len()] } else { id };
    let mut bytes = [id.to_le_bytes(), u16::from(length).to_le_bytes()].concat();
    bytes.resize(bytes.len() + usize::from(length), 1);
    bytes
}

/// The deflate streams of all `DATA`, made once: a compressor costs more than all the rest of an execution.
fn deflated(data: u8) -> Vec<u8> {
    use std::io::Write as _;
    use std::sync::OnceLock;

    static STREAMS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let streams = STREAMS.get_or_init(|| {
        let stream = |data: &[u8]| {
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::new(6));
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        };
        DATA.into_iter().map(stream).collect()
    });
    streams[usize::from(data) % DATA.len()].clone()
}

fn crc(data: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(data);
    crc.sum()
}
