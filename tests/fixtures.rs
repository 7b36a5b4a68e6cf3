//! The archives in `fixtures/`: each has a declared verdict beside it and gets it, and the forged ones are, byte for byte,
//! what the forge builds.
//!
//! `SKILLX_WRITE_FIXTURES=1 cargo test --test fixtures` writes `fixtures/hostile/` anew. `fixtures/tools/make.sh` makes
//! those of real tools.
#![allow(clippy::disallowed_methods, clippy::pedantic)] // tests look at the file system from outside

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use support::Carrier;
use support::cases::{self, Bytes, Case, Expect};
use support::run::skillx;

/// Nothing larger is kept in the repository.
const MOST: usize = 4096;

/// Cases that both formats carry, without their `.tar` and `.zip`. One for each code.
const BOTH: &[&str] = &[
    "P04-absolute",
    "P27-component-256",
    "L05-link-file",
    "C07-file-child",
    "T35-xz",
    "R-archive-less",
    "S10-entries",
    "S10-file",
    "S10-total",
    "L01-absolute",
    "L13-file",
    "L14-chain-9",
    "L02-escape",
    "L16-empty",
    "L-missing",
    "L-deny",
    "P18-lower",
    "T35-empty",
    "P19-traversal",
    "L13-folded",
    "P20-drive-relative",
    "P14-01",
    "P05-empty",
    "P26-.git_config",
    "P17-soft-hyphen",
    "P10-empty-file",
    "P13-latin1",
    "P12-nul",
    "P19-reserved-star",
    "P-order-component-first",
    "P25-GIT~1_config",
    "P27-depth-25",
    "P27-path-513",
    "P-order-dot-reserved",
    "P01-leading",
    "I11-empty",
    "S10-alone",
    "L15-link",
    "S01-fifo",
    "S10-wrapper",
];

/// Codes of gzip and tar.
const TAR: &[&str] = &[
    "T12-global-last",
    "G-block-type-3",
    "T24-empty-archive",
    "G05-crc",
    "G06-reserved-5",
    "G01-inside-file",
    "D08-gzip-then-zip",
    "G05-cut-1",
    "R04-declared-pax",
    "T03-gnu-magic",
    "T06-path-different",
    "T15-path",
    "T05-plus",
    "L11-payload",
    "T30-sparse-old",
    "T21-plus-one",
    "T22-v7",
    "X04-prefix",
    "T24-none",
    "X07-gnu",
    "T01-header-zero",
    "T26-member",
    "T29-payload",
    "S03-type-7",
];

/// Codes of zip.
const ZIP: &[&str] = &[
    "Z15-cut",
    "Z24-empty",
    "Z08-nul",
    "Z09-less",
    "Z14-crc-stored",
    "X10-fitting-middle",
    "S12-both",
    "Z07-zip-in-comment",
    "Z21-past-end-both",
    "Z17-bit-4",
    "Z03-no-local",
    "Z02-between",
    "Z16-1",
    "Z10-this-1",
    "Z20-unflagged-denied",
    "Z03-no-local-between",
    "S08-data",
    "L17-size-lie",
    "Z06-junk",
    "Z05-gap-nul",
    "Z19-other-both",
    "Z18-64",
    "Z11-disagree-count-here",
];

/// Habits of real producers that look odd and are fine.
const ACCEPTED: &[&str] = &[
    "A-gnu-ldap",
    "A-gnu-1969",
    "A-gnu-longlink",
    "A-bsd-wide-uid",
    "A-macos",
    "A-npm",
    "A-java-long",
    "A-python-make-archive",
    "A-git",
    "A-gnu-cut-character",
    "A-zip-git",
    "A-zip-infozip-utf8",
    "A-zip-python-zip64",
    "A-zip-bsdtar",
    "A-zip-java",
    "A-zip-commons-end64",
    "A-zip-client-zip",
    "A-zip-finder",
];

const HEADER: &str = "\
# Forged archives and their verdicts. Written by: SKILLX_WRITE_FIXTURES=1 cargo test --test fixtures
# Each line: file, verdict of `skillx check FILE --allow-unverified FLAGS`, code (`-`: none), then FLAGS, if any.
# docs/cases.md says how each was built: its id there is the file's name without the extension.
";

/// A line of `expected.txt`.
struct Declared {
    path: PathBuf,
    verdict: String,
    code: Option<String>,
    flags: Vec<String>,
}

#[test]
fn every_forged_fixture_is_what_the_forge_builds() {
    let files = forged();
    let directory = folder("hostile");
    let found: BTreeSet<String> = names_in(&directory).into_iter().collect();
    assert_eq!(found, files.keys().cloned().collect());
    for (name, bytes) in files {
        let stored = fs::read(directory.join(name)).unwrap();
        assert!(&stored == bytes, "{name} is not current: SKILLX_WRITE_FIXTURES=1 cargo test --test fixtures");
    }
}

#[test]
fn every_refusal_code_of_the_catalogue_has_a_fixture_in_each_format() {
    let codes = |cases: &[Case]| -> BTreeSet<(&str, String)> {
        let small = |case: &&Case| matches!(&case.bytes, Bytes::Now(bytes) if bytes.len() <= MOST);
        let refused = |case: &Case| match case.expect {
            Expect::Refused(code) => Some((code, case.format.suffix().to_owned())),
            _ => None,
        };
        cases.iter().filter(small).filter_map(refused).collect()
    };
    let (all, kept) = (codes(&cases::all()), codes(&chosen()));
    let missing: Vec<_> = all.difference(&kept).collect();
    assert!(missing.is_empty(), "no fixture for {missing:?}");
}

