//! A directory tree as it will be packed: every file, link and empty directory, sorted, without what is left out.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use cap_std::fs::File;
use serde::Serialize;

use super::junk::Junk;
use super::options::PackOptions;
use crate::confine::{Directory, Identity, Kind, Metadata};
use crate::error::{Code, Error, Result};
use crate::escape::escape;
use crate::layout::SkillMd;
use crate::report::EntryPath;

/// Most names that are listed as left out.
const MOST_LEFT_OUT: usize = 1000;
const SKILL_MD: &str = "SKILL.md";

/// Something in the directory that the archive does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// Its path; a directory stands for all that is in it.
    #[serde(flatten)]
    pub path: EntryPath,
    /// Why.
    pub because: LeftOutBecause,
}

/// Why something is left out of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum LeftOutBecause {
    /// Version control, caches, notes of file managers.
    Junk,
    /// The archive that is being made, or its sidecar.
    Output,
    /// `.skillxignore` names it.
    Skillxignore,
}

/// The tree. What lies in it is looked up again, by handle, when it is read.
#[derive(Debug)]
pub(super) struct Tree {
    root: Directory,
    items: Vec<Item>,
    left_out: Vec<LeftOut>,
}

/// One member of the archive to be.
#[derive(Debug)]
pub(super) struct Item {
    names: Vec<OsString>,
    /// The names with `/` between them.
    pub(super) path: Vec<u8>,
    pub(super) kind: ItemKind,
}

#[derive(Debug)]
pub(super) enum ItemKind {
    /// With nothing in it.
    Directory,
    File {
        executable: bool,
    },
    Symlink {
        target: Vec<u8>,
    },
    Special,
}

struct Walk<'o> {
    junk: Junk,
    outputs: Vec<(Identity, OsString)>,
    options: &'o PackOptions,
    seen: u64,
    items: Vec<Item>,
    left_out: Vec<LeftOut>,
}

impl Tree {
    /// Walks the tree, following no link. One level and one entry more than the limits is enough: the checks refuse then.
    pub(super) fn walk(root: Directory, options: &PackOptions) -> Result<Self> {
        let mut walk = Walk {
            junk: Junk::open(&root)?,
            outputs: outputs(&root, options),
            options,
            seen: 0,
            items: Vec::new(),
            left_out: Vec::new(),
        };
        walk.directory(&root, &mut Vec::new())?;
        let Walk { mut items, mut left_out, .. } = walk;
        items.sort_by(|a, b| (a.path != SKILL_MD.as_bytes(), &a.path).cmp(&(b.path != SKILL_MD.as_bytes(), &b.path)));
        left_out.sort_by(|a, b| bytes_of(&a.path).cmp(bytes_of(&b.path)));
        Ok(Self { root, items, left_out })
    }

    pub(super) fn items(&self) -> &[Item] {
        &self.items
    }

    pub(super) fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Opens a file of the tree: one component after the other, through no link.
    pub(super) fn open(&self, item: &Item) -> Result<(File, Metadata)> {
        let failed = |source| Error::io(format!("cannot open `{}`", escape(&item.path)), source);
        let Some((name, parents)) = item.names.split_last() else {
            return Err(Error::with(Code::Internal, "a member without a name"));
        };
        let mut directory = None;
        for parent in parents {
            directory = Some(directory.as_ref().unwrap_or(&self.root).open_dir(parent).map_err(failed)?);
        }
        directory.as_ref().unwrap_or(&self.root).open_file(name).map_err(failed)
    }
}

