//! The Markdown of skills.txt, by a `CommonMark` parser: what stands on the first level, and on which line.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

/// A block of the first level, or an item of a list.
pub(super) enum Block {
    /// A first-level heading.
    Title(String),
    /// A second-level heading.
    Section(String),
    Quote(String),
    Paragraph(String),
    Item(Line),
}

/// An item of a list.
pub(super) enum Line {
    Entry { name: String, reference: String, description: Option<String> },
    Other { text: String, why: &'static str },
}

/// The blocks with their lines, counted from 1.
pub(super) fn blocks(text: &str) -> Vec<(usize, Block)> {
    let mut walk =
        Walk { text, line: 1, at: 0, open: Vec::new(), item: None, words: String::new(), blocks: Vec::new() };
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        walk.event(event, &range);
    }
    walk.blocks
}

struct Walk<'t> {
    text: &'t str,
    /// The line of the byte at `at`.
    line: usize,
    at: usize,
    open: Vec<Open>,
    /// The item of the innermost list that is being read.
    item: Option<Item>,
    words: String,
    blocks: Vec<(usize, Block)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Heading(Option<HeadingLevel>),
    Item,
    Link,
    List { ordered: bool },
    Paragraph,
    Quote,
    Other,
}

struct Item {
    line: usize,
    name: String,
    reference: Option<String>,
    before: String,
    after: String,
    why: Option<&'static str>,
}

impl Walk<'_> {
    fn event(&mut self, event: Event<'_>, range: &Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => self.say(&text),
            Event::SoftBreak | Event::HardBreak => self.say(" "),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: &Range<usize>) {
        let line = self.line_of(range.start);
        let open = match tag {
            Tag::Heading { level, .. } => {
                let is_outer = self.open.is_empty();
                self.words.clear();
                // The heading's line is kept as an empty block, which its end fills in.
                match level {
                    HeadingLevel::H1 if is_outer => self.blocks.push((line, Block::Title(String::new()))),
                    HeadingLevel::H2 if is_outer => self.blocks.push((line, Block::Section(String::new()))),
                    _ => {}
                }
                Open::Heading(is_outer.then_some(*level))
            }
            Tag::BlockQuote(_) => {
                if self.open.is_empty() {
                    self.words.clear();
                    self.blocks.push((line, Block::Quote(String::new())));
                }
                Open::Quote
            }
            Tag::Paragraph => {
                if self.open.is_empty() {
                    self.words.clear();
                    self.blocks.push((line, Block::Paragraph(String::new())));
                }
                Open::Paragraph
            }
            Tag::List(first) => Open::List { ordered: first.is_some() },
            Tag::Item => {
                self.finish_item();
                let why = match self.open.as_slice() {
                    [Open::List { ordered: false }] => None,
                    [Open::List { ordered: true }] => Some("it is numbered"),
                    _ => Some("it is nested"),
                };
                let (name, before, after) = (String::new(), String::new(), String::new());
                self.item = Some(Item { line, name, reference: None, before, after, why });
                Open::Item
            }
            Tag::Link { link_type, dest_url, .. } => {
                if let Some(item) = &mut self.item {
                    if item.reference.is_some() {
                        // A second link belongs to the description.
                    } else if matches!(link_type, LinkType::Autolink | LinkType::Email) {
                        item.why.get_or_insert("the address has no name");
                        item.reference = Some(dest_url.to_string());
                    } else {
                        item.reference = Some(dest_url.to_string());
                        self.open.push(Open::Link);
                        return;
                    }
                }
                Open::Other
            }
            _ => Open::Other,
        };
        self.open.push(open);
    }

    fn end(&mut self, tag: TagEnd) {
        let closed = self.open.pop();
        if self.open.is_empty() && !matches!(tag, TagEnd::List(_) | TagEnd::Item) {
            let words = std::mem::take(&mut self.words).trim().to_owned();
            let holds_words = matches!(
                closed,
                Some(Open::Heading(Some(HeadingLevel::H1 | HeadingLevel::H2)) | Open::Quote | Open::Paragraph)
            );
            if let Some((_, block)) = self.blocks.last_mut().filter(|_| holds_words) {
                match block {
                    Block::Title(text) | Block::Section(text) | Block::Quote(text) | Block::Paragraph(text) => {
                        *text = words;
                    }
                    Block::Item(_) => {}
                }
            }
        } else if tag == TagEnd::Paragraph && self.open.contains(&Open::Quote) {
            self.words.push('\n');
        }
        if matches!(tag, TagEnd::Item) {
            self.finish_item();
        }
    }

    fn say(&mut self, text: &str) {
        match &mut self.item {
            Some(item) if self.open.contains(&Open::Link) => item.name.push_str(text),
            Some(item) if item.reference.is_none() => item.before.push_str(text),
            Some(item) => item.after.push_str(text),
            None => self.words.push_str(text),
        }
    }

    fn finish_item(&mut self) {
        let Some(item) = self.item.take() else { return };
        let name = item.name.trim().to_owned();
        let before = item.before.trim();
        let after = item.after.trim();
        let why = item.why.or_else(|| match &item.reference {
            None => Some("there is no link"),
            Some(_) if !before.is_empty() => Some("there is text before the link"),
            Some(_) if name.is_empty() => Some("the link has no text"),
            Some(reference) if reference.is_empty() => Some("the link has no address"),
            Some(_) if !after.is_empty() && !after.starts_with(':') => Some("there is no colon after the link"),
            Some(_) => None,
        });
        let line = match (why, item.reference) {
            (None, Some(reference)) => {
                let description = after.strip_prefix(':').map(str::trim).filter(|text| !text.is_empty());
                Line::Entry { name, reference, description: description.map(str::to_owned) }
            }
            (why, _) => {
                let text = [before, name.as_str(), after].join(" ").trim().to_owned();
                Line::Other { text, why: why.unwrap_or("there is no link") }
            }
        };
        self.blocks.push((item.line, Block::Item(line)));
    }

    /// Blocks begin in the order of the document, so that every line break is counted once.
    fn line_of(&mut self, at: usize) -> usize {
        if at > self.at {
            let passed = self.text.as_bytes().get(self.at..at).unwrap_or_default();
            self.line = self.line.saturating_add(passed.split(|byte| *byte == b'\n').count().saturating_sub(1));
            self.at = at;
        }
        self.line
    }
}
