//! Indexes of Agent Skills Discovery: each rule of versions 0.2.0 and 0.1.0, and what has been seen in the wild.

use serde_json::{Value, json};
use skillx_archive::discovery::{AgentSkills, Offer, Outcome, Version};
use skillx_archive::fetch::{Memory, Rules, Url};
use skillx_archive::site::{EntryStatus, Site, parse_address};

pub(crate) const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const BASE: &str = "https://example.com/.well-known/agent-skills/index.json";

fn digest() -> String {
    format!("sha256:{}", "0a".repeat(32))
}

fn entry(name: &str) -> Value {
    json!({ "name": name, "type": "archive", "description": "Does it.", "url": "a.zip", "digest": digest() })
}

fn index(entries: &[Value]) -> Vec<u8> {
    json!({ "$schema": SCHEMA, "skills": entries }).to_string().into_bytes()
}

fn parse(bytes: &[u8]) -> Result<AgentSkills, (&'static str, String)> {
    let base: Url = BASE.parse().unwrap();
    AgentSkills::parse(bytes, &base).map_err(|error| (error.code().as_str(), error.to_string()))
}

/// The code for each entry; `""`: it can be used.
fn codes(bytes: &[u8]) -> Vec<&'static str> {
    let index = parse(bytes).unwrap();
    index.entries().iter().map(|entry| entry.offer().map_or_else(|error| error.code().as_str(), |_| "")).collect()
}

/// The error for the only entry.
fn error_of(entry: &Value) -> (String, String, String) {
    let parsed = parse(&index(std::slice::from_ref(entry))).unwrap();
    let error = parsed.entries()[0].offer().unwrap_err();
    (error.code().as_str().to_owned(), error.to_string(), error.help().to_owned())
}

#[test]
fn the_schema_is_compared_letter_by_letter() {
    let with = |schema: Value| parse(json!({ "$schema": schema, "skills": [] }).to_string().as_bytes());
    assert_eq!(with(json!(SCHEMA)).unwrap().version(), Version::V0_2_0);
    for other in [
        "https://agentskills.io/schemas/v0.2.0/index.json",
        "https://schemas.agentskills.io/discovery/0.3.0/schema.json",
        "http://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "https://schemas.agentskills.io/discovery/0.2.0/schema.json#",
        "https://SCHEMAS.agentskills.io/discovery/0.2.0/schema.json",
        "",
    ] {
        let (code, text) = with(json!(other)).unwrap_err();
        assert_eq!(code, "index-schema-unknown");
        assert!(text.contains(&format!("line 1, $.$schema: `{other}`")), "{text}");
    }
    for other in [json!(1), json!(null), json!([SCHEMA])] {
        assert_eq!(with(other).unwrap_err().0, "index-invalid");
    }
}

#[test]
fn an_index_without_a_schema_is_version_0_1_0_and_its_files_have_addresses() {
    let bytes = json!({ "skills": [
        { "name": "a", "description": "d", "files": ["SKILL.md", "scripts/a b%.sh"] },
        { "name": "b", "description": "d", "files": ["README.md"] },
        { "name": "c", "description": "d", "files": ["SKILL.md", "../x"] },
        { "name": "d", "description": "d", "files": ["SKILL.md", "/x"] },
        { "name": "e", "description": "d", "files": ["SKILL.md", "x?y"] },
        { "name": "f", "description": "d", "files": ["SKILL.md", { "path": "x", "digest": "" }] },
        { "name": "g", "description": "d", "files": ["SKILL.md", "SKILL.md"] },
        { "name": "h", "description": "d", "files": [] },
        entry("i"),
    ] });
    let parsed = parse(bytes.to_string().as_bytes()).unwrap();
    assert_eq!(parsed.version(), Version::V0_1_0);
    assert_eq!(parsed.findings()[0].code, "index-schema-missing");
    let Ok(Offer::Files(files)) = parsed.entries()[0].offer() else { panic!("files") };
    let found: Vec<_> = files.iter().map(|file| (file.path.as_str(), file.url.as_str())).collect();
    let below = "https://example.com/.well-known/agent-skills/a";
    assert_eq!(
        found,
        [
            ("SKILL.md", format!("{below}/SKILL.md").as_str()),
            ("scripts/a b%.sh", format!("{below}/scripts/a%20b%25.sh").as_str())
        ]
    );
    for entry in &parsed.entries()[1..] {
        assert_eq!(entry.offer().unwrap_err().code(), "index-entry-invalid");
    }
    // What forgot its `$schema` is told so.
    let error = parsed.entries()[8].offer().unwrap_err();
    assert!(error.help().contains("\"$schema\""), "{}", error.help());
    let error = parsed.entries()[5].offer().unwrap_err();
    assert!(error.help().contains("never released"), "{}", error.help());
}

