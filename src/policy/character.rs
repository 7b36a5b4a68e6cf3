//! Characters that no name may contain, on any platform.

use unicode_properties::UnicodeEmoji as _;

use crate::error::Code;

/// Characters without a visible form: Unicode's `Default_Ignorable_Code_Point` (which includes all bidirectional
/// controls and the tag block), format controls outside it, line separators, and the blank Braille pattern. Private use
/// is here because WSL, Cygwin and SMB map U+F000-F0FF to `:`, `\`, `?` and `*`; noncharacters because readers replace
/// them.
const INVISIBLE: [(u32, u32); 34] = [
    (0x00ad, 0x00ad),
    (0x034f, 0x034f),
    (0x061c, 0x061c),
    (0x115f, 0x1160),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x200b, 0x200f),
    (0x2028, 0x202e),
    (0x2060, 0x206f),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xe000, 0xf8ff),
    (0xfdd0, 0xfdef),
    (0xfe00, 0xfe0f),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfffb),
    (0xfffe, 0xffff),
    (0x13430, 0x1343f),
    (0x1bca0, 0x1bca3),
    (0x1d173, 0x1d17a),
    (0x1fffe, 0x1ffff),
    (0x2fffe, 0x2ffff),
    (0x3fffe, 0x3ffff),
    (0x4fffe, 0x4ffff),
    (0x5fffe, 0x5ffff),
    (0x6fffe, 0x6ffff),
    (0x7fffe, 0x7ffff),
    (0x8fffe, 0x8ffff),
    (0x9fffe, 0x9ffff),
    (0xafffe, 0xaffff),
    (0xbfffe, 0xbffff),
    (0xcfffe, 0xcffff),
    // Planes 14 to 16: tags, variation selectors, noncharacters, private use.
    (0xdfffe, 0x10_ffff),
];

const EMOJI_SELECTOR: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';

/// The first character of a text that may not be in a name, and what it is.
pub(super) fn first_offence(text: &str) -> Option<(char, Code)> {
    if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'/' | b' ')) {
        return None;
    }
    let mut characters = text.chars().peekable();
    let mut previous = ' ';
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        if let Some(code) = offence(character, previous, next) {
            return Some((character, code));
        }
        previous = character;
    }
    None
}

/// Whether a character can be seen where it is printed, and changes nothing around it.
pub(crate) fn is_printable(character: char) -> bool {
    !character.is_control() && !is_invisible(character)
}

fn offence(character: char, previous: char, next: Option<char>) -> Option<Code> {
    match character {
        '\0' => Some(Code::PathNul),
        '\\' => Some(Code::PathBackslash),
        ':' => Some(Code::PathColon),
        '*' | '?' | '"' | '<' | '>' | '|' => Some(Code::PathReservedChar),
        _ if character.is_control() => Some(Code::PathControlChar),
        EMOJI_SELECTOR if selects_emoji(previous, next) => None,
        _ if is_invisible(character) => Some(Code::PathInvisible),
        _ => None,
    }
}

/// The selector asks for the coloured form of the character before it. After ASCII (digits are emoji bases too) it
/// would be an invisible difference, except in a keycap.
fn selects_emoji(base: char, next: Option<char>) -> bool {
    base.is_emoji_char() && (!base.is_ascii() || next == Some(KEYCAP))
}

/// Whether a character of a longer text hides something: it has no visible form, or changes the order in which others are
/// shown. Not so joiners between letters of other scripts and inside emoji, selectors behind what they select, private
/// use (icon fonts) and line ends.
pub(crate) fn hides_text(character: char, previous: char, next: Option<char>) -> bool {
    let shown = |neighbour: char| !neighbour.is_ascii() && (!is_invisible(neighbour) || neighbour == EMOJI_SELECTOR);
    match character {
        '\n' | '\t' => false,
        '\r' => next != Some('\n'),
        '\u{200c}' | '\u{200d}' => !(shown(previous) && next.is_some_and(shown)),
        EMOJI_SELECTOR => !(shown(previous) || selects_emoji(previous, next)),
        '\u{fe00}'..='\u{fe0e}' | '\u{e0100}'..='\u{e01ef}' => !shown(previous),
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => false,
        _ => character.is_control() || is_invisible(character),
    }
}

