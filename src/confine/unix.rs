//! The system calls behind [`Directory`]: cap-std opens, rustix does the rest.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt as _};
use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags, RawMode, Stat};
use rustix::io::Errno;

use super::{Directory, Entry, Identity, Kind, Metadata};

/// A directory opened by itself, for reading its names.
pub(super) struct Listing(rustix::fs::Dir);

const READABLE: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

pub(super) fn open_dir_readable(dir: &Dir, name: &OsStr) -> io::Result<Dir> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags(OFlags::DIRECTORY.union(OFlags::NOFOLLOW)));
    dir.open_with(name, &options).map(|file| Dir::from_std_file(file.into_std()))
}

/// Opens for reading, and nothing that is mounted over the name. Where the kernel cannot say so, the caller's look at
/// the device has to do.
pub(super) fn open_dir_same_mount(dir: &Dir, name: &OsStr) -> io::Result<Dir> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::ResolveFlags;

        let inside = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
        match rustix::fs::openat2(dir, name, READABLE, Mode::empty(), inside) {
            // No such call, one that a sandbox forbids, or renames elsewhere that disturbed it.
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => {}
            result => return Ok(Dir::from(result?)),
        }
    }
    open_dir_readable(dir, name)
}

pub(super) fn reopen_readable(dir: &Dir) -> io::Result<Dir> {
    Ok(Dir::from(rustix::fs::openat(dir, c".", READABLE, Mode::empty())?))
}

pub(super) fn create_dir(dir: &Dir, name: &OsStr, mode: u32) -> io::Result<()> {
    Ok(rustix::fs::mkdirat(dir, name, bits(mode))?)
}

pub(super) fn set_creation_mode(options: &mut OpenOptions, mode: u32) {
    options.mode(mode);
}

pub(super) fn symlink(dir: &Dir, target: &str, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::symlinkat(target, dir, name)?)
}

pub(super) fn read_link(dir: &Dir, name: &OsStr) -> io::Result<OsString> {
    Ok(OsString::from_vec(rustix::fs::readlinkat(dir, name, Vec::new())?.into_bytes()))
}

pub(super) fn metadata(dir: &Dir, name: &OsStr) -> io::Result<Metadata> {
    Ok(describe(&rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?))
}

pub(super) fn own_metadata(dir: &Dir) -> io::Result<Metadata> {
    Ok(describe(&rustix::fs::fstat(dir)?))
}

pub(super) fn file_metadata(file: &File) -> io::Result<Metadata> {
    Ok(describe(&rustix::fs::fstat(file)?))
}

pub(super) fn listing(dir: &Dir) -> io::Result<Listing> {
    let directory = rustix::fs::openat(dir, c".", READABLE, Mode::empty())?;
    Ok(Listing(rustix::fs::Dir::new(directory)?))
}

impl Listing {
    pub(super) fn next_entry(&mut self) -> Option<io::Result<Entry>> {
        loop {
            let entry = match self.0.read()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(error.into())),
            };
            if let Some(entry) = describe_entry(entry.file_name().to_bytes(), entry.file_type()) {
                return Some(Ok(entry));
            }
        }
    }
}

/// Reads through the handle itself, from its first name on.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn visit(dir: &Dir, visit: &mut dyn FnMut(Entry) -> bool) -> io::Result<()> {
    rustix::fs::seek(dir, rustix::fs::SeekFrom::Start(0))?;
    let mut buffer = Vec::with_capacity(8 * 1024);
    let mut names = rustix::fs::RawDir::new(dir, buffer.spare_capacity_mut());
    while let Some(entry) = names.next() {
        let entry = entry?;
        if let Some(entry) = describe_entry(entry.file_name().to_bytes(), entry.file_type())
            && !visit(entry)
        {
            break;
        }
    }
    Ok(())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn visit(dir: &Dir, visit: &mut dyn FnMut(Entry) -> bool) -> io::Result<()> {
    let mut names = listing(dir)?;
    while let Some(entry) = names.next_entry() {
        if !visit(entry?) {
            break;
        }
    }
    Ok(())
}

/// An entry of a listing, but for `.` and `..`.
fn describe_entry(name: &[u8], file_type: FileType) -> Option<Entry> {
    let kind = match file_type {
        FileType::Unknown => None,
        known => Some(kind(known)),
    };
    let itself = matches!(name, b"." | b"..");
    (!itself).then(|| Entry { name: OsStr::from_bytes(name).to_owned(), kind })
}

pub(super) fn rename(from: &Dir, old: &OsStr, to: &Dir, new: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::renameat(from, old, to, new)?)
}

