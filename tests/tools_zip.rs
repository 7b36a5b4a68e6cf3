//! Real writers of zip: the demo skill packed just now by each is accepted, and comes out as the tool's own reader unpacks it.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)] // tests stage files of their own
mod support;
mod tools;

use std::fs::File;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};

use support::tree::{self, Node, Tree};
use tools::{Trial, demo, have, npm};
use unicode_normalization::UnicodeNormalization as _;

const UNZIP: &str = "unzip -q $IN";
const BSDTAR: &str = "bsdtar -xf $IN";
const SEVEN_ZIP: &str = "7z x -bd -bso0 -y $IN";
const JAR: &str = "jar xf $IN";
/// Python unpacks, and adds what it leaves out by itself: permission bits, links, and names without the UTF-8 flag.
const PYTHON: &str = r"python3 - <<'END'
import os, zipfile
z = zipfile.ZipFile(os.environ['IN'])
for i in z.infolist():
    name, mode = i.filename, i.external_attr >> 16
    if not i.flag_bits & 0x800 and not name.isascii(): i.filename = name.encode('cp437').decode('utf-8')
    path = z.extract(i)
    if i.create_system == 3 and mode & 0o170000 == 0o120000:
        target = open(path, 'rb').read()
        os.unlink(path)
        os.symlink(target, path)
    elif i.create_system == 3 and mode & 0o111 and not i.is_dir(): os.chmod(path, 0o755)
END";
const JSZIP: &str = r"node - <<'END'
const fs = require('fs'), path = require('path')
require('jszip').loadAsync(fs.readFileSync(process.env.IN)).then(async zip => {
  for (const file of Object.values(zip.files)) {
    const mode = file.unixPermissions
    if (file.dir) { fs.mkdirSync(file.name, { recursive: true }); continue }
    fs.mkdirSync(path.dirname(file.name), { recursive: true })
    const bytes = await file.async('nodebuffer')
    if ((mode & 0o170000) === 0o120000) fs.symlinkSync(bytes.toString(), file.name)
    else fs.writeFileSync(file.name, bytes, { mode: mode & 0o111 ? 0o755 : 0o644 })
  }
})
END";
const YAUZL: &str = r"node - <<'END'
const fs = require('fs'), path = require('path')
require('yauzl').open(process.env.IN, { lazyEntries: true, strictFileNames: true }, (error, zip) => {
  if (error) throw error
  zip.on('entry', entry => {
    const name = entry.fileName, mode = entry.versionMadeBy >> 8 === 3 ? entry.externalFileAttributes >>> 16 : 0
    if (name.endsWith('/')) { fs.mkdirSync(name, { recursive: true }); return zip.readEntry() }
    fs.mkdirSync(path.dirname(name), { recursive: true })
    zip.openReadStream(entry, (error, stream) => {
      if (error) throw error
      const parts = []
      stream.on('data', part => parts.push(part)).on('end', () => {
        const bytes = Buffer.concat(parts)
        if ((mode & 0o170000) === 0o120000) fs.symlinkSync(bytes.toString(), name)
        else fs.writeFileSync(name, bytes, { mode: mode & 0o111 ? 0o755 : 0o644 })
        zip.readEntry()
      })
    })
  })
  zip.readEntry()
})
END";
/// Walks the skill for writers that only take single files: `each(path, kind, bytes, mode)`.
const WALK: &str = r"
const fs = require('fs'), out = process.env.OUT
function walk(directory, each, follow) {
  for (const name of fs.readdirSync(directory).sort()) {
    const path = directory === '.' ? name : directory + '/' + name
    const stat = follow ? fs.statSync(path) : fs.lstatSync(path)
    if (stat.isDirectory()) { each(path, 'directory', Buffer.alloc(0), stat.mode); walk(path, each, follow) }
    else if (stat.isSymbolicLink()) each(path, 'link', Buffer.from(fs.readlinkSync(path)), stat.mode)
    else each(path, 'file', fs.readFileSync(path), stat.mode)
  }
}";

fn nowhere() -> &'static Path {
    Path::new("")
}

/// The skill as writers without links see it.
fn followed() -> Tree {
    demo::followed(&demo::skill())
}

fn info_zip(script: &str, becomes: &Tree) {
    if have(&["zip", "unzip"]) {
        Trial::of(demo::skill(), "zip").pack(script).agrees_as(UNZIP, nowhere(), becomes);
    }
}

