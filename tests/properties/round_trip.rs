//! Whatever tree is packed by whichever writer comes back identical.

use std::io::{Cursor, Write};

use proptest::prelude::*;

use crate::support::carrier::{Carrier, Member, expected_tree};
use crate::support::gzip::gzip;
use crate::support::tar::{Header, Tar};
use crate::support::zip::{Descriptor, Zip};
use crate::support::{Kind, tree};
use crate::trees::members;
use crate::{config, judge, options, temp_dir};

#[track_caller]
fn assert_comes_back(bytes: &[u8], members: &[Member], pieces: &[usize]) {
    let parent = temp_dir();
    let report = judge(bytes, pieces, &options(0), parent.path());
    assert!(report.error.is_none(), "{:?}\n{members:#?}", report.error);
    let out = parent.path().join("out");
    let expected = expected_tree(members);
    assert_eq!(tree::differences(&expected, &tree::walk(&out)), Vec::<String>::new());
    assert_eq!(tree::bad_modes(&out), Vec::<String>::new());
    let count = |wanted: fn(&tree::Node) -> bool| expected.values().filter(|node| wanted(node)).count() as u64;
    let totals = report.totals;
    assert_eq!(totals.files, count(|node| matches!(node, tree::Node::File { .. })));
    assert_eq!(totals.directories, count(|node| matches!(node, tree::Node::Dir)));
    assert_eq!(totals.links, count(|node| matches!(node, tree::Node::Link(_))));
    assert_eq!(report.entries.len(), members.len());
}

/// Names as archivers decorate them; none of it may matter.
fn decorate(mut members: Vec<Member>, style: u8) -> Vec<Member> {
    for member in &mut members {
        if style & 1 != 0 {
            member.name.splice(..0, *b"./");
        }
        if style & 2 != 0 && member.kind == Kind::Dir {
            member.name.push(b'/');
        }
        if style & 4 != 0 && member.name.len() < 400 {
            let text = String::from_utf8(member.name.clone()).unwrap();
            member.name = text.replacen('/', "/.//", 1).into_bytes();
        }
    }
    if style & 8 != 0 {
        members.insert(0, crate::support::carrier::dir("./"));
    }
    members
}

fn gnu(members: &[Member]) -> Vec<u8> {
    let tar = members.iter().fold(Tar::empty(), |tar, member| {
        let tar = if member.target.len() > 100 { tar.long_link(&member.target) } else { tar };
        let tar = if member.name.len() > 100 { tar.long_name(&member.name) } else { tar };
        let kind = match member.kind {
            Kind::Dir => b'5',
            Kind::Symlink => b'2',
            Kind::HardLink => b'1',
            _ => b'0',
        };
        let header = Header::gnu(kind, &member.name).mode(u64::from(member.mode)).link(&member.target);
        tar.member(header, &member.content)
    });
    gzip(tar.end_blocked())
}

/// By the `tar` package, whose names and links go through its own rules.
fn tar_package(members: &[Member]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for member in members {
        let (name, target) = (text(&member.name), text(&member.target));
        let mut header = tar::Header::new_gnu();
        header.set_mode(member.mode);
        header.set_size(member.content.len() as u64);
        let kind = match member.kind {
            Kind::Dir => tar::EntryType::Directory,
            Kind::Symlink => tar::EntryType::Symlink,
            Kind::HardLink => tar::EntryType::Link,
            _ => tar::EntryType::Regular,
        };
        header.set_entry_type(kind);
        match member.kind {
            Kind::Symlink | Kind::HardLink => builder.append_link(&mut header, name, target),
            _ => builder.append_data(&mut header, name, member.content.as_slice()),
        }
        .expect("the writer takes it");
    }
    gzip(builder.into_inner().unwrap())
}

/// By the `zip` package.
fn zip_package(members: &[Member], method: zip::CompressionMethod) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip_members(&mut writer, members, method);
    writer.finish().unwrap().into_inner()
}

