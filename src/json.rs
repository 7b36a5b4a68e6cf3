//! JSON documents of strangers: within a budget, every member kept, and every fault with its line and column.
//!
//! A repeated member is not decided here. Whoever looks into an object asks for its members one by one, and is told
//! when there are two of one name; what nobody looks into may hold what it likes.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::escape::escape;

/// Most values in one document. Each takes some 32 bytes, however short it is in the file.
const MOST_VALUES: u32 = 100_000;

/// A JSON value. Numbers are not looked at.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Array(Vec<Self>),
    Bool(bool),
    Null,
    Number,
    Object(Object),
    String(String),
}

/// The members of an object, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Object(Vec<(String, Value)>);

/// Why a text is no JSON document. `Display` gives one line, with everything from the file escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    message: String,
    line: usize,
    column: usize,
}

/// The object has two members of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Repeated;

/// Parses one document. A byte order mark before it is passed over (RFC 8259, section 8.1); nesting ends at 128 levels.
#[cfg(feature = "discovery")]
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, Fault> {
    parse_levels(bytes, u32::MAX)
}

/// As [`parse`], for a document of which nobody looks further down than so many levels. What lies below them is only read
/// past: arrays and objects there are empty, and may be nested as deeply, and hold such numbers, as they like.
pub(crate) fn parse_levels(bytes: &[u8], levels: u32) -> Result<Value, Fault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // What is only read past is text, too (section 8.1).
    if let Err(error) = std::str::from_utf8(bytes) {
        let read = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = read.split(|byte| *byte == b'\n').count();
        let column = read.rsplit(|byte| *byte == b'\n').next().map_or(1, |last| last.len().saturating_add(1));
        return Err(Fault { message: "it is not UTF-8".to_owned(), line, column });
    }
    let left = Cell::new(MOST_VALUES);
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    let value = Seed { left: &left, levels }.deserialize(&mut parser).map_err(|error| Fault::of(&error))?;
    parser.end().map_err(|error| Fault::of(&error))?;
    Ok(value)
}

impl Value {
    /// What it is, for a message.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Array(_) => "an array",
            Self::Bool(_) => "a boolean",
            Self::Null => "null",
            Self::Number => "a number",
            Self::Object(_) => "an object",
            Self::String(_) => "a string",
        }
    }
}

impl Object {
    /// All members, repeated ones included.
    #[cfg(feature = "plugin")]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The member of this name, if there is exactly one.
    pub(crate) fn get(&self, name: &str) -> Result<Option<&Value>, Repeated> {
        let mut found = self.0.iter().filter(|(known, _)| known == name);
        match (found.next(), found.next()) {
            (first, None) => Ok(first.map(|(_, value)| value)),
            _ => Err(Repeated),
        }
    }
}

impl Fault {
    fn of(error: &serde_json::Error) -> Self {
        let text = error.to_string();
        let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
        Self { message: escape(message.as_bytes()).to_string(), line: error.line(), column: error.column() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

#[derive(Clone, Copy)]
struct Seed<'b> {
    left: &'b Cell<u32>,
    levels: u32,
}

impl Seed<'_> {
    /// For the values inside of this one; `None` if they are not looked at.
    fn below(self) -> Option<Self> {
        let levels = self.levels.checked_sub(1).filter(|levels| *levels > 0)?;
        Some(Self { levels, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let Some(left) = self.left.get().checked_sub(1) else {
            return Err(D::Error::custom(format_args!("more than {MOST_VALUES} values")));
        };
        self.left.set(left);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
        Ok(Value::Number)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
        Ok(Value::Number)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Number)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        let Some(below) = self.below() else {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Value::Array(values));
        };
        while let Some(value) = seq.next_element_seed(below)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Vec::new();
        let Some(below) = self.below() else {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Value::Object(Object(members)));
        };
        while let Some(name) = map.next_key::<String>()? {
            members.push((name, map.next_value_seed(below)?));
        }
        Ok(Value::Object(Object(members)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_read_whole_and_every_member_is_kept() {
        let value = parse(b"\xef\xbb\xbf{\"a\": [1, -2, 0.5, true, null], \"b\": \"x\", \"b\": {}}").unwrap();
        let Value::Object(object) = value else { panic!("{value:?}") };
        let Ok(Some(Value::Array(values))) = object.get("a") else { panic!("{object:?}") };
        assert_eq!(values.len(), 5);
        assert_eq!(object.get("b"), Err(Repeated));
        assert_eq!(object.get("c"), Ok(None));
        assert_eq!(object.iter().count(), 3);
    }

    #[test]
    fn a_fault_says_where() {
        let fault = |text: &[u8]| parse(text).unwrap_err().to_string();
        assert_eq!(fault(b"{\n  \"a\": x}"), "line 2, column 8: expected value");
        assert_eq!(fault(b"{} {}"), "line 1, column 4: trailing characters");
        assert!(fault(b"").starts_with("line 1, column 0: EOF"));
        for broken in [&b"{\"a\":1,}"[..], b"'a'", b"\xff", b"\"\xff\"", b"\"\\ud800\"", b"// x\n{}", b"NaN", b"[1 2]"]
        {
            fault(broken);
        }
    }

    #[test]
    fn what_lies_deeper_than_anybody_looks_is_only_read_past() {
        let deep = ["[".repeat(5000), "1e999999".to_owned(), "]".repeat(5000)].concat();
        let text = format!("{{\"a\": {{\"b\": {{\"c\": {deep}}}, \"d\": {deep}, \"e\": 1}}}}");
        let Ok(Value::Object(top)) = parse_levels(text.as_bytes(), 3) else { panic!() };
        let Ok(Some(Value::Object(a))) = top.get("a") else { panic!("{top:?}") };
        assert_eq!(a.get("b"), Ok(Some(&Value::Object(Object(vec![])))));
        assert_eq!(a.get("d"), Ok(Some(&Value::Array(vec![]))));
        assert_eq!(a.get("e"), Ok(Some(&Value::Number)));
        assert_eq!(
            parse_levels(b"[\n[[[\"\xff\"]]]]", 3).unwrap_err().to_string(),
            "line 2, column 5: it is not UTF-8"
        );
        for broken in ["[[[[1,]]]]", "[[[[\"\\x\"]]]]", "[[[[", "[[[[1e]]]]", "[[[{1:2}]]]"] {
            assert!(parse_levels(broken.as_bytes(), 3).is_err(), "{broken}");
        }
    }

    #[test]
    fn depth_and_number_of_values_are_bounded() {
        let nested = |levels: usize| ["[".repeat(levels), "]".repeat(levels)].concat();
        assert!(parse(nested(100).as_bytes()).is_ok());
        assert!(parse(nested(100_000).as_bytes()).is_err());
        let many = |count: usize| format!("[{}0]", "0,".repeat(count));
        assert!(parse(many(90_000).as_bytes()).is_ok());
        assert!(parse(many(100_000).as_bytes()).unwrap_err().to_string().contains("more than 100000 values"));
    }
}
