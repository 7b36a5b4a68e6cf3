//! What cannot be reached through the public API: the reader alone, on bytes in memory and in a file.

use super::ZipMembers;
use crate::artifact::Artifact;
use crate::cancel::Cancel;
use crate::container::{Encoding, Members, RawKind};
use crate::error::Result;
use crate::limits::{Budget, Limits};

/// A member with its content, owned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) offset: u64,
    pub(super) name: Vec<u8>,
    pub(super) kind: String,
    pub(super) conflict: Option<&'static str>,
    pub(super) encoding: Encoding,
    pub(super) content: Vec<u8>,
}

pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<Vec<Read>> {
    let artifact = Artifact::from_reader(bytes, limits)?;
    let mut budget = Budget::new(limits, &Cancel::new(), artifact.len());
    let mut members = ZipMembers::open(artifact.spool(), &mut budget)?;
    let mut all = Vec::new();
    while let Some(member) = members.next(&mut budget)? {
        assert_eq!(member.ordinal, all.len() as u64 + 1);
        let kind = match member.kind {
            RawKind::Directory => "directory".to_owned(),
            RawKind::File { executable } => format!("file{}", if executable { "+x" } else { "" }),
            RawKind::Symlink { target } => format!("-> {}", target.escape_ascii()),
            other => format!("{other:?}"),
        };
        let (conflict, encoding) = (member.kind_conflict, member.encoding);
        let mut read =
            Read { offset: member.offset, name: member.name.to_vec(), kind, conflict, encoding, content: Vec::new() };
        while let Some(piece) = members.data(&mut budget)? {
            assert!(!piece.is_empty());
            read.content.extend_from_slice(piece);
        }
        assert!(members.data(&mut budget)?.is_none());
        all.push(read);
    }
    Ok(all)
}

/// An archive over the memory threshold is read from a file: the same members, the same errors.
#[test]
fn memory_and_file_are_read_alike() {
    let mut in_file = Limits::default();
    in_file.spool_memory = 1;
    let long = vec![b'.'; 200_000];
    let good = zip(&[(b"a", b"content"), (b"long", &long), (b"d/", b"")]);
    let mut wrong_crc = good.clone();
    wrong_crc[31] ^= 1;
    for bytes in [&good[..], &wrong_crc, &good[..good.len() - 1], &good[1..]] {
        let (memory, file) = (read(bytes, &Limits::default()), read(bytes, &in_file));
        match (&memory, &file) {
            (Ok(memory), Ok(file)) => assert_eq!(memory, file),
            (Err(memory), Err(file)) => assert_eq!(format!("{memory:?}"), format!("{file:?}")),
            _ => panic!("{memory:?} from memory, {file:?} from a file"),
        }
    }
    assert_eq!(read(&good, &in_file).unwrap()[1].content, long);
}

/// Nobody has to read the content of a member: what is left of it is read and checked before the next one.
#[test]
fn content_nobody_reads_is_checked() {
    let limits = Limits::default();
    let mut bytes = zip(&[(b"a", b"content"), (b"b", b"more")]);
    bytes[31] ^= 1;
    let artifact = Artifact::from_bytes(bytes);
    let mut budget = Budget::new(&limits, &Cancel::new(), artifact.len());
    let mut members = ZipMembers::open(artifact.spool(), &mut budget).unwrap();
    assert_eq!(members.next(&mut budget).unwrap().unwrap().name, b"a");
    let error = members.next(&mut budget).unwrap_err();
    assert_eq!(error.code(), "zip-crc");
    assert_eq!(error.entry().unwrap().ordinal(), 1);
}

/// What the reader gives out is counted in pieces, so the budget stops it in the middle of a member.
#[test]
fn the_budget_stops_a_member() {
    let mut limits = Limits::default();
    limits.ratio_floor = 100_000;
    limits.ratio = 1;
    let long = vec![b'.'; 100_000];
    let bytes = zip(&[(b"a", &long), (b"b", b"1")]);
    assert_eq!(read(&bytes, &limits).unwrap().len(), 2);
    limits.entries = 1;
    let error = read(&bytes, &limits).unwrap_err();
    assert_eq!(error.code(), "limit-entries");
    limits.entries = 2;
    limits.extension_total = 2 * 46 + 2;
    assert_eq!(read(&bytes, &limits).unwrap().len(), 2);
    limits.extension_total -= 1;
    assert_eq!(read(&bytes, &limits).unwrap_err().code(), "limit-metadata");
}

/// Stored members, as any writer would write them.
fn zip(members: &[(&[u8], &[u8])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, data) in members {
        let mut crc = flate2::Crc::new();
        crc.update(data);
        let (length, offset) = (u32::try_from(data.len()).unwrap(), u32::try_from(bytes.len()).unwrap());
        let mut common = vec![10, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        common.extend(crc.sum().to_le_bytes());
        common.extend(length.to_le_bytes());
        common.extend(length.to_le_bytes());
        common.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        common.extend([0, 0]);
        bytes.extend([b"PK\x03\x04", &common[..], name, data].concat());
        let rest = [&[0; 10][..], &offset.to_le_bytes()].concat();
        directory.extend([b"PK\x01\x02\x14\x03", &common[..], &[0; 0], &rest, name].concat());
    }
    let count = u16::try_from(members.len()).unwrap().to_le_bytes();
    let offset = u32::try_from(bytes.len()).unwrap().to_le_bytes();
    let size = u32::try_from(directory.len()).unwrap().to_le_bytes();
    bytes.extend(directory);
    bytes.extend([b"PK\x05\x06\0\0\0\0", &count[..], &count, &size, &offset, &[0, 0]].concat());
    bytes
}
