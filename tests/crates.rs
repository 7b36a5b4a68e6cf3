//! Archives that nobody here made: every `.crate` in cargo's cache, wheels from `PyPI` and packages from the npm registry are
//! accepted with `--layout any` and come out as other readers unpack them.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)] // tests stage files of their own
mod support;
mod tools;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use skillx_archive::{Artifact, Code, Format, Layout, Options};
use support::tree;
use tools::{cache, have, skipped, try_shell};

/// Archives that deserve a refusal: how their file names begin, and the code.
const DESERVED: &[(&str, Code)] = &[
    // It carries a `.git` directory.
    ("rawzip-0.5.2.", Code::PathForbidden),
];

const GNU_TAR: &str = "tar -xzf $IN";
/// Python unpacks, and adds what it leaves out by itself: permission bits.
const PYTHON: &str = r#"python3 -c "
import os, zipfile
z = zipfile.ZipFile(os.environ['IN'])
for i in z.infolist():
    path, mode = z.extract(i), i.external_attr >> 16
    if i.create_system == 3 and mode & 0o111 and not i.is_dir(): os.chmod(path, 0o755)
""#;

/// A set of small wheels, each from another build backend or packing tool.
const WHEELS: &[&str] = &[
    "six==1.16.0",        // setuptools with bdist_wheel, 2021
    "setuptools==75.6.0", // setuptools, of itself
    "packaging==24.2",    // flit-core
    "attrs==24.3.0",      // hatchling
    "poetry-core==1.9.1", // poetry-core
    "pdm-backend==2.4.3", // pdm-backend
    "rpds-py==0.22.3",    // maturin
    "MarkupSafe==3.0.2",  // setuptools, auditwheel
    "contourpy==1.3.1",   // meson-python, auditwheel
    "ninja==1.11.1.3",    // scikit-build, programs in .data/scripts
    "pip==24.3.1",        // setuptools, many vendored files
    "uv_build==0.9.30",   // maturin, a program
    "pytz==2024.2",       // setuptools, zone files
    "regex==2024.11.6",   // setuptools, cibuildwheel
];

/// Packages of the npm registry, from many publishing tools.
const PACKAGES: &[&str] = &[
    "lodash@4.17.21",
    "react@18.3.1",
    "express@4.21.2",
    "semver@7.6.3",
    "uuid@11.0.3",
    "yargs@17.7.2",
    "left-pad@1.3.0",
    "tar@7.4.3",
    "@types/node@22.10.2",
    "@babel/core@7.26.0",
    "prettier@3.4.2",
    "esbuild@0.24.2",
    "eslint@9.17.0",
    "is-odd@3.0.1",
];

fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files.sort();
    files
}

fn cached_crates() -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default();
    let registries = fs::read_dir(home.join("registry/cache")).into_iter().flatten().flatten();
    registries.flat_map(|registry| files(&registry.path(), "crate")).collect()
}

/// What is wrong with skillx's answer on this archive.
fn judge(archive: &Path, format: Format, own_reader: &str) -> Result<(), String> {
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    let deserved = DESERVED.iter().find(|(start, _)| name.starts_with(start)).map(|(_, code)| *code);
    let temp = support::temp_dir();
    let ours = temp.path().join("ours");
    let artifact = Artifact::open(archive).map_err(|error| format!("{name}: {error}"))?;
    let artifact = artifact.with_format(format).trust_without_digest();
    let answer = artifact.extract(&ours, &Options::default().layout(Layout::Any));
    match (answer, deserved) {
        (Err(failure), Some(code)) if failure.code() == code => return Ok(()),
        (Err(failure), _) => return Err(format!("{name}: {}", failure.error())),
        (Ok(_), Some(code)) => return Err(format!("{name} was accepted, it deserves {code}")),
        (Ok(_), None) => {}
    }
    let own = temp.path().join("own");
    fs::create_dir(&own).map_err(|error| error.to_string())?;
    try_shell(&own, own_reader, &[("IN", archive)])?;
    let differences = tree::differences(&tree::walk(&own), &tree::walk(&ours));
    let modes = tree::bad_modes(&ours);
    if differences.is_empty() && modes.is_empty() { Ok(()) } else { Err(format!("{name}: {differences:?} {modes:?}")) }
}

/// Judges all of them, two at a time.
fn judge_all(archives: Vec<PathBuf>, format: Format, own_reader: &str) {
    let (queue, wrong) = (Mutex::new(archives), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        let work = || {
            while let Some(archive) = { queue.lock().unwrap().pop() } {
                if let Err(why) = judge(&archive, format, own_reader) {
                    wrong.lock().unwrap().push(why);
                }
            }
        };
        scope.spawn(work);
        scope.spawn(work);
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} archives:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_crate_in_the_cache_is_accepted_and_unpacks_as_gnu_tar_unpacks_it() {
    let crates = cached_crates();
    if crates.len() < 100 {
        skipped(&format!("cargo's cache has {} crates, too few to say much", crates.len()));
    }
    if have(&["tar", "gzip"]) {
        println!("{} crates", crates.len());
        judge_all(crates, Format::TarGz, GNU_TAR);
    }
}

#[test]
fn wheels_of_many_build_backends_are_accepted_and_unpack_as_python_unpacks_them() {
    if !have(&["python3"]) {
        return;
    }
    let directory = cache("wheels");
    if files(&directory, "whl").len() < WHEELS.len() {
        let script = format!(
            "python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: --python-version 3.11 \
             --implementation cp --abi cp311 --abi abi3 --abi none --platform manylinux2014_x86_64 \
             --platform manylinux_2_17_x86_64 --platform manylinux1_x86_64 --platform manylinux_2_12_x86_64 \
             --platform manylinux_2_5_x86_64 --platform manylinux_2_28_x86_64 --platform any -d . {}",
            WHEELS.join(" ")
        );
        if let Err(why) = try_shell(&directory, &script, &[]) {
            return skipped(&format!("wheels cannot be downloaded: {why}"));
        }
    }
    judge_all(files(&directory, "whl"), Format::Zip, PYTHON);
}

#[test]
fn packages_of_the_npm_registry_are_accepted_and_unpack_as_gnu_tar_unpacks_them() {
    if !have(&["npm", "tar", "gzip"]) {
        return;
    }
    let directory = cache("npm-packages");
    if files(&directory, "tgz").len() < PACKAGES.len() {
        let script = format!("npm pack --silent --ignore-scripts {}", PACKAGES.join(" "));
        if let Err(why) = try_shell(&directory, &script, &[]) {
            return skipped(&format!("npm packages cannot be downloaded: {why}"));
        }
    }
    judge_all(files(&directory, "tgz"), Format::TarGz, GNU_TAR);
}
