//! Digest files: what sha256sum writes (both forms), and bare digests. Sidecars and lists.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use skillx_archive::{Code, Digest, Error, escape};

/// Largest sidecar: it holds one line.
const MOST_SIDECAR: u64 = 4096;
/// Largest list of digests.
const MOST_LIST: u64 = 16 << 20;

/// The digest in `ARCHIVE.sha256`, if there is such a file.
pub(crate) fn from_sidecar(archive: &Path) -> Result<Option<Digest>, Error> {
    let Some(file_name) = archive.file_name() else { return Ok(None) };
    let mut name = file_name.to_owned();
    name.push(".sha256");
    let path = archive.with_file_name(name);
    let Some(text) = read(&path, MOST_SIDECAR)? else { return Ok(None) };
    let lines = parse(&text, &path)?;
    let wanted = file_name.to_string_lossy();
    let named = |line: &Line| line.name.as_deref().is_none_or(|name| last_component(name) == wanted);
    let mut found = lines.iter().filter(|line| named(line)).map(|line| line.digest);
    let first = found.next().ok_or_else(|| syntax(&path, "it does not name this archive"))?;
    if found.any(|other| other != first) {
        return Err(syntax(&path, "it gives two digests for this archive"));
    }
    Ok(Some(first))
}

/// Digests by input, from a file as sha256sum writes it.
#[derive(Debug)]
pub(crate) struct Sums {
    path: PathBuf,
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    name: Option<String>,
    digest: Digest,
}

impl Sums {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let text =
            read(path, MOST_LIST)?.ok_or_else(|| Error::usage(format!("there is no file `{}`", path.display())))?;
        let mut lines = parse(&text, path)?;
        if lines.iter().any(|line| line.name.is_none()) {
            return Err(syntax(path, "a line names no file"));
        }
        lines.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self { path: path.to_owned(), lines })
    }

    /// The digest for an input, named in the list exactly as it was given.
    pub(crate) fn get(&self, input: &Path) -> Result<Option<Digest>, Error> {
        let wanted = input.to_string_lossy();
        let clean = |name: &str| name.strip_prefix("./").unwrap_or(name).to_owned();
        let wanted = clean(&wanted);
        let at = self.lines.partition_point(|line| line.name.as_deref() < Some(wanted.as_str()));
        let matching = self.lines.iter().skip(at).take_while(|line| line.name.as_deref() == Some(wanted.as_str()));
        let mut digests = matching.map(|line| line.digest);
        let first = digests.next();
        if digests.any(|other| Some(other) != first) {
            return Err(syntax(&self.path, &format!("it gives two digests for `{wanted}`")));
        }
        Ok(first)
    }
}

fn syntax(path: &Path, why: &str) -> Error {
    let shown = escape(path.as_os_str().as_encoded_bytes());
    Error::of(Code::DigestSyntax, format!("the digest file `{shown}` cannot be used: {why}"))
}

/// A regular file of bounded size; `None` if there is none. A FIFO or device is not waited for.
#[allow(clippy::disallowed_methods)]
fn read(path: &Path, most: u64) -> Result<Option<String>, Error> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NONBLOCK.union(rustix::fs::OFlags::NOCTTY).bits();
        options.custom_flags(flags.cast_signed());
    }
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if is_absence(&error) && path.symlink_metadata().is_err() => return Ok(None),
        Err(error) => return Err(syntax(path, &error.to_string())),
    };
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Err(syntax(path, "it is not a regular file"));
    }
    let mut text = String::new();
    match file.take(most + 1).read_to_string(&mut text) {
        Ok(length) if length as u64 > most => Err(syntax(path, &format!("it is larger than {most} bytes"))),
        Ok(_) => Ok(Some(text)),
        Err(_) => Err(syntax(path, "it is not text")),
    }
}

/// No file can be there: none is, or the name is not one that a file could have.
fn is_absence(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{InvalidFilename, NotADirectory, NotFound};

    matches!(error.kind(), InvalidFilename | NotADirectory | NotFound)
}

fn parse(text: &str, path: &Path) -> Result<Vec<Line>, Error> {
    let lines = text.lines().map(|line| line.trim_end_matches('\r')).filter(|line| !line.is_empty());
    let parsed: Result<Vec<_>, _> = lines.map(|line| parse_line(line, path)).collect();
    match parsed {
        Ok(lines) if lines.is_empty() => Err(syntax(path, "it is empty")),
        other => other,
    }
}

/// `HEX  name`, `HEX *name`, `SHA256 (name) = HEX`, or `HEX` (with or without `sha256:`) alone.
fn parse_line(line: &str, path: &Path) -> Result<Line, Error> {
    let malformed =
        || syntax(path, &format!("the line `{}` is not one that sha256sum writes", escape(line.as_bytes())));
    let digest = |hex: &str| Digest::from_hex(hex).map_err(|error| syntax(path, &error.to_string()));
    let (escaped, line) = match line.strip_prefix('\\') {
        Some(line) => (true, line),
        None => (false, line),
    };
    let unescape = |name: &str| if escaped { unescape(name) } else { Some(name.to_owned()) };
    if let Some(tagged) = line.strip_prefix("SHA256 (") {
        let (name, hex) = tagged.rsplit_once(") = ").ok_or_else(malformed)?;
        return Ok(Line { name: Some(clean(&unescape(name).ok_or_else(malformed)?)), digest: digest(hex)? });
    }
    if let Some((hex, name)) = line.split_once(' ') {
        let name = name.strip_prefix([' ', '*']).filter(|name| !name.is_empty()).ok_or_else(malformed)?;
        return Ok(Line { name: Some(clean(&unescape(name).ok_or_else(malformed)?)), digest: digest(hex)? });
    }
    let hex = line.strip_prefix("sha256:").unwrap_or(line);
    Ok(Line { name: None, digest: digest(hex)? })
}

fn clean(name: &str) -> String {
    name.strip_prefix("./").unwrap_or(name).to_owned()
}

/// sha256sum marks lines whose name holds a backslash or newline by a backslash in front, and escapes those.
fn unescape(name: &str) -> Option<String> {
    let mut clear = String::new();
    let mut characters = name.chars();
    while let Some(character) = characters.next() {
        clear.push(match character {
            '\\' => match characters.next()? {
                '\\' => '\\',
                'n' => '\n',
                'r' => '\r',
                _ => return None,
            },
            other => other,
        });
    }
    Some(clear)
}

fn last_component(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
