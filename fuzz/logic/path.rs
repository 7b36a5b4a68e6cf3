//! The path rules: the input as the name of a file, a directory and a link, and as a link target.

use skillx_archive::{Layout, Verdict};

use super::oracle;
use super::support::{artifact, check, finish, member, options, record, turn};

pub(crate) fn run(data: &[u8]) {
    let Some((kind, name)) = data.split_first() else { return };
    let mut tar = Vec::new();
    member(&mut tar, b'0', b"target", b"", b"x");
    let (flag, records) = match kind % 4 {
        0 => (b'0', record(b"path", name)),
        1 => (b'5', record(b"path", name)),
        2 => (b'2', [record(b"path", name), record(b"linkpath", b"target")].concat()),
        _ => (b'2', [record(b"path", b"dir/link"), record(b"linkpath", name)].concat()),
    };
    let trace: &[u8] = if flag == b'2' { b"l" } else { b"" };
    member(&mut tar, b'x', b"pax", b"", &records);
    member(&mut tar, flag, b"short", trace, b"");
    let (stream, file) = finish(tar);
    let artifact = artifact(file);
    let any = options().layout(Layout::Any);
    let report = check(&artifact, &any);
    if report.verdict == Verdict::Accepted {
        oracle::agree_on_tar(&stream, &artifact, &any, &report);
    }
    match turn(data) & 7 {
        0 => drop(check(&artifact, &any.strip_root(true))),
        1 => drop(check(&artifact, &options())),
        _ => {}
    }
}
