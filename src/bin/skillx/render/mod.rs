//! Where results go: JSON lines on stdout, or text on stderr with the one result line on stdout.

mod audit;
mod catalog;
mod github;
mod json;
mod pack;
mod plugin;
mod sarif;
mod site;
mod text;
mod verify;

use std::io::{IsTerminal as _, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use clap::error::ErrorKind;
use skillx_archive::site::{AuditReport, IndexReport, InstallReport, RemoveReport};
use skillx_archive::{Code, Error, Options, PackReport, PluginAnswer, Report, SiteReport, Standing};

use crate::args::{Color, Everywhere, MessageFormat};
use crate::commands::verify::Answer;
use crate::commands::{Outcome, catalog as catalog_command, show};

/// The form in which results are written.
#[derive(Debug)]
pub(crate) struct Output {
    json: bool,
    github: bool,
    /// The log that is written at the end, where SARIF is wanted.
    sarif: Option<Mutex<sarif::Log>>,
    quiet: bool,
    progress: bool,
    color: anstream::ColorChoice,
}

impl Output {
    pub(crate) fn new(args: &Everywhere) -> Self {
        std::panic::set_hook(Box::new(|info| {
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            let payload = info.payload();
            let text = payload.downcast_ref::<&str>().copied().map(str::to_owned);
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
            let shown = skillx_archive::escape(text.as_bytes());
            let _ = writeln!(std::io::stderr(), "skillx: internal error at {place}: {shown}");
        }));
        Self {
            json: args.json || args.message_format == MessageFormat::Json,
            github: !args.json && args.message_format == MessageFormat::Github,
            sarif: (!args.json && args.message_format == MessageFormat::Sarif).then(Mutex::default),
            quiet: args.quiet,
            progress: !args.quiet && !args.no_progress && !args.json,
            color: match args.color {
                Color::Always => anstream::ColorChoice::Always,
                Color::Never => anstream::ColorChoice::Never,
                Color::Auto => anstream::AutoStream::choice(&std::io::stderr()),
            },
        }
    }

    /// Whether results are to go where only `check` has some: SARIF, annotations.
    pub(crate) fn is_for_ci(&self) -> bool {
        self.github || self.sarif.is_some()
    }

    /// Writes what is written once, at the end of a run.
    pub(crate) fn finish(&self) {
        if let Some(log) = &self.sarif {
            let log = std::mem::take(&mut *log.lock().unwrap_or_else(PoisonError::into_inner));
            json::line(&log.finish());
        }
    }

    pub(crate) fn wants_progress(&self) -> bool {
        self.progress
    }

    /// The report of one input. `after_refusal` says what state a refusal leaves.
    pub(crate) fn report(&self, report: &Report, after_refusal: &str) {
        if self.json {
            json::line(report);
        } else if let Some(log) = &self.sarif {
            log.lock().unwrap_or_else(PoisonError::into_inner).add(report);
        } else if self.github {
            to_stdout(&github::annotations(report));
            self.to_stderr(|out| text::outcome(out, report, self.quiet));
        } else {
            self.to_stderr(|out| text::report(out, report, self.quiet, after_refusal));
            if let (None, Some(directory)) = (&report.error, &report.output) {
                to_stdout(&format!("{}\n", text::plain_path(directory)));
            }
        }
    }

    /// The entries of an archive.
    pub(crate) fn listing(&self, report: &Report) {
        if self.json {
            json::line(report);
        } else {
            to_stdout(&text::listing(report));
            self.to_stderr(|out| text::report(out, report, self.quiet, ""));
        }
    }

    /// What a site publishes.
    pub(crate) fn index(&self, report: &IndexReport) {
        if self.json {
            json::line(report);
        } else {
            to_stdout(&site::listing(report));
            self.to_stderr(|out| site::index(out, report, self.quiet));
        }
    }

    /// What a client gets from a site.
    pub(crate) fn audit(&self, report: &AuditReport) {
        if self.json { json::line(report) } else { self.to_stderr(|out| audit::audit(out, report, self.quiet)) }
    }

    /// What was installed from a site.
    pub(crate) fn install(&self, report: &InstallReport) {
        if self.json {
            json::line(report);
        } else {
            self.to_stderr(|out| site::install(out, report, self.quiet));
            for directory in site::destinations(report) {
                to_stdout(&format!("{}\n", text::plain_path(&directory)));
            }
        }
    }

    /// What was removed.
    pub(crate) fn remove(&self, report: &RemoveReport) {
        if self.json { json::line(report) } else { self.to_stderr(|out| site::remove(out, report, self.quiet)) }
    }

    /// An installed tree against its receipt.
    pub(crate) fn verification(&self, answer: &Answer) {
        if self.json { json::line(answer) } else { self.to_stderr(|out| verify::answer(out, answer, self.quiet)) }
    }

    /// What was packed. With the archive on stdout nothing else goes there.
    pub(crate) fn packed(&self, report: &PackReport, archive_on_stdout: bool) {
        if self.json {
            json::line(report);
            return;
        }
        self.to_stderr(|out| pack::report(out, report, self.quiet));
        match (&report.report.error, &report.index_entry, &report.report.output) {
            (Some(_), ..) => {}
            _ if archive_on_stdout => {}
            (None, Some(entry), _) => json::pretty(entry),
            (None, None, Some(file)) => to_stdout(&format!("{}\n", text::plain_path(file))),
            (None, None, None) => {}
        }
    }

    /// A site that was built.
    pub(crate) fn site(&self, report: &SiteReport) {
        if self.json {
            json::line(report);
            return;
        }
        self.to_stderr(|out| pack::site(out, report, self.quiet));
        if let (None, Some(site)) = (&report.error, &report.output) {
            to_stdout(&format!("{}\n", text::plain_path(site)));
        }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// A plugin in a directory.
    pub(crate) fn plugin(&self, answer: &PluginAnswer) {
        if self.json {
            json::line(answer);
            return;
        }
        self.to_stderr(|out| {
            plugin::notes(out, answer, self.quiet)?;
            answer.error.as_ref().map_or(Ok(()), |error| text::error(out, error))
        });
        if let Some(plugin) = &answer.plugin {
            to_stdout(&plugin::listing(plugin));
        }
    }

    /// A directory of skills.
    pub(crate) fn catalog(&self, answer: &catalog_command::Answer) {
        if self.json {
            json::line(answer);
            return;
        }
        self.to_stderr(|out| {
            catalog::notes(out, answer, self.quiet)?;
            answer.error.as_ref().map_or(Ok(()), |error| text::error(out, error))
        });
        if answer.error.is_none() {
            match &answer.text {
                Some(text) => self.raw(&[text.trim_end().as_bytes(), b"\n"].concat()),
                None => to_stdout(&catalog::listing(answer)),
            }
        }
    }

    /// What is said of a skill's text: why it could not be read, that it is not what was installed, or all of it as JSON.
    pub(crate) fn shown(&self, answer: &show::Answer) {
        if self.json {
            json::line(answer);
        } else if let Some(error) = &answer.error {
            self.to_stderr(|out| text::error(out, error));
        } else if answer.standing == Some(Standing::Modified) && !self.quiet {
            self.to_stderr(|out| catalog::modified(out, &answer.name));
        }
    }

    /// A stranger's text: as it is in a pipe, escaped on a terminal.
    pub(crate) fn raw(&self, bytes: &[u8]) {
        if std::io::stdout().is_terminal() {
            to_stdout(&catalog::for_terminal(bytes));
        } else {
            self.own(bytes);
        }
    }

    /// A text of the program's own.
    #[allow(clippy::unused_self, reason = "everything that is written goes through the output")]
    pub(crate) fn own(&self, bytes: &[u8]) {
        let mut stdout = std::io::stdout().lock();
        note(stdout.write_all(bytes).and_then(|()| stdout.flush()));
    }

    /// An error that belongs to no input.
    pub(crate) fn plain_error(&self, error: &Error) {
        if self.json {
            let mut report = Options::default().blank_report();
            report.decide(error.clone());
            json::line(&report);
        } else if let Some(log) = &self.sarif {
            log.lock().unwrap_or_else(PoisonError::into_inner).failure(error, None);
        } else if self.github {
            to_stdout(&github::error(error));
        } else {
            self.to_stderr(|out| text::error(out, error));
        }
    }

    /// One code, explained.
    pub(crate) fn code(&self, code: Code) {
        if self.json { json::code(code) } else { to_stdout(&text::code(code)) }
    }

    /// All codes.
    pub(crate) fn codes(&self, codes: &[Code]) {
        if self.json { json::codes(codes) } else { to_stdout(&text::codes(codes)) }
    }

    fn to_stderr(&self, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) {
        // One call writes it all: other programs' lines do not come in between.
        let mut stream = anstream::AutoStream::new(Vec::new(), self.color);
        // Nobody left to tell if this fails.
        let _ = write(&mut stream);
        let _ = std::io::stderr().lock().write_all(&stream.into_inner());
    }
}

/// A wrong command line: clap's own text, or a JSON line where one was asked for.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if asked_for_json() {
        let text = error.render().to_string();
        let first = text.lines().next().unwrap_or_default();
        let first = first.strip_prefix("error: ").unwrap_or(first);
        let mut report = Options::default().blank_report();
        report.decide(Error::usage(first));
        json::line(&report);
    } else {
        let _ = write!(std::io::stderr(), "{}", clean(error));
    }
    ExitCode::from(2)
}

