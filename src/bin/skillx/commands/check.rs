//! `skillx check`: every check on many inputs, in parallel, results in input order; one fault ends only its own input.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};

use skillx_archive::fetch::Url;
use skillx_archive::site::{AuditReport, Site, parse_address};
use skillx_archive::{Cancel, Code, Error, Options, Report, check_directory};

use super::Outcome;
use crate::args::{Check, parse_digest};
use crate::digests::Sums;
use crate::input::{self, Promise, Run};
use crate::network::{self, Network};
use crate::progress;
use crate::render::Output;

pub(crate) fn run(command: &Check, output: &Output) -> Outcome {
    match Batch::prepare(command, output) {
        Ok(batch) => batch.run(),
        Err(error) => {
            output.plain_error(&error);
            Outcome::of(Some(&error))
        }
    }
}

/// What all inputs share.
struct Batch<'c> {
    command: &'c Check,
    output: &'c Output,
    options: Options,
    inputs: Vec<PathBuf>,
    given: Option<Promise>,
    sums: Option<Sums>,
}

/// Where the workers are. At most `jobs` inputs are begun and not yet printed, so that is what bounds the memory.
#[derive(Default)]
struct Progress {
    begun: usize,
    printed: usize,
    done: BTreeMap<usize, Answer>,
}

/// What is said of one input.
enum Answer {
    Archive(Box<Report>),
    Site(Box<AuditReport>),
}

impl<'c> Batch<'c> {
    fn prepare(command: &'c Check, output: &'c Output) -> Result<Self, Error> {
        let mut inputs = command.inputs.clone();
        if let Some(list) = &command.files_from {
            inputs.extend(read_list(list, command.null)?);
        }
        let from_stdin = inputs.iter().filter(|input| is_stdin(input)).count();
        let list_from_stdin = command.files_from.as_deref().is_some_and(is_stdin);
        if from_stdin + usize::from(list_from_stdin) > 1 {
            return Err(Error::usage("standard input (-) can be read only once"));
        }
        if inputs.is_empty() && command.files_from.is_none() {
            return Err(Error::usage("name at least one archive or directory, or give --files-from"));
        }
        if command.digest.is_some() && inputs.len() > 1 {
            return Err(Error::usage("--digest is for one input; give --digests for several"));
        }
        let mut options = command.shared.options()?;
        if inputs.len() == 1 {
            options = progress::show(options, output);
        }
        let given = command.digest.as_deref().map(parse_digest).transpose()?;
        let given = given.map(|digest| Promise { digest, source: "flag" });
        let sums = command.digests.as_deref().map(Sums::open).transpose()?;
        Ok(Self { command, output, options, inputs, given, sums })
    }

