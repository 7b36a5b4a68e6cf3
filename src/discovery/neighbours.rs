//! Entries of the neighbouring protocols, as entries of an index.

use super::entry::{Entry, Offer, Outcome, RemoteFile};
use super::skill_sharing::{Descriptor, SharedSkill};
use super::web_skills::{WebSkill, WebTarget};
use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::fetch::Url;
use crate::layout::is_valid_name;

impl Entry {
    /// An entry of skills.txt. There is no digest, so that it is like one of version 0.1.0: its SKILL.md alone. `denied` is why
    /// it may not be fetched.
    pub(crate) fn of_web(position: usize, skill: &WebSkill, denied: Option<Error>) -> Self {
        let name = skill.directory().unwrap_or_else(|| skill.name().as_raw());
        let line = skill.line();
        let offer = match (skill.target(), denied) {
            (Err(error), _) => Err(error.clone()),
            (_, Some(denied)) => Err(denied),
            _ if !is_valid_name(name) => {
                let shown = escape(name.as_bytes());
                let detail = format!("line {line}: `{shown}` is not 1-64 of a-z, 0-9 and single inner hyphens");
                Err(Error::with(Code::SkillNameForm, detail)
                    .hint("publisher: put the skill in a directory of its name: skills/NAME/SKILL.md"))
            }
            (Ok(WebTarget::SkillMd(url)), None) => {
                Ok(Offer::Files(vec![RemoteFile { path: "SKILL.md".to_owned(), url: url.clone() }]))
            }
            (Ok(WebTarget::Archive(url)), None) => {
                let detail = format!("line {line}: `{url}` is an archive without a digest");
                Err(Error::with(Code::DigestMissing, detail).hint(
                    "user: --digest gives the one that you know; or skillx verify-extract URL --allow-unverified",
                ))
            }
        };
        Self {
            position,
            line,
            name: Some(Untrusted::new(name)),
            kind: Some(Untrusted::new("web-skill")),
            description: skill.description().cloned(),
            reference: skill.target().ok().map(|target| Untrusted::new(target.url().as_str())),
            findings: Vec::new(),
            outcome: offer.map_or_else(Outcome::Refused, Outcome::Usable),
        }
    }

    /// An entry of a skill-sharing index: a service, and nothing to install.
    pub(crate) fn of_shared(position: usize, skill: &SharedSkill) -> Self {
        let detail =
            format!("`{}` is a remote service and no file; it is described at `{}`", skill.id, skill.descriptor_url);
        Self {
            position,
            line: 1,
            name: Some(skill.id.clone()),
            kind: Some(Untrusted::new(skill.capability_type.as_str())),
            description: Some(skill.description.clone()),
            reference: Some(Untrusted::new(skill.descriptor_url.as_str())),
            findings: Vec::new(),
            outcome: Outcome::Refused(Error::with(Code::NoArtifact, detail)),
        }
    }

    /// The descriptor of a service, met at its own address: an index of one. `None` if the document has no id.
    pub(crate) fn of_descriptor(document: &[u8], url: &Url) -> Option<Self> {
        let descriptor = Descriptor::parse(document).ok()?;
        let id = descriptor.id()?.clone();
        let detail = format!("`{id}` is a remote service and no file; `{url}` is its descriptor");
        Some(Self {
            position: 0,
            line: 1,
            description: descriptor.name().cloned(),
            name: Some(id),
            kind: Some(Untrusted::new("descriptor")),
            reference: Some(Untrusted::new(url.as_str())),
            findings: Vec::new(),
            outcome: Outcome::Refused(Error::with(Code::NoArtifact, detail)),
        })
    }

    /// Takes a digest that the user knows for one that is missing.
    pub(super) fn promise(&mut self, digest: Digest) -> Result<()> {
        let url = match &self.outcome {
            Outcome::Usable(Offer::Files(files)) => match files.as_slice() {
                [file] => Some((file.url.clone(), false)),
                _ => None,
            },
            Outcome::Refused(error) if error.code() == Code::DigestMissing => {
                self.reference.as_ref().and_then(|url| url.as_raw().parse().ok()).map(|url| (url, true))
            }
            Outcome::Refused(error) | Outcome::Skipped(error) => return Err(error.clone()),
            Outcome::Usable(_) => None,
        };
        let Some((url, is_archive)) = url else {
            return Err(Error::usage("--digest is for one file without a digest of its own"));
        };
        let offer = if is_archive { Offer::Archive { url, digest } } else { Offer::SkillMd { url, digest } };
        self.outcome = Outcome::Usable(offer);
        Ok(())
    }
}
