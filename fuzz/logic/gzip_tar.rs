//! gzip and tar: the input as a file, or (without the gzip signature) as the tar stream inside one.

use skillx_archive::{Layout, Limits, Verdict};

use super::oracle;
use super::support::{artifact, check, gzip, options, turn};

const BLOCK: usize = 512;

pub(crate) fn run(data: &[u8]) {
    let turn = turn(data);
    let bytes = if data.starts_with(b"\x1f\x8b") {
        data.to_vec()
    } else if turn & 1 == 0 {
        gzip(data)
    } else {
        gzip(&with_checksums(data))
    };
    let artifact = artifact(bytes.clone());
    let any = options().layout(Layout::Any);
    let report = check(&artifact, &any);
    if report.verdict == Verdict::Accepted {
        oracle::agree_on_tar_gz(&bytes, &artifact, &any, &report);
    }
    match turn >> 1 & 3 {
        // The layout only adds refusals.
        0 => {
            let skill = check(&artifact, &options());
            assert!(report.error.is_none() || skill.error.is_some());
        }
        1 => {
            let mut limits = Limits::default();
            (limits.total, limits.file, limits.entries) = (4096, 2048, 4);
            let tight = check(&artifact, &any.limits(limits));
            assert!(report.error.is_none() || tight.error.is_some());
        }
        _ => {}
    }
}

/// Puts the right checksum into every block that a reader takes for a header: no mutation finds it by itself.
fn with_checksums(data: &[u8]) -> Vec<u8> {
    let mut stream = data.to_vec();
    let mut at: usize = 0;
    while let Some(header) = stream.get_mut(at..at.saturating_add(BLOCK)).filter(|header| header[0] != 0) {
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        let digits = std::str::from_utf8(&header[124..135]).unwrap_or_default();
        let size = usize::from_str_radix(digits, 8).unwrap_or_default();
        at = at.saturating_add(BLOCK).saturating_add(size.min(data.len()).next_multiple_of(BLOCK));
    }
    stream
}
