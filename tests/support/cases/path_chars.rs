//! P rows about single characters: control, bidirectional, invisible and private-use code points, backslash, colon, and the
//! characters that Windows reserves; with the characters next to them that are fine.

use super::{Case, Expect::*, Sheet};
use crate::support::carrier::{dir, file, symlink};
use crate::support::tar::{Header, Tar};

/// What Unicode calls Default_Ignorable, bidi controls, and what else draws nothing: one of each kind and the ends of ranges.
const INVISIBLE: &[(&str, char)] = &[
    ("P17-soft-hyphen", '\u{ad}'),
    ("P17-grapheme-joiner", '\u{34f}'),
    ("P16-arabic-letter-mark", '\u{61c}'),
    ("P17-hangul-choseong-filler", '\u{115f}'),
    ("P17-hangul-jungseong-filler", '\u{1160}'),
    ("P17-khmer-aq", '\u{17b4}'),
    ("P17-khmer-aa", '\u{17b5}'),
    ("P17-mongolian-selector-1", '\u{180b}'),
    ("P17-mongolian-vowel-separator", '\u{180e}'),
    ("P17-mongolian-selector-4", '\u{180f}'),
    ("P17-zero-width-space", '\u{200b}'),
    ("P17-zwnj", '\u{200c}'),
    ("P17-zwj", '\u{200d}'),
    ("P16-lrm", '\u{200e}'),
    ("P16-rlm", '\u{200f}'),
    ("P17-line-separator", '\u{2028}'),
    ("P17-paragraph-separator", '\u{2029}'),
    ("P16-lre", '\u{202a}'),
    ("P16-rle", '\u{202b}'),
    ("P16-pdf", '\u{202c}'),
    ("P16-lro", '\u{202d}'),
    ("P16-rlo", '\u{202e}'),
    ("P17-word-joiner", '\u{2060}'),
    ("P17-invisible-times", '\u{2062}'),
    ("P17-invisible-plus", '\u{2064}'),
    ("P17-unassigned-ignorable", '\u{2065}'),
    ("P16-lri", '\u{2066}'),
    ("P16-rli", '\u{2067}'),
    ("P16-fsi", '\u{2068}'),
    ("P16-pdi", '\u{2069}'),
    ("P17-deprecated-format", '\u{206a}'),
    ("P17-deprecated-format-last", '\u{206f}'),
    ("P17-braille-blank", '\u{2800}'),
    ("P17-hangul-filler", '\u{3164}'),
    ("P17-variation-1", '\u{fe00}'),
    ("P17-variation-15", '\u{fe0e}'),
    ("P17-bom", '\u{feff}'),
    ("P17-halfwidth-hangul-filler", '\u{ffa0}'),
    ("P17-unassigned-fff0", '\u{fff0}'),
    ("P17-interlinear-anchor", '\u{fff9}'),
    ("P17-interlinear-end", '\u{fffb}'),
    ("P17-shorthand-format", '\u{1bca0}'),
    ("P17-musical-begin-beam", '\u{1d173}'),
    ("P17-tag-begin", '\u{e0001}'),
    ("P17-tag-a", '\u{e0041}'),
    ("P17-tag-cancel", '\u{e007f}'),
    ("P17-variation-17", '\u{e0100}'),
    ("P17-variation-256", '\u{e01ef}'),
    ("P17-unassigned-e0fff", '\u{e0fff}'),
    ("X15-private-first", '\u{e000}'),
    ("X15-wsl-colon", '\u{f03a}'),
    ("X15-wsl-backslash", '\u{f05c}'),
    ("X15-wsl-last", '\u{f0ff}'),
    ("X15-private-last", '\u{f8ff}'),
    ("X15-private-plane-15", '\u{f0000}'),
    ("X15-private-plane-16", '\u{10fffd}'),
    ("P17-nonchar-fdd0", '\u{fdd0}'),
    ("P17-nonchar-fdef", '\u{fdef}'),
    ("P17-nonchar-fffe", '\u{fffe}'),
    ("P17-nonchar-ffff", '\u{ffff}'),
    ("P17-nonchar-1fffe", '\u{1fffe}'),
    ("P17-nonchar-last", '\u{10ffff}'),
];

