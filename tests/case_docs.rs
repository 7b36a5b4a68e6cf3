//! `docs/cases.md` is made from the catalogue of forged cases, and is current.
//!
//! `SKILLX_WRITE_DOCS=1 cargo test --test case_docs` writes it anew. A row that the page does not know yet needs a
//! sentence in `ROWS`.
#![allow(unreachable_pub, clippy::disallowed_methods, clippy::pedantic)] // tests look at the file system from outside

#[path = "case_docs/named.rs"]
mod named;
#[path = "case_docs/reports.rs"]
mod reports;
#[path = "case_docs/sources.rs"]
mod sources;
mod support;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use named::{ELSEWHERE, NAMED, NUMBERED, Named};
use reports::{REPORTS, Report};
use support::cases::{self, Case, Expect};

/// Longer pages are not read.
const MOST_LINES: usize = 1500;

const INTRODUCTION: &str = include_str!("case_docs/introduction.md");

/// The letters, in the order of the page.
const LETTERS: &[(&str, &str)] = &[
    ("A", "What real producers write"),
    ("P", "Paths"),
    ("L", "Links"),
    ("S", "Kinds of entries"),
    ("C", "Collisions"),
    ("T", "Tar framing and fields"),
    ("G", "Gzip"),
    ("Z", "Zip"),
    ("R", "Resources"),
    ("M", "Modes, owners, times"),
    ("D", "Digest"),
    ("I", "Install and SKILL.md"),
    ("K", "SKILL.md and the shape of the tree"),
    ("O", "Output"),
    ("X", "Further findings"),
];

