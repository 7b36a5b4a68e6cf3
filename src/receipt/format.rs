//! `skillx.receipt/1`: the file, written and read. What is read is checked before anybody sees it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::escape::escape;
use crate::policy::SafePath;
use crate::report::Tool;

/// The schema tag; `/1` only grows.
pub(super) const SCHEMA: &str = "skillx.receipt/1";

/// Largest receipt that is read, and therefore written. At default limits the largest has half of that.
pub(super) const MOST_BYTES: u64 = 16 << 20;

/// What was installed: where it came from, and every file as it was written.
///
/// The content is a stranger's: a repository can bring a receipt along. Paths in it have passed the rules for paths in
/// archives; texts have to be escaped before they are printed. A tree that agrees with its receipt has not changed since it
/// was installed, unless somebody who can write there has changed both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    facts: Facts,
    time: String,
    nodes: BTreeMap<String, Node>,
}

/// Where an install came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) index: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) digest: Option<Digest>,
    pub(crate) verified: bool,
    pub(crate) format: String,
}

/// Something that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Directory,
    File { size: u64, sha256: Digest, executable: bool },
    Link { target: String },
}

/// A regular file, as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReceiptFile<'r> {
    /// Its path below the skill's directory.
    pub path: &'r str,
    /// Bytes of content.
    pub size: u64,
    /// SHA-256 of its content.
    pub sha256: Digest,
    /// Whether it was made executable.
    pub executable: bool,
}

/// A symbolic link, as it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReceiptLink<'r> {
    /// Its path below the skill's directory.
    pub path: &'r str,
    /// Where it leads, as it stands in the link.
    pub target: &'r str,
}

#[derive(Debug, Serialize)]
struct Written<'r> {
    schema: &'static str,
    tool: Tool,
    name: Option<&'r str>,
    description: Option<&'r str>,
    index: Option<&'r str>,
    url: Option<&'r str>,
    digest: Option<String>,
    verified: bool,
    format: &'r str,
    time: &'r str,
    files: Vec<WrittenFile<'r>>,
    links: Vec<WrittenLink<'r>>,
    directories: Vec<&'r str>,
}

#[derive(Debug, Serialize)]
struct WrittenFile<'r> {
    path: &'r str,
    size: u64,
    sha256: String,
    executable: bool,
}

#[derive(Debug, Serialize)]
struct WrittenLink<'r> {
    path: &'r str,
    target: &'r str,
}

/// Unknown members are ignored: `/1` grows.
#[derive(Debug, Deserialize)]
struct Read {
    schema: String,
    name: Option<String>,
    description: Option<String>,
    index: Option<String>,
    url: Option<String>,
    digest: Option<String>,
    verified: bool,
    format: String,
    time: String,
    files: Vec<ReadFile>,
    links: Vec<ReadLink>,
    directories: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct ReadFile {
    path: String,
    size: u64,
    sha256: String,
    executable: bool,
}

#[derive(Debug, Deserialize)]
struct ReadLink {
    path: String,
    target: String,
}

impl Receipt {
    pub(super) fn new(facts: Facts, time: String, nodes: BTreeMap<String, Node>) -> Self {
        Self { facts, time, nodes }
    }

    /// The skill's name; `None` if the layout asked for no SKILL.md.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.facts.name.as_deref()
    }