impl Walk<'_> {
    /// Whether the directory holds nothing but the archive that is being made: then it is there for that alone.
    fn directory(&mut self, directory: &Directory, names: &mut Vec<OsString>) -> Result<bool> {
        if self.options.options.cancel.is_cancelled() {
            return Err(Error::new(Code::Cancelled));
        }
        let failed = |names: &[OsString], doing: &str, source| {
            Error::io(format!("{doing} `{}`", escape(&joined(names))), source)
        };
        let identity = directory.own_metadata().map_err(|source| failed(names, "cannot look at", source))?.identity;
        let entries = directory.entries().map_err(|source| failed(names, "cannot list", source))?;
        let (mut outputs, mut others) = (false, false);
        for entry in entries {
            let name = entry.map_err(|source| failed(names, "cannot list", source))?.name;
            if self.seen > self.options.options.limits.entries {
                return Ok(false);
            }
            let found = directory.metadata(&name);
            let is_output = self.outputs.iter().any(|(place, output)| *place == identity && *output == name);
            names.push(name);
            let found = found.map_err(|source| failed(names, "cannot look at", source))?;
            self.entry(directory, names, found, is_output)?;
            names.pop();
            (outputs, others) = (outputs || is_output, others || !is_output);
        }
        Ok(outputs && !others)
    }

    fn entry(
        &mut self,
        directory: &Directory,
        names: &mut Vec<OsString>,
        found: Metadata,
        is_output: bool,
    ) -> Result<()> {
        let path = joined(names);
        let relative: PathBuf = names.iter().collect();
        let left_out = if is_output && found.kind == Kind::File {
            Some(LeftOutBecause::Output)
        } else {
            self.junk.judge(&relative, found.kind == Kind::Directory)
        };
        if let Some(because) = left_out {
            if self.left_out.len() < MOST_LEFT_OUT {
                self.left_out.push(LeftOut { path: EntryPath::of(&path), because });
            }
            return Ok(());
        }
        self.seen = self.seen.saturating_add(1);
        let failed = |doing: &str, source| Error::io(format!("{doing} `{}`", escape(&path)), source);
        let name = names.last().map_or(OsStr::new(""), OsString::as_os_str);
        let kind = match found.kind {
            Kind::Directory => {
                let before = self.items.len();
                let deepest = usize::try_from(self.options.options.limits.depth).unwrap_or(usize::MAX);
                if names.len() <= deepest {
                    let inner = directory.open_dir(name).map_err(|source| failed("cannot open", source))?;
                    let is_for_output = self.directory(&inner, names)?;
                    if self.items.len() > before || is_for_output {
                        return Ok(());
                    }
                }
                ItemKind::Directory
            }
            Kind::File => ItemKind::File { executable: found.mode & 0o111 != 0 },
            Kind::Symlink => {
                let target = directory.read_link(name).map_err(|source| failed("cannot read", source))?;
                ItemKind::Symlink { target: target.as_encoded_bytes().to_vec() }
            }
            Kind::Other => ItemKind::Special,
        };
        self.items.push(Item { names: names.clone(), path, kind });
        Ok(())
    }
}

/// Where the archive will be written, as directories that are there and names in them.
fn outputs(root: &Directory, options: &PackOptions) -> Vec<(Identity, OsString)> {
    let identity = |place: &Path| {
        let place = if place.as_os_str().is_empty() { Path::new(".") } else { place };
        let directory = Directory::open_ambient(place, cap_std::ambient_authority()).ok()?;
        Some(directory.own_metadata().ok()?.identity)
    };
    let mut found = Vec::new();
    for path in options.outputs() {
        if let (Some(place), Some(name)) = (path.parent().and_then(identity), path.file_name()) {
            found.push((place, name.to_owned()));
        }
    }
    if let Some(place) = options.output_directory().and_then(identity)
        && let Some(name) = skill_name(root, options.options.limits.skill_md)
    {
        found.push((place, format!("{name}.{}", options.format()).into()));
    }
    let sidecars: Vec<_> = found
        .iter()
        .map(|(place, name)| {
            let mut name = name.clone();
            name.push(".sha256");
            (*place, name)
        })
        .collect();
    found.extend(sidecars);
    found
}

/// The name in SKILL.md, if it is one; whatever is wrong with the file, the checks say it.
fn skill_name(root: &Directory, most: u64) -> Option<String> {
    let (file, _) = root.open_file(SKILL_MD).ok()?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    let skill = SkillMd::parse(&bytes).ok()?;
    skill.has_valid_name().then(|| skill.name().as_raw().to_owned())
}

fn joined(names: &[OsString]) -> Vec<u8> {
    names.iter().map(|name| name.as_encoded_bytes()).collect::<Vec<_>>().join(&b'/')
}

fn bytes_of(path: &EntryPath) -> &[u8] {
    match path {
        EntryPath::Text(text) => text.as_bytes(),
        EntryPath::Bytes(bytes) => bytes,
    }
}