#[test]
fn each_entry_is_judged_alone() {
    let mut unknown = entry("task");
    unknown["type"] = json!("task");
    let mut more = entry("more");
    more["future"] = json!({ "nested": [1, 2] });
    let mut broken = entry("broken");
    broken["digest"] = json!("sha256:0");
    let bytes = index(&[entry("one"), unknown, broken, more, json!(7), json!("x"), json!(null), json!([])]);
    assert_eq!(
        codes(&bytes),
        [
            "",
            "index-type-unknown",
            "index-entry-invalid",
            "",
            "index-entry-invalid",
            "index-entry-invalid",
            "index-entry-invalid",
            "index-entry-invalid"
        ]
    );
    let parsed = parse(&bytes).unwrap();
    assert!(matches!(parsed.entries()[1].outcome(), Outcome::Skipped(_)));
    assert_eq!(parsed.entries()[1].findings()[0].code, "index-type-unknown");
}

#[test]
fn a_name_that_is_there_twice_is_nobodys() {
    let mut bad = entry("pdf");
    bad["digest"] = json!("md5:0");
    let mut task = entry("csv");
    task["type"] = json!("task");
    assert_eq!(
        codes(&index(&[entry("pdf"), entry("one"), bad, entry("csv"), task])),
        ["index-duplicate-name", "", "index-duplicate-name", "", "index-type-unknown"]
    );
}

#[test]
fn every_member_is_required_and_of_its_kind() {
    for member in ["name", "type", "description", "url", "digest"] {
        let mut without = entry("a");
        without.as_object_mut().unwrap().remove(member);
        let (code, text, _) = error_of(&without);
        assert_eq!(code, "index-entry-invalid", "{member}");
        assert!(text.contains(&format!("line 1, $.skills[0].{member}: it is missing")), "{text}");
        for wrong in [json!(1), json!(null), json!([]), json!({}), json!(true), json!(""), json!(" ")] {
            let mut entry = entry("a");
            entry[member] = wrong.clone();
            let (code, text, _) = error_of(&entry);
            let skipped = member == "type" && wrong.is_string();
            assert_eq!(
                code,
                if skipped { "index-type-unknown" } else { "index-entry-invalid" },
                "{member} {wrong}: {text}"
            );
        }
    }
}

/// I10: a name is used as a path, so only the rule's own names get through.
#[test]
fn a_name_outside_the_rule_is_never_a_path() {
    let long = "a".repeat(65);
    for name in [
        "..", ".", "a/b", "a\\b", "/a", "A", "a_b", "-a", "a-", "a--b", "con", "nul", "com1", "a.b", "a b", "ä", "a\0",
        &long,
    ] {
        let (code, text, _) = error_of(&entry(name));
        assert_eq!(code, "skill-name-form", "{name}");
        assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text}");
    }
    for name in ["a", "0", "a-b-c", "console", &"a".repeat(64)] {
        assert_eq!(codes(&index(&[entry(name)])), [""], "{name}");
    }
}

#[test]
fn a_digest_has_one_form() {
    let hex = "0a".repeat(32);
    for (digest, hint) in [
        (hex.clone(), "the prefix `sha256:` is missing"),
        (format!("sha256:{}", hex.to_uppercase()), "lower-case"),
        (format!("SHA256:{hex}"), "lower-case"),
        ("sha256-CgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgo=".to_owned(), "SRI"),
        (format!("sha512:{hex}"), "only sha256"),
        (format!("sha256:{hex}0"), "64 hex digits"),
        (format!("sha256: {hex}"), "64 hex digits"),
        (format!(" sha256:{hex}"), "white space"),
    ] {
        let mut entry = entry("a");
        entry["digest"] = json!(digest);
        let (code, text, _) = error_of(&entry);
        assert_eq!(code, "index-entry-invalid", "{digest}");
        assert!(text.contains("line 1, $.skills[0].digest") && text.contains(hint), "{text}");
    }
}