/// Visible, or spaces with a width: the neighbours of the above.
const FINE: &[(&str, &str)] = &[
    ("P16-before-bidi", "a\u{2027}b\u{2030}c"),
    ("P17-neighbours", "\u{ac}\u{ae}\u{34e}a\u{2010}\u{2800}"),
    ("P17-screenshot-space", "Screenshot 2024-01-01 at 1.00.00\u{202f}PM.png"),
    ("P17-no-break-space", "a\u{a0}b"),
    ("P17-ideographic-space", "\u{56f3}\u{3000}1.png"),
    ("P17-emoji", "\u{1f680}.md"),
    ("P17-emoji-skin-tone", "\u{1f44d}\u{1f3fd}.md"),
    ("P17-emoji-flag", "\u{1f1eb}\u{1f1f7}.md"),
    ("P17-emoji-fe0f", "\u{2764}\u{fe0f}.md"),
    ("P17-emoji-fe0f-latin1", "\u{a9}\u{fe0f}.md"),
    ("P17-emoji-fe0f-twice", "\u{2764}\u{fe0f}\u{2600}\u{fe0f}.md"),
    ("P17-keycap", "1\u{fe0f}\u{20e3}-first.md"),
    ("P17-keycap-inside", "step-2\u{fe0f}\u{20e3}.md"),
    ("P17-combining", "e\u{301}a\u{323}\u{307}"),
    ("P17-replacement-character", "a\u{fffd}b"),
];

pub fn cases() -> Vec<Case> {
    let mut s = Sheet::new();
    control(&mut s);
    invisible(&mut s);
    windows(&mut s);
    order(&mut s);
    s.done()
}

fn control(s: &mut Sheet) {
    for byte in (1..0x20).chain([0x7f]) {
        let name = [b'a', byte, b'b'];
        s.both(format!("P14-{byte:02x}"), "a control byte", vec![file(name, "1")], Refused("path-control-char")).at(2);
    }
    for code in 0x80..=0x9f_u8 {
        let name = format!("a{}31m", char::from(code));
        s.both(format!("P15-{code:02x}"), "a C1 control", vec![file(name, "1")], Refused("path-control-char")).at(2);
    }
    for (id, name) in [
        ("P14-colour", "a\x1b[31mred\x1b[0m"),
        ("P14-title", "a\x1b]0;title\x07"),
        ("O04-fake-success", "a\r\u{2714} verified sha256"),
        ("O05-hyperlink", "a\x1b]8;;https;x\x1b\\"),
        ("O04-newline-command", "a\n##[error]x"),
    ] {
        s.both(id, "output that a terminal or log would act on", vec![file(name, "1")], Refused("path-control-char"))
            .at(2);
    }
    let newlines = "\n".repeat(500);
    s.both("O04-newlines", "500 newlines", vec![file(newlines, "1")], Refused("path-control-char")).at(2);
    s.both("P14-dir", "a control byte in a directory", vec![dir("a\x1b/")], Refused("path-control-char")).at(2);
    s.both(
        "P14-link",
        "a control byte in a link's name",
        vec![symlink("a\x08", "SKILL.md")],
        Refused("path-control-char"),
    )
    .at(2);
}

fn invisible(s: &mut Sheet) {
    for (id, character) in INVISIBLE {
        let name = format!("a{character}b");
        s.both(*id, "a character that shows nothing or turns text", vec![file(name, "1")], Refused("path-invisible"))
            .at(2);
    }
    for (id, name) in [
        ("P17-skill-md", "SKILL\u{200b}.md"),
        ("P16-exe", "a\u{202e}gpj.exe"),
        ("P26-git", ".g\u{200c}it/config"),
        ("P17-emoji-zwj", "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}.md"),
        ("P17-emoji-tag-flag", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}.md"),
        ("P17-fe0f-letter", "a\u{fe0f}.md"),
        ("P17-fe0f-letter-non-ascii", "\u{e9}\u{fe0f}.md"),
        ("P17-fe0f-first", "\u{fe0f}a"),
        ("P17-fe0f-digit", "1\u{fe0f}.md"),
        ("P17-fe0f-twice", "\u{2764}\u{fe0f}\u{fe0f}.md"),
        ("P17-fe0f-behind-slash", "\u{2764}/\u{fe0f}.md"),
        ("P17-fe0f-skill-md", "SKILL\u{fe0f}.md"),
        ("P17-keycap-letter", "a\u{fe0f}\u{20e3}.md"),
    ] {
        s.both(id, "a name that shows less than it has", vec![file(name, "1")], Refused("path-invisible")).at(2);
    }
    s.both("P17-dir", "an invisible character in a directory", vec![dir("a\u{200b}/")], Refused("path-invisible"))
        .at(2);
    for (id, name) in FINE {
        if *id == "P17-neighbours" {
            continue;
        }
        s.both(*id, "visible characters", vec![file(name, "1")], Accepted);
    }
    s.both(
        "P17-neighbours",
        "neighbours of refused ranges",
        vec![file("\u{ac}\u{ae}\u{2010}\u{27ff}\u{2801}", "1")],
        Accepted,
    );
}