#[test]
fn every_forged_fixture_gets_its_declared_verdict() {
    forged();
    let expected = fs::read_to_string(folder("hostile").join("expected.txt")).unwrap();
    let faults: Vec<String> = declared("hostile", &expected).iter().filter_map(Declared::fault).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_archive_of_a_real_tool_is_accepted() {
    let expected = fs::read_to_string(folder("tools").join("expected.txt")).unwrap();
    let declared = declared("tools", &expected);
    let listed: BTreeSet<PathBuf> = declared.iter().map(|line| line.path.clone()).collect();
    let present: BTreeSet<PathBuf> = archives_in("tools").into_iter().collect();
    assert_eq!(listed, present);
    assert!(declared.len() >= 12 && declared.iter().all(|line| line.verdict == "accepted"));
    let faults: Vec<String> = declared.iter().filter_map(Declared::fault).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_demo_archive_is_accepted_and_has_its_digest_beside_it() {
    let archives = archives_in("demo");
    assert!(archives.len() >= 2);
    for path in archives {
        let path = path.to_str().unwrap();
        let sidecar = fs::read_to_string(format!("{path}.sha256")).unwrap();
        let digest = format!("sha256:{}", sidecar.split_whitespace().next().unwrap());
        let outcome = skillx(&["check", path, "--digest", &digest]);
        assert_eq!(outcome.code, Some(0), "{path}: {}", outcome.err());
    }
}

impl Declared {
    /// What is wrong with the program's answer, if anything.
    fn fault(&self) -> Option<String> {
        let path = self.path.to_str().expect("the path is text");
        let fixed = ["check", path, "--allow-unverified", "--json"];
        let outcome = skillx(&[&fixed[..], &self.flags.iter().map(String::as_str).collect::<Vec<_>>()].concat());
        let report = match outcome.json() {
            Ok(report) => report,
            Err(problem) => return Some(format!("{path}: {problem}: {}", outcome.err())),
        };
        let (verdict, code) = (report["verdict"].as_str().unwrap_or_default(), report["error"]["code"].as_str());
        let exit = i32::from(verdict != "accepted");
        let right = verdict == self.verdict && code == self.code.as_deref() && outcome.code == Some(exit);
        (!right).then(|| {
            format!(
                "{path}: {verdict} {code:?} (exit {:?}), declared was {} {:?}",
                outcome.code, self.verdict, self.code
            )
        })
    }
}

/// The cases of the tables, in their order.
fn chosen() -> Vec<Case> {
    let all: BTreeMap<String, Case> = cases::all().into_iter().map(|case| (case.id.clone(), case)).collect();
    let both =
        Carrier::ALL.into_iter().flat_map(|format| BOTH.iter().map(move |id| format!("{id}.{}", format.suffix())));
    let single = [TAR, ZIP, ACCEPTED].concat().into_iter().map(str::to_owned);
    both.chain(single).map(|id| all.get(&id).unwrap_or_else(|| panic!("no case has the id {id}")).clone()).collect()
}

/// What belongs into `fixtures/hostile/`, written there first if that is asked for.
fn forged() -> &'static BTreeMap<String, Vec<u8>> {
    static FILES: OnceLock<BTreeMap<String, Vec<u8>>> = OnceLock::new();
    FILES.get_or_init(|| {
        let mut files = BTreeMap::new();
        for case in chosen() {
            let bytes = case.bytes().into_owned();
            assert!(bytes.len() <= MOST, "{} has {} bytes", case.id, bytes.len());
            assert!(files.insert(file_name(&case), bytes).is_none(), "{} has another's name", case.id);
        }
        files.insert("expected.txt".to_owned(), expected().into_bytes());
        if std::env::var_os("SKILLX_WRITE_FIXTURES").is_some() {
            let directory = folder("hostile");
            let _ = fs::remove_dir_all(&directory);
            fs::create_dir_all(&directory).unwrap();
            files.iter().for_each(|(name, bytes)| fs::write(directory.join(name), bytes).unwrap());
        }
        files
    })
}

/// The id with the extension of its format, and without what is awkward in a file name.
fn file_name(case: &Case) -> String {
    let stem = case.id.strip_suffix(&format!(".{}", case.format.suffix())).unwrap_or(&case.id);
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    format!("{}.{}", stem.chars().map(plain).collect::<String>(), case.format.flag())
}

fn expected() -> String {
    let line = |case: &Case| {
        let verdict = match case.expect {
            Expect::Accepted => "accepted",
            Expect::Refused(_) => "refused",
            Expect::Usage(_) | Expect::Failed(_) => "failed",
        };
        let words = [&[file_name(case), verdict.to_owned(), case.code().unwrap_or("-").to_owned()][..], &case.args];
        words.concat().join(" ") + "\n"
    };
    HEADER.to_owned() + &chosen().iter().map(line).collect::<String>()
}

fn declared(name: &str, text: &str) -> Vec<Declared> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let [file, verdict, code, flags @ ..] = &words[..] else { panic!("not a line of expected.txt: {line}") };
            Declared {
                path: folder(name).join(file),
                verdict: (*verdict).to_owned(),
                code: (*code != "-").then(|| (*code).to_owned()),
                flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
            }
        })
        .collect()
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    entries.map(|entry| entry.unwrap().file_name().into_string().expect("names are text")).collect()
}

fn archives_in(name: &str) -> Vec<PathBuf> {
    let directory = folder(name);
    let archive = |name: &String| name.ends_with(".tar.gz") || name.ends_with(".zip");
    names_in(&directory).into_iter().filter(archive).map(|name| directory.join(name)).collect()
}
