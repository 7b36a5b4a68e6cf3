//! One directory handle: every operation takes one clean component, follows no link and stays below the handle.
//!
//! A path is walked by opening one [`Directory`] after the other. What a name means can then change under our feet
//! (another process renames, links, deletes), but never lead anywhere else than into the directory that is held open.
//! This room knows nothing of archives: it returns [`io::Result`], and the rooms above say what they were doing.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::AmbientAuthority;
use cap_std::fs::{Dir, File, OpenOptions};

#[cfg_attr(unix, path = "confine/unix.rs")]
#[cfg_attr(not(unix), path = "confine/other.rs")]
mod imp;
mod inside;
mod remove;
#[cfg(test)]
mod tests;

pub(crate) use self::inside::Inside;

/// A directory that is held open.
///
/// Handles come in two kinds. [`open_dir`](Self::open_dir) asks for no more than the right to go through the directory
/// (on Linux an `O_PATH` handle); [`open_dir_readable`](Self::open_dir_readable) also asks for the right to read it, and
/// only such a handle can be locked, synced or have its mode changed. Everything else works on both.
#[derive(Debug)]
pub(crate) struct Directory(Dir);

/// What a name stands for, without following it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// FIFO, socket, device.
    Other,
    /// A symbolic link, whatever it points to.
    Symlink,
}

/// Two names with the same identity are the same file or directory, as long as one of them is held open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

/// What the file system says of one name or handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Metadata {
    pub(crate) kind: Kind,
    pub(crate) identity: Identity,
    /// The user it belongs to; 0 where there are no owners.
    pub(crate) owner: u32,
    /// The permission and special bits (07777); 0 where there are none.
    pub(crate) mode: u32,
    /// Length in bytes; says something for files only.
    pub(crate) length: u64,
}

/// One name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: OsString,
    /// What the listing says it is: a hint that may be missing or out of date.
    pub(crate) kind: Option<Kind>,
}

/// The names in a directory, in no order, without `.` and `..`.
pub(crate) struct Entries(imp::Listing);

impl Identity {
    /// The file system it lies on.
    pub(crate) const fn device(self) -> u64 {
        self.device
    }
}

impl Directory {
    /// A handle that somebody else opened.
    pub(crate) const fn from_dir(dir: Dir) -> Self {
        Self(dir)
    }

    /// The handle itself, for what takes one.
    #[cfg(feature = "discovery")]
    pub(crate) const fn as_dir(&self) -> &Dir {
        &self.0
    }

    /// Opens the caller's path, links and all. This is where ambient authority ends.
    pub(crate) fn open_ambient(path: &Path, authority: AmbientAuthority) -> io::Result<Self> {
        retry(|| Dir::open_ambient_dir(path, authority)).map(Self)
    }

    /// Opens the directory this one lies in.
    pub(crate) fn open_ambient_parent(&self, authority: AmbientAuthority) -> io::Result<Self> {
        retry(|| self.0.open_parent_dir(authority)).map(Self)
    }

    /// Another handle to the same directory.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// Opens a directory in this one.
    pub(crate) fn open_dir(&self, name: impl AsRef<OsStr>) -> io::Result<Self> {
        let name = component(name.as_ref())?;
        retry(|| self.0.open_dir_nofollow(name)).map(Self)
    }

    /// Opens a directory in this one for reading.
    pub(crate) fn open_dir_readable(&self, name: impl AsRef<OsStr>) -> io::Result<Self> {
        let name = component(name.as_ref())?;
        retry(|| imp::open_dir_readable(&self.0, name)).map(Self)
    }

    /// Opens a directory in this one for reading, unless something else is mounted there.
    pub(crate) fn open_dir_same_device(&self, name: impl AsRef<OsStr>, device: u64) -> io::Result<Self> {
        let name = component(name.as_ref())?;
        let directory = retry(|| imp::open_dir_same_mount(&self.0, name)).map(Self)?;
        if directory.own_metadata()?.identity.device == device {
            Ok(directory)
        } else {
            Err(io::ErrorKind::CrossesDevices.into())
        }
    }

    /// Opens this directory once more, for reading.
    pub(crate) fn reopen_readable(&self) -> io::Result<Self> {
        retry(|| imp::reopen_readable(&self.0)).map(Self)
    }

