//! The readers: how each is called, found, and asked for its version; and the crates, which run in a child of the example.

use std::fs::File;
use std::process::{Command, Stdio};

use crate::scene;

/// A reader that is on this machine.
pub(crate) struct Reader {
    pub(crate) name: &'static str,
    pub(crate) tar: bool,
    pub(crate) zip: bool,
    /// Its words, `{}` for the archive. Unpacks into the working directory.
    pub(crate) command: Vec<String>,
    pub(crate) version: String,
    /// A runtime that reserves more address space than any limit could allow.
    pub(crate) reserves: bool,
}

impl Reader {
    /// skillx itself, which makes its directory instead of filling the working directory, and takes flags.
    pub(crate) fn is_skillx(&self) -> bool {
        self.name == "skillx"
    }

    pub(crate) fn reads(&self, zip: bool) -> bool {
        if zip { self.zip } else { self.tar }
    }
}

/// Name, formats, command, and the command that says the version.
type Known = (&'static str, &'static str, &'static [&'static str], &'static str);

const PYTHON_TAR: &str = "import sys, tarfile\ntarfile.open(sys.argv[1]).extractall('.', filter='data')";
const PYTHON_ZIP: &str = "import sys, zipfile\nzipfile.ZipFile(sys.argv[1]).extractall('.')";
const NODE_TAR: &str = "require('tar').x({ file: process.argv[1], sync: true })";
const NODE_TAR_VERSION: &str =
    "node -p \"'node-tar ' + require('tar/package.json').version + ', node ' + process.version\"";

const KNOWN: &[Known] = &[
    ("GNU tar", "tar", &["tar", "-xzf", "{}"], "tar --version"),
    ("bsdtar", "tar zip", &["bsdtar", "-xf", "{}"], "bsdtar --version"),
    ("Python tarfile", "tar", &["python3", "-c", PYTHON_TAR, "{}"], "python3 -V"),
    ("Python zipfile", "zip", &["python3", "-c", PYTHON_ZIP, "{}"], "python3 -V"),
    (
        "7-Zip tar",
        "tar",
        &["sh", "-c", "7z x -so -tgzip \"$1\" | 7z x -y -si -ttar -snld", "7z", "{}"],
        "7z i | head -n 2",
    ),
    ("7-Zip", "zip", &["7z", "x", "-y", "-tzip", "{}"], "7z i | head -n 2"),
    ("BusyBox tar", "tar", &["busybox", "tar", "-xzf", "{}"], "busybox | head -n 1"),
    ("BusyBox unzip", "zip", &["busybox", "unzip", "-o", "-q", "{}"], "busybox | head -n 1"),
    ("UnZip", "zip", &["unzip", "-o", "-q", "{}"], "unzip -v | head -n 1"),
    ("jar", "zip", &["jar", "-xf", "{}"], "jar --version"),
    ("ptar", "tar", &["ptar", "-xzf", "{}"], "perl -MArchive::Tar -e 'print \"Archive::Tar \", Archive::Tar->VERSION'"),
    ("node-tar", "tar", &["node", "-e", NODE_TAR, "{}"], NODE_TAR_VERSION),
];

/// The crates that the example reads with itself.
const CRATES: &[(&str, &str)] = &[("crate tar", "tar"), ("crate zip", "zip")];

/// All that answer when asked for their version, skillx first.
pub(crate) fn found() -> Vec<Reader> {
    let skillx = built_skillx();
    let version = answer(&format!("{skillx} --version")).expect("skillx says its version");
    let mut readers =
        vec![reader("skillx", "tar zip", vec![skillx, "verify-extract".to_owned(), "{}".to_owned()], version)];
    for (name, formats, command, version) in KNOWN {
        if let Some(version) = answer(version) {
            let command = command.iter().copied().map(str::to_owned).collect();
            readers.push(reader(name, formats, command, version));
        }
    }
    let lock = include_str!("../../Cargo.lock");
    let own = std::env::current_exe().expect("the example knows its own file").display().to_string();
    for (name, format) in CRATES {
        let package = format!("name = \"{format}\"\nversion = \"");
        let version = lock.split(&package).nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("unknown");
        let command = [&own, "--crate", format, "{}"].map(str::to_owned).to_vec();
        readers.push(reader(name, format, command, version.to_owned()));
    }
    readers
}

fn reader(name: &'static str, formats: &str, command: Vec<String>, version: String) -> Reader {
    let reserves = ["jar", "node-tar"].contains(&name);
    Reader { name, tar: formats.contains("tar"), zip: formats.contains("zip"), command, version, reserves }
}

/// The program of this checkout, built if need be.
fn built_skillx() -> String {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let status = Command::new(cargo).args(["build", "--release", "--locked", "--bin", "skillx", "--quiet"]).status();
    assert!(status.is_ok_and(|status| status.success()), "skillx can be built");
    let own = std::env::current_exe().expect("the example knows its own file");
    let target = own.ancestors().nth(3).expect("the example lies in target/release/examples");
    target.join("release/skillx").display().to_string()
}

/// The first line that a command prints for the user that runs it later; `None` if it is not there.
fn answer(command: &str) -> Option<String> {
    let mut call = scene::unprivileged();
    let output = call.args(["sh", "-c", command]).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?.to_owned();
    output.status.success().then_some(line)
}

/// Unpacks with a crate as its documentation shows, and ends as a program would.
pub(crate) fn run_crate(name: &str, archive: &str) {
    let file = File::open(archive).expect("the archive is readable");
    let outcome = match name {
        "tar" => tar::Archive::new(flate2::read::GzDecoder::new(file)).unpack(".").map_err(|error| error.to_string()),
        "zip" => {
            zip::ZipArchive::new(file).and_then(|mut archive| archive.extract(".")).map_err(|error| error.to_string())
        }
        _ => Err(format!("no crate {name}")),
    };
    if let Err(error) = outcome {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
