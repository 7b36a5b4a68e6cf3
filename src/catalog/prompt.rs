//! What of a catalog goes into a prompt. A stranger's text there can neither close the block nor forge another skill.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::{Catalog, CatalogSkill, Skipped};
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::policy::is_printable;

/// Longest name and description in a prompt, in characters.
const MOST_NAME: usize = 64;
const MOST_DESCRIPTION: usize = 1024;

/// Most bytes of all bodies together in one prompt: 1 MiB.
const MOST_BODIES: usize = 1 << 20;

/// How the list ends.
pub(super) const CLOSING: &str = "</available_skills>\n";

/// How skills are handed to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Presentation {
    /// Every body, from the first request on: for two or three short skills that nearly every request needs.
    All,
    /// Names and descriptions with the path of each SKILL.md, which the model opens with a tool of its own. What it then
    /// reads is not checked against the receipt.
    Filesystem,
    /// Names and descriptions; a tool `load_skill` gives the body.
    OnDemand,
}

impl Presentation {
    /// `all`, `on-demand` or `filesystem`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Filesystem => "filesystem",
            Self::OnDemand => "on-demand",
        }
    }
}

/// A block for a system prompt.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Prompt {
    /// The block.
    pub text: String,
    /// What is not in the block: with [`Presentation::All`] what could not be loaded (as [`Catalog::load`] says why) or
    /// would be too much, with [`Presentation::Filesystem`] paths that cannot be shown as they are.
    pub left_out: Vec<Skipped>,
}

impl Catalog {
    /// A block for the system prompt.
    ///
    /// Each skill is one line: line breaks in its texts become spaces, `<`, `>` and `&` character references, and what
    /// cannot be seen is left out; names are cut at 64 and descriptions at 1024 characters. Bodies follow the
    /// list, between delimiters that occur in none of them, 1 MiB of them at most. The same skills give the same block. One skill that cannot be
    /// loaded does not take the others along.
    #[must_use]
    pub fn prompt(&self, presentation: Presentation) -> Prompt {
        let mut block = opening(presentation);
        let mut bodies = Vec::new();
        let mut left_out = Vec::new();
        let mut room = MOST_BODIES;
        for skill in &self.skills {
            let outcome = match presentation {
                Presentation::All => self.body_of(skill, &mut room).map(|body| {
                    bodies.push((skill.name().as_raw().to_owned(), body));
                    None
                }),
                Presentation::Filesystem => self.path_of(skill).map(Some),
                Presentation::OnDemand => Ok(None),
            };
            match outcome {
                Ok(path) => entry(&mut block, skill.name(), skill.description(), path.as_deref()),
                Err(error) => left_out.push(Skipped::of(skill, error)),
            }
        }
        // Bodies come after the list: there is no end of a block left that one of them could write.
        block.push_str(CLOSING);
        if presentation == Presentation::All {
            let delimiter = delimiter(&bodies);
            for (name, body) in &bodies {
                let _ = write!(
                    block,
                    "\n<{delimiter} name=\"{}\">\n{}\n</{delimiter}>\n",
                    name.replace('"', "&quot;"),
                    body.trim()
                );
            }
        }
        Prompt { text: block, left_out }
    }

    /// The definition of the tool `load_skill` as JSON, in the form that most model interfaces take (a function with a JSON Schema).
    #[must_use]
    pub fn tool_schema() -> String {
        let tool = serde_json::json!({
            "type": "function",
            "function": {
                "name": "load_skill",
                "description": "Load a skill's full instructions by its name. The skills are listed in <available_skills>.",
                "parameters": {
                    "type": "object",
                    "properties": { "name": { "type": "string", "description": "A name from <available_skills>." } },
                    "required": ["name"],
                    "additionalProperties": false
                }
            }
        });
        tool.to_string()
    }

