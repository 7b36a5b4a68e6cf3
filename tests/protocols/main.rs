//! The neighbouring protocols, as documents: Web Skills 0.1 and skill sharing 1.0.0. `docs/conformance.md` names these tests.
#![allow(clippy::disallowed_methods, clippy::pedantic, clippy::format_collect)] // Tests say it the short way.

mod site;
mod skill_sharing;
mod web_skills;

use skillx_archive::Error;
use skillx_archive::fetch::Url;

fn url(text: &str) -> Url {
    text.parse().unwrap()
}

/// One line of printable ASCII that holds these words.
#[track_caller]
fn assert_says(error: &Error, words: &str) {
    let text = error.to_string();
    assert!(text.contains(words), "{text}");
    assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text}");
}