/// clap quotes arguments as they are; they may come from a script that read them from an archive.
fn clean(error: &clap::Error) -> String {
    let text = error.render().to_string().replacen("error:", "error[usage]:", 1);
    let lines = text.lines().map(|line| Error::of(Code::Usage, line).detail().to_owned() + "\n");
    lines.collect()
}

fn asked_for_json() -> bool {
    let mut arguments = std::env::args_os().skip(1).take_while(|argument| argument != "--").peekable();
    while let Some(argument) = arguments.next() {
        let next_is_json = arguments.peek().is_some_and(|next| next == "json");
        if argument == "--json" || argument == "--message-format=json" || argument == "--message-format" && next_is_json
        {
            return true;
        }
    }
    false
}

/// A reader that has gone away (`skillx … | head`) is no failure.
fn to_stdout(text: &str) {
    let mut stdout = std::io::stdout().lock();
    note(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()));
}

/// Whether an answer could not be written, for another reason than a reader that has gone away.
static LOST: AtomicBool = AtomicBool::new(false);

fn note(outcome: std::io::Result<()>) {
    let Err(error) = outcome else { return };
    if error.kind() != std::io::ErrorKind::BrokenPipe && !LOST.swap(true, Ordering::Relaxed) {
        let _ = writeln!(std::io::stderr(), "error[io]: cannot write the answer to standard output: {error}");
    }
}

/// The outcome of the program: an answer that nobody got is a failure.
pub(crate) fn settle(outcome: Outcome) -> Outcome {
    if LOST.load(Ordering::Relaxed) { outcome.worst(Outcome::Failed) } else { outcome }
}