#[test]
fn what_publishers_write_by_mistake_is_named() {
    let mut renamed = entry("a");
    renamed.as_object_mut().unwrap().remove("digest");
    renamed["sha256"] = json!("0a".repeat(32));
    let (_, text, help) = error_of(&renamed);
    assert!(
        text.contains("`sha256` is not a member of this format") && help.contains("\"digest\": \"sha256:\""),
        "{text}"
    );

    let mut draft = entry("a");
    draft.as_object_mut().unwrap().remove("url");
    draft["files"] = json!([{ "path": "SKILL.md", "digest": "" }]);
    let (_, text, help) = error_of(&draft);
    assert!(text.contains("`files`") && help.contains("another draft"), "{text}: {help}");

    let mut knowledge = entry("a");
    knowledge["type"] = json!("knowledge");
    let (code, text, _) = error_of(&knowledge);
    assert_eq!(code, "index-type-unknown");
    assert!(text.contains("line 1, $.skills[0].type: the type `knowledge` is unknown"), "{text}");

    assert_eq!(parse(b"<!DOCTYPE html><html>").unwrap_err().0, "html-page");
    assert_eq!(parse(b"\n <html>").unwrap_err().0, "html-page");
}

#[test]
fn errors_name_the_line() {
    let text = format!(
        "{{\n  \"$schema\": \"{SCHEMA}\",\n  \"skills\": [\n    {{\n      \"name\": \"a\",\n      \"type\": \"archive\",\n      \"description\": \"d\",\n      \"url\": \"a\",\n      \"digest\": \"x\"\n    }},\n    {{}}\n  ]\n}}"
    );
    let parsed = parse(text.as_bytes()).unwrap();
    let lines: Vec<_> = parsed.entries().iter().map(skillx_archive::discovery::Entry::line).collect();
    assert_eq!(lines, [4, 11]);
    let error = parsed.entries()[0].offer().unwrap_err().to_string();
    assert!(error.starts_with("line 9, $.skills[0].digest: "), "{error}");
    let error = parsed.entries()[1].offer().unwrap_err().to_string();
    assert!(error.starts_with("line 11, $.skills[1].name: "), "{error}");
}

