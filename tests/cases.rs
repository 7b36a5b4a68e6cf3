//! Every case of the catalogue through the program: `verify-extract` from a stream, `check` and once more
//! `verify-extract` from a file. Verdict, code and exit code have to be right, both commands have to agree, a refusal has
//! to leave nothing behind, and no output may harm whoever reads it.
//!
//! `SKILLX_CASE=T05 cargo test --test cases` runs the cases whose id contains the text.
#![allow(clippy::disallowed_methods, reason = "a test looks at the file system from outside the program")]

mod support;

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;
use support::cases::{self, Case, Expect};
use support::run::{Outcome, skillx, skillx_in};
use support::{Carrier, sha256, temp_dir, tree};

/// Formats whose reader exists.
const FORMATS: &[Carrier] = &Carrier::ALL;

/// Cases: O07-cases.
#[test]
fn every_case_gets_its_verdict_and_leaves_nothing_else() {
    let filter = std::env::var("SKILLX_CASE").unwrap_or_default();
    let chosen = |case: &Case| FORMATS.contains(&case.format) && case.id.contains(&filter);
    let cases: Vec<Case> = cases::all().into_iter().filter(chosen).collect();
    assert!(!cases.is_empty(), "no case has {filter:?} in its id");
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(2, usize::from).clamp(2, 8);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let faults = judge(case);
                    if !faults.is_empty() {
                        failed.lock().unwrap().push((case.id.clone(), case.what, faults));
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().unwrap();
    failed.sort();
    let lines: Vec<String> =
        failed.iter().map(|(id, what, faults)| format!("{id} ({what})\n    {}", faults.join("\n    "))).collect();
    assert!(failed.is_empty(), "{} of {} cases failed:\n{}", failed.len(), cases.len(), lines.join("\n"));
}

/// What is wrong with the program's answers to one case; empty when nothing is.
fn judge(case: &Case) -> Vec<String> {
    let bytes = case.bytes();
    let digest = sha256(&bytes);
    let temp = temp_dir();
    let input = temp.path().join(format!("skill.{}", case.format.flag()));
    fs::write(&input, &bytes).expect("the test can write its archive");
    let streamed = Run { case, name: "stream", parent: temp.path().join("stream") };
    let from_file = Run { case, name: "file", parent: temp.path().join("file") };
    let mut faults = Vec::new();

    let first = streamed.verify_extract("-", &digest, &["--json"], &bytes);
    let report = streamed.common(&first, &mut faults).json_line(&first, &mut faults);
    streamed.left_behind(&mut faults);

    let source = input.to_str().expect("the path is text");
    let args = [&["check", source, "--format", case.format.flag(), "--allow-unverified", "--json"][..], &case.flags()]
        .concat();
    let second = skillx(&args);
    let check = Run { case, name: "check", parent: temp.path().join("check") };
    let checked = check.common(&second, &mut faults).json_line(&second, &mut faults);
    if let (Some(report), Some(checked)) = (report, checked) {
        agree(case, &report, &checked, &mut faults);
    }

    let human = from_file.verify_extract(source, &digest, &[], b"");
    from_file.common(&human, &mut faults).human(&human, &mut faults);
    from_file.left_behind(&mut faults);
    if fs::read_dir(temp.path()).expect("readable").count() != 3 {
        faults.push("something was left beside the archive".to_owned());
    }
    faults
}

/// One run of the program on a case.
struct Run<'a> {
    case: &'a Case,
    name: &'static str,
    /// Where the destination would be; nothing else lies there.
    parent: std::path::PathBuf,
}

