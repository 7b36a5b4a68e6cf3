//! tar.gz: ustar headers, pax records where a name is longer than 100 bytes or not ASCII, one gzip member.

use std::io;

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use super::{Capped, Exact, LEVEL, OPEN, PLAIN, failed, pause, unfinished};
use crate::error::Result;
use crate::pack::options::PackOptions;
use crate::pack::tree::{Item, ItemKind, Tree};

/// Bytes that a ustar header has for a name, and for a link's target.
const FIELD: usize = 100;
/// "Unknown" in the gzip header (RFC 1952): the bytes do not depend on the operating system.
const NO_SYSTEM: u8 = 255;

pub(super) fn write(tree: &Tree, options: &PackOptions) -> Result<Vec<u8>> {
    let gzip =
        GzBuilder::new().mtime(0).operating_system(NO_SYSTEM).write(Capped::new(options), Compression::new(LEVEL));
    let mut archive = Builder::new(gzip);
    for item in tree.items() {
        pause(options)?;
        match &item.kind {
            ItemKind::File { executable } => {
                let content = Exact::open(tree, item)?;
                let mut header = header(EntryType::Regular, if *executable { OPEN } else { PLAIN }, options);
                header.set_size(content.left);
                append(&mut archive, item, header, &[], content, options)
            }
            ItemKind::Symlink { target } => {
                append(&mut archive, item, header(EntryType::Symlink, 0o777, options), target, io::empty(), options)
            }
            // Special files were refused before.
            ItemKind::Directory | ItemKind::Special => {
                append(&mut archive, item, header(EntryType::Directory, OPEN, options), &[], io::empty(), options)
            }
        }
        .map_err(|source| failed(item, source))?;
    }
    let finished = archive.into_inner().and_then(flate2::write::GzEncoder::finish);
    Ok(finished.map_err(unfinished)?.into_bytes())
}

fn header(kind: EntryType, mode: u32, options: &PackOptions) -> Header {
    let mut header = Header::new_ustar();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_size(0);
    header.set_mtime(options.seconds());
    header
}

/// A member, and before it a pax header where its names need one.
fn append(
    archive: &mut Builder<impl io::Write>,
    item: &Item,
    mut header: Header,
    target: &[u8],
    content: impl io::Read,
    options: &PackOptions,
) -> io::Result<()> {
    let mut name = item.path.clone();
    if header.entry_type() == EntryType::Directory {
        name.push(b'/');
    }
    let mut records = Vec::new();
    for (key, value) in [("path", name.as_slice()), ("linkpath", target)] {
        // In a ustar header a name beyond ASCII is read in the reader's own character set; in pax it is UTF-8.
        if value.len() > FIELD || !value.is_ascii() {
            record(&mut records, key, value);
        }
    }
    if !records.is_empty() {
        let mut extension = self::header(EntryType::XHeader, PLAIN, options);
        extension.set_size(records.len() as u64);
        fill(&mut extension, b"PaxHeader", b"");
        archive.append(&extension, records.as_slice())?;
    }
    fill(&mut header, &name, target);
    archive.append(&header, content)
}

/// Puts the names into their fields, as much of them as fits, and the checksum over all.
fn fill(header: &mut Header, name: &[u8], target: &[u8]) {
    if let Some(ustar) = header.as_ustar_mut() {
        for (field, value) in [(&mut ustar.name, name), (&mut ustar.linkname, target)] {
            field.iter_mut().zip(whole_characters(value)).for_each(|(to, from)| *to = *from);
        }
    }
    header.set_cksum();
}

/// The beginning of a name that fits a field, not cut inside a character.
fn whole_characters(name: &[u8]) -> &[u8] {
    let most = name.get(..FIELD).unwrap_or(name);
    match std::str::from_utf8(most) {
        Ok(_) => most,
        Err(error) => most.get(..error.valid_up_to()).unwrap_or_default(),
    }
}

/// `LEN key=value\n`, where LEN counts itself (POSIX.1-2017, pax "Extended Header").
fn record(records: &mut Vec<u8>, key: &str, value: &[u8]) {
    let rest = [b" ", key.as_bytes(), b"=", value, b"\n"].concat();
    let mut length = rest.len();
    loop {
        let whole = rest.len().saturating_add(length.to_string().len());
        if whole == length {
            break;
        }
        length = whole;
    }
    records.extend_from_slice(length.to_string().as_bytes());
    records.extend_from_slice(&rest);
}
