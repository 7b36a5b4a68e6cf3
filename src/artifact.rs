//! Raw bytes in, once, hashed as they arrive, into a private copy. Nothing here parses.
//!
//! What was hashed is what is parsed: after this room nobody opens the file again.

mod beside;
mod spool;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use self::beside::Beside;
pub(crate) use self::spool::{Spool, SpoolReader};
use crate::confine::read_piece;
use crate::digest::{Digest, Observed};
use crate::error::{Code, Error, Result};
use crate::escape::escape;
use crate::limits::{Limits, has_processors};
use crate::report::DownloadReport;

/// Bytes read at a time: small enough to be hashed while they are in the processor's cache.
const PIECE: usize = 128 * 1024;
/// From here on hashing is worth a thread of its own.
const WORTH_A_THREAD: u64 = 512 * 1024;

/// Of a small file, no less than this.
const LEAST_PIECE: usize = 4096;

/// An archive whose bytes have been read and hashed, and not looked at.
///
/// The only way on is [`verify`](Self::verify), or its weakening with a name that says so.
///
/// ```
/// use skillx_archive::{Artifact, Digest};
/// let artifact = Artifact::from_bytes(&b"not even an archive"[..]);
/// let wrong = Digest::from_bytes([0; 32]);
/// assert_eq!(artifact.verify(&wrong).unwrap_err().code(), "digest-mismatch");
/// ```
///
/// What was observed is no proof, so this does not compile:
///
/// ```compile_fail
/// let artifact = skillx_archive::Artifact::from_bytes(&b""[..]);
/// let digest = artifact.digest();
/// artifact.verify(&digest);
/// ```
#[derive(Debug, Clone)]
pub struct Artifact {
    spool: Spool,
    observed: Observed,
    origin: Origin,
}

/// An archive that may be read: made by [`Artifact::verify`] alone (or by its named weakening).
///
/// Cheap to clone, and usable from several threads: clones share one private copy of the bytes.
///
/// ```compile_fail
/// let artifact = skillx_archive::Artifact::from_bytes(&b""[..]);
/// artifact.extract("somewhere", &skillx_archive::Options::default());
/// ```
#[derive(Debug, Clone)]
pub struct VerifiedArtifact {
    artifact: Artifact,
    expected: Option<Digest>,
}

/// Where the bytes came from, for reports and for the declared format.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origin {
    pub(crate) source: Option<String>,
    pub(crate) extension: Option<String>,
    pub(crate) declared: Option<Declared>,
    pub(crate) download: Option<DownloadReport>,
}

/// A format that was declared by someone: its name, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) zip: bool,
    pub(crate) by: &'static str,
}

impl Artifact {
    /// Reads a file (or a FIFO, or a device like `/dev/fd/3`) to its end, within the default limits. Links are followed.
    ///
    /// From half a megabyte on, the bytes are hashed on a thread of their own while the next ones are read, where the machine
    /// has two processors.
    ///
    /// # Errors
    /// `io` if it cannot be read, `limit-archive` if it is larger than [`Limits::archive`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, &Limits::default())
    }

    /// As [`open`](Self::open), within the given limits.
    ///
    /// # Errors
    /// `io` if it cannot be read, `limit-archive` if it is larger than [`Limits::archive`].
    pub fn open_with(path: impl AsRef<Path>, limits: &Limits) -> Result<Self> {
        let path = path.as_ref();
        let shown = escape(path.as_os_str().as_encoded_bytes());
        let failed = |source| Error::io(format!("cannot read `{shown}`"), source);
        // The caller's own path: the one place where an archive is opened by name.
        #[allow(clippy::disallowed_methods)]
        let file = File::open(path).map_err(failed)?;
        let mut writer = Self::writer(limits);
        if let Ok(metadata) = file.metadata()
            && metadata.is_file()
        {
            writer.expect(metadata.len());
        }
        let mut artifact = writer.fill(file).map_err(|failure| match failure {
            Filling::Read(source) => failed(source),
            Filling::Spool(error) => error,
        })?;
        artifact.origin.source = Some(path.to_string_lossy().into_owned());
        artifact.origin.extension = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
        Ok(artifact)
    }

    /// Takes bytes that are in memory already. [`Limits::archive`] is applied when it is read as an archive.
    #[must_use]
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        let observed = Observed::new(Sha256::digest(&bytes).into());
        Self { spool: Spool::in_memory(bytes), observed, origin: Origin::default() }
    }

    /// Reads a stream to its end.
    ///
    /// # Errors
    /// `io` if it cannot be read, `limit-archive` if it is larger than [`Limits::archive`].
    pub fn from_reader(reader: impl Read, limits: &Limits) -> Result<Self> {
        Self::writer(limits).fill(reader).map_err(|failure| match failure {
            Filling::Read(source) => Error::io("cannot read the archive", source),
            Filling::Spool(error) => error,
        })
    }

    /// For whoever is handed the bytes piece by piece: an [`io::Write`], then [`finish`](ArtifactWriter::finish).
    ///
    /// ```
    /// use std::io::Write;
    /// use skillx_archive::{Artifact, Limits};
    /// let mut writer = Artifact::writer(&Limits::default());
    /// writer.write_all(b"some bytes")?;
    /// let artifact = writer.finish()?;
    /// assert_eq!(artifact.len(), 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn writer(limits: &Limits) -> ArtifactWriter {
        ArtifactWriter {
            spool: Some(spool::Writer::new(limits.spool_memory)),
            hasher: Sha256::new(),
            most: limits.archive,
            piece: PIECE,
            failure: None,
        }
    }

    /// Goes on only if the raw bytes have this SHA-256.
    ///
    /// # Errors
    /// `digest-mismatch` with both digests.
    pub fn verify(self, digest: &Digest) -> Result<VerifiedArtifact> {
        if self.observed != *digest {
            let observed = self.observed;
            return Err(Error::with(Code::DigestMismatch, format!("the file has {observed}, expected was {digest}")));
        }
        Ok(VerifiedArtifact { artifact: self, expected: Some(*digest) })
    }

    /// Goes on without any proof that these are the bytes the publisher meant. Reports say `"verified": false`.
    #[must_use]
    pub fn trust_without_digest(self) -> VerifiedArtifact {
        VerifiedArtifact { artifact: self, expected: None }
    }

    /// The SHA-256 that the bytes turned out to have.
    #[must_use]
    pub fn digest(&self) -> Observed {
        self.observed
    }

    /// Size in bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.spool.len()
    }

    /// Whether there are no bytes at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How it was downloaded, if it was.
    #[must_use]
    pub fn download(&self) -> Option<&DownloadReport> {
        self.origin.download.as_ref()
    }

    pub(crate) fn origin_mut(&mut self) -> &mut Origin {
        &mut self.origin
    }

    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    pub(crate) fn spool(&self) -> &Spool {
        &self.spool
    }
}

