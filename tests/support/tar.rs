//! Writes tar streams byte by byte, right or wrong: every header field can hold any bytes, the checksum is right unless
//! a case says otherwise. Nothing here checks anything: a builder that refuses cannot test a reader that should.

pub const BLOCK: usize = 512;

/// A header field: offset and width.
#[derive(Clone, Copy, Debug)]
pub struct Field(pub usize, pub usize);

pub const NAME: Field = Field(0, 100);
pub const MODE: Field = Field(100, 8);
pub const UID: Field = Field(108, 8);
pub const GID: Field = Field(116, 8);
pub const SIZE: Field = Field(124, 12);
pub const MTIME: Field = Field(136, 12);
pub const CHECKSUM: Field = Field(148, 8);
pub const TYPE: Field = Field(156, 1);
pub const LINK: Field = Field(157, 100);
/// Magic and version together: readers compare all eight bytes.
pub const MAGIC: Field = Field(257, 8);
pub const UNAME: Field = Field(265, 32);
pub const GNAME: Field = Field(297, 32);
pub const DEV_MAJOR: Field = Field(329, 8);
pub const DEV_MINOR: Field = Field(337, 8);
pub const PREFIX: Field = Field(345, 155);
/// The twelve bytes after the prefix that no dialect of ours uses.
pub const TAIL: Field = Field(500, 12);

pub const USTAR: &[u8; 8] = b"ustar\x0000";
pub const GNU: &[u8; 8] = b"ustar  \0";
pub const V7: &[u8; 8] = &[0; 8];

/// The fields read as numbers, with the names the cases use for them.
pub const NUMERIC: [(&str, Field); 7] = [
    ("mode", MODE),
    ("uid", UID),
    ("gid", GID),
    ("size", SIZE),
    ("mtime", MTIME),
    ("devmajor", DEV_MAJOR),
    ("devminor", DEV_MINOR),
];

#[derive(Clone, Copy, Debug)]
enum Checksum {
    Right,
    /// The sum as old systems with signed `char` took it.
    Signed,
    Off(i64),
    Raw([u8; 8]),
}

/// One 512-byte header.
#[derive(Clone, Debug)]
pub struct Header {
    block: [u8; BLOCK],
    sized: bool,
    checksum: Checksum,
}

impl Header {
    /// A POSIX header. A name over 100 bytes is cut, as real writers do when an extension carries the whole of it.
    pub fn ustar(kind: u8, name: impl AsRef<[u8]>) -> Self {
        Self::new(kind, name.as_ref(), USTAR)
    }

    pub fn gnu(kind: u8, name: impl AsRef<[u8]>) -> Self {
        Self::new(kind, name.as_ref(), GNU)
    }

    fn new(kind: u8, name: &[u8], magic: &[u8; 8]) -> Self {
        let header = Header { block: [0; BLOCK], sized: false, checksum: Checksum::Right };
        let mode = if kind == b'5' { 0o755 } else { 0o644 };
        let header = header.set(NAME, &name[..name.len().min(NAME.1)]).set(TYPE, [kind]).set(MAGIC, magic);
        let mut header = header.octal(MODE, mode).octal(UID, 0).octal(GID, 0).octal(SIZE, 0).octal(MTIME, 0);
        if magic == USTAR {
            header = header.octal(DEV_MAJOR, 0).octal(DEV_MINOR, 0);
        }
        header.sized = false;
        header
    }

    /// Puts bytes at the start of a field and NULs in the rest of it.
    pub fn set(mut self, field: Field, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        assert!(bytes.len() <= field.1, "{} bytes do not fit {field:?}", bytes.len());
        let target = &mut self.block[field.0..field.0 + field.1];
        target.fill(0);
        target[..bytes.len()].copy_from_slice(bytes);
        self.sized |= field.0 == SIZE.0;
        self
    }

    /// The usual number: octal, zero-padded, one NUL.
    pub fn octal(self, field: Field, value: u64) -> Self {
        let width = field.1 - 1;
        self.set(field, format!("{value:0width$o}"))
    }

    /// GNU base-256: big-endian two's complement with the top bit of the first byte set.
    pub fn base256(self, field: Field, value: i128) -> Self {
        let all = value.to_be_bytes();
        let mut bytes = all[all.len() - field.1..].to_vec();
        bytes[0] |= 0x80;
        self.set(field, bytes)
    }

    pub fn size(self, value: u64) -> Self {
        self.octal(SIZE, value)
    }

    pub fn mode(self, value: u64) -> Self {
        self.octal(MODE, value)
    }

    pub fn link(self, target: impl AsRef<[u8]>) -> Self {
        let target = target.as_ref();
        self.set(LINK, &target[..target.len().min(LINK.1)])
    }

    pub fn prefix(self, bytes: impl AsRef<[u8]>) -> Self {
        self.set(PREFIX, bytes)
    }

    pub fn magic(self, bytes: &[u8; 8]) -> Self {
        self.set(MAGIC, bytes)
    }

    /// Writes over any place in the block, across fields.
    pub fn poke(mut self, offset: usize, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        self.block[offset..offset + bytes.len()].copy_from_slice(bytes);
        self.sized |= offset < SIZE.0 + SIZE.1 && offset + bytes.len() > SIZE.0;
        self
    }

    pub fn checksum_raw(mut self, bytes: &[u8; 8]) -> Self {
        self.checksum = Checksum::Raw(*bytes);
        self
    }

    pub fn checksum_signed(mut self) -> Self {
        self.checksum = Checksum::Signed;
        self
    }

    pub fn checksum_off(mut self, by: i64) -> Self {
        self.checksum = Checksum::Off(by);
        self
    }