    fn run(&self) -> Outcome {
        let jobs = usize::try_from(self.command.jobs.get()).unwrap_or(usize::MAX).min(self.inputs.len()).max(1);
        let (progress, changed) = (Mutex::new(Progress::default()), Condvar::new());
        let mut outcome = Outcome::Accepted;
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| self.work(jobs, &progress, &changed));
            }
            for index in 0..self.inputs.len() {
                let mut state = lock(&progress);
                let report = loop {
                    if let Some(report) = state.done.remove(&index) {
                        break report;
                    }
                    state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                };
                drop(state);
                progress::clear(self.output);
                outcome = outcome.worst(match &report {
                    Answer::Archive(report) => {
                        self.output.report(report, "");
                        Outcome::of_report(report)
                    }
                    Answer::Site(audit) => {
                        self.output.audit(audit);
                        Outcome::of(audit.error.as_ref())
                    }
                });
                drop(report);
                lock(&progress).printed = index + 1;
                changed.notify_all();
            }
        });
        outcome
    }

    fn work(&self, jobs: usize, progress: &Mutex<Progress>, changed: &Condvar) {
        loop {
            let mut state = lock(progress);
            while state.begun < self.inputs.len() && state.begun >= state.printed.saturating_add(jobs) {
                state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let index = state.begun;
            let Some(input) = self.inputs.get(index) else { return };
            state.begun += 1;
            drop(state);
            let judged = catch_unwind(AssertUnwindSafe(|| self.answer(input)));
            let report = judged.unwrap_or_else(|_| Answer::Archive(Box::new(self.panicked(input))));
            lock(progress).done.insert(index, report);
            changed.notify_all();
        }
    }

    fn answer(&self, input: &Path) -> Answer {
        match network::address(input) {
            Some(Ok(url)) if self.given.is_none() && is_site(&url) => Answer::Site(Box::new(self.audit(&url))),
            _ => Answer::Archive(Box::new(self.judge(input))),
        }
    }

    /// The index and every artifact of a site, downloaded and judged.
    fn audit(&self, url: &Url) -> AuditReport {
        let audit = || {
            let shared = &self.command.shared;
            let network = Network::new(&shared.network)?;
            let site = Site::new(&*network.fetch, network.rules.clone());
            let listing = site.index(&parse_address(url.as_str())?)?;
            let jobs = usize::try_from(self.command.jobs.get()).ok().and_then(NonZeroUsize::new);
            let jobs = jobs.unwrap_or(NonZeroUsize::MIN);
            Ok(site.audit(&listing, &self.options, shared.allow_unverified, jobs))
        };
        audit().unwrap_or_else(AuditReport::failed)
    }

    fn judge(&self, input: &Path) -> Report {
        #[cfg(debug_assertions)]
        panic_on_demand(input);
        let mut known = self.blank(input);
        match self.check(input, &mut known) {
            Ok(report) => input::complete(report, &known),
            Err(error) => {
                known.decide(error);
                known
            }
        }
    }

    fn check(&self, input: &Path, known: &mut Report) -> Result<Report, Error> {
        if !is_stdin(input) && input.is_dir() {
            return check_directory(input, &self.options);
        }
        let given = match &self.sums {
            Some(sums) => sums.get(input)?.map(|digest| Promise { digest, source: "flag" }),
            None => self.given,
        };
        let run = Run { cancel: &Cancel::new(), output: self.output };
        let artifact = input::load(input, given, &self.command.shared, run, known)?;
        Ok(artifact.check(&self.options))
    }

    fn blank(&self, input: &Path) -> Report {
        let mut report = self.options.blank_report();
        report.artifact.source = Some(input.to_string_lossy().into_owned());
        report
    }

    fn panicked(&self, input: &Path) -> Report {
        let mut report = self.blank(input);
        report.decide(Error::of(Code::Internal, "skillx stopped unexpectedly on this input; see the message above"));
        report
    }
}

/// A site rather than an archive: an origin, or the address of a JSON file.
fn is_site(url: &Url) -> bool {
    url.path() == "/" || url.last_component().to_ascii_lowercase().ends_with(".json")
}

fn lock(progress: &Mutex<Progress>) -> std::sync::MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The seam by which a test shows that a panic in one input does not end the run. Not in release builds.
#[cfg(debug_assertions)]
#[allow(clippy::panic, clippy::manual_assert)]
fn panic_on_demand(input: &Path) {
    if std::env::var_os("SKILLX_TEST_PANIC").is_some_and(|name| input.as_os_str() == name) {
        panic!("asked for by SKILLX_TEST_PANIC, on \x1b[31m");
    }
}

// The caller's own list.
#[allow(clippy::disallowed_methods)]
fn read_list(list: &Path, null: bool) -> Result<Vec<PathBuf>, Error> {
    let mut bytes = Vec::new();
    let outcome = if is_stdin(list) {
        std::io::stdin().lock().read_to_end(&mut bytes)
    } else {
        File::open(list).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    outcome.map_err(|error| Error::usage(format!("cannot read the list `{}`: {error}", list.display())))?;
    let separator = if null { 0 } else { b'\n' };
    let lines = bytes.split(|byte| *byte == separator);
    let lines = lines.map(|line| if null { line } else { line.strip_suffix(b"\r").unwrap_or(line) });
    Ok(lines.filter(|line| !line.is_empty()).map(path_of).collect())
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    std::ffi::OsStr::from_bytes(bytes).into()
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}
