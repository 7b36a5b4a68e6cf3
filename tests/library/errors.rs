//! Digests, and what an error, a failure and a report tell the caller.

use skillx_archive::{Artifact, Class, Code, Digest, Error, Failure, Kind, Observed, Options, Verdict, escape};

use crate::support::carrier::{file, symlink, with_skill};
use crate::support::gzip::gzip;
use crate::support::tar::Tar;
use crate::support::temp_dir;
use crate::{check, demo, digest_of, failure, tar_gz, verified};

const EMPTY: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Cases: D03-library.
#[test]
fn a_digest_has_one_spelling() {
    let digest: Digest = EMPTY.parse().unwrap();
    assert_eq!(digest.to_string(), EMPTY);
    assert_eq!(format!("{digest:?}"), EMPTY);
    assert_eq!(Digest::from_hex(&EMPTY[7..]).unwrap(), digest);
    assert_eq!(Digest::from_bytes(*digest.as_bytes()), digest);
    let hex = &EMPTY[7..];
    let wrong = [
        String::new(),
        hex.to_owned(),
        format!("SHA256:{hex}"),
        format!("sha256:{}", hex.to_uppercase()),
        format!("sha256:{}", &hex[1..]),
        format!("sha256:{hex}0"),
        format!("sha256: {hex}"),
        format!(" sha256:{hex}"),
        format!("sha256:{hex}\n"),
        format!("sha256:g{}", &hex[1..]),
        format!("sha256:+{}", &hex[1..]),
        format!("sha256:\u{ff11}{}", &hex[1..]),
        format!("sha512:{hex}{hex}"),
        format!("md5:{}", &hex[..32]),
        "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=".to_owned(),
        "sha256:".to_owned(),
    ];
    for text in wrong {
        let error = text.parse::<Digest>().unwrap_err();
        let error = Error::from(error);
        assert_eq!((error.code(), error.class(), error.kind()), (Code::DigestSyntax, Class::Usage, Kind::Failed));
        assert!(error.to_string().bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{error}");
    }
    assert!(Digest::from_hex(EMPTY).is_err(), "the prefix is no hex");
}

/// Cases: X16-observed.
#[test]
fn what_was_observed_is_compared_with_what_was_promised() {
    let artifact = Artifact::from_bytes(Vec::new());
    let observed: Observed = artifact.digest();
    assert_eq!(observed.to_string(), EMPTY);
    assert!(observed == EMPTY.parse::<Digest>().unwrap());
    assert!(observed != Digest::from_bytes([0; 32]));
    assert_eq!(observed.as_bytes(), EMPTY.parse::<Digest>().unwrap().as_bytes());
    assert!(artifact.is_empty());
}

/// Cases: D02-library.
#[test]
fn a_wrong_digest_is_named_beside_the_right_one_before_anything_is_parsed() {
    // Also no archive, a bomb by its size, and declared as something else: only the digest is spoken of.
    let bytes = b"this is no archive at all";
    let promised = Digest::from_bytes([0xab; 32]);
    let error = Artifact::from_bytes(&bytes[..]).verify(&promised).unwrap_err();
    assert_eq!((error.code(), error.kind(), error.class()), (Code::DigestMismatch, Kind::Refused, Class::Refused));
    let text = error.to_string();
    assert!(text.contains(&promised.to_string()) && text.contains(&digest_of(bytes).to_string()), "{text}");
    assert!(error.entry().is_none() && error.offset().is_none());
    // One bit is enough.
    let mut close = *digest_of(bytes).as_bytes();
    close[31] ^= 1;
    assert!(Artifact::from_bytes(&bytes[..]).verify(&Digest::from_bytes(close)).is_err());
}

/// Cases: D04-library.
#[test]
fn going_on_without_a_digest_is_said_in_every_report() {
    let bytes = demo();
    let directory = temp_dir();
    let trusted = Artifact::from_bytes(bytes.as_slice()).trust_without_digest();
    assert!(trusted.expected().is_none());
    assert!(trusted.artifact().digest() == digest_of(&bytes));
    let reports = [
        trusted.check(&Options::default()),
        trusted.extract(directory.path().join("a"), &Options::default()).unwrap().into_report(),
        failure(trusted.extract(directory.path().join("a"), &Options::default())).into_report(),
    ];
    for report in reports {
        assert!(!report.artifact.verified);
        assert_eq!(report.artifact.expected, None);
        assert_eq!(report.artifact.digest_source, "none");
        assert_eq!(report.artifact.sha256, Some(digest_of(&bytes).to_string()));
    }
    let proven = verified(&bytes);
    assert_eq!(proven.expected(), Some(&digest_of(&bytes)));
    let report = proven.check(&Options::default());
    assert!(report.artifact.verified);
    assert_eq!(report.artifact.expected, report.artifact.sha256);
}

#[test]
fn a_failure_carries_the_report_and_reads_like_its_error() {
    let directory = temp_dir();
    let bytes = tar_gz(&with_skill(vec![file("ok.txt", "fine"), file("a/../../x", "out"), file("con", "device")]));
    let failure = failure(verified(&bytes).extract(directory.path().join("out"), &Options::default()));
    assert_eq!((failure.code(), failure.kind()), (Code::PathTraversal, Kind::Refused));
    let entry = failure.entry().expect("it is about a member");
    assert_eq!((entry.ordinal(), entry.name()), (3, "a/../../x"));
    // SKILL.md and ok.txt take two blocks each.
    assert_eq!(failure.offset(), Some(4 * 512));
    assert!(failure.help().starts_with("publisher: "), "{}", failure.help());
    assert_eq!(failure.help(), failure.error().help());
    assert!(!failure.error().why().is_empty());
    assert!(failure.to_string().starts_with("entry 3 `a/../../x`: "), "{failure}");
    assert_eq!(failure.to_string(), failure.error().to_string());
    let report = failure.report();
    assert_eq!(report.verdict, Verdict::Refused);
    assert_eq!(report.output, None);
    assert_eq!(report.refusals.len(), 1, "extraction ends at the first");
    assert_eq!(report.error.as_ref().map(Error::code), Some(Code::PathTraversal));
    assert_eq!(report.entries[2].refused, Some(Code::PathTraversal));
    assert!(report.artifact.verified);
    let copy: Failure = failure.clone();
    let boxed: Box<dyn std::error::Error + Send + Sync> = Box::new(copy);
    assert!(boxed.source().is_none());
    let error: Error = failure.into();
    assert_eq!(error.code(), "path-traversal");
    assert_eq!(error.code().to_string(), "path-traversal");
}

#[test]
fn a_failure_of_the_machine_is_no_verdict() {
    let directory = temp_dir();
    std::fs::write(directory.path().join("file"), "in the way").unwrap();
    let failure = failure(verified(&demo()).extract(directory.path().join("file/out"), &Options::default()));
    assert_eq!((failure.code(), failure.kind()), (Code::Io, Kind::Failed));
    assert_eq!(failure.report().verdict, Verdict::Failed);
    assert!(failure.report().refusals.is_empty());
    assert!(std::error::Error::source(&failure).is_some());
}

#[test]
fn check_lists_every_refusal_and_extraction_ends_with_the_first_of_them() {
    let members = vec![symlink("l", "nowhere"), file("a:b", ""), file("x\u{202e}", ""), file("aux.txt", "")];
    let report = check(members.clone(), &Options::default());
    let codes: Vec<_> = report.refusals.iter().map(|error| error.code().as_str()).collect();
    assert_eq!(codes, ["link-target-missing", "path-colon", "path-invisible", "path-reserved-name"]);
    assert_eq!(report.error.as_ref().map(Error::code), Some(Code::LinkTargetMissing));
    let ordinals: Vec<_> = report.refusals.iter().map(|error| error.entry().unwrap().ordinal()).collect();
    assert_eq!(ordinals, [2, 3, 4, 5]);
    let directory = temp_dir();
    let bytes = tar_gz(&with_skill(members));
    let failure = failure(verified(&bytes).extract(directory.path().join("out"), &Options::default()));
    assert_eq!(failure.code(), "link-target-missing");
    assert!(crate::names(directory.path()).is_empty());
}

#[test]
fn a_report_lists_a_hundred_refusals_and_no_more() {
    for (count, listed) in [(99, 99), (100, 100), (101, 100), (500, 100)] {
        let members = (0..count).map(|number| file(format!("a{number}:b"), "")).collect();
        let report = check(members, &Options::default());
        assert_eq!(report.refusals.len(), listed, "{count}");
        assert_eq!(report.entries.len(), count + 1);
        assert_eq!(report.refusals[0].entry().unwrap().ordinal(), 2);
        assert!(report.entries.iter().skip(1).all(|entry| entry.refused == Some(Code::PathColon)));
    }
}

#[test]
fn names_and_texts_of_a_stranger_are_escaped_wherever_they_are_displayed() {
    let evil = "\u{1b}[31m\u{202e}::error::\u{9b}x\r\n##vso[task]";
    let name = format!("evil{evil}");
    let report = check(vec![file(&name, "")], &Options::default());
    let error = report.error.clone().unwrap();
    let shown = [error.to_string(), format!("{error:?}"), error.entry().unwrap().name().to_owned()];
    for text in shown {
        assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text:?}");
        assert!(!text.contains("::error") && !text.contains("##vso"), "{text:?}");
    }
    assert_eq!(error.entry().unwrap().name(), escape(name.as_bytes()).to_string());
}

