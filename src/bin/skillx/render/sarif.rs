//! SARIF 2.1.0 (OASIS): one log for all inputs of a run, written at its end.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};
use skillx_archive::{Code, Error, Finding, Report, Severity};

/// What the inputs gave so far.
#[derive(Debug, Default)]
pub(super) struct Log {
    results: Vec<Value>,
    notifications: Vec<Value>,
    codes: BTreeSet<Code>,
}

impl Log {
    /// Every refusal and every finding of one input; a failure is no result, but a notification of the tool.
    pub(super) fn add(&mut self, report: &Report) {
        let source = report.artifact.source.as_deref().unwrap_or("-");
        let is_directory = report.artifact.sha256.is_none() && report.artifact.format.is_none();
        for error in &report.refusals {
            let entry = error.entry().map(skillx_archive::Entry::name);
            let text = format!("{error}. {}", error.help());
            self.result(error.code(), Severity::Error, &text, &location(source, None, entry));
        }
        let denied: BTreeSet<Code> = report.refusals.iter().map(Error::code).collect();
        for finding in report.findings.iter().filter(|finding| !denied.contains(&finding.code)) {
            let inside = finding.path.as_deref().filter(|_| is_directory);
            let place = location(source, inside, finding.path.as_deref().map(shown).as_deref());
            self.result(finding.code, finding.severity, &text_of(finding), &place);
        }
        if let (Some(error), true) = (&report.error, report.refusals.is_empty()) {
            self.failure(error, Some(source));
        }
    }

    /// An error that belongs to no input, or says nothing about it.
    pub(super) fn failure(&mut self, error: &Error, source: Option<&str>) {
        let mut notification = json!({
            "level": "error",
            "descriptor": { "id": error.code().as_str() },
            "message": { "text": format!("{error}. {}", error.help()) },
        });
        if let (Some(source), Some(fields)) = (source, notification.as_object_mut()) {
            fields.insert("locations".to_owned(), json!([location(source, None, None)]));
        }
        self.notifications.push(notification);
    }

    fn result(&mut self, code: Code, severity: Severity, text: &str, place: &Value) {
        self.codes.insert(code);
        self.results.push(json!({
            "ruleId": code.as_str(),
            "level": severity.as_str(),
            "message": { "text": text },
            "locations": [place],
        }));
    }

    /// The log, with the rules that its results name.
    pub(super) fn finish(mut self) -> Value {
        let rules: Vec<&Code> = self.codes.iter().collect();
        for result in &mut self.results {
            let index = rules.iter().position(|rule| result["ruleId"] == rule.as_str());
            result["ruleIndex"] = json!(index);
        }
        let described: Vec<Value> = rules.iter().map(|code| describe(**code)).collect();
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": {
                    "driver": {
                        "name": "skillx",
                        "version": env!("CARGO_PKG_VERSION"),
                        "semanticVersion": env!("CARGO_PKG_VERSION"),
                        "rules": described,
                    },
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [{
                    "executionSuccessful": self.notifications.is_empty(),
                    "toolExecutionNotifications": self.notifications,
                }],
                "results": self.results,
            }],
        })
    }
}

fn text_of(finding: &Finding) -> String {
    format!("{}. {}", finding.message, finding.code.explain().help)
}

fn describe(code: Code) -> Value {
    let row = code.explain();
    json!({
        "id": row.code,
        "shortDescription": { "text": row.what },
        "fullDescription": { "text": format!("{}: {}", row.what, row.why) },
        "help": { "text": row.help },
        "defaultConfiguration": { "level": code.severity().as_str() },
    })
}

fn shown(text: &str) -> String {
    skillx_archive::escape(text.as_bytes()).to_string()
}

/// The input; of a directory the file in it; of an archive its member, which no URI can name.
fn location(source: &str, inside: Option<&str>, member: Option<&str>) -> Value {
    let path = match inside {
        Some(inside) => format!("{}/{inside}", source.trim_end_matches('/')),
        None => source.to_owned(),
    };
    let mut location = json!({ "physicalLocation": { "artifactLocation": { "uri": uri(&path) } } });
    if let (Some(member), Some(fields)) = (member, location.as_object_mut()) {
        fields.insert("logicalLocations".to_owned(), json!([{ "fullyQualifiedName": member, "kind": "member" }]));
    }
    location
}

/// A URI reference (RFC 3986): relative for relative paths, `file:` for absolute ones, and addresses as they were given.
fn uri(path: &str) -> String {
    let is_address = path.starts_with("https://") || path.starts_with("http://");
    let mut uri = if path.starts_with('/') { String::from("file://") } else { String::new() };
    for byte in path.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        if plain || (is_address && b":?#[]@!$&'()*+,;=%".contains(&byte)) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
