//! One skill of a site: what is there already, the download, and what takes its place.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use super::Site;
use super::artifact::{complete, is_web};
use super::index::Listing;
use super::install::Plan;
use super::report::{SkillOutcome, Status};
use super::update::Update;
use crate::confine::{Directory, Kind};
use crate::digest::Digest;
use crate::discovery::{Entry, Offer, Outcome};
use crate::error::{Class, Code, Error, Result};
use crate::escape::{Escaped, Untrusted, escape};
use crate::fetch::Url;
use crate::pipeline::{Options, ReceiptPlace, ReceiptRequest};
use crate::receipt::{Receipt, Store};
use crate::report::Finding;

/// Characters of a descriptor that are shown.
const MOST_SHOWN: usize = 4000;

/// Where skills go.
pub(super) struct Target<'t> {
    pub(super) directory: &'t Directory,
    pub(super) store: &'t Store,
    pub(super) plan: &'t Plan,
}

/// What stands under a skill's name.
enum Before {
    /// Nothing, or an empty directory.
    Nothing,
    /// A skill with this digest, as it was installed.
    Same,
    /// Another version, or one that may be overwritten; its receipt, if there is one.
    Other(Option<Box<Receipt>>),
}

impl SkillOutcome {
    pub(super) fn of(entry: &Entry) -> Self {
        let raw = |text: Option<&Untrusted>| text.map(|text| text.as_raw().to_owned());
        let (url, digest) = match entry.offer() {
            Ok(Offer::Archive { url, digest } | Offer::SkillMd { url, digest }) => {
                (Some(url.as_str().to_owned()), Some(digest.to_string()))
            }
            _ => (raw(entry.reference()), None),
        };
        Self {
            name: raw(entry.name()),
            status: Status::Untouched,
            kind: raw(entry.kind()),
            url,
            digest,
            output: None,
            update: None,
            report: None,
            findings: entry.findings().to_vec(),
            error: None,
        }
    }

    /// A name that the index does not have.
    pub(super) fn missing(name: &str) -> Self {
        let shown = escape(name.as_bytes());
        let error = Error::with(Code::NoArtifact, format!("the index has no skill `{shown}`"));
        Self {
            name: Some(name.to_owned()),
            status: Status::Refused,
            kind: None,
            url: None,
            digest: None,
            output: None,
            update: None,
            report: None,
            findings: Vec::new(),
            error: Some(error),
        }
    }

    pub(super) fn fail(&mut self, error: Error) {
        self.status = if error.class() == Class::Refused { Status::Refused } else { Status::Failed };
        self.error = Some(error);
    }
}

impl Site<'_> {
    /// Installs what one entry offers, or leaves everything as it is.
    pub(super) fn install_entry(&self, listing: &Listing, entry: &Entry, target: &Target<'_>) -> SkillOutcome {
        let mut outcome = SkillOutcome::of(entry);
        match entry.outcome() {
            Outcome::Skipped(error) => {
                outcome.status = Status::Skipped;
                outcome.error = Some(error.clone());
            }
            Outcome::Refused(error) => outcome.fail(self.with_descriptor(listing, entry, error)),
            Outcome::Usable(offer) => {
                if let Err(error) = self.install_offer(listing, entry, offer, target, &mut outcome) {
                    outcome.fail(error);
                }
            }
        }
        outcome
    }

    /// What a service is, in place of what cannot be installed.
    fn with_descriptor(&self, listing: &Listing, entry: &Entry, error: &Error) -> Error {
        if error.code() != Code::NoArtifact {
            return error.clone();
        }
        let Some(Ok(address)) = entry.reference().map(|url| url.as_raw().parse::<Url>()) else { return error.clone() };
        match self.descriptor(&address, listing.rules()) {
            Ok(descriptor) if entry.name().zip(descriptor.id()).is_some_and(|(listed, own)| listed != own) => {
                let (listed, own) = (entry.name().map(ToString::to_string), descriptor.id().map(ToString::to_string));
                let (listed, own) = (listed.unwrap_or_default(), own.unwrap_or_default());
                let detail = format!("the descriptor at `{address}` is that of `{own}`, not of `{listed}`");
                Error::with(Code::IndexEntryInvalid, detail)
                    .hint("publisher: let descriptor_url lead to the descriptor of the skill that is listed")
            }
            Ok(descriptor) => {
                let text: String = descriptor.text().chars().take(MOST_SHOWN).collect();
                error.clone().hint(format!("use the service as its descriptor says: {}", Escaped::of(text.as_bytes())))
            }
            Err(fault) => error.clone().hint(format!("its descriptor cannot be shown: {fault}")),
        }
    }

    fn install_offer(
        &self,
        listing: &Listing,
        entry: &Entry,
        offer: &Offer,
        target: &Target<'_>,
        outcome: &mut SkillOutcome,
    ) -> Result<()> {
        let Target { directory, store, plan } = target;
        // The reader of indexes lets no other name through.
        let name = entry.name().map(Untrusted::as_raw).unwrap_or_default();
        let output = if plan.directory.as_os_str() == "." { PathBuf::from(name) } else { plan.directory.join(name) };
        let output = output.to_string_lossy().into_owned();
        listing.check_offer(offer)?;
        let promised = match offer {
            Offer::Archive { digest, .. } | Offer::SkillMd { digest, .. } => Some(*digest),
            _ => None,
        };
        let before = look(name, promised, listing, target)?;
        if matches!(before, Before::Same) {
            (outcome.status, outcome.output) = (Status::Unchanged, Some(output));
            return Ok(());
        }
        let fetched = self.fetch(listing, entry, &plan.options.limits, plan.allow_unverified, &mut None)?;
        // Edits that were made while the download ran are somebody's work as well.
        let before = look(name, promised, listing, target)?;
        let replace = matches!(before, Before::Other(_) | Before::Same);
        let request = ReceiptRequest {
            place: ReceiptPlace::Store {
                place: Arc::new(store.place(OsStr::new(name))?),
                path: plan.directory.join(".skillx").join(format!("{name}.json")),
            },
            index: Some(listing.requested().as_str().to_owned()),
        };
        let mut options: Options =
            plan.options.clone().web(is_web(entry)).expect_name(name).replace(replace).cancel(&self.cancel);
        options.receipt = Some(request);
        let skill = match fetched.extract_in(directory, name, &options) {
            Ok(skill) => skill,
            Err(failure) => {
                let error = failure.error().clone();
                outcome.report = Some(Box::new(complete(failure.into_report())));
                return Err(error);
            }
        };
        if let (Before::Other(old), Some(new)) = (&before, skill.receipt()) {
            outcome.update = Some(Update::between(old.as_deref(), new));
        }
        outcome.status = if skill.replaced() { Status::Updated } else { Status::Installed };
        outcome.output = Some(output.clone());
        let published = entry.description().map(Untrusted::as_raw).unwrap_or_default();
        if published.trim() != skill.description().as_raw().trim() {
            let text = format!("the index describes `{name}` with another text than its SKILL.md");
            outcome.findings.push(Finding::new(Code::IndexDescriptionDiffers, None, text));
        }
        let mut report = complete(skill.into_report());
        report.output = Some(output);
        outcome.report = Some(Box::new(report));
        Ok(())
    }
}

