//! One program, once: how long, how much of the processor, how much memory.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};

use super::Outcome;

/// What one run took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    pub(crate) wall_ms: f64,
    pub(crate) cpu_ms: f64,
    pub(crate) peak_mib: f64,
}

/// The child: runs a command and writes what it took to the file named first. A process of its own for each, as the
/// peak of finished children is only ever kept as the largest.
pub(crate) fn child(arguments: &[String]) -> Outcome<()> {
    let [answer, program, rest @ ..] = arguments else { return Err("measure FILE PROGRAM [ARGUMENT…]".into()) };
    let start = Instant::now();
    let status =
        Command::new(program).args(rest).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    let wall = start.elapsed();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    let cpu = seconds(usage.user_time()) + seconds(usage.system_time());
    let line = format!("{} {} {}", wall.as_secs_f64() * 1e3, cpu * 1e3, usage.max_rss() as f64 / 1024.0);
    fs::write(answer, line)?;
    if status.success() { Ok(()) } else { Err(format!("{program}: {status}").into()) }
}

/// Runs a command in an empty place `out` and says what it took.
pub(crate) fn run(place: &Path, command: &[impl AsRef<OsStr>]) -> Outcome<Taken> {
    let (out, answer) = (place.join("out"), place.join("answer"));
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let status = Command::new(std::env::current_exe()?).arg("measure").arg(&answer).args(command).status()?;
    if !status.success() {
        return Err("a reader failed".into());
    }
    let line = fs::read_to_string(&answer)?;
    let numbers: Vec<f64> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
    let [wall_ms, cpu_ms, peak_mib] = numbers[..] else { return Err("an answer of another form".into()) };
    Ok(Taken { wall_ms, cpu_ms, peak_mib })
}

pub(crate) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
