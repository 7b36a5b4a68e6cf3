//! Web Skills Protocol 0.1: `skills.txt` or `agents.txt` of an origin, a Markdown document of fixed structure.

mod document;
mod robots;

use self::document::{Block, Line};
pub use self::robots::Robots;
use crate::container::Format;
use crate::error::{Code, Error, Result};
use crate::escape::{Untrusted, escape};
use crate::fetch::Url;
use crate::report::Finding;

/// What a site says it can teach.
///
/// ```
/// use skillx_archive::{discovery::WebSkills, fetch::Url};
/// let base: Url = "https://example.com/skills.txt".parse()?;
/// let text = "# Shop\n\n> Sells things.\n\n## Skills\n\n- [Search](/skills/search/SKILL.md): Finds them.\n";
/// let site = WebSkills::parse(text.as_bytes(), &base)?;
/// let url = site.entries()[0].target().unwrap().url();
/// assert_eq!(url.as_str(), "https://example.com/skills/search/SKILL.md");
/// # Ok::<(), skillx_archive::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct WebSkills {
    name: Untrusted,
    description: Option<Untrusted>,
    notes: Untrusted,
    sections: Vec<WebSection>,
    entries: Vec<WebSkill>,
    findings: Vec<Finding>,
}

/// A second-level heading.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WebSection {
    /// Its text.
    pub title: Untrusted,
    /// It is called `Optional`: its skills may be passed over where there is little room.
    pub optional: bool,
    /// The line it stands on, counted from 1.
    pub line: usize,
}

/// An entry: `- [Name](url): description`.
#[derive(Debug, Clone)]
pub struct WebSkill {
    line: usize,
    section: usize,
    name: Untrusted,
    description: Option<Untrusted>,
    reference: Untrusted,
    outcome: Result<WebTarget>,
}

/// What an entry leads to. There are no digests in this protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WebTarget {
    /// An archive, by the extension of its address. No part of the protocol, but what `verify-extract` is for.
    Archive(Url),
    /// A SKILL.md, wherever it lies.
    SkillMd(Url),
}

impl WebSkills {
    /// Where the document is, below an origin: the first that is there. The next is asked for on 404 alone.
    pub const LOCATIONS: [&str; 2] = ["/skills.txt", "/agents.txt"];

    /// Largest document, in bytes: 50 KiB.
    pub const MOST_BYTES: u64 = 50 << 10;

    /// Largest SKILL.md, in bytes: 100 KiB.
    pub const MOST_SKILL_MD: u64 = 100 << 10;

    /// Most entries.
    pub const MOST_ENTRIES: usize = 1000;

    /// Reads the document. `base` is the address that it came from, after redirects: links are resolved against it.
    ///
    /// Every entry is judged alone.
    ///
    /// # Errors
    /// `index-invalid`, with the line: not exactly one first-level heading, no second-level one, no entry at all, not
    /// UTF-8, too large; `html-page`: a web page in its place.
    pub fn parse(bytes: &[u8], base: &Url) -> Result<Self> {
        if bytes.len() as u64 > Self::MOST_BYTES {
            return Err(invalid(format!("it is larger than {} bytes", Self::MOST_BYTES)));
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| invalid(format!("it is not UTF-8 (byte {})", error.valid_up_to())))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if is_page(text) {
            return Err(Error::with(Code::HtmlPage, "this is a web page and no list of skills"));
        }
        let mut reader = Reader { base, title: None, site: Self::blank() };
        for (line, block) in document::blocks(text) {
            reader.take(line, block)?;
        }
        reader.finish()
    }

    /// The same error with advice that fits this protocol.
    pub(crate) fn advise(error: Error) -> Error {
        match error.code() {
            Code::IndexInvalid => error.hint(
                "publisher: write `# NAME`, then `## Skills` with lines `- [Name](url): description`; at most 50 KiB, 1000 entries",
            ),
            _ => error,
        }
    }