fn seven_zip(script: &str) {
    if have(&["7z"]) {
        // A caution of one reader: 7-Zip does not make links with `..`, wherever they lead.
        let skill = demo::skill().into_iter().filter(|(_, node)| !matches!(node, Node::Link(to) if to.contains("..")));
        Trial::of(skill.collect(), "zip").pack(script).agrees_with(SEVEN_ZIP);
    }
}

fn bsdtar(script: &str) {
    if have(&["bsdtar"]) {
        let trial = Trial::of(demo::skill(), "zip").pack(script);
        let (own, ours) = (trial.own_reader(BSDTAR, nowhere()), trial.extracted());
        assert_eq!(tree::differences(&composed(&own), &composed(&ours)), Vec::<String>::new());
        assert_eq!(tree::differences(&trial.skill, &ours), Vec::<String>::new());
    }
}

/// A defect of one reader: libarchive composes UTF-8 names, and writes NFC where NFD was packed.
fn composed(tree: &Tree) -> Tree {
    tree.iter().map(|(path, node)| (path.nfc().collect(), node.clone())).collect()
}

fn python(code: &str, becomes: &Tree) {
    if have(&["python3"]) {
        let walk = "import os, pathlib, shutil, sys, zipfile\nout = os.environ['OUT']\n\
             paths = [os.path.join(d, n) for d, ds, ns in os.walk('.', followlinks=True) for n in ds + ns]\n";
        let script = format!("PYTHONPATH= python3 <(cat <<'END'\n{walk}{code}\nEND\n)");
        Trial::of(demo::skill(), "zip").pack(&script).agrees_as(PYTHON, nowhere(), becomes);
    }
}

fn git(options: &str, revision: &str) {
    if have(&["git", "unzip"]) {
        let script = format!(
            "git init -q . && git add -A && git -c user.name=t -c user.email=t@example.com commit -qm t \
             && git archive --format=zip {options} -o $OUT {revision}"
        );
        let becomes = demo::without_empty_directories(&demo::skill());
        Trial::of(demo::skill(), "zip").pack(&script).agrees_as(UNZIP, nowhere(), &becomes);
    }
}

fn modules() -> Option<PathBuf> {
    npm(&["jszip@3", "archiver@7", "yazl@3", "yauzl@3", "fflate@0.8", "adm-zip@0.5", "client-zip@2"])
}

fn node(code: &str, own_reader: &str, becomes: &Tree) {
    let Some(modules) = modules() else { return };
    let script = format!("node - <<'END'\n{WALK}\n{code}\nEND");
    Trial::of(demo::skill(), "zip").pack_with(&script, &modules).agrees_as(own_reader, &modules, becomes);
}

#[test]
fn info_zip_of_the_directory_is_accepted() {
    info_zip("zip -qr $OUT .", &followed());
    info_zip("zip -qr $OUT *", &followed());
}

#[test]
fn info_zip_with_links_is_accepted() {
    info_zip("zip -qry $OUT .", &demo::skill());
    info_zip("zip -qryX9 $OUT *", &demo::skill());
}

#[test]
fn info_zip_of_names_from_stdin_is_accepted() {
    info_zip("find . | zip -qy -@ $OUT", &demo::skill());
    info_zip("find . -type f | zip -q -@ - | cat > $OUT", &files_only());
}

fn files_only() -> Tree {
    let files: Tree = demo::skill().into_iter().filter(|(_, node)| !matches!(node, Node::Link(_))).collect();
    demo::without_empty_directories(&files)
}

#[test]
fn info_zip_into_a_pipe_is_accepted() {
    info_zip("zip -qry - . | cat > $OUT", &demo::skill());
    info_zip("zip -qry -fz- - . | cat > $OUT", &demo::skill());
    info_zip("zip -qr0 - . | cat > $OUT", &followed());
}

#[test]
fn info_zip_with_zip64_that_was_not_needed_is_accepted() {
    // Not into a pipe: there Info-ZIP leaves the zip64 end record out, and no reader finds the directory.
    info_zip("zip -qry -fz $OUT .", &demo::skill());
}

#[test]
fn info_zip_of_one_file_from_stdin_is_accepted() {
    if !have(&["zip", "unzip"]) {
        return;
    }
    // The entry is called `-`: it cannot be a skill.
    for script in
        ["zip -q $OUT - < SKILL.md", "zip -q -fz- $OUT - < SKILL.md", "zip -q -fz- - - < SKILL.md | cat > $OUT"]
    {
        let trial = Trial::of(demo::skill(), "zip").flags(&["--layout", "any"]).pack(script);
        let becomes = Tree::from([("-".to_owned(), trial.skill["SKILL.md"].clone())]);
        trial.agrees_as(UNZIP, nowhere(), &becomes);
    }
}

