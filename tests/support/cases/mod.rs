//! The catalogue of forged cases: one row each, with its bytes and the one right answer. An id begins with the row of the
//! threat catalogue that it builds: P paths, L links, S kinds, C collisions, T tar, G gzip, Z zip, R resources, M modes;
//! A stands for what real producers write, K for SKILL.md and the shape of the tree.

use std::borrow::Cow;

use super::carrier::{Carrier, Member, expected_tree, with_skill};
use super::gzip::gzip;
use super::tar::Tar;
use super::tree::{Node, Tree};
use super::zip::Zip;

mod collisions;
mod formats;
mod gzip_framing;
mod kinds;
mod limits;
mod links;
mod links_hard;
mod modes;
mod noise;
mod path_chars;
mod path_names;
mod paths;
mod producers_tar;
mod producers_zip;
mod resources;
mod shape;
mod skill;
mod tar_framing;
mod tar_gnu;
mod tar_header;
mod tar_numbers;
mod tar_pax;
mod zip;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Exit 0.
    Accepted,
    /// Exit 1, with this code: the same on every machine.
    Refused(&'static str),
    /// Exit 2, with this code.
    Usage(&'static str),
    /// Exit 3, with this code.
    Failed(&'static str),
}

#[derive(Clone)]
pub enum Bytes {
    Now(Vec<u8>),
    /// Big ones are made when they are needed.
    Lazy(fn() -> Vec<u8>),
}

#[derive(Clone)]
pub struct Case {
    pub id: String,
    /// What is special about it.
    pub what: &'static str,
    /// What it is declared to be.
    pub format: Carrier,
    pub bytes: Bytes,
    /// Further flags, valid for `verify-extract` and `check` alike.
    pub args: Vec<String>,
    pub expect: Expect,
    /// The number of the member that the refusal must name.
    pub ordinal: Option<u64>,
    /// What an accepted archive has to become, where the case says so.
    pub tree: Option<Tree>,
}

impl Case {
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        match &self.bytes {
            Bytes::Now(bytes) => Cow::Borrowed(bytes),
            Bytes::Lazy(make) => Cow::Owned(make()),
        }
    }

    /// The code that a run must report, if any.
    pub fn code(&self) -> Option<&'static str> {
        match self.expect {
            Expect::Accepted => None,
            Expect::Refused(code) | Expect::Usage(code) | Expect::Failed(code) => Some(code),
        }
    }

    /// The exit code of `skillx`.
    pub fn exit(&self) -> i32 {
        match self.expect {
            Expect::Accepted => 0,
            Expect::Refused(_) => 1,
            Expect::Usage(_) => 2,
            Expect::Failed(_) => 3,
        }
    }
}

/// Every case, in the order of the files.
pub fn all() -> Vec<Case> {
    let groups: [fn() -> Vec<Case>; 23] = [
        producers_tar::cases,
        producers_zip::cases,
        paths::cases,
        path_chars::cases,
        path_names::cases,
        links::cases,
        links_hard::cases,
        kinds::cases,
        noise::cases,
        collisions::cases,
        tar_framing::cases,
        tar_header::cases,
        tar_numbers::cases,
        tar_pax::cases,
        tar_gnu::cases,
        gzip_framing::cases,
        formats::cases,
        zip::cases,
        limits::cases,
        resources::cases,
        modes::cases,
        skill::cases,
        shape::cases,
    ];
    groups.into_iter().flat_map(|group| group()).collect()
}

/// Collects the rows of one file.
#[derive(Default)]
pub struct Sheet {
    cases: Vec<Case>,
}

impl Sheet {
    pub fn new() -> Self {
        Sheet::default()
    }

    pub fn done(self) -> Vec<Case> {
        self.cases
    }

