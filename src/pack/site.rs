//! Several skills to a whole `.well-known/agent-skills/` tree: index, archives and plain SKILL.md files.
//!
//! All skills are packed and checked before the first file is written. Artifacts come first, then the index, and what an
//! older index published and this one does not goes last.

mod old;
mod skills_txt;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use serde::Serialize;

use self::old::OldIndex;
use super::index::{self, IndexEntry, SCHEMA as INDEX_SCHEMA};
use super::output::{self, May, Saved};
use super::{LeftOut, PackOptions, Packed, pack};
use crate::artifact::Artifact;
use crate::confine::Directory;
use crate::error::{Code, Error, Result};
use crate::escape::escape;
use crate::report::{Finding, Tool, Verdict};

/// The schema tag of a site report; `/1` only grows.
const SCHEMA: &str = "skillx.pack-site/1";
/// Where the index lies below a site's root (Agent Skills Discovery RFC 0.2.0, "URI Structure").
const PLACE: [&str; 2] = [".well-known", "agent-skills"];
const INDEX: &str = "index.json";
const SKILL_MD: &str = "SKILL.md";
/// Largest index and skills.txt that are replaced.
const MOST_TEXT: u64 = 16 << 20;

/// What building a site saw and did: plain serialisable data, schema `skillx.pack-site/1`.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct SiteReport {
    /// Always `skillx.pack-site/1`.
    pub schema: &'static str,
    /// Who wrote the report.
    pub tool: Tool,
    /// The answer.
    pub verdict: Verdict,
    /// The site's root; `None` when nothing was written.
    pub output: Option<String>,
    /// One for each directory, in the order given.
    pub skills: Vec<SiteSkill>,
    /// Every file of the site that was written, found unchanged, removed or kept, by path.
    pub files: Vec<SiteFile>,
    /// What decided: the first skill's refusal, or the failure.
    pub error: Option<Error>,
}

/// One skill of a site.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct SiteSkill {
    /// Its directory, as the caller gave it.
    pub source: String,
    /// Its entry in the index; `None` if it was refused.
    pub entry: Option<IndexEntry>,
    /// What is worth saying about it.
    pub findings: Vec<Finding>,
    /// Every refusal met.
    pub refusals: Vec<Error>,
    /// What was left out of the directory.
    pub left_out: Vec<LeftOut>,
}

/// One file of a site.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct SiteFile {
    /// Its path below the site's root, with `/`.
    pub path: String,
    /// What happened to it.
    pub state: SiteFileState,
}

/// What happened to a file of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SiteFileState {
    /// It is new.
    Created,
    /// The older index published it, this one does not, and it is not what that index said: left where it is.
    Kept,
    /// The older index published it, and this one does not.
    Removed,
    /// It held something else before.
    Replaced,
    /// It is the same as before, its time included.
    Unchanged,
}

/// An artifact that waits until every skill has passed.
struct Artefact {
    entry: IndexEntry,
    bytes: Vec<u8>,
    skill_md: Vec<u8>,
}

/// Packs skills and writes `.well-known/agent-skills/` below `site`: `index.json` with relative URLs, an archive for each
/// directory, and for a skill that is nothing but SKILL.md that file itself (type `skill-md`). With `skills_txt` also
/// `skills.txt` at the root (Web Skills Protocol 0.1), and each skill's SKILL.md for it to point to.
///
/// Files that are the same already are left alone. A file that the older index there published, with the digest it gave,
/// and that no skill has any more is removed; everything else stays.
///
/// # Errors
/// What [`pack`] refuses; `skill-name-form` and `skill-description-long`, which an index cannot carry; `usage` if two skills
/// have one name; `dest-exists`, `dest-is-symlink`, `io`. The report says which skill, and names all refusals. After a
/// refusal nothing has been written.
pub fn pack_site<P: AsRef<Path>>(
    site: impl AsRef<Path>,
    directories: impl IntoIterator<Item = P>,
    options: &PackOptions,
    skills_txt: bool,
) -> SiteReport {
    let site = site.as_ref();
    let mut report = SiteReport {
        schema: SCHEMA,
        tool: Tool::this(),
        verdict: Verdict::Accepted,
        output: None,
        skills: Vec::new(),
        files: Vec::new(),
        error: None,
    };
    let artefacts = collect(directories, options, &mut report);
    if report.error.is_none() {
        match write(site, &artefacts, skills_txt, &mut report.files) {
            Ok(()) => report.output = Some(site.to_string_lossy().into_owned()),
            Err(error) => report.decide(error),
        }
    }
    report.files.sort();
    report
}

