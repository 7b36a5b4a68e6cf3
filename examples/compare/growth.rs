//! How time and memory grow with entries and bytes, and how a batch of archives goes over the processors.

use std::fs;

use super::corpus::{self, FORMATS, Source};
use super::measure::{median, run};
use super::readers::LIMITS;
use super::{Outcome, Wish};

/// `check`, so that the file system has no part in it, and an extraction beside it.
pub(crate) fn entries_and_bytes(wish: &Wish) -> Outcome<()> {
    println!(
        "{:<22} {:>12} {:>14} {:>12} {:>12} {:>10}",
        "archive", "bytes", "check ms", "extract ms", "us an entry", "peak MiB"
    );
    for count in [10, 100, 1_000, 10_000, 100_000] {
        for format in FORMATS {
            let files = || (0..count).map(|n| (format!("d{}/f{n}", n % 100), Source(n as u64 + 1).text(300))).collect();
            row(wish, &format!("{count} entries"), format, files, Some(count))?;
        }
    }
    for (name, size) in
        [("1 KB", 1_usize << 10), ("1 MB", 1 << 20), ("32 MB", 32 << 20), ("256 MB", 256 << 20), ("1 GB", 1 << 30)]
    {
        for format in FORMATS {
            let files = || {
                let block = Source(7).text(1 << 20);
                vec![("data".to_owned(), block.iter().copied().cycle().take(size).collect())]
            };
            row(wish, name, format, files, None)?;
        }
    }
    Ok(())
}

fn row(
    wish: &Wish,
    name: &str,
    format: &str,
    files: impl FnOnce() -> corpus::Files,
    entries: Option<usize>,
) -> Outcome<()> {
    let place = tempfile::tempdir_in(&wish.place)?;
    let archive = corpus::build(place.path(), "archive", format, files)?;
    let bytes = fs::metadata(&archive)?.len();
    let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
    let mut check = vec![text(&wish.skillx), "check".into(), text(&archive), "--allow-unverified".into(), "-q".into()];
    check.extend(LIMITS.map(str::to_owned));
    check.extend(["--max-ratio".to_owned(), "100000".to_owned()]);
    let mut extract = check.clone();
    extract[1] = "verify-extract".into();
    extract.extend(["--output".into(), text(&place.path().join("out"))]);
    let (mut checks, mut extractions, mut peaks) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..wish.rounds {
        let taken = run(place.path(), &check)?;
        checks.push(taken.wall_ms);
        let taken = run(place.path(), &extract)?;
        extractions.push(taken.wall_ms);
        peaks.push(taken.peak_mib);
    }
    let (check, extract) = (median(checks), median(extractions));
    let each = entries.map_or("-".to_owned(), |count| format!("{:.2}", check * 1e3 / count as f64));
    let name = format!("{name}, {format}");
    println!("{name:<22} {bytes:>12} {check:>14.1} {extract:>12.1} {each:>12} {:>10.1}", median(peaks));
    Ok(())
}

/// A thousand small archives with one, two, four and eight workers.
pub(crate) fn batch(wish: &Wish) -> Outcome<()> {
    let place = tempfile::tempdir_in(&wish.place)?;
    let mut list = String::new();
    for number in 0..1_000 {
        let format = FORMATS[number % 2];
        let archive = corpus::build(place.path(), &format!("s{number}"), format, || corpus::files("skill"))?;
        list.push_str(&archive.to_string_lossy());
        list.push('\n');
    }
    let names = place.path().join("names");
    fs::write(&names, list)?;
    println!("{:<10} {:>10} {:>10} {:>10}", "workers", "wall ms", "cpu ms", "peak MiB");
    for workers in ["1", "2", "4", "8"] {
        let command = [
            wish.skillx.to_string_lossy().into_owned(),
            "check".into(),
            "--files-from".into(),
            names.to_string_lossy().into_owned(),
        ];
        let command =
            [&command[..], &["-j".to_owned(), workers.to_owned(), "--allow-unverified".to_owned(), "-q".to_owned()]]
                .concat();
        let taken: Vec<_> = (0..wish.rounds).map(|_| run(place.path(), &command)).collect::<Outcome<_>>()?;
        let of = |number: fn(&super::measure::Taken) -> f64| median(taken.iter().map(number).collect());
        println!("{workers:<10} {:>10.1} {:>10.1} {:>10.1}", of(|t| t.wall_ms), of(|t| t.cpu_ms), of(|t| t.peak_mib));
    }
    Ok(())
}