#[test]
fn info_zip_without_directories_or_compression_is_accepted() {
    info_zip("zip -qrD0 $OUT .", &demo::without_empty_directories(&followed()));
}

#[test]
fn info_zip_that_updates_an_archive_is_accepted() {
    let script = "zip -qy $OUT SKILL.md assets && zip -qry $OUT . && zip -qd $OUT SKILL.md && zip -qy $OUT SKILL.md";
    info_zip(script, &demo::skill());
}

#[test]
fn info_zip_with_a_comment_is_accepted() {
    info_zip("echo 'A comment of the archive.' | zip -qryz $OUT .", &demo::skill());
}

#[test]
fn seven_zip_is_accepted() {
    seven_zip("7z a -bd -bso0 $OUT .");
    seven_zip("7z a -bd -bso0 -snl $OUT *");
    seven_zip("7z a -bd -bso0 -mx=9 -mm=Deflate -mcu=on $OUT .");
    seven_zip("7z a -bd -bso0 -mx=0 -mtc=on $OUT .");
}

#[test]
fn seven_zip_from_stdin_is_accepted() {
    if have(&["7z"]) {
        let trial = Trial::of(demo::skill(), "zip").pack("7z a -bd -bso0 -siSKILL.md $OUT < SKILL.md");
        let becomes = Tree::from([("SKILL.md".to_owned(), trial.skill["SKILL.md"].clone())]);
        trial.agrees_as(SEVEN_ZIP, nowhere(), &becomes);
    }
}

#[test]
fn bsdtar_by_extension_is_accepted() {
    bsdtar("bsdtar -acf $OUT .");
    bsdtar("bsdtar -acf $OUT *");
}

#[test]
fn bsdtar_without_compression_is_accepted() {
    bsdtar("bsdtar -acf $OUT --options zip:compression=store .");
}

#[test]
fn bsdtar_into_a_pipe_pads_the_file_and_is_accepted() {
    bsdtar("bsdtar -c --format=zip . | cat > $OUT; test $(( $(stat -c %s $OUT) % 10240 )) = 0");
}

#[test]
fn python_with_files_from_disk_is_accepted() {
    let code = "with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:\n for p in paths: z.write(p)";
    python(code, &followed());
    let code = "with zipfile.ZipFile(out, 'w') as z:\n for p in paths: os.path.isfile(p) and z.write(p, arcname=p[2:])";
    python(code, &demo::without_empty_directories(&followed()));
}

#[test]
fn python_with_bytes_has_no_type_bits_and_is_accepted() {
    let code = "with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:\n for p in paths:\n  \
         if os.path.isfile(p): z.writestr(p[2:], open(p, 'rb').read())";
    python(code, &demo::without_modes(&demo::without_empty_directories(&followed())));
    let code = "with zipfile.ZipFile(out, 'w') as z:\n for p in paths:\n  \
         z.writestr(p[2:] + '/', b'') if os.path.isdir(p) else z.writestr(p[2:], open(p, 'rb').read())";
    python(code, &demo::without_modes(&followed()));
}

#[test]
fn python_with_links_is_accepted() {
    let code = "with zipfile.ZipFile(out, 'w') as z:\n for d, ds, ns in os.walk('.'):\n  for p in (os.path.join(d, n) for n in ds + ns):\n   \
         i = zipfile.ZipInfo.from_file(p)\n   \
         if os.path.islink(p):\n    \
         i = zipfile.ZipInfo(p)\n    i.create_system, i.external_attr = 3, 0o120777 << 16\n    z.writestr(i, os.readlink(p))\n   \
         else: z.write(p)";
    python(code, &demo::skill());
}

#[test]
fn python_shutil_is_accepted() {
    python(
        "shutil.make_archive(out.removesuffix('.zip'), 'zip', root_dir='.')",
        &demo::without_linked_directories(&followed(), &demo::skill()),
    );
}

#[test]
fn python_command_line_is_accepted() {
    if have(&["python3"]) {
        let trial = Trial::of(demo::skill(), "zip").pack("python3 -m zipfile -c $OUT *");
        trial.agrees_as(PYTHON, nowhere(), &followed());
    }
}

