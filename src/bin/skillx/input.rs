//! From an argument to a verified artifact: reading, the digest at hand, and what to say when there is none.

use std::path::Path;

use skillx_archive::{Artifact, Code, Digest, Error, Report, VerifiedArtifact, escape};

use crate::args::Shared;
use crate::digests::from_sidecar;

/// Where a digest was found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Promise {
    pub(crate) digest: Digest,
    /// `flag`, `sidecar` or `index`.
    pub(crate) source: &'static str,
}

/// Reads the archive and checks it against the digest at hand, filling in `report` as far as it comes.
pub(crate) fn load(
    archive: &Path,
    given: Option<Promise>,
    shared: &Shared,
    report: &mut Report,
) -> Result<VerifiedArtifact, Error> {
    let shown = archive.to_string_lossy();
    report.artifact.source = Some(shown.clone().into_owned());
    let is_stdin = shown == "-";
    let promise = match given {
        Some(promise) => Some(promise),
        None if is_stdin => None,
        None => from_sidecar(archive)?.map(|digest| Promise { digest, source: "sidecar" }),
    };
    let limits = shared.limits();
    let mut artifact = if is_stdin {
        Artifact::from_reader(std::io::stdin().lock(), &limits)?
    } else {
        Artifact::open_with(archive, &limits)?
    };
    if let Some(format) = shared.format() {
        artifact = artifact.with_format(format);
    }
    report.artifact.bytes = Some(artifact.len());
    report.artifact.sha256 = Some(artifact.digest().to_string());
    let Some(Promise { digest, source }) = promise else {
        if shared.allow_unverified {
            return Ok(artifact.trust_without_digest());
        }
        return Err(missing(archive, is_stdin, &artifact));
    };
    report.artifact.expected = Some(digest.to_string());
    report.artifact.digest_source = source;
    artifact.verify(&digest)
}

/// The report of a run: what the library says, and what only the program knows.
pub(crate) fn complete(mut report: Report, known: &Report) -> Report {
    report.artifact.source.clone_from(&known.artifact.source);
    report.artifact.digest_source = known.artifact.digest_source;
    report
}

fn missing(archive: &Path, is_stdin: bool, artifact: &Artifact) -> Error {
    let digest = artifact.digest();
    let shown = escape(archive.as_os_str().as_encoded_bytes()).to_string();
    let sidecar = if is_stdin {
        String::new()
    } else {
        format!("\n  sha256sum {shown} > {shown}.sha256     (a sidecar, made by whoever publishes the archive)")
    };
    Error::of(Code::DigestMissing, format!("there is no digest to check against; this file has {digest}")).with_help(format!(
        "get the digest from the publisher and compare, then one of:\n  --digest {digest}{sidecar}\n  --allow-unverified     (nothing proves what this file is)"
    ))
}