    /// The skill's description; `None` if the layout asked for no SKILL.md.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.facts.description.as_deref()
    }

    /// The URL of the index that led to it, if there was one.
    #[must_use]
    pub fn index(&self) -> Option<&str> {
        self.facts.index.as_deref()
    }

    /// Where the artifact was read: a URL, a path or `-`.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.facts.url.as_deref()
    }

    /// The SHA-256 of the artifact's raw bytes; `None` if it came as several files.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        self.facts.digest
    }

    /// Whether a promised digest was checked and matched.
    #[must_use]
    pub fn verified(&self) -> bool {
        self.facts.verified
    }

    /// `tar.gz`, `zip`, `skill-md` or `files`.
    #[must_use]
    pub fn format(&self) -> &str {
        &self.facts.format
    }

    /// When it was installed: RFC 3339, UTC.
    #[must_use]
    pub fn time(&self) -> &str {
        &self.time
    }

    /// The regular files, by path.
    pub fn files(&self) -> impl Iterator<Item = ReceiptFile<'_>> {
        self.nodes.iter().filter_map(|(path, node)| match node {
            Node::File { size, sha256, executable } => {
                Some(ReceiptFile { path, size: *size, sha256: *sha256, executable: *executable })
            }
            Node::Directory | Node::Link { .. } => None,
        })
    }

    /// The symbolic links, by path.
    pub fn links(&self) -> impl Iterator<Item = ReceiptLink<'_>> {
        self.nodes.iter().filter_map(|(path, node)| match node {
            Node::Link { target } => Some(ReceiptLink { path, target }),
            Node::Directory | Node::File { .. } => None,
        })
    }

    /// The directories, by path, the skill's own not among them.
    pub fn directories(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter(|(_, node)| **node == Node::Directory).map(|(path, _)| path.as_str())
    }

    pub(super) fn nodes(&self) -> &BTreeMap<String, Node> {
        &self.nodes
    }

    pub(super) fn node(&self, path: &str) -> Option<&Node> {
        self.nodes.get(path)
    }

    /// The file, as it is written: sorted, one member a line.
    pub(super) fn to_json(&self) -> Result<Vec<u8>> {
        let facts = &self.facts;
        let written = Written {
            schema: SCHEMA,
            tool: Tool::this(),
            name: facts.name.as_deref(),
            description: facts.description.as_deref(),
            index: facts.index.as_deref(),
            url: facts.url.as_deref(),
            digest: facts.digest.map(|digest| digest.to_string()),
            verified: facts.verified,
            format: &facts.format,
            time: &self.time,
            files: self
                .files()
                .map(|ReceiptFile { path, size, sha256, executable }| WrittenFile {
                    path,
                    size,
                    sha256: sha256.to_string(),
                    executable,
                })
                .collect(),
            links: self.links().map(|ReceiptLink { path, target }| WrittenLink { path, target }).collect(),
            directories: self.directories().collect(),
        };
        let mut bytes = serde_json::to_vec_pretty(&written)
            .map_err(|error| Error::with(Code::Internal, format!("the receipt cannot be written: {error}")))?;
        bytes.push(b'\n');
        if bytes.len() as u64 > MOST_BYTES {
            return Err(invalid(format!("it would be larger than {MOST_BYTES} bytes")));
        }
        Ok(bytes)
    }

    /// Reads a receipt.
    ///
    /// # Errors
    /// `receipt-invalid` unless it is a `skillx.receipt/1` of at most 16 MiB whose paths keep the rules for paths in archives,
    /// are all different, and lie in directories that it names.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        if bytes.len() as u64 > MOST_BYTES {
            return Err(invalid(format!("it is larger than {MOST_BYTES} bytes")));
        }
        let read: Read = serde_json::from_slice(bytes)
            .map_err(|error| invalid(format!("it cannot be read: {}", escape(error.to_string().as_bytes()))))?;
        if read.schema != SCHEMA {
            let shown = escape(read.schema.as_bytes()).to_string();
            return Err(invalid(format!("its schema is `{shown}`, this version knows `{SCHEMA}`")));
        }
        let digest = |text: &str| text.parse::<Digest>().map_err(|error| invalid(error.to_string()));
        let mut nodes = BTreeMap::new();
        let mut add = |path: String, node: Node| match SafePath::parse(&path) {
            Err(error) => {
                let shown = escape(path.as_bytes());
                Err(invalid(format!("the path `{shown}` breaks the rule {}: {}", error.code(), error.detail())))
            }
            Ok(_) if nodes.contains_key(&path) => Err(invalid(format!("it names `{}` twice", escape(path.as_bytes())))),
            Ok(safe) => {
                nodes.insert(safe.into_string(), node);
                Ok(())
            }
        };
        for path in read.directories {
            add(path, Node::Directory)?;
        }
        for ReadFile { path, size, sha256, executable } in read.files {
            add(path, Node::File { size, sha256: digest(&sha256)?, executable })?;
        }
        for ReadLink { path, target } in read.links {
            add(path, Node::Link { target })?;
        }
        for path in nodes.keys() {
            if let Some((above, _)) = path.rsplit_once('/')
                && nodes.get(above) != Some(&Node::Directory)
            {
                return Err(invalid(format!("`{}` lies in no directory that it names", escape(path.as_bytes()))));
            }
        }
        let facts = Facts {
            name: read.name,
            description: read.description,
            index: read.index,
            url: read.url,
            digest: read.digest.as_deref().map(digest).transpose()?,
            verified: read.verified,
            format: read.format,
        };
        Ok(Self { facts, time: read.time, nodes })
    }
}

/// A receipt that says nothing.
pub(super) fn invalid(why: impl std::fmt::Display) -> Error {
    Error::with(Code::ReceiptInvalid, format!("the receipt is of no use: {why}"))
}