impl Run<'_> {
    fn verify_extract(&self, source: &str, digest: &str, more: &[&str], stdin: &[u8]) -> Outcome {
        fs::create_dir(&self.parent).expect("the test can make a directory");
        let out = self.out();
        let fixed = ["verify-extract", source, "--format", self.case.format.flag(), "--digest", digest, "-o", &out];
        skillx_in(None, &[&fixed[..], more, &self.case.flags()].concat(), stdin)
    }

    fn out(&self) -> String {
        self.parent.join("out").to_str().expect("the path is text").to_owned()
    }

    fn fault(&self, faults: &mut Vec<String>, text: impl std::fmt::Display) {
        faults.push(format!("{}: {text}", self.name));
    }

    /// What holds for every run: the exit code, and output that harms nobody.
    fn common(&self, outcome: &Outcome, faults: &mut Vec<String>) -> &Self {
        if outcome.code != Some(self.case.exit()) {
            let said = outcome.err().lines().next().unwrap_or_default().to_owned();
            self.fault(faults, format!("exit {:?}, not {} ({said})", outcome.code, self.case.exit()));
        }
        for dirt in outcome.dirt().into_iter().chain(outcome.ci_commands()) {
            self.fault(faults, dirt);
        }
        self
    }

    /// The report, if there is one; its verdict and code are looked at here.
    fn json_line(&self, outcome: &Outcome, faults: &mut Vec<String>) -> Option<Value> {
        let report = match outcome.json() {
            Ok(report) => report,
            Err(problem) => {
                self.fault(faults, problem);
                return None;
            }
        };
        let (verdict, class) = match self.case.expect {
            Expect::Accepted => ("accepted", None),
            Expect::Refused(_) => ("refused", Some("refused")),
            Expect::Usage(_) => ("failed", Some("usage")),
            Expect::Failed(_) => ("failed", Some("failed")),
        };
        let error = &report["error"];
        if error["code"].as_str() != self.case.code() {
            self.fault(faults, format!("{}, not {:?}", summary(error), self.case.expect));
        } else if report["verdict"] != verdict || error["class"].as_str() != class {
            self.fault(
                faults,
                format!("verdict {} and class {} for {:?}", report["verdict"], error["class"], self.case.expect),
            );
        } else if self.case.ordinal.is_some() && error["ordinal"].as_u64() != self.case.ordinal {
            self.fault(
                faults,
                format!("{} names entry {}, not {:?}", error["code"], error["ordinal"], self.case.ordinal),
            );
        }
        // Whoever published it has to know what to change, and where it stands.
        if matches!(self.case.expect, Expect::Refused(_)) {
            if error["help"].as_str().is_none_or(|help| !help.contains("publisher: ") && !help.contains("user: ")) {
                self.fault(faults, format!("no remedy: {}", error["help"]));
            }
            if !error["ordinal"].is_null() && (error["offset"].is_null() || error["entry"].is_null()) {
                self.fault(faults, format!("no place: {error}"));
            }
        }
        Some(report)
    }

    /// Human mode: the destination on stdout or nothing, and a refusal that names its code.
    fn human(&self, outcome: &Outcome, faults: &mut Vec<String>) {
        let (out, err) = (outcome.out(), outcome.err());
        let expected = if self.case.expect == Expect::Accepted { format!("{}\n", self.out()) } else { String::new() };
        if out != expected {
            self.fault(faults, format!("stdout is {out:?}, not {expected:?}"));
        }
        let Some(code) = self.case.code() else { return };
        if !err.contains(&format!("error[{code}]")) {
            self.fault(
                faults,
                format!("stderr does not say error[{code}]: {:?}", err.lines().next().unwrap_or_default()),
            );
        }
        if matches!(self.case.expect, Expect::Refused(_)) && !err.contains("nothing was written") {
            self.fault(faults, "stderr does not say that nothing was written");
        }
    }

    /// After an acceptance the destination and nothing else, after anything else nothing at all.
    fn left_behind(&self, faults: &mut Vec<String>) {
        let found = tree::walk(&self.parent);
        if self.case.expect != Expect::Accepted {
            if !found.is_empty() {
                self.fault(faults, format!("left behind: {:?}", found.keys().take(5).collect::<Vec<_>>()));
            }
            return;
        }
        let top: Vec<String> = fs::read_dir(&self.parent)
            .expect("readable")
            .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
            .collect();
        if top != ["out"] {
            self.fault(faults, format!("beside the destination: {top:?}"));
            return;
        }
        let out = Path::new(&self.out()).to_path_buf();
        for bad in tree::bad_modes(&out) {
            self.fault(faults, bad);
        }
        if let Some(expected) = &self.case.tree {
            for difference in tree::differences(expected, &tree::walk(&out)).into_iter().take(5) {
                self.fault(faults, difference);
            }
        }
    }
}

/// `check` is the same pass: the same verdict, and its first refusal is the one that stopped the extraction.
fn agree(case: &Case, report: &Value, checked: &Value, faults: &mut Vec<String>) {
    for key in ["verdict", "skill"] {
        if report[key] != checked[key] {
            faults.push(format!("verify-extract says {key} {}, check {}", report[key], checked[key]));
        }
    }
    if case.expect == Expect::Accepted {
        for key in ["entries", "totals", "findings"] {
            if report[key] != checked[key] {
                faults.push(format!("verify-extract and check differ in {key}"));
            }
        }
    }
    if matches!(case.expect, Expect::Refused(_)) {
        let first = &checked["refusals"][0];
        for key in ["code", "entry", "ordinal", "offset", "message"] {
            if first[key] != report["error"][key] {
                faults.push(format!(
                    "{key}: verify-extract stops at {}, refusals[0] of check is {}",
                    report["error"][key], first[key]
                ));
            }
        }
    }
}

fn summary(error: &Value) -> String {
    match error["code"].as_str() {
        Some(code) => format!("{code} ({})", error["message"].as_str().unwrap_or_default()),
        None => "accepted".to_owned(),
    }
}

impl Case {
    fn flags(&self) -> Vec<&str> {
        self.args.iter().map(String::as_str).collect()
    }
}