impl SiteReport {
    /// Records what decided the verdict: a failure before a wrong call before a refusal.
    pub fn decide(&mut self, error: Error) {
        use crate::error::Class;

        let rank = |error: &Error| match error.class() {
            Class::Refused | Class::Finding => 0,
            Class::Usage => 1,
            Class::Failed => 2,
        };
        if self.error.as_ref().is_some_and(|first| rank(first) >= rank(&error)) {
            return;
        }
        self.verdict = if error.class() == Class::Refused { Verdict::Refused } else { Verdict::Failed };
        self.error = Some(error);
    }
}

/// Packs every directory, and goes on after a refusal: a publisher sees all of them.
fn collect<P: AsRef<Path>>(
    directories: impl IntoIterator<Item = P>,
    options: &PackOptions,
    report: &mut SiteReport,
) -> BTreeMap<String, Artefact> {
    let mut artefacts = BTreeMap::new();
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    for directory in directories {
        let directory = directory.as_ref();
        let source = directory.to_string_lossy().into_owned();
        let mut skill = SiteSkill {
            source: source.clone(),
            entry: None,
            findings: Vec::new(),
            refusals: Vec::new(),
            left_out: Vec::new(),
        };
        let outcome = match pack(directory, options) {
            Ok(packed) => {
                skill.findings = packed.findings().to_vec();
                skill.left_out = packed.left_out().to_vec();
                artefact(&packed)
            }
            Err(failure) => {
                let failed = failure.report();
                (skill.findings, skill.refusals) = (failed.findings.clone(), failed.refusals.clone());
                Err(failure.into())
            }
        };
        let outcome = outcome.and_then(|artefact| match sources.get(&artefact.entry.name) {
            None => Ok(artefact),
            Some(first) => Err(Error::usage(format_args!(
                "two directories hold a skill called {}: {first} and {source}",
                artefact.entry.name
            ))),
        });
        match outcome {
            Ok(artefact) => {
                skill.entry = Some(artefact.entry.clone());
                sources.insert(artefact.entry.name.clone(), source);
                artefacts.insert(artefact.entry.name.clone(), artefact);
            }
            Err(error) => {
                if skill.refusals.is_empty() && error.class() == crate::error::Class::Refused {
                    skill.refusals.push(error.clone());
                }
                report.decide(error);
            }
        }
        report.skills.push(skill);
    }
    if report.skills.is_empty() {
        report.decide(Error::usage("a site needs at least one skill"));
    }
    artefacts
}

/// The archive, or SKILL.md where there is nothing else.
fn artefact(packed: &Packed) -> Result<Artefact> {
    let skill_md = packed.artifact.read(SKILL_MD, &packed.rules)?;
    if packed.report.entries.len() == 1 {
        let digest = Artifact::from_bytes(skill_md.clone()).digest().to_string();
        let url = format!("{}/{SKILL_MD}", packed.name.as_raw());
        let entry = index::entry(packed, "skill-md", url, digest)?;
        return Ok(Artefact { entry, bytes: skill_md.clone(), skill_md });
    }
    let entry = index::entry(packed, "archive", packed.file_name()?, packed.digest().to_string())?;
    Ok(Artefact { entry, bytes: packed.bytes.clone(), skill_md })
}

