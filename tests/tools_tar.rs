//! Real writers of tar.gz: the demo skill packed just now by each is accepted, and comes out as the tool's own reader
//! unpacks it.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)] // tests stage files of their own
mod support;
mod tools;

use std::fs::File;
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use support::tree::{self, Node, Tree};
use tools::{Trial, demo, have, npm};
use unicode_normalization::UnicodeNormalization as _;

const GNU_TAR: &str = "tar -xzf $IN";
const BSDTAR: &str = "bsdtar -xf $IN";
const PYTHON: &str = r#"python3 -c "
import os, tarfile
tarfile.open(os.environ['IN']).extractall('.', filter='data')
""#;
const NODE_TAR: &str = r#"node -e "
require('tar').x({ file: process.env.IN, sync: true, strict: true })
""#;

fn gnu_tar(script: &str) {
    gnu_tar_of(demo::skill(), script);
}

fn gnu_tar_of(skill: Tree, script: &str) {
    if have(&["tar", "gzip"]) {
        Trial::of(skill, "tar.gz").pack(script).agrees_with(GNU_TAR);
    }
}

fn bsdtar_of(skill: Tree, script: &str) {
    if have(&["bsdtar", "gzip"]) {
        let trial = Trial::of(skill, "tar.gz").pack(script);
        let (own, ours) = (trial.own_reader(BSDTAR, Path::new("")), trial.extracted());
        assert_eq!(tree::differences(&composed(&own), &composed(&ours)), Vec::<String>::new());
        assert_eq!(tree::differences(&trial.skill, &ours), Vec::<String>::new());
    }
}

/// A defect of one reader: libarchive composes the names of pax headers, and writes NFC where NFD was packed.
fn composed(tree: &Tree) -> Tree {
    tree.iter().map(|(path, node)| (path.nfc().collect(), node.clone())).collect()
}

fn python_of(skill: Tree, code: &str) {
    if have(&["python3"]) {
        let script = format!("python3 -c \"\nimport os, shutil, sys, tarfile\nout = os.environ['OUT']\n{code}\n\"");
        Trial::of(skill, "tar.gz").pack(&script).agrees_with(PYTHON);
    }
}

fn git(revision: &str) {
    if have(&["git", "tar", "gzip"]) {
        let script = format!(
            "git init -q . && git add -A && git -c user.name=t -c user.email=t@example.com commit -qm t \
             && git archive --format=tar.gz -o $OUT {revision}"
        );
        let becomes = demo::without_empty_directories(&demo::skill());
        Trial::of(demo::skill(), "tar.gz").pack(&script).agrees_as(GNU_TAR, Path::new(""), &becomes);
    }
}

fn node(package: &str, code: &str) {
    let Some(modules) = npm(&["tar@7", "tar-fs@3"]) else { return };
    let trial = Trial::of(demo::skill(), "tar.gz");
    let script = format!("node -e \"\nconst pack = require('{package}'), out = process.env.OUT\n{code}\n\"");
    let trial = trial.pack_with(&script, &modules);
    trial.agrees_as(NODE_TAR, &modules, &trial.skill);
}

#[test]
fn gnu_tar_of_the_directory_itself_is_accepted() {
    gnu_tar("tar -czf $OUT -C . .");
}

#[test]
fn gnu_tar_of_a_glob_is_accepted() {
    gnu_tar("tar -czf $OUT *");
}

#[test]
fn gnu_tar_in_the_gnu_format_is_accepted() {
    gnu_tar("tar --format=gnu -czf $OUT .");
}

#[test]
fn gnu_tar_in_the_old_gnu_format_is_accepted() {
    gnu_tar("tar --format=oldgnu -czf $OUT .");
}

#[test]
fn gnu_tar_in_the_pax_format_is_accepted() {
    gnu_tar("tar --format=pax -czf $OUT .");
}

#[test]
fn gnu_tar_in_the_posix_format_is_accepted() {
    gnu_tar("tar --format=posix -czf $OUT *");
}

#[test]
fn gnu_tar_in_the_ustar_format_is_accepted() {
    gnu_tar_of(demo::ustar(), "tar --format=ustar -czf $OUT .");
}

#[test]
fn a_skill_md_that_is_the_second_name_of_a_file_is_accepted() {
    // `tar -h` stores what it meets second as a hard link, and the order is that of the directory.
    let trial = Trial::of(demo::skill(), "tar.gz");
    let mut becomes: Tree = trial.skill.clone();
    becomes.retain(|path, _| path == "SKILL.md");
    let content = becomes["SKILL.md"].clone();
    becomes.insert("AGENTS.md".to_owned(), content);
    let trial = trial.pack("ln -s SKILL.md AGENTS.md && tar -chzf $OUT AGENTS.md SKILL.md");
    trial.agrees_as(GNU_TAR, Path::new(""), &becomes);
}

