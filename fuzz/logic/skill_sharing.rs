//! Skill sharing: the input as an index, and as a descriptor.

use skillx_archive::discovery::{Access, CapabilityType, Descriptor, SkillSharing};

pub(crate) fn run(data: &[u8]) {
    match SkillSharing::parse(data) {
        Ok(index) => {
            assert!(index.validate().is_ok());
            assert!(index.visible_to(false).skills().iter().all(|skill| skill.access != Access::Private));
            assert_eq!(index.visible_to(true).skills(), index.skills());
            let sorted: usize = CapabilityType::ALL.iter().map(|kind| index.filter(*kind).skills().len()).sum();
            assert_eq!(sorted, index.skills().len());
            for error in index.refused() {
                assert!(error.to_string().contains("$.skills["), "{error}");
                assert!(error.to_string().bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{error}");
            }
        }
        Err(error) => {
            let codes = ["index-invalid", "index-schema-unknown", "index-duplicate-id", "html-page"];
            assert!(codes.contains(&error.code().as_str()), "{error:?}");
            assert!(error.to_string().bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{error}");
        }
    }
    if let Ok(descriptor) = Descriptor::parse(data) {
        assert!(!descriptor.text().is_empty());
    }
}
