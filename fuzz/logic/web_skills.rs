//! Web Skills: the input as skills.txt, and as robots.txt.

use skillx_archive::discovery::{Robots, WebSkills};
use skillx_archive::fetch::Url;

pub(crate) fn run(data: &[u8]) {
    let Ok(base) = "https://example.com/skills.txt".parse::<Url>() else { return };
    match WebSkills::parse(data, &base) {
        Ok(site) => {
            assert!(!site.name().as_raw().is_empty() && !site.sections().is_empty() && !site.entries().is_empty());
            let lines = data.iter().filter(|byte| **byte == b'\n').count() + 1;
            for entry in site.entries() {
                assert!((1..=lines).contains(&entry.line()), "line {} of {lines}", entry.line());
                assert!(site.section(entry).is_some());
                if let Err(error) = entry.target() {
                    assert!(error.to_string().bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{error}");
                }
            }
        }
        Err(error) => {
            assert!(matches!(error.code().as_str(), "index-invalid" | "html-page"), "{error:?}");
            assert!(error.to_string().bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{error}");
        }
    }
    let robots = Robots::parse(data);
    let allowed = robots.allows(&base);
    assert_eq!(allowed, robots.allows(&base));
}
