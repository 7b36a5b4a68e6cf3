//! A directory read as if it were an archive of itself: for publishers, before they pack.

use std::ffi::OsString;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::File;

use super::options::Options;
use super::{pass, tell};
use crate::confine::{Directory, Kind, read_piece};
use crate::container::{Encoding, Member, Members, RawKind};
use crate::error::{Error, Result};
use crate::escape::escape;
use crate::limits::Budget;
use crate::report::Report;
use crate::sink::Null;

/// Bytes of a file read at a time.
const PIECE: usize = 64 * 1024;

/// Judges a directory as the archive that packing it would make: same policy, same layout, same findings.
///
/// Links are not followed (but one at `path` itself is).
///
/// # Errors
/// `io` if the directory cannot be opened; everything else is in [`Report::error`].
pub fn check_directory(path: impl AsRef<Path>, options: &Options) -> Result<Report> {
    let path = path.as_ref();
    let shown = || escape(path.as_os_str().as_encoded_bytes());
    let root = Directory::open_ambient(path, ambient_authority())
        .map_err(|source| Error::io(format!("cannot open the directory `{}`", shown()), source))?;
    let mut options = options.clone();
    options.directory_name = path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let options = &options;
    let mut open = |_: &mut Budget| -> Result<Box<dyn Members>> {
        let root = root.try_clone().map_err(|source| Error::io("cannot open the directory again", source))?;
        Ok(Box::new(Folder::open(root, options)?))
    };
    Ok(check_members(&mut open, options, Some(path.to_string_lossy().into_owned())))
}

/// Judges members that no archive holds yet: every refusal, by the same pass.
pub(crate) fn check_members<'a>(
    open: &mut (dyn FnMut(&mut Budget) -> Result<Box<dyn Members + 'a>> + 'a),
    options: &Options,
    source: Option<String>,
) -> Report {
    let mut report = options.blank_report();
    report.artifact.source = source;
    // No ratio: nothing is inflated.
    let mut budget = Budget::new(&options.limits, &options.cancel, u64::MAX);
    match pass::run(open, &mut budget, options, pass::Mode::Collect, &mut Null, &mut report) {
        Ok(content) => tell(&mut report, &content, options),
        Err(error) => report.decide(error),
    }
    report
}

/// The members of a directory tree, each directory's names in byte order.
struct Folder {
    levels: Vec<Level>,
    most_names: usize,
    most_levels: usize,
    ordinal: u64,
    path: Vec<u8>,
    target: Vec<u8>,
    file: Option<File>,
    piece: Vec<u8>,
}

struct Level {
    directory: Directory,
    names: std::vec::IntoIter<OsString>,
    /// Length of its path.
    path: usize,
}

impl Folder {
    fn open(root: Directory, options: &Options) -> Result<Self> {
        let most = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX).saturating_add(1);
        let mut folder = Self {
            levels: Vec::new(),
            most_names: most(options.limits.entries),
            most_levels: most(options.limits.depth),
            ordinal: 0,
            path: Vec::new(),
            target: Vec::new(),
            file: None,
            piece: vec![0; PIECE],
        };
        folder.descend(root)?;
        Ok(folder)
    }

    /// One name more than the limit is enough to refuse: no longer list is kept.
    fn descend(&mut self, directory: Directory) -> Result<()> {
        let names: std::io::Result<Vec<_>> = directory
            .entries()
            .and_then(|entries| entries.take(self.most_names).map(|entry| Ok(entry?.name)).collect());
        let mut names = names.map_err(|source| self.failed("cannot list", source))?;
        names.sort();
        self.levels.push(Level { directory, names: names.into_iter(), path: self.path.len() });
        Ok(())
    }

    fn failed(&self, doing: &str, source: std::io::Error) -> Error {
        Error::io(format!("{doing} `{}`", escape(&self.path)), source)
    }
}

impl Members for Folder {
    fn next(&mut self, budget: &mut Budget) -> Result<Option<Member<'_>>> {
        budget.tick()?;
        self.file = None;
        let name = loop {
            let Some(level) = self.levels.last_mut() else { return Ok(None) };
            self.path.truncate(level.path);
            match level.names.next() {
                Some(name) => break name,
                None => drop(self.levels.pop()),
            }
        };
        if !self.path.is_empty() {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(name.as_encoded_bytes());
        let Some(level) = self.levels.last() else { return Ok(None) };
        let metadata = level.directory.metadata(&name).map_err(|source| self.failed("cannot look at", source))?;
        self.ordinal = self.ordinal.saturating_add(1);
        let kind = match metadata.kind {
            Kind::Directory => {
                let directory = level.directory.open_dir(&name).map_err(|source| self.failed("cannot open", source))?;
                if self.levels.len() < self.most_levels {
                    self.descend(directory)?;
                }
                RawKind::Directory
            }
            Kind::File => {
                let (file, metadata) =
                    level.directory.open_file(&name).map_err(|source| self.failed("cannot open", source))?;
                self.file = Some(file);
                RawKind::File { executable: metadata.mode & 0o111 != 0 }
            }
            Kind::Symlink => {
                let target = level.directory.read_link(&name).map_err(|source| self.failed("cannot read", source))?;
                self.target = target.as_encoded_bytes().to_vec();
                RawKind::Symlink { target: &self.target }
            }
            Kind::Other => RawKind::Special { what: "a device, FIFO or socket" },
        };
        let (ordinal, name) = (self.ordinal, &self.path);
        Ok(Some(Member { ordinal, offset: 0, name, encoding: Encoding::Utf8, kind, kind_conflict: None }))
    }

    fn data(&mut self, budget: &mut Budget) -> Result<Option<&[u8]>> {
        budget.tick()?;
        let Some(file) = &mut self.file else { return Ok(None) };
        match read_piece(file, &mut self.piece) {
            Ok(piece) => Ok(Some(piece).filter(|piece| !piece.is_empty())),
            Err(error) => Err(Error::io(format!("cannot read `{}`", escape(&self.path)), error)),
        }
    }

    fn position(&self) -> u64 {
        0
    }
}