    /// Makes a directory; the caller's umask takes bits from `mode`.
    pub(crate) fn create_dir(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<()> {
        imp::create_dir(&self.0, component(name.as_ref())?, mode)
    }

    /// Makes a file that was not there, for writing; the caller's umask takes bits from `mode`.
    pub(crate) fn create_file(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<File> {
        let name = component(name.as_ref())?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        imp::set_creation_mode(&mut options, mode);
        retry(|| self.0.open_with(name, &options))
    }

    /// Opens a regular file for reading. Anything else, a FIFO without a writer included, is an error at once.
    pub(crate) fn open_file(&self, name: impl AsRef<OsStr>) -> io::Result<(File, Metadata)> {
        let name = component(name.as_ref())?;
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        let file = retry(|| self.0.open_with(name, &options))?;
        let metadata = imp::file_metadata(&file)?;
        match metadata.kind {
            Kind::File => Ok((file, metadata)),
            _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
        }
    }

    /// Makes a symbolic link; the target is stored as it is.
    pub(crate) fn symlink(&self, target: &str, name: impl AsRef<OsStr>) -> io::Result<()> {
        imp::symlink(&self.0, target, component(name.as_ref())?)
    }

    /// Where a symbolic link points to.
    pub(crate) fn read_link(&self, name: impl AsRef<OsStr>) -> io::Result<OsString> {
        imp::read_link(&self.0, component(name.as_ref())?)
    }

    /// What is there under a name, without following it.
    pub(crate) fn metadata(&self, name: impl AsRef<OsStr>) -> io::Result<Metadata> {
        imp::metadata(&self.0, component(name.as_ref())?)
    }

    /// What the file system says of this directory itself.
    pub(crate) fn own_metadata(&self) -> io::Result<Metadata> {
        imp::own_metadata(&self.0)
    }

    /// Whether a name still (or already) stands for the file or directory with this identity. Asked again if the answer
    /// is an error: much is left undone on a `false`.
    pub(crate) fn holds(&self, name: impl AsRef<OsStr>, identity: Identity) -> bool {
        let name = name.as_ref();
        let found = match self.metadata(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => self.metadata(name),
            result => result,
        };
        found.is_ok_and(|found| found.identity == identity)
    }

    /// The names in this directory.
    pub(crate) fn entries(&self) -> io::Result<Entries> {
        retry(|| imp::listing(&self.0)).map(Entries)
    }

    /// Shows the names in this directory (opened for reading) to `visit` until that returns `false`. Unlike
    /// [`entries`](Self::entries) this needs no further handle, where the operating system can do without.
    pub(crate) fn visit(&self, mut visit: impl FnMut(Entry) -> bool) -> io::Result<()> {
        imp::visit(&self.0, &mut visit)
    }

    /// Whether there is no name in this directory (opened for reading).
    pub(crate) fn is_empty(&self) -> io::Result<bool> {
        let mut empty = true;
        self.visit(|_| {
            empty = false;
            false
        })?;
        Ok(empty)
    }

    /// Renames without further ado: `to` is replaced if the operating system allows it.
    pub(crate) fn rename(&self, from: impl AsRef<OsStr>, to: &Self, name: impl AsRef<OsStr>) -> io::Result<()> {
        imp::rename(&self.0, component(from.as_ref())?, &to.0, component(name.as_ref())?)
    }

    /// Renames to a name where nothing is, else `AlreadyExists`.
    ///
    /// File systems that cannot do this in one step get a look and then a plain rename: a name that appears between the
    /// two is replaced, where rename(2) allows that at all (a file, an empty directory).
    pub(crate) fn rename_new(&self, from: impl AsRef<OsStr>, to: &Self, name: impl AsRef<OsStr>) -> io::Result<()> {
        let (from, name) = (component(from.as_ref())?, component(name.as_ref())?);
        match imp::rename_no_replace(&self.0, from, &to.0, name) {
            Err(error) if is_unsupported(&error) => match to.metadata(name) {
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                Err(missing) if missing.kind() == io::ErrorKind::NotFound => self.rename(from, to, name),
                Err(error) => Err(error),
            },
            result => result,
        }
    }

    /// Renames a directory over an empty one.
    pub(crate) fn rename_over_empty(
        &self,
        from: impl AsRef<OsStr>,
        to: &Self,
        name: impl AsRef<OsStr>,
    ) -> io::Result<()> {
        imp::rename_over_empty(&self.0, component(from.as_ref())?, &to.0, component(name.as_ref())?)
    }

    /// Exchanges what two names stand for, in one step. [`is_unsupported`] tells where that cannot be done.
    pub(crate) fn exchange(&self, from: impl AsRef<OsStr>, to: &Self, name: impl AsRef<OsStr>) -> io::Result<()> {
        imp::exchange(&self.0, component(from.as_ref())?, &to.0, component(name.as_ref())?)
    }

    /// Removes a name that is not a directory.
    pub(crate) fn remove_file(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        imp::remove_file(&self.0, component(name.as_ref())?)
    }

    /// Removes an empty directory.
    pub(crate) fn remove_dir(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        imp::remove_dir(&self.0, component(name.as_ref())?)
    }

    /// Removes a directory and everything in it: never through a link, never on another device, at any depth with at
    /// most 16 open handles. What is already gone is no error; the first thing that cannot be removed is, after the rest
    /// has been removed.
    pub(crate) fn remove_tree(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        remove::remove_tree(self, component(name.as_ref())?)
    }

    /// Writes the names in this directory (opened for reading) to the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        retry(|| imp::sync(&self.0))
    }

    /// Writes the whole file system that this directory (opened for reading) lies on to the disk; where the operating
    /// system cannot do that, everything below this directory.
    pub(crate) fn sync_file_system(&self) -> io::Result<()> {
        retry(|| imp::sync_file_system(self))
    }

    /// Locks this directory (opened for reading) until the handle is dropped; `false` if somebody else has.
    pub(crate) fn try_lock(&self) -> io::Result<bool> {
        retry(|| imp::try_lock(&self.0))
    }

    /// Sets the permission bits of this directory (opened for reading).
    pub(crate) fn set_mode(&self, mode: u32) -> io::Result<()> {
        imp::set_mode(&self.0, mode)
    }

    /// Whether the directory under this name is the root of a mounted file system.
    pub(crate) fn is_mount_point(&self, name: impl AsRef<OsStr>) -> io::Result<bool> {
        imp::is_mount_point(&self.0, component(name.as_ref())?)
    }

    /// Whether this directory lies on a file system that is known to be local to this machine and to have owners, modes
    /// and locks as POSIX wants them. Unknown ones have not.
    pub(crate) fn is_on_local_disk(&self) -> bool {
        imp::is_on_local_disk(&self.0)
    }
}

impl Iterator for Entries {
    type Item = io::Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next_entry()
    }
}