/// Writes what is new, then the index, then takes away what the older one had.
fn write(
    site: &Path,
    artefacts: &BTreeMap<String, Artefact>,
    skills_txt: bool,
    files: &mut Vec<SiteFile>,
) -> Result<()> {
    let root = output::directory(site)?;
    let mut place = root.try_clone().map_err(|source| Error::io("cannot open the site again", source))?;
    for name in PLACE {
        place = output::enter(&place, OsStr::new(name))?;
    }
    let old = OldIndex::read(&place)?;
    // Beside an older index all of it is ours; else only what is the same already, or empty, is written over.
    let may = May::ReplaceSmall(if old.found { MOST_TEXT } else { 0 });
    let mut published = Vec::new();
    for artefact in artefacts.values() {
        put(&place, &artefact.entry.url, &artefact.bytes, may, files)?;
        published.push(artefact.entry.url.clone());
        let own_skill_md = format!("{}/{SKILL_MD}", artefact.entry.name);
        if skills_txt && artefact.entry.url != own_skill_md {
            put(&place, &own_skill_md, &artefact.skill_md, may, files)?;
            published.push(own_skill_md);
        }
    }
    if skills_txt {
        let entries: Vec<_> = artefacts.values().map(|artefact| &artefact.entry).collect();
        let text = skills_txt::text(&entries);
        let saved = output::save_in(&root, OsStr::new(skills_txt::NAME), text.as_bytes(), may)?;
        files.push(SiteFile { path: skills_txt::NAME.to_owned(), state: saved.into() });
    }
    let index = index_json(artefacts)?;
    let saved = output::save_in(&place, OsStr::new(INDEX), index.as_bytes(), May::ReplaceSmall(MOST_TEXT))?;
    files.push(SiteFile { path: below(INDEX), state: saved.into() });
    old.remove_others(&place, &published, files)
}

/// Writes one artifact: `NAME.tar.gz`, `NAME.zip` or `NAME/SKILL.md`, by a name that has been checked.
fn put(place: &Directory, url: &str, bytes: &[u8], may: May, files: &mut Vec<SiteFile>) -> Result<()> {
    let about = |error: Error| match error.io_error() {
        // What stands there is named by its last component only.
        None => Error::with(error.code(), format!("{}: {}", escape(below(url).as_bytes()), error.detail()))
            .hint(error.help().to_owned()),
        Some(_) => error,
    };
    let saved = match url.split_once('/') {
        Some((directory, name)) => {
            let inner = output::enter(place, OsStr::new(directory))?;
            output::save_in(&inner, OsStr::new(name), bytes, may).map_err(about)?
        }
        None => output::save_in(place, OsStr::new(url), bytes, May::ReplaceArchive).map_err(about)?,
    };
    files.push(SiteFile { path: below(url), state: saved.into() });
    Ok(())
}

fn below(name: &str) -> String {
    format!("{}/{}/{name}", PLACE[0], PLACE[1])
}

fn index_json(artefacts: &BTreeMap<String, Artefact>) -> Result<String> {
    #[derive(Serialize)]
    struct Index<'a> {
        #[serde(rename = "$schema")]
        schema: &'static str,
        skills: Vec<&'a IndexEntry>,
    }

    let index = Index { schema: INDEX_SCHEMA, skills: artefacts.values().map(|artefact| &artefact.entry).collect() };
    let text = serde_json::to_string_pretty(&index);
    let mut text = text.map_err(|error| Error::with(Code::Internal, error.to_string()))?;
    text.push('\n');
    Ok(text)
}

impl From<Saved> for SiteFileState {
    fn from(saved: Saved) -> Self {
        match saved {
            Saved::Created => Self::Created,
            Saved::Replaced => Self::Replaced,
            Saved::Unchanged => Self::Unchanged,
        }
    }
}
