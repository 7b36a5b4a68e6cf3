//! SKILL.md: the input as the file.

use skillx_archive::SkillMd;

pub(crate) fn run(data: &[u8]) {
    match SkillMd::parse(data) {
        Ok(skill) => {
            for text in [skill.name(), skill.description()] {
                assert!(!text.as_raw().trim().is_empty());
                assert!(!text.as_raw().contains(|c: char| c.is_control() && !matches!(c, '\t' | '\n')));
                assert!(text.to_string().bytes().all(|byte| (b' '..=b'~').contains(&byte)));
            }
            assert!(skill.text().ends_with(skill.body()));
        }
        Err(error) => {
            assert_eq!(error.code(), "skill-md-invalid");
            assert!(error.to_string().bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{error}");
        }
    }
}