#[test]
fn what_is_no_index_is_refused_whole() {
    let twice = format!(r#"{{"$schema":"{SCHEMA}","skills":[{{"name":"a","x":{{"y":1,"y":2}}}}]}}"#);
    for (bytes, what) in [
        (b"".as_slice(), "cannot be read"),
        (b"[]", "not an object"),
        (b"{", "line 1"),
        (b"{} {}", "trailing"),
        (b"\xff\xfe", "not UTF-8"),
        (b"{\"skills\":{}}", "not an array"),
        (b"{\"a\":1}", "no list `skills`"),
        (br#"{"skills":[],"skills":[]}"#, "the key $.skills is there twice"),
        (twice.as_bytes(), "the key $.skills[0].x.y is there twice"),
    ] {
        let (code, text) = parse(bytes).unwrap_err();
        assert_eq!(code, "index-invalid", "{text}");
        assert!(text.contains(what), "{text}");
    }
    let deep = format!("{{\"skills\":[],\"x\":{}{}}}", "[".repeat(500), "]".repeat(500));
    assert_eq!(parse(deep.as_bytes()).unwrap_err().0, "index-invalid");
}

#[test]
fn the_exact_limits_pass_and_one_more_does_not() {
    let many = |count: usize| index(&(0..count).map(|number| entry(&format!("s{number}"))).collect::<Vec<_>>());
    assert_eq!(parse(&many(1000)).unwrap().entries().len(), 1000);
    assert_eq!(parse(&many(1001)).unwrap_err().0, "index-invalid");
    let mut bytes = index(&[entry("a")]);
    bytes.resize(1 << 20, b' ');
    assert!(parse(&bytes).is_ok());
    bytes.push(b' ');
    assert_eq!(parse(&bytes).unwrap_err().0, "index-invalid");
    // A byte order mark is white space here (RFC 8259, section 8.1).
    assert!(parse(&[b"\xef\xbb\xbf", index(&[]).as_slice()].concat()).is_ok());
    let mut long = entry("a");
    long["description"] = json!("ä".repeat(1025));
    let parsed = parse(&index(&[long])).unwrap();
    assert!(parsed.entries()[0].offer().is_ok());
    assert_eq!(parsed.entries()[0].findings()[0].code, "skill-description-long");
}

#[test]
fn references_resolve_against_the_address_that_the_index_came_from() {
    for (reference, resolved) in [
        ("a.zip", "https://example.com/.well-known/agent-skills/a.zip"),
        ("/a.zip", "https://example.com/a.zip"),
        ("../a.zip?x", "https://example.com/.well-known/a.zip?x"),
        ("https://cdn.example.org/a.zip", "https://cdn.example.org/a.zip"),
        ("file:///etc/passwd", "url-scheme"),
        ("data:,x", "url-scheme"),
        ("https://user@example.com/a", "url-userinfo"),
        ("https://", "url-invalid"),
    ] {
        let mut entry = entry("a");
        entry["url"] = json!(reference);
        let parsed = parse(&index(&[entry])).unwrap();
        let found = match parsed.entries()[0].offer() {
            Ok(Offer::Archive { url, .. }) => url.as_str().to_owned(),
            Ok(_) => panic!("an archive"),
            Err(error) => error.code().as_str().to_owned(),
        };
        assert_eq!(found, resolved, "{reference}");
    }
}

#[test]
fn the_base_is_the_address_after_redirects_and_artifacts_obey_the_rules() {
    let mut web = Memory::default();
    let mut other = entry("other");
    other["url"] = json!("https://cdn.example.org/x.zip");
    let mut inside = entry("inside");
    inside["url"] = json!("https://169.254.169.254/latest");
    let mut plain = entry("plain");
    plain["url"] = json!("http://example.com/x.zip");
    web.page(BASE, 302, &[("location", "https://www.example.com/skills/v2/index.json")], b"");
    let bytes = index(&[entry("a"), other, inside, plain]);
    web.page("https://www.example.com/skills/v2/index.json", 200, &[], &bytes);
    let site = Site::new(&web, Rules::default());
    let report = site.index(&parse_address("example.com").unwrap()).unwrap().report(false);
    let source = report.index.unwrap();
    assert_eq!((source.requested.as_str(), source.redirects.len()), (BASE, 1));
    let found: Vec<_> = report
        .entries
        .iter()
        .map(|entry| {
            let code = entry.error.as_ref().map_or("", |error| error.code().as_str());
            let finding = entry.findings.first().map_or("", |finding| finding.code.as_str());
            (entry.url.as_deref().unwrap(), code, finding)
        })
        .collect();
    assert_eq!(
        found,
        [
            ("https://www.example.com/skills/v2/a.zip", "", ""),
            ("https://cdn.example.org/x.zip", "", "index-other-host"),
            ("https://169.254.169.254/latest", "private-address", "index-other-host"),
            ("http://example.com/x.zip", "url-scheme", "index-other-host"),
        ]
    );
    // An allow-list holds for what an index names, and for where it leads.
    let hosts = |hosts: &[&str]| {
        let mut rules = Rules::default();
        rules.hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        Site::new(&web, rules).index(&parse_address("example.com").unwrap()).map(|listing| {
            listing.report(false).entries.iter().filter(|entry| entry.status == EntryStatus::Usable).count()
        })
    };
    assert_eq!(hosts(&["cdn.example.org"]).unwrap_err().code(), "host-not-allowed");
    assert_eq!(hosts(&["www.example.com"]).unwrap(), 1);
    assert_eq!(hosts(&["www.example.com", "cdn.example.org"]).unwrap(), 2);
}

#[test]
fn an_index_that_gives_nothing_does_not_look_healthy() {
    let report = |bytes: &[u8], unverified: bool| {
        let mut web = Memory::default();
        web.page(BASE, 200, &[("content-type", "application/json")], bytes);
        let site = Site::new(&web, Rules::default());
        let report = site.index(&BASE.parse().unwrap()).unwrap().report(unverified);
        report.error.map_or("", |error| error.code().as_str())
    };
    let mut task = entry("a");
    task["type"] = json!("task");
    let old = json!({ "skills": [{ "name": "a", "description": "d", "files": ["SKILL.md"] }] }).to_string();
    assert_eq!(report(&index(&[]), false), "no-artifact");
    assert_eq!(report(&index(&[task, json!({})]), false), "no-artifact");
    assert_eq!(report(old.as_bytes(), false), "no-artifact");
    assert_eq!(report(old.as_bytes(), true), "");
    assert_eq!(report(&index(&[entry("a")]), false), "");
}

#[test]
fn an_index_at_the_old_place_is_found_and_a_page_is_named() {
    let mut web = Memory::default();
    let old = json!({ "skills": [{ "name": "a", "description": "d", "files": ["SKILL.md"] }] }).to_string();
    web.page("https://example.com/.well-known/skills/index.json", 200, &[], old.as_bytes());
    web.page("https://spa.example/.well-known/agent-skills/index.json", 200, &[("content-type", "text/html")], b"<p>");
    let site = Site::new(&web, Rules::default());
    let listing = site.index(&parse_address("example.com").unwrap()).unwrap();
    assert_eq!(listing.requested().as_str(), "https://example.com/.well-known/skills/index.json");
    assert_eq!(listing.report(false).findings.len(), 2);
    assert_eq!(site.index(&parse_address("spa.example").unwrap()).unwrap_err().code(), "html-page");
    assert_eq!(site.index(&parse_address("nothing.example").unwrap()).unwrap_err().code(), "http-status");
}
