//! Damaged archives: whatever bytes change, nothing panics, hangs or is left behind, and the verdict does not depend on
//! how the bytes arrive.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::support::carrier::{Carrier, dir, exec, file, hardlink, symlink, with_skill};
use crate::support::gzip::{Gzip, gzip, stored};
use crate::support::tar::{Header, Tar};
use crate::support::zip::{Descriptor, Entry, Zip, Zip64};
use crate::{config, judge, options, temp_dir};

/// One change of some bytes.
#[derive(Clone, Debug)]
enum Damage {
    Set(Index, u8),
    Flip(Index, u8),
    Cut(Index),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Repeat(Index, usize),
    Swap(Index, Index, usize),
    /// A number of four bytes that readers are fond of.
    Number(Index, u32),
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let length = bytes.len();
        match self {
            Self::Set(at, value) => bytes[at.index(length)] = *value,
            Self::Flip(at, bit) => bytes[at.index(length)] ^= 1 << (bit % 8),
            Self::Cut(at) => bytes.truncate(at.index(length)),
            Self::Insert(at, more) => drop(bytes.splice(at.index(length)..at.index(length), more.iter().copied())),
            Self::Remove(at, count) => {
                let at = at.index(length);
                bytes.drain(at..(at + count).min(length));
            }
            Self::Repeat(at, count) => {
                let at = at.index(length);
                let piece = bytes[at..(at + count).min(length)].to_vec();
                bytes.splice(at..at, piece);
            }
            Self::Swap(one, other, count) => {
                let (one, other) = (one.index(length), other.index(length));
                for step in 0..*count {
                    if one + step < length && other + step < length {
                        bytes.swap(one + step, other + step);
                    }
                }
            }
            Self::Number(at, value) => {
                let at = at.index(length);
                for (to, from) in bytes[at..].iter_mut().zip(value.to_le_bytes()) {
                    *to = from;
                }
            }
        }
    }
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<Index>;
    prop_oneof![
        4 => (at(), any::<u8>()).prop_map(|(at, value)| Damage::Set(at, value)),
        4 => (at(), any::<u8>()).prop_map(|(at, bit)| Damage::Flip(at, bit)),
        2 => at().prop_map(Damage::Cut),
        1 => (at(), vec(any::<u8>(), 1..20)).prop_map(|(at, more)| Damage::Insert(at, more)),
        1 => (at(), 1..600_usize).prop_map(|(at, count)| Damage::Remove(at, count)),
        1 => (at(), 1..1100_usize).prop_map(|(at, count)| Damage::Repeat(at, count)),
        1 => (at(), at(), 1..600_usize).prop_map(|(one, other, count)| Damage::Swap(one, other, count)),
        1 => (at(), prop::sample::select(&[0, 1, 0xffff, 0x7fff_ffff, u32::MAX, 0x0403_4b50, 0x0605_4b50][..]))
            .prop_map(|(at, value)| Damage::Number(at, value)),
    ]
}

/// A valid archive, and the part of it that is damaged: all of the file, or the tar stream before it is compressed.
#[derive(Clone, Debug)]
enum Victim {
    File(Vec<u8>),
    Stream(Vec<u8>),
}

impl Victim {
    fn damaged(&self, damages: &[Damage]) -> Vec<u8> {
        match self {
            Self::File(bytes) => {
                let mut bytes = bytes.clone();
                damages.iter().for_each(|damage| damage.apply(&mut bytes));
                bytes
            }
            Self::Stream(tar) => {
                let mut tar = tar.clone();
                damages.iter().for_each(|damage| damage.apply(&mut tar));
                gzip(tar)
            }
        }
    }
}

