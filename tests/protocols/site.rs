//! One site with all four protocols: each is picked, and each is found when those before it are not there.

use skillx_archive::fetch::{Memory, Rules};
use skillx_archive::site::{EntryStatus, Plan, Protocol, Site, parse_address};
use skillx_archive::{Code, Digest};

const SKILL: &[u8] = b"---\nname: search\ndescription: Finds things.\nversion: 1.0.0\n---\nbody\n";
const TXT: &[u8] = b"# Shop\n\n## Skills\n\n- [Search](/skills/search/SKILL.md): Finds\n- [All](/all.tar.gz)\n";
const V020: &[u8] = br#"{"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": [
    {"name": "search", "type": "skill-md", "description": "d", "url": "s.md", "digest": "sha256:0000000000000000000000000000000000000000000000000000000000000000"}]}"#;
const V010: &[u8] = br#"{"skills": [{"name": "search", "description": "d", "files": ["SKILL.md"]}]}"#;

fn shared(access: &str) -> String {
    format!(
        r#"{{"protocol": {{"version": "1.0.0"}}, "provider": {{"name": "E"}}, "skills": [{{"id": "com.example.a-v1", "name": "A",
        "capability_type": "api", "description": "d", "descriptor_url": "https://other.example/a.json", "access": "{access}", "version": "1"}}]}}"#
    )
}

/// A site with these documents; everything else is 404.
fn site(protocols: &[Protocol]) -> Memory {
    let mut web = Memory::default();
    let mut put = |protocol: Protocol, path: &str, body: &[u8]| {
        let there = protocols.contains(&protocol);
        web.page(
            &format!("https://shop.example{path}"),
            if there { 200 } else { 404 },
            &[],
            if there { body } else { b"" },
        );
    };
    put(Protocol::AgentSkills, "/.well-known/agent-skills/index.json", V020);
    put(Protocol::AgentSkills010, "/.well-known/skills/index.json", V010);
    put(Protocol::WebSkills, "/skills.txt", b"");
    put(Protocol::WebSkills, "/agents.txt", TXT);
    put(Protocol::WebSkills, "/skills/search/SKILL.md", SKILL);
    put(Protocol::SkillSharing, "/.well-known/skill-sharing", shared("public").as_bytes());
    web.page("https://shop.example/robots.txt", 404, &[], b"");
    web.page(
        "https://other.example/a.json",
        200,
        &[],
        br#"{"id": "com.example.a-v1", "endpoint": "https://e.example"}"#,
    );
    // The first convention is not used here.
    web.page("https://shop.example/skills.txt", 404, &[], b"");
    web
}

fn paths(web: &Memory) -> Vec<String> {
    web.asked().iter().map(|asked| asked.url.path().to_owned()).collect()
}

#[test]
fn each_protocol_is_picked() {
    let web = site(&Protocol::ALL);
    let address = parse_address("shop.example").unwrap();
    for protocol in Protocol::ALL {
        let listing = Site::new(&web, Rules::default()).index_by(&address, Some(protocol), None).unwrap();
        assert_eq!(listing.protocol(), protocol);
    }
}

#[test]
fn each_protocol_is_found_when_those_before_it_are_not_there() {
    let address = parse_address("shop.example").unwrap();
    for first in 0..Protocol::ALL.len() {
        let web = site(&Protocol::ALL[first..]);
        let listing = Site::new(&web, Rules::default()).index_by(&address, None, None).unwrap();
        assert_eq!(listing.protocol(), Protocol::ALL[first], "{:?}", paths(&web));
    }
    let web = site(&[]);
    let error = Site::new(&web, Rules::default()).index_by(&address, None, None).unwrap_err();
    assert!(error.code() == Code::HttpStatus && error.to_string().contains("agent-skills"), "{error}");
}

#[test]
fn agents_txt_is_asked_for_after_skills_txt_and_robots_txt_before_both() {
    let web = site(&[Protocol::WebSkills]);
    let address = parse_address("shop.example").unwrap();
    Site::new(&web, Rules::default()).index_by(&address, Some(Protocol::WebSkills), None).unwrap();
    assert_eq!(paths(&web), ["/robots.txt", "/skills.txt", "/agents.txt"]);
}

