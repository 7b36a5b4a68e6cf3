//! Writes zip files byte by byte (APPNOTE), right or wrong: every field of local header, descriptor, central record,
//! zip64 records and end record can be set apart from all others, and any bytes can stand between them.

use super::gzip::{crc32, deflate};

pub const LOCAL: u32 = 0x0403_4b50;
pub const DESCRIPTOR: u32 = 0x0807_4b50;
pub const CENTRAL: u32 = 0x0201_4b50;
pub const END: u32 = 0x0605_4b50;
pub const END64: u32 = 0x0606_4b50;
pub const LOCATOR: u32 = 0x0706_4b50;

pub const ONES16: u16 = u16::MAX;
pub const ONES32: u32 = u32::MAX;

pub const STORED: u16 = 0;
pub const DEFLATE: u16 = 8;

pub const FLAG_DESCRIPTOR: u16 = 1 << 3;
pub const FLAG_UTF8: u16 = 1 << 11;

/// Made-by hosts, in the high byte of `made_by`.
pub const DOS: u8 = 0;
pub const UNIX: u8 = 3;
pub const NTFS: u8 = 10;
pub const OSX: u8 = 19;

/// What the local header says where it differs from the truth.
#[derive(Clone, Debug, Default)]
pub struct Local {
    /// Neither header nor data nor descriptor is written; the central record still is.
    pub omit: bool,
    pub signature: Option<u32>,
    pub version: Option<u16>,
    pub flags: Option<u16>,
    pub method: Option<u16>,
    pub time: Option<u16>,
    pub date: Option<u16>,
    pub crc: Option<u32>,
    pub packed: Option<u32>,
    pub size: Option<u32>,
    pub name: Option<Vec<u8>>,
    pub extra: Option<Vec<u8>>,
    pub name_length: Option<u16>,
    pub extra_length: Option<u16>,
}

/// What the central record says where it differs from the truth.
#[derive(Clone, Debug, Default)]
pub struct Central {
    /// The member is hidden: a local header without a central record.
    pub omit: bool,
    pub signature: Option<u32>,
    pub made_by: Option<u16>,
    pub version: Option<u16>,
    pub flags: Option<u16>,
    pub method: Option<u16>,
    pub time: Option<u16>,
    pub date: Option<u16>,
    pub crc: Option<u32>,
    pub packed: Option<u32>,
    pub size: Option<u32>,
    pub name: Option<Vec<u8>>,
    pub extra: Option<Vec<u8>>,
    pub name_length: Option<u16>,
    pub extra_length: Option<u16>,
    pub comment: Vec<u8>,
    pub comment_length: Option<u16>,
    pub disk: u16,
    pub internal: u16,
    pub offset: Option<u32>,
}

/// The record after the data of a streamed member.
#[derive(Clone, Debug)]
pub struct Descriptor {
    pub signature: bool,
    /// Eight-byte sizes instead of four.
    pub wide: bool,
    pub crc: Option<u32>,
    pub packed: Option<u64>,
    pub size: Option<u64>,
    /// These bytes instead of a descriptor (empty: the flag is set and nothing follows).
    pub raw: Option<Vec<u8>>,
}

impl Default for Descriptor {
    fn default() -> Self {
        Descriptor { signature: true, wide: false, crc: None, packed: None, size: None, raw: None }
    }
}

#[derive(Clone, Debug)]
pub struct Entry {
    pub name: Vec<u8>,
    pub data: Vec<u8>,
    pub method: u16,
    /// The packed bytes, where they are not simply `data` under `method`.
    pub body: Option<Vec<u8>>,
    pub flags: u16,
    pub version: u16,
    pub made_by: u16,
    pub external: u32,
    pub time: u16,
    pub date: u16,
    /// The extra field of both headers.
    pub extra: Vec<u8>,
    pub local: Local,
    pub central: Central,
    pub descriptor: Option<Descriptor>,
    /// Bytes in front of the local header that belong to nothing.
    pub gap: Vec<u8>,
}

