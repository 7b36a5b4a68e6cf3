//! Promise 4: at default limits, peak resident memory less that of `skillx --version` stays below archive + 16 MiB, whatever
//! is in the archive and however the verdict is printed.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)] // tests stage files of their own
mod support;

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use support::tar::{Header, Tar, record};
use support::zip::{self, Entry, Zip};

const MIB: usize = 1 << 20;
/// What the promise allows beyond the archive itself.
const ALLOWANCE: usize = 16 * MIB;
/// Room of a pipe nobody has touched.
const PIPE: usize = 64 * 1024;

/// What a child came to.
struct Peak {
    bytes: usize,
    code: Option<i32>,
    output: String,
}

/// Runs `skillx` with both its streams in a pipe that is full of NULs from the start: having done all its work, it waits for
/// room to print in, and its high-water mark can be read at leisure; then again before every part of the output is taken.
fn observe(args: &[&str], input: &Path) -> Peak {
    let (mut reader, mut writer) = std::io::pipe().unwrap();
    let (stdout, stderr) = (writer.try_clone().unwrap(), writer.try_clone().unwrap());
    let filler = thread::spawn(move || writer.write_all(&vec![0; PIPE]).unwrap());
    for _ in 0..100 {
        if filler.is_finished() {
            break;
        }
        thread::sleep(Duration::from_millis(1));
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
    let mut child = command.args(args).stdin(File::open(input).unwrap()).stdout(stdout).stderr(stderr).spawn().unwrap();
    drop(command);
    let (mut bytes, mut quiet, mut last, begun) = (0, 0, String::new(), Instant::now());
    while quiet < 40 {
        assert!(begun.elapsed() < Duration::from_secs(170), "{args:?} takes too long");
        let Some((peak, state)) = sample(child.id()) else { break };
        bytes = bytes.max(peak);
        quiet = if state == last && state.starts_with('S') { quiet + 1 } else { 0 };
        last = state;
        thread::sleep(Duration::from_millis(3));
    }
    let (mut output, mut part) = (Vec::new(), vec![0; PIPE]);
    loop {
        bytes = bytes.max(sample(child.id()).map_or(0, |(peak, _)| peak));
        match reader.read(&mut part).unwrap() {
            0 => break,
            length => output.extend(part[..length].iter().filter(|byte| **byte != 0)),
        }
    }
    filler.join().unwrap();
    Peak { bytes, code: child.wait().unwrap().code(), output: String::from_utf8(output).unwrap() }
}

/// The high-water mark of a process, and its state with the time it has used so far; `None` once it has ended.
fn sample(process: u32) -> Option<(usize, String)> {
    // Just after a spawn the child may still share this test's own memory: its mark would be ours.
    let program = fs::read_link(format!("/proc/{process}/exe")).ok()?;
    if !program.file_name().is_some_and(|name| name.to_string_lossy().starts_with("skillx")) {
        return Some((0, "starting".to_owned()));
    }
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: usize = line.trim().strip_suffix(" kB")?.parse().ok()?;
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit(") ").next()?.split(' ').collect();
    Some((kibibytes * 1024, format!("{} {} {}", fields[0], fields[11], fields[12])))
}

fn idle() -> usize {
    static IDLE: OnceLock<usize> = OnceLock::new();
    *IDLE.get_or_init(|| observe(&["--version"], Path::new("/dev/null")).bytes)
}

/// What the run has to end with.
#[derive(Clone, Copy)]
enum Ends {
    Accepted,
    Refused(&'static str),
    Either,
}
use Ends::{Accepted, Either, Refused};

/// One run of `skillx` on an archive, against the bound and the expected end; `inputs` at a time.
fn bounded(what: &str, args: &[&str], archive: &Path, inputs: usize, ends: Ends) -> Option<String> {
    let begun = Instant::now();
    let peak = observe(args, archive);
    let archive = usize::try_from(archive.metadata().unwrap().len()).unwrap();
    let bound = inputs * (archive + ALLOWANCE);
    let used = peak.bytes.saturating_sub(idle());
    println!("{what}: {}, {} of {} KiB, {:?}", args[0], used / 1024, bound / 1024, begun.elapsed());
    assert!(peak.bytes > archive, "the archive alone is in memory, so the measurement must have seen more");
    let text: String = peak.output.chars().take(300).collect();
    let right = match ends {
        Accepted => peak.code == Some(0),
        Refused(code) => peak.code == Some(1) && peak.output.contains(code),
        Either => matches!(peak.code, Some(0 | 1)),
    };
    if !right {
        return Some(format!("{what}: {} ended with {:?}: {text}", args[0], peak.code));
    }
    (used > bound).then(|| format!("{what}: {} used {used} bytes of {bound}", args.join(" ")))
}

/// Several ways to look at one archive; `check` gets it as a stream.
fn judge(directory: &Path, what: &str, archive: &Path, ends: Ends) -> Vec<String> {
    let path = archive.to_str().unwrap();
    let digest = support::sha256(&fs::read(archive).unwrap());
    let output = directory.join("out");
    let output = output.to_str().unwrap();
    let runs: [&[&str]; 3] = [
        &["check", "-", "--digest", &digest],
        &["list", path, "--digest", &digest, "--json"],
        &["verify-extract", path, "--digest", &digest, "-o", output, "--json"],
    ];
    let mut wrong = Vec::new();
    for args in runs {
        wrong.extend(bounded(what, args, archive, 1, ends));
        let _ = fs::remove_dir_all(output);
    }
    wrong
}

/// What is in the archive, how the runs have to end, and who writes it near this path.
type Case = (&'static str, Ends, Box<dyn FnOnce(&Path) -> PathBuf>);

fn case(what: &'static str, ends: Ends, build: impl FnOnce(&Path) -> PathBuf + 'static) -> Case {
    (what, ends, Box::new(build))
}

/// Builds archives one after the other, and judges each.
fn all(cases: Vec<Case>) {
    let mut wrong = Vec::new();
    for (what, ends, build) in cases {
        let temp = support::temp_dir();
        let archive = build(&temp.path().join("archive"));
        wrong.extend(judge(temp.path(), what, &archive, ends));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A tar.gz that is compressed as it is written.
struct Stream(GzEncoder<File>, PathBuf);

impl Stream {
    fn begin(path: &Path) -> Self {
        let path = path.with_extension("tar.gz");
        Self(GzEncoder::new(File::create(&path).unwrap(), Compression::new(2)), path).put(Tar::skill())
    }

    fn put(mut self, tar: Tar) -> Self {
        self.0.write_all(&tar.unended()).unwrap();
        self
    }

    fn repeat(mut self, byte: u8, mut length: usize) -> Self {
        while length > 0 {
            let part = length.min(MIB);
            self.0.write_all(&vec![byte; part]).unwrap();
            length -= part;
        }
        self
    }

    /// A header with a payload of one byte over and over.
    fn huge(self, header: Header, before: &[u8], byte: u8, length: usize, after: &[u8]) -> Self {
        let size = before.len() + length + after.len();
        let stream = self.put(Tar::empty().header(header.size(size as u64)).raw(before)).repeat(byte, length);
        stream.put(Tar::empty().raw(after).raw(vec![0; size.next_multiple_of(512) - size]))
    }

    fn end(mut self) -> PathBuf {
        self.0.write_all(&[0; 1024]).unwrap();
        self.0.finish().unwrap();
        self.1
    }
}

fn put(path: &Path, extension: &str, bytes: &[u8]) -> PathBuf {
    let path = path.with_extension(extension);
    fs::write(&path, bytes).unwrap();
    path
}

/// A distinct path of 512 bytes in two directories, made of one letter and a number.
fn longest(letter: char, number: usize) -> String {
    let of = |bytes: usize| letter.to_string().repeat(bytes / letter.len_utf8());
    let path = format!("{}/{}/{number:05}", of(250), of(240));
    let rest = 512 - path.len();
    format!("{path}{}{}", of(rest), "x".repeat(rest % letter.len_utf8()))
}

fn tar_of(path: &Path, members: impl Iterator<Item = Tar>) -> PathBuf {
    members.fold(Stream::begin(path), Stream::put).end()
}

fn zip_of(path: &Path, entries: impl Iterator<Item = Entry>) -> PathBuf {
    let zip = entries.fold(Zip::skill(), Zip::entry);
    put(path, "zip", &zip.build())
}

/// Bytes that no compressor makes smaller.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..length / 8).flat_map(next).collect()
}

#[test]
fn every_archive_in_the_repository_stays_in_bounds() {
    let mut open = vec![PathBuf::from("fixtures")];
    let (temp, mut wrong, mut count) = (support::temp_dir(), Vec::new(), 0);
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| ["gz", "tgz", "zip", "skill"].iter().any(|known| e == *known)) {
                count += 1;
                wrong.extend(judge(temp.path(), path.to_str().unwrap(), &path, Either));
            }
        }
    }
    assert!(count >= 2, "there are fixtures");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn as_many_paths_of_the_longest_kind_as_there_may_be_stay_in_bounds() {
    let tar = |letter: char| {
        move |path: &Path| {
            tar_of(path, (0..4093).map(|n| Tar::empty().pax(&[("path", longest(letter, n).as_bytes())]).file("f", "x")))
        }
    };
    let zip = |letter: char| move |path: &Path| zip_of(path, (0..4093).map(|n| Entry::file(longest(letter, n), "x")));
    all(vec![
        case("one-byte letters, tar", Accepted, tar('a')),
        case("one-byte letters, zip", Accepted, zip('a')),
        case("letters that fold into three, tar", Accepted, tar('ΐ')),
        case("letters that decompose into three times their size, tar", Accepted, tar('각')),
        case("letters that JSON writes in twelve bytes, tar", Accepted, tar('𠀀')),
        case("letters that JSON writes in twelve bytes, zip", Accepted, zip('𠀀')),
    ]);
}

#[test]
fn as_many_longest_links_as_there_may_be_stay_in_bounds() {
    let link = |n: usize, base: &str| {
        let target = format!("{}{base}", "./".repeat((1024 - base.len()) / 2));
        Tar::empty().pax(&[("path", longest('ü', n).as_bytes()), ("linkpath", target.as_bytes())]).symlink("l", "x")
    };
    all(vec![
        case("links to one file, with targets of 1 KiB", Accepted, move |path| {
            let file = longest('ü', 0);
            let base = file.rsplit_once('/').unwrap().1.to_owned();
            let file = Tar::empty().pax(&[("path", file.as_bytes())]).file("f", "x");
            tar_of(path, std::iter::once(file).chain((1..4093).map(|n| link(n, &base))))
        }),
        case("links that lead nowhere, with targets of 1 KiB", Refused("link-target-missing"), move |path| {
            tar_of(path, (0..4093).map(|n| link(n, "nowhere")))
        }),
        case("hard links with long targets that are not UTF-8", Either, |path| {
            let target = [0xff; 65_000];
            tar_of(path, (0..126).map(|n| Tar::empty().pax(&[("linkpath", &target)]).hardlink(format!("l{n}"), "x")))
        }),
        case("links with long targets that are not UTF-8", Either, |path| {
            let target = [0xff; 65_000];
            tar_of(path, (0..126).map(|n| Tar::empty().pax(&[("linkpath", &target)]).symlink(format!("l{n}"), "x")))
        }),
    ]);
}

#[test]
fn deep_trees_stay_in_bounds() {
    let deep = |n: usize, levels: usize| {
        (0..levels).map(|level| format!("{n:03}{level:02}{}", "d".repeat(13))).collect::<Vec<_>>().join("/")
    };
    let tar = move |count: usize, levels: usize| {
        move |path: &Path| {
            let member = |n| Tar::empty().pax(&[("path", deep(n, levels).as_bytes())]).file("f", "x");
            tar_of(path, (0..count).map(member))
        }
    };
    all(vec![
        case("directories of their own for each file", Accepted, tar(170, 24)),
        case("too deep", Refused("path-too-deep"), tar(1000, 25)),
        case("too many directories", Refused("limit-entries"), tar(1000, 24)),
        case("too deep by far", Refused("path-too-long"), |path| {
            let name = "a/".repeat(30_000) + "b";
            tar_of(path, (0..100).map(|_| Tar::empty().pax(&[("path", name.as_bytes())]).file("f", "x")))
        }),
    ]);
}

#[test]
fn names_that_are_refused_stay_in_bounds_however_they_are_printed() {
    // Extension payloads may come to 8 MiB in all; `list` goes on after a refusal and reports each name.
    let tar = |letter: &'static [u8]| {
        move |path: &Path| {
            let name = |n: usize| [format!("{n}").as_bytes(), &letter.repeat(65_000 / letter.len())].concat();
            tar_of(path, (0..128).map(|n| Tar::empty().pax(&[("path", &name(n))]).file("f", "x")))
        }
    };
    let zip = |letter: &'static [u8]| {
        move |path: &Path| {
            let name = |n: usize| [format!("{n}").as_bytes(), &letter.repeat(65_000 / letter.len())].concat();
            zip_of(path, (0..230).map(|n| Entry::file(name(n), "x").with(|e| e.flags = zip::FLAG_UTF8)))
        }
    };
    let many = |path: &Path| {
        let name = |n: usize| [format!("{n}").as_bytes(), &[1; 1990]].concat();
        tar_of(path, (0..4094).map(|n| Tar::empty().pax(&[("path", &name(n))]).file("f", "x")))
    };
    all(vec![
        case("long names of control characters, tar", Either, tar(&[1])),
        case("long names that are not UTF-8, tar", Either, tar(&[0xff])),
        case("long names of invisible characters, tar", Either, tar("\u{e0001}".as_bytes())),
        case("many names of control characters, tar", Either, many),
        case("long names of control characters, zip", Either, zip(&[1])),
        case("long names that are not UTF-8, zip", Either, zip(&[0xff])),
    ]);
}

