//! zip: the input as a file.

use skillx_archive::{Format, Layout, Limits, Options};

use super::support::{artifact, check};

pub(crate) fn run(data: &[u8]) {
    let artifact = artifact(data.to_vec());
    let any = check(&artifact, &Options::default().layout(Layout::Any));
    let skill = check(&artifact, &Options::default());
    // The layout only adds refusals.
    if any.error.is_some() {
        assert!(skill.error.is_some());
    }
    let mut limits = Limits::default();
    (limits.total, limits.file, limits.entries) = (4096, 2048, 4);
    check(&artifact, &Options::default().layout(Layout::Any).limits(limits));
    // From a file rather than from memory: the same verdict.
    let mut limits = Limits::default();
    limits.spool_memory = 0;
    if let Ok(spooled) = skillx_archive::Artifact::from_reader(data, &limits) {
        let report =
            spooled.with_format(Format::Zip).trust_without_digest().check(&Options::default().layout(Layout::Any));
        if any.artifact.format == Some("zip") {
            assert_eq!(report.error.map(|error| error.code()), any.error.map(|error| error.code()));
        }
    }
}