/// rename(2) replaces an empty directory by itself.
pub(super) fn rename_over_empty(from: &Dir, old: &OsStr, to: &Dir, new: &OsStr) -> io::Result<()> {
    rename(from, old, to, new)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn rename_no_replace(from: &Dir, old: &OsStr, to: &Dir, new: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(from, old, to, new, rustix::fs::RenameFlags::NOREPLACE)?)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn exchange(from: &Dir, old: &OsStr, to: &Dir, new: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(from, old, to, new, rustix::fs::RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn rename_no_replace(_: &Dir, _: &OsStr, _: &Dir, _: &OsStr) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn exchange(_: &Dir, _: &OsStr, _: &Dir, _: &OsStr) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn remove_file(dir: &Dir, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(dir, name, AtFlags::empty())?)
}

pub(super) fn remove_dir(dir: &Dir, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(dir, name, AtFlags::REMOVEDIR)?)
}

pub(super) fn sync(dir: &Dir) -> io::Result<()> {
    Ok(rustix::fs::fsync(dir)?)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn sync_file_system(directory: &Directory) -> io::Result<()> {
    Ok(rustix::fs::syncfs(&directory.0)?)
}

/// Without syncfs every file and directory is synced by itself. The trees are ours: their depth is bounded by the policy.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn sync_file_system(directory: &Directory) -> io::Result<()> {
    for entry in directory.entries()? {
        let Entry { name, .. } = entry?;
        match directory.metadata(&name)?.kind {
            Kind::Directory => sync_file_system(&directory.open_dir_readable(&name)?)?,
            Kind::File => directory.open_file(&name)?.0.sync_all()?,
            Kind::Symlink | Kind::Other => {}
        }
    }
    directory.sync()
}

pub(super) fn try_lock(dir: &Dir) -> io::Result<bool> {
    match rustix::fs::flock(dir, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn set_mode(dir: &Dir, mode: u32) -> io::Result<()> {
    Ok(rustix::fs::fchmod(dir, bits(mode))?)
}

pub(super) fn is_mount_point(dir: &Dir, name: &OsStr) -> io::Result<bool> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{StatxAttributes, StatxFlags};

        // The only thing that tells a directory bound over another of the same file system.
        if let Ok(found) = rustix::fs::statx(dir, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BASIC_STATS)
            && found.stx_attributes_mask.contains(StatxAttributes::MOUNT_ROOT)
            && found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT)
        {
            return Ok(true);
        }
    }
    Ok(metadata(dir, name)?.identity.device != own_metadata(dir)?.identity.device)
}

/// The types of fstatfs(2), from the kernel's `magic.h`, of local file systems with owners, modes and locks: ext2 to
/// ext4, XFS, Btrfs, tmpfs, ramfs, overlayfs, F2FS, ZFS, bcachefs, JFS, reiserfs, nilfs2.
///
/// A list of those known to be unsuitable (NFS, SMB, 9p, FUSE …, whose locks may not reach the other machine) would
/// never be complete.
#[cfg(any(target_os = "linux", target_os = "android"))]
const LOCAL: [u32; 12] = [
    0x0000_ef53,
    0x5846_5342,
    0x9123_683e,
    0x0102_1994,
    0x8584_58f6,
    0x794c_7630,
    0xf2f5_2010,
    0x2fc1_2fc1,
    0xca45_1a4e,
    0x3153_464a,
    0x5265_4973,
    0x0000_3434,
];

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn is_on_local_disk(dir: &Dir) -> bool {
    // The field is 32 bits wide in all but name; where it is also signed some of the list is not known.
    rustix::fs::fstatfs(dir).is_ok_and(|found| u32::try_from(found.f_type).is_ok_and(|magic| LOCAL.contains(&magic)))
}

#[cfg(target_vendor = "apple")]
pub(super) fn is_on_local_disk(dir: &Dir) -> bool {
    const MNT_LOCAL: u32 = 0x1000;
    rustix::fs::fstatfs(dir).is_ok_and(|found| found.f_flags & MNT_LOCAL != 0)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn is_on_local_disk(_: &Dir) -> bool {
    false
}

#[allow(clippy::unnecessary_wraps, reason = "there are no owners elsewhere")]
pub(super) fn current_user() -> Option<u32> {
    Some(rustix::process::geteuid().as_raw())
}

pub(super) fn is_out_of_handles(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

pub(super) fn is_unsupported(error: &io::Error) -> bool {
    // The last two are one number on Linux and two elsewhere.
    let unsupported = [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP];
    Errno::from_io_error(error).is_some_and(|errno| unsupported.contains(&errno))
}

fn flags(flags: OFlags) -> i32 {
    flags.bits().cast_signed()
}

fn bits(mode: u32) -> Mode {
    Mode::from_raw_mode(mode as RawMode)
}

/// The widths and signs of these fields differ between systems.
#[allow(clippy::unnecessary_cast, clippy::cast_sign_loss, clippy::cast_lossless)]
fn describe(stat: &Stat) -> Metadata {
    Metadata {
        kind: kind(FileType::from_raw_mode(stat.st_mode as RawMode)),
        identity: Identity { device: stat.st_dev as u64, inode: stat.st_ino as u64 },
        owner: stat.st_uid,
        mode: stat.st_mode as u32 & 0o7777,
        length: stat.st_size as u64,
    }
}

fn kind(file_type: FileType) -> Kind {
    match file_type {
        FileType::Directory => Kind::Directory,
        FileType::RegularFile => Kind::File,
        FileType::Symlink => Kind::Symlink,
        _ => Kind::Other,
    }
}
