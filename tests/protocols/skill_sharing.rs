//! Indexes of shared skills: fields, access, types, ids, addresses.

use proptest::prelude::*;
use serde_json::{Value, json};
use skillx_archive::discovery::{Access, CapabilityType, Descriptor, SharedSkill, SkillSharing};
use skillx_archive::{Code, Error};

use super::{assert_says, url};

/// An index with the fields of the chapter's own example, and one skill of each access.
fn example() -> Value {
    let skill = |id: &str, kind: &str, access: &str| {
        json!({
            "id": id, "name": "Translator", "capability_type": kind, "description": "Translates text.",
            "descriptor_url": "https://example.com/skills/translate/descriptor.json", "access": access, "version": "2.1.0"
        })
    };
    json!({
        "protocol": { "version": "1.0.0" },
        "provider": { "name": "Example Corp", "url": "https://example.com" },
        "skills": [
            skill("com.example.translate-v1", "api", "restricted"),
            skill("org.example.facts-v1", "knowledge", "public"),
            skill("io.github.user.review-v2", "task", "private"),
        ]
    })
}

fn parse(index: &Value) -> Result<SkillSharing, Error> {
    SkillSharing::parse(index.to_string().as_bytes())
}

fn ids(index: &SkillSharing) -> Vec<&str> {
    index.skills().iter().map(|skill| skill.id.as_raw()).collect()
}

/// The example with this change is refused as a whole.
#[track_caller]
fn refused(code: Code, words: &str, change: impl FnOnce(&mut Value)) {
    let mut index = example();
    change(&mut index);
    let error = parse(&index).expect_err(words);
    assert_eq!(error.code(), code, "{error}");
    assert_says(&error, words);
}

/// The second entry with this change is refused alone.
#[track_caller]
fn bad_entry(code: Code, words: &str, change: impl FnOnce(&mut Value)) {
    let mut index = example();
    change(&mut index["skills"][1]);
    let index = parse(&index).unwrap_or_else(|error| panic!("{words}: {error}"));
    assert_eq!(index.skills().len(), 2, "{words}");
    assert_eq!(index.refused()[0].code(), code, "{}", index.refused()[0]);
    assert_says(&index.refused()[0], words);
}

#[test]
fn an_index_says_what_it_says() {
    let index = parse(&example()).unwrap();
    assert_eq!(index.protocol().version.as_raw(), "1.0.0");
    assert_eq!(index.provider().name.as_raw(), "Example Corp");
    let first = &index.skills()[0];
    assert_eq!((first.capability_type, first.access), (CapabilityType::Api, Access::Restricted));
    assert_eq!(first.descriptor_url.as_str(), "https://example.com/skills/translate/descriptor.json");
    assert_eq!((first.version.as_raw(), first.name.as_raw()), ("2.1.0", "Translator"));
    assert_eq!((index.refused().len(), index.findings().len()), (0, 0));
}

#[test]
fn what_is_read_is_written_again() {
    let index = parse(&example()).unwrap();
    assert_eq!(serde_json::to_value(&index).unwrap(), example());
}

#[test]
fn the_fields_of_an_index_are_required_and_have_types() {
    for (field, words) in [
        ("protocol", "$.protocol: it is missing"),
        ("provider", "$.provider: it is missing"),
        ("skills", "$.skills: it is missing"),
    ] {
        refused(Code::IndexInvalid, words, |index| drop(index.as_object_mut().unwrap().remove(field)));
    }
    refused(Code::IndexInvalid, "$.protocol: it is a string", |index| index["protocol"] = json!("1.0.0"));
    refused(Code::IndexInvalid, "$.protocol.version: it is missing", |index| index["protocol"] = json!({}));
    refused(Code::IndexInvalid, "$.protocol.version: it is a number", |index| index["protocol"]["version"] = json!(1));
    refused(Code::IndexInvalid, "$.provider.name: it is missing", |index| index["provider"] = json!({}));
    refused(Code::IndexInvalid, "$.provider.name: it is empty", |index| index["provider"]["name"] = json!(" "));
    refused(Code::IndexInvalid, "$.provider.url: it is null", |index| index["provider"]["url"] = json!(null));
    refused(Code::IndexInvalid, "$.skills: it is an object", |index| index["skills"] = json!({}));
    refused(Code::IndexInvalid, "$: it is an array", |index| *index = json!([]));
}

