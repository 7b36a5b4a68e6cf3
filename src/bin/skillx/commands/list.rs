//! `skillx list`: the entries of an archive with their verdicts. The same pass as `check`.

use skillx_archive::{Cancel, Error, Options, Report};

use super::Outcome;
use crate::args::{List, parse_digest};
use crate::input::{self, Promise, Run};
use crate::progress;
use crate::render::Output;

pub(crate) fn run(command: &List, output: &Output) -> Outcome {
    let mut known = Options::default().limits(command.shared.limits()).blank_report();
    known.artifact.source = Some(command.archive.to_string_lossy().into_owned());
    let report = match list(command, output, &mut known) {
        Ok(report) => report,
        Err(error) => {
            known.decide(error);
            known
        }
    };
    progress::clear(output);
    output.listing(&report);
    Outcome::of_report(&report)
}

fn list(command: &List, output: &Output, known: &mut Report) -> Result<Report, Error> {
    let options = command.shared.options()?;
    input::restart(known, &options);
    let given = command.digest.as_deref().map(parse_digest).transpose()?;
    let given = given.map(|digest| Promise { digest, source: "flag" });
    let run = Run { cancel: &Cancel::new(), output };
    let artifact = input::load(&command.archive, given, &command.shared, run, known)?;
    progress::clear(output);
    let report = artifact.check(&progress::show(options, output));
    Ok(input::complete(report, known))
}