impl Entry {
    /// A stored regular file as Info-ZIP writes it.
    pub fn file(name: impl AsRef<[u8]>, data: impl AsRef<[u8]>) -> Self {
        let name = name.as_ref().to_vec();
        Entry {
            flags: if name.is_ascii() { 0 } else { FLAG_UTF8 },
            name,
            data: data.as_ref().to_vec(),
            method: STORED,
            body: None,
            version: 10,
            made_by: u16::from_be_bytes([UNIX, 30]),
            external: 0o100_644 << 16,
            time: 0,
            date: 0x0021,
            extra: Vec::new(),
            local: Local::default(),
            central: Central::default(),
            descriptor: None,
            gap: Vec::new(),
        }
    }

    pub fn dir(name: impl AsRef<[u8]>) -> Self {
        Entry::file(name, b"").external(0o040_755 << 16 | 0x10)
    }

    pub fn symlink(name: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> Self {
        Entry::file(name, target).external(0o120_777 << 16)
    }

    /// Changes any field: `Entry::file(..).with(|e| e.local.crc = Some(0))`.
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    pub fn deflated(self) -> Self {
        self.with(|e| (e.method, e.version) = (DEFLATE, 20))
    }

    /// Type and permission bits together, as `st_mode` has them.
    pub fn unix_mode(self, mode: u32) -> Self {
        self.external(mode << 16)
    }

    pub fn external(self, value: u32) -> Self {
        self.with(|e| e.external = value)
    }

    pub fn host(self, host: u8) -> Self {
        self.with(|e| e.made_by = u16::from_be_bytes([host, e.made_by as u8]))
    }

    /// Flag bit 3, zeros in the local header, and this descriptor.
    pub fn streamed(self, descriptor: Descriptor) -> Self {
        self.with(|e| {
            e.flags |= FLAG_DESCRIPTOR;
            (e.local.crc, e.local.packed, e.local.size) = (Some(0), Some(0), Some(0));
            e.descriptor = Some(descriptor);
        })
    }

    /// All ones in the local sizes and the real ones in a local 0x0001, nothing of it in the central record.
    pub fn zip64_local(self) -> Self {
        let (size, packed) = (self.data.len() as u64, self.packed().len() as u64);
        self.with(|e| {
            (e.local.packed, e.local.size) = (Some(ONES32), Some(ONES32));
            e.local.extra = Some([zip64_extra(&[size, packed]), e.extra.clone()].concat());
            e.version = 45;
        })
    }

    pub fn packed(&self) -> Vec<u8> {
        match (&self.body, self.method) {
            (Some(body), _) => body.clone(),
            (None, DEFLATE) => deflate(&self.data, 6),
            (None, _) => self.data.clone(),
        }
    }

    fn write_local(&self, out: &mut Vec<u8>) {
        let l = &self.local;
        let packed = self.packed();
        let name = l.name.as_ref().unwrap_or(&self.name);
        let extra = l.extra.as_ref().unwrap_or(&self.extra);
        put32(out, l.signature.unwrap_or(LOCAL));
        put16(out, l.version.unwrap_or(self.version));
        put16(out, l.flags.unwrap_or(self.flags));
        put16(out, l.method.unwrap_or(self.method));
        put16(out, l.time.unwrap_or(self.time));
        put16(out, l.date.unwrap_or(self.date));
        put32(out, l.crc.unwrap_or_else(|| crc32(&self.data)));
        put32(out, l.packed.unwrap_or(packed.len() as u32));
        put32(out, l.size.unwrap_or(self.data.len() as u32));
        put16(out, l.name_length.unwrap_or(name.len() as u16));
        put16(out, l.extra_length.unwrap_or(extra.len() as u16));
        out.extend_from_slice(name);
        out.extend_from_slice(extra);
        out.extend_from_slice(&packed);
        if let Some(descriptor) = &self.descriptor {
            out.extend_from_slice(&descriptor.build(&self.data, packed.len()));
        }
    }

    fn write_central(&self, out: &mut Vec<u8>, offset: u32) {
        let c = &self.central;
        let name = c.name.as_ref().unwrap_or(&self.name);
        let extra = c.extra.as_ref().unwrap_or(&self.extra);
        put32(out, c.signature.unwrap_or(CENTRAL));
        put16(out, c.made_by.unwrap_or(self.made_by));
        put16(out, c.version.unwrap_or(self.version));
        put16(out, c.flags.unwrap_or(self.flags));
        put16(out, c.method.unwrap_or(self.method));
        put16(out, c.time.unwrap_or(self.time));
        put16(out, c.date.unwrap_or(self.date));
        put32(out, c.crc.unwrap_or_else(|| crc32(&self.data)));
        put32(out, c.packed.unwrap_or_else(|| self.packed().len() as u32));
        put32(out, c.size.unwrap_or(self.data.len() as u32));
        put16(out, c.name_length.unwrap_or(name.len() as u16));
        put16(out, c.extra_length.unwrap_or(extra.len() as u16));
        put16(out, c.comment_length.unwrap_or(c.comment.len() as u16));
        put16(out, c.disk);
        put16(out, c.internal);
        put32(out, self.external);
        put32(out, c.offset.unwrap_or(offset));
        out.extend_from_slice(name);
        out.extend_from_slice(extra);
        out.extend_from_slice(&c.comment);
    }
}

impl Descriptor {
    /// The descriptor's bytes for this data.
    pub fn build(&self, data: &[u8], packed: usize) -> Vec<u8> {
        if let Some(raw) = &self.raw {
            return raw.clone();
        }
        let mut out = Vec::new();
        if self.signature {
            put32(&mut out, DESCRIPTOR);
        }
        put32(&mut out, self.crc.unwrap_or_else(|| crc32(data)));
        for value in [self.packed.unwrap_or(packed as u64), self.size.unwrap_or(data.len() as u64)] {
            if self.wide { put64(&mut out, value) } else { put32(&mut out, value as u32) }
        }
        out
    }
}

/// What the end record says where it differs from the truth.
#[derive(Clone, Debug, Default)]
pub struct End {
    pub omit: bool,
    pub signature: Option<u32>,
    pub disk: u16,
    pub central_disk: u16,
    pub count_here: Option<u16>,
    pub count: Option<u16>,
    pub size: Option<u32>,
    pub offset: Option<u32>,
    pub comment: Vec<u8>,
    pub comment_length: Option<u16>,
}

/// The zip64 end record and its locator, and what they say where it differs from the truth.
#[derive(Clone, Debug, Default)]
pub struct Zip64 {
    pub omit_record: bool,
    pub signature: Option<u32>,
    /// The record's own length field; 44 plus the extensible data when true.
    pub length: Option<u64>,
    pub disk: u32,
    pub central_disk: u32,
    pub count_here: Option<u64>,
    pub count: Option<u64>,
    pub size: Option<u64>,
    pub offset: Option<u64>,
    pub extensible: Vec<u8>,
    /// Bytes between record and locator.
    pub gap: Vec<u8>,
    pub omit_locator: bool,
    pub locator_signature: Option<u32>,
    pub locator_disk: u32,
    pub locator_offset: Option<u64>,
    pub locator_disks: Option<u32>,
}

/// Where things came to stand, for cases that point at them.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// One for each entry, in their order.
    pub locals: Vec<usize>,
    pub central: usize,
    pub central_size: usize,
    pub end64: usize,
    pub end: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Zip {
    pub prefix: Vec<u8>,
    /// Offsets count from the file's first byte; with true, from the end of the prefix (as self-extracting stubs do).
    pub unadjusted: bool,
    pub entries: Vec<Entry>,
    /// The order of central records by entry index; an index may be missing or come twice.
    pub central_order: Option<Vec<usize>>,
    pub before_central: Vec<u8>,
    pub after_central: Vec<u8>,
    pub zip64: Option<Zip64>,
    /// Bytes between the locator and the end record.
    pub before_end: Vec<u8>,
    pub end: End,
    pub trailing: Vec<u8>,
}

impl Zip {
    pub fn empty() -> Self {
        Zip::default()
    }

