//! What real tools make that is refused on purpose, each with its code and a way out: the documented list of the design.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)] // tests stage files of their own
mod support;
mod tools;

use std::path::Path;

use support::tree::{Node, Tree, exec, file};
use tools::{Trial, demo, have, npm};

fn plain() -> Tree {
    Tree::from([
        file("SKILL.md", support::SKILL_MD),
        ("scripts".to_owned(), Node::Dir),
        exec("scripts/run.sh", "#!/bin/sh\n"),
    ])
}

fn tar(script: &str, code: &str) {
    if have(&["tar", "gzip"]) {
        Trial::of(plain(), "tar.gz").pack(script).is_refused_as(code);
    }
}

fn zip(script: &str, code: &str) {
    if have(&["zip"]) {
        Trial::of(plain(), "zip").pack(script).is_refused_as(code);
    }
}

#[test]
fn a_wrapper_directory_is_refused_and_accepted_with_strip_root() {
    if !have(&["tar", "gzip", "git", "zip"]) {
        return;
    }
    let git = "git init -q . && git add -A && git -c user.name=t -c user.email=t@example.com commit -qm t";
    let scripts = [
        ("tar.gz", "tar -czf $OUT -C .. skill".to_owned()),
        ("tar.gz", "tar -czf $OUT ../skill 2>&1 | grep Removing".to_owned()),
        ("zip", "cd .. && zip -qr $OUT skill".to_owned()),
        ("tar.gz", format!("{git} && git archive --prefix=skill/ -o $OUT HEAD")),
        ("zip", format!("{git} && git archive --prefix=skill/ -o $OUT HEAD")),
    ];
    for (extension, script) in scripts {
        let trial = Trial::of(plain(), extension).pack(&script);
        trial.is_refused_as("wrapper-directory");
        let trial = trial.flags(&["--strip-root"]);
        assert_eq!(support::tree::differences(&trial.skill, &trial.extracted()), Vec::<String>::new(), "{script}");
    }
}

#[test]
fn a_tar_of_the_seventh_edition_is_refused() {
    tar("tar --format=v7 -czf $OUT .", "tar-dialect");
}

#[test]
fn a_sparse_file_is_refused() {
    let hole = "truncate -s 1M hole && ";
    for format in ["gnu", "pax", "pax --sparse-version=0.0", "pax --sparse-version=0.1"] {
        tar(&format!("{hole}tar --format={format} -Sczf $OUT ."), "sparse-unsupported");
    }
    if have(&["bsdtar"]) {
        tar(&format!("{hole}bsdtar --read-sparse -czf $OUT . 2>/dev/null || tar -Sczf $OUT ."), "sparse-unsupported");
    }
}

#[test]
fn a_volume_label_is_refused() {
    tar("tar -V label -czf $OUT .", "unsupported-entry-type");
    tar("tar --format=posix -V label -czf $OUT .", "unsupported-entry-type");
}

#[test]
fn two_gzip_members_are_refused() {
    tar("tar -cf ../t . && (head -c 512 ../t | gzip; tail -c +513 ../t | gzip) > $OUT", "gzip-multi-member");
}

#[test]
fn two_tars_in_one_gzip_are_refused() {
    tar("tar -cf ../t . && cat ../t ../t | gzip > $OUT", "tar-trailing-data");
}

#[test]
fn a_signature_behind_the_archive_is_refused() {
    tar("tar -czf $OUT . && echo signed >> $OUT", "gzip-trailing-data");
    zip("zip -qr $OUT . && echo signed >> $OUT", "zip-trailing-data");
}

#[test]
fn a_download_that_was_cut_is_refused() {
    tar("tar -czf ../t . && head -c -20 ../t > $OUT", "gzip-truncated");
    tar("tar -cf ../t . && head -c 1700 ../t | gzip > $OUT", "tar-truncated");
    zip("zip -qr ../t.zip . && head -c -20 ../t.zip > $OUT", "zip-eocd");
}

#[test]
fn a_writer_that_was_never_closed_is_refused() {
    if have(&["python3"]) {
        let script = "python3 -c \"import gzip, os, tarfile\nf = gzip.open(os.environ['OUT'], 'wb')\n\
             tarfile.open(fileobj=f, mode='w').add('.')\nf.close()\"";
        Trial::of(plain(), "tar.gz").pack(script).is_refused_as("tar-no-end");
    }
}

