//! Level 1 of a folder of 1,000 skills: how long it takes, and how many bytes of it are read.

use std::fs;
use std::time::Instant;

use skillx_archive::Catalog;

use super::corpus::Source;
use super::measure::{median, run};
use super::{Outcome, Wish};

const SKILLS: usize = 1_000;
const SKILL_MD: usize = 30_000;
const BINARY: usize = 100_000;

pub(crate) fn level_1(wish: &Wish) -> Outcome<()> {
    let place = tempfile::tempdir_in(&wish.place)?;
    let skills = place.path().join("skills");
    for number in 0..SKILLS {
        let directory = skills.join(format!("s{number}"));
        fs::create_dir_all(&directory)?;
        let mut text =
            format!("---\nname: s{number}\ndescription: What the skill is for, in a sentence or two.\n---\n");
        text.push_str(&String::from_utf8(Source(number as u64 + 1).text(SKILL_MD))?);
        fs::write(directory.join("SKILL.md"), text)?;
        fs::write(directory.join("data.bin"), vec![7; BINARY])?;
    }
    let command = [wish.skillx.as_os_str(), "catalog".as_ref(), skills.as_os_str()];
    let taken: Vec<_> = (0..wish.rounds).map(|_| run(place.path(), &command)).collect::<Outcome<_>>()?;
    let of = |number: fn(&super::measure::Taken) -> f64| median(taken.iter().map(number).collect());
    println!("{SKILLS} skills, SKILL.md of {SKILL_MD} bytes and a file of {BINARY} each");
    println!(
        "skillx catalog: {:.1} ms wall, {:.1} ms processor, {:.1} MiB peak",
        of(|t| t.wall_ms),
        of(|t| t.cpu_ms),
        of(|t| t.peak_mib)
    );
    let (before, start) = (bytes_read()?, Instant::now());
    let catalog = Catalog::open(&skills)?;
    let (wall, read) = (start.elapsed(), bytes_read()?.saturating_sub(before));
    println!(
        "Catalog::open: {:.1} ms, {} skills, {read} bytes read of {}",
        wall.as_secs_f64() * 1e3,
        catalog.skills().len(),
        SKILLS * (SKILL_MD + BINARY)
    );
    Ok(())
}

/// What this process has read by system calls so far (Linux).
fn bytes_read() -> Outcome<u64> {
    let io = fs::read_to_string("/proc/self/io")?;
    let line = io.lines().find_map(|line| line.strip_prefix("rchar: ")).ok_or("no rchar in /proc/self/io")?;
    Ok(line.trim().parse()?)
}