#[test]
fn extension_headers_of_any_size_and_number_stay_in_bounds() {
    let size = 150 * MIB;
    let number = move |text: &str| format!("{} {text}", size + 11 + text.len());
    all(vec![
        case("a pax path of 150 MiB", Refused("limit-metadata"), move |path| {
            let before = number("path=").into_bytes();
            Stream::begin(path).huge(Header::ustar(b'x', "x"), &before, b'a', size, b"\n").end()
        }),
        case("pax records of 150 MiB", Refused("limit-metadata"), move |path| {
            let block = record("comment", "1234").repeat(MIB / 16);
            let header = Header::ustar(b'x', "x").size((block.len() * 150) as u64);
            (0..150)
                .fold(Stream::begin(path).put(Tar::empty().header(header)), |s, _| s.put(Tar::empty().raw(&block)))
                .end()
        }),
        case("a global pax comment of 150 MiB", Refused("limit-metadata"), move |path| {
            let before = number("comment=").into_bytes();
            Stream::begin(path).huge(Header::ustar(b'g', "g"), &before, b'a', size, b"\n").end()
        }),
        case("a GNU long name of 150 MiB", Refused("limit-metadata"), move |path| {
            Stream::begin(path).huge(Header::gnu(b'L', "././@LongLink"), b"", b'a', size, b"\0").end()
        }),
        case("a GNU long link of 150 MiB", Refused("limit-metadata"), move |path| {
            Stream::begin(path).huge(Header::gnu(b'K', "././@LongLink"), b"", b'a', size, b"\0").end()
        }),
        case("100,000 global headers", Refused("limit-"), |path| {
            tar_of(path, (0..100_000).map(|n| Tar::empty().global(&[("comment", format!("{n}").as_bytes())])))
        }),
        case("100,000 pax headers with a file each", Refused("limit-"), |path| {
            let name = |n: usize| format!("f{n}");
            tar_of(path, (0..100_000).map(move |n| Tar::empty().pax(&[("path", name(n).as_bytes())]).file("f", "")))
        }),
        case("100,000 pax headers in a row", Refused("dangling-extension"), |path| {
            tar_of(path, (0..100_000).map(|_| Tar::empty().pax(&[("comment", b"x")])))
        }),
    ]);
}