#[test]
fn python_with_forced_zip64_is_accepted() {
    let code = "with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:\n for p in paths:\n  \
         if os.path.isdir(p): z.write(p)\n  else:\n   \
         with z.open(zipfile.ZipInfo.from_file(p), 'w', force_zip64=True) as f: f.write(open(p, 'rb').read())";
    python(code, &followed());
}

#[test]
fn python_into_a_pipe_is_accepted() {
    for method in ["STORED", "DEFLATED"] {
        let code = format!(
            "p = os.popen('cat > ' + out, 'w')\nwith zipfile.ZipFile(p.buffer, 'w', zipfile.ZIP_{method}) as z:\n \
             for q in paths: z.write(q)\np.close()"
        );
        python(&code, &followed());
    }
}

#[test]
fn git_archive_of_a_commit_is_accepted() {
    git("", "HEAD");
}

#[test]
fn git_archive_of_a_tree_is_accepted() {
    git("-9", "HEAD^{tree}");
    git("-0", "HEAD^{tree}");
}

const JAVA: &str = r#"
import java.nio.file.*; import java.util.zip.*;
class Pack { public static void main(String[] a) throws Exception {
  try (var out = new ZipOutputStream(Files.newOutputStream(Path.of(System.getenv("OUT"))));
       var paths = Files.walk(Path.of("."), FileVisitOption.FOLLOW_LINKS)) {
    for (var p : (Iterable<Path>) paths.filter(p -> !p.toString().equals("."))::iterator) {
      var name = Path.of(".").relativize(p).toString();
      out.putNextEntry(new ZipEntry(Files.isDirectory(p) ? name + "/" : name));
      if (!Files.isDirectory(p)) Files.copy(p, out);
      out.closeEntry();
    }
  }
}}"#;

#[test]
fn jar_is_accepted() {
    if have(&["jar"]) {
        let becomes = demo::without_modes(&followed());
        for script in ["jar -cfM $OUT .", "jar -cfM0 $OUT *", "jar -cM . | cat > $OUT"] {
            Trial::of(demo::skill(), "zip").pack(script).agrees_as(JAR, nowhere(), &becomes);
        }
    }
}

#[test]
fn jar_with_its_manifest_is_accepted() {
    if have(&["jar"]) {
        let trial = Trial::of(demo::skill(), "zip").pack("jar -cf $OUT .");
        let own = trial.own_reader(JAR, nowhere());
        assert!(own.contains_key("META-INF/MANIFEST.MF"));
        assert_eq!(tree::differences(&own, &trial.extracted()), Vec::<String>::new());
    }
}

#[test]
fn javas_stream_writes_directories_with_two_bytes_of_data_and_is_accepted() {
    if have(&["java", "jar"]) {
        let script =
            format!("cat > ../Pack.java <<'END'\n{JAVA}\nEND\njava -Xshare:auto -XX:TieredStopAtLevel=1 ../Pack.java");
        let becomes = demo::without_modes(&followed());
        Trial::of(demo::skill(), "zip").pack(&script).agrees_as(JAR, nowhere(), &becomes);
    }
}

#[test]
fn npm_jszip_is_accepted() {
    let code = |options: &str, add: &str| {
        format!(
            "const zip = new (require('jszip'))()\nwalk('.', (path, kind, bytes, mode) => {{ {add} }})\n\
             zip.generateAsync({{ type: 'nodebuffer', {options} }}).then(bytes => fs.writeFileSync(out, bytes))"
        )
    };
    let unix =
        "zip.file(path, kind === 'directory' ? null : bytes, { dir: kind === 'directory', unixPermissions: mode })";
    node(&code("platform: 'UNIX'", unix), JSZIP, &demo::skill());
    node(&code("platform: 'UNIX', compression: 'DEFLATE', streamFiles: true", unix), JSZIP, &demo::skill());
    let plain = "if (kind === 'file') zip.file(path, bytes)";
    node(&code("compression: 'DEFLATE'", plain), JSZIP, &demo::without_modes(&files_only()));
    let no_folders = "if (kind === 'file') zip.file(path, bytes, { createFolders: false })";
    node(&code("streamFiles: true", no_folders), JSZIP, &demo::without_modes(&files_only()));
}

#[test]
fn npm_archiver_is_accepted() {
    for options in ["{}", "{ zlib: { level: 9 } }", "{ store: true }", "{ forceZip64: true }"] {
        let code = format!(
            "const zip = require('archiver')('zip', {options})\nzip.pipe(fs.createWriteStream(out))\n\
             zip.directory('.', false)\nzip.finalize()"
        );
        node(&code, YAUZL, &demo::skill());
    }
}

