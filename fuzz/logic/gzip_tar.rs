//! gzip and tar: the input as a file, or (without the gzip signature) as the tar stream inside one.

use skillx_archive::{Layout, Limits, Options};

use super::support::{artifact, check, gzip};

pub(crate) fn run(data: &[u8]) {
    let bytes = if data.starts_with(b"\x1f\x8b") { data.to_vec() } else { gzip(data) };
    let artifact = artifact(bytes);
    let any = check(&artifact, &Options::default().layout(Layout::Any));
    let skill = check(&artifact, &Options::default());
    // The layout only adds refusals.
    if any.error.is_some() {
        assert!(skill.error.is_some());
    }
    let mut limits = Limits::default();
    (limits.total, limits.file, limits.entries) = (4096, 2048, 4);
    check(&artifact, &Options::default().layout(Layout::Any).limits(limits));
}
