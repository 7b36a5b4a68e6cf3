//! Files for a publisher: a temporary file beside the name, then one rename. What is the same already stays as it is.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use serde::Serialize;

use crate::confine::{Directory, Kind};
use crate::error::{Code, Error, Result};
use crate::escape::escape;

/// Largest sidecar that is replaced: it holds one line.
const MOST_SIDECAR: u64 = 4096;

/// What writing a file did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Saved {
    /// There was none.
    Created,
    /// An older one was replaced.
    Replaced,
    /// It held the same bytes already, and was left alone.
    Unchanged,
}

/// What may be replaced, should something else stand there.
#[derive(Debug, Clone, Copy)]
pub(super) enum May {
    /// An archive, or an empty file.
    ReplaceArchive,
    /// A file of at most so many bytes.
    ReplaceSmall(u64),
}

pub(super) fn save_archive(path: &Path, bytes: &[u8]) -> Result<Saved> {
    let (parent, name) = place(path)?;
    save_in(&parent, &name, bytes, May::ReplaceArchive)
}

pub(super) fn save_sidecar(archive: &Path, digest: &str) -> Result<PathBuf> {
    let (path, line) = sidecar(archive, digest)?;
    let (parent, name) = place(&path)?;
    save_in(&parent, &name, line.as_bytes(), May::ReplaceSmall(MOST_SIDECAR))?;
    Ok(path)
}

pub(super) fn compare_sidecar(archive: &Path, digest: &str) -> Result<PathBuf> {
    let (path, line) = sidecar(archive, digest)?;
    let shown = escape(path.as_os_str().as_encoded_bytes()).to_string();
    let failed = |source| Error::io(format!("cannot read the sidecar `{shown}`"), source);
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default();
    let parent = Directory::open_ambient(parent, ambient_authority()).map_err(failed)?;
    let (file, _) = parent.open_file(name).map_err(failed)?;
    let mut found = Vec::new();
    file.take(MOST_SIDECAR).read_to_end(&mut found).map_err(failed)?;
    if found == line.as_bytes() {
        return Ok(path);
    }
    Err(Error::with(Code::PackDiffers, format!("the sidecar `{shown}` is not the one for {digest}")))
}

/// The path of a sidecar and its one line, as sha256sum writes it.
fn sidecar(archive: &Path, digest: &str) -> Result<(PathBuf, String)> {
    let (_, name) = split(archive)?;
    let Some(text) = name.to_str() else {
        return Err(Error::usage("a sidecar needs an archive whose name is UTF-8"));
    };
    let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
    let quoted = text.replace('\\', r"\\").replace('\n', r"\n").replace('\r', r"\r");
    let mark = if quoted == text { "" } else { "\\" };
    let mut file = name.to_owned();
    file.push(".sha256");
    Ok((archive.with_file_name(file), format!("{mark}{hex}  {quoted}\n")))
}

fn split(path: &Path) -> Result<(&Path, &OsStr)> {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok((parent, name)),
        _ => Err(Error::usage(format_args!("`{}` names no file", path.display()))),
    }
}

/// The directory a file goes into, made if it is missing, and the file's name.
fn place(path: &Path) -> Result<(Directory, OsString)> {
    let (parent, name) = split(path)?;
    Ok((directory(parent)?, name.to_owned()))
}

/// Opens the caller's directory; what is missing of its path is made.
pub(super) fn directory(path: &Path) -> Result<Directory> {
    let mut missing: Vec<OsString> = Vec::new();
    let mut at = path;
    loop {
        let here = if at.as_os_str().is_empty() { Path::new(".") } else { at };
        let failed = |source| {
            Error::io(format!("cannot open the directory `{}`", escape(here.as_os_str().as_encoded_bytes())), source)
        };
        match Directory::open_ambient(here, ambient_authority()) {
            Ok(found) => return missing.iter().rev().try_fold(found, |above, name| enter(&above, name)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let (Some(name), Some(above)) = (at.file_name(), at.parent()) else { return Err(failed(error)) };
                missing.push(name.to_owned());
                at = above;
            }
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Opens a directory in another, and makes it where there is none. A link there is an error.
pub(super) fn enter(above: &Directory, name: &OsStr) -> Result<Directory> {
    let failed = |source| Error::io(format!("cannot make the directory `{}`", escape(name.as_encoded_bytes())), source);
    match above.create_dir(name, 0o777) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed(error)),
        _ => above.open_dir(name).map_err(failed),
    }
}

/// Writes a file by way of a temporary one.
pub(super) fn save_in(parent: &Directory, name: &OsStr, bytes: &[u8], may: May) -> Result<Saved> {
    let shown = escape(name.as_encoded_bytes()).to_string();
    let failed = |source| Error::io(format!("cannot write `{shown}`"), source);
    let is_there = match stands(parent, name, bytes, may)? {
        Stands::Same => return Ok(Saved::Unchanged),
        Stands::Replaceable => true,
        Stands::Nothing => false,
    };
    let temporary = Temporary::write(parent, bytes).map_err(failed)?;
    if is_there {
        temporary.publish(|from| parent.rename(from, parent, name)).map_err(failed)?;
        return Ok(Saved::Replaced);
    }
    match temporary.publish(|from| parent.rename_new(from, parent, name)) {
        Ok(()) => Ok(Saved::Created),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(Error::with(Code::DestExists, format!("`{shown}` appeared while it was being written")))
        }
        Err(error) => Err(failed(error)),
    }
}

