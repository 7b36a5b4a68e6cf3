//! Several skills of a site: chosen, checked against the lock file, installed side by side.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Site;
use super::index::Listing;
use super::lock::{self, Lock, Pin};
use super::report::{InstallReport, SkillOutcome, Status};
use super::skill::Target;
use crate::discovery::{Entry, Offer};
use crate::error::{Code, Error, Result};
use crate::escape::escape;
use crate::install::Home;
use crate::pipeline::Options;
use crate::receipt::Store;
use crate::report::Finding;

/// Skills that are downloaded at a time.
const SIDE_BY_SIDE: usize = 4;

/// Which skills are installed, where, and under which rules.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Plan {
    /// The skills, by name.
    pub names: Vec<String>,
    /// All skills of the index.
    pub all: bool,
    /// The directory of skills; made if it is missing.
    pub directory: PathBuf,
    /// Install exactly what `skillx.lock` in the directory pins, or nothing. Without names: everything that it pins of this
    /// index.
    pub locked: bool,
    /// Overwrite local edits, skills of other sites, and skills without a receipt.
    pub force: bool,
    /// Take files of version 0.1.0, which have no digests.
    pub allow_unverified: bool,
    /// Skills that are downloaded at a time. **Default 4.**
    pub jobs: NonZeroUsize,
    /// How each artifact is judged and extracted.
    pub options: Options,
}

impl Plan {
    /// Into this directory.
    #[must_use]
    pub fn new(directory: impl AsRef<Path>) -> Self {
        Self {
            names: Vec::new(),
            all: false,
            directory: directory.as_ref().to_owned(),
            locked: false,
            force: false,
            allow_unverified: false,
            jobs: NonZeroUsize::new(SIDE_BY_SIDE).unwrap_or(NonZeroUsize::MIN),
            options: Options::default(),
        }
    }
}

/// Something that is to be installed.
enum Wanted<'l> {
    Entry(&'l Entry),
    Missing(String),
}

impl Site<'_> {
    /// Installs skills of an index. Each is judged and published alone: one failure stops no other. A skill that is there with
    /// the promised digest is not downloaded again. The lock file then pins what is installed.
    ///
    /// The report says what came of each; its error is the worst that happened.
    #[must_use]
    pub fn install(&self, listing: &Listing, plan: &Plan) -> InstallReport {
        let mut report = InstallReport::begin(&plan.directory);
        report.index = Some(listing.source());
        report.findings = listing.report(true).findings;
        if let Err(error) = self.install_all(listing, plan, &mut report) {
            report.decide(error);
        }
        report.settle();
        report
    }

    fn install_all(&self, listing: &Listing, plan: &Plan, report: &mut InstallReport) -> Result<()> {
        let mut home = Home::make(&plan.directory)?;
        let store = Store::make(home.directory())?;
        store.lock(home.directory())?;
        let outcome = self.install_into(&home, &store, listing, plan, report);
        store.tidy(home.directory());
        if report.skills.iter().any(|skill| skill.output.is_some()) {
            home.keep();
        }
        outcome
    }

    fn install_into(
        &self,
        home: &Home,
        store: &Store,
        listing: &Listing,
        plan: &Plan,
        report: &mut InstallReport,
    ) -> Result<()> {
        let directory = home.directory();
        let lock = Lock::read(directory)?;
        let pinned_listing = lock.as_ref().filter(|_| plan.locked).map(|lock| with_pins(listing, lock));
        let listing = pinned_listing.as_ref().unwrap_or(listing);
        let wanted = choose(listing, plan, lock.as_ref())?;
        if plan.locked && !compare(&wanted, lock.as_ref(), listing, report) {
            return Ok(());
        }
        report.skills = self.side_by_side(listing, &wanted, &Target { directory, store, plan });
        let mut pinned = lock.clone().unwrap_or_default();
        for skill in &mut report.skills {
            let Some((name, pin)) = pin(skill, listing).map(|(name, pin)| (name.to_owned(), pin)) else { continue };
            if let Some(old) = lock.as_ref().and_then(|lock| lock.get(&name)).filter(|old| old.digest != pin.digest) {
                let text = format!("`{}` pinned `{name}` to {}, it pins {} now", lock::NAME, old.digest, pin.digest);
                skill.findings.push(Finding::new(Code::LockChanged, None, text));
            }
            pinned.set(&name, pin);
        }
        if !plan.locked && pinned != lock.clone().unwrap_or_default() {
            pinned.write(directory)?;
        }
        if lock.is_some() || pinned != Lock::default() {
            report.lock = Some(plan.directory.join(lock::NAME).to_string_lossy().into_owned());
        }
        Ok(())
    }

    fn side_by_side(&self, listing: &Listing, wanted: &[Wanted<'_>], target: &Target<'_>) -> Vec<SkillOutcome> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(wanted.len()));
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(one) = wanted.get(index) else { return };
                let outcome = match one {
                    Wanted::Entry(entry) => self.install_entry(listing, entry, target),
                    Wanted::Missing(name) => SkillOutcome::missing(name),
                };
                done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, outcome));
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..target.plan.jobs.get().min(wanted.len()).max(1) {
                // Without a thread to be had, this one does the work.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        done.sort_by_key(|(index, _)| *index);
        done.into_iter().map(|(_, outcome)| outcome).collect()
    }
}

