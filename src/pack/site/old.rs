//! What an older run published in a directory: read from the index that it left, and believed only as far as it is ours.

use std::ffi::OsStr;
use std::io::{self, Read as _};

use serde::Deserialize;

use super::{INDEX, MOST_TEXT, SKILL_MD, SiteFile, SiteFileState, below};
use crate::artifact::Artifact;
use crate::confine::{Directory, Kind};
use crate::error::{Code, Error, Result};
use crate::escape::escape;
use crate::layout::is_valid_name;

/// Artifacts of the older index that this program could have written: their place and digest.
#[derive(Debug, Default)]
pub(super) struct OldIndex {
    /// There is one: what it stands beside is a site of skills, whose files may be written anew.
    pub(super) found: bool,
    artifacts: Vec<(String, String)>,
}

#[derive(Debug, Deserialize)]
struct Index {
    #[serde(default)]
    skills: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    #[serde(default)]
    name: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    digest: String,
}

impl OldIndex {
    /// # Errors
    /// `dest-exists` if the file is no index: then it is not ours to replace.
    pub(super) fn read(place: &Directory) -> Result<Self> {
        let failed = |source| Error::io(format!("cannot read `{INDEX}`"), source);
        match place.metadata(INDEX) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Ok(found) if found.kind != Kind::File => return Ok(Self::default()),
            result => drop(result.map_err(failed)?),
        }
        let (file, _) = place.open_file(INDEX).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(MOST_TEXT).read_to_end(&mut bytes).map_err(failed)?;
        let Ok(index) = serde_json::from_slice::<Index>(&bytes) else {
            let detail = format!("`{}` is no index of skills, and is not replaced", below(INDEX));
            return Err(Error::with(Code::DestExists, detail).hint("move it away, or choose another directory"));
        };
        let ours = |entry: &Entry| {
            let name = &entry.name;
            is_valid_name(name)
                && [format!("{name}.tar.gz"), format!("{name}.zip"), format!("{name}/{SKILL_MD}")].contains(&entry.url)
        };
        let artifacts = index.skills.into_iter().filter(ours).map(|entry| (entry.url, entry.digest)).collect();
        Ok(Self { found: true, artifacts })
    }

    /// Removes what was published and is not any more, if it still is what the index said.
    pub(super) fn remove_others(
        &self,
        place: &Directory,
        published: &[String],
        files: &mut Vec<SiteFile>,
    ) -> Result<()> {
        for (url, digest) in &self.artifacts {
            if published.contains(url) || files.iter().any(|file| file.path == below(url)) {
                continue;
            }
            let Some((state, skill_md)) = remove(place, url, digest)? else { continue };
            files.push(SiteFile { path: below(url), state });
            // What `skills.txt` pointed to, where the archive proves that it is ours.
            let own = url.strip_suffix(".tar.gz").or(url.strip_suffix(".zip")).map(|name| format!("{name}/{SKILL_MD}"));
            if let (Some(own), Some(skill_md)) = (own, skill_md)
                && !published.contains(&own)
            {
                let digest = Artifact::from_bytes(skill_md).digest().to_string();
                if let Some((state, _)) = remove(place, &own, &digest)? {
                    files.push(SiteFile { path: below(&own), state });
                }
            }
        }
        Ok(())
    }
}

/// Removes one file, if it has this digest; with what an archive had as SKILL.md.
fn remove(place: &Directory, url: &str, digest: &str) -> Result<Option<(SiteFileState, Option<Vec<u8>>)>> {
    let kept = Ok(Some((SiteFileState::Kept, None)));
    let failed = |source| Error::io(format!("cannot remove `{}`", escape(url.as_bytes())), source);
    let inner = match url.split_once('/') {
        Some((directory, _)) => match place.open_dir(directory) {
            Ok(inner) => Some(inner),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(_) => return kept,
        },
        None => None,
    };
    let (directory, name) = match (&inner, url.split_once('/')) {
        (Some(inner), Some((_, name))) => (inner, name),
        _ => (place, url),
    };
    let name = OsStr::new(name);
    match directory.metadata(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(found) if found.kind == Kind::File => {}
        _ => return kept,
    }
    let (file, _) = directory.open_file(name).map_err(failed)?;
    let mut limits = crate::Limits::default();
    limits.archive = u64::MAX;
    let artifact = match Artifact::from_reader(file, &limits) {
        Ok(artifact) if artifact.digest().to_string() == digest => artifact,
        _ => return kept,
    };
    let is_archive = inner.is_none();
    let content = || artifact.trust_without_digest().read(SKILL_MD, &crate::Options::default()).ok();
    let skill_md = if is_archive { content() } else { None };
    directory.remove_file(name).map_err(failed)?;
    if let (Some(_), Some((name, _))) = (inner, url.split_once('/')) {
        // Only if nothing else lies in it.
        let _ = place.remove_dir(name);
    }
    Ok(Some((SiteFileState::Removed, skill_md)))
}
