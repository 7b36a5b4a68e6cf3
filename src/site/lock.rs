//! `skillx.lock`: which artifact each skill is, so that a change is seen.
//!
//! Index and archive come from the same origin, so a digest in the index proves that the two agree, not that the skill is the
//! one of yesterday. The lock file belongs into version control: sorted, one member a line.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Read as _, Write as _};

use serde::{Deserialize, Serialize};

use crate::confine::{Directory, Kind};
use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::escape::escape;
use crate::layout::is_valid_name;

/// Its name in the directory of skills.
pub(super) const NAME: &str = "skillx.lock";
/// Its name while it is written.
const PENDING: &str = ".skillx.lock.pending";
const SCHEMA: &str = "skillx.lock/1";
/// Largest lock file that is read.
const MOST_BYTES: u64 = 4 << 20;

/// The pinned skills, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Lock {
    skills: BTreeMap<String, Pin>,
}

/// What one skill is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pin {
    /// The address of the index, as it was asked for.
    pub(super) index: String,
    pub(super) url: String,
    /// `archive` or `skill-md`.
    pub(super) kind: String,
    pub(super) digest: Digest,
}

#[derive(Serialize, Deserialize)]
struct File {
    schema: String,
    skills: Vec<Skill>,
}

#[derive(Serialize, Deserialize)]
struct Skill {
    name: String,
    index: String,
    url: String,
    #[serde(rename = "type")]
    kind: String,
    digest: String,
}

impl Lock {
    /// The lock file of a directory of skills; `None` if there is none.
    pub(super) fn read(directory: &Directory) -> Result<Option<Self>> {
        let file = match directory.open_file(NAME) {
            Ok((file, _)) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(match directory.metadata(NAME) {
                    Ok(found) if found.kind != Kind::File => invalid("it is no regular file; links are not followed"),
                    _ => Error::io(format!("opening `{NAME}`"), error),
                });
            }
        };
        let mut bytes = Vec::new();
        file.take(MOST_BYTES.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| Error::io(format!("reading `{NAME}`"), error))?;
        Self::parse(&bytes).map(Some)
    }

    fn parse(bytes: &[u8]) -> Result<Self> {
        if bytes.len() as u64 > MOST_BYTES {
            return Err(invalid(format!("it is larger than {MOST_BYTES} bytes")));
        }
        let file: File =
            serde_json::from_slice(bytes).map_err(|error| invalid(escape(error.to_string().as_bytes())))?;
        if file.schema != SCHEMA {
            let shown = escape(file.schema.as_bytes());
            return Err(invalid(format!("its schema is `{shown}`, this version knows `{SCHEMA}`")));
        }
        let mut lock = Self::default();
        for Skill { name, index, url, kind, digest } in file.skills {
            let shown = escape(name.as_bytes()).to_string();
            if !is_valid_name(&name) {
                return Err(invalid(format!("`{shown}` is no name of a skill")));
            }
            let digest = digest.parse().map_err(|error| invalid(format!("{shown}: {error}")))?;
            if lock.skills.insert(name, Pin { index, url, kind, digest }).is_some() {
                return Err(invalid(format!("`{shown}` is there twice")));
            }
        }
        Ok(lock)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Pin> {
        self.skills.get(name)
    }

    pub(super) fn set(&mut self, name: &str, pin: Pin) {
        self.skills.insert(name.to_owned(), pin);
    }

    pub(super) fn remove(&mut self, name: &str) -> bool {
        self.skills.remove(name).is_some()
    }

    /// The names of the skills that came from an index.
    pub(super) fn names_of(&self, index: &str) -> Vec<String> {
        self.skills.iter().filter(|(_, pin)| pin.index == index).map(|(name, _)| name.clone()).collect()
    }

    /// Writes the file: beside it first, then one rename.
    pub(super) fn write(&self, directory: &Directory) -> Result<()> {
        let skills = self.skills.iter().map(|(name, pin)| Skill {
            name: name.clone(),
            index: pin.index.clone(),
            url: pin.url.clone(),
            kind: pin.kind.clone(),
            digest: pin.digest.to_string(),
        });
        let file = File { schema: SCHEMA.to_owned(), skills: skills.collect() };
        let mut bytes = serde_json::to_vec_pretty(&file)
            .map_err(|error| Error::with(Code::Internal, format!("the lock file cannot be written: {error}")))?;
        bytes.push(b'\n');
        let failed = |error| Error::io(format!("writing `{NAME}`"), error);
        match directory.metadata(OsStr::new(NAME)) {
            Ok(found) if found.kind == Kind::Directory => return Err(invalid("it is a directory")),
            _ => {}
        }
        let _ = directory.remove_file(PENDING);
        let written = directory
            .create_file(PENDING, 0o644)
            .and_then(|mut file| file.write_all(&bytes))
            .and_then(|()| directory.rename(PENDING, directory, NAME));
        written.map_err(|error| {
            let _ = directory.remove_file(PENDING);
            failed(error)
        })
    }
}

fn invalid(why: impl std::fmt::Display) -> Error {
    Error::with(Code::LockInvalid, format!("`{NAME}` cannot be used: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_lock_file_is_refused() {
        let digest = format!("sha256:{}", "0".repeat(64));
        let skill = |name: &str, digest: &str| {
            format!(r#"{{"name":"{name}","index":"i","url":"u","type":"archive","digest":"{digest}"}}"#)
        };
        let file = |skills: &[String]| format!(r#"{{"schema":"{SCHEMA}","skills":[{}]}}"#, skills.join(","));
        let good = Lock::parse(file(&[skill("b", &digest), skill("a", &digest)]).as_bytes()).unwrap();
        assert_eq!(good.names_of("i"), ["a", "b"]);
        for bad in [
            String::new(),
            "<<<<<<< ours".to_owned(),
            "[]".to_owned(),
            r#"{"schema":"skillx.lock/2","skills":[]}"#.to_owned(),
            file(&[skill("a", &digest), skill("a", &digest)]),
            file(&[skill("../a", &digest)]),
            file(&[skill("CON", &digest)]),
            file(&[skill("a", "sha256:0")]),
        ] {
            assert_eq!(Lock::parse(bad.as_bytes()).unwrap_err().code(), "lock-invalid", "{bad}");
        }
    }
}
