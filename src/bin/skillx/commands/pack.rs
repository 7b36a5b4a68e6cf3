//! `skillx pack`: a directory to a canonical archive, its sidecar and its index entry; or a comparison with a file.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use skillx_archive::{Artifact, Cancel, Code, Error, Failure, PackReport, Packed, pack, pack_site};

use super::Outcome;
use crate::args::Pack;
use crate::interrupt::Interrupt;
use crate::render::Output;

pub(crate) fn run(command: &Pack, output: &Output) -> Outcome {
    let cancel = Cancel::new();
    let interrupt = Interrupt::install(&cancel);
    if let Some(site) = &command.site {
        return whole_site(command, site, output, &cancel, &interrupt);
    }
    let mut report = None;
    let outcome = one(command, output, &cancel, &interrupt, &mut report);
    let mut report = report.unwrap_or_else(|| blank(command));
    if let Err(error) = outcome {
        report.report.output = None;
        report.index_entry = None;
        report.report.decide(error);
    }
    output.packed(&report, to_stdout(command));
    ended(&interrupt, report.report.error.as_ref())
}

fn ended(interrupt: &Interrupt, error: Option<&Error>) -> Outcome {
    match interrupt.exit_code() {
        Some(code) if error.is_some_and(|error| error.code() == Code::Cancelled) => Outcome::Signal(code),
        _ => Outcome::of(error),
    }
}

fn whole_site(command: &Pack, site: &Path, output: &Output, cancel: &Cancel, interrupt: &Interrupt) -> Outcome {
    let report = match command.options(cancel) {
        Ok(options) => {
            interrupt.begin();
            pack_site(site, &command.directories, &options, command.skills_txt)
        }
        Err(error) => {
            let mut report = pack_site(site, &[] as &[PathBuf], &skillx_archive::PackOptions::default(), false);
            report.error = None;
            report.decide(error);
            report
        }
    };
    output.site(&report);
    ended(interrupt, report.error.as_ref())
}

fn blank(command: &Pack) -> PackReport {
    let mut report = skillx_archive::Options::default().limits(command.limits.limits()).blank_report();
    report.artifact.source = command.directories.first().map(|path| path.to_string_lossy().into_owned());
    PackReport::of(report)
}

fn to_stdout(command: &Pack) -> bool {
    command.output.as_deref() == Some(Path::new("-"))
}

fn one(
    command: &Pack,
    output: &Output,
    cancel: &Cancel,
    interrupt: &Interrupt,
    report: &mut Option<PackReport>,
) -> Result<(), Error> {
    let [directory] = command.directories.as_slice() else {
        return Err(Error::usage("one directory makes one archive; --site takes several"));
    };
    if to_stdout(command) && (output.is_json() || command.sidecar || command.index_entry) {
        return Err(Error::usage("-o - writes the archive to standard output, where nothing else can go"));
    }
    let mut options = command.options(cancel)?;
    options = match (&command.output, &command.check) {
        (Some(file), _) | (None, Some(file)) => options.output(file),
        (None, None) => options.output_in("."),
    };
    interrupt.begin();
    let packed = pack(directory, &options).map_err(|failure| refused(failure, report))?;
    let report = report.insert(packed.pack_report());
    if let Some(url) = &command.url {
        report.index_entry = Some(packed.index_entry(url)?);
    }
    match &command.check {
        Some(file) => compare(command, &packed, file, report),
        None => save(command, &packed, report),
    }
}

/// The error, with everything that was seen until then.
fn refused(failure: Failure, report: &mut Option<PackReport>) -> Error {
    let error = failure.error().clone();
    *report = Some(PackReport::of(failure.into_report()));
    error
}

fn compare(command: &Pack, packed: &Packed, file: &Path, report: &mut PackReport) -> Result<(), Error> {
    report.compared = true;
    packed.compare(Artifact::open_with(file, &command.limits.limits())?)?;
    if command.sidecar {
        report.sidecar = Some(packed.compare_sidecar(file)?.to_string_lossy().into_owned());
    }
    Ok(())
}

fn save(command: &Pack, packed: &Packed, report: &mut PackReport) -> Result<(), Error> {
    let file = match &command.output {
        Some(_) if to_stdout(command) => {
            let mut stdout = std::io::stdout().lock();
            let written = stdout.write_all(packed.bytes()).and_then(|()| stdout.flush());
            return match written {
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                    Err(Error::of(Code::Io, format!("cannot write the archive to standard output: {error}")))
                }
                _ => Ok(()),
            };
        }
        Some(file) => file.clone(),
        None => PathBuf::from(packed.file_name().map_err(|error| error.with_help("name the archive: -o FILE"))?),
    };
    report.saved = Some(packed.save(&file)?);
    if command.sidecar || has_sidecar(&file) {
        report.sidecar = Some(packed.save_sidecar(&file)?.to_string_lossy().into_owned());
    }
    report.report.output = Some(file.to_string_lossy().into_owned());
    Ok(())
}

/// A sidecar that is there already must not go on promising the old bytes.
fn has_sidecar(file: &Path) -> bool {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".sha256");
    file.with_file_name(name).symlink_metadata().is_ok()
}
