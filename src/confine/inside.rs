//! A whole path below one directory: links are followed as long as they lead to something inside.

use std::collections::VecDeque;
use std::io;

use cap_std::fs::File;

use super::{Directory, Kind, Metadata};

/// Links followed on the way to one path; Linux itself stops there.
const MOST_STEPS: u32 = 40;
/// Components of one path, those that links bring included.
const MOST_COMPONENTS: usize = 1024;

/// What a path leads to, held open.
#[derive(Debug)]
#[cfg_attr(not(feature = "plugin"), allow(dead_code, reason = "only plugins look at what is no file"))]
pub(crate) enum Inside {
    /// Nothing; the depth that the path would have reached, and what of it was not walked.
    Absent(Rest),
    Directory(Directory),
    File {
        file: File,
        metadata: Metadata,
        /// Its own path, without links.
        path: String,
        /// The links that were followed: where each lies, and what stands in it.
        links: Vec<(String, String)>,
    },
    /// A device, FIFO or socket, or a chain of links that has no end.
    Other,
    /// Somewhere above the directory.
    Outside,
}

/// The part of a path beyond what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rest {
    /// Levels below the directory that were reached, the missing one included.
    pub(crate) depth: usize,
    /// What comes after it.
    pub(crate) path: String,
}

impl Directory {
    /// Walks a path of components separated by `/`, which may hold `.` and `..`.
    ///
    /// `..` goes back to the directory that the walk came through, so that this one is never left. An absolute link leads
    /// out wherever it points, since it means another place on every machine.
    pub(crate) fn open_inside(&self, path: &str) -> io::Result<Inside> {
        let mut stack: Vec<(Self, String)> = Vec::new();
        let mut queue: VecDeque<String> = path.split('/').map(str::to_owned).collect();
        let mut links = Vec::new();
        let mut steps = 0_u32;
        while let Some(component) = queue.pop_front() {
            match component.as_str() {
                "" | "." => continue,
                ".." => {
                    if stack.pop().is_none() {
                        return Ok(Inside::Outside);
                    }
                    continue;
                }
                _ => {}
            }
            let here = stack.last().map_or(self, |(directory, _)| directory);
            let rest = |queue: VecDeque<String>| {
                let path = queue.iter().map(String::as_str).collect::<Vec<_>>().join("/");
                Inside::Absent(Rest { depth: stack.len().saturating_add(1), path })
            };
            let whole = || {
                let above = stack.iter().map(|(_, name)| name.as_str());
                above.chain([component.as_str()]).collect::<Vec<_>>().join("/")
            };
            let found = match here.metadata(&component) {
                Ok(found) => found,
                Err(error) if is_absent(&error) => return Ok(rest(queue)),
                Err(error) => return Err(error),
            };
            match found.kind {
                Kind::Directory => {
                    let directory = here.open_dir(&component)?;
                    stack.push((directory, component));
                }
                Kind::File | Kind::Other if queue.iter().any(|rest| !matches!(rest.as_str(), "" | ".")) => {
                    return Ok(rest(queue));
                }
                Kind::File => {
                    let (file, metadata) = here.open_file(&component)?;
                    let path = whole();
                    return Ok(Inside::File { file, metadata, path, links });
                }
                Kind::Other => return Ok(Inside::Other),
                Kind::Symlink => {
                    steps = steps.saturating_add(1);
                    let target = here.read_link(&component)?;
                    let Some(target) = target.to_str() else { return Ok(Inside::Other) };
                    if target.starts_with('/') {
                        return Ok(Inside::Outside);
                    }
                    links.push((whole(), target.to_owned()));
                    for part in target.rsplit('/') {
                        queue.push_front(part.to_owned());
                    }
                    if steps > MOST_STEPS || queue.len() > MOST_COMPONENTS {
                        return Ok(Inside::Other);
                    }
                }
            }
        }
        match stack.pop() {
            Some((directory, _)) => Ok(Inside::Directory(directory)),
            None => self.try_clone().map(Inside::Directory),
        }
    }
}

fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};

    // A name that is too long, or that no file can have, is nobody's.
    matches!(error.kind(), NotFound | InvalidFilename | InvalidInput | NotADirectory)
}