    /// The body, if there is room for it.
    fn body_of(&self, skill: &CatalogSkill, room: &mut usize) -> Result<String> {
        let body = skill.load(self)?.body().to_owned();
        *room = room.checked_sub(body.len()).ok_or_else(|| {
            let detail = format!("with it the bodies in the prompt would have more than {MOST_BODIES} bytes");
            Error::with(Code::LimitTotal, detail).hint("use --prompt on-demand, or fewer skills")
        })?;
        Ok(body)
    }

    /// Where its SKILL.md is, exactly: the model opens what it reads.
    fn path_of(&self, skill: &CatalogSkill) -> Result<String> {
        let below = std::path::Path::new(skill.directory()).join("SKILL.md");
        let path = self.path.as_ref().map_or_else(|| below.clone(), |path| path.join(&below));
        let own = skill.directory().to_str().filter(|directory| is_shown_as_it_is(directory));
        let whole = path.to_str().filter(|path| path.chars().all(|c| is_printable(c) && !matches!(c, '`' | '<' | '>')));
        whole.filter(|_| own.is_some()).map(str::to_owned).ok_or_else(|| {
            let shown = escape(path.as_os_str().as_encoded_bytes());
            Error::with(Code::SkillMdInvalid, format!("its path `{shown}` cannot be shown to a model as it is"))
                .hint("rename the directory: letters, digits and hyphens")
        })
    }
}

/// How the list begins: what a model is to do with it.
pub(super) fn opening(presentation: Presentation) -> String {
    let how = match presentation {
        Presentation::All => "Follow the instructions of a skill when a request matches its description.",
        Presentation::Filesystem => {
            "When a request matches a skill, read its SKILL.md at the path given before you answer, and follow it."
        }
        Presentation::OnDemand => {
            "When a request matches a skill, call load_skill with its name before you answer, and follow what it returns."
        }
    };
    format!("<available_skills>\n{how}\n")
}

/// One skill on one line. Names and paths stand between backticks, and nothing else does.
pub(super) fn entry(block: &mut String, name: &Untrusted, description: &Untrusted, path: Option<&str>) {
    let name = line(name.as_raw(), MOST_NAME).replace('`', "'");
    let description = line(description.as_raw(), MOST_DESCRIPTION).replace('`', "'");
    let _ = write!(block, "- `{name}`: {description}");
    if let Some(path) = path {
        let _ = write!(block, " (`{}`)", path.replace('`', "'"));
    }
    block.push('\n');
}

/// Whether a text is in a prompt what it is everywhere else: nothing of it is left out, cut or written otherwise.
pub(super) fn is_shown_as_it_is(text: &str) -> bool {
    !text.is_empty() && !text.contains('`') && line(text, MOST_NAME) == text
}

/// The text on one line, without what would be markup or cannot be seen.
fn line(text: &str, most: usize) -> String {
    let mut line = String::new();
    let mut count: usize = 0;
    for word in text.split_whitespace() {
        if count > 0 {
            line.push(' ');
            count = count.saturating_add(1);
        }
        for character in word.chars().filter(|character| is_printable(*character)) {
            if count >= most {
                line.push('…');
                return line;
            }
            count = count.saturating_add(1);
            match character {
                '<' => line.push_str("&lt;"),
                '>' => line.push_str("&gt;"),
                '&' => line.push_str("&amp;"),
                other => line.push(other),
            }
        }
    }
    line
}

/// A name of an element that occurs in none of the bodies. It comes from their own hash, so that it is the same for the
/// same skills; a body that holds its own hash cannot be made, and is looked for all the same.
fn delimiter(bodies: &[(String, String)]) -> String {
    let mut hash = Sha256::new();
    for (name, body) in bodies {
        for text in [name, body] {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text.as_bytes());
        }
    }
    let mut digest = hash.finalize();
    loop {
        let mut delimiter = String::from("skill-");
        for byte in digest.iter().take(8) {
            let _ = write!(delimiter, "{byte:02x}");
        }
        if bodies.iter().all(|(name, body)| !body.contains(&delimiter) && !name.contains(&delimiter)) {
            return delimiter;
        }
        digest = Sha256::digest(digest);
    }
}