/// The entries that are meant.
fn choose<'l>(listing: &'l Listing, plan: &Plan, lock: Option<&Lock>) -> Result<Vec<Wanted<'l>>> {
    let entries = listing.index().entries();
    let mut names = plan.names.clone();
    if plan.locked && (plan.all || names.is_empty()) {
        let lock = lock.ok_or_else(|| no_lock(&entries.iter().collect::<Vec<_>>()))?;
        let pinned = lock.names_of(listing.requested().as_str());
        if pinned.is_empty() && names.is_empty() && !plan.all {
            let detail = format!("`{}` pins no skill of `{}`", lock::NAME, listing.requested());
            return Err(Error::with(Code::LockMismatch, detail));
        }
        names.extend(pinned);
    }
    if plan.all {
        // What the lock pins and the index does not have any more is missing.
        let known = |name: &str| entries.iter().any(|entry| is_called(entry, name));
        let missing = names.iter().filter(|name| !known(name)).cloned().map(Wanted::Missing);
        return Ok(entries.iter().map(Wanted::Entry).chain(missing).collect());
    }
    if names.is_empty() {
        return Err(Error::usage("name the skills to be installed, or say --all"));
    }
    let mut wanted = Vec::new();
    for (index, name) in names.iter().enumerate() {
        if names.iter().take(index).any(|before| before == name) {
            continue;
        }
        let before = wanted.len();
        wanted.extend(entries.iter().filter(|entry| is_called(entry, name)).map(Wanted::Entry));
        if wanted.len() == before {
            wanted.push(Wanted::Missing(name.clone()));
        }
    }
    Ok(wanted)
}

fn is_called(entry: &Entry, name: &str) -> bool {
    entry.name().is_some_and(|found| found.as_raw() == name)
}

/// What the lock pins is promised by it, where the index promises nothing.
fn with_pins(listing: &Listing, lock: &Lock) -> Listing {
    let mut listing = listing.clone();
    let unproven = |entry: &&Entry| entry.offer().is_ok_and(Offer::is_unproven);
    let names = listing.index().entries().iter().filter(unproven).filter_map(Entry::name);
    let pins: Vec<_> =
        names.filter_map(|name| Some((name.as_raw().to_owned(), lock.get(name.as_raw())?.digest))).collect();
    for (name, digest) in pins {
        // What is no single file stays without a digest, and is told below.
        let _ = listing.promise(&name, digest);
    }
    listing
}

