//! Extraction: the pass into staging, then the commit.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::options::{ReceiptPlace, ReceiptRequest};
use super::{Failure, Mode, Options, begin, run};
use crate::artifact::VerifiedArtifact;
use crate::error::{Code, Error, Result};
use crate::escape::Untrusted;
use crate::install::{Commit, Destination, Published, Staging};
#[cfg(feature = "plugin")]
use crate::layout::plugin::Plugin;
use crate::layout::{Content, SkillMd};
use crate::receipt::{Facts, Pending, Place, Receipt, Recorder};
use crate::report::Report;
use crate::sink::Sink;

/// A skill (or plugin) that was extracted: complete, at its destination.
#[derive(Debug, Clone)]
pub struct Skill {
    name: Untrusted,
    description: Untrusted,
    content: Content,
    path: PathBuf,
    replaced: bool,
    receipt: Option<Receipt>,
    report: Report,
}

impl Skill {
    /// Its name, as SKILL.md or plugin.json gives it; empty if the layout asked for none.
    #[must_use]
    pub fn name(&self) -> &Untrusted {
        &self.name
    }

    /// Its description, as SKILL.md or plugin.json gives it; empty if there is none.
    #[must_use]
    pub fn description(&self) -> &Untrusted {
        &self.description
    }

    /// Its SKILL.md; `None` if the layout asked for none.
    #[must_use]
    pub fn skill_md(&self) -> Option<&SkillMd> {
        if let Content::Skill(skill) = &self.content { Some(skill) } else { None }
    }

    /// The plugin, with the layout `plugin`.
    #[cfg(feature = "plugin")]
    #[must_use]
    pub fn plugin(&self) -> Option<&Plugin> {
        if let Content::Plugin(plugin) = &self.content { Some(plugin) } else { None }
    }

    /// Where it is: the path or name that the caller gave.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it took the place of an older skill.
    #[must_use]
    pub fn replaced(&self) -> bool {
        self.replaced
    }

    /// Its receipt, if one was asked for.
    #[must_use]
    pub fn receipt(&self) -> Option<&Receipt> {
        self.receipt.as_ref()
    }

    /// Everything that was seen and done.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The report, taken out.
    #[must_use]
    pub fn into_report(self) -> Report {
        self.report
    }
}

impl VerifiedArtifact {
    /// Extracts into `path`, which becomes the skill's own directory. Missing parents are made.
    ///
    /// All work happens in a private directory beside `path`; one rename publishes the complete tree. After an error
    /// nothing is left behind. An existing empty directory is taken; anything else is `dest-exists`, unless
    /// [`Options::replace`] exchanges an older skill. Links in the parents of `path` are followed, a link at `path`
    /// itself is `dest-is-symlink`.
    ///
    /// # Errors
    /// A [`Failure`]: the archive is refused, or the machine or the destination failed.
    pub fn extract(&self, path: impl AsRef<Path>, options: &Options) -> Result<Skill, Failure> {
        let path = path.as_ref();
        install(self, options, path, || Destination::open(path, options.replace))
    }

    /// As [`extract`](Self::extract), to one name in a directory that the caller holds open: no path is looked up.
    ///
    /// # Errors
    /// A [`Failure`], as for [`extract`](Self::extract); `usage` if `name` is not a single component.
    pub fn extract_in(
        &self,
        parent: &cap_std::fs::Dir,
        name: impl AsRef<OsStr>,
        options: &Options,
    ) -> Result<Skill, Failure> {
        let name = name.as_ref();
        install(self, options, Path::new(name), || Destination::within(parent, name, options.replace))
    }

    /// As [`extract`](Self::extract), into a directory below `parent` that is called what SKILL.md says.
    ///
    /// Only a name of the form that the specification wants is used as a path. With [`Options::replace`] the name must
    /// have been promised by [`Options::expect_name`]: what is replaced is not for the archive to choose.
    ///
    /// # Errors
    /// A [`Failure`], as for [`extract`](Self::extract); `usage` if there is no usable name.
    pub fn extract_by_name(&self, parent: impl AsRef<Path>, options: &Options) -> Result<Skill, Failure> {
        let parent = parent.as_ref();
        match (&options.expect_name, options.replace) {
            (Some(name), _) if crate::layout::is_valid_name(name) => self.extract(join(parent, name), options),
            (_, true) => {
                let error = Error::usage("only a promised, well-formed name may be replaced: set one, or give a path");
                Err(Failure::new(error, begin(self, options)))
            }
            (_, false) => install(self, options, parent, || Destination::deferred(parent)),
        }
    }
}

/// What can be extracted: an archive, or files that came alone.
pub(super) trait Input {
    /// A report of a run that has not begun.
    fn begin(&self, options: &Options) -> Report;

    /// The pass into a sink.
    fn run(&self, options: &Options, mode: Mode, sink: &mut dyn Sink, report: &mut Report) -> Result<Content>;
}

impl Input for VerifiedArtifact {
    fn begin(&self, options: &Options) -> Report {
        begin(self, options)
    }

    fn run(&self, options: &Options, mode: Mode, sink: &mut dyn Sink, report: &mut Report) -> Result<Content> {
        run(self, options, mode, sink, report)
    }
}

