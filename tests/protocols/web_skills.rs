//! skills.txt and agents.txt: structure, entries, limits, robots.txt.

use proptest::prelude::*;
use skillx_archive::discovery::{Robots, WebSkills, WebTarget};
use skillx_archive::{Code, Error, SkillMd};

use super::{assert_says, url};

/// A shop with the structure of the protocol's own example.
const SHOP: &str = "\
# Ana's Shop

> Electronics, by post.

Search needs no key. Everything else does; see [the page](https://shop.example/developers).

A second paragraph.

## Skills

- [Product Search](/skills/search/SKILL.md): Search products by keyword, category or price
- [Place Order](skills/order/SKILL.md): Add items and **check out**

## Optional

- [Reviews](https://cdn.example/reviews/SKILL.md)
- [All of it](all.tar.gz): Everything in one archive
";

fn parse(text: &str) -> Result<WebSkills, Error> {
    WebSkills::parse(text.as_bytes(), &url("https://shop.example/skills.txt"))
}

#[track_caller]
fn refused(text: &str, code: Code, words: &str) {
    let error = parse(text).expect_err(text);
    assert_eq!(error.code(), code, "{error}");
    assert_says(&error, words);
}

/// The only entry is refused with this code and these words.
#[track_caller]
fn bad_entry(line: &str, code: Code, words: &str) {
    let site = parse(&format!("# A\n\n## B\n\n{line}\n- [ok](x)\n")).unwrap();
    let error = site.entries()[0].target().expect_err(line);
    assert_eq!(error.code(), code, "{error}");
    assert_says(error, "line 5: ");
    assert_says(error, words);
    assert!(site.entries().last().unwrap().target().is_ok(), "the neighbour is used");
}

#[test]
fn a_site_says_what_it_says() {
    let site = parse(SHOP).unwrap();
    assert_eq!(site.name().as_raw(), "Ana's Shop");
    assert_eq!(site.description().unwrap().as_raw(), "Electronics, by post.");
    assert!(
        site.notes().as_raw().starts_with("Search needs no key.")
            && site.notes().as_raw().ends_with("A second paragraph.")
    );
    let titles: Vec<_> = site.sections().iter().map(|s| (s.title.as_raw(), s.optional, s.line)).collect();
    assert_eq!(titles, [("Skills", false, 9), ("Optional", true, 14)]);
    let entries: Vec<_> = site.entries().iter().map(|e| (e.line(), e.name().as_raw())).collect();
    assert_eq!(entries, [(11, "Product Search"), (12, "Place Order"), (16, "Reviews"), (17, "All of it")]);
    assert_eq!(site.findings().len(), 0);
}

#[test]
fn entries_are_in_the_section_they_stand_in() {
    let site = parse(SHOP).unwrap();
    let optional: Vec<_> = site.entries().iter().map(|entry| site.section(entry).unwrap().optional).collect();
    assert_eq!(optional, [false, false, true, true]);
    let descriptions: Vec<_> = site.entries().iter().map(|e| e.description().map(|d| d.as_raw().to_owned())).collect();
    assert_eq!(descriptions[1].as_deref(), Some("Add items and check out"));
    assert_eq!(descriptions[2], None, "a description may be missing");
}

#[test]
fn links_are_relative_or_absolute_and_followed_as_given() {
    let site = parse(SHOP).unwrap();
    let targets: Vec<_> = site.entries().iter().map(|entry| entry.target().unwrap().url().as_str()).collect();
    let expected = [
        "https://shop.example/skills/search/SKILL.md",
        "https://shop.example/skills/order/SKILL.md",
        "https://cdn.example/reviews/SKILL.md",
        "https://shop.example/all.tar.gz",
    ];
    assert_eq!(targets, expected);
    assert!(matches!(site.entries()[2].target(), Ok(WebTarget::SkillMd(_))));
    assert!(matches!(site.entries()[3].target(), Ok(WebTarget::Archive(_))));
}

#[test]
fn both_conventions_are_asked_for_in_their_order() {
    assert_eq!(WebSkills::LOCATIONS, ["/skills.txt", "/agents.txt"]);
    let base = url("https://shop.example/agents.txt");
    let site = WebSkills::parse(b"# A\n\n## B\n\n- [c](agents/c/SKILL.md): d\n", &base).unwrap();
    assert_eq!(site.entries()[0].directory(), Some("c"));
}

#[test]
fn there_is_exactly_one_first_level_heading() {
    refused("## Skills\n\n- [a](b): c\n", Code::IndexInvalid, "line 1: there is no first-level heading");
    refused("# A\n\n# B\n\n## C\n\n- [a](b)\n", Code::IndexInvalid, "line 3: there is a second first-level heading");
    refused("#\n\n## C\n\n- [a](b)\n", Code::IndexInvalid, "line 1: the first-level heading has no text");
    // Headings inside of something are none of the document's.
    assert!(parse("# A\n\n> # B\n\n## C\n\n- [a](b)\n").is_ok());
    assert!(parse("# A\n\n```\n# B\n```\n\n## C\n\n- [a](b)\n").is_ok());
    assert_eq!(parse("A\n===\n\nC\n---\n\n- [a](b)\n").unwrap().name().as_raw(), "A");
}

#[test]
fn there_is_a_section_and_an_entry() {
    refused("# A\n\n- [a](b): c\n", Code::IndexInvalid, "no second-level heading");
    refused("# A\n\n### B\n\n- [a](b): c\n", Code::IndexInvalid, "no second-level heading");
    refused("# A\n\n## B\n\nprose\n", Code::IndexInvalid, "no section has an entry");
    let site = parse("# A\n\n## B\n\n## C\n\n- [a](b)\n\n## D\n").unwrap();
    let codes: Vec<_> = site.findings().iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [Code::IndexSectionEmpty; 2]);
    assert!(site.findings()[0].message.contains("line 3") && site.findings()[1].message.contains("line 9"));
}

#[test]
fn quotation_and_prose_are_optional() {
    let site = parse("# A\n## B\n- [c](d)").unwrap();
    assert!(site.description().is_none() && site.notes().as_raw().is_empty());
}

#[test]
fn only_a_section_called_optional_may_be_passed_over() {
    for (title, optional) in [("Optional", true), ("Optional skills", false), ("Skills", false)] {
        assert_eq!(parse(&format!("# A\n\n## {title}\n\n- [a](b)\n")).unwrap().sections()[0].optional, optional);
    }
}

#[test]
fn entries_have_one_form() {
    for (line, words) in [
        ("- plain text", "there is no link"),
        ("- see [a](b): c", "there is text before the link"),
        ("- [a](b) - c", "there is no colon after the link"),
        ("- [](b): c", "the link has no text"),
        ("- [a](): c", "the link has no address"),
        ("- <https://example.com/x>", "the address has no name"),
        ("1. [a](b): c", "it is numbered"),
        ("- [a][nowhere]: c", "there is no link"),
    ] {
        bad_entry(line, Code::IndexEntryInvalid, words);
    }
    let site = parse("# A\n\n## B\n\n- [a](b): c\n  - [nested](d): e\n").unwrap();
    assert!(site.entries()[0].target().is_ok());
    assert_says(site.entries()[1].target().unwrap_err(), "line 6: `nested : e` is not");
}

#[test]
fn addresses_that_cannot_be_fetched_are_refused_alone() {
    bad_entry("- [a](ftp://example.com/x): c", Code::UrlScheme, "ftp");
    bad_entry("- [a](https://u@example.com/x): c", Code::UrlUserinfo, "");
    bad_entry("- [a](file:///etc/passwd): c", Code::UrlScheme, "file");
    bad_entry("- [a](https://): c", Code::UrlInvalid, "");
}

#[test]
fn a_description_may_hold_links_and_colons() {
    let site = parse("# A\n\n## B\n\n- [`a` b](c): d: [e](f)\n").unwrap();
    let entry = &site.entries()[0];
    assert_eq!((entry.name().as_raw(), entry.description().unwrap().as_raw()), ("a b", "d: e"));
    assert_eq!(entry.reference().as_raw(), "c");
}

#[test]
fn an_entry_is_found_by_its_name_or_by_its_directory() {
    let site = parse(SHOP).unwrap();
    for name in ["Product Search", "search"] {
        assert_eq!(site.find(name).map(skillx_archive::discovery::WebSkill::line).collect::<Vec<_>>(), [11], "{name}");
    }
    assert_eq!(site.find("nothing").count(), 0);
}

#[test]
fn the_document_is_bounded() {
    let long = |bytes: usize| format!("# A\n\n## B\n\n- [a](b): {}", "c".repeat(bytes));
    assert!(parse(&long(50_000)).is_ok());
    refused(&long(52_000), Code::IndexInvalid, "larger than 51200 bytes");
    let many = format!("# A\n\n## B\n\n{}", "- [a](b)\n".repeat(1001));
    refused(&many, Code::IndexInvalid, "more than 1000 entries");
    assert_eq!((WebSkills::MOST_BYTES, WebSkills::MOST_SKILL_MD), (51_200, 102_400));
}

#[test]
fn what_is_no_document_is_named() {
    for page in [
        "<!doctype html><title>x</title>",
        "\n <HTML lang=en>",
        "<!-- made by x -->\n<!DOCTYPE html>",
        "<?xml version=\"1.0\"?>\n<html/>",
        "\u{feff}<head>",
    ] {
        refused(page, Code::HtmlPage, "web page");
    }
    for text in [
        "<!-- generated -->\n",
        "<!-- a -->\n<!-- b\n-->\n\n",
        "<heading-x></heading-x>\n\n",
        "<https://example.com>\n\n",
    ] {
        assert!(parse(&format!("{text}# A\n\n## B\n\n- [a](b)\n")).is_ok(), "{text}");
    }
    refused("<!-- no end", Code::IndexInvalid, "line 1");
    refused("", Code::IndexInvalid, "line 1");
    let error = WebSkills::parse(b"# A\n\xff", &url("https://a.example/")).unwrap_err();
    assert_says(&error, "not UTF-8 (byte 4)");
    assert!(parse("\u{feff}# A\n\n## B\n\n- [a](b)\n").is_ok(), "a byte order mark is passed over");
    assert_eq!(parse("# A\r\n\r\n## B\r\n\r\n- [a](b): c\r\n").unwrap().entries()[0].line(), 5);
}

#[test]
fn nothing_of_a_document_reaches_an_error_raw() {
    bad_entry("- \u{1b}[31m \u{202e} ::error::", Code::IndexEntryInvalid, "\\u{1b}[31m \\u{202e}");
}

#[test]
fn a_skill_of_the_protocol_shows_its_own_keys_without_a_warning() {
    let text = "---\nname: search\ndescription: Finds.\nversion: 1.0.0\nauth: none\nbase_url: https://api.example/v1\n\
        rate_limit:\n  agent: 20/minute\n  api: 100/minute\nauthor: A\napi_version: v1\ncontact: c\nother: 1\n---\n";
    let skill = SkillMd::parse(text.as_bytes()).unwrap();
    let keys = skill.web_keys();
    let shown = |text: &Option<skillx_archive::Untrusted>| text.as_ref().map(|text| text.as_raw().to_owned());
    assert_eq!(shown(&keys.version).as_deref(), Some("1.0.0"));
    assert_eq!(shown(&keys.auth).as_deref(), Some("none"));
    assert_eq!(shown(&keys.base_url).as_deref(), Some("https://api.example/v1"));
    assert_eq!(shown(&keys.rate_limit_agent).as_deref(), Some("20/minute"));
    assert_eq!(shown(&keys.rate_limit_api).as_deref(), Some("100/minute"));
    let codes = |findings: Vec<skillx_archive::Finding>| findings.iter().map(|f| f.message.clone()).collect::<Vec<_>>();
    assert_eq!(codes(skill.web_findings()), ["the frontmatter has the unknown key `other`"]);
}

#[test]
fn a_skill_of_the_protocol_has_a_version() {
    let skill = SkillMd::parse(b"---\nname: a\ndescription: b\n---\n").unwrap();
    let codes: Vec<_> = skill.web_findings().iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [Code::SkillVersionMissing]);
}

