//! A rows: zip files as real tools write them, field by field. All of them have to be accepted.

use super::{Case, Expect::*, Sheet};
use crate::support::SKILL_MD;
use crate::support::gzip::to_block;
use crate::support::tree;
use crate::support::zip::{
    DOS, Descriptor, Entry, FLAG_UTF8, ONES32, OSX, STORED, UNIX, Zip, Zip64, extra, zip64_extra,
};

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    info_zip(&mut s);
    git(&mut s);
    python(&mut s);
    bsdtar(&mut s);
    java(&mut s);
    seven_zip(&mut s);
    streamers(&mut s);
    macos(&mut s);
    others(&mut s);
    s.done()
}

const SCRIPT: &[u8] = b"#!/bin/sh\necho hello\n";

fn sample_tree() -> [(String, tree::Node); 3] {
    [tree::dir("scripts"), tree::exec("scripts/run.sh", SCRIPT), tree::file("notes.txt", "notes\n")]
}

/// The same without x bits, for hosts that have none.
fn plain_tree() -> [(String, tree::Node); 3] {
    [tree::dir("scripts"), tree::file("scripts/run.sh", SCRIPT), tree::file("notes.txt", "notes\n")]
}

/// The sample, each entry changed by `style`.
fn sample(style: impl Fn(Entry) -> Entry) -> Zip {
    [
        Entry::file("SKILL.md", SKILL_MD).deflated(),
        Entry::dir("scripts/"),
        Entry::file("scripts/run.sh", SCRIPT).unix_mode(0o100_755).deflated(),
        Entry::file("notes.txt", "notes\n"),
    ]
    .into_iter()
    .fold(Zip::empty(), |zip, entry| zip.entry(style(entry)))
}

fn time_extra(central: bool) -> Vec<u8> {
    let data: &[u8] = if central { &[3, 0, 0xf1, 0x53, 0x65] } else { &[3, 0, 0xf1, 0x53, 0x65, 1, 0xf1, 0x53, 0x65] };
    extra(0x5455, data)
}

/// Times and owners, longer in the local header than in the central record.
fn info_zip_style(entry: Entry) -> Entry {
    let owner = extra(0x7875, [1, 4, 0xe8, 3, 0, 0, 4, 0xe8, 3, 0, 0]);
    entry.with(|e| {
        e.local.extra = Some([time_extra(false), owner.clone()].concat());
        e.central.extra = Some([time_extra(true), owner].concat());
        e.central.internal = 1;
    })
}

fn info_zip(s: &mut Sheet) {
    s.zip("A-zip-infozip", "Info-ZIP zip -r", sample(info_zip_style), Accepted).tree(sample_tree());
    let unflagged = Entry::file("gu\u{ed}a.md", "1").with(|e| e.flags = 0);
    s.zip(
        "A-zip-infozip-utf8",
        "Info-ZIP, a UTF-8 name without the flag",
        sample(info_zip_style).entry(info_zip_style(unflagged)),
        Accepted,
    )
    .tree([
        tree::dir("scripts"),
        tree::exec("scripts/run.sh", SCRIPT),
        tree::file("notes.txt", "notes\n"),
        tree::file("gu\u{ed}a.md", "1"),
    ]);
    let link = Zip::skill().entry(info_zip_style(Entry::symlink("l", "SKILL.md")));
    s.zip("A-zip-infozip-y", "Info-ZIP zip -y", link, Accepted).tree([tree::link("l", "SKILL.md")]);
    s.zip(
        "A-zip-dot",
        "names behind `./`",
        Zip::empty().entry(Entry::dir("./")).file("./SKILL.md", SKILL_MD),
        Accepted,
    )
    .tree([]);
}

fn git(s: &mut Sheet) {
    let git_style = |entry: Entry| {
        let is_exec = entry.external >> 16 & 0o111 != 0 && !entry.name.ends_with(b"/");
        let entry = entry.with(|e| {
            e.version = 10;
            e.extra = extra(0x5455, [1, 0, 0xf1, 0x53, 0x65]);
        });
        // Attributes only where a plain file would lose something.
        if is_exec { entry } else { entry.with(|e| (e.made_by, e.external) = (0, 0)) }
    };
    let comment = |z: &mut Zip| z.end.comment = b"0123456789abcdef0123456789abcdef01234567".to_vec();
    s.zip(
        "A-zip-git",
        "git archive: version 1.0 with deflate, commit as comment",
        sample(git_style).with(comment),
        Accepted,
    )
    .tree(sample_tree());
    let prefixed = sample(git_style).with(comment).with(|z| {
        for entry in &mut z.entries {
            entry.name = [b"demo-main/", &entry.name[..]].concat();
        }
        z.entries.insert(0, git_style(Entry::dir("demo-main/")));
    });
    s.zip("A-zip-github", "a GitHub source zip, unwrapped", prefixed, Accepted)
        .args(&["--strip-root"])
        .tree(sample_tree());
}