fn is_invisible(character: char) -> bool {
    let code_point = u32::from(character);
    if code_point < 0xad {
        return false;
    }
    let after = INVISIBLE.partition_point(|(first, _)| *first <= code_point);
    let range = after.checked_sub(1).and_then(|at| INVISIBLE.get(at));
    range.is_some_and(|(_, last)| code_point <= *last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<Code> {
        first_offence(text).map(|(_, code)| code)
    }

    #[test]
    fn letters_of_any_script_and_emoji_are_fine() {
        for text in [
            "README.md",
            "gu\u{ed}a.md",
            "guia\u{301}.md",
            "\u{6280}\u{80fd}",
            "\u{43d}\u{430}\u{432}\u{44b}\u{43a}",
            "\u{639}\u{631}\u{628}\u{64a}",
            "\u{600}1",
            "Screenshot 3.45.00\u{202f}PM.png",
            "a\u{a0}b",
            "\u{1f600}.md",
            "\u{2764}\u{fe0f}.md",
            "\u{a9}\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "a+b=c,d;e'f(g)[h]{i}&%$#@!^~`",
        ] {
            assert_eq!(code(text), None, "{text:?}");
        }
    }

    #[test]
    fn what_cannot_be_seen_is_refused() {
        for text in [
            "\u{ad}",
            "\u{34f}",
            "\u{61c}",
            "\u{115f}",
            "\u{180e}",
            "\u{200b}",
            "\u{200d}",
            "\u{200c}",
            "\u{200e}",
            "\u{202e}",
            "\u{2028}",
            "\u{2029}",
            "\u{2060}",
            "\u{2066}",
            "\u{2069}",
            "\u{206f}",
            "\u{2800}",
            "\u{3164}",
            "\u{e000}",
            "\u{f03a}",
            "\u{f8ff}",
            "\u{fdd0}",
            "\u{fe00}",
            "\u{fe0e}",
            "\u{feff}",
            "\u{ffa0}",
            "\u{fff9}",
            "\u{ffff}",
            "\u{1fffe}",
            "\u{e0041}",
            "\u{e0100}",
            "\u{e01ef}",
            "\u{f0000}",
            "\u{10fffd}",
            "\u{10ffff}",
            "a\u{fe0f}",
            "1\u{fe0f}",
            "\u{fe0f}",
        ] {
            assert_eq!(code(text), Some(Code::PathInvisible), "{text:?}");
        }
    }

    #[test]
    fn the_neighbours_of_invisible_ranges_are_seen() {
        for (first, last) in INVISIBLE {
            for neighbour in [first - 1, last + 1] {
                let known = INVISIBLE.iter().any(|(first, last)| (first..=last).contains(&&neighbour));
                if let Some(character) = char::from_u32(neighbour).filter(|_| !known) {
                    assert!(!is_invisible(character), "{neighbour:x}");
                }
            }
        }
        assert!(INVISIBLE.windows(2).all(|pair| pair[0].1 < pair[1].0), "sorted and apart");
    }

    #[test]
    fn controls_and_separators_have_their_own_codes() {
        for (text, expected) in [
            ("\0", Code::PathNul),
            ("\n", Code::PathControlChar),
            ("\x1b[31m", Code::PathControlChar),
            ("\x7f", Code::PathControlChar),
            ("\u{9b}31m", Code::PathControlChar),
            ("\u{80}", Code::PathControlChar),
            ("..\\x", Code::PathBackslash),
            ("C:x", Code::PathColon),
            ("a\\b:c", Code::PathBackslash),
            ("a*", Code::PathReservedChar),
            ("a?", Code::PathReservedChar),
            ("a|b", Code::PathReservedChar),
        ] {
            assert_eq!(code(text), Some(expected), "{text:?}");
        }
    }
}