#[test]
fn bombs_stay_in_bounds() {
    let size = 300 * MIB;
    all(vec![
        case("300 MiB of zeros in one file, tar", Refused("limit-"), move |path| {
            Stream::begin(path).huge(Header::ustar(b'0', "zeros"), b"", 0, size, b"").end()
        }),
        case("300 MiB of zeros in many files, tar", Refused("limit-"), move |path| {
            let file = |s: Stream, n| s.huge(Header::ustar(b'0', format!("zeros{n}")), b"", 0, size / 1000, b"");
            (0..1000).fold(Stream::begin(path), file).end()
        }),
        case("300 MiB of zeros after the end, tar", Refused("limit-"), move |path| {
            Stream::begin(path).repeat(0, size).end()
        }),
        case("files without an end, tar", Refused("limit-entries"), |path| {
            tar_of(path, (0..100_000).map(|n| Tar::empty().file(format!("f{n}"), "")))
        }),
        case("hard links to a file of 1 MiB", Refused("limit-total"), |path| {
            let file = Stream::begin(path).put(Tar::empty().file("one", noise(MIB)));
            (0..4000).fold(file, |s, n| s.put(Tar::empty().hardlink(format!("h{n}"), "one"))).end()
        }),
        case("300 MiB of zeros in one file, zip", Refused("limit-"), move |path| {
            zip_of(path, std::iter::once(Entry::file("zeros", vec![0; size]).deflated()))
        }),
        case("300 MiB of zeros in many files, zip", Refused("limit-"), move |path| {
            zip_of(path, (0..1000).map(|n| Entry::file(format!("zeros{n}"), vec![0; size / 1000]).deflated()))
        }),
        case("more entries than zip can count without zip64", Refused("limit-entries"), |path| {
            zip_of(path, (0..65_000).map(|n| Entry::file(format!("f{n}"), "")))
        }),
        case("overlapping entries, zip", Refused("zip-"), |path| {
            let kernel = Zip::empty().entry(Entry::file("k", vec![0; 40 * MIB]).deflated()).build();
            let entry = |n: usize| Entry::file(format!("o{n}"), "").with(|e| e.local.omit = n > 0);
            let zip = (0..4000).fold(Zip::skill(), |zip, n| zip.entry(entry(n)));
            put(path, "zip", &zip.with(|z| z.before_central = kernel).build())
        }),
    ]);
}

