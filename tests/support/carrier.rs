//! One case, two formats: a list of members, written as tar.gz or as zip with nothing wrong but what the members say.

use super::gzip::gzip;
use super::tar::{Header, LINK, NAME, Tar};
use super::tree::{Node, Tree};
use super::zip::{Entry, FLAG_UTF8, Zip};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Carrier {
    TarGz,
    Zip,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Dir,
    Symlink,
    /// tar only.
    HardLink,
    Fifo,
    CharDevice,
    BlockDevice,
    /// zip only.
    Socket,
}

#[derive(Clone, Debug)]
pub struct Member {
    pub name: Vec<u8>,
    pub kind: Kind,
    pub content: Vec<u8>,
    /// Permission bits, special ones included.
    pub mode: u32,
    /// Symlinks and hard links: where to.
    pub target: Vec<u8>,
}

impl Member {
    fn new(kind: Kind, name: &[u8], mode: u32) -> Self {
        Member { name: name.to_vec(), kind, content: Vec::new(), mode, target: Vec::new() }
    }

    pub fn mode(self, mode: u32) -> Self {
        Member { mode, ..self }
    }
}

pub fn file(name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> Member {
    Member { content: content.as_ref().to_vec(), ..Member::new(Kind::File, name.as_ref(), 0o644) }
}

pub fn exec(name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> Member {
    file(name, content).mode(0o755)
}

/// A directory; zip needs a trailing slash in its name and gets one.
pub fn dir(name: impl AsRef<[u8]>) -> Member {
    Member::new(Kind::Dir, name.as_ref(), 0o755)
}

pub fn symlink(name: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> Member {
    Member { target: target.as_ref().to_vec(), ..Member::new(Kind::Symlink, name.as_ref(), 0o777) }
}

pub fn hardlink(name: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> Member {
    Member { target: target.as_ref().to_vec(), ..Member::new(Kind::HardLink, name.as_ref(), 0o644) }
}

pub fn special(kind: Kind, name: impl AsRef<[u8]>) -> Member {
    Member::new(kind, name.as_ref(), 0o644)
}

pub fn skill_md() -> Member {
    file("SKILL.md", super::SKILL_MD)
}

/// A valid SKILL.md, then these.
pub fn with_skill(members: Vec<Member>) -> Vec<Member> {
    [vec![skill_md()], members].concat()
}

impl Carrier {
    pub const ALL: [Carrier; 2] = [Carrier::TarGz, Carrier::Zip];

    /// As `--format` takes it.
    pub fn flag(self) -> &'static str {
        match self {
            Carrier::TarGz => "tar.gz",
            Carrier::Zip => "zip",
        }
    }

    /// The short form in case ids.
    pub fn suffix(self) -> &'static str {
        match self {
            Carrier::TarGz => "tar",
            Carrier::Zip => "zip",
        }
    }

    pub fn can_carry(self, members: &[Member]) -> bool {
        members.iter().all(|member| match member.kind {
            Kind::HardLink => self == Carrier::TarGz,
            Kind::Socket => self == Carrier::Zip,
            _ => true,
        })
    }

    pub fn write(self, members: &[Member]) -> Vec<u8> {
        match self {
            Carrier::TarGz => gzip(members.iter().fold(Tar::empty(), tar_member).end()),
            Carrier::Zip => members.iter().fold(Zip::empty(), |zip, member| zip.entry(zip_entry(member))).build(),
        }
    }
}

/// Appends one member. Names and targets that the header cannot hold as they are go into a pax header, as every writer of today does.
pub fn tar_member(tar: Tar, member: &Member) -> Tar {
    let kind = match member.kind {
        Kind::File => b'0',
        Kind::HardLink => b'1',
        Kind::Symlink => b'2',
        Kind::CharDevice => b'3',
        Kind::BlockDevice => b'4',
        Kind::Dir => b'5',
        Kind::Fifo => b'6',
        Kind::Socket => panic!("tar has no sockets"),
    };
    let needs_pax = |bytes: &[u8], width: usize| bytes.len() > width || bytes.contains(&0);
    let mut records = Vec::new();
    if needs_pax(&member.name, NAME.1) {
        records.push(("path", member.name.as_slice()));
    }
    if needs_pax(&member.target, LINK.1) {
        records.push(("linkpath", member.target.as_slice()));
    }
    let tar = if records.is_empty() { tar } else { tar.pax(&records) };
    let header = Header::ustar(kind, &member.name).mode(u64::from(member.mode)).link(&member.target);
    tar.member(header, &member.content)
}

pub fn zip_entry(member: &Member) -> Entry {
    let kind: u32 = match member.kind {
        Kind::File => 0o100_000,
        Kind::Symlink => 0o120_000,
        Kind::CharDevice => 0o020_000,
        Kind::BlockDevice => 0o060_000,
        Kind::Dir => 0o040_000,
        Kind::Fifo => 0o010_000,
        Kind::Socket => 0o140_000,
        Kind::HardLink => panic!("zip has no hard links"),
    };
    let mut name = member.name.clone();
    if member.kind == Kind::Dir && !name.ends_with(b"/") {
        name.push(b'/');
    }
    let data = if member.kind == Kind::Symlink { &member.target } else { &member.content };
    let entry = Entry::file(&name, data).unix_mode(kind | member.mode);
    let entry = if member.kind == Kind::Dir { entry.with(|e| e.external |= 0x10) } else { entry };
    // Half of the members deflated: both methods are ordinary.
    if member.kind == Kind::File && data.len() % 2 == 0 && !data.is_empty() { entry.deflated() } else { entry }
}

/// The tree that an accepted list of members has to become.
pub fn expected_tree(members: &[Member]) -> Tree {
    let mut tree = Tree::new();
    for member in members {
        let name = String::from_utf8(member.name.clone()).expect("an accepted name is UTF-8");
        let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        let base = parts.last().copied().unwrap_or_default();
        let noise = parts.first() == Some(&"__MACOSX")
            || member.kind == Kind::File && (base == ".DS_Store" || base.starts_with("._"));
        if noise || parts.is_empty() {
            continue;
        }
        for depth in 1..parts.len() {
            tree.insert(parts[..depth].join("/"), Node::Dir);
        }
        let node = match member.kind {
            Kind::Dir => Node::Dir,
            Kind::Symlink => Node::Link(String::from_utf8(member.target.clone()).expect("an accepted target is UTF-8")),
            Kind::HardLink => {
                let target = String::from_utf8(member.target.clone()).expect("an accepted target is UTF-8");
                let clean: Vec<&str> = target.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
                tree[&clean.join("/")].clone()
            }
            _ => Node::File { bytes: member.content.clone(), exec: member.mode & 0o111 != 0 },
        };
        tree.insert(parts.join("/"), node);
    }
    tree
}