#[test]
fn the_skills_own_words_are_held_back_until_asked_for_raw() {
    let description = "Evil \u{202e} ::error:: gu\u{ed}a";
    let text = format!("---\nname: \u{43d}\u{430}\u{432}\u{44b}\u{43a}\ndescription: \"{description}\"\n---\n");
    let artifact = verified(&gzip(Tar::empty().file("SKILL.md", text).end()));
    let skill = artifact.skill(&Options::default()).unwrap();
    assert_eq!(skill.description().as_raw(), description);
    assert_eq!(skill.description().to_string(), r"Evil \u{202e} :\u{3a}error:\u{3a} gu\u{ed}a");
    assert_eq!(skill.name().to_string(), r"\u{43d}\u{430}\u{432}\u{44b}\u{43a}");
    for text in [format!("{:?}", skill.name()), format!("{:?}", skill.description())] {
        assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text:?}");
    }
    assert!(!skill.has_valid_name());
    let long = format!("---\nname: a\ndescription: {}\n---\n", "d".repeat(5000));
    let skill = verified(&gzip(Tar::empty().file("SKILL.md", long).end())).skill(&Options::default()).unwrap();
    assert_eq!(skill.description().as_raw().len(), 5000);
    assert!(skill.description().to_string().len() < 250, "it is capped");
}