/// What the rows are about. A letter alone stands for cases beside the numbered ones.
const ROWS: &[(&str, &str)] = &[
    (
        "A",
        "Archives as tools of today write them, odd habits included: all accepted unless a flag or a rule of the skill says otherwise.",
    ),
    ("A05", "Text that hides in SKILL.md is reported, not refused."),
    ("A06", "Two siblings whose names look alike are reported, not refused."),
    ("A07", "Programs are ordinary files."),
    ("A09", "A second SKILL.md deeper in the tree is an ordinary file."),
    ("P", "Two defects in one name: the order of the rules decides which is named."),
    ("P01", "A name that begins with `..` would leave the destination."),
    ("P02", "A name that climbs out after going in."),
    ("P03", "A `..` that stays inside: readers resolve it in three ways."),
    ("P04", "An absolute name."),
    ("P05", "A name that is empty or only slashes."),
    ("P06", "The root itself as a directory, as `tar -C dir .` writes it, has no effect."),
    ("P07", "The root itself as anything but a directory."),
    ("P08", "A leading `./` is taken off."),
    ("P09", "Doubled slashes and inner `.` are taken out."),
    ("P10", "A trailing slash on something that is no directory."),
    ("P11", "A long name with a trailing slash over an old-style file header: a file to some, a directory to others."),
    ("P12", "A NUL inside a name: readers cut it there."),
    ("P13", "A name that is not UTF-8."),
    ("P14", "Control characters of ASCII in a name."),
    ("P15", "Control characters of the C1 set in a name."),
    ("P16", "Characters that turn the direction of text."),
    ("P17", "Characters that show nothing, private-use characters and noncharacters."),
    ("P18", "A name at the root that looks like SKILL.md and is not."),
    ("P19", "Backslashes, and the other characters that Windows reserves."),
    ("P20", "A colon after a drive letter."),
    ("P21", "A colon that names an alternate data stream."),
    ("P22", "Network and device paths of Windows."),
    ("P23", "Names that are devices on Windows, with any extension."),
    ("P24", "A component that ends in a dot or a space."),
    ("P25", "Names of the 8.3 shape, which may mean another file on Windows."),
    ("P26", "A `.git` component in any spelling; other dot directories are ordinary."),
    ("P27", "Components, paths and nesting at their limits and one beyond."),
    ("P28", "A sibling of the destination whose name begins with the destination's."),
    ("L", "Link targets at the edges of the rules: the root, missing ones, noise, links denied by a flag."),
    ("L01", "An absolute link, and a write through it."),
    ("L02", "A relative link that leaves, and a write through it."),
    ("L03", "A link that leaves, to be read later."),
    ("L04", "A chain of links that fools a check of their letters."),
    ("L05", "A link, then a file of the same name."),
    ("L06", "A link, then a directory of the same name."),
    ("L07", "A hard link to something outside."),
    ("L08", "A hard link to a link."),
    ("L09", "A hard link inside becomes a copy, and is counted as one."),
    ("L10", "A hard link to something later, missing, or itself."),
    ("L11", "A hard link with a payload: some readers take it for the next entries."),
    ("L12", "A link inside the skill to something in the archive."),
    ("L13", "An entry below a link."),
    ("L14", "Loops and long chains of links."),
    ("L15", "SKILL.md as a link, or replaced by one."),
    ("L16", "Targets that are empty, too long, not text, or different on other systems."),
    ("L17", "A zip link that lies about its size."),
    ("S01", "FIFOs, devices and sockets."),
    ("S02", "Entry types that no two readers treat alike."),
    ("S03", "Contiguous files."),
    ("S04", "GNU volume labels, multi-volume parts and dump directories."),
    ("S05", "Extension headers of Solaris."),
    ("S06", "A directory with a payload."),
    ("S07", "A symbolic link with a payload."),
    ("S08", "A zip directory with data: only none, or an empty deflate stream."),
    ("S09", "Name, attributes and host disagree on the kind of entry."),
    ("S10", "Metadata of macOS is checked like all else, and left out."),
    ("S11", "Archives inside the archive are ordinary files."),
    ("S12", "Encrypted zip entries."),
    ("C01", "The same file twice."),
    ("C02", "The same path twice once it is normalised."),
    ("C03", "The same directory twice is fine."),
    ("C04", "Paths that differ only in case."),
    ("C05", "Paths that differ only in how characters are composed."),
    ("C06", "Paths that differ by the special cases of folding."),
    ("C07", "A path as a file and as a directory."),
    ("C08", "A directory nobody announced collides by folding."),
    ("C09", "A directory twice with different modes."),
    ("T01", "A pax size over a header size of zero."),
    ("T02", "A pax size and a header size that differ."),
    ("T03", "A pax header applied to another extension header."),
    ("T04", "A pax header reaches exactly one entry."),
    ("T05", "How the pax size is spelled."),
    ("T06", "A pax key twice."),
    ("T07", "Pax records whose length, key or end is wrong."),
    ("T08", "A newline inside a pax value is fine."),
    ("T09", "Empty pax values."),
    ("T10", "Two extension headers of one kind in a row."),
    ("T11", "A pax path and a GNU long name on one entry."),
    ("T12", "An extension header that no entry follows."),
    ("T13", "A GNU long name with bytes after its NUL."),
    ("T14", "A GNU long name without its NUL."),
    ("T15", "A global pax header that gives path, target or size."),
    ("T16", "A global pax header with a comment, as git writes it."),
    ("T17", "Pax keys of vendors: ignored, unless they change what an entry is."),
    ("T18", "Names declared to be in another encoding."),
    ("T19", "Numbers in base 256."),
    ("T20", "Numbers in octal: the spellings that are read alike, and junk."),
    ("T21", "Checksums: wrong, signed, oddly spelled."),
    ("T22", "Magic and version."),
    ("T23", "GNU and ustar headers in one archive."),
    ("T24", "The end of the archive is missing."),
    ("T25", "An entry after a single zero block."),
    ("T26", "An entry after the end."),
    ("T27", "Garbage after the end."),
    ("T28", "Zero padding after the end."),
    ("T29", "A truncated archive."),
    ("T30", "Sparse files in every form."),
    ("T31", "The name prefix field."),
    ("T32", "Link names that fill or overrun their field."),
    ("T33", "Times in any form: never restored."),
    ("T34", "Sizes whose sum overflows."),
    ("G", "The deflate stream: levels, block types, broken ones."),
    ("G01", "One tar stream in several gzip members."),
    ("G02", "A second gzip member that hides a tar."),
    ("G03", "Garbage after the gzip member."),
    ("G04", "NULs after the gzip member: the padding of bsdtar, and nothing else."),
    ("G05", "A wrong or missing trailer."),
    ("G06", "Every field of the gzip header, and its limits."),
    ("G07", "The file name in the gzip header is not used."),
    ("Z", "The directory: another order than the file, records past its end."),
    ("Z01", "Local header and directory record disagree in one field."),
    ("Z02", "A local header that the directory does not list."),
    ("Z03", "A directory record without a local header."),
    ("Z04", "Entries that overlap."),
    ("Z05", "Bytes that belong to nothing."),
    ("Z06", "Bytes after the end record."),
    ("Z07", "Several places that could be the end record."),
    ("Z08", "The archive's comment."),
    ("Z09", "Wrong numbers of entries."),
    ("Z10", "Parts on other disks."),
    ("Z11", "Zip64 end records and fields: missing, superfluous, contradictory."),
    ("Z12", "A zip64 field that is not needed."),
    ("Z13", "Data descriptors in every form, true and untrue."),
    ("Z14", "A wrong CRC or size."),
    ("Z15", "Compressed data that ends early or late."),
    ("Z16", "Compression methods."),
    ("Z17", "Flags."),
    ("Z18", "The version needed."),
    ("Z19", "The Unicode path field."),
    ("Z20", "The encoding of names."),
    ("Z21", "Extra fields that are cut or doubled."),
    ("Z22", "Comments of entries."),
    ("Z23", "Archive extra data and digital signatures."),
    ("Z24", "Empty archives, and too few bytes for one."),
    ("Z25", "Very many or very large directory records."),
    ("Z26", "A program in front of the archive."),
    ("R", "Every limit at its value and one less, and flags that are no limit."),
    ("R01", "The ratio of compression."),
    ("R02", "The bytes of one file and of all files, as counted."),
    ("R03", "The number of entries, implied directories included."),
    ("R04", "Extension headers as a bomb."),
    ("R05", "Overlapping entries as a bomb."),
    ("R06", "Very many directories."),
    ("R07", "Compressed data that is slow to read."),
    ("R08", "Names and links that would make a careless check slow."),
    ("R09", "Deep nesting."),
    ("R10", "Declared sizes are not believed."),
    ("M", "A mixture of modes, as skills have them."),
    ("M01", "The mode of a file: 0644 or 0755, whatever it says."),
    ("M02", "World-writable files and directories."),
    ("M03", "The mode of a directory: 0755, even if it says closed."),
    ("M04", "Owners are ignored."),
    ("M05", "Attributes and access lists are dropped."),
    ("M06", "Zip modes by hosts other than unix."),
    ("M07", "Times are not restored."),
    ("M08", "The caller's umask does not matter."),
    ("M09", "Directories that are only implied."),
    ("D01", "Bytes that change after they were hashed."),
    ("D02", "A wrong digest is named before anything else."),
    ("D03", "The spelling of digests."),
    ("D04", "No digest at all."),
    ("D08", "One file that is both formats."),
    ("I10", "The skill's name as a directory."),
    ("I11", "SKILL.md: missing, elsewhere, no file, or not what it should be."),
    ("K", "Frontmatter in its forms, wrapper directories, and taking them off."),
    ("O01", "Names reach no terminal unescaped."),
    ("O02", "Names in JSON."),
    ("O04", "Names that imitate the program's own lines."),
    ("O05", "Names with terminal hyperlinks."),
    ("O07", "A listing says what an extraction would."),
    ("X01", "No SKILL.md is loadable before the verdict."),
    ("X02", "Replacing a directory that the archive chose."),
    ("X03", "Left-over staging directories."),
    ("X04", "Bytes in the prefix area of a GNU header."),
    ("X05", "A link name on something that is no link."),
    ("X06", "A pax key that changes the size for one reader."),
    ("X07", "Junk in a numeric field that is not used."),
    ("X08", "A zip field that turns a file into a link for one reader."),
    ("X09", "Link attributes by hosts that have no links."),
    ("X10", "A fake data descriptor inside stored data."),
    ("X11", "Names beyond ASCII that nothing marks as UTF-8."),
    ("X12", "A wrapper that is taken off, and links that rely on it."),
    ("X13", "Names and descriptions that a CI system takes for commands."),
    ("X14", "Control characters in the skill's name or description."),
    ("X15", "Private-use characters that some systems map to others."),
    ("D05", "All 32 bytes of a digest are compared."),
    ("I01", "Something stands at the destination."),
    ("I02", "The destination is a symbolic link."),
    ("I03", "The parent of the destination is exchanged while an install runs."),
    ("I04", "The staging directory is private, and nobody can guess its name."),
    ("I05", "Somebody plants links where an install is at work."),
    ("I06", "A run that ends between two steps."),
    ("I07", "What the last rename meets."),
    ("I08", "Several installs at once."),
    ("I09", "A destination that folds names."),
    ("I12", "Nothing that is installed is executed."),
    ("I14", "A destination in a work tree, or on a file system that lacks something."),
    ("L18", "Links in an existing destination."),
    ("L19", "A link of an older version, and an update over it."),
    ("O03", "Libraries that write logs."),
    ("R11", "The disk is full."),
    ("R12", "Open handles are few."),
    ("R13", "Nothing is set aside for a declared size."),
    ("T35", "Files that are not what they are declared to be, or no archive at all."),
    ("X16", "What must not compile."),
    ("X17", "A sidecar from the same place as the archive."),
    ("X22", "Sidecars that are no regular file."),
    ("D06", "A body that is not as long as declared."),
    ("D07", "A server that encodes the body once more."),
    ("D09", "Files in the cache of downloads."),
    ("I13", "Receipts of what was installed."),
    ("X18", "Receipts that a stranger wrote."),
];