#[test]
fn zip_extras_and_comments_of_any_size_stay_in_bounds() {
    let fat = || zip::extra(0xcafe, vec![b'x'; 65_531]);
    all(vec![
        case("extra fields of 65,535 bytes on both sides", Either, move |path| {
            zip_of(path, (0..240).map(|n| Entry::file(format!("f{n}"), "").with(|e| e.extra = fat())))
        }),
        case("many small extra fields", Either, |path| {
            let many: Vec<u8> = (0..16_000_u16).flat_map(|n| zip::extra(0x8000 | n, "")).collect();
            zip_of(path, (0..240).map(|n| Entry::file(format!("f{n}"), "").with(|e| e.extra = many.clone())))
        }),
        case("comments of 65,535 bytes", Either, |path| {
            let comment = vec![b'c'; 65_535];
            let entry = |n: usize| Entry::file(format!("f{n}"), "").with(|e| e.central.comment = comment.clone());
            zip_of(path, (0..400).map(entry))
        }),
    ]);
}

#[test]
fn the_largest_archives_and_documents_stay_in_bounds() {
    // Frontmatter may come to 64 KiB, the document to 1 MiB.
    let skill = |front: String| {
        move |path: &Path| {
            let text = format!("---\nname: demo\ndescription: x\n{front}---\n");
            let body = "b".repeat(MIB - text.len());
            put(path, "tar.gz", &support::gzip::gzip(Tar::empty().file("SKILL.md", text + &body).end()))
        }
    };
    let lines = |line: &dyn Fn(usize) -> String| {
        let mut text = String::new();
        for n in 0.. {
            let line = line(n);
            if text.len() + line.len() > 65_000 {
                break;
            }
            text += &line;
        }
        text
    };
    all(vec![
        case("30 MiB that cannot be compressed, tar", Accepted, |path| {
            Stream::begin(path).put(Tar::empty().file("noise", noise(30 * MIB))).end()
        }),
        case("30 MiB that cannot be compressed, zip", Accepted, |path| {
            zip_of(path, std::iter::once(Entry::file("noise", noise(30 * MIB))))
        }),
        case("a SKILL.md of keys", Either, skill(lines(&|n| format!("k{n}: v\n")))),
        case("a SKILL.md of list items", Either, skill("k:\n".to_owned() + &lines(&|_| "- v\n".to_owned()))),
        case("a SKILL.md of brackets", Either, skill(format!("k: {}\n", "[".repeat(65_000)))),
        case("a SKILL.md of deep indentation", Either, skill(lines(&|n| format!("{}k:\n", " ".repeat(n))))),
        case(
            "a SKILL.md of aliases",
            Either,
            skill(lines(&|n| match n {
                0 => "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned(),
                _ => format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(", ")),
            })),
        ),
        case("a SKILL.md of one long text", Accepted, skill(format!("k: {}\n", "y".repeat(65_000)))),
        case("a SKILL.md of many documents", Either, skill("---\n".repeat(16_000))),
        case("a SKILL.md without an end of its frontmatter", Refused("skill-md-invalid"), |path| {
            let text = format!("---\nname: demo\ndescription: \"{}", "\u{20000}".repeat((MIB - 100) / 4));
            put(path, "tar.gz", &support::gzip::gzip(Tar::empty().file("SKILL.md", text).end()))
        }),
        case("a gzip header without an end", Refused("gzip-header"), |path| {
            put(path, "tar.gz", &[&[0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3][..], &vec![b'n'; 30 * MIB]].concat())
        }),
    ]);
}

#[test]
fn a_batch_stays_in_the_bounds_of_the_archives_it_works_on_at_a_time() {
    let temp = support::temp_dir();
    let names = (0..4093).map(|n| Tar::empty().pax(&[("path", longest('ü', n).as_bytes())]).file("f", "x"));
    let archive = tar_of(&temp.path().join("archive"), names);
    let path = archive.to_str().unwrap();
    let args: Vec<&str> = ["check", "--allow-unverified", "--json", "-j2"].into_iter().chain([path; 8]).collect();
    let wrong = bounded("a batch", &args, &archive, 2, Accepted);
    assert_eq!(wrong, None);
}
