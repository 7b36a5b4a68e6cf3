//! Indexes of Agent Skills Discovery: the input as the file.

use std::collections::HashSet;

use skillx_archive::discovery::{AgentSkills, Offer, Version};
use skillx_archive::fetch::Url;

const CODES: &[&str] = &[
    "index-duplicate-name",
    "index-entry-invalid",
    "index-type-unknown",
    "skill-name-form",
    "url-invalid",
    "url-scheme",
    "url-userinfo",
];

pub(crate) fn run(data: &[u8]) {
    let base: Url = "https://example.com/.well-known/agent-skills/index.json".parse().expect("an address");
    let index = match AgentSkills::parse(data, &base) {
        Ok(index) => index,
        Err(error) => {
            assert!(["index-invalid", "index-schema-unknown", "html-page"].contains(&error.code().as_str()), "{error}");
            assert!(printable(&error.to_string()), "{error}");
            return;
        }
    };
    assert!(index.entries().len() <= AgentSkills::MOST_ENTRIES);
    let mut names = HashSet::new();
    for (position, entry) in index.entries().iter().enumerate() {
        assert_eq!(entry.position(), position);
        assert!(entry.line() >= 1);
        let offer = match entry.offer() {
            Ok(offer) => offer,
            Err(error) => {
                assert!(CODES.contains(&error.code().as_str()), "{error}");
                assert!(printable(&error.to_string()), "{error}");
                continue;
            }
        };
        let name = entry.name().expect("an entry that can be used has a name").as_raw();
        assert!(name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')), "{name}");
        assert!(names.insert(name), "{name} is there twice");
        assert!(entry.description().is_some_and(|text| !text.as_raw().trim().is_empty()));
        match offer {
            Offer::Archive { url, .. } | Offer::SkillMd { url, .. } => {
                assert_eq!(index.version(), Version::V0_2_0);
                assert!(is_clean(url));
            }
            Offer::Files(files) => {
                assert_eq!(index.version(), Version::V0_1_0);
                assert!(files.iter().any(|file| file.path == "SKILL.md"));
                for file in files {
                    assert!(file.path.split('/').all(|part| !matches!(part, "" | "." | "..")), "{}", file.path);
                    assert!(is_clean(&file.url) && file.url.same_origin(&base));
                    assert!(file.url.path().starts_with(&format!("/.well-known/agent-skills/{name}/")), "{}", file.url);
                }
            }
            _ => panic!("an offer that nobody checks"),
        }
    }
}

fn is_clean(url: &Url) -> bool {
    let text = url.as_str();
    (text.starts_with("https://") || text.starts_with("http://")) && printable(text) && !url.host().is_empty()
}

fn printable(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}
