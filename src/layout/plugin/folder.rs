//! A plugin in a directory: paths are walked by handles, and links are followed as long as they stay inside.

use std::ffi::OsString;
use std::io::{self, Read as _};

use cap_std::fs::File;

use super::package::{Judged, Looked, MOST_CHILDREN, MOST_DOCUMENT, Package, Place, lexical};
use super::skill;
use crate::confine::{Directory, Inside, Kind};
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};

/// Names looked at for links that lead out, and how deep.
const MOST_NAMES: u32 = 20_000;
const MOST_LEVELS: usize = 24;
/// Links that lead out which are told.
const MOST_DENIED: usize = 100;

/// The plugin's root, held open.
pub(super) struct Folder {
    root: Directory,
}

impl Folder {
    pub(super) const fn new(root: Directory) -> Self {
        Self { root }
    }

    /// The content of any file of the package; a path that leads out is denied.
    pub(super) fn read(&self, path: &str) -> Result<Vec<u8>> {
        let shown = escape(path.as_bytes()).to_string();
        match self.root.open_inside(path).map_err(|error| failed(path, error))? {
            Inside::File { file, .. } => {
                contents(file, u64::MAX).map_err(|error| failed(path, error)).map(|(bytes, _)| bytes)
            }
            Inside::Outside => Err(Error::with(Code::PluginPathOutside, format!("`{shown}` leads out of the plugin"))),
            Inside::Absent(_) | Inside::Directory(_) | Inside::Other => {
                Err(Error::usage(format_args!("the plugin has no file `{shown}`")))
            }
        }
    }

    /// Links anywhere in the package that lead out of it, at most a hundred. What was not looked at for its number or
    /// depth is denied all the same when somebody reads it.
    pub(super) fn links_outside(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut left = MOST_NAMES;
        if let Ok(root) = self.root.reopen_readable() {
            self.search(&root, &mut Vec::new(), &mut left, &mut found);
        }
        found.sort();
        found
    }

    fn search(&self, directory: &Directory, path: &mut Vec<String>, left: &mut u32, found: &mut Vec<String>) {
        let mut entries = Vec::new();
        // What cannot be listed cannot be read either.
        let _ = directory.visit(|entry| {
            *left = left.saturating_sub(1);
            if let Some(name) = entry.name.to_str() {
                entries.push((name.to_owned(), entry.kind));
            }
            *left > 0
        });
        for (name, kind) in entries {
            let kind = kind.or_else(|| directory.metadata(&name).ok().map(|found| found.kind));
            path.push(name);
            let whole = path.join("/");
            match (kind, path.last()) {
                (Some(Kind::Symlink), _) if found.len() < MOST_DENIED => {
                    if matches!(self.root.open_inside(&whole), Ok(Inside::Outside)) {
                        found.push(whole);
                    }
                }
                (Some(Kind::Directory), Some(name)) if path.len() < MOST_LEVELS && *left > 0 => {
                    if let Ok(below) = directory.open_dir_readable(name) {
                        self.search(&below, path, left, found);
                    }
                }
                _ => {}
            }
            path.pop();
        }
    }
}

impl Package for Folder {
    fn place(&mut self, path: &str) -> Result<Place> {
        Ok(match self.root.open_inside(path).map_err(|error| failed(path, error))? {
            Inside::Absent(rest) => lexical(&rest.path, rest.depth),
            Inside::Directory(_) => Place::Directory,
            Inside::File { .. } => Place::File,
            Inside::Other => Place::Other,
            Inside::Outside => Place::Outside,
        })
    }

    fn names(&mut self, path: &str) -> Result<Vec<OsString>> {
        let failed = |error| failed(path, error);
        let Inside::Directory(directory) = self.root.open_inside(path).map_err(failed)? else { return Ok(Vec::new()) };
        let mut names = Vec::new();
        directory
            .reopen_readable()
            .and_then(|directory| {
                directory.visit(|entry| {
                    let may_be_skill = matches!(entry.kind, None | Some(Kind::Directory | Kind::Symlink));
                    if may_be_skill || entry.name.to_str().is_some() {
                        names.push(entry.name);
                    }
                    names.len() <= MOST_CHILDREN
                })
            })
            .map_err(failed)?;
        names.sort();
        Ok(names)
    }

    fn document(&mut self, path: &str) -> Result<Looked<Vec<u8>>> {
        let failed = |error| failed(path, error);
        match self.root.open_inside(path).map_err(failed)? {
            Inside::File { metadata, .. } if metadata.length > MOST_DOCUMENT => Ok(Looked::TooLarge),
            Inside::File { file, .. } => match contents(file, MOST_DOCUMENT).map_err(failed)? {
                (bytes, true) => Ok(Looked::Found(bytes)),
                (_, false) => Ok(Looked::TooLarge),
            },
            Inside::Absent(rest) => Ok(Looked::No(lexical(&rest.path, rest.depth))),
            Inside::Directory(_) => Ok(Looked::No(Place::Directory)),
            Inside::Other => Ok(Looked::No(Place::Other)),
            Inside::Outside => Ok(Looked::No(Place::Outside)),
        }
    }

    fn skill(&mut self, directory: &str) -> Result<Looked<Judged>> {
        Ok(match self.document(&format!("skills/{directory}/SKILL.md"))? {
            Looked::Found(bytes) => Looked::Found(skill::judge(directory, &bytes)),
            Looked::No(place) => Looked::No(place),
            Looked::TooLarge => Looked::TooLarge,
        })
    }
}

/// The bytes, and whether they are all.
fn contents(file: File, most: u64) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    let whole = bytes.len() as u64 <= most;
    Ok((bytes, whole))
}

fn failed(path: &str, error: io::Error) -> Error {
    Error::io(format!("cannot read `{}`", Untrusted::new(path)), error)
}