#[test]
fn the_fields_of_an_entry_are_required_and_have_types() {
    for field in ["id", "name", "capability_type", "description", "descriptor_url", "access", "version"] {
        let path = format!("$.skills[1].{field}");
        bad_entry(Code::IndexEntryInvalid, &format!("{path}: it is missing"), |entry| {
            drop(entry.as_object_mut().unwrap().remove(field))
        });
        bad_entry(Code::IndexEntryInvalid, &format!("{path}: it is a number"), |entry| entry[field] = json!(7));
        bad_entry(Code::IndexEntryInvalid, &format!("{path}: it is empty"), |entry| entry[field] = json!(""));
    }
    bad_entry(Code::IndexEntryInvalid, "$.skills[1]: it is a string", |entry| *entry = json!("x"));
    bad_entry(Code::IndexEntryInvalid, "`service` is none of api, knowledge, plugin, task", |entry| {
        entry["capability_type"] = json!("service")
    });
    bad_entry(Code::IndexEntryInvalid, "`Public` is none of private, public, restricted", |entry| {
        entry["access"] = json!("Public")
    });
}

#[test]
fn a_descriptor_has_a_whole_address() {
    for (text, code) in [
        ("/skills/descriptor.json", Code::UrlInvalid),
        ("ftp://example.com/x", Code::UrlScheme),
        ("https://user@example.com/x", Code::UrlUserinfo),
    ] {
        bad_entry(code, "$.skills[1].descriptor_url", |entry| entry["descriptor_url"] = json!(text));
    }
}

#[test]
fn unknown_members_are_ignored() {
    let mut index = example();
    index["extra"] = json!({"a": [1]});
    index["skills"][0]["tags"] = json!(["x"]);
    assert_eq!(parse(&index).unwrap().skills().len(), 3);
}

#[test]
fn another_major_version_is_named() {
    for version in [
        "2.0.0", "0.9", "x", "10.0.0", "1.", ".1", "1..0", "01.0", "1.00", "1.0.0.0", "1.x", "1.0-a", "1.0.0-",
        "1.0.0+", " 1",
    ] {
        refused(Code::IndexSchemaUnknown, &format!("`{version}`"), |index| {
            index["protocol"]["version"] = json!(version)
        });
    }
    refused(Code::IndexSchemaUnknown, r"`1.\u{1b}[31m`", |index| index["protocol"]["version"] = json!("1.\u{1b}[31m"));
    for version in ["1", "1.7", "1.0.0", "1.10.0-draft.1", "1.0.0+b.7", "1.0.0-a+b"] {
        let mut index = example();
        index["protocol"]["version"] = json!(version);
        assert_eq!(parse(&index).unwrap().protocol().version.as_raw(), version);
    }
}

#[test]
fn ids_are_unique() {
    refused(Code::IndexDuplicateId, "$.skills[2].id: `com.example.translate-v1` is the id of $.skills[0]", |index| {
        index["skills"][2]["id"] = json!("com.example.translate-v1");
    });
    // What has no id is like nothing else, whatever ids there are.
    let mut index = example();
    index["skills"][0]["id"] = json!("\u{0}1");
    index["skills"][1] = json!(7);
    index["skills"][2] = json!({ "id": 7 });
    assert_eq!(parse(&index).unwrap().refused().len(), 2);
    // Also those of entries that are refused for something else.
    refused(Code::IndexDuplicateId, "$.skills[1].id", |index| {
        index["skills"][1] = json!({"id": "com.example.translate-v1"});
    });
}

#[test]
fn another_form_of_id_is_worth_saying_and_no_more() {
    for (id, is_recommended) in [
        ("com.example.translate-v1", true),
        ("org.openai.gpt4-v1", true),
        ("io.github.user.code-review-v2", true),
        ("translate", false),
        ("example.translate-v1", false),
        ("com.example.translate", false),
        ("com.example.translate-v", false),
        ("com.example.translate-vx", false),
        ("com..translate-v1", false),
    ] {
        let mut index = example();
        index["skills"][0]["id"] = json!(id);
        let index = parse(&index).unwrap();
        let codes: Vec<_> = index.findings().iter().map(|finding| finding.code).collect();
        assert_eq!(codes, if is_recommended { vec![] } else { vec![Code::IndexIdForm] }, "{id}");
    }
}

#[test]
fn what_is_no_index_is_named_with_its_place() {
    for (text, code, words) in [
        ("", Code::IndexInvalid, "line 1, column 0"),
        ("{\n\"a\": }", Code::IndexInvalid, "line 2, column 6"),
        ("<html>", Code::HtmlPage, "web page"),
        ("{\"protocol\": {\"version\": \"1\"}, \"protocol\": {}}", Code::IndexInvalid, "$.protocol: it is there twice"),
        ("\"\\ud800\"", Code::IndexInvalid, "line 1"),
    ] {
        let error = SkillSharing::parse(text.as_bytes()).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert_says(&error, words);
    }
    let huge = vec![b' '; (1 << 20) + 1];
    assert_says(&SkillSharing::parse(&huge).unwrap_err(), "larger than 1048576 bytes");
    refused(Code::IndexInvalid, "1001 entries", |index| index["skills"] = json!(vec![json!({}); 1001]));
}