#[test]
fn a_reproducible_gnu_tar_is_accepted() {
    gnu_tar(
        "tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --format=posix \
         --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime -cf - . | gzip -n9 > $OUT",
    );
}

#[test]
fn gnu_tar_with_extended_attributes_and_odd_owners_is_accepted() {
    gnu_tar("tar --format=pax --xattrs --acls --owner=someone:3000000 --group=Ünï:2999999 -czf $OUT .");
    gnu_tar("tar --format=gnu --owner=someone:3000000 --mtime=@-5000000000 -czf $OUT .");
}

#[test]
fn gnu_tar_with_global_pax_records_is_accepted() {
    gnu_tar("tar --format=pax --pax-option=globexthdr.name=g,comment=hello -czf $OUT .");
}

#[test]
fn gnu_tar_through_a_pipe_into_gzip_is_accepted() {
    gnu_tar("tar -cf - . | gzip --rsyncable | cat > $OUT");
}

#[test]
fn gnu_tar_with_hard_links_made_real_is_accepted() {
    gnu_tar("tar --hard-dereference -czf $OUT .");
}

#[test]
fn gnu_tar_that_follows_links_is_accepted() {
    if have(&["tar", "gzip"]) {
        // Without the link to SKILL.md: of two names of one file, tar makes the second a hard link.
        let skill: Tree = demo::skill().into_iter().filter(|(path, _)| path != "references/start.md").collect();
        let becomes = demo::followed(&skill);
        Trial::of(skill, "tar.gz").pack("tar -chzf $OUT .").agrees_as(GNU_TAR, Path::new(""), &becomes);
    }
}

#[test]
fn bsdtar_in_the_pax_format_is_accepted() {
    bsdtar_of(demo::skill(), "bsdtar --format=pax -czf $OUT .");
    bsdtar_of(demo::skill(), "bsdtar --format=pax -czf $OUT *");
}

#[test]
fn bsdtar_in_its_default_format_is_accepted() {
    bsdtar_of(demo::skill(), "bsdtar -czf $OUT -C . .");
}

#[test]
fn bsdtar_in_the_ustar_format_is_accepted() {
    bsdtar_of(demo::ustar(), "bsdtar --format=ustar -czf $OUT .");
}

#[test]
fn bsdtar_in_the_gnu_format_is_accepted() {
    bsdtar_of(demo::skill(), "bsdtar --format=gnutar -czf $OUT .");
}

#[test]
fn bsdtar_through_a_pipe_pads_the_compressed_file_and_is_accepted() {
    bsdtar_of(demo::skill(), "bsdtar --format=pax -cz . | cat > $OUT; test $(( $(stat -c %s $OUT) % 10240 )) = 0");
    bsdtar_of(demo::ustar(), "bsdtar --format=ustar -cz . | cat > $OUT; test $(( $(stat -c %s $OUT) % 10240 )) = 0");
}

#[test]
fn bsdtar_by_extension_is_accepted() {
    bsdtar_of(demo::skill(), "bsdtar -caf $OUT .");
}

#[test]
fn python_in_the_pax_format_is_accepted() {
    python_of(
        demo::skill(),
        "with tarfile.open(out, 'w:gz', format=tarfile.PAX_FORMAT) as t:\n t.add('.', arcname='.')",
    );
    python_of(
        demo::skill(),
        "with tarfile.open(out, 'w:gz', format=tarfile.PAX_FORMAT, pax_headers={'comment': 'hello'}) as t:\n \
         [t.add(name) for name in sorted(os.listdir('.'))]",
    );
}

#[test]
fn python_in_the_gnu_format_is_accepted() {
    python_of(
        demo::skill(),
        "with tarfile.open(out, 'w:gz', format=tarfile.GNU_FORMAT) as t:\n t.add('.', arcname='.')",
    );
}

#[test]
fn python_with_an_empty_name_for_the_directory_writes_a_root_called_slash_and_is_accepted() {
    python_of(demo::skill(), "with tarfile.open(out, 'w:gz') as t:\n t.add('.', arcname='')");
    python_of(
        demo::skill(),
        "with tarfile.open(out, 'w:gz', format=tarfile.GNU_FORMAT) as t:\n t.add('.', arcname='/')",
    );
}

#[test]
fn python_in_the_ustar_format_is_accepted() {
    python_of(
        demo::ustar(),
        "with tarfile.open(out, 'w:gz', format=tarfile.USTAR_FORMAT) as t:\n t.add('.', arcname='.')",
    );
}

#[test]
fn python_as_a_stream_is_accepted() {
    python_of(demo::skill(), "with tarfile.open(out, 'w|gz') as t:\n t.add('.', arcname='.')");
}

#[test]
fn python_shutil_is_accepted() {
    python_of(demo::skill(), "shutil.make_archive(out.removesuffix('.tar.gz'), 'gztar', root_dir='.')");
    python_of(demo::skill(), "shutil.make_archive(out.removesuffix('.tar.gz'), 'gztar', base_dir='.')");
}

