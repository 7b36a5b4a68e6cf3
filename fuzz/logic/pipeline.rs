//! The whole pipeline into the null sink: the input as a list of members over a tiny alphabet of names, and options.

use skillx_archive::{Layout, Links, Verdict};

use super::oracle;
use super::support::{SKILL_MD, artifact, check, finish, member, options, turn};

/// Small alphabets find collisions.
const NAMES: [&[u8]; 12] =
    [b".", b"..", b"a", b"b", b"A", b"SKILL.md", b"skill.md", b"._a", b"__MACOSX", b"w", b"GIT~1", b"caf\xc3\xa9"];
const FLAGS: [u8; 8] = [b'0', b'0', b'5', b'2', b'1', b'6', b'2', b'0'];

pub(crate) fn run(data: &[u8]) {
    let mut bytes = data.iter().copied();
    let mut next = || bytes.next().unwrap_or_default();
    let choice = next();
    let mut tar = Vec::new();
    if choice & 1 != 0 {
        member(&mut tar, b'0', b"SKILL.md", b"", SKILL_MD);
    }
    for _ in 0..next() % 14 {
        let flag = FLAGS[usize::from(next() % 8)];
        let name = path(&mut next);
        let link = if matches!(flag, b'1' | b'2') { path(&mut next) } else { Vec::new() };
        let is_skill = name.ends_with(b"SKILL.md");
        let payload: &[u8] = if flag == b'0' && is_skill { SKILL_MD } else { b"" };
        member(&mut tar, flag, &name, &link, payload);
    }
    let mut options = options().strip_root(choice & 2 != 0);
    if choice & 4 != 0 {
        options = options.layout(Layout::Any);
    }
    if choice & 8 != 0 {
        options = options.links(Links::Deny);
    }
    let (stream, file) = finish(tar);
    let artifact = artifact(file);
    let report = check(&artifact, &options);
    if report.verdict == Verdict::Accepted {
        return oracle::agree_on_tar(&stream, &artifact, &options, &report);
    }
    if turn(data) & 3 != 0 {
        return;
    }
    // What stops at the first refusal names the same one as what collects all.
    let first = artifact.read("a", &options).err();
    let first = first.expect("refused by check, so refused by read");
    let refusal = report.error.expect("a refusal has an error");
    assert_eq!(first.code(), refusal.code());
    assert_eq!(first.entry(), refusal.entry());
}

fn path(next: &mut impl FnMut() -> u8) -> Vec<u8> {
    let shape = next();
    let mut path = Vec::new();
    for at in 0..=shape % 3 {
        if at > 0 {
            path.push(b'/');
        }
        path.extend_from_slice(NAMES[usize::from(next()) % NAMES.len()]);
    }
    if shape & 0x40 != 0 {
        path.push(b'/');
    }
    path
}