fn windows(s: &mut Sheet) {
    for (id, name) in [
        ("P19-traversal", "..\\outside\\pwn"),
        ("P19-dir-file", "dir\\file"),
        ("P19-first", "\\tmp\\x"),
        ("P19-last", "a\\"),
        ("P19-behind-slash", "a/b\\c"),
        ("P22-verbatim", "\\\\?\\C:\\x"),
        ("P22-device", "\\\\.\\COM1"),
        ("P22-unc", "\\\\server\\share\\x"),
        ("P19-skill-md", "demo\\SKILL.md"),
    ] {
        s.both(id, "a backslash", vec![file(name, "1")], Refused("path-backslash")).at(2);
    }
    for (id, name) in [
        ("P20-drive-relative", "C:foo"),
        ("P20-drive-absolute", "C:/x"),
        ("P20-drive-backslash", "C:\\x"),
        ("P20-inner-drive", "d/C:foo"),
        ("P20-only", "c:"),
        ("P21-stream", "SKILL.md:evil"),
        ("P21-data", "x::$DATA"),
        ("P21-git-index", ".git::$INDEX_ALLOCATION/config"),
        ("P21-time", "12:30.md"),
        ("X13-github", "::error file=x,line=1::pwn"),
        ("X13-github-mask", "a/::add-mask::x"),
    ] {
        s.both(id, "a colon", vec![file(name, "1")], Refused("path-colon")).at(2);
    }
    for (id, character) in
        [("star", '*'), ("question", '?'), ("quote", '"'), ("less", '<'), ("greater", '>'), ("pipe", '|')]
    {
        let name = format!("a{character}b");
        s.both(
            format!("P19-reserved-{id}"),
            "reserved by Windows",
            vec![file(name, "1")],
            Refused("path-reserved-char"),
        )
        .at(2);
    }
    s.both(
        "P19-punctuation",
        "all other printable ASCII",
        vec![file("a !#$%&'()+,-.;=@[]^_`{}~z", "1"), file("-rf", "2"), file(" leading", "3"), file("##[x]", "4")],
        Accepted,
    );
    for (id, name) in [
        ("X13-azure", "##vso[task.complete result=Failed]x"),
        ("X13-azure-group", "##[error]x"),
        ("X13-teamcity", "##teamcity[buildStop]"),
    ] {
        // Refused for another reason, so that the name has to be printed.
        let long = format!("{id}/{name}/../x");
        s.both(id, "a CI command in a name that is quoted", vec![file(long, "1")], Refused("path-traversal")).at(2);
    }
}

/// Two defects in one name: the earlier check in the order names it; among characters, the first in the name.
fn order(s: &mut Sheet) {
    for (id, name, code) in [
        ("P-order-nul-utf8", &b"a\xff\0"[..], "path-nul"),
        ("P-order-utf8-absolute", b"/a\xff", "path-not-utf8"),
        ("P-order-absolute-traversal", b"/../x", "absolute-path"),
        ("P-order-traversal-char", b"a\x1b/../x", "path-traversal"),
        ("P-order-colon-backslash", b"a:b\\c", "path-colon"),
        ("P-order-backslash-colon", b"a\\b:c", "path-backslash"),
        ("P-order-control-colon", b"a\x01b:c", "path-control-char"),
        ("P-order-colon-control", b"a:b\x01c", "path-colon"),
        ("P-order-char-component", b"CON/a:b", "path-colon"),
        ("P-order-dot-reserved", b"COM1.", "path-trailing-dot-space"),
        ("P-order-component-first", b"aux/x.", "path-reserved-name"),
        ("P-order-git-trailing", b".git.", "path-trailing-dot-space"),
        ("P-order-skill-trailing", b"SKILL.md.", "path-trailing-dot-space"),
    ] {
        s.both(id, "two defects in one name", vec![file(name, "1")], Refused(code)).at(2);
    }
    let members = vec![file("../x", "1"), file("/y", "2"), file("a:b", "3")];
    s.both("P-order-members", "three refused members: the first is named", members, Refused("path-traversal")).at(2);
    s.tar(
        "P-order-signature",
        "a refused name, then a broken header: the name came first",
        Tar::skill().file("../x", "1").header(Header::ustar(b'0', "y").checksum_off(1)),
        Refused("path-traversal"),
    )
    .at(2);
}