#[test]
fn the_page_of_cases_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/cases.md");
    let page = page(&cases::all());
    if std::env::var_os("SKILLX_WRITE_DOCS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let stored = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(stored == page, "docs/cases.md is not current: SKILLX_WRITE_DOCS=1 cargo test --test case_docs");
    assert!(page.lines().count() < MOST_LINES, "docs/cases.md has {} lines", page.lines().count());
    assert!(page.is_ascii(), "docs/cases.md shows what it should only describe");
}

#[test]
fn every_row_of_the_catalogue_is_explained_once() {
    let explained: BTreeSet<&str> = ROWS.iter().map(|(row, _)| *row).collect();
    assert_eq!(explained.len(), ROWS.len(), "a row is explained twice");
    let all = cases::all();
    let built: BTreeSet<&str> = all.iter().map(|case| row(&case.id)).chain(NAMED.iter().map(|it| row(it.id))).collect();
    let unknown: Vec<_> = built.difference(&explained).collect();
    assert!(unknown.is_empty(), "tests/case_docs.rs has no sentence for {unknown:?}");
    let letters: BTreeSet<&str> = LETTERS.iter().map(|(letter, _)| *letter).collect();
    assert!(built.iter().all(|row| letters.contains(&row[..1])));
}

#[test]
fn every_row_of_the_catalogue_has_a_case_or_a_test() {
    let all = cases::all();
    let built: BTreeSet<&str> = all.iter().map(|case| row(&case.id)).chain(NAMED.iter().map(|it| row(it.id))).collect();
    let elsewhere: BTreeSet<&str> = ELSEWHERE.iter().map(|(row, _)| *row).collect();
    for (letter, last) in NUMBERED {
        for number in 1..=*last {
            let row = format!("{letter}{number:02}");
            let here = built.contains(row.as_str());
            assert!(here != elsewhere.contains(row.as_str()), "{row}: case or test, else a reason");
        }
    }
    let empty: Vec<_> = ROWS.iter().filter(|(row, _)| row.len() == 3 && !built.contains(row)).collect();
    assert!(empty.is_empty(), "explained, with neither case nor test: {empty:?}");
}