#[test]
fn git_archive_of_a_commit_is_accepted() {
    git("HEAD");
}

#[test]
fn git_archive_of_a_tree_is_accepted() {
    git("HEAD^{tree}");
}

#[test]
fn npm_tar_is_accepted() {
    node("tar", "pack.c({ gzip: true, file: out, sync: true }, ['.'])");
    node("tar", "pack.c({ gzip: true, file: out, sync: true }, require('fs').readdirSync('.'))");
}

#[test]
fn npm_tar_as_npm_and_publishers_call_it_is_accepted() {
    node("tar", "pack.c({ gzip: { level: 9 }, portable: true, mtime: new Date(0), file: out, sync: true }, ['.'])");
    node(
        "tar",
        "pack.c({ gzip: true, portable: true, noPax: false }, ['.']).pipe(require('fs').createWriteStream(out))",
    );
}

#[test]
fn npm_tar_stream_is_accepted() {
    node("tar-fs", "pack.pack('.').pipe(require('zlib').createGzip()).pipe(require('fs').createWriteStream(out))");
}

#[test]
fn perl_is_accepted() {
    if have(&["ptar"]) {
        Trial::of(demo::ustar(), "tar.gz").pack("ptar -czf $OUT .").agrees_with("ptar -xzf $IN");
    }
}

/// `Archive::Tar` ends GNU long names with the block's padding alone.
#[test]
fn perl_with_long_names_is_accepted() {
    if have(&["perl", "tar"]) {
        let mut skill = demo::ustar();
        for length in [100, 101, 160, 200] {
            let name = format!("long/{}", "n".repeat(length));
            skill.extend([tree::dir("long"), tree::file(&name, format!("of {length}"))]);
        }
        let script = "perl -MArchive::Tar -e '$Archive::Tar::DO_NOT_USE_PREFIX = 1; my $t = Archive::Tar->new; \
                      $t->add_files(split /\\0/, join \"\", <STDIN>); $t->write($ENV{OUT}, COMPRESS_GZIP)' < ../names";
        let trial = Trial::of(skill, "tar.gz");
        trial.pack(&format!("find . -mindepth 1 -print0 > ../names; {script}")).agrees_with("tar -xzf $IN");
    }
}

/// Under `LC_ALL=C` it declares every header with a name beyond ASCII to be binary.
#[test]
fn bsdtar_without_a_locale_is_accepted() {
    if have(&["bsdtar", "tar"]) {
        let mut skill = demo::ustar();
        skill.extend([tree::file("gu\u{ed}a.md", "x"), tree::file(&format!("{}.md", "\u{e9}".repeat(70)), "long")]);
        let script = "LC_ALL=C bsdtar --format pax -czf $OUT . 2>/dev/null";
        Trial::of(skill, "tar.gz").pack(script).agrees_with("tar -xzf $IN 2>/dev/null");
    }
}

#[test]
fn the_tar_crate_is_accepted() {
    for mode in [tar::HeaderMode::Complete, tar::HeaderMode::Deterministic] {
        let trial = Trial::of(demo::skill(), "tar.gz");
        let file = File::create(trial.archive()).unwrap();
        let mut builder = tar::Builder::new(GzEncoder::new(file, Compression::default()));
        builder.follow_symlinks(false);
        builder.mode(mode);
        builder.append_dir_all(".", trial.directory()).unwrap();
        builder.into_inner().unwrap().finish().unwrap();
        let own = support::temp_dir();
        let mut archive = tar::Archive::new(GzDecoder::new(File::open(trial.archive()).unwrap()));
        archive.unpack(own.path()).unwrap();
        let (own, ours) = (tree::walk(own.path()), trial.extracted());
        assert_eq!(tree::differences(&own, &ours), Vec::<String>::new());
        assert_eq!(tree::differences(&trial.skill, &ours), Vec::<String>::new());
    }
}

#[test]
fn the_tar_crate_without_directory_entries_is_accepted() {
    if !have(&["tar", "gzip"]) {
        return;
    }
    let trial = Trial::of(demo::skill(), "tar.gz");
    let mut builder = tar::Builder::new(GzEncoder::new(File::create(trial.archive()).unwrap(), Compression::best()));
    for (path, node) in &trial.skill {
        let mut header = tar::Header::new_gnu();
        match node {
            Node::File { bytes, exec } => {
                header.set_size(bytes.len() as u64);
                header.set_mode(if *exec { 0o755 } else { 0o644 });
                builder.append_data(&mut header, path, &bytes[..]).unwrap();
            }
            Node::Link(target) => {
                header.set_entry_type(tar::EntryType::Symlink);
                header.set_size(0);
                builder.append_link(&mut header, path, target).unwrap();
            }
            _ => {}
        }
    }
    builder.into_inner().unwrap().finish().unwrap();
    let becomes = demo::without_empty_directories(&trial.skill);
    trial.agrees_as(GNU_TAR, Path::new(""), &becomes);
}
