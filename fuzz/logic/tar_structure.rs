//! tar by structure: a valid archive from the forge, then fields, order, sizes, pax records and boundaries changed.

use arbitrary::{Arbitrary, Result, Unstructured};
use skillx_archive::{Layout, Verdict};

use super::forge::tar::{self as forge, BLOCK, Field, Header};
use super::oracle;
use super::support::{SKILL_MD, artifact, check, gzip, options, turn};

const NAMES: [&[u8]; 14] = [
    b"a",
    b"b",
    b"A",
    b"d",
    b"d/",
    b"d/x",
    b"SKILL.md",
    b"./",
    b"./a",
    b"../x",
    b"caf\xc3\xa9",
    b"._a",
    b"__MACOSX/._b",
    b"w/SKILL.md",
];
const TARGETS: [&[u8]; 8] = [b"a", b"b", b"d/x", b"../a", b"/etc/passwd", b"SKILL.md", b"./d/../a", b"l"];
const DATA: [&[u8]; 5] = [b"", b"x", SKILL_MD, &[0; 512], b"ustar\x0000"];
const KINDS: [u8; 10] = [b'0', b'0', b'5', b'2', b'1', b'\0', b'7', b'6', b'g', b'S'];
const FIELDS: [Field; 14] = [
    forge::NAME,
    forge::MODE,
    forge::UID,
    forge::GID,
    forge::SIZE,
    forge::MTIME,
    forge::CHECKSUM,
    forge::TYPE,
    forge::LINK,
    forge::MAGIC,
    forge::DEV_MAJOR,
    forge::DEV_MINOR,
    forge::PREFIX,
    forge::TAIL,
];
const VALUES: [&[u8]; 20] = [
    b"",
    b"0",
    b"1",
    b"x",
    b"a/b",
    b"0000644\0",
    b"0000755",
    b"00000000001\0",
    b"00000001000 ",
    b"77777777777",
    b"           ",
    b"-1",
    b"9",
    b"\x80\0\0\0\0\0\0\0\0\0\0\x01",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\x80\0\0\0\0\0\0\x01",
    b"ustar\x0000",
    b"ustar  \0",
    b"a\0b",
    b"\xff\xfe",
];
const KEYS: [&[u8]; 12] = [
    b"path",
    b"linkpath",
    b"size",
    b"mtime",
    b"hdrcharset",
    b"comment",
    b"GNU.sparse.major",
    b"SCHILY.xattr.user.x",
    b"SCHILY.realsize",
    b"LIBARCHIVE.xattr.x",
    b"uid",
    b"uname",
];

/// One member of the valid archive, in the ways that writers have.
#[derive(Debug, Arbitrary)]
struct Member {
    kind: u8,
    name: u8,
    target: u8,
    data: u8,
    exec: bool,
    gnu: bool,
    /// The name in an extension header: pax, or GNU's long name.
    long: bool,
    /// Put before the name, as deep directories are.
    prefix: bool,
    records: Vec<Record>,
}

/// One more pax record.
#[derive(Debug, Arbitrary)]
struct Record {
    key: u8,
    value: u8,
    /// What is added to its length.
    length: i8,
}

/// One change to the finished archive.
#[derive(Debug, Arbitrary)]
enum Change {
    /// A field of a header, with a value that matters to somebody; the checksum follows, or does not.
    Field {
        unit: u8,
        field: u8,
        value: u8,
        checksum: bool,
    },
    /// Any byte of a header.
    Byte {
        unit: u8,
        at: u16,
        value: u8,
        checksum: bool,
    },
    /// A byte of a payload.
    Payload {
        unit: u8,
        at: u8,
        value: u8,
    },
    /// The size in the header, and not the payload's.
    Size {
        unit: u8,
        by: i16,
    },
    Swap {
        unit: u8,
        other: u8,
    },
    Again {
        unit: u8,
        to: u8,
    },
    Remove {
        unit: u8,
    },
    /// Bytes between two members: zero blocks, or a shift of every boundary behind them.
    Insert {
        unit: u8,
        count: u8,
        value: u8,
        blocks: bool,
    },
    /// The end marker: how many zero blocks, and what follows.
    End {
        blocks: u8,
        rest: u8,
    },
    Cut {
        bytes: u16,
    },
}

/// A header and what follows it up to the next.
#[derive(Clone)]
struct Unit {
    before: Vec<u8>,
    header: [u8; BLOCK],
    payload: Vec<u8>,
}

pub(crate) fn run(data: &[u8]) {
    let Ok(stream) = build(&mut Unstructured::new(data)) else { return };
    let artifact = artifact(gzip(&stream));
    let any = options().layout(Layout::Any);
    let report = check(&artifact, &any);
    if report.verdict == Verdict::Accepted {
        oracle::agree_on_tar(&stream, &artifact, &any, &report);
    }
    if turn(data) & 3 == 0 {
        let stripping = options().strip_root(true);
        let report = check(&artifact, &stripping);
        if report.verdict == Verdict::Accepted {
            oracle::agree_on_tar(&stream, &artifact, &stripping, &report);
        }
    }
}