    /// The usual start of a case: a valid SKILL.md.
    pub fn skill() -> Self {
        Zip::empty().entry(Entry::file("SKILL.md", super::SKILL_MD))
    }

    pub fn entry(mut self, entry: Entry) -> Self {
        self.entries.push(entry);
        self
    }

    pub fn file(self, name: impl AsRef<[u8]>, data: impl AsRef<[u8]>) -> Self {
        self.entry(Entry::file(name, data))
    }

    /// Changes any field: `Zip::skill().with(|z| z.end.count = Some(7))`.
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    pub fn build(&self) -> Vec<u8> {
        self.build_with_places().0
    }

    pub fn places(&self) -> Places {
        self.build_with_places().1
    }

    pub fn build_with_places(&self) -> (Vec<u8>, Places) {
        let mut out = self.prefix.clone();
        let base = if self.unadjusted { self.prefix.len() } else { 0 };
        let mut at = Places::default();
        for entry in &self.entries {
            out.extend_from_slice(&entry.gap);
            at.locals.push(out.len());
            if !entry.local.omit {
                entry.write_local(&mut out);
            }
        }
        out.extend_from_slice(&self.before_central);
        at.central = out.len();
        let visible = (0..self.entries.len()).filter(|&i| !self.entries[i].central.omit);
        let order = self.central_order.clone().unwrap_or_else(|| visible.collect());
        for &index in &order {
            self.entries[index].write_central(&mut out, (at.locals[index] - base) as u32);
        }
        at.central_size = out.len() - at.central;
        out.extend_from_slice(&self.after_central);
        at.end64 = out.len();
        if let Some(zip64) = &self.zip64 {
            zip64.write(&mut out, &at, order.len(), base);
        }
        out.extend_from_slice(&self.before_end);
        at.end = out.len();
        self.write_end(&mut out, &at, order.len(), base);
        out.extend_from_slice(&self.trailing);
        (out, at)
    }