#[test]
fn every_named_test_exists_and_says_which_cases_it_is() {
    let tests = sources::tests();
    let ids: BTreeSet<&str> = NAMED.iter().map(|it| it.id).collect();
    assert_eq!(ids.len(), NAMED.len(), "an id is there twice");
    assert!(cases::all().iter().all(|case| !ids.contains(case.id.as_str())), "an id is a forged case, too");
    for Named { id, test, .. } in NAMED {
        let Some(tagged) = tests.get(*test) else { panic!("{id}: there is no test {test}") };
        assert!(tagged.contains(*id), "{test} does not say `/// Cases: {id}.`");
    }
    for (test, tagged) in &tests {
        for id in tagged {
            assert!(NAMED.iter().any(|it| it.id == id && it.test == test), "{test} is not listed for {id}");
        }
    }
}

#[test]
fn every_report_from_the_field_is_accepted_or_gets_an_answer_that_helps() {
    let all = cases::all();
    let temp = support::temp_dir();
    for Report { at, id, says, .. } in REPORTS {
        let case = all.iter().find(|case| case.id == *id).unwrap_or_else(|| panic!("{at}: there is no case {id}"));
        assert_eq!(case.code().is_none(), says.is_empty(), "{at}: {id} is {:?}", case.expect);
        let archive = temp.path().join(format!("skill.{}", case.format.flag()));
        fs::write(&archive, case.bytes()).unwrap();
        let mut args = vec!["check", archive.to_str().unwrap(), "--allow-unverified", "--format", case.format.flag()];
        args.extend(case.args.iter().map(String::as_str));
        let outcome = support::run::skillx(&args);
        assert_eq!(outcome.code, Some(case.exit()), "{at}: {id}");
        let helps = outcome.err().contains("  help     ") && outcome.err().contains(says);
        assert!(says.is_empty() || helps, "{at}: {id}: {}", outcome.err());
    }
}

