//! Which skill a name means: one, or none. No skill takes a name that belongs to another.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};

use super::Catalog;
use super::prompt::is_shown_as_it_is;
use super::skill::{CatalogSkill, Skipped, Standing};
use crate::confine::Identity;
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::policy::skeleton;
use crate::receipt::Store;
use crate::report::Finding;

/// What receipts know of skills that are not in use as they were installed.
#[derive(Default)]
struct Remembered {
    /// Their names, and the directories they were installed in.
    names: HashMap<String, OsString>,
    /// Those that are no skills any more.
    gone: Vec<Skipped>,
}

impl Catalog {
    /// Leaves out what cannot be named without a doubt, and tells what looks alike.
    pub(super) fn settle_names(&mut self, store: Option<&Store>) -> Result<()> {
        self.pass_over_aliases();
        self.refuse_hidden_names();
        let Remembered { names, gone } = store.map(|store| self.remembered(store)).transpose()?.unwrap_or_default();
        self.refuse_impostors(&names);
        self.refuse_duplicates();
        self.skipped.extend(gone);
        self.tell_look_alikes();
        self.tell_missing_receipts();
        Ok(())
    }

    /// A link to a skill that lies beside it is no other skill. It has been told as a link.
    fn pass_over_aliases(&mut self) {
        let own = self.skills.iter().filter(|skill| skill.link.is_none());
        let own: HashSet<Identity> = own.map(|skill| skill.identity).collect();
        self.skills.retain(|skill| skill.link.is_none() || !own.contains(&skill.identity));
    }

    /// In a prompt a name is what the model sees: one with characters that are left out there would be another's.
    fn refuse_hidden_names(&mut self) {
        self.refuse(|skill| {
            (!is_shown_as_it_is(skill.name.as_raw())).then(|| {
                let detail = format!(
                    "its name `{}` cannot be shown to a model as it is: it is longer than 64 characters, or has markup, \
                     spaces at its ends, or characters that cannot be seen",
                    skill.name
                );
                Error::with(Code::SkillMdInvalid, detail).hint("publisher: use a-z, 0-9 and hyphens")
            })
        });
    }

    /// What receipts know and the directory does not show.
    fn remembered(&self, store: &Store) -> Result<Remembered> {
        let used: HashSet<&OsStr> =
            self.skills.iter().filter(|skill| skill.receipt.is_some()).map(CatalogSkill::directory).collect();
        let known: HashSet<&OsStr> = self.skipped.iter().map(Skipped::directory).collect();
        let mut remembered = Remembered::default();
        let place = self.place_in_a_hint();
        for directory in store.names()? {
            if used.contains(directory.as_os_str()) {
                continue;
            }
            // A receipt that cannot be read still says where a skill was.
            let receipt = store.read(&directory).ok().flatten();
            let name = receipt.as_ref().and_then(|receipt| receipt.name()).map(str::to_owned);
            let shown = escape(directory.as_encoded_bytes()).to_string();
            if !known.contains(directory.as_os_str()) && !self.skills.iter().any(|skill| skill.directory == directory) {
                let detail = format!("`{shown}` has a receipt, and is no skill any more or is gone");
                let error = Error::with(Code::TreeChanged, detail)
                    .hint(format!("install it again, or let `skillx remove {shown}{place}` forget it"));
                let name = name.clone().map(Untrusted::new);
                remembered.gone.push(Skipped { directory: directory.clone(), name, error });
            }
            let name = name.or_else(|| directory.to_str().map(str::to_owned));
            remembered.names.extend(name.map(|name| (name, directory)));
        }
        Ok(remembered)
    }

    /// A skill under the name of one that was installed in another directory and is not there as it was. A receipt of its own
    /// does not help it: whoever breaks the one skill may write the other's receipt.
    fn refuse_impostors(&mut self, claims: &HashMap<String, OsString>) {
        let allow = self.allow_modified;
        let claimed =
            |skill: &CatalogSkill| claims.get(skill.name.as_raw()).filter(|directory| **directory != skill.directory);
        let place = self.place_in_a_hint();
        if allow {
            for skill in self.skills.iter_mut().filter(|skill| claimed(skill).is_some()) {
                skill.standing = Standing::Modified;
            }
            return;
        }
        self.refuse(|skill| {
            claimed(skill).map(|directory| {
                let installed = escape(directory.as_encoded_bytes());
                let detail = format!(
                    "`{}` is the name of the skill that was installed in `{installed}`, and it is not there as it was",
                    skill.name
                );
                Error::with(Code::TreeChanged, detail)
                    .hint(format!("install that skill again, or let `skillx remove {installed}{place}` forget it"))
            })
        });
    }

    /// A name that several skills have means none of them.
    fn refuse_duplicates(&mut self) {
        let mut count: HashMap<String, usize> = HashMap::new();
        // A skill that is skipped keeps its name, which is that of its directory where nothing else is known: another one must
        // not be loaded in its place.
        let skipped = self.skipped.iter().filter_map(|skipped| {
            skipped.name.as_ref().map_or_else(|| skipped.directory.to_str(), |name| Some(name.as_raw()))
        });
        for name in self.skills.iter().map(|skill| skill.name.as_raw()).chain(skipped) {
            let seen = count.entry(name.to_owned()).or_default();
            *seen = seen.saturating_add(1);
        }
        self.refuse(|skill| {
            count.get(skill.name.as_raw()).is_some_and(|count| *count > 1).then(|| {
                let detail = format!("several skills of this directory are called `{}`", skill.name);
                Error::with(Code::CatalogDuplicateName, detail)
            })
        });
    }

    /// What a command has to be told, so that it works on this directory and no other.
    fn place_in_a_hint(&self) -> String {
        self.path
            .as_ref()
            .map_or_else(String::new, |path| format!(" -d {}", escape(path.as_os_str().as_encoded_bytes())))
    }

    /// Moves skills to those that are skipped.
    fn refuse(&mut self, fault: impl Fn(&CatalogSkill) -> Option<Error>) {
        for skill in std::mem::take(&mut self.skills) {
            match fault(&skill) {
                None => self.skills.push(skill),
                Some(error) => self.skipped.push(Skipped::of(&skill, error)),
            }
        }
    }

    /// Names that are told apart by their bytes and not by their looks. ASCII alone fools nobody.
    fn tell_look_alikes(&mut self) {
        if self.skills.iter().all(|skill| skill.name.as_raw().is_ascii()) {
            return;
        }
        let mut seen: HashMap<String, &CatalogSkill> = HashMap::new();
        let mut findings = Vec::new();
        for skill in &self.skills {
            let Some(first) = seen.insert(skeleton(skill.name.as_raw()), skill) else { continue };
            if !(first.name.as_raw().is_ascii() && skill.name.as_raw().is_ascii()) {
                let text = format!("the name `{}` looks like `{}`, which is another skill's", skill.name, first.name);
                findings.push(Finding::new(Code::HomoglyphSibling, skill.directory.to_str(), text));
            }
        }
        self.findings.extend(findings);
    }

    /// Where skills were installed with receipts, one without came another way, or has lost it.
    fn tell_missing_receipts(&mut self) {
        if self.skills.iter().all(|skill| skill.receipt.is_none()) {
            return;
        }
        for skill in self.skills.iter().filter(|skill| skill.receipt.is_none()) {
            let text = format!("the skill `{}` has no receipt, others beside it have one", skill.name);
            self.findings.push(Finding::new(Code::CatalogNoReceipt, skill.directory.to_str(), text));
        }
    }
}