#[test]
fn every_code_explains_itself_and_is_found_by_its_name() {
    for code in Code::ALL {
        let row = code.explain();
        assert_eq!(row.code.parse::<Code>().unwrap(), *code);
        assert!(
            row.code.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
            "{code}"
        );
        assert_eq!(code.class() == Class::Finding, code.is_finding());
        for text in [row.what, row.why, row.help] {
            assert!(!text.is_empty() && text.is_ascii() && !text.contains('\n'), "{code}: {text}");
        }
    }
    assert!("no-such-code".parse::<Code>().is_err());
    assert!("Path-Traversal".parse::<Code>().is_err());
}

/// Cases: D05-bits.
#[test]
fn each_bit_of_a_digest_counts() {
    let bytes = tar_gz(&with_skill(vec![]));
    let right = crate::support::sha256(&bytes);
    let verify = |text: &str| {
        let digest: Digest = text.parse().expect("well-formed");
        Artifact::from_bytes(bytes.clone()).verify(&digest).map(|_| ()).map_err(|failure| failure.code().as_str())
    };
    assert_eq!(verify(&right), Ok(()));
    for at in "sha256:".len()..right.len() {
        for bit in 0..4 {
            let mut digits: Vec<char> = right.chars().collect();
            let digit = digits[at].to_digit(16).expect("a digit") ^ (1 << bit);
            digits[at] = char::from_digit(digit, 16).expect("a digit");
            assert_eq!(
                verify(&digits.into_iter().collect::<String>()),
                Err("digest-mismatch"),
                "digit {at}, bit {bit}"
            );
        }
    }
    // Neither a common beginning nor a common end makes them equal.
    for digest in [format!("{}{}", &right[..39], "0".repeat(32)), format!("sha256:{}{}", "0".repeat(32), &right[39..])]
    {
        assert_eq!(verify(&digest), Err("digest-mismatch"));
    }
    assert_eq!(verify(&format!("sha256:{}", "0".repeat(64))), Err("digest-mismatch"));
}
