//! A plugin in a directory: paths are walked by handles, and links are followed as long as they stay inside.

use std::collections::VecDeque;
use std::io::{self, Read as _};

use cap_std::fs::File;

use super::package::{Judged, Looked, MOST_CHILDREN, MOST_DOCUMENT, Package, Place, lexical};
use super::skill;
use crate::confine::{Directory, Kind};
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};

/// Links followed on the way to one path; Linux itself stops there.
const MOST_STEPS: u32 = 40;
/// Components of one path, those that links bring included.
const MOST_COMPONENTS: usize = 1024;
/// Names looked at for links that lead out, and how deep.
const MOST_NAMES: u32 = 20_000;
const MOST_LEVELS: usize = 24;
/// Links that lead out which are told.
const MOST_DENIED: usize = 100;

/// The plugin's root, held open.
pub(super) struct Folder {
    root: Directory,
}

/// What a path leads to, held open.
enum Opened {
    Directory(Directory),
    File(File, u64),
    No(Place),
}

impl Folder {
    pub(super) const fn new(root: Directory) -> Self {
        Self { root }
    }

    /// Walks a path. `..` goes back to the directory that the walk came through, so that the root is never left; an
    /// absolute link leads out wherever it points, since it means another place on every machine.
    fn open(&self, path: &str) -> io::Result<Opened> {
        let mut stack = vec![self.root.try_clone()?];
        let mut queue: VecDeque<String> = path.split('/').map(str::to_owned).collect();
        let mut steps = 0_u32;
        while let Some(component) = queue.pop_front() {
            match component.as_str() {
                "" | "." => continue,
                ".." => {
                    stack.pop();
                    if stack.is_empty() {
                        return Ok(Opened::No(Place::Outside));
                    }
                    continue;
                }
                _ => {}
            }
            let Some(here) = stack.last() else { return Ok(Opened::No(Place::Outside)) };
            // The root itself is the first on the stack; below it, each component adds one level.
            let depth = stack.len().saturating_sub(1);
            let remaining = |queue: &VecDeque<String>| queue.iter().map(String::as_str).collect::<Vec<_>>().join("/");
            let found = match here.metadata(&component) {
                Ok(found) => found,
                Err(error) if is_absent(&error) => {
                    return Ok(Opened::No(lexical(&remaining(&queue), depth.saturating_add(1))));
                }
                Err(error) => return Err(error),
            };
            match found.kind {
                Kind::Directory => stack.push(here.open_dir_readable(&component)?),
                Kind::File | Kind::Other if queue.iter().any(|rest| !matches!(rest.as_str(), "" | ".")) => {
                    return Ok(Opened::No(lexical(&remaining(&queue), depth.saturating_add(1))));
                }
                Kind::File => {
                    let (file, metadata) = here.open_file(&component)?;
                    return Ok(Opened::File(file, metadata.length));
                }
                Kind::Other => return Ok(Opened::No(Place::Other)),
                Kind::Symlink => {
                    steps = steps.saturating_add(1);
                    let target = here.read_link(&component)?;
                    let Some(target) = target.to_str() else { return Ok(Opened::No(Place::Other)) };
                    if target.starts_with('/') {
                        return Ok(Opened::No(Place::Outside));
                    }
                    for part in target.rsplit('/') {
                        queue.push_front(part.to_owned());
                    }
                    if steps > MOST_STEPS || queue.len() > MOST_COMPONENTS {
                        return Ok(Opened::No(Place::Other));
                    }
                }
            }
        }
        Ok(stack.pop().map_or(Opened::No(Place::Outside), Opened::Directory))
    }

    /// The content of any file of the package; a path that leads out is denied.
    pub(super) fn read(&self, path: &str) -> Result<Vec<u8>> {
        let shown = escape(path.as_bytes()).to_string();
        match self.open(path).map_err(|error| failed(path, error))? {
            Opened::File(file, _) => {
                contents(file, u64::MAX).map_err(|error| failed(path, error)).map(|(bytes, _)| bytes)
            }
            Opened::No(Place::Outside) => {
                Err(Error::with(Code::PluginPathOutside, format!("`{shown}` leads out of the plugin")))
            }
            Opened::Directory(_) | Opened::No(_) => Err(Error::usage(format_args!("the plugin has no file `{shown}`"))),
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
                    if matches!(self.open(&whole), Ok(Opened::No(Place::Outside))) {
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
        Ok(match self.open(path).map_err(|error| failed(path, error))? {
            Opened::Directory(_) => Place::Directory,
            Opened::File(..) => Place::File,
            Opened::No(place) => place,
        })
    }

    fn names(&mut self, path: &str) -> Result<Vec<String>> {
        let failed = |error| failed(path, error);
        let Opened::Directory(directory) = self.open(path).map_err(failed)? else { return Ok(Vec::new()) };
        let mut names = Vec::new();
        directory
            .reopen_readable()
            .and_then(|directory| {
                directory.visit(|entry| {
                    // A name that is no text is no skill's.
                    names.extend(entry.name.into_string());
                    names.len() <= MOST_CHILDREN
                })
            })
            .map_err(failed)?;
        names.sort();
        Ok(names)
    }

    fn document(&mut self, path: &str) -> Result<Looked<Vec<u8>>> {
        let failed = |error| failed(path, error);
        match self.open(path).map_err(failed)? {
            Opened::Directory(_) => Ok(Looked::No(Place::Directory)),
            Opened::No(place) => Ok(Looked::No(place)),
            Opened::File(_, declared_length) if declared_length > MOST_DOCUMENT => Ok(Looked::TooLarge),
            Opened::File(file, _) => match contents(file, MOST_DOCUMENT).map_err(failed)? {
                (bytes, true) => Ok(Looked::Found(bytes)),
                (_, false) => Ok(Looked::TooLarge),
            },
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

fn is_absent(error: &io::Error) -> bool {
    // A name that is too long, or that no file can have, is nobody's.
    matches!(
        error.kind(),
        io::ErrorKind::NotFound
            | io::ErrorKind::InvalidFilename
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::NotADirectory
    )
}

fn failed(path: &str, error: io::Error) -> Error {
    Error::io(format!("cannot read `{}`", Untrusted::new(path)), error)
}
