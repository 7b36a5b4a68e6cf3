//! From an argument to a verified artifact: reading, the digest at hand, and what to say when there is none.

use std::path::Path;

use skillx_archive::fetch::Url;
use skillx_archive::{Artifact, Cancel, Code, Digest, Error, Options, Report, VerifiedArtifact, escape};

use crate::args::Shared;
use crate::digests::from_sidecar;
use crate::network::{self, Loaded, Network};
use crate::render::Output;

/// Where a digest was found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Promise {
    pub(crate) digest: Digest,
    /// `flag`, `sidecar` or `index`.
    pub(crate) source: &'static str,
}

/// What a run has besides its arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) cancel: &'a Cancel,
    pub(crate) output: &'a Output,
}

/// Reads or downloads the archive and checks it against the digest at hand, filling in `report` as far as it comes.
pub(crate) fn load(
    archive: &Path,
    given: Option<Promise>,
    shared: &Shared,
    run: Run<'_>,
    report: &mut Report,
) -> Result<VerifiedArtifact, Error> {
    let shown = archive.to_string_lossy();
    report.artifact.source = Some(shown.clone().into_owned());
    if let Some(url) = network::address(archive) {
        return download(&url?, given, shared, run, report);
    }
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
        return Err(missing(Some(archive).filter(|_| !is_stdin), &artifact));
    };
    report.artifact.expected = Some(digest.to_string());
    report.artifact.digest_source = source;
    artifact.verify(&digest)
}

/// As [`load`], for an address. The sidecar of an address is not asked for: it would come from the same hand.
fn download(
    url: &Url,
    given: Option<Promise>,
    shared: &Shared,
    run: Run<'_>,
    report: &mut Report,
) -> Result<VerifiedArtifact, Error> {
    let network = Network::new(&shared.network)?;
    let limits = shared.limits();
    if let Some(Promise { digest, source }) = given {
        report.artifact.expected = Some(digest.to_string());
        report.artifact.digest_source = source;
    }
    let digest = given.map(|promise| promise.digest);
    let observe = |artifact: &Artifact| {
        report.artifact.bytes = Some(artifact.len());
        report.artifact.sha256 = Some(artifact.digest().to_string());
        report.artifact.download = artifact.download().cloned();
    };
    match network.load(url, digest.as_ref(), &limits, run.cancel, run.output, observe)? {
        Loaded::Verified(mut verified) => {
            network.keep(&verified);
            if let Some(format) = shared.format() {
                verified = verified.with_format(format);
            }
            Ok(verified)
        }
        Loaded::Unproven(mut artifact) => {
            if let Some(format) = shared.format() {
                artifact = artifact.with_format(format);
            }
            if shared.allow_unverified {
                return Ok(artifact.trust_without_digest());
            }
            Err(missing(None, &artifact))
        }
    }
}

/// The report of a run: what the library says, and what only the program knows.
pub(crate) fn complete(mut report: Report, known: &Report) -> Report {
    report.artifact.source.clone_from(&known.artifact.source);
    report.artifact.digest_source = known.artifact.digest_source;
    report.artifact.download.clone_from(&known.artifact.download);
    report
}

/// The options are known now: the report of what may still fail is made under them.
pub(crate) fn restart(known: &mut Report, options: &Options) {
    let source = known.artifact.source.take();
    *known = options.blank_report();
    known.artifact.source = source;
}

/// Each way out stands on a line of its own, so that it can be copied.
fn missing(file: Option<&Path>, artifact: &Artifact) -> Error {
    let digest = artifact.digest();
    let sidecar =
        file.and_then(quoted).map(|name| format!("\n  sha256sum -- {name} > {name}.sha256")).unwrap_or_default();
    Error::of(Code::DigestMissing, format!("there is no digest to check against; this file has {digest}")).with_help(format!(
        "compare with the publisher's digest, then use one of these (a sidecar is made by whoever publishes; without any nothing proves what this file is):\n  --digest {digest}{sidecar}\n  --allow-unverified"
    ))
}

/// The path as a shell takes it, unless showing it would need another spelling.
fn quoted(path: &Path) -> Option<String> {
    let text = path.to_str()?;
    if escape(text.as_bytes()).to_string() != text {
        return None;
    }
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'/' | b'+' | b'=' | b'@');
    if text.bytes().all(is_plain) { Some(text.to_owned()) } else { Some(format!("'{}'", text.replace('\'', r"'\''"))) }
}