impl VerifiedArtifact {
    /// The digest it was checked against; `None` after [`Artifact::trust_without_digest`].
    #[must_use]
    pub fn expected(&self) -> Option<&Digest> {
        self.expected.as_ref()
    }

    pub(crate) fn origin_mut(&mut self) -> &mut Origin {
        self.artifact.origin_mut()
    }

    /// The artifact, to be asked for its digest and size.
    #[must_use]
    pub fn artifact(&self) -> &Artifact {
        &self.artifact
    }
}

/// Takes the bytes of an archive piece by piece; see [`Artifact::writer`].
#[derive(Debug)]
pub struct ArtifactWriter {
    spool: Option<spool::Writer>,
    hasher: Sha256,
    most: u64,
    piece: usize,
    failure: Option<Error>,
}

enum Filling {
    Read(io::Error),
    Spool(Error),
}

impl ArtifactWriter {
    /// All bytes have been written.
    ///
    /// # Errors
    /// What an earlier write failed with: `limit-archive`, `disk-full` or `io`.
    pub fn finish(mut self) -> Result<Artifact> {
        let spool = match (self.failure.take(), self.spool.take()) {
            (None, Some(writer)) => writer.finish(),
            (Some(error), _) => return Err(error),
            (None, None) => return Err(Error::new(Code::Io)),
        };
        let observed = Observed::new(self.hasher.finalize().into());
        Ok(Artifact { spool, observed, origin: Origin::default() })
    }

    /// The size that the file system gives: memory is set aside for it, within the limits.
    fn expect(&mut self, bytes: u64) {
        if let Some(spool) = &mut self.spool {
            spool.reserve(bytes.min(self.most));
        }
        // One more, for the read that finds the end; a file that grew is read in more pieces.
        self.piece = usize::try_from(bytes).unwrap_or(PIECE).saturating_add(1).clamp(LEAST_PIECE, PIECE);
    }

    fn fill(mut self, mut reader: impl Read) -> Result<Artifact, Filling> {
        let mut piece = vec![0; self.piece];
        let mut small = true;
        loop {
            let bytes = read_piece(&mut reader, &mut piece).map_err(Filling::Read)?;
            if bytes.is_empty() {
                break;
            }
            self.take(bytes).map_err(Filling::Spool)?;
            if small && self.spool.as_ref().is_some_and(|spool| spool.len() >= WORTH_A_THREAD) {
                small = false;
                let beside = if has_processors() { Beside::start(&self.hasher, PIECE) } else { None };
                if let Some(beside) = beside {
                    self.fill_beside(&mut reader, beside)?;
                    break;
                }
            }
        }
        self.finish().map_err(Filling::Spool)
    }

    /// The rest of a large file: the very bytes that are kept are hashed on another thread.
    fn fill_beside(&mut self, reader: &mut impl Read, beside: Beside) -> Result<(), Filling> {
        let gone = || Filling::Spool(Error::with(Code::Internal, "the hashing thread has gone away"));
        loop {
            let mut piece = beside.room().ok_or_else(gone)?;
            let bytes = read_piece(reader, &mut piece).map_err(Filling::Read)?;
            if bytes.is_empty() {
                break;
            }
            self.keep(bytes).map_err(Filling::Spool)?;
            let length = bytes.len();
            beside.sum(piece, length);
        }
        self.hasher = beside.finish().ok_or_else(gone)?;
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) -> Result<()> {
        self.keep(bytes)?;
        self.hasher.update(bytes);
        Ok(())
    }

    /// Keeps bytes that are hashed elsewhere.
    fn keep(&mut self, bytes: &[u8]) -> Result<()> {
        if let Some(error) = &self.failure {
            return Err(error.clone());
        }
        let outcome = self.store(bytes);
        if let Err(error) = &outcome {
            self.failure = Some(error.clone());
            self.spool = None;
        }
        outcome
    }

    fn store(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(spool) = &mut self.spool else { return Ok(()) };
        if spool.len().saturating_add(bytes.len() as u64) > self.most {
            let most = self.most;
            return Err(Error::with(Code::LimitArchive, format!("the archive is larger than {most} bytes")));
        }
        spool.write(bytes).map_err(|source| Error::io("cannot keep a private copy of the archive", source))
    }
}

impl Write for ArtifactWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.take(bytes).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