#[test]
fn npm_yazl_is_accepted() {
    for end in ["", "{ forceZip64Format: true }", "{ comment: 'A comment.' }"] {
        let code = format!(
            "const zip = new (require('yazl').ZipFile)()\nwalk('.', (path, kind, bytes, mode) => {{\n \
             if (kind === 'directory') zip.addEmptyDirectory(path, {{ mode }})\n \
             else if (kind === 'file' && bytes.length > 100) zip.addFile(path, path)\n \
             else zip.addBuffer(bytes, path, {{ mode, compress: kind === 'file' }}) }})\n\
             zip.outputStream.pipe(fs.createWriteStream(out))\nzip.end({end})"
        );
        node(&code, YAUZL, &demo::skill());
    }
}

#[test]
fn npm_yazl_from_streams_is_accepted() {
    let code = "const zip = new (require('yazl').ZipFile)()\nwalk('.', (path, kind, bytes, mode) => {\n \
         if (kind === 'file') zip.addReadStream(fs.createReadStream(path), path, { mode, compress: bytes.length > 999 }) })\n\
         zip.outputStream.pipe(fs.createWriteStream(out))\nzip.end()";
    node(code, YAUZL, &files_only());
}

#[test]
fn npm_fflate_is_accepted() {
    let own = "node - <<'END'\nconst fs = require('fs'), path = require('path')\n\
         for (const [name, bytes] of Object.entries(require('fflate').unzipSync(fs.readFileSync(process.env.IN)))) {\n \
         fs.mkdirSync(name.endsWith('/') ? name : path.dirname(name), { recursive: true })\n \
         if (!name.endsWith('/')) fs.writeFileSync(name, bytes)\n}\nEND";
    let code = "const files = {}\nwalk('.', (path, kind, bytes) => { files[kind === 'directory' ? path + '/' : path] = bytes }, true)\n\
         fs.writeFileSync(out, require('fflate').zipSync(files))";
    node(code, own, &demo::without_modes(&followed()));
}

#[test]
fn npm_client_zip_is_accepted() {
    let code = "import('file://' + process.env.NODE_PATH + '/client-zip/index.js').then(async ({ downloadZip }) => {\n \
         const inputs = []\n walk('.', (path, kind, bytes) => inputs.push(kind === 'directory' ? { name: path + '/' } : { name: path, input: bytes }), true)\n \
         fs.writeFileSync(out, Buffer.from(await downloadZip(inputs).arrayBuffer())) })";
    node(code, YAUZL, &demo::without_modes(&followed()));
}

#[test]
fn npm_adm_zip_is_accepted() {
    let own = "node - <<'END'\nnew (require('adm-zip'))(process.env.IN).extractAllTo('.', true, true)\nEND";
    let code = "const zip = new (require('adm-zip'))()\nzip.addLocalFolder('.')\nzip.writeZip(out)";
    node(code, own, &followed());
}

/// Adds the whole skill with the `zip` crate.
fn add<W: Write + Seek>(mut zip: zip::ZipWriter<W>, skill: &Tree, large: bool) -> W {
    let options = zip::write::SimpleFileOptions::default().large_file(large);
    for (path, node) in skill {
        match node {
            Node::File { bytes, exec } => {
                zip.start_file(path, options.unix_permissions(if *exec { 0o755 } else { 0o644 })).unwrap();
                zip.write_all(bytes).unwrap();
            }
            Node::Link(target) => zip.add_symlink(path, target, options).unwrap(),
            _ => zip.add_directory(path, options).unwrap(),
        }
    }
    zip.finish().unwrap()
}

#[test]
fn the_zip_crate_is_accepted() {
    for (stream, large) in [(false, false), (false, true), (true, false), (true, true)] {
        let trial = Trial::of(demo::skill(), "zip");
        let file = File::create(trial.archive()).unwrap();
        if stream {
            add(zip::ZipWriter::new_stream(file), &trial.skill, large);
        } else {
            add(zip::ZipWriter::new(file), &trial.skill, large);
        }
        let own = support::temp_dir();
        zip::ZipArchive::new(File::open(trial.archive()).unwrap()).unwrap().extract(own.path()).unwrap();
        let (own, ours) = (tree::walk(own.path()), trial.extracted());
        assert_eq!(tree::differences(&own, &ours), Vec::<String>::new(), "stream: {stream}, large: {large}");
        assert_eq!(tree::differences(&trial.skill, &ours), Vec::<String>::new(), "stream: {stream}, large: {large}");
    }
}