#[test]
fn robots_txt_keeps_a_skill_from_being_fetched() {
    let mut web = site(&[Protocol::WebSkills]);
    web.page("https://shop.example/robots.txt", 200, &[], b"User-agent: *\nDisallow: /skills/\n");
    let address = parse_address("shop.example").unwrap();
    let listing = Site::new(&web, Rules::default()).index_by(&address, Some(Protocol::WebSkills), None).unwrap();
    assert_eq!(listing.index().entries()[0].offer().unwrap_err().code(), Code::RobotsDenied);
    web.page("https://shop.example/robots.txt", 503, &[], b"");
    let error = Site::new(&web, Rules::default()).index_by(&address, Some(Protocol::WebSkills), None).unwrap_err();
    assert!(error.code() == Code::RobotsUnreachable && error.to_string().contains("cannot be had"), "{error}");
    // An address that is too long to be held against it is refused for that.
    web.page("https://shop.example/robots.txt", 200, &[], b"");
    let text = format!("# S\n\n## A\n\n- [a](/{}/SKILL.md)\n", "x".repeat(2048));
    web.page("https://shop.example/agents.txt", 200, &[], text.as_bytes());
    let listing = Site::new(&web, Rules::default()).index_by(&address, Some(Protocol::WebSkills), None).unwrap();
    let error = listing.index().entries()[0].offer().unwrap_err().clone();
    assert!(error.code() == Code::RobotsDenied && error.to_string().contains("more than 2048 bytes"), "{error}");
}

#[test]
fn a_web_skill_needs_a_digest_or_a_word_that_it_has_none() {
    let web = site(&[Protocol::WebSkills]);
    let site = Site::new(&web, Rules::default());
    let mut listing = site.index_by(&parse_address("shop.example").unwrap(), None, None).unwrap();
    assert_eq!(listing.report(false).entries[0].status, EntryStatus::Unverified);
    assert_eq!(listing.report(false).error.unwrap().code(), Code::NoArtifact);
    let place = tempfile::tempdir().unwrap();
    let mut plan = Plan::new(place.path().join("skills"));
    plan.names = vec!["search".to_owned()];
    let report = site.install(&listing, &plan);
    assert_eq!(report.error.unwrap().code(), Code::DigestMissing);
    plan.allow_unverified = true;
    let report = site.install(&listing, &plan);
    assert!(report.error.is_none(), "{:?}", report.error);
    assert_eq!(std::fs::read(place.path().join("skills/search/SKILL.md")).unwrap(), SKILL);

    plan = Plan::new(place.path().join("other"));
    plan.names = vec!["search".to_owned()];
    listing.promise("search", Digest::from_bytes([0; 32])).unwrap();
    assert_eq!(site.install(&listing, &plan).error.unwrap().code(), Code::DigestMismatch);
    let mut listing = site.index_by(&parse_address("shop.example").unwrap(), None, None).unwrap();
    let digest = skillx_archive::Artifact::from_bytes(SKILL).digest().to_string().parse().unwrap();
    listing.promise("search", digest).unwrap();
    assert!(site.install(&listing, &plan).error.is_none());
    assert_eq!(listing.promise("none", digest).unwrap_err().code(), Code::NoArtifact);
}

#[test]
fn a_shared_skill_is_no_artifact_and_its_descriptor_is_shown() {
    let web = site(&[Protocol::SkillSharing]);
    let site = Site::new(&web, Rules::default());
    let listing =
        site.index_by(&parse_address("shop.example").unwrap(), Some(Protocol::SkillSharing), Some("secret")).unwrap();
    assert_eq!(listing.report(false).entries[0].status, EntryStatus::Service);
    assert!(listing.report(false).error.is_none());
    let place = tempfile::tempdir().unwrap();
    let mut plan = Plan::new(place.path().join("skills"));
    plan.all = true;
    let error = site.install(&listing, &plan).error.unwrap();
    assert_eq!(error.code(), Code::NoArtifact);
    let shown = site.install(&listing, &plan).skills.remove(0).error.unwrap();
    assert!(shown.help().contains("https://e.example"), "{}", shown.help());
    // The token is for the index alone.
    for asked in web.asked() {
        let sent = asked.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        assert_eq!(sent, asked.url.path() == "/.well-known/skill-sharing", "{}", asked.url);
    }
}

