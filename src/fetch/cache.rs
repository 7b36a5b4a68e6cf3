//! Archives kept by digest: hashed again whenever one is taken out, so that nothing in the cache has to be trusted.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;

use super::url::Url;
use crate::artifact::{Artifact, VerifiedArtifact};
use crate::confine::Directory;
use crate::digest::Digest;
use crate::limits::Limits;
use crate::report::DownloadReport;

/// The directory inside the cache: what it holds, by which digest.
const SHELF: &str = "sha256";
/// Bytes copied at a time.
const PIECE: usize = 64 * 1024;

/// A directory of archives, each under the hex digits of its SHA-256.
///
/// The cache saves downloads and is never believed: what comes out has been hashed again and matched its digest, else it
/// is thrown away. Files are written under a random name and renamed, links are neither followed nor written through. It
/// may be deleted at any time.
#[derive(Debug, Clone)]
pub struct Cache {
    directory: PathBuf,
}

impl Cache {
    /// A cache in this directory, which is made when the first archive is put there.
    #[must_use]
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// The directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The archive with this digest, if it is here and its bytes still have it. What has another digest is removed; what
    /// cannot be read counts as absent.
    #[must_use]
    pub fn get(&self, digest: &Digest, limits: &Limits) -> Option<VerifiedArtifact> {
        let archives = Directory::open_ambient(&self.directory, ambient_authority()).ok()?.open_dir(SHELF).ok()?;
        let name = hex(digest);
        let (file, metadata) = archives.open_file(&name).ok()?;
        if metadata.length > limits.archive {
            return None;
        }
        let artifact = Artifact::from_reader(file, limits).ok()?;
        match artifact.verify(digest) {
            Ok(verified) => Some(verified),
            Err(_) => {
                // Damaged or planted. If it cannot be removed it will be looked at, and passed over, again.
                let _ = archives.remove_file(&name);
                None
            }
        }
    }

    /// As [`get`](Self::get), for an archive that would else be downloaded from this address: reports say so, and the format
    /// is declared by its extension.
    #[must_use]
    pub fn get_for(&self, url: &Url, digest: &Digest, limits: &Limits) -> Option<VerifiedArtifact> {
        let mut verified = self.get(digest, limits)?;
        let origin = verified.origin_mut();
        origin.source = Some(url.as_str().to_owned());
        origin.extension = Some(url.last_component().to_ascii_lowercase());
        origin.download = Some(DownloadReport::cached(url.as_str()));
        Some(verified)
    }

    /// Keeps an archive whose digest was checked. One that was trusted without a digest is not kept.
    ///
    /// # Errors
    /// [`io::Error`], after which the cache is as before: a caller may well ignore it.
    pub fn put(&self, verified: &VerifiedArtifact) -> io::Result<()> {
        let Some(digest) = verified.expected() else { return Ok(()) };
        let archives = self.shelf()?;
        let name = hex(digest);
        if archives.open_file(&name).is_ok_and(|(_, metadata)| metadata.length == verified.artifact().len()) {
            return Ok(());
        }
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let draft = format!(".new-{}", hex(&Digest::from_bytes(random)));
        let outcome =
            write(&archives, &draft, verified.artifact()).and_then(|()| archives.rename(&draft, &archives, &name));
        if outcome.is_err() {
            let _ = archives.remove_file(&draft);
        }
        outcome
    }

    // The user's own path, or one below their home.
    #[allow(clippy::disallowed_methods)]
    fn shelf(&self) -> io::Result<Directory> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.directory)?;
        let cache = Directory::open_ambient(&self.directory, ambient_authority())?;
        match cache.create_dir(SHELF, 0o700) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        cache.open_dir(SHELF)
    }
}

fn write(archives: &Directory, name: &str, artifact: &Artifact) -> io::Result<()> {
    let mut file = archives.create_file(name, 0o600)?;
    let mut piece = vec![0; PIECE];
    let mut offset: u64 = 0;
    loop {
        let count = artifact.spool().read_at(offset, &mut piece)?;
        if count == 0 {
            return file.flush();
        }
        file.write_all(piece.get(..count).unwrap_or_default())?;
        offset = offset.saturating_add(count as u64);
    }
}

