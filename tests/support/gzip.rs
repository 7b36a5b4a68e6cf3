//! Writes gzip members byte by byte (RFC 1952), right or wrong: every header option, either body form, any trailer.

use std::io::Write;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

pub const FTEXT: u8 = 1;
pub const FHCRC: u8 = 2;
pub const FEXTRA: u8 = 4;
pub const FNAME: u8 = 8;
pub const FCOMMENT: u8 = 16;

/// An ordinary gzip file around `data`.
pub fn gzip(data: impl AsRef<[u8]>) -> Vec<u8> {
    Gzip::new(data).build()
}

pub fn deflate(data: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(data).expect("a Vec takes every write");
    encoder.finish().expect("a Vec takes every write")
}

/// The same bytes as stored blocks of at most `step` bytes: no inflater can gain or lose anything by them.
pub fn stored(data: &[u8], step: u16) -> Vec<u8> {
    let mut out = Vec::new();
    let mut blocks = data.chunks(usize::from(step)).peekable();
    if blocks.peek().is_none() {
        return vec![1, 0, 0, 0xff, 0xff];
    }
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        out.push(u8::from(blocks.peek().is_none()));
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        out.extend_from_slice(block);
    }
    out
}

pub fn crc32(data: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(data);
    crc.sum()
}

/// One gzip member. Flags follow from the fields that are set, plus `extra_flags`.
#[derive(Clone, Debug)]
pub struct Gzip {
    pub magic: [u8; 2],
    pub method: u8,
    pub extra_flags: u8,
    pub mtime: u32,
    pub xfl: u8,
    pub os: u8,
    pub extra: Option<Vec<u8>>,
    pub name: Option<Vec<u8>>,
    pub comment: Option<Vec<u8>>,
    /// Some(0) writes the right header CRC; another value is xored into it.
    pub header_crc: Option<u16>,
    pub body: Vec<u8>,
    pub crc: u32,
    pub isize: u32,
}

impl Gzip {
    pub fn new(data: impl AsRef<[u8]>) -> Self {
        let data = data.as_ref();
        Gzip {
            magic: [0x1f, 0x8b],
            method: 8,
            extra_flags: 0,
            mtime: 0,
            xfl: 0,
            os: 255,
            extra: None,
            name: None,
            comment: None,
            header_crc: None,
            body: deflate(data, 6),
            crc: crc32(data),
            isize: data.len() as u32,
        }
    }

    /// Changes any field: `Gzip::new(tar).with(|g| g.crc ^= 1)`.
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// The header alone, as far as the deflate stream.
    pub fn header(&self) -> Vec<u8> {
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        let flags = self.extra_flags
            | flag(self.header_crc.is_some(), FHCRC)
            | flag(self.extra.is_some(), FEXTRA)
            | flag(self.name.is_some(), FNAME)
            | flag(self.comment.is_some(), FCOMMENT);
        let mut out = vec![self.magic[0], self.magic[1], self.method, flags];
        out.extend_from_slice(&self.mtime.to_le_bytes());
        out.extend_from_slice(&[self.xfl, self.os]);
        if let Some(extra) = &self.extra {
            out.extend_from_slice(&(extra.len() as u16).to_le_bytes());
            out.extend_from_slice(extra);
        }
        for text in [&self.name, &self.comment].into_iter().flatten() {
            out.extend_from_slice(text);
            out.push(0);
        }
        if let Some(twist) = self.header_crc {
            let right = crc32(&out) as u16;
            out.extend_from_slice(&(right ^ twist).to_le_bytes());
        }
        out
    }

    pub fn build(&self) -> Vec<u8> {
        let mut out = self.header();
        out.extend_from_slice(&self.body);
        out.extend_from_slice(&self.crc.to_le_bytes());
        out.extend_from_slice(&self.isize.to_le_bytes());
        out
    }
}

/// The file with NULs after it, as many as the case says.
pub fn padded(mut file: Vec<u8>, zeros: usize) -> Vec<u8> {
    file.resize(file.len() + zeros, 0);
    file
}

/// How many NULs bring a file of this length to a multiple of 512.
pub fn to_block(length: usize) -> usize {
    length.next_multiple_of(512) - length
}
