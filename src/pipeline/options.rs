//! What a caller may choose, with defaults that need no choice.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use crate::cancel::Cancel;
use crate::error::{Class, Code};
use crate::layout::Layout;
use crate::limits::Limits;
use crate::policy::Links;
#[cfg(feature = "discovery")]
use crate::receipt::Place;

/// How an artifact is judged and extracted. The default is the strict one.
///
/// ```
/// use skillx_archive::{Layout, Links, Options};
/// let options = Options::default().layout(Layout::Any).links(Links::Deny).fsync(true);
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Options {
    pub(crate) layout: Layout,
    pub(crate) links: Links,
    pub(crate) limits: Limits,
    pub(crate) expect_name: Option<String>,
    pub(crate) deny: Deny,
    pub(crate) strip_root: bool,
    pub(crate) replace: bool,
    pub(crate) fsync: bool,
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) cancel: Cancel,
    pub(crate) progress: Option<OnProgress>,
    pub(crate) receipt: Option<ReceiptRequest>,
    /// The skill was listed by Web Skills: its own keys are known, and shown.
    pub(crate) web: bool,
    /// The name of the directory that is checked in place of an archive.
    pub(crate) directory_name: Option<String>,
}

/// Findings that refuse.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Deny {
    All,
    #[default]
    None,
    These(Vec<Code>),
}

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Members seen.
    pub entries: u64,
    /// Bytes out of the inflater.
    pub unpacked: u64,
}

/// A receipt is to be written.
#[derive(Debug, Clone)]
pub(crate) struct ReceiptRequest {
    pub(crate) place: ReceiptPlace,
    /// The index that led here.
    pub(crate) index: Option<String>,
}

/// Where it goes.
#[derive(Debug, Clone)]
pub(crate) enum ReceiptPlace {
    /// The caller's own path.
    Path(PathBuf),
    /// `DIR/.skillx/NAME.json`, held open; `path` is for people.
    #[cfg(feature = "discovery")]
    Store { place: Arc<Place>, path: PathBuf },
}

#[derive(Clone)]
pub(crate) struct OnProgress(Arc<dyn Fn(Progress) + Send + Sync>);

impl Options {
    /// What must be in the archive. **Default: [`Layout::Skill`].**
    #[must_use]
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// What happens to links inside the skill. **Default: [`Links::Keep`].**
    #[must_use]
    pub fn links(mut self, links: Links) -> Self {
        self.links = links;
        self
    }

    /// What the run may cost. **Default: [`Limits::default`].**
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The name that the index promised; another one in SKILL.md is `skill-name-mismatch`. **Default: any name.**
    #[must_use]
    pub fn expect_name(mut self, name: impl Into<String>) -> Self {
        self.expect_name = Some(name.into());
        self
    }

    /// The skill was listed by Web Skills, or not.
    #[cfg(feature = "discovery")]
    pub(crate) fn web(mut self, web: bool) -> Self {
        self.web = web;
        self
    }

    /// Makes a finding a refusal; codes that are no findings change nothing. **Default: findings never refuse.**
    #[must_use]
    pub fn deny(mut self, code: Code) -> Self {
        match &mut self.deny {
            Deny::All => {}
            Deny::None => self.deny = Deny::These(vec![code]),
            Deny::These(codes) => codes.push(code),
        }
        self
    }

    /// Makes every finding a refusal.
    #[must_use]
    pub fn deny_all(mut self) -> Self {
        self.deny = Deny::All;
        self
    }

    /// Takes a wrapper directory away; a flat archive passes unchanged. **Default: a wrapper is refused.**
    #[must_use]
    pub fn strip_root(mut self, strip: bool) -> Self {
        self.strip_root = strip;
        self
    }

    /// Exchanges an older skill at the destination for this one, as a whole, in one step. **Default: `dest-exists`.**
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Self {
        self.replace = replace;
        self
    }

    /// Makes the tree durable before and after it is published (one `syncfs`, then the parent). **Default: no.**
    #[must_use]
    pub fn fsync(mut self, fsync: bool) -> Self {
        self.fsync = fsync;
        self
    }

    /// Most threads that one run uses. **Default: 3, or 1 on a machine with one processor.** Small archives use one
    /// anyway; the result is the same with any number. The second one writes, the third one inflates ahead (`.tar.gz`).
    #[must_use]
    pub fn most_threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = Some(threads);
        self
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads.map_or(3, NonZeroUsize::get)
    }

    /// Writes a receipt of every file to this path; one that is there is replaced. See [`Receipt`](crate::Receipt).
    /// **Default: none.**
    ///
    /// It is written before the tree is published, under another name, and gets its own after. `check` writes none.
    #[must_use]
    pub fn receipt(mut self, path: impl Into<PathBuf>) -> Self {
        self.receipt = Some(ReceiptRequest { place: ReceiptPlace::Path(path.into()), index: None });
        self
    }

    /// A flag by which another thread stops the run.
    #[must_use]
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Called often (every block of data, every member) on the thread that runs: return quickly.
    #[must_use]
    pub fn on_progress(mut self, report: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.progress = Some(OnProgress(Arc::new(report)));
        self
    }

    pub(crate) fn tell(&self, progress: Progress) {
        if let Some(OnProgress(report)) = &self.progress {
            report(progress);
        }
    }
}

impl Deny {
    pub(crate) fn contains(&self, code: Code) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::These(codes) => codes.contains(&code),
        }
    }

    /// The names of the denied findings.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        match self {
            Self::All => vec!["all"],
            Self::None => Vec::new(),
            Self::These(codes) => {
                codes.iter().filter(|code| code.class() == Class::Finding).map(|code| code.as_str()).collect()
            }
        }
    }
}

impl fmt::Debug for OnProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnProgress")
    }
}