    fn write_end(&self, out: &mut Vec<u8>, at: &Places, count: usize, base: usize) {
        let e = &self.end;
        if e.omit {
            return;
        }
        put32(out, e.signature.unwrap_or(END));
        put16(out, e.disk);
        put16(out, e.central_disk);
        put16(out, e.count_here.unwrap_or(count as u16));
        put16(out, e.count.unwrap_or(count as u16));
        put32(out, e.size.unwrap_or(at.central_size as u32));
        put32(out, e.offset.unwrap_or((at.central - base) as u32));
        put16(out, e.comment_length.unwrap_or(e.comment.len() as u16));
        out.extend_from_slice(&e.comment);
    }
}

impl Zip64 {
    fn write(&self, out: &mut Vec<u8>, at: &Places, count: usize, base: usize) {
        if !self.omit_record {
            put32(out, self.signature.unwrap_or(END64));
            put64(out, self.length.unwrap_or(44 + self.extensible.len() as u64));
            put16(out, 45);
            put16(out, 45);
            put32(out, self.disk);
            put32(out, self.central_disk);
            put64(out, self.count_here.unwrap_or(count as u64));
            put64(out, self.count.unwrap_or(count as u64));
            put64(out, self.size.unwrap_or(at.central_size as u64));
            put64(out, self.offset.unwrap_or((at.central - base) as u64));
            out.extend_from_slice(&self.extensible);
        }
        out.extend_from_slice(&self.gap);
        if !self.omit_locator {
            put32(out, self.locator_signature.unwrap_or(LOCATOR));
            put32(out, self.locator_disk);
            put64(out, self.locator_offset.unwrap_or((at.end64 - base) as u64));
            put32(out, self.locator_disks.unwrap_or(1));
        }
    }
}

/// One extra field record whose length is right.
pub fn extra(id: u16, data: impl AsRef<[u8]>) -> Vec<u8> {
    let data = data.as_ref();
    let mut out = Vec::new();
    put16(&mut out, id);
    put16(&mut out, data.len() as u16);
    out.extend_from_slice(data);
    out
}

/// 0x0001 with these values, in the order size, packed size, offset.
pub fn zip64_extra(values: &[u64]) -> Vec<u8> {
    extra(0x0001, values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
}

/// 0x7075: the name again in UTF-8, bound to the header's name by its CRC.
pub fn unicode_path_extra(version: u8, header_name: &[u8], name: &[u8]) -> Vec<u8> {
    let mut data = vec![version];
    put32(&mut data, crc32(header_name));
    data.extend_from_slice(name);
    extra(0x7075, data)
}

fn put16(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}
