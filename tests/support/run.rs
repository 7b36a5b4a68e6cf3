//! The `skillx` program under observation: arguments and input in; exit code, both streams and the JSON line out.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// A run that takes longer hangs: it is killed, and the test sees no exit code.
const PATIENCE: Duration = Duration::from_secs(180);

#[derive(Clone, Debug)]
pub struct Outcome {
    /// `None`: killed by a signal.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Outcome {
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Stdout as the one JSON object on one line that `--json` promises.
    pub fn json(&self) -> Result<Value, String> {
        let body = self.stdout.strip_suffix(b"\n").ok_or_else(|| format!("stdout is no line: {:?}", self.out()))?;
        if body.contains(&b'\n') {
            return Err(format!("stdout has more than one line: {:?}", self.out()));
        }
        let value: Value =
            serde_json::from_slice(body).map_err(|e| format!("stdout is no JSON: {e}: {:?}", self.out()))?;
        if value.is_object() { Ok(value) } else { Err("stdout is no JSON object".to_owned()) }
    }

    /// Bytes that may harm a terminal or log: anything but printable ASCII and newlines.
    pub fn dirt(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (stream, bytes) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if let Some(at) = bytes.iter().position(|&b| b != b'\n' && !(b' '..=b'~').contains(&b)) {
                let around = &bytes[at.saturating_sub(20)..(at + 20).min(bytes.len())];
                found.push(format!("{stream} has byte {:#04x}: {:?}", bytes[at], String::from_utf8_lossy(around)));
            }
        }
        found
    }

    /// Text in human output that a CI system takes for a command.
    pub fn ci_commands(&self) -> Vec<String> {
        let text = format!("{}\n{}", self.out(), self.err());
        let is_command = |line: &&str| {
            line.trim_start().starts_with("::")
                || ["##[", "##vso[", "##teamcity["].iter().any(|prefix| line.contains(prefix))
        };
        text.lines().filter(is_command).map(|line| format!("a CI command: {line:?}")).collect()
    }
}

/// `skillx` with these arguments and nothing on stdin.
pub fn skillx<S: AsRef<OsStr>>(args: &[S]) -> Outcome {
    skillx_in(None, args, b"")
}

/// `skillx` with these arguments, these bytes on stdin, and a working directory.
pub fn skillx_in<S: AsRef<OsStr>>(directory: Option<&Path>, args: &[S], stdin: &[u8]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
    command.args(args);
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    observe(command, stdin)
}

/// Any command: feeds stdin, collects both streams, and ends it when it hangs.
pub fn observe(mut command: Command, stdin: &[u8]) -> Outcome {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut to = child.stdin.take().expect("piped");
    let out = collect(child.stdout.take().expect("piped"));
    let err = collect(child.stderr.take().expect("piped"));
    let stdin = stdin.to_vec();
    // The program may end without reading all of it: that is its right.
    let feeder = thread::spawn(move || drop(to.write_all(&stdin)));
    let stdout = out.recv_timeout(PATIENCE);
    if stdout.is_err() {
        let _ = child.kill();
    }
    let stderr = err.recv_timeout(PATIENCE).unwrap_or_default();
    let status = child.wait().expect("the child can be waited for");
    let _ = feeder.join();
    Outcome { code: status.code(), stdout: stdout.unwrap_or_default(), stderr }
}

fn collect(mut from: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}