fn python(s: &mut Sheet) {
    s.zip(
        "A-zip-python",
        "Python zipfile",
        sample(|e| e.with(|e| e.made_by = u16::from_be_bytes([UNIX, 20]))),
        Accepted,
    )
    .tree(sample_tree());
    let force = |e: Entry| if e.name.ends_with(b"/") { e } else { e.zip64_local() };
    s.zip("A-zip-python-zip64", "force_zip64: all ones and 0x0001 in the local header only", sample(force), Accepted)
        .tree(sample_tree());
    let windows = |e: Entry| e.with(|e| e.made_by = u16::from_be_bytes([DOS, 20]));
    s.zip("A-zip-python-windows", "Python on Windows: host 0 with unix bits", sample(windows), Accepted)
        .tree(plain_tree());
    let writestr = |e: Entry| if e.name.ends_with(b"/") { e } else { e.unix_mode(0o600) };
    s.zip("A-zip-python-writestr", "writestr: no type bits", sample(writestr), Accepted).tree(plain_tree());
    let pipe = |e: Entry| {
        if e.name.ends_with(b"/") {
            return e;
        }
        // Sizes of eight bytes in the descriptor, announced by a local 0x0001.
        let values = zip64_extra(&[0, 0]);
        e.streamed(Descriptor { wide: true, ..Descriptor::default() }).with(|e| {
            (e.local.packed, e.local.size, e.local.extra) = (Some(ONES32), Some(ONES32), Some(values));
            e.version = 45;
            e.method = 8;
        })
    };
    s.zip("A-zip-python-pipe", "Python to a pipe: 64-bit descriptors", sample(pipe), Accepted).tree(sample_tree());
    let stream = |e: Entry| if e.name.ends_with(b"/") { e } else { e.deflated().streamed(Descriptor::default()) };
    s.zip("A-zip-python-unseekable", "Python to an unseekable file: 32-bit descriptors", sample(stream), Accepted)
        .tree(sample_tree());
}

fn bsdtar(s: &mut Sheet) {
    let style = |e: Entry| {
        let size = e.data.len() as u32;
        if e.name.ends_with(b"/") {
            e
        } else {
            e.deflated().streamed(Descriptor::default()).with(|e| e.local.size = Some(size))
        }
    };
    let zip = sample(style);
    s.zip("A-zip-bsdtar", "bsdtar: descriptors, and the size in the local header", zip.clone(), Accepted)
        .tree(sample_tree());
    let length = zip.build().len();
    let padding = |zeros: usize| zip.clone().with(|z| z.trailing = vec![0; zeros]);
    s.zip("A-zip-bsdtar-pipe", "bsdtar to a pipe: padded to 10,240", padding(10_240 - length), Accepted)
        .tree(sample_tree());
    s.zip("A-zip-bsdtar-block", "padded to 512", padding(to_block(length)), Accepted).tree(sample_tree());
}

fn java(s: &mut Sheet) {
    let jar = |e: Entry| {
        let e = e.with(|e| (e.made_by, e.external) = (20, 0));
        if e.name.ends_with(b"/") {
            e.with(|e| e.body = Some(vec![3, 0])).deflated().streamed(Descriptor::default())
        } else {
            e.deflated().streamed(Descriptor::default())
        }
    };
    s.zip(
        "A-zip-java",
        "ZipOutputStream: descriptors everywhere, directories with an empty stream",
        sample(jar),
        Accepted,
    )
    .tree(plain_tree());
    let first = sample(jar).with(|z| z.entries[0].extra = extra(0xcafe, []));
    s.zip("A-zip-jar", "jar: the 0xCAFE mark on the first member", first, Accepted).tree(plain_tree());
    let seekable = |e: Entry| {
        if e.name.ends_with(b"/") {
            return e;
        }
        let (size, packed) = (e.data.len() as u64, e.packed().len() as u64);
        e.with(|e| e.local.extra = Some(zip64_extra(&[size, packed])))
            .with(|e| (e.local.packed, e.local.size) = (Some(ONES32), Some(ONES32)))
    };
    s.zip(
        "A-zip-commons",
        "commons-compress: 0x0001 with real sizes in the local header only",
        sample(seekable),
        Accepted,
    )
    .tree(sample_tree());
    let always = sample(seekable).with(|z| z.zip64 = Some(Zip64::default()));
    s.zip("A-zip-commons-end64", "commons-compress: a zip64 end record without sentinels", always, Accepted)
        .tree(sample_tree());
}

fn seven_zip(s: &mut Sheet) {
    let ntfs = extra(0x000a, [&[0; 4][..], &[1, 0, 24, 0], &[0x5a; 24]].concat());
    let style = |e: Entry| {
        let ntfs = ntfs.clone();
        e.with(|e| {
            e.central.extra = Some(ntfs);
            e.central.version = Some(if e.method == STORED { 10 } else { 20 });
            e.local.version = Some(20);
            e.made_by = u16::from_be_bytes([DOS, 63]);
            // 7z writes unix modes with host 0 and a bit that says so.
            e.external |= 0x8000;
        })
    };
    s.zip("A-zip-7z", "7z: versions differ, 0x000a only in the central record", sample(style), Accepted)
        .tree(plain_tree());
    let unix = |e: Entry| style(e).with(|e| e.made_by = u16::from_be_bytes([UNIX, 63]));
    s.zip("A-zip-7z-linux", "7z on Linux", sample(unix), Accepted).tree(sample_tree());
}