static VICTIMS: LazyLock<Vec<Victim>> = LazyLock::new(|| {
    let members = with_skill(vec![
        dir("d"),
        exec("d/run", "#!/bin/sh\n"),
        file("large", (0..=255).cycle().take(3000).collect::<Vec<u8>>()),
        symlink("d/link", "run"),
        file("._noise", "noise"),
    ]);
    let tar_members = [members.clone(), vec![hardlink("copy", "d/run")]].concat();
    let long = format!("{}/{}", "d".repeat(110), "f".repeat(110));
    let tar = |tar: Tar| tar.end();
    let pax =
        tar(Tar::skill().pax(&[("path", long.as_bytes()), ("mtime", b"1.5")]).member(Header::ustar(b'0', "c"), "x"));
    let gnu = tar(Tar::skill().file_gnu_long(&long, "x").long_link(&long).header(Header::gnu(b'2', "l").link(&long)));
    let global = tar(Tar::empty().global(&[("comment", b"c")]).file("SKILL.md", crate::support::SKILL_MD));
    let plain = members.iter().filter(|member| member.target.is_empty());
    let ustar = plain.fold(Tar::empty(), |tar, member| match member.kind {
        crate::support::Kind::Dir => tar.dir(&member.name),
        _ => tar.file(&member.name, &member.content),
    });
    let ustar = ustar.end_blocked();
    let in_blocks = Gzip::new(&ustar).with(|gzip| gzip.body = stored(&ustar, 512)).build();
    let headers = Gzip::new(&pax).with(|gzip| {
        (gzip.name, gzip.extra, gzip.header_crc) = (Some(b"name".to_vec()), Some(vec![1, 2, 3]), Some(0));
    });
    let streamed = Zip::skill()
        .entry(Entry::file("a", b"streamed").deflated().streamed(Descriptor::default()))
        .entry(Entry::dir("d/"))
        .entry(Entry::symlink("l", "a"));
    let zip64 = Zip::skill().entry(Entry::file("a", b"large").zip64_local()).with(|zip| {
        zip.zip64 = Some(Zip64::default());
    });
    vec![
        Victim::File(Carrier::TarGz.write(&tar_members)),
        Victim::File(in_blocks),
        Victim::File(headers.build()),
        Victim::Stream(ustar),
        Victim::Stream(pax),
        Victim::Stream(gnu),
        Victim::Stream(global),
        Victim::File(Carrier::Zip.write(&members)),
        Victim::File(streamed.build()),
        Victim::File(zip64.build()),
    ]
});

#[test]
fn the_victims_are_accepted_before_they_are_damaged() {
    for victim in VICTIMS.iter() {
        let parent = temp_dir();
        let report = judge(&victim.damaged(&[]), &[1], &options(0), parent.path());
        assert!(report.error.is_none(), "{:?} of {victim:?}", report.error);
    }
}

proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: config().cases * 8, ..config() })]

    #[test]
    fn damaged_bytes_get_one_verdict_and_leave_nothing(
        victim in any::<Index>(),
        damages in vec(damage(), 1..4),
        pieces in prop_oneof![3 => Just(vec![1]), 1 => vec(1..700_usize, 1..3)],
        choice in any::<u8>(),
    ) {
        let bytes = VICTIMS[victim.index(VICTIMS.len())].damaged(&damages);
        let parent = temp_dir();
        judge(&bytes, &pieces, &options(choice), parent.path());
    }
}

/// Every prefix of every small victim: a truncated download is never accepted.
#[test]
fn no_prefix_of_an_archive_is_accepted() {
    for victim in VICTIMS.iter() {
        let Victim::File(bytes) = victim else { continue };
        for length in (0..bytes.len()).step_by(if bytes.len() > 3000 { 37 } else { 1 }) {
            let artifact = skillx_archive::Artifact::from_bytes(&bytes[..length]).trust_without_digest();
            let report = artifact.check(&options(1));
            assert!(report.error.is_some(), "the first {length} of {} bytes are accepted", bytes.len());
        }
    }
}

/// Every tar stream that ends early is refused as well, in a gzip member that is whole.
#[test]
fn no_prefix_of_a_tar_stream_is_accepted() {
    for victim in VICTIMS.iter() {
        let Victim::Stream(tar) = victim else { continue };
        // All but the last zeros are needed: two blocks end an archive, what follows is padding.
        let end = tar.iter().rposition(|byte| *byte != 0).unwrap().next_multiple_of(512) + 1024;
        for length in (0..end).step_by(31).chain([end - 512, end - 1]) {
            let report =
                skillx_archive::Artifact::from_bytes(gzip(&tar[..length])).trust_without_digest().check(&options(1));
            assert!(report.error.is_some(), "the first {length} of {end} bytes are accepted");
        }
    }
}