enum Stands {
    Nothing,
    Replaceable,
    Same,
}

fn stands(parent: &Directory, name: &OsStr, bytes: &[u8], may: May) -> Result<Stands> {
    let shown = escape(name.as_encoded_bytes()).to_string();
    let failed = |source| Error::io(format!("cannot look at `{shown}`"), source);
    let exists = |what: &str| {
        Err(Error::with(Code::DestExists, format!("`{shown}` {what}, and is not replaced"))
            .hint("choose another --output, or remove it yourself"))
    };
    let found = match parent.metadata(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Stands::Nothing),
        result => result.map_err(failed)?,
    };
    match found.kind {
        Kind::File => {}
        Kind::Symlink => return Err(Error::with(Code::DestIsSymlink, format!("`{shown}` is a symbolic link"))),
        Kind::Directory | Kind::Other => return exists("is not a regular file"),
    }
    let (file, found) = parent.open_file(name).map_err(failed)?;
    if found.length == bytes.len() as u64 {
        let mut old = Vec::new();
        (&file).take(found.length.saturating_add(1)).read_to_end(&mut old).map_err(failed)?;
        if old == bytes {
            return Ok(Stands::Same);
        }
        return match may {
            May::ReplaceArchive if !is_archive(&old) => exists("is no archive"),
            _ => Ok(Stands::Replaceable),
        };
    }
    let mut start = Vec::new();
    (&file).take(4).read_to_end(&mut start).map_err(failed)?;
    match may {
        May::ReplaceArchive if found.length > 0 && !is_archive(&start) => exists("is no archive"),
        May::ReplaceSmall(most) if found.length > most => exists("is too large for what belongs there"),
        _ => Ok(Stands::Replaceable),
    }
}

/// gzip, or a zip file, an empty one included.
fn is_archive(bytes: &[u8]) -> bool {
    [&b"\x1f\x8b"[..], b"PK\x03\x04", b"PK\x05\x06"].iter().any(|magic| bytes.starts_with(magic))
}

/// A complete file under a name that nobody knows; gone when dropped.
struct Temporary<'d> {
    parent: &'d Directory,
    name: Option<String>,
}

impl<'d> Temporary<'d> {
    fn write(parent: &'d Directory, bytes: &[u8]) -> io::Result<Self> {
        let mut random = [0_u8; 16];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let mut name = String::from(".skillx-pack-");
        for byte in random {
            let _ = write!(name, "{byte:02x}");
        }
        let mut file = parent.create_file(&name, 0o666)?;
        let temporary = Self { parent, name: Some(name) };
        file.write_all(bytes)?;
        Ok(temporary)
    }

    fn publish(mut self, rename: impl FnOnce(&str) -> io::Result<()>) -> io::Result<()> {
        let name = self.name.as_deref().unwrap_or_default();
        rename(name)?;
        self.name = None;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // Nobody is left to tell.
            let _ = self.parent.remove_file(name);
        }
    }
}

/// The name of a directory that the path does not end in, as `.` and `..` do not.
pub(super) fn name_of(path: &Path) -> Option<String> {
    let dots = path.components().all(|part| matches!(part, Component::CurDir | Component::ParentDir));
    let path = if dots || path.ends_with("..") { path } else { return None };
    let here = Directory::open_ambient(path, ambient_authority()).ok()?;
    let identity = here.own_metadata().ok()?.identity;
    let above = here.open_ambient_parent(ambient_authority()).ok()?;
    let mut entries = above.entries().ok()?;
    entries.find_map(|entry| {
        let name = entry.ok()?.name;
        above.holds(&name, identity).then(|| name.to_str().map(str::to_owned)).flatten()
    })
}