fn streamers(s: &mut Sheet) {
    let client_zip =
        |e: Entry| e.streamed(Descriptor::default()).with(|e| (e.method, e.flags) = (STORED, e.flags | FLAG_UTF8));
    s.zip(
        "A-zip-client-zip",
        "client-zip: everything stored with descriptors, directories too",
        sample(client_zip),
        Accepted,
    )
    .tree(sample_tree());
    let go =
        |e: Entry| if e.name.ends_with(b"/") { e.external(0) } else { e.deflated().streamed(Descriptor::default()) };
    s.zip("A-zip-go", "Go archive/zip: descriptors, directories without attributes", sample(go), Accepted)
        .tree(sample_tree());
    let no_signature = |e: Entry| {
        if e.name.ends_with(b"/") {
            e
        } else {
            e.deflated().streamed(Descriptor { signature: false, ..Descriptor::default() })
        }
    };
    s.zip(
        "A-zip-no-signature",
        "descriptors without a signature, as old writers leave them",
        sample(no_signature),
        Accepted,
    )
    .tree(sample_tree());
    let fflate =
        |e: Entry| if e.name.ends_with(b"/") { e.with(|e| e.body = Some(vec![3, 0])).deflated() } else { e.deflated() };
    s.zip("A-zip-fflate", "fflate: directories as two bytes of deflate", sample(fflate), Accepted).tree(sample_tree());
    let php = |e: Entry| {
        if e.name.ends_with(b"/") { e.with(|e| e.body = Some(Vec::new())).deflated().external(0) } else { e }
    };
    s.zip("A-zip-php", "PHP: directories as deflate of nothing", sample(php), Accepted).tree(sample_tree());
}

fn macos(s: &mut Sheet) {
    let ditto = |e: Entry| {
        let local = extra(0x5855, [0; 12]);
        let central = extra(0x5855, [0; 8]);
        let e = e.with(|e| {
            (e.local.extra, e.central.extra) = (Some(local), Some(central));
            e.flags &= !FLAG_UTF8;
            e.made_by = u16::from_be_bytes([UNIX, 21]);
        });
        if e.name.ends_with(b"/") { e } else { e.deflated().streamed(Descriptor::default()) }
    };
    let zip = sample(ditto)
        .entry(ditto(Entry::file("__MACOSX/._SKILL.md", "\0\x05\x16\x07")))
        .entry(ditto(Entry::file("gui\u{301}a.md", "1")))
        .entry(ditto(Entry::file(".DS_Store", "Bud1")));
    s.zip("A-zip-finder", "Finder: unflagged decomposed names, __MACOSX, .DS_Store", zip, Accepted).tree([
        tree::dir("scripts"),
        tree::exec("scripts/run.sh", SCRIPT),
        tree::file("notes.txt", "notes\n"),
        tree::file("gui\u{301}a.md", "1"),
    ]);
    let osx = Entry::file("gu\u{ed}a.md", "1").with(|e| e.flags = 0).host(OSX);
    s.zip("A-zip-host-19", "an unflagged UTF-8 name from host 19", Zip::skill().entry(osx), Accepted)
        .tree([tree::file("gu\u{ed}a.md", "1")]);
}

fn others(s: &mut Sheet) {
    let net = |e: Entry| e.with(|e| (e.made_by, e.external) = (20, 0)).deflated();
    let flat = |zip: Zip| zip.with(|z| z.entries.retain(|e| !e.name.ends_with(b"/")));
    s.zip("A-zip-dotnet", "PowerShell 7 and .NET: no directories, no attributes", flat(sample(net)), Accepted)
        .tree(plain_tree());
    let redundant = |e: Entry| {
        let (size, packed) = (e.data.len() as u64, e.packed().len() as u64);
        e.with(|e| e.extra = zip64_extra(&[size, packed]))
    };
    let files = flat(sample(redundant));
    s.zip("A-zip-redundant-zip64", "0x0001 where no field needs it, equal to the fields", files, Accepted)
        .tree(sample_tree());
    let all64 = sample(|e| e).with(|z| {
        z.zip64 = Some(Zip64::default());
        (z.end.count_here, z.end.count, z.end.size, z.end.offset) =
            (Some(0xffff), Some(0xffff), Some(ONES32), Some(ONES32));
    });
    s.zip("A-zip-end64", "a zip64 end record that is needed", all64, Accepted).tree(sample_tree());
    let aligned = |e: Entry| e.with(|e| e.local.extra = Some(extra(0xd935, [4, 0, 0, 0, 0, 0])));
    s.zip("A-zip-zipalign", "padding in the local extra field, as zipalign writes it", sample(aligned), Accepted)
        .tree(sample_tree());
    s.zip(
        "A-zip-comment",
        "comments on the archive and on a member",
        sample(|e| e).with(|z| {
            z.end.comment = b"made by hand".to_vec();
            z.entries[0].central.comment = b"the skill".to_vec();
        }),
        Accepted,
    )
    .tree(sample_tree());
}
