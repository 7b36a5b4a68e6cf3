//! One site on loopback with all four protocols: each is picked, and each is found when those before it are not there.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::scene::Scene;
use crate::server::{Client, Request, Server};

const TEXT: &str = "# Shop\n\n## Skills\n\n- [Search](/skills/search/SKILL.md): Finds\n";
const V020: &str = r#"{"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": [{"name": "search",
    "type": "skill-md", "description": "d", "url": "/skills/search/SKILL.md",
    "digest": "sha256:0000000000000000000000000000000000000000000000000000000000000000"}]}"#;
const V010: &str = r#"{"skills": [{"name": "search", "description": "d", "files": ["SKILL.md"]}]}"#;
const SHARED: &str = r#"{"protocol": {"version": "1.0.0"}, "provider": {"name": "E"}, "skills": [{"id": "com.example.a-v1",
    "name": "A", "capability_type": "api", "description": "d", "descriptor_url": "https://other.example/a.json",
    "access": "public", "version": "1"}]}"#;

/// In the order in which they are tried: the name of each, where it lies, what stands there, the version that is told.
const PROTOCOLS: [(&str, &str, &str, &str); 4] = [
    ("agent-skills", "/.well-known/agent-skills/index.json", V020, "0.2.0"),
    ("0.1.0", "/.well-known/skills/index.json", V010, "0.1.0"),
    ("web-skills", "/skills.txt", TEXT, "0.1"),
    ("skill-sharing", "/.well-known/skill-sharing", SHARED, "1.0.0"),
];

/// A site on which the first of them are missing.
fn site() -> (Server, Arc<AtomicUsize>) {
    let first = Arc::new(AtomicUsize::new(0));
    let missing = Arc::clone(&first);
    let server = Server::plain(move |request: &Request, client: &mut Client<'_>| {
        let there = PROTOCOLS.iter().skip(missing.load(Ordering::SeqCst)).find(|(_, path, ..)| request.path() == *path);
        match there {
            Some((_, _, text, _)) => client.answer(200, &[], text.as_bytes()),
            None => client.answer(404, &[], b""),
        }
    });
    (server, first)
}

fn answered(report: &Value) -> (Option<&str>, &str) {
    let index = &report["index"];
    (index["protocol"].as_str(), index["version"].as_str().unwrap())
}

#[test]
fn each_protocol_of_a_site_is_picked_and_found() {
    let (server, first) = site();
    let scene = Scene::new();
    let url = server.url("");
    let told = |name: &'static str| (name == "web-skills" || name == "skill-sharing").then_some(name);
    for (name, _, _, version) in PROTOCOLS {
        let outcome = scene.run(&["index", &url, "--protocol", name, "--no-cache", "--json"]);
        assert_eq!(answered(&outcome.json().unwrap()), (told(name), version));
    }
    for (position, (name, _, _, version)) in PROTOCOLS.iter().enumerate() {
        first.store(position, Ordering::SeqCst);
        let outcome = scene.run(&["index", &url, "--no-cache", "--json"]);
        assert_eq!(answered(&outcome.json().unwrap()), (told(name), *version), "the first {position} are missing");
        let outcome = scene.run(&["index", &url, "--no-cache"]);
        assert!(outcome.err().contains(version) && outcome.err().contains(told(name).unwrap_or("agent-skills")));
    }
    first.store(PROTOCOLS.len(), Ordering::SeqCst);
    scene.answers(&["index", &url, "--no-cache"], 3, "http-status");
}
