//! Entries of the neighbouring protocols, as entries of an index.

use super::entry::{Entry, Offer, Outcome, RemoteFile, Section};
use super::skill_sharing::{CapabilityType, Descriptor, SharedSkill};
use super::web_skills::{WebSkill, WebSkills, WebTarget};
use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::fetch::Url;
use crate::layout::is_valid_name;

impl Entry {
    /// An entry of skills.txt. There is no digest, so that it is like one of version 0.1.0: its SKILL.md alone, or an
    /// archive. `denied` is why it may not be fetched.
    pub(crate) fn of_web(position: usize, site: &WebSkills, skill: &WebSkill, denied: Option<Error>) -> Self {
        let name = name_of(skill);
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
            (Ok(WebTarget::Archive(url)), None) => Ok(Offer::UnprovenArchive { url: url.clone() }),
        };
        let section =
            site.section(skill).map(|section| Section { title: section.title.clone(), optional: section.optional });
        Self {
            position,
            line,
            name: Some(Untrusted::new(name)),
            kind: Some(Untrusted::new("web-skill")),
            description: skill.description().cloned(),
            reference: skill.target().ok().map(|target| Untrusted::new(target.url().as_str())),
            section,
            findings: Vec::new(),
            outcome: offer.map_or_else(Outcome::Refused, Outcome::Usable),
        }
    }

    /// An entry of a skill-sharing index: a service, and nothing to install. `wanted` is the type that was asked for
    /// (section 5.6).
    pub(crate) fn of_shared(position: usize, skill: &SharedSkill, wanted: Option<CapabilityType>) -> Self {
        let error = match wanted {
            Some(wanted) if wanted != skill.capability_type => {
                let detail =
                    format!("`{}` is of type {}, and {wanted} alone was asked for", skill.id, skill.capability_type);
                Error::with(Code::IndexEntryInvalid, detail)
                    .hint("publisher: answer ?type= with all skills of this type and no others")
            }
            _ => Error::with(
                Code::NoArtifact,
                format!(
                    "`{}` is a remote service and no file; it is described at `{}`",
                    skill.id, skill.descriptor_url
                ),
            ),
        };
        Self {
            position,
            line: 1,
            name: Some(skill.id.clone()),
            kind: Some(Untrusted::new(skill.capability_type.as_str())),
            description: Some(skill.description.clone()),
            reference: Some(Untrusted::new(skill.descriptor_url.as_str())),
            section: None,
            findings: Vec::new(),
            outcome: Outcome::Refused(error),
        }
    }

    /// The descriptor of a service, met at its own address: an index of one.
    pub(crate) fn of_descriptor(descriptor: &Descriptor, url: &Url) -> Option<Self> {
        let id = descriptor.id()?.clone();
        let detail = format!("`{id}` is a remote service and no file; `{url}` is its descriptor");
        Some(Self {
            position: 0,
            line: 1,
            description: descriptor.name().cloned(),
            name: Some(id),
            kind: Some(Untrusted::new("descriptor")),
            reference: Some(Untrusted::new(url.as_str())),
            section: None,
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
            Outcome::Usable(Offer::UnprovenArchive { url }) => Some((url.clone(), true)),
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

/// The skill's own name, as far as the list tells: the directory of a SKILL.md; of an archive what stands in the brackets,
/// else the name of the file without its extension.
fn name_of(skill: &WebSkill) -> &str {
    let given = skill.name().as_raw();
    match skill.target() {
        Ok(WebTarget::Archive(url)) if !is_valid_name(given) => {
            let file = url.last_component();
            let stem = [".tar.gz", ".tgz", ".zip"].iter().find_map(|extension| file.strip_suffix(extension));
            stem.filter(|stem| is_valid_name(stem)).unwrap_or(given)
        }
        _ => skill.directory().unwrap_or(given),
    }
}
