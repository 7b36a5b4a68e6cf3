//! The programs that are asked, and what docs/oracles.md takes out of their answers.

use std::fs;
use std::path::Path;

use unicode_normalization::UnicodeNormalization as _;

use crate::support::tree::{Node, Tree};
use crate::tools;

pub struct Reader {
    pub name: &'static str,
    pub zip: bool,
    /// What has to be on the machine.
    pub tools: &'static [&'static str],
    /// Unpacks `$IN` into the working directory: bash, or Python for the readers that are Python.
    script: &'static str,
}

pub const READERS: &[Reader] = &[
    Reader { name: "GNU tar", zip: false, tools: &["tar", "gzip"], script: "tar -xzf $IN" },
    Reader { name: "bsdtar", zip: false, tools: &["bsdtar"], script: "bsdtar -xf $IN" },
    Reader {
        name: "tarfile",
        zip: false,
        tools: &["python3"],
        script: "tarfile.open(archive).extractall('.', filter='data')",
    },
    Reader { name: "7-Zip", zip: false, tools: &["7z"], script: "7z x -so -tgzip $IN | 7z x -y -si -ttar" },
    Reader { name: "bsdtar", zip: true, tools: &["bsdtar"], script: "bsdtar -xf $IN" },
    Reader { name: "zipfile", zip: true, tools: &["python3"], script: ZIPFILE },
    Reader { name: "UnZip", zip: true, tools: &["unzip"], script: UNZIP },
    Reader { name: "7-Zip", zip: true, tools: &["7z"], script: "7z x -y -tzip $IN" },
];

/// Line 1: names without the flag are encoded in code page 437 again.
const ZIPFILE: &str = "z = zipfile.ZipFile(archive)
    for i in z.infolist():
        if not i.flag_bits & 0x800: i.filename = i.filename.encode('cp437').decode('utf-8')
        z.extract(i)";

/// Line 12: with `-V`. Warnings are no errors.
const UNZIP: &str = "unzip -V -o -q $IN || test $? = 1";

/// Unpacks `N.archive` into `out/N` for each number, and writes how that ended to `N.status`.
pub fn unpack_all(reader: &Reader, place: &Path, count: usize) {
    let script = if reader.tools == ["python3"] {
        format!(
            "import os, sys, tarfile, zipfile
place = os.getcwd()
def unpack(archive):
    {}
for n in range({count}):
    os.chdir(f'{{place}}/out/{{n}}')
    try: unpack(f'{{place}}/{{n}}.archive'); status = 0
    except Exception as e: status = 1
    open(f'{{place}}/{{n}}.status', 'w').write(str(status))
",
            reader.script
        )
    } else {
        format!(
            "place=$PWD\nfor n in $(seq 0 {}); do\n cd $place/out/$n; IN=$place/$n.archive\n \
             if ( {} ) >/dev/null 2>&1 </dev/null; then echo 0; else echo 1; fi > $place/$n.status\ndone",
            count as i64 - 1,
            reader.script
        )
    };
    fs::write(place.join("script"), script).unwrap();
    let call = if reader.tools == ["python3"] { "python3 script" } else { "bash -o pipefail script" };
    tools::shell(place, call, &[]);
}

/// What is not given to a reader: Line 2, Line 13 and Line 14.
pub fn left_out(reader: &Reader, archive: &[u8]) -> bool {
    const DOS: u8 = 0;
    const AMIGA: u8 = 1;
    match (reader.name, reader.zip) {
        ("UnZip", true) => central(archive).any(|(host, name)| host == DOS && !name.is_ascii()),
        ("7-Zip", true) => central(archive).any(|(host, _)| host == AMIGA),
        ("7-Zip", false) => has_nul_in_a_pax_header(archive),
        _ => false,
    }
}

/// Host and name of each central record.
fn central(archive: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    let starts = archive.windows(46).enumerate().filter(|(_, record)| record.starts_with(b"PK\x01\x02"));
    starts.map(|(at, record)| {
        let length = usize::from(u16::from_le_bytes([record[28], record[29]]));
        (record[5], archive.get(at + 46..at + 46 + length).unwrap_or_default())
    })
}