fn zip_package_streamed(members: &[Member]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = zip::ZipWriter::new_stream(&mut bytes);
    zip_members(&mut writer, members, zip::CompressionMethod::Deflated);
    writer.finish().unwrap();
    bytes
}

fn zip_members<W: Write + std::io::Seek>(
    writer: &mut zip::ZipWriter<W>,
    members: &[Member],
    method: zip::CompressionMethod,
) {
    for member in members {
        let options = zip::write::SimpleFileOptions::default();
        let options = options.compression_method(method).unix_permissions(member.mode & 0o777);
        let name = text(&member.name);
        match member.kind {
            Kind::Dir => writer.add_directory(name, options).expect("the writer takes it"),
            Kind::Symlink => writer.add_symlink(name, text(&member.target), options).expect("the writer takes it"),
            _ => {
                writer.start_file(name, options).expect("the writer takes it");
                writer.write_all(&member.content).unwrap();
            }
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("generated names are text")
}

/// Every member with a descriptor behind its data, of either width.
fn zip_streamed(members: &[Member], wide: bool) -> Vec<u8> {
    let entries = members.iter().map(|member| {
        let name = if member.kind == Kind::Dir { [&member.name[..], b"/"].concat() } else { member.name.clone() };
        let (kind, data) = match member.kind {
            Kind::Dir => (0o040_000, &member.content),
            Kind::Symlink => (0o120_000, &member.target),
            _ => (0o100_000, &member.content),
        };
        let entry = crate::support::zip::Entry::file(name, data).unix_mode(kind | member.mode);
        if member.kind == Kind::Dir {
            return entry;
        }
        let entry = entry.deflated().streamed(Descriptor { wide, ..Descriptor::default() });
        if wide { zip64(entry) } else { entry }
    });
    entries.fold(Zip::empty(), Zip::entry).build()
}

/// A descriptor with eight-byte sizes needs a local 0x0001; its values are not known yet when it is written.
fn zip64(entry: crate::support::zip::Entry) -> crate::support::zip::Entry {
    use crate::support::zip::{ONES32, zip64_extra};
    entry.with(|entry| {
        (entry.local.packed, entry.local.size) = (Some(ONES32), Some(ONES32));
        entry.local.extra = Some(zip64_extra(&[0, 0]));
        entry.version = 45;
    })
}

fn pieces() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![Just(vec![1]), proptest::collection::vec(1..5000_usize, 1..4)]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_tree_comes_back_from_a_tar(members in members(true), style in 0..16_u8, pieces in pieces()) {
        let decorated = decorate(members, style);
        assert_comes_back(&Carrier::TarGz.write(&decorated), &decorated, &pieces);
    }

    #[test]
    fn any_tree_comes_back_from_a_gnu_tar(members in members(true), style in 0..16_u8) {
        let decorated = decorate(members, style);
        assert_comes_back(&gnu(&decorated), &decorated, &[70_000]);
    }

    #[test]
    fn any_tree_comes_back_from_the_tar_package(members in members(true)) {
        assert_comes_back(&tar_package(&members), &members, &[70_000]);
    }

    #[test]
    fn any_tree_comes_back_from_a_zip(members in members(false), style in 0..16_u8, pieces in pieces()) {
        let decorated = decorate(members, style);
        assert_comes_back(&Carrier::Zip.write(&decorated), &decorated, &pieces);
    }

    #[test]
    fn any_tree_comes_back_from_a_zip_with_descriptors(members in members(false), wide in any::<bool>()) {
        assert_comes_back(&zip_streamed(&members, wide), &members, &[70_000]);
    }

    #[test]
    fn any_tree_comes_back_from_the_zip_package(members in members(false), stored in any::<bool>()) {
        let method = if stored { zip::CompressionMethod::Stored } else { zip::CompressionMethod::Deflated };
        assert_comes_back(&zip_package(&members, method), &members, &[70_000]);
        assert_comes_back(&zip_package_streamed(&members), &members, &[70_000]);
    }
}