    fn blank() -> Self {
        Self {
            name: Untrusted::default(),
            description: None,
            notes: Untrusted::default(),
            sections: Vec::new(),
            entries: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// The site's name: the one first-level heading.
    #[must_use]
    pub fn name(&self) -> &Untrusted {
        &self.name
    }

    /// The quotation below it, if there is one.
    #[must_use]
    pub fn description(&self) -> Option<&Untrusted> {
        self.description.as_ref()
    }

    /// The paragraphs before the first section: what the site says of access and limits.
    #[must_use]
    pub fn notes(&self) -> &Untrusted {
        &self.notes
    }

    /// The sections, in the order in which they stand.
    #[must_use]
    pub fn sections(&self) -> &[WebSection] {
        &self.sections
    }

    /// The entries, all of them, in the order in which they stand.
    #[must_use]
    pub fn entries(&self) -> &[WebSkill] {
        &self.entries
    }

    /// The section that an entry stands in.
    #[must_use]
    pub fn section(&self, entry: &WebSkill) -> Option<&WebSection> {
        self.sections.get(entry.section)
    }

    /// The entries of this name: that in brackets, or the directory that the address ends in (`skills/NAME/SKILL.md`).
    pub fn find<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s WebSkill> {
        self.entries.iter().filter(move |entry| entry.name.as_raw() == name || entry.directory() == Some(name))
    }

    /// Worth saying about the document.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

impl WebSkill {
    /// The line it stands on, counted from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// What stands in the brackets.
    #[must_use]
    pub fn name(&self) -> &Untrusted {
        &self.name
    }

    /// What stands behind the colon.
    #[must_use]
    pub fn description(&self) -> Option<&Untrusted> {
        self.description.as_ref()
    }

    /// The address as it stands in the document.
    #[must_use]
    pub fn reference(&self) -> &Untrusted {
        &self.reference
    }

    /// Where it leads, if it can be used.
    ///
    /// # Errors
    /// Why it was refused: `index-entry-invalid` or `url-*`, with the line.
    pub fn target(&self) -> Result<&WebTarget, &Error> {
        self.outcome.as_ref()
    }

    /// The directory that the address of a SKILL.md ends in: by the protocol the skill's own name.
    #[must_use]
    pub fn directory(&self) -> Option<&str> {
        let Ok(WebTarget::SkillMd(url)) = &self.outcome else { return None };
        let mut components = url.path().rsplit('/');
        components.next().filter(|last| *last == "SKILL.md").and_then(|_| components.next()).filter(|it| !it.is_empty())
    }
}

impl WebTarget {
    /// Its address.
    #[must_use]
    pub fn url(&self) -> &Url {
        match self {
            Self::Archive(url) | Self::SkillMd(url) => url,
        }
    }

    fn of(url: Url) -> Self {
        match Format::from_file_name(url.last_component()) {
            Some(_) => Self::Archive(url),
            None => Self::SkillMd(url),
        }
    }
}

/// The structure, block by block.
struct Reader<'u> {
    base: &'u Url,
    /// The line of the title.
    title: Option<usize>,
    site: WebSkills,
}

impl Reader<'_> {
    fn take(&mut self, line: usize, block: Block) -> Result<()> {
        match block {
            Block::Title(text) => {
                if let Some(first) = self.title {
                    return Err(invalid(format!(
                        "line {line}: there is a second first-level heading; the first is on line {first}"
                    )));
                }
                if text.is_empty() {
                    return Err(invalid(format!("line {line}: the first-level heading has no text")));
                }
                self.title = Some(line);
                self.site.name = Untrusted::new(text);
            }
            Block::Section(title) => {
                self.say_if_empty();
                let optional = title == "Optional";
                self.site.sections.push(WebSection { title: Untrusted::new(title), optional, line });
            }
            Block::Quote(text) => {
                if self.site.sections.is_empty() && self.site.description.is_none() {
                    self.site.description = Some(Untrusted::new(text));
                }
            }
            Block::Paragraph(text) => {
                if self.site.sections.is_empty() {
                    let before = self.site.notes.as_raw();
                    let whole = if before.is_empty() { text } else { format!("{before}\n\n{text}") };
                    self.site.notes = Untrusted::new(whole);
                }
            }
            Block::Item(item) => self.item(line, item)?,
        }
        Ok(())
    }

    fn item(&mut self, line: usize, item: Line) -> Result<()> {
        // A list in the prose is none of skills.
        let Some(section) = self.site.sections.len().checked_sub(1) else { return Ok(()) };
        if self.site.entries.len() >= WebSkills::MOST_ENTRIES {
            return Err(invalid(format!("line {line}: there are more than {} entries", WebSkills::MOST_ENTRIES)));
        }
        let (name, reference, description, outcome) = match item {
            Line::Entry { name, reference, description } => {
                let outcome = self.base.join(&reference).map(WebTarget::of).map_err(|error| {
                    Error::with(error.code(), format!("line {line}: {}", error.detail())).hint(error.help())
                });
                (name, reference, description, outcome)
            }
            Line::Other { text, why } => {
                let detail =
                    format!("line {line}: `{}` is not `- [Name](url): description`: {why}", escape(text.as_bytes()));
                let error = Error::with(Code::IndexEntryInvalid, detail)
                    .hint("publisher: write `- [Name](url): description`; the other entries are not touched by it");
                (text, String::new(), None, Err(error))
            }
        };
        self.site.entries.push(WebSkill {
            line,
            section,
            name: Untrusted::new(name),
            description: description.map(Untrusted::new),
            reference: Untrusted::new(reference),
            outcome,
        });
        Ok(())
    }

    fn say_if_empty(&mut self) {
        let Some(section) = self.site.sections.len().checked_sub(1) else { return };
        if self.site.entries.last().is_some_and(|entry| entry.section == section) {
            return;
        }
        if let Some(WebSection { title, line, .. }) = self.site.sections.get(section) {
            let text = format!("line {line}: the section `{title}` has no entry");
            self.site.findings.push(Finding::new(Code::IndexSectionEmpty, None, text));
        }
    }

    fn finish(mut self) -> Result<WebSkills> {
        self.say_if_empty();
        if self.title.is_none() {
            return Err(invalid("line 1: there is no first-level heading with the site's name"));
        }
        if self.site.sections.is_empty() {
            return Err(invalid("there is no second-level heading, so there are no skills"));
        }
        if self.site.entries.is_empty() {
            return Err(invalid("no section has an entry `- [Name](url): description`"));
        }
        Ok(self.site)
    }
}

/// Whether it begins as a web page does: comments alone make none.
fn is_page(text: &str) -> bool {
    const TAGS: [&str; 6] = ["!doctype html", "html", "head", "body", "title", "script"];
    let mut rest = text.trim_start();
    loop {
        let end = if rest.starts_with("<!--") {
            "-->"
        } else if rest.starts_with("<?") {
            "?>"
        } else {
            break;
        };
        let Some((_, after)) = rest.split_once(end) else { return false };
        rest = after.trim_start();
    }
    let Some(tag) = rest.strip_prefix('<') else { return false };
    TAGS.iter().any(|name| {
        let ends = |rest: &str| !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '-');
        let (begin, rest) = (tag.get(..name.len()), tag.get(name.len()..));
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(name)) && rest.is_some_and(ends)
    })
}

fn invalid(what: impl std::fmt::Display) -> Error {
    WebSkills::advise(Error::with(Code::IndexInvalid, format!("the list of skills: {what}")))
}
