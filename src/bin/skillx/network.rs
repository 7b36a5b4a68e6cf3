//! From the flags to what downloads: the client, the rules, the cache.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skillx_archive::fetch::{Cache, Download, Fetch, Private, Rules, Url};
use skillx_archive::{Artifact, Cancel, Digest, Error, Limits, VerifiedArtifact};

use crate::args::NetworkArgs;
use crate::progress;
use crate::render::Output;

/// Largest file of certificate authorities.
#[cfg(feature = "http")]
const MOST_ROOTS: u64 = 16 << 20;

/// An argument that is an address: a scheme and `://`. Everything else is a path.
pub(crate) fn address(argument: &Path) -> Option<Result<Url, Error>> {
    let text = argument.to_str()?;
    let (scheme, _) = text.split_once("://")?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    is_scheme.then(|| text.parse())
}

/// What downloads need, made from the flags once.
pub(crate) struct Network {
    pub(crate) fetch: Box<dyn Fetch>,
    pub(crate) rules: Rules,
    pub(crate) cache: Option<Cache>,
}

/// An archive that was downloaded, or found in the cache.
pub(crate) enum Loaded {
    /// With the digest that was asked for.
    Verified(VerifiedArtifact),
    /// There was no digest to ask for.
    Unproven(Artifact),
}

impl Network {
    pub(crate) fn new(args: &NetworkArgs) -> Result<Self, Error> {
        let mut rules = Rules::default();
        rules.allow_http = args.allow_http;
        rules.hosts.clone_from(&args.allow_host);
        if let Some(host) = args.allow_host.iter().chain(&args.allow_private).find(|host| host.contains('/')) {
            return Err(Error::usage(format!("`{host}` is no host: name it without scheme and path")));
        }
        rules.private = if args.allow_private.iter().any(String::is_empty) {
            Private::Allow
        } else if args.allow_private.is_empty() {
            Private::Deny
        } else {
            Private::Hosts(args.allow_private.clone())
        };
        if let Some(seconds) = args.timeout {
            rules.total = Duration::from_secs(seconds.get());
        }
        let cache = if args.no_cache { None } else { cache_directory().map(Cache::at) };
        Ok(Self { fetch: client(args)?, rules, cache })
    }

    /// Downloads what the user typed, and checks it against its digest if there is one; the error then says what the
    /// server did.
    pub(crate) fn load(
        &self,
        url: &Url,
        digest: Option<&Digest>,
        limits: &Limits,
        cancel: &Cancel,
        output: &Output,
        observe: impl FnOnce(&Artifact),
    ) -> Result<Loaded, Error> {
        let rules = self.rules.clone().typed(url);
        rules.check_url(url)?;
        if let Some((digest, cache)) = digest.zip(self.cache.as_ref())
            && let Some(verified) = cache.get_for(url, digest, limits)
        {
            observe(verified.artifact());
            return Ok(Loaded::Verified(verified));
        }
        let download = progress::show_download(Download::new(url), output);
        let (artifact, fetched) = download.artifact(&*self.fetch, &rules, limits, cancel)?;
        observe(&artifact);
        match digest {
            Some(digest) => fetched.verify(artifact, digest).map(Loaded::Verified),
            None => {
                fetched.check_page()?;
                Ok(Loaded::Unproven(artifact))
            }
        }
    }

    /// Keeps what turned out to be good, so that it need not be downloaded again.
    pub(crate) fn keep(&self, artifact: &VerifiedArtifact) {
        if let Some(cache) = &self.cache {
            // Without it the next run downloads again.
            let _ = cache.put(artifact);
        }
    }
}

#[cfg(feature = "http")]
fn client(args: &NetworkArgs) -> Result<Box<dyn Fetch>, Error> {
    let mut https = skillx_archive::fetch::Https::new();
    if let Some(path) = &args.cacert {
        https = https.with_roots(&read(path)?)?;
    }
    if let Some(proxy) = &args.proxy {
        https = https.with_proxy(proxy)?;
    }
    Ok(Box::new(https))
}

#[cfg(not(feature = "http"))]
fn client(_: &NetworkArgs) -> Result<Box<dyn Fetch>, Error> {
    Err(Error::usage("this skillx was built without the feature http: download the archive first"))
}

// The user's own file.
#[cfg(feature = "http")]
#[allow(clippy::disallowed_methods)]
fn read(path: &Path) -> Result<Vec<u8>, Error> {
    use std::io::Read as _;

    let mut bytes = Vec::new();
    let file = std::fs::File::open(path);
    let outcome = file.and_then(|file| file.take(MOST_ROOTS).read_to_end(&mut bytes));
    outcome.map_err(|error| Error::usage(format!("cannot read `{}`: {error}", path.display())))?;
    Ok(bytes)
}

/// `SKILLX_CACHE_DIR`, else `skillx` in the user's cache directory (XDG Base Directory Specification).
fn cache_directory() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(directory) = named("SKILLX_CACHE_DIR") {
        return Some(directory);
    }
    let base = named("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    let base = base.or_else(|| Some(named("HOME").filter(|path| path.is_absolute())?.join(".cache")))?;
    Some(base.join("skillx"))
}
