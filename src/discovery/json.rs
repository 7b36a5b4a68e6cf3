//! JSON that has one reading only: no key twice at any depth, and every fault with its line and path.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::escape::escape;

/// The members of an object, in the order in which they stand, each with its own text.
pub(super) struct Members<'t>(Vec<(String, &'t RawValue)>);

/// A piece of a document that has been read whole, and where it lies in it.
#[derive(Clone, Copy)]
pub(super) struct Piece<'t> {
    document: &'t str,
    raw: &'t RawValue,
}

/// Reads a document whole: well-formed, no key twice.
///
/// # Errors
/// What is wrong, with line, column and, for a key that is there twice, its path. Names are escaped.
pub(super) fn read(document: &str) -> Result<Piece<'_>, String> {
    let path = RefCell::new(Vec::new());
    let mut deserializer = serde_json::Deserializer::from_str(document);
    let outcome = Strict { path: &path }.deserialize(&mut deserializer).and_then(|()| deserializer.end());
    outcome.map_err(|error| escape(error.to_string().as_bytes()).to_string())?;
    let raw = serde_json::from_str(document).map_err(|error| escape(error.to_string().as_bytes()).to_string())?;
    Ok(Piece { document, raw })
}

impl<'t> Piece<'t> {
    /// The members, if it is an object.
    pub(super) fn members(self) -> Option<Vec<(String, Self)>> {
        let members: Members<'t> = serde_json::from_str(self.raw.get()).ok()?;
        Some(members.0.into_iter().map(|(name, raw)| (name, Self { raw, ..self })).collect())
    }

    /// The elements, if it is an array.
    pub(super) fn elements(self) -> Option<Vec<Self>> {
        let elements: Vec<&'t RawValue> = serde_json::from_str(self.raw.get()).ok()?;
        Some(elements.into_iter().map(|raw| Self { raw, ..self }).collect())
    }

    /// The text, if it is a string.
    pub(super) fn text(self) -> Option<String> {
        serde_json::from_str(self.raw.get()).ok()
    }

    /// The line it begins on, counted from 1.
    pub(super) fn line(self) -> usize {
        let begin = (self.raw.get().as_ptr() as usize).saturating_sub(self.document.as_ptr() as usize);
        let before = self.document.as_bytes().get(..begin).unwrap_or_default();
        before.split(|byte| *byte == b'\n').count()
    }

    /// What it is, in a word.
    pub(super) fn kind(self) -> &'static str {
        match self.raw.get().trim_start().as_bytes().first() {
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b'"') => "a string",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            _ => "a number",
        }
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

/// Visits everything and keeps nothing but the keys of the objects it is in.
#[derive(Clone, Copy)]
struct Strict<'p> {
    path: &'p RefCell<Vec<String>>,
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut index: usize = 0;
        loop {
            self.path.borrow_mut().push(format!("[{index}]"));
            let element = seq.next_element_seed(self)?;
            self.path.borrow_mut().pop();
            if element.is_none() {
                return Ok(());
            }
            index = index.saturating_add(1);
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut keys: HashSet<String> = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            self.path.borrow_mut().push(format!(".{key}"));
            if !keys.insert(key) {
                let path = self.path.borrow().concat();
                return Err(A::Error::custom(format!("the key ${path} is there twice")));
            }
            map.next_value_seed(self)?;
            self.path.borrow_mut().pop();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_there_twice_is_found_at_any_depth() {
        for (document, path) in [
            (r#"{"a":1,"a":2}"#, "$.a"),
            ("{\"x\":[0,{\"y\":{\"a\":1,\n\"b\":2,\"a\":3}}]}", "$.x[1].y.a"),
            (r#"{"a":1,"\u0061":2}"#, "$.a"),
            (r#"[[[{"":0,"":0}]]]"#, "$[0][0][0]."),
        ] {
            let error = read(document).err().unwrap();
            assert!(error.starts_with(&format!("the key {path} is there twice at line ")), "{error}");
        }
        assert!(read(r#"{"a":{"a":{"a":[{"a":1},{"a":1}]}}}"#).is_ok());
    }

    #[test]
    fn what_is_no_json_or_too_deep_is_refused() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for document in ["", "{", "{}x", "{a:1}", "[1,]", "nul", "'a'", "{\"a\":\u{1}}", "\"\\ud800\"", &deep] {
            assert!(read(document).is_err(), "{document:.20}");
        }
    }

    #[test]
    fn pieces_know_their_lines() {
        let piece = read("{\n \"a\": [\n  1,\n  \"x\"\n ]}").unwrap();
        let (name, list) = piece.members().unwrap().remove(0);
        let elements = list.elements().unwrap();
        assert_eq!((name.as_str(), list.line(), elements[1].line()), ("a", 2, 4));
        assert_eq!((elements[0].kind(), elements[1].text().unwrap().as_str()), ("a number", "x"));
    }
}
