//! JSON lines in pure ASCII: what is not printable ASCII becomes `\uXXXX`, and CI command prefixes are broken up.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde_json::ser::Formatter;
use serde_json::{Serializer, json};
use skillx_archive::{Class, Code};

/// One object on one line of stdout.
pub(crate) fn line(value: &impl Serialize) {
    let mut out = BufWriter::new(io::stdout().lock());
    let outcome = value.serialize(&mut Serializer::with_formatter(&mut out, Ascii));
    let outcome = outcome.map_err(io::Error::from).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
    super::note(outcome);
}

/// One object for a person to paste, in several lines; pure ASCII, too.
pub(crate) fn pretty(value: &impl Serialize) {
    let mut text = serde_json::to_string_pretty(value).map(|text| ascii(&text)).unwrap_or_default();
    text.push('\n');
    super::to_stdout(&text);
}

/// JSON text without a character outside printable ASCII. Outside of strings there is none.
fn ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut previous = ' ';
    for character in text.chars() {
        let ci_command = matches!(character, ':' | '#') && character == previous;
        if matches!(character, ' '..='~' | '\n') && !ci_command {
            out.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
        previous = character;
    }
    out
}

pub(crate) fn code(code: Code) {
    line(&describe(code));
}

pub(crate) fn codes(codes: &[Code]) {
    let codes: Vec<_> = codes.iter().copied().map(describe).collect();
    line(&json!({ "schema": "skillx.codes/1", "codes": codes }));
}

fn describe(code: Code) -> serde_json::Value {
    let row = code.explain();
    let class = match row.class {
        Class::Failed => "failed",
        Class::Finding => "finding",
        Class::Usage => "usage",
        _ => "refused",
    };
    json!({
        "schema": "skillx.code/1",
        "code": row.code,
        "class": class,
        "severity": code.severity().as_str(),
        "what": row.what,
        "why": row.why,
        "help": row.help,
    })
}

/// Compact JSON without a byte outside printable ASCII.
struct Ascii;

impl Formatter for Ascii {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut previous = ' ';
        for character in fragment.chars() {
            let ci_command = matches!(character, ':' | '#') && character == previous;
            if matches!(character, ' '..='~') && !ci_command {
                writer.write_all(&[u8::try_from(character).unwrap_or(b'?')])?;
            } else {
                let mut units = [0; 2];
                for unit in character.encode_utf16(&mut units) {
                    write!(writer, "\\u{unit:04x}")?;
                }
            }
            previous = character;
        }
        Ok(())
    }
}
