//! The path rules: the input as the name of a file, a directory and a link, and as a link target.

use skillx_archive::{Layout, Options};

use super::support::{artifact, check, finish, member, record};

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
    member(&mut tar, b'x', b"pax", b"", &records);
    member(&mut tar, flag, b"short", b"", b"");
    let artifact = artifact(finish(tar));
    check(&artifact, &Options::default().layout(Layout::Any));
    check(&artifact, &Options::default().layout(Layout::Any).strip_root(true));
    check(&artifact, &Options::default());
}