#[test]
fn robots_txt_is_respected() {
    let robots =
        Robots::parse(b"User-agent: skillx\nDisallow: /skills/\nAllow: /skills/open/\n\nUser-agent: *\nDisallow: /\n");
    let allows = |path: &str| robots.allows(&url(&format!("https://a.example{path}")));
    assert!(!allows("/skills/search/SKILL.md") && allows("/skills/open/SKILL.md") && allows("/agents/x/SKILL.md"));
    let others = Robots::parse(b"User-agent: Googlebot\nDisallow: /\n");
    assert!(others.allows(&url("https://a.example/skills/x/SKILL.md")));
    let everybody = Robots::parse(b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /*.md$\r\n");
    assert!(!everybody.allows(&url("https://a.example/skills/x/SKILL.md")));
    assert!(everybody.allows(&url("https://a.example/skills/x/SKILL.md?x")));
}

#[test]
fn no_robots_txt_allows_and_an_unreachable_one_forbids() {
    let page = url("https://a.example/skills/x/SKILL.md");
    assert!(Robots::absent().allows(&page) && Robots::parse(b"").allows(&page));
    assert!(!Robots::unreachable().allows(&page));
}

#[test]
fn paths_of_robots_txt_are_compared_percent_encoded() {
    let robots = Robots::parse("User-agent: *\nDisallow: /skills/caf\u{e9}/\n".as_bytes());
    assert!(!robots.allows(&url("https://a.example/skills/caf\u{e9}/SKILL.md")));
    assert!(robots.allows(&url("https://a.example/skills/cafe/SKILL.md")));
}

#[test]
fn a_robots_txt_of_any_shape_is_read_within_bounds() {
    let long_line = format!("User-agent: *\nDisallow: /{}\nDisallow: /b", "\u{e9}x".repeat(20_000));
    assert!(!Robots::parse(long_line.as_bytes()).allows(&url("https://a.example/b")));
    // 500 KiB are read: a rule within them counts, one beyond or cut there does not.
    let beyond = |rule: &str, more: &str| {
        let most = usize::try_from(Robots::MOST_BYTES).unwrap();
        let text = format!("User-agent: *\n{rule}\n");
        format!("{text}{}\n{more}", "#".repeat(most - text.len() - 12))
    };
    let b = url("https://a.example/b");
    assert!(Robots::parse(beyond("Disallow: /c", "Disallow: /b/long").as_bytes()).allows(&b));
    assert!(!Robots::parse(beyond("Disallow: /b", "Disallow: /c/long").as_bytes()).allows(&b));
    let long_url = url(&format!("https://a.example/{}", "x".repeat(3000)));
    assert!(!Robots::parse(b"User-agent: *\nDisallow: /none").allows(&long_url));
    let stars = format!("User-agent: *\nDisallow: /{}", "*a".repeat(4000));
    assert!(Robots::parse(stars.as_bytes()).allows(&url(&format!("https://a.example/{}", "a".repeat(500)))));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400), text in "[#>\\-\\[\\]()`: a\n\r]{0,200}") {
        let base = url("https://a.example/skills.txt");
        let _ = WebSkills::parse(&bytes, &base);
        if let Ok(site) = WebSkills::parse(text.as_bytes(), &base) {
            let lines = text.lines().count();
            prop_assert!(site.entries().iter().all(|entry| (1..=lines.max(1)).contains(&entry.line())));
        }
        let _ = Robots::parse(&bytes).allows(&base);
        let _ = Robots::parse(text.as_bytes()).allows(&base);
    }

    #[test]
    fn entries_come_back_as_they_were_written(names in prop::collection::vec("[A-Za-z][A-Za-z0-9 ]{0,8}[a-z]", 1..8)) {
        let lines: String = names.iter().map(|name| format!("- [{name}](/skills/x/SKILL.md): About {name}\n")).collect();
        let site = parse(&format!("# A\n\n## B\n\n{lines}")).unwrap();
        let found: Vec<_> = site.entries().iter().map(|entry| entry.name().as_raw().to_owned()).collect();
        prop_assert_eq!(found, names);
    }
}
