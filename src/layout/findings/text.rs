//! What SKILL.md says that a reader does not see, and what hosts act on when they load it.

use super::Said;
use crate::error::Code;
use crate::layout::SkillMd;
use crate::policy::hides_text;

/// Longest line that passes without a word, in bytes. A description of 1024 characters of 4 bytes is shorter.
const LONG_LINE: usize = 5000;
const PATH: Option<&str> = Some("SKILL.md");

pub(super) fn look(skill: &SkillMd, said: &mut Said) {
    let text = skill.text();
    hidden(text, said);
    if let Some(at) = text.find("<!--") {
        said.say(Code::HtmlComment, PATH, || format!("SKILL.md has an HTML comment at line {}", line_at(text, at)));
    }
    if let Some((number, line)) = text.lines().enumerate().find(|(_, line)| line.len() > LONG_LINE) {
        let number = number.saturating_add(1);
        said.say(Code::LongLine, PATH, || format!("line {number} of SKILL.md has {} bytes", line.len()));
    }
    if let Some(at) = load_command(text) {
        said.say(Code::LoadCommand, PATH, || {
            format!("line {} of SKILL.md has a command that some hosts run when they load it", line_at(text, at))
        });
    }
    if skill.unknown_keys().iter().any(|key| key == "hooks") {
        said.say(Code::FrontmatterHooks, PATH, || Code::FrontmatterHooks.explain().what.to_owned());
    }
    if skill.has_allowed_tools() {
        said.say(Code::AllowedTools, PATH, || Code::AllowedTools.explain().what.to_owned());
    }
}

/// One finding for all of them: how many, the first one and its line.
fn hidden(text: &str, said: &mut Said) {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return;
    }
    let (mut count, mut first) = (0_u64, None);
    let mut previous = ' ';
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        if hides_text(character, previous, next) {
            count = count.saturating_add(1);
            first.get_or_insert((at, character));
        }
        previous = character;
    }
    if let Some((at, character)) = first {
        said.say(Code::HiddenText, PATH, || {
            let (code_point, line) = (u32::from(character), line_at(text, at));
            format!("SKILL.md contains {count} hidden characters, the first is U+{code_point:04X} at line {line}")
        });
    }
}

/// Where a !`command` stands: at the beginning of a line, or behind a space or punctuation that opens something.
fn load_command(text: &str) -> Option<usize> {
    text.match_indices("!`").map(|(at, _)| at).find(|at| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        let rest = text.get(at.saturating_add(2)..).unwrap_or_default();
        let closed = rest.find('`').is_some_and(|end| end > 0 && !rest.get(..end).unwrap_or_default().contains('\n'));
        closed && before.is_none_or(|before| before.is_whitespace() || "-*>([{|:\"'".contains(before))
    })
}

fn line_at(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.bytes().filter(|byte| *byte == b'\n').count().saturating_add(1)
}