fn hex(digest: &Digest) -> String {
    digest.to_string().trim_start_matches("sha256:").to_owned()
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::disallowed_methods)]

    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn verified(bytes: &[u8]) -> (VerifiedArtifact, Digest) {
        let artifact = Artifact::from_bytes(bytes);
        let digest = Digest::from_bytes(*artifact.digest().as_bytes());
        (artifact.verify(&digest).unwrap(), digest)
    }

    fn scene() -> (tempfile::TempDir, Cache) {
        let temp = tempfile::tempdir().unwrap();
        let cache = Cache::at(temp.path().join("a/cache"));
        (temp, cache)
    }

    #[test]
    fn what_is_put_comes_back_and_nothing_else_is_left() {
        let (_temp, cache) = scene();
        let (artifact, digest) = verified(b"bytes");
        assert!(cache.get(&digest, &Limits::default()).is_none());
        cache.put(&artifact).unwrap();
        cache.put(&artifact).unwrap();
        let found = cache.get(&digest, &Limits::default()).unwrap();
        assert_eq!((found.expected(), found.artifact().len()), (Some(&digest), 5));
        let shelf = cache.directory().join(SHELF);
        let names: Vec<_> = fs::read_dir(&shelf).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, [hex(&digest).as_str()]);
        assert_eq!(fs::metadata(&shelf).unwrap().permissions().mode() & 0o777, 0o700);
        cache.put(&Artifact::from_bytes(&b"unproven"[..]).trust_without_digest()).unwrap();
        assert_eq!(fs::read_dir(&shelf).unwrap().count(), 1);
    }

    #[test]
    fn d09_what_was_changed_is_thrown_away() {
        let (_temp, cache) = scene();
        let (artifact, digest) = verified(b"bytes");
        cache.put(&artifact).unwrap();
        let path = cache.directory().join(SHELF).join(hex(&digest));
        for planted in [&b"other"[..], b"longer than before", b""] {
            fs::write(&path, planted).unwrap();
            assert!(cache.get(&digest, &Limits::default()).is_none());
            assert!(!path.exists());
        }
        cache.put(&artifact).unwrap();
        let small = Limits { archive: 4, ..Limits::default() };
        assert!(cache.get(&digest, &small).is_none() && path.exists());
    }

    #[test]
    fn d09_planted_links_lead_nowhere() {
        let (temp, cache) = scene();
        let (artifact, digest) = verified(b"bytes");
        let outside = temp.path().join("outside");
        fs::write(&outside, b"bytes").unwrap();
        cache.put(&artifact).unwrap();
        let path = cache.directory().join(SHELF).join(hex(&digest));
        // A link to the very bytes is still not opened, and is replaced, not written through.
        fs::remove_file(&path).unwrap();
        symlink(&outside, &path).unwrap();
        assert!(cache.get(&digest, &Limits::default()).is_none());
        fs::write(&outside, b"mine").unwrap();
        cache.put(&artifact).unwrap();
        assert!(!path.is_symlink() && cache.get(&digest, &Limits::default()).is_some());
        assert_eq!(fs::read(&outside).unwrap(), b"mine");
        // The shelf itself as a link.
        let elsewhere = temp.path().join("elsewhere");
        fs::rename(cache.directory().join(SHELF), &elsewhere).unwrap();
        symlink(&elsewhere, cache.directory().join(SHELF)).unwrap();
        assert!(cache.get(&digest, &Limits::default()).is_none());
        assert!(cache.put(&verified(b"more").0).is_err());
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 1);
        // A FIFO is not waited for, a directory is no file.
        let (_temp, cache) = scene();
        cache.put(&artifact).unwrap();
        let path = cache.directory().join(SHELF).join(hex(&digest));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(cache.get(&digest, &Limits::default()).is_none());
        assert!(cache.put(&artifact).is_err());
        assert_eq!(fs::read_dir(cache.directory().join(SHELF)).unwrap().count(), 1);
    }
}