#[test]
fn nothing_of_an_index_reaches_an_error_raw() {
    bad_entry(Code::IndexEntryInvalid, r"\u{1b}[31m", |entry| entry["access"] = json!("\u{1b}[31m\u{202e}"));
}

#[test]
fn addresses_are_those_of_the_chapter() {
    let origin = url("https://example.com/some/page?x#y");
    let text = |url: Result<skillx_archive::fetch::Url, Error>| url.unwrap().as_str().to_owned();
    assert_eq!(text(SkillSharing::well_known(&origin, None)), "https://example.com/.well-known/skill-sharing");
    let api = Some(CapabilityType::Api);
    assert_eq!(text(SkillSharing::well_known(&origin, api)), "https://example.com/.well-known/skill-sharing?type=api");
    for registry in ["https://registry.example/v1", "https://registry.example/v1/"] {
        assert_eq!(text(SkillSharing::registry(&url(registry), api)), "https://registry.example/v1/skills?type=api");
    }
}

#[test]
fn a_descriptor_is_any_object() {
    let descriptor =
        Descriptor::parse(br#"{"id": "com.example.x-v1", "endpoint": {"url": "https://e"}, "a": 1, "a": 2}"#).unwrap();
    assert_eq!(descriptor.id().unwrap().as_raw(), "com.example.x-v1");
    assert!(descriptor.text().contains("endpoint") && descriptor.name().is_none());
    for (text, words) in
        [("[]", "an array"), ("{", "line 1"), ("{\"id\": \"a\", \"id\": \"b\"}", "$.id is there twice")]
    {
        assert_says(&Descriptor::parse(text.as_bytes()).unwrap_err(), words);
    }
}

#[test]
fn a_provider_makes_an_index_of_its_own() {
    let skill =
        |id: &str| SharedSkill::new(id, "X", CapabilityType::Task, url("https://e.example/x.json"), Access::Public);
    let index = SkillSharing::new("E", None, vec![skill("com.e.a-v1"), skill("com.e.b-v1")]).unwrap();
    let read = SkillSharing::parse(serde_json::to_string(&index).unwrap().as_bytes()).unwrap();
    assert_eq!(ids(&read), ["com.e.a-v1", "com.e.b-v1"]);
    let twice = SkillSharing::new("E", None, vec![skill("com.e.a-v1"), skill("com.e.a-v1")]);
    assert_eq!(twice.unwrap_err().code(), Code::IndexDuplicateId);
    assert_says(&SkillSharing::new("E", None, vec![skill("")]).unwrap_err(), "$.skills[0].id: it is empty");
    assert_says(&SkillSharing::new("", None, vec![]).unwrap_err(), "$.provider.name: it is empty");
}

fn skills() -> impl Strategy<Value = Vec<SharedSkill>> {
    let skill = (0..4_usize, 0..3_usize);
    prop::collection::vec(skill, 0..20).prop_map(|kinds| {
        let skill = |(number, (kind, access)): (usize, (usize, usize))| {
            let id = format!("com.example.s{number}-v1");
            let address = url("https://example.com/d.json");
            SharedSkill::new(&id, "S", CapabilityType::ALL[kind], address, Access::ALL[access])
        };
        kinds.into_iter().enumerate().map(skill).collect()
    })
}

proptest! {
    #[test]
    fn a_filter_gives_all_of_the_type_and_nothing_else(skills in skills(), kind in 0..4_usize) {
        let kind = CapabilityType::ALL[kind];
        let index = SkillSharing::new("E", None, skills.clone()).unwrap();
        let found = index.filter(kind);
        prop_assert!(found.skills().iter().all(|skill| skill.capability_type == kind));
        let expected: Vec<_> = skills.iter().filter(|skill| skill.capability_type == kind).cloned().collect();
        prop_assert_eq!(found.skills(), &expected[..]);
        prop_assert!(found.validate().is_ok());
    }

    #[test]
    fn a_filter_never_changes_who_may_see_a_skill(skills in skills(), kind in 0..4_usize, authenticated: bool) {
        let kind = CapabilityType::ALL[kind];
        let index = SkillSharing::new("E", None, skills).unwrap();
        let (first, second) = (index.filter(kind).visible_to(authenticated), index.visible_to(authenticated).filter(kind));
        prop_assert_eq!(first.skills(), second.skills());
    }

    #[test]
    fn private_skills_are_seen_only_by_those_who_are_authenticated(skills in skills()) {
        let index = SkillSharing::new("E", None, skills.clone()).unwrap();
        let all = index.visible_to(true);
        prop_assert_eq!(all.skills(), &skills[..]);
        let seen = index.visible_to(false);
        let expected: Vec<_> = skills.iter().filter(|skill| skill.access != Access::Private).cloned().collect();
        prop_assert_eq!(seen.skills(), &expected[..]);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = SkillSharing::parse(&bytes);
        let _ = Descriptor::parse(&bytes);
    }
}
