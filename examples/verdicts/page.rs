//! `docs/verdicts.md`: how it was made, counts first, then the tables, long answers as notes.

use std::fmt::Write as _;

use crate::judge::{Answer, Judged, Verdict};
use crate::reader::Reader;
use crate::scene::{MOST_FILE, MOST_MEMORY, MOST_SECONDS};

/// KiB beyond which the memory that a reader took is worth a word.
const MUCH: i64 = 128 * 1024;

pub(crate) fn page(readers: &[Reader], results: &[Judged]) -> String {
    let mut page = HEAD.to_owned();
    let refused = results.iter().filter(|result| result.case.code != "-").count();
    let _ = writeln!(
        page,
        "{} archives, {} readers: {} that skillx accepts, {refused} that it refuses.\n",
        results.len(),
        readers.len(),
        results.len() - refused
    );
    counts(&mut page, readers, results, true);
    counts(&mut page, readers, results, false);
    let mut notes = Notes::default();
    for (title, zip) in [("tar.gz", false), ("zip", true)] {
        table(&mut page, title, zip, readers, results, &mut notes);
    }
    page.push_str(
        "\n## Notes\n\nHow a tree differs from the one that `=` stands for in its row, or what happened outside.\n\n",
    );
    for (at, note) in notes.0.iter().enumerate() {
        let _ = writeln!(page, "{}. {note}", at + 1);
    }
    page.push_str(REPRODUCE);
    let _ = writeln!(
        page,
        "Each run had {MOST_SECONDS} s, {} MiB of address space (not `jar` and node-tar, whose runtimes reserve more), and \
         files of at most {} MiB.\n",
        MOST_MEMORY >> 20,
        MOST_FILE >> 20
    );
    page.push_str("| reader | version | called as |\n| --- | --- | --- |\n");
    for reader in readers {
        let call = if reader.is_skillx() {
            "skillx verify-extract {} --allow-unverified -o DIR".to_owned()
        } else if reader.name.starts_with("crate") {
            "`unpack` / `extract`, as its documentation shows".to_owned()
        } else {
            reader.command.join(" ").replace('\n', "; ").replace('|', "\\|")
        };
        let call = if reader.name.starts_with("crate") { call } else { format!("`{call}`") };
        let _ = writeln!(page, "| {} | {} | {call} |", reader.name, reader.version.replace('|', "\\|"));
    }
    page
}

/// One row for each reader, over the cases that skillx accepts or over those that it refuses.
fn counts(page: &mut String, readers: &[Reader], results: &[Judged], accepted: bool) {
    let kind = if accepted { "accepts" } else { "refuses" };
    let same = if accepted { "same tree as skillx" } else { "unpacked" };
    let _ = writeln!(
        page,
        "### Archives that skillx {kind}\n\n| reader | read | {same} | another tree | nothing, without an error | refused, \
         nothing left | refused, part left | timeout | link out of the tree left | special file left | wrote outside | \
         peak memory |\n|{}",
        " --- |".repeat(12)
    );
    for (at, reader) in readers.iter().enumerate() {
        let verdicts: Vec<&Verdict> = results
            .iter()
            .filter(|result| (result.case.code == "-") == accepted)
            .filter_map(|result| result.verdicts.get(at)?.as_ref())
            .collect();
        let count = |is: &dyn Fn(&Verdict) -> bool| verdicts.iter().filter(|verdict| is(verdict)).count();
        let cells = [
            verdicts.len(),
            count(&|verdict| verdict.answer == Answer::Same),
            count(&|verdict| matches!(verdict.answer, Answer::Other(_))),
            count(&|verdict| verdict.answer == Answer::Nothing),
            count(&|verdict| verdict.answer == Answer::Refused),
            count(&|verdict| matches!(verdict.answer, Answer::RefusedLate(_))),
            count(&|verdict| verdict.answer == Answer::TimedOut),
            count(&|verdict| verdict.links_out > 0),
            count(&|verdict| verdict.specials > 0),
            count(&|verdict| !verdict.escaped.is_empty()),
        ];
        let cells: Vec<String> =
            cells.iter().map(|count| if *count == 0 { "·".to_owned() } else { count.to_string() }).collect();
        let peak = verdicts.iter().map(|verdict| verdict.peak).max().unwrap_or_default() / 1024;
        let _ = writeln!(page, "| {} | {} | {peak} MiB |", reader.name, cells.join(" | "));
    }
    page.push('\n');
}