fn has_nul_in_a_pax_header(archive: &[u8]) -> bool {
    use std::io::Read as _;

    let mut stream = Vec::new();
    let _ = flate2::read::GzDecoder::new(archive).read_to_end(&mut stream);
    let header =
        |block: &[u8]| block.get(156).is_some_and(|kind| b"xg".contains(kind)) && block.get(257..262) == Some(b"ustar");
    let size =
        |block: &[u8]| usize::from_str_radix(std::str::from_utf8(&block[124..135]).unwrap_or_default(), 8).unwrap_or(0);
    let starts = (0..stream.len()).step_by(512).filter(|at| header(&stream[*at..]));
    starts.into_iter().any(|at| stream[at + 512..].iter().take(size(&stream[at..])).any(|byte| *byte == 0))
}

/// Both trees, with what the list takes out taken out.
pub fn normalised(reader: &Reader, theirs: Tree, ours: &Tree, archive: &[u8]) -> (Tree, Tree) {
    let (mut theirs, mut ours) = (without_noise(theirs, ours), ours.clone());
    // Line 8.
    if reader.name == "bsdtar" {
        (theirs, ours) = (composed(theirs), composed(ours));
    }
    // Line 5: permissions are restored in many ways. What stays is whether anyone may execute it, where the reader keeps that.
    let keeps_modes = reader.name != "zipfile" && (!reader.zip || all_made_on_unix(archive));
    if !keeps_modes {
        (theirs, ours) = (without_modes(theirs), without_modes(ours));
    }
    match reader.name {
        // Line 18: a hard link sets the mode of the file that it names.
        "tarfile" => {
            for path in hard_linked(archive) {
                for tree in [&mut theirs, &mut ours] {
                    if let Some(Node::File { exec, .. }) = tree.get_mut(&path) {
                        *exec = false;
                    }
                }
            }
        }
        // Line 3.
        "zipfile" => ours.values_mut().for_each(link_to_file),
        // Line 9: a link is there as it should be, or it is missing, or it is a file.
        "7-Zip" => {
            let links: Vec<String> =
                ours.iter().filter(|(_, node)| matches!(node, Node::Link(_))).map(|(path, _)| path.clone()).collect();
            for path in links {
                if theirs.get(&path) != ours.get(&path) {
                    (theirs.remove(&path), ours.remove(&path));
                }
            }
        }
        _ => {}
    }
    (theirs, ours)
}

/// Line 6: without metadata, and without the directories that nothing but metadata lies in.
pub fn without_noise(mut tree: Tree, ours: &Tree) -> Tree {
    let is_noise = |path: &str, node: &Node| {
        let name = path.rsplit('/').next().unwrap_or_default();
        path.split('/').next() == Some("__MACOSX")
            || matches!(node, Node::File { .. }) && (name == ".DS_Store" || name.starts_with("._"))
    };
    let noise: Vec<String> =
        tree.iter().filter(|(path, node)| is_noise(path, node)).map(|(path, _)| path.clone()).collect();
    tree.retain(|path, _| !noise.contains(path));
    for path in &noise {
        let parents: Vec<&str> = path.match_indices('/').filter_map(|(at, _)| path.get(..at)).collect();
        for parent in parents.into_iter().rev() {
            let below = format!("{parent}/");
            if !ours.contains_key(parent) && !tree.keys().any(|path| path.starts_with(&below)) {
                tree.remove(parent);
            }
        }
    }
    tree
}

pub fn composed(tree: Tree) -> Tree {
    tree.into_iter().map(|(path, node)| (path.nfc().collect(), node)).collect()
}

pub fn without_modes(mut tree: Tree) -> Tree {
    for node in tree.values_mut() {
        if let Node::File { exec, .. } = node {
            *exec = false;
        }
    }
    tree
}

pub fn link_to_file(node: &mut Node) {
    if let Node::Link(target) = node {
        *node = Node::File { bytes: target.clone().into_bytes(), exec: false };
    }
}

/// The hard links of a tar.gz, and the files that they name.
fn hard_linked(archive: &[u8]) -> Vec<String> {
    let mut stream = tar::Archive::new(flate2::read::GzDecoder::new(archive));
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        text.split('/').filter(|part| !matches!(*part, "" | ".")).collect::<Vec<_>>().join("/")
    };
    let links =
        stream.entries().into_iter().flatten().flatten().filter(|entry| entry.header().entry_type().is_hard_link());
    links.flat_map(|link| [text(&link.path_bytes()), text(&link.link_name_bytes().unwrap_or_default())]).collect()
}

fn all_made_on_unix(archive: &[u8]) -> bool {
    const UNIX: u8 = 3;
    central(archive).all(|(host, _)| host == UNIX)
}