fn build(input: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut units = Vec::new();
    let members: Vec<Member> = input.arbitrary()?;
    for member in members.iter().take(10) {
        add(&mut units, member);
    }
    let changes: Vec<Change> = input.arbitrary()?;
    let (mut end, mut rest, mut cut) = (2, 0, 0);
    for change in changes.iter().take(6) {
        match change {
            Change::End { blocks, rest: value } => (end, rest) = (usize::from(*blocks % 5), *value),
            Change::Cut { bytes } => cut = usize::from(*bytes) % 2048,
            change => apply(&mut units, change),
        }
    }
    let mut stream = Vec::new();
    for unit in &units {
        stream.extend_from_slice(&unit.before);
        stream.extend_from_slice(&unit.header);
        stream.extend_from_slice(&unit.payload);
    }
    stream.resize(stream.len() + end * BLOCK, 0);
    if rest > 0 {
        stream.push(rest);
    }
    stream.truncate(stream.len().saturating_sub(cut));
    Ok(stream)
}

fn add(units: &mut Vec<Unit>, member: &Member) {
    let pick = |table: &[&'static [u8]], at: u8| table[usize::from(at) % table.len()];
    let kind = KINDS[usize::from(member.kind) % KINDS.len()];
    let (name, target) = (pick(&NAMES, member.name), pick(&TARGETS, member.target));
    let is_link = matches!(kind, b'1' | b'2');
    let data = if matches!(kind, b'0' | b'\0' | b'7') { pick(&DATA, member.data) } else { b"" };
    let name = if member.prefix && !member.gnu { [b"d/".as_slice(), name].concat() } else { name.to_vec() };
    if kind == b'g' {
        return unit(units, Header::ustar(b'g', "pax_global_header"), &records(&member.records));
    }
    let mut pax = records(&member.records);
    if member.long && member.gnu {
        unit(units, Header::gnu(b'L', "././@LongLink"), &[name.as_slice(), b"\0"].concat());
        if is_link {
            unit(units, Header::gnu(b'K', "././@LongLink"), &[target, b"\0"].concat());
        }
    } else if member.long {
        pax.extend(forge::record("path", &name));
        if is_link {
            pax.extend(forge::record("linkpath", target));
        }
    }
    if !pax.is_empty() {
        unit(units, Header::ustar(b'x', "PaxHeaders.0/x"), &pax);
    }
    let header = if member.gnu { Header::gnu(kind, &name) } else { Header::ustar(kind, &name) };
    let header = if member.prefix && !member.gnu && !member.long {
        header.set(forge::NAME, &name[2..]).prefix("d")
    } else {
        header
    };
    let header = if member.exec { header.mode(0o755) } else { header };
    let header = if is_link { header.link(target) } else { header };
    unit(units, header, data);
}

fn unit(units: &mut Vec<Unit>, header: Header, data: &[u8]) {
    let mut payload = data.to_vec();
    payload.resize(data.len().next_multiple_of(BLOCK), 0);
    units.push(Unit { before: Vec::new(), header: header.size(data.len() as u64).build(), payload });
}

fn records(records: &[Record]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for record in records.iter().take(4) {
        let key = KEYS[usize::from(record.key) % KEYS.len()];
        let value = VALUES[usize::from(record.value) % VALUES.len()];
        let length = forge::record(key, value).len().saturating_add_signed(isize::from(record.length / 32));
        bytes.extend(forge::record_as(length.to_string(), key, value));
    }
    bytes
}

fn apply(units: &mut Vec<Unit>, change: &Change) {
    let count = units.len();
    if count == 0 {
        return;
    }
    let at = |number: u8| usize::from(number) % count;
    match *change {
        Change::Field { unit, field, value, checksum } => {
            let Field(start, width) = FIELDS[usize::from(field) % FIELDS.len()];
            let value = VALUES[usize::from(value) % VALUES.len()];
            let header = &mut units[at(unit)].header;
            let value = &value[..value.len().min(width)];
            header[start..start + width].fill(0);
            header[start..start + value.len()].copy_from_slice(value);
            sign(header, checksum);
        }
        Change::Byte { unit, at: place, value, checksum } => {
            let header = &mut units[at(unit)].header;
            header[usize::from(place) % BLOCK] = value;
            sign(header, checksum);
        }
        Change::Payload { unit, at: place, value } => {
            let payload = &mut units[at(unit)].payload;
            if let Some(byte) = payload.get_mut(usize::from(place)) {
                *byte = value;
            }
        }
        Change::Size { unit, by } => {
            let unit = &mut units[at(unit)];
            let size = unit.payload.len().saturating_add_signed(isize::from(by));
            unit.header[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
            sign(&mut unit.header, true);
        }
        Change::Swap { unit, other } => units.swap(at(unit), at(other)),
        Change::Again { unit, to } => {
            let again = units[at(unit)].clone();
            units.insert(at(to), again);
        }
        Change::Remove { unit } => drop(units.remove(at(unit))),
        Change::Insert { unit, count, value, blocks } => {
            let count = if blocks { usize::from(count % 3) * BLOCK } else { usize::from(count) };
            units[at(unit)].before.resize(count, if blocks { 0 } else { value });
        }
        Change::End { .. } | Change::Cut { .. } => {}
    }
}

/// Writes the right checksum, or leaves the old one.
fn sign(header: &mut [u8; BLOCK], wanted: bool) {
    if wanted {
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
}