fn table(page: &mut String, title: &str, zip: bool, readers: &[Reader], results: &[Judged], notes: &mut Notes) {
    let columns: Vec<usize> = (0..readers.len()).filter(|at| readers[*at].reads(zip)).collect();
    let names: Vec<&str> = columns.iter().map(|at| readers[*at].name).collect();
    let _ = writeln!(
        page,
        "\n## {title}\n\n| archive | skillx says | {} |\n| --- | --- |{}",
        names.join(" | "),
        " :-: |".repeat(names.len())
    );
    for result in results.iter().filter(|result| result.case.zip == zip) {
        let cells: Vec<String> = columns
            .iter()
            .map(|at| result.verdicts[*at].as_ref().map_or_else(String::new, |verdict| cell(verdict, notes)))
            .collect();
        let code = if result.case.code == "-" { "accepted".to_owned() } else { format!("`{}`", result.case.code) };
        let name = result.case.name.replace('|', "\\|");
        let _ = writeln!(page, "| `{name}` | {code} | {} |", cells.join(" | "));
    }
}

fn cell(verdict: &Verdict, notes: &mut Notes) -> String {
    let mut cell = match &verdict.answer {
        Answer::Refused => "–".to_owned(),
        Answer::RefusedLate(left) => format!("– {left} left"),
        Answer::Same => "=".to_owned(),
        Answer::Other(how) => format!("≠{}", notes.number(how)),
        Answer::Nothing => "∅".to_owned(),
        Answer::TimedOut => "timeout".to_owned(),
    };
    if verdict.links_out > 0 {
        cell.push_str(" **L**");
    }
    if verdict.specials > 0 {
        cell.push_str(" **S**");
    }
    if !verdict.escaped.is_empty() {
        let _ = write!(cell, " **E**{}", notes.number(&verdict.escaped.join("; ")));
    }
    if verdict.peak > MUCH {
        let _ = write!(cell, " {} MiB", verdict.peak / 1024);
    }
    cell
}

/// The notes, each once.
#[derive(Default)]
struct Notes(Vec<String>);

impl Notes {
    fn number(&mut self, note: &str) -> String {
        let at = self.0.iter().position(|known| known == note).unwrap_or_else(|| {
            self.0.push(note.to_owned());
            self.0.len() - 1
        });
        format!("<sup>{}</sup>", at + 1)
    }
}

const HEAD: &str = "\
# What readers make of the fixtures

Every archive in `fixtures/`, given to every reader found on one machine. Written by `cargo run --release --example verdicts`
(at the end: how, and the versions); do not edit by hand. What each hostile archive is, and how it was built, stands in
[cases.md](cases.md) under its name.

- `=` unpacked, to the same tree: skillx's where skillx accepts the archive, else the tree that most readers make
- `≠` unpacked without an error, to another tree; the note says how. Execute bits are not compared
- `–` refused, nothing left behind; `– N left`: an error, and N entries left on disk
- `∅` no error, and nothing unpacked
- **L** a symbolic link is left that leads out of the tree; **S** a FIFO, socket or device is left; **E** something outside the
  directory was changed or made
- `N MiB` peak resident memory of the largest process, where it is above 128 MiB

That a reader unpacks what skillx refuses is no fault of that reader: few of them promise what skillx promises. The table shows
which archives have more than one reading.

## Counts

";

const REPRODUCE: &str = "
## How it was made

    cargo run --release --example verdicts

on Linux, with `setpriv`, `prlimit` and `timeout`; `NODE_PATH` names a folder with node-tar. Readers that are not on the machine
are left out. Each reader unpacks a copy of each archive into an empty directory of its own, inside a tree of canaries that is
looked at afterwards (kind, content and permissions of everything around), as an unprivileged user without a way to gain
privileges. Memory is `ru_maxrss` of the largest process, from `getrusage`. Writing beyond the scene to an absolute path is
forbidden to that user: it shows as a refusal. 7-Zip reads a tar.gz through a pipe of two. skillx is given the flags that
`expected.txt` lists for an archive.

";
