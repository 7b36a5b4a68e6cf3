//! What cap-std offers everywhere, where there is no unix underneath: no modes, no locks, no exchange.

use std::ffi::{OsStr, OsString};
use std::io;

use cap_fs_ext::{DirExt as _, MetadataExt as _};
use cap_std::fs::{Dir, File, OpenOptions, ReadDir};

use super::{Directory, Entry, Identity, Kind, Metadata};

/// A directory opened for reading its names.
pub(super) struct Listing(ReadDir);

pub(super) fn open_dir_readable(dir: &Dir, name: &OsStr) -> io::Result<Dir> {
    dir.open_dir_nofollow(name)
}

pub(super) fn open_dir_same_mount(dir: &Dir, name: &OsStr) -> io::Result<Dir> {
    dir.open_dir_nofollow(name)
}

pub(super) fn reopen_readable(dir: &Dir) -> io::Result<Dir> {
    dir.try_clone()
}

pub(super) fn create_dir(dir: &Dir, name: &OsStr, _: u32) -> io::Result<()> {
    dir.create_dir(name)
}

pub(super) fn set_creation_mode(_: &mut OpenOptions, _: u32) {}

/// Windows tells links to files from links to directories, and wants to know which when the link is made.
pub(super) fn symlink(dir: &Dir, target: &str, name: &OsStr) -> io::Result<()> {
    let target = target.replace('/', std::path::MAIN_SEPARATOR_STR);
    if dir.is_dir(&target) { dir.symlink_dir(target, name) } else { dir.symlink_file(target, name) }
}

pub(super) fn read_link(dir: &Dir, name: &OsStr) -> io::Result<OsString> {
    dir.read_link_contents(name).map(std::path::PathBuf::into_os_string)
}

pub(super) fn metadata(dir: &Dir, name: &OsStr) -> io::Result<Metadata> {
    Ok(describe(&dir.symlink_metadata(name)?))
}

pub(super) fn own_metadata(dir: &Dir) -> io::Result<Metadata> {
    Ok(describe(&dir.dir_metadata()?))
}

pub(super) fn file_metadata(file: &File) -> io::Result<Metadata> {
    Ok(describe(&file.metadata()?))
}

pub(super) fn listing(dir: &Dir) -> io::Result<Listing> {
    dir.entries().map(Listing)
}

impl Listing {
    pub(super) fn next_entry(&mut self) -> Option<io::Result<Entry>> {
        let entry = self.0.next()?;
        Some(entry.map(|entry| Entry {
            name: entry.file_name(),
            kind: entry.file_type().ok().map(|file_type| kind(file_type)),
        }))
    }
}

pub(super) fn visit(dir: &Dir, visit: &mut dyn FnMut(Entry) -> bool) -> io::Result<()> {
    let mut names = listing(dir)?;
    while let Some(entry) = names.next_entry() {
        if !visit(entry?) {
            break;
        }
    }
    Ok(())
}

/// Replaces a file, but not a directory.
pub(super) fn rename(from: &Dir, old: &OsStr, to: &Dir, new: &OsStr) -> io::Result<()> {
    from.rename(old, to, new)
}

pub(super) fn rename_over_empty(from: &Dir, old: &OsStr, to: &Dir, new: &OsStr) -> io::Result<()> {
    to.remove_dir(new)?;
    from.rename(old, to, new)
}

pub(super) fn rename_no_replace(_: &Dir, _: &OsStr, _: &Dir, _: &OsStr) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn exchange(_: &Dir, _: &OsStr, _: &Dir, _: &OsStr) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn remove_file(dir: &Dir, name: &OsStr) -> io::Result<()> {
    dir.remove_file_or_symlink(name)
}

pub(super) fn remove_dir(dir: &Dir, name: &OsStr) -> io::Result<()> {
    dir.remove_dir(name)
}

/// Directories cannot be synced here.
pub(super) fn sync(_: &Dir) -> io::Result<()> {
    Ok(())
}

/// The trees are ours: their depth is bounded by the policy.
pub(super) fn sync_file_system(directory: &Directory) -> io::Result<()> {
    for entry in directory.entries()? {
        let Entry { name, .. } = entry?;
        match directory.metadata(&name)?.kind {
            Kind::Directory => sync_file_system(&directory.open_dir(&name)?)?,
            Kind::File => {
                // Syncing wants a handle for writing.
                let mut options = OpenOptions::new();
                directory.0.open_with(&name, options.write(true))?.sync_all()?;
            }
            Kind::Symlink | Kind::Other => {}
        }
    }
    Ok(())
}

pub(super) fn try_lock(_: &Dir) -> io::Result<bool> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn set_mode(_: &Dir, _: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn is_mount_point(dir: &Dir, name: &OsStr) -> io::Result<bool> {
    Ok(metadata(dir, name)?.identity.device != own_metadata(dir)?.identity.device)
}

pub(super) fn is_on_local_disk(_: &Dir) -> bool {
    false
}

pub(super) fn current_user() -> Option<u32> {
    None
}

pub(super) fn is_out_of_handles(_: &io::Error) -> bool {
    false
}

pub(super) fn is_unsupported(_: &io::Error) -> bool {
    false
}

fn describe(metadata: &cap_std::fs::Metadata) -> Metadata {
    Metadata {
        kind: kind(metadata.file_type()),
        identity: Identity { device: metadata.dev(), inode: metadata.ino() },
        owner: 0,
        mode: 0,
        length: metadata.len(),
    }
}

fn kind(file_type: cap_std::fs::FileType) -> Kind {
    if file_type.is_dir() {
        Kind::Directory
    } else if file_type.is_symlink() {
        Kind::Symlink
    } else if file_type.is_file() {
        Kind::File
    } else {
        Kind::Other
    }
}
