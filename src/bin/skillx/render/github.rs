//! GitHub workflow commands: one annotation for each refusal and finding. What a name holds cannot end a command or begin
//! another one.

use std::fmt::Write as _;

use skillx_archive::{Error, Report, Severity};

/// The annotations of one input, one line each.
pub(super) fn annotations(report: &Report) -> String {
    let source = report.artifact.source.as_deref();
    let is_directory = report.artifact.sha256.is_none() && report.artifact.format.is_none();
    let mut text = String::new();
    for error in &report.refusals {
        refusal(&mut text, error, source);
    }
    for finding in &report.findings {
        if report.refusals.iter().any(|error| error.code() == finding.code) {
            continue;
        }
        let place = match (source, finding.path.as_deref().filter(|_| is_directory)) {
            (Some(source), Some(path)) => Some(format!("{}/{path}", source.trim_end_matches('/'))),
            (source, _) => source.map(str::to_owned),
        };
        let message = format!("{}. {}", finding.message, finding.code.explain().help);
        annotation(&mut text, finding.severity, finding.code.as_str(), &message, place.as_deref());
    }
    if let (Some(error), true) = (&report.error, report.refusals.is_empty()) {
        refusal(&mut text, error, source);
    }
    text
}

/// An error that belongs to no input.
pub(super) fn error(error: &Error) -> String {
    let mut text = String::new();
    refusal(&mut text, error, None);
    text
}

fn refusal(text: &mut String, error: &Error, source: Option<&str>) {
    let message = format!("{error}. {}", error.help());
    annotation(text, Severity::Error, error.code().as_str(), &message, source);
}

/// `::level file=…,title=…::message`. In a property `:` and `,` are escaped as well.
fn annotation(text: &mut String, severity: Severity, code: &str, message: &str, file: Option<&str>) {
    let level = match severity {
        Severity::Note => "notice",
        Severity::Warning => "warning",
        _ => "error",
    };
    // A path that is not printable ASCII would reach the log as it is: it stands, escaped, in the message instead.
    let plain = file.filter(|file| file.bytes().all(|byte| matches!(byte, b' '..=b'~')));
    let file = plain.map(|file| format!("file={},", property(file))).unwrap_or_default();
    let code = property(code);
    let _ = writeln!(text, "::{level} {file}title=skillx {code}::{}", data(message));
}

/// The value of a command. What is not printable ASCII has been escaped before, line ends of our own advice aside.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{data, property};

    #[test]
    fn nothing_ends_a_command_or_begins_another() {
        assert_eq!(data("100%\r\n::error::x"), "100%25%0D%0A::error::x");
        assert_eq!(property("a,b:c%3A"), "a%2Cb%3Ac%253A");
    }
}