/// The user whose files this process makes; `None` where there are no owners.
pub(crate) fn current_user() -> Option<u32> {
    imp::current_user()
}

/// Whether a rename failed because the operating system or the file system has no such kind of rename.
pub(crate) fn is_unsupported(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported || imp::is_unsupported(error)
}

/// Whether a call failed because this process, or the system, has no more handles.
pub(crate) fn is_out_of_handles(error: &io::Error) -> bool {
    imp::is_out_of_handles(error)
}

/// The name, if it is one component and nothing else: cap-std and the kernel would walk a path.
///
/// A trailing slash or `/.` would even make them follow a link in the last component.
fn component(name: &OsStr) -> io::Result<&OsStr> {
    let bytes = name.as_encoded_bytes();
    let separated =
        bytes.iter().any(|byte| matches!(byte, b'/' | 0) || (cfg!(windows) && matches!(byte, b'\\' | b':')));
    if separated || matches!(bytes, b"" | b"." | b"..") {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a single path component"));
    }
    Ok(name)
}

/// The next piece of a file or stream, empty at its end. A signal that comes in between is no end.
pub(crate) fn read_piece<'p>(source: &mut impl io::Read, piece: &'p mut [u8]) -> io::Result<&'p [u8]> {
    loop {
        match source.read(piece) {
            Ok(count) => return Ok(piece.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Calls again when a signal came in between, within reason.
fn retry<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 0..16 {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
    call()
}
