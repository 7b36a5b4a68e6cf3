//! zip: the input as a file.

use skillx_archive::{Format, Layout, Limits, Verdict};

use super::oracle;
use super::support::{artifact, check, options, turn};

pub(crate) fn run(data: &[u8]) {
    let artifact = artifact(data.to_vec());
    let any = options().layout(Layout::Any);
    let report = check(&artifact, &any);
    if report.verdict == Verdict::Accepted && report.artifact.format == Some("zip") {
        oracle::agree_on_zip(data, &artifact, &any, &report);
    }
    match turn(data) & 7 {
        // The layout only adds refusals.
        0 | 1 => {
            let skill = check(&artifact, &options());
            assert!(report.error.is_none() || skill.error.is_some());
        }
        2 | 3 => {
            let mut limits = Limits::default();
            (limits.total, limits.file, limits.entries) = (4096, 2048, 4);
            let tight = check(&artifact, &any.limits(limits));
            assert!(report.error.is_none() || tight.error.is_some());
        }
        // From a file rather than from memory: the same verdict.
        4 if report.artifact.format == Some("zip") => {
            let mut limits = Limits::default();
            limits.spool_memory = 0;
            let spooled = skillx_archive::Artifact::from_reader(data, &limits).expect("a slice is readable");
            let again = spooled.with_format(Format::Zip).trust_without_digest().check(&any);
            assert_eq!(again.error.map(|error| error.code()), report.error.map(|error| error.code()));
        }
        _ => {}
    }
}