/// Stages, fills and publishes: complete, or not at all.
pub(super) fn install(
    input: &dyn Input,
    options: &Options,
    path: &Path,
    destination: impl FnOnce() -> Result<Destination>,
) -> Result<Skill, Failure> {
    let mut report = input.begin(options);
    match stage_and_commit(input, options, destination, &mut report) {
        Ok(Done { content, published, receipt }) => {
            let path =
                if path.file_name() == Some(&published.name) { path.to_owned() } else { join(path, &published.name) };
            report.output = Some(path.to_string_lossy().into_owned());
            Ok(Skill {
                name: content.name(),
                description: content.description(),
                content,
                path,
                replaced: published.replaced,
                receipt,
                report,
            })
        }
        Err(error) => Err(Failure::new(error, report)),
    }
}

fn stage_and_commit(
    input: &dyn Input,
    options: &Options,
    destination: impl FnOnce() -> Result<Destination>,
    report: &mut Report,
) -> Result<Done> {
    // Looked at before anything is made: a receipt that can go nowhere stops the run here.
    let place = options.receipt.as_ref().map(ReceiptRequest::place).transpose()?;
    let mut staging = destination()?.stage()?;
    if options.threads() > 1 {
        staging.allow_thread();
    }
    match fill(input, &mut staging, options, place.as_deref(), report) {
        Ok(Filled { content, name, receipt, pending }) => {
            let published = staging.commit(&Commit { fsync: options.fsync, name: name.as_deref() })?;
            if let (Some(pending), Some(request)) = (pending, &options.receipt) {
                pending.publish()?;
                report.receipt = Some(request.shown());
            }
            Ok(Done { content, published, receipt })
        }
        Err(error) => {
            // What could not be removed is swept by the next run; why the archive failed matters more.
            let _ = staging.discard();
            Err(error)
        }
    }
}

/// The pass into staging, and the receipt of what has come there.
fn fill<'p>(
    input: &dyn Input,
    staging: &mut Staging,
    options: &Options,
    place: Option<&'p Place>,
    report: &mut Report,
) -> Result<Filled<'p>> {
    let mut filled = Filled { content: Content::Any, name: None, receipt: None, pending: None };
    if let (Some(place), Some(request)) = (place, &options.receipt) {
        let mut recorder = Recorder::over(staging.sink());
        filled.content = input.run(options, Mode::First, &mut recorder, report)?;
        let receipt = recorder.finish(request.facts(report));
        filled.pending = Some(place.write(&receipt, options.fsync)?);
        filled.receipt = Some(receipt);
    } else {
        filled.content = input.run(options, Mode::First, staging.sink(), report)?;
    }
    if options.cancel.is_cancelled() {
        return Err(Error::new(Code::Cancelled));
    }
    filled.name = filled.content.directory();
    if staging.needs_name() && filled.name.is_none() {
        let unusable = |content: &Content| format!("the name `{}` cannot be used as a directory", content.name());
        let detail = match &filled.content {
            Content::Any => "there is no skill name to use as a directory".to_owned(),
            #[cfg(feature = "plugin")]
            Content::Plugin(_) => unusable(&filled.content),
            Content::Skill(_) => unusable(&filled.content),
        };
        return Err(Error::with(Code::Usage, detail).hint("name the directory: --output DIR"));
    }
    Ok(filled)
}

/// A tree that was published.
struct Done {
    content: Content,
    published: Published,
    receipt: Option<Receipt>,
}

/// A tree that waits in staging.
struct Filled<'p> {
    content: Content,
    /// Its name, if it may be used as a path.
    name: Option<String>,
    receipt: Option<Receipt>,
    pending: Option<Pending<'p>>,
}

impl ReceiptRequest {
    fn place(&self) -> Result<Arc<Place>> {
        match &self.place {
            ReceiptPlace::Path(path) => Place::at(path).map(Arc::new),
            #[cfg(feature = "discovery")]
            ReceiptPlace::Store { place, .. } => Ok(Arc::clone(place)),
        }
    }

    fn shown(&self) -> String {
        match &self.place {
            ReceiptPlace::Path(path) => path.to_string_lossy().into_owned(),
            #[cfg(feature = "discovery")]
            ReceiptPlace::Store { path, .. } => path.to_string_lossy().into_owned(),
        }
    }

    /// What the receipt says besides the files.
    fn facts(&self, report: &Report) -> Facts {
        let artifact = &report.artifact;
        let skill = report.skill.as_ref();
        let manifest = report.plugin.as_ref().map(|plugin| &plugin.manifest);
        Facts {
            name: skill.map(|skill| skill.name.clone()).or_else(|| manifest.map(|manifest| manifest.name.clone())),
            description: skill
                .map(|skill| skill.description.clone())
                .or_else(|| manifest.and_then(|manifest| manifest.description.clone())),
            index: self.index.clone(),
            url: artifact.source.clone(),
            digest: artifact.sha256.as_deref().and_then(|digest| digest.parse().ok()),
            verified: artifact.verified,
            format: artifact.format.unwrap_or_default().to_owned(),
        }
    }
}

/// `./x` is `x`: the shorter one is what people type.
fn join(parent: &Path, name: impl AsRef<Path>) -> PathBuf {
    if parent == Path::new(".") { name.as_ref().to_owned() } else { parent.join(name) }
}