#[test]
fn every_test_that_the_documents_name_exists() {
    let tests = sources::tests();
    for name in ["DESIGN.md", "CONTRIBUTING.md", "README.md", "SECURITY.md", "docs/oracles.md"] {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
        for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || "/._:".contains(c))) {
            let is_test = word
                .split_once(".rs::")
                .is_some_and(|(file, _)| file.starts_with("tests/") || file.starts_with("src/"));
            assert!(!is_test || tests.contains_key(word), "{name} names {word}");
        }
    }
}

#[test]
fn the_reader_of_the_sources_sees_tests_and_nothing_else() {
    let tests = sources::tests();
    let key = |name: &str| format!("tests/case_docs.rs::{name}");
    assert!(tests.contains_key(&key("the_reader_of_the_sources_sees_tests_and_nothing_else")));
    assert!(!tests.contains_key(&key("page")), "a function is no test");
    assert!(!tests.contains_key("src/install/tests/driver.rs::run"), "an ignored test does not run");
    assert!(tests.contains_key("tests/properties/names.rs::what_is_accepted_is_clean_unique_and_inside"));
    assert!(tests.len() > 300, "{}", tests.len());
}

/// The part of an id that names its row: `T20` of `T20-mode-tab`.
fn row(id: &str) -> &str {
    id.split(['-', '.']).next().unwrap_or_default()
}

/// More constructions of one row with one verdict and code share a line.
const MOST_CONSTRUCTIONS: usize = 6;

/// One line of a table: the cases of a row that share construction, verdict and code; or only the last two, if their
/// constructions are many.
struct Line<'a> {
    what: Vec<&'a str>,
    expect: Expect,
    flags: BTreeSet<String>,
    ids: Vec<&'a str>,
}

fn page(cases: &[Case]) -> String {
    let mut page = INTRODUCTION.trim_end().to_owned() + "\n";
    let accepted = cases.iter().filter(|case| case.expect == Expect::Accepted).count();
    let codes: BTreeSet<_> = cases.iter().filter_map(Case::code).collect();
    let (all, codes) = (cases.len(), codes.len());
    writeln!(page, "\nThe catalogue has {all} cases: {accepted} accepted, the others get one of {codes} codes.")
        .unwrap();
    let tests = NAMED.iter().map(|it| it.test).collect::<BTreeSet<_>>().len();
    writeln!(page, "What is no archive has {} cases of its own, in {tests} tests that are named here.", NAMED.len())
        .unwrap();
    for (letter, title) in LETTERS {
        let of_letter: Vec<&Case> = cases.iter().filter(|case| case.id.starts_with(letter)).collect();
        let named: Vec<&Named> = NAMED.iter().filter(|it| it.id.starts_with(letter)).collect();
        if of_letter.is_empty() && named.is_empty() {
            continue;
        }
        let rows: BTreeSet<&str> =
            of_letter.iter().map(|case| row(&case.id)).chain(named.iter().map(|it| row(it.id))).collect();
        writeln!(page, "\n## {letter}: {title}\n\n| row | about |\n|---|---|").unwrap();
        for row in &rows {
            let about = ROWS.iter().find(|(known, _)| known == row).map_or("", |(_, about)| about);
            writeln!(page, "| {row} | {about} |").unwrap();
        }
        if !of_letter.is_empty() {
            page.push_str("\n| id | construction | verdict | code |\n|---|---|---|---|\n");
        }
        for name in rows {
            let of_row = of_letter.iter().copied().filter(|case| row(&case.id) == name);
            lines(of_row).iter().for_each(|line| page.push_str(&line.show()));
        }
        if !named.is_empty() {
            page.push_str("\n| id | construction | verdict | code | test |\n|---|---|---|---|---|\n");
        }
        named.iter().for_each(|it| page.push_str(&it.show()));
    }
    page.push_str("\n## Reports from the field\n\nArchives that other readers refused or read wrongly.\n");
    page.push_str("\n| report | about | case | verdict |\n|---|---|---|---|\n");
    for Report { at, what, id, says } in REPORTS {
        let verdict =
            if says.is_empty() { "accepted".to_owned() } else { format!("refused; the answer says \"{says}\"") };
        writeln!(page, "| {at} | {what} | `{id}` | {verdict} |").unwrap();
    }
    page.push_str("\n## Not here\n\n| row | why |\n|---|---|\n");
    for (row, why) in ELSEWHERE {
        writeln!(page, "| {row} | {why} |").unwrap();
    }
    page
}