    /// The right sum of this header, for cases that spell it in an unusual way.
    pub fn sum(&self) -> u32 {
        let mut block = self.block;
        block[CHECKSUM.0..CHECKSUM.0 + CHECKSUM.1].fill(b' ');
        block.iter().map(|&b| u32::from(b)).sum()
    }

    pub fn build(&self) -> [u8; BLOCK] {
        let mut block = self.block;
        let field = &mut block[CHECKSUM.0..CHECKSUM.0 + CHECKSUM.1];
        let unsigned = i64::from(self.sum());
        let sum = match self.checksum {
            Checksum::Raw(bytes) => {
                field.copy_from_slice(&bytes);
                return block;
            }
            Checksum::Right => unsigned,
            Checksum::Off(by) => unsigned + by,
            Checksum::Signed => unsigned - 256 * self.block.iter().filter(|&&b| b >= 0x80).count() as i64,
        };
        field.copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        block
    }
}

/// One pax record whose length is right.
pub fn record(key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Vec<u8> {
    let (key, value) = (key.as_ref(), value.as_ref());
    let body = key.len() + value.len() + 3;
    let mut length = body + 1;
    while body + length.to_string().len() != length {
        length = body + length.to_string().len();
    }
    record_as(length.to_string(), key, value)
}

/// One pax record whose length says what the case wants.
pub fn record_as(length: impl AsRef<[u8]>, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Vec<u8> {
    let mut bytes = length.as_ref().to_vec();
    bytes.push(b' ');
    bytes.extend_from_slice(key.as_ref());
    bytes.push(b'=');
    bytes.extend_from_slice(value.as_ref());
    bytes.push(b'\n');
    bytes
}

pub fn records(pairs: &[(&str, &[u8])]) -> Vec<u8> {
    pairs.iter().flat_map(|(key, value)| record(key, value)).collect()
}

/// A tar stream under construction.
#[derive(Clone, Debug, Default)]
pub struct Tar {
    bytes: Vec<u8>,
}

impl Tar {
    pub fn empty() -> Self {
        Tar::default()
    }

    /// The usual start of a case: a valid SKILL.md.
    pub fn skill() -> Self {
        Tar::empty().file("SKILL.md", super::SKILL_MD)
    }

    pub fn raw(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.bytes.extend_from_slice(bytes.as_ref());
        self
    }

    /// A header alone, its size as it stands.
    pub fn header(self, header: Header) -> Self {
        self.raw(header.build())
    }

    /// Payload bytes, padded with NULs to a whole block.
    pub fn data(self, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        let padding = bytes.len().next_multiple_of(BLOCK) - bytes.len();
        self.raw(bytes).raw(vec![0; padding])
    }

    /// A header with its payload; the size field is filled in unless the case has set it.
    pub fn member(self, header: Header, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        let header = if header.sized { header } else { header.size(bytes.len() as u64) };
        self.header(header).data(bytes)
    }

    pub fn file(self, name: impl AsRef<[u8]>, bytes: impl AsRef<[u8]>) -> Self {
        self.member(Header::ustar(b'0', name), bytes)
    }

    pub fn dir(self, name: impl AsRef<[u8]>) -> Self {
        self.header(Header::ustar(b'5', name))
    }

    pub fn symlink(self, name: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> Self {
        self.header(Header::ustar(b'2', name).mode(0o777).link(target))
    }

    pub fn hardlink(self, name: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> Self {
        self.header(Header::ustar(b'1', name).link(target))
    }

    /// A pax header for the next member.
    pub fn pax(self, pairs: &[(&str, &[u8])]) -> Self {
        self.pax_raw(records(pairs))
    }

    pub fn pax_raw(self, payload: impl AsRef<[u8]>) -> Self {
        self.member(Header::ustar(b'x', "PaxHeaders.0/x"), payload)
    }

    /// A pax header for all that follows.
    pub fn global(self, pairs: &[(&str, &[u8])]) -> Self {
        self.global_raw(records(pairs))
    }

    pub fn global_raw(self, payload: impl AsRef<[u8]>) -> Self {
        self.member(Header::ustar(b'g', "pax_global_header"), payload)
    }

    /// GNU long name with its final NUL.
    pub fn long_name(self, name: impl AsRef<[u8]>) -> Self {
        self.long_name_raw([name.as_ref(), b"\0"].concat())
    }

    pub fn long_name_raw(self, payload: impl AsRef<[u8]>) -> Self {
        self.member(Header::gnu(b'L', "././@LongLink"), payload)
    }

    pub fn long_link(self, target: impl AsRef<[u8]>) -> Self {
        self.long_link_raw([target.as_ref(), b"\0"].concat())
    }

    pub fn long_link_raw(self, payload: impl AsRef<[u8]>) -> Self {
        self.member(Header::gnu(b'K', "././@LongLink"), payload)
    }

    /// A file as GNU tar writes it when its name is long: L, then a header with the name cut.
    pub fn file_gnu_long(self, name: impl AsRef<[u8]>, bytes: impl AsRef<[u8]>) -> Self {
        self.long_name(name.as_ref()).member(Header::gnu(b'0', name), bytes)
    }

    pub fn zero_blocks(self, count: usize) -> Self {
        self.raw(vec![0; count * BLOCK])
    }

    /// Two zero blocks, and done.
    pub fn end(self) -> Vec<u8> {
        self.zero_blocks(2).bytes
    }

    /// Ends as GNU tar and bsdtar do: the whole a multiple of 10,240 bytes.
    pub fn end_blocked(self) -> Vec<u8> {
        let mut bytes = self.end();
        bytes.resize(bytes.len().next_multiple_of(10_240), 0);
        bytes
    }

    /// What has been written so far, without an end.
    pub fn unended(self) -> Vec<u8> {
        self.bytes
    }
}
