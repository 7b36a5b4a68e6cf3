//! What `pack` writes opens alike in every reader.

use super::*;
use tools::{Trial, demo, have};

/// Python unpacks, and adds what it leaves out by itself: permission bits and links.
const PYTHON_ZIP: &str = r"python3 - <<'END'
import os, zipfile
for i in (z := zipfile.ZipFile(os.environ['IN'])).infolist():
    mode, path = i.external_attr >> 16, z.extract(i)
    assert i.create_system == 3 and i.flag_bits & 8 == 0
    if mode & 0o170000 == 0o120000:
        target = open(path, 'rb').read()
        os.unlink(path)
        os.symlink(target, path)
    elif mode & 0o111 and not i.is_dir(): os.chmod(path, 0o755)
END";
const PYTHON_TAR: &str = r#"python3 -c "
import os, tarfile
with tarfile.open(os.environ['IN']) as archive: archive.extractall('.', filter='data')""#;

fn pack_and_open(extension: &str, tool: &str, reader: &str) {
    if !have(&[tool]) {
        return;
    }
    // docs/oracles.md: 7-Zip makes no links with `..`, bsdtar composes names.
    let spared = |(path, node): &(String, Node)| match tool {
        "7z" => matches!(node, Node::Link(target) if target.contains("..")),
        "bsdtar" => path.contains('\u{301}'),
        _ => false,
    };
    let skill = demo::skill().into_iter().filter(|item| !spared(item)).collect();
    let trial = Trial::of(skill, extension);
    let archive = trial.archive().display().to_string();
    let outcome = support::run::skillx(&["pack", &trial.directory().display().to_string(), "-o", &archive]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.err());
    trial.agrees_with(reader);
}

#[test]
fn gnu_tar_opens_the_tar() {
    pack_and_open("tar.gz", "tar", "tar -xzf $IN 2> warnings; test ! -s warnings; rm warnings");
}

#[test]
fn gnu_tar_in_a_plain_locale_opens_the_tar() {
    pack_and_open("tar.gz", "tar", "LC_ALL=C tar -xzf $IN");
}

#[test]
fn bsdtar_opens_both() {
    pack_and_open("tar.gz", "bsdtar", "bsdtar -xf $IN");
    pack_and_open("zip", "bsdtar", "bsdtar -xf $IN");
}

#[test]
fn bsdtar_opens_the_tar_from_a_pipe() {
    // Not the zip: what says that an entry is a link comes last there.
    pack_and_open("tar.gz", "bsdtar", "cat $IN | bsdtar -xf -");
}

#[test]
fn python_opens_both() {
    pack_and_open("tar.gz", "python3", PYTHON_TAR);
    pack_and_open("zip", "python3", PYTHON_ZIP);
}

#[test]
fn unzip_opens_the_zip() {
    pack_and_open("zip", "unzip", "unzip -q $IN");
}

#[test]
fn seven_zip_opens_both() {
    pack_and_open("zip", "7z", "7z x -bd -bso0 -y $IN");
    pack_and_open("tar.gz", "7z", "7z x -bd -bso0 -so $IN | 7z x -bd -bso0 -y -si -ttar");
}

#[test]
fn node_tar_opens_the_tar() {
    let Some(modules) = tools::npm(&["tar@7", "tar-fs@3"]) else { return };
    let trial = Trial::of(demo::skill(), "tar.gz");
    let archive = trial.archive().display().to_string();
    let outcome = support::run::skillx(&["pack", &trial.directory().display().to_string(), "-o", &archive]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.err());
    let reader = r#"node -e "require('tar').x({ file: process.env.IN, sync: true, strict: true })""#;
    trial.agrees_as(reader, &modules, &trial.skill);
}