impl Named {
    fn show(&self) -> String {
        let code = if self.code.is_empty() { "-".to_owned() } else { format!("`{}`", self.code) };
        let (file, function) = self.test.split_once("::").expect("file and function");
        format!("| `{}` | {} | {} | {code} | {file} `{function}` |\n", self.id, cell(self.what), self.verdict)
    }
}

fn lines<'a>(cases: impl Iterator<Item = &'a Case>) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'a>> = Vec::new();
    for case in cases {
        let line = Line {
            what: vec![case.what],
            expect: case.expect,
            flags: BTreeSet::from([case.args.join(" ")]),
            ids: vec![&case.id],
        };
        match lines.iter_mut().find(|other| other.what == line.what && other.expect == line.expect) {
            Some(other) => other.add(line),
            None => lines.push(line),
        }
    }
    let mut merged: Vec<Line<'a>> = Vec::new();
    let count = |expect| lines.iter().filter(|line| line.expect == expect).count();
    let many: Vec<bool> = lines.iter().map(|line| count(line.expect) > MOST_CONSTRUCTIONS).collect();
    for (line, many) in lines.into_iter().zip(many) {
        // What producers write is what a reader looks up by name.
        let alone = !many || line.ids[0].starts_with("A-");
        match merged.iter_mut().find(|other| !alone && other.expect == line.expect) {
            Some(other) => other.add(line),
            None => merged.push(line),
        }
    }
    merged
}

impl<'a> Line<'a> {
    fn add(&mut self, other: Line<'a>) {
        self.what.extend(other.what.into_iter().filter(|what| !self.what.contains(what)).collect::<Vec<_>>());
        self.flags.extend(other.flags);
        self.ids.extend(other.ids);
    }

    fn show(&self) -> String {
        let id = |id: &&str| format!("`{}`", cell(id));
        // The two formats of one case first, else the first and the last of many.
        let ids = match &self.ids[..] {
            [one] => id(one),
            [one, other] => format!("{}, {}", id(one), id(other)),
            [first, .., last] => format!("{} cases: {} ... {}", self.ids.len(), id(first), id(last)),
            [] => String::new(),
        };
        let flags = match self.flags.iter().next() {
            Some(flags) if self.flags.len() == 1 && !flags.is_empty() => format!(" (`{}`)", cell(flags)),
            _ if self.flags.len() > 1 => " (under various flags)".to_owned(),
            _ => String::new(),
        };
        let (verdict, code) = match self.expect {
            Expect::Accepted => ("accepted", "-".to_owned()),
            Expect::Refused(code) => ("refused", format!("`{code}`")),
            Expect::Usage(code) | Expect::Failed(code) => ("failed", format!("`{code}`")),
        };
        format!("| {ids} | {}{flags} | {verdict} | {code} |\n", cell(&self.what.join("; ")))
    }
}

/// Text that a table takes as it is.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
        .chars()
        .flat_map(|c| if c.is_ascii() { vec![c] } else { c.escape_unicode().collect() })
        .collect()
}