    /// Any bytes, declared as `format`.
    pub fn raw(
        &mut self,
        id: impl Into<String>,
        what: &'static str,
        format: Carrier,
        bytes: Vec<u8>,
        expect: Expect,
    ) -> Rows<'_> {
        self.push(id.into(), what, format, Bytes::Now(bytes), expect, None)
    }

    /// A gzip file as it stands.
    pub fn gz(&mut self, id: impl Into<String>, what: &'static str, bytes: Vec<u8>, expect: Expect) -> Rows<'_> {
        self.raw(id, what, Carrier::TarGz, bytes, expect)
    }

    /// A tar stream that gets its two zero blocks and an ordinary gzip member around it.
    pub fn tar(&mut self, id: impl Into<String>, what: &'static str, tar: Tar, expect: Expect) -> Rows<'_> {
        self.gz(id, what, gzip(tar.end()), expect)
    }

    /// A tar stream as it stands, in an ordinary gzip member.
    pub fn stream(&mut self, id: impl Into<String>, what: &'static str, stream: Vec<u8>, expect: Expect) -> Rows<'_> {
        self.gz(id, what, gzip(stream), expect)
    }

    pub fn zip(&mut self, id: impl Into<String>, what: &'static str, zip: Zip, expect: Expect) -> Rows<'_> {
        self.raw(id, what, Carrier::Zip, zip.build(), expect)
    }

    pub fn lazy(
        &mut self,
        id: impl Into<String>,
        what: &'static str,
        format: Carrier,
        make: fn() -> Vec<u8>,
        expect: Expect,
    ) -> Rows<'_> {
        self.push(id.into(), what, format, Bytes::Lazy(make), expect, None)
    }

    /// A valid SKILL.md and these members, in each format that can carry them.
    pub fn both(
        &mut self,
        id: impl Into<String>,
        what: &'static str,
        members: Vec<Member>,
        expect: Expect,
    ) -> Rows<'_> {
        self.both_bare(id, what, with_skill(members), expect)
    }

    /// Exactly these members, in each format that can carry them. If accepted, they have to become the tree they say.
    pub fn both_bare(
        &mut self,
        id: impl Into<String>,
        what: &'static str,
        members: Vec<Member>,
        expect: Expect,
    ) -> Rows<'_> {
        let id = id.into();
        let first = self.cases.len();
        for format in Carrier::ALL.into_iter().filter(|format| format.can_carry(&members)) {
            let tree = (expect == Expect::Accepted).then(|| expected_tree(&members));
            let id = format!("{id}.{}", format.suffix());
            self.push(id, what, format, Bytes::Now(format.write(&members)), expect, tree);
        }
        Rows(&mut self.cases[first..])
    }

    fn push(
        &mut self,
        id: String,
        what: &'static str,
        format: Carrier,
        bytes: Bytes,
        expect: Expect,
        tree: Option<Tree>,
    ) -> Rows<'_> {
        let first = self.cases.len();
        self.cases.push(Case { id, what, format, bytes, args: Vec::new(), expect, ordinal: None, tree });
        Rows(&mut self.cases[first..])
    }
}

/// The rows just added, for what only some of them say.
pub struct Rows<'a>(&'a mut [Case]);

impl Rows<'_> {
    pub fn args<S: ToString>(self, args: &[S]) -> Self {
        for case in self.0.iter_mut() {
            case.args = args.iter().map(ToString::to_string).collect();
        }
        self
    }

    /// The member that the refusal names, counted from 1.
    pub fn at(self, ordinal: u64) -> Self {
        for case in self.0.iter_mut() {
            case.ordinal = Some(ordinal);
        }
        self
    }

    /// The tree it becomes; the usual SKILL.md need not be listed.
    pub fn tree<const N: usize>(self, nodes: [(String, Node); N]) -> Self {
        let mut tree = Tree::from(nodes);
        tree.entry("SKILL.md".to_owned()).or_insert(Node::File { bytes: super::SKILL_MD.to_vec(), exec: false });
        self.tree_bare(tree)
    }

    /// The tree it becomes, all of it.
    pub fn tree_bare(self, tree: Tree) -> Self {
        for case in self.0.iter_mut() {
            case.tree = Some(tree.clone());
        }
        self
    }
}