#[test]
fn private_skills_are_left_out_of_an_answer_without_credentials() {
    let mut web = site(&[Protocol::SkillSharing]);
    web.page("https://shop.example/.well-known/skill-sharing", 200, &[], shared("private").as_bytes());
    let address = parse_address("shop.example").unwrap();
    let by = Some(Protocol::SkillSharing);
    let listing = |token| Site::new(&web, Rules::default()).index_by(&address, by, token).unwrap();
    assert_eq!(listing(None).index().entries().len(), 0);
    assert_eq!(listing(None).report(false).findings[0].code, Code::IndexEntrySkipped);
    assert_eq!(listing(Some("secret")).index().entries().len(), 1);
}

#[test]
fn a_skill_md_of_web_skills_has_at_most_100_kib() {
    let mut text = SKILL.to_vec();
    text.resize(100 << 10, b'x');
    for (more, code) in [(0, None), (1, Some(Code::LimitArchive))] {
        let mut web = site(&[Protocol::WebSkills]);
        text.resize((100 << 10) + more, b'x');
        web.page("https://shop.example/skills/search/SKILL.md", 200, &[], &text);
        let site = Site::new(&web, Rules::default());
        let listing = site.index_by(&parse_address("shop.example").unwrap(), None, None).unwrap();
        let place = tempfile::tempdir().unwrap();
        let mut plan = Plan::new(place.path().join("skills"));
        (plan.names, plan.allow_unverified) = (vec!["search".to_owned()], true);
        assert_eq!(site.install(&listing, &plan).error.map(|error| error.code()), code);
    }
}

#[test]
fn a_service_is_found_at_the_address_of_its_descriptor_and_in_a_registry() {
    let mut web = site(&[Protocol::SkillSharing]);
    web.page("https://registry.example/skills?type=api", 200, &[], shared("public").as_bytes());
    web.page("https://other.example/none.json", 200, &[], b"{\"name\": \"without an id\"}");
    let by = |address: &str| {
        let address = parse_address(address).unwrap();
        Site::new(&web, Rules::default()).index_by(&address, Some(Protocol::SkillSharing), None)
    };
    for address in ["https://other.example/a.json", "https://registry.example/skills?type=api"] {
        let listing = by(address).unwrap();
        let report = listing.report(false);
        assert_eq!((listing.protocol(), report.entries.len()), (Protocol::SkillSharing, 1), "{address}");
        assert_eq!(report.entries[0].name.as_deref(), Some("com.example.a-v1"));
        assert_eq!(report.entries[0].status, EntryStatus::Service);
    }
    assert_eq!(by("https://other.example/none.json").unwrap_err().code(), Code::IndexInvalid);
}

#[test]
fn authenticated_is_who_was_answered_with_the_token() {
    let mut web = site(&[]);
    let place = "https://shop.example/.well-known/skill-sharing";
    for (to, count) in [("/index.json", 1), ("https://shop.example:443/index.json", 1), ("https://cdn.example/i", 0)] {
        web.page(place, 302, &[("location", to)], b"");
        web.page("https://shop.example/index.json", 200, &[], shared("private").as_bytes());
        web.page("https://cdn.example/i", 200, &[], shared("private").as_bytes());
        let address = parse_address("shop.example").unwrap();
        let site = Site::new(&web, Rules::default());
        let listing = site.index_by(&address, Some(Protocol::SkillSharing), Some("secret")).unwrap();
        assert_eq!(listing.index().entries().len(), count, "{to}");
        let says = listing.report(false).findings.iter().any(|it| it.message.contains("across a redirect"));
        assert_eq!(says, count == 0, "{to}");
    }
    // Not even back: the second hop to the origin carries nothing.
    web.page("https://cdn.example/i", 302, &[("location", "https://shop.example/index.json")], b"");
    let address = parse_address("shop.example").unwrap();
    let site = Site::new(&web, Rules::default());
    let listing = site.index_by(&address, Some(Protocol::SkillSharing), Some("secret")).unwrap();
    assert_eq!(listing.index().entries().len(), 0);
}