/// What stands under a name, and whether it may be replaced.
fn look(name: &str, promised: Option<Digest>, listing: &Listing, target: &Target<'_>) -> Result<Before> {
    let Target { directory, store, plan } = target;
    let found = match directory.metadata(name) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Before::Nothing),
        Err(error) => return Err(Error::io(format!("looking at `{name}`"), error)),
    };
    let in_the_way = |code, what: &str| {
        Err(Error::with(code, format!("`{name}` in the directory of skills is {what}"))
            .hint("move it away, or choose another directory: -d DIR"))
    };
    match found.kind {
        Kind::Directory => {}
        Kind::Symlink => return in_the_way(Code::DestIsSymlink, "a symbolic link"),
        Kind::File | Kind::Other => return in_the_way(Code::DestExists, "no directory"),
    }
    let opening = |error| Error::io(format!("opening `{name}`"), error);
    let tree = directory.open_dir_readable(name).map_err(opening)?;
    if tree.is_empty().map_err(opening)? {
        return Ok(Before::Nothing);
    }
    let receipt = match store.recover(OsStr::new(name), Some(&tree)) {
        Err(error) if plan.force && error.code() == Code::ReceiptInvalid => None,
        receipt => receipt?,
    };
    let Some(receipt) = receipt else {
        if plan.force {
            return Ok(Before::Other(None));
        }
        let detail = format!("`{name}` is there already and has no receipt: it was not installed by skillx");
        return Err(Error::with(Code::DestExists, detail).hint("look at it; --force replaces it"));
    };
    if plan.force {
        let is_same = promised.is_some() && receipt.digest() == promised && receipt.verify_in(&tree)?.is_unchanged();
        return Ok(if is_same { Before::Same } else { Before::Other(Some(Box::new(receipt))) });
    }
    let came_from = receipt.index().and_then(|address| address.parse::<Url>().ok());
    if !came_from.is_some_and(|index| index.same_origin(listing.requested())) {
        let from = receipt.index().or(receipt.url()).unwrap_or("an unknown place");
        let detail = format!("`{name}` is there already and came from `{}`", escape(from.as_bytes()));
        return Err(Error::with(Code::DestExists, detail)
            .hint("two sites have a skill of this name; --force replaces the one by the other"));
    }
    let drift = receipt.verify_in(&tree)?;
    if !drift.is_unchanged() {
        let count = drift.changes.len();
        let (more, s) = (if drift.truncated { "more than " } else { "" }, if count == 1 { "" } else { "s" });
        let detail = format!("`{name}` has been changed since it was installed: {more}{count} change{s}");
        return Err(Error::with(Code::LocalEdits, detail));
    }
    let is_same = promised.is_some() && receipt.digest() == promised;
    Ok(if is_same { Before::Same } else { Before::Other(Some(Box::new(receipt))) })
}