#[test]
fn absolute_names_and_names_above_the_directory_are_refused() {
    tar("tar -Pczf $OUT SKILL.md \"$PWD/scripts/run.sh\"", "absolute-path");
    tar("tar -Pczf $OUT SKILL.md ../skill/scripts/run.sh", "path-traversal");
}

#[test]
fn pipes_and_devices_are_refused() {
    tar("mkfifo pipe && tar -czf $OUT .", "special-file");
    if have(&["7z"]) {
        zip("cat SKILL.md | 7z a -bd -bso0 -siSKILL.md $OUT", "special-file");
    }
    zip("cat SKILL.md | zip -q $OUT -", "special-file");
}

#[test]
fn a_git_directory_is_refused() {
    if have(&["git"]) {
        tar("git init -q . && tar -czf $OUT .", "path-forbidden");
        zip("git init -q . && zip -qr $OUT .", "path-forbidden");
    }
}

#[test]
fn a_link_out_of_the_skill_is_refused() {
    tar("ln -s ../../secret scripts/link && tar -czf $OUT .", "link-escape");
    tar("ln -s /etc/passwd link && tar -czf $OUT .", "link-absolute");
    zip("ln -s ../../secret scripts/link && zip -qry $OUT .", "link-escape");
}

#[test]
fn other_compression_and_encryption_are_refused() {
    zip("zip -qr -P secret $OUT .", "zip-encrypted");
    if have(&["7z"]) {
        for method in ["BZip2", "LZMA", "Deflate64"] {
            zip(&format!("seq 9999 > numbers && 7z a -bd -bso0 -mm={method} $OUT ."), "zip-method");
        }
        zip("7z a -bd -bso0 -psecret -mem=AES256 $OUT .", "zip-encrypted");
    }
}

#[test]
fn other_formats_under_the_declared_one_are_refused() {
    tar("tar -cf $OUT .", "format-mismatch");
    tar("tar -cjf $OUT . 2>/dev/null || tar -cf $OUT .", "format-mismatch");
    zip("tar -czf $OUT .", "format-mismatch");
    tar("echo '<html>404</html>' > $OUT", "not-an-archive");
    tar("echo nothing | gzip > $OUT", "tar-truncated");
}

#[test]
fn an_archive_behind_a_program_is_refused() {
    zip("zip -qr ../t.zip . && (echo '#!/bin/sh'; cat ../t.zip) > $OUT", "not-an-archive");
}

#[test]
fn a_stream_with_zip64_descriptors_that_nothing_announces_is_refused() {
    let Some(modules) = npm(&["yazl@3"]) else { return };
    let script = "node - <<'END'\nconst fs = require('fs'), zip = new (require('yazl').ZipFile)()\n\
         zip.addReadStream(fs.createReadStream('SKILL.md'), 'SKILL.md', { forceZip64Format: true })\n\
         zip.outputStream.pipe(fs.createWriteStream(process.env.OUT))\nzip.end()\nEND";
    Trial::of(plain(), "zip").pack_with(script, &modules).is_refused_as("zip-data-descriptor");
}

#[test]
fn names_that_only_differ_in_case_are_refused() {
    tar("touch readme.md README.md && tar -czf $OUT .", "path-collision");
    zip("touch readme.md README.md && zip -qr $OUT .", "path-collision");
}

#[test]
fn the_demo_skill_without_its_links_is_what_links_deny_accepts() {
    if have(&["tar", "gzip"]) {
        let trial = Trial::of(demo::skill(), "tar.gz").flags(&["--links", "deny"]);
        trial.pack("tar -czf $OUT .").is_refused_as("links-denied");
        let files = demo::skill().into_iter().filter(|(_, node)| !matches!(node, Node::Link(_))).collect();
        let trial = Trial::of(files, "tar.gz").flags(&["--links", "deny"]);
        let trial = trial.pack("tar --hard-dereference -czf $OUT .");
        trial.agrees_as("tar -xzf $IN", Path::new(""), &trial.skill);
    }
}