#[test]
fn robots_txt_of_another_origin_holds_there() {
    for (rules, code) in [("Disallow: /x/", Some(Code::RobotsDenied)), ("Disallow: /y/", None)] {
        let mut web = site(&[Protocol::WebSkills]);
        web.page("https://shop.example/skills/search/SKILL.md", 302, &[("location", "https://cdn.example/x/s")], b"");
        web.page("https://cdn.example/x/s", 200, &[], SKILL);
        web.page("https://cdn.example/robots.txt", 200, &[], format!("User-agent: *\n{rules}\n").as_bytes());
        let site = Site::new(&web, Rules::default());
        let listing = site.index_by(&parse_address("shop.example").unwrap(), None, None).unwrap();
        let place = tempfile::tempdir().unwrap();
        let mut plan = Plan::new(place.path().join("skills"));
        (plan.names, plan.allow_unverified) = (vec!["search".to_owned()], true);
        assert_eq!(site.install(&listing, &plan).error.map(|error| error.code()), code, "{rules}");
        let asked = web.asked();
        assert_eq!(asked.iter().any(|asked| asked.url.as_str() == "https://cdn.example/x/s"), code.is_none());
        assert_eq!(asked.iter().filter(|asked| asked.url.path() == "/robots.txt").count(), 2, "once for each origin");
    }
}

/// A host that does not answer would hold up what lies elsewhere.
#[test]
fn another_origin_is_asked_for_robots_txt_when_something_is_fetched_from_there() {
    let mut web = site(&[Protocol::WebSkills]);
    let text = "# S\n\n## A\n\n- [search](/skills/search/SKILL.md)\n- [far](https://far.example/far/SKILL.md)\n";
    web.page("https://shop.example/agents.txt", 200, &[], text.as_bytes());
    web.page("https://far.example/robots.txt", 200, &[], b"User-agent: *\nDisallow: /far\n");
    let site = Site::new(&web, Rules::default());
    let listing = site.index_by(&parse_address("shop.example").unwrap(), None, None).unwrap();
    let place = tempfile::tempdir().unwrap();
    let mut plan = Plan::new(place.path().join("skills"));
    plan.allow_unverified = true;
    let mut install = |name: &str| {
        plan.names = vec![name.to_owned()];
        site.install(&listing, &plan).error.map(|error| error.code())
    };
    assert_eq!(install("search"), None);
    let far = |web: &Memory| web.asked().iter().any(|asked| asked.url.host() == "far.example");
    assert!(!far(&web), "{:?}", web.asked());
    assert_eq!(install("far"), Some(Code::RobotsDenied));
    assert!(far(&web) && web.asked().iter().all(|asked| asked.url.path() != "/far/SKILL.md"));
}

#[test]
fn what_the_rules_refuse_is_no_matter_of_robots_txt() {
    let mut web = site(&[Protocol::WebSkills]);
    let text = "# S\n\n## A\n\n- [a](http://shop.example:8000/a/SKILL.md)\n- [b](https://127.0.0.1/b/SKILL.md)\n";
    web.page("https://shop.example/agents.txt", 200, &[], text.as_bytes());
    let listing =
        Site::new(&web, Rules::default()).index_by(&parse_address("shop.example").unwrap(), None, None).unwrap();
    let codes: Vec<_> = listing.index().entries().iter().map(|it| it.offer().unwrap_err().code()).collect();
    assert_eq!(codes, [Code::UrlScheme, Code::PrivateAddress]);
    assert_eq!(web.asked().iter().filter(|asked| asked.url.path() == "/robots.txt").count(), 1);
}

#[test]
fn a_descriptor_is_that_of_the_skill_that_is_listed() {
    let mut web = site(&[Protocol::SkillSharing]);
    web.page("https://other.example/a.json", 200, &[], br#"{"id": "com.example.other-v1"}"#);
    let site = Site::new(&web, Rules::default());
    let listing = site.index_by(&parse_address("shop.example").unwrap(), None, None).unwrap();
    let place = tempfile::tempdir().unwrap();
    let mut plan = Plan::new(place.path().join("skills"));
    plan.all = true;
    let error = site.install(&listing, &plan).error.unwrap();
    assert!(error.code() == Code::IndexEntryInvalid && error.to_string().contains("com.example.other-v1"), "{error}");
}

#[test]
fn no_token_breaks_the_header_it_is_sent_in() {
    let web = site(&[Protocol::SkillSharing]);
    let address = parse_address("shop.example").unwrap();
    for token in ["", "a\r\nhost: b", "a b", "\u{e9}"] {
        let answer = Site::new(&web, Rules::default()).index_by(&address, Some(Protocol::SkillSharing), Some(token));
        assert_eq!(answer.unwrap_err().code(), Code::Usage, "{token:?}");
    }
    assert_eq!(web.asked().len(), 0);
}
