//! Runs every reader of tar.gz and zip that it finds on the machine over every fixture, and writes what came of it to
//! `docs/verdicts.md`: who refuses what, who reads which tree, and what is left behind.
//!
//! `cargo run --release --example verdicts`; with `NODE_PATH` naming a folder that has it, node-tar is among the readers.
//! `-- --output FILE` writes elsewhere. Linux, with the usual tools of util-linux and coreutils (`setpriv`, `prlimit`,
//! `timeout`).
#![allow(clippy::disallowed_methods, clippy::pedantic)] // it looks at what other readers leave on disk
#![cfg_attr(not(target_os = "linux"), allow(unused))]

#[cfg(target_os = "linux")]
mod cases;
#[cfg(target_os = "linux")]
mod judge;
#[cfg(target_os = "linux")]
mod page;
#[cfg(target_os = "linux")]
mod reader;
#[cfg(target_os = "linux")]
mod scene;
#[cfg(target_os = "linux")]
mod tree;

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("this example runs other readers under Linux's setpriv, prlimit and timeout");
}

#[cfg(target_os = "linux")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        // What the example calls itself for.
        ["--measure", report, command @ ..] => scene::measure(report, command),
        ["--crate", name, archive] => reader::run_crate(name, archive),
        [] => write("docs/verdicts.md"),
        ["--output", file] => write(file),
        _ => {
            eprintln!("usage: verdicts [--output FILE]");
            std::process::exit(2);
        }
    }
}

#[cfg(target_os = "linux")]
fn write(file: &str) {
    let readers = reader::found();
    let cases = cases::all();
    eprintln!("{} readers, {} cases", readers.len(), cases.len());
    let scenes = scene::Scenes::new();
    let mut results = Vec::new();
    for case in cases {
        let runs = readers.iter().map(|reader| scenes.run(reader, &case)).collect();
        results.push(judge::judge(case, runs));
    }
    std::fs::write(file, page::page(&readers, &results)).unwrap_or_else(|error| panic!("{file}: {error}"));
    eprintln!("wrote {file}");
}
