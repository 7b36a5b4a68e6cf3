//! skillx beside the readers of this machine, archive by archive.

use std::path::Path;
use std::process::Command;

use super::corpus::{self, FORMATS};
use super::measure::{Taken, median, run};
use super::{Outcome, Wish};

/// Limits that the corpus needs, which is larger than a skill should be.
pub(crate) const LIMITS: [&str; 8] =
    ["--max-archive", "2G", "--max-total", "4G", "--max-file", "2G", "--max-entries", "1000000"];

pub(crate) fn compare(wish: &Wish) -> Outcome<()> {
    let place = tempfile::tempdir_in(&wish.place)?;
    println!(
        "{:<14} {:<12} {:>10} {:>10} {:>10} {:>8} {:>8}",
        "archive", "reader", "wall ms", "cpu ms", "peak MiB", "x bare", "cpu x"
    );
    for kind in &wish.only {
        for format in FORMATS {
            eprintln!("building {kind}.{format}");
            let archive = corpus::build(place.path(), kind, format, || corpus::files(kind))?;
            let commands = commands(wish, place.path(), &archive, format)?;
            let rows = rounds(wish.rounds, place.path(), &commands)?;
            for (at, (name, _)) in commands.iter().enumerate() {
                let of = |number: fn(&Taken) -> f64| median(rows.iter().map(|row| number(&row[at])).collect());
                let ratio = |number: fn(&Taken) -> f64| {
                    median(rows.iter().map(|row| number(&row[at]) / number(&row[0])).collect())
                };
                let (wall, cpu, peak) = (of(|t| t.wall_ms), of(|t| t.cpu_ms), of(|t| t.peak_mib));
                let (by_wall, by_cpu) = (ratio(|t| t.wall_ms), ratio(|t| t.cpu_ms));
                println!(
                    "{:<14} {name:<12} {wall:>10.1} {cpu:>10.1} {peak:>10.1} {by_wall:>8.2} {by_cpu:>8.2}",
                    format!("{kind}.{format}")
                );
            }
            std::fs::remove_file(archive)?;
        }
    }
    Ok(())
}

fn rounds(count: usize, place: &Path, commands: &[(&str, Vec<String>)]) -> Outcome<Vec<Vec<Taken>>> {
    (0..count).map(|_| commands.iter().map(|(_, command)| run(place, command)).collect()).collect()
}

/// The ruler first, then skillx, then what is there.
fn commands(wish: &Wish, place: &Path, archive: &Path, format: &str) -> Outcome<Vec<(&'static str, Vec<String>)>> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let (archive, out) = (text(archive), text(&place.join("out")));
    let own = text(&std::env::current_exe()?);
    let digest = skillx_archive::Artifact::open_with(&archive, &everything())?.digest().to_string();
    let mut extract = vec![text(&wish.skillx), "verify-extract".into(), archive.clone(), "--digest".into(), digest];
    extract.extend(["--output".into(), out.clone()]);
    extract.extend(LIMITS.map(str::to_owned));
    let mut commands = vec![("bare", vec![own, "bare".into(), archive.clone(), out.clone()]), ("skillx", extract)];
    let mut shell = |name, program: &str, script: String| {
        let there = Command::new("sh").args(["-c", &format!("command -v {program}")]).output();
        if there.is_ok_and(|output| output.status.success()) {
            commands.push((name, vec!["sh".into(), "-c".into(), script]));
        }
    };
    let sum = format!("sha256sum {archive}");
    let python = |module: &str, call: &str| format!("{sum} && exec python3 -c 'import {module}; {call}' ");
    if format == "zip" {
        shell("unzip", "unzip", format!("{sum} && exec unzip -q {archive} -d {out}"));
        shell("7z", "7z", format!("{sum} && exec 7z x -y -o{out} {archive}"));
        shell("python", "python3", python("zipfile", &format!("zipfile.ZipFile(\"{archive}\").extractall(\"{out}\")")));
    } else {
        shell("tar", "tar", format!("{sum} && mkdir {out} && exec tar xzf {archive} -C {out}"));
        shell(
            "python",
            "python3",
            python("tarfile", &format!("tarfile.open(\"{archive}\").extractall(\"{out}\", filter=\"data\")")),
        );
    }
    shell("bsdtar", "bsdtar", format!("{sum} && mkdir {out} && exec bsdtar xf {archive} -C {out}"));
    Ok(commands)
}

/// The limits above, for the library.
pub(crate) fn everything() -> skillx_archive::Limits {
    let mut limits = skillx_archive::Limits::default();
    limits.archive = 2 << 30;
    limits
}