fn no_lock(entries: &[&Entry]) -> Error {
    let error = Error::with(Code::LockMismatch, format!("there is no `{}`: nothing is pinned", lock::NAME));
    if entries.iter().any(|entry| entry.offer().is_ok_and(|offer| !offer.is_unproven())) {
        error.hint("install once without --locked; that writes the lock")
    } else {
        unpinnable(error, entries)
    }
}

/// Without a digest nothing is pinned, however often it is installed.
fn unpinnable(error: Error, entries: &[&Entry]) -> Error {
    let is_one_file = |offer: &Offer| match offer {
        Offer::Files(files) => files.len() == 1,
        offer => offer.is_unproven(),
    };
    if entries.iter().any(|entry| entry.offer().is_ok_and(is_one_file)) {
        error.hint(
            "the index gives no digest, so that only one of your own can be pinned: install NAME once with --digest, and then --locked",
        )
    } else if entries.iter().any(|entry| entry.offer().is_ok_and(Offer::is_unproven)) {
        error.hint("publisher: publish version 0.2.0; several files without digests cannot be pinned, and so not be installed with --locked")
    } else {
        error
    }
}

/// Whether the index offers exactly what the lock pins. If not, the report says where they differ, and nothing is done.
fn compare(wanted: &[Wanted<'_>], lock: Option<&Lock>, listing: &Listing, report: &mut InstallReport) -> bool {
    let mut agrees = true;
    for one in wanted {
        let mut outcome = match one {
            Wanted::Entry(entry) => SkillOutcome::of(entry),
            Wanted::Missing(name) => SkillOutcome::missing(name),
        };
        let name = outcome.name.clone().unwrap_or_default();
        let shown = escape(name.as_bytes()).to_string();
        let offered = pin(&outcome, listing);
        let mismatch = |what: String| Error::with(Code::LockMismatch, what);
        let fault = match (one, lock.and_then(|lock| lock.get(&name)), offered) {
            (Wanted::Entry(entry), None, None) if entry.offer().is_err() => None,
            (one, None, _) => Some(match (lock, one) {
                (None, Wanted::Entry(entry)) => no_lock(&[entry]),
                (None, Wanted::Missing(_)) => no_lock(&[]),
                (Some(_), one) => {
                    let error = mismatch(format!("`{shown}` is not pinned by `{}`", lock::NAME));
                    match one {
                        Wanted::Entry(entry) => unpinnable(error, &[entry]),
                        Wanted::Missing(_) => error,
                    }
                }
            }),
            (_, Some(pinned), None) => {
                Some(mismatch(format!("`{shown}` is pinned to {}, the index offers nothing like it", pinned.digest)))
            }
            (_, Some(pinned), Some((_, offered))) => {
                let is_same = pinned.digest == offered.digest && pinned.kind == offered.kind;
                (!is_same).then(|| {
                    mismatch(format!(
                        "`{shown}` is pinned to the {} {}, the index offers the {} {}",
                        escape(pinned.kind.as_bytes()),
                        pinned.digest,
                        escape(offered.kind.as_bytes()),
                        offered.digest
                    ))
                })
            }
        };
        if let Some(fault) = fault {
            agrees = false;
            outcome.fail(fault);
        }
        report.skills.push(outcome);
    }
    agrees
}

/// What the lock says of a skill that is there, or is offered.
fn pin<'o>(skill: &'o SkillOutcome, listing: &Listing) -> Option<(&'o str, Pin)> {
    let is_there = matches!(skill.status, Status::Installed | Status::Updated | Status::Unchanged | Status::Untouched);
    let (name, url, kind) = (skill.name.as_deref()?, skill.url.clone()?, skill.kind.clone()?);
    let digest = skill.digest.as_deref()?.parse().ok()?;
    let index = listing.requested().as_str().to_owned();
    is_there.then_some((name, Pin { index, url, kind, digest }))
}
