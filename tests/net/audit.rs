//! `skillx check URL` of a site: every entry told, nothing installed, and no healthy look where a client gets nothing.

use serde_json::{Value, json};

use crate::cli::{Scene, demo};
use crate::server::{Client, Request, Server};
use crate::support::carrier::{Carrier, file, with_skill};
use crate::support::{SKILL_MD, sha256};

const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const WELL_KNOWN: &str = "/.well-known/agent-skills/index.json";

fn entry(name: &str, kind: &str, at: &str, digest: &str) -> Value {
    json!({ "name": name, "type": kind, "description": "d", "url": at, "digest": digest })
}

/// An archive whose skill has this name.
fn archive(name: &str) -> Vec<u8> {
    let text = format!("---\nname: {name}\ndescription: d\n---\n");
    Carrier::TarGz.write(&[file("SKILL.md", text), file("a", "a")])
}

/// A site with this index and a few artifacts beside it.
fn site(index: Value) -> Server {
    let index = index.to_string();
    Server::plain(move |request: &Request, client: &mut Client<'_>| match request.path() {
        WELL_KNOWN => client.answer(
            200,
            &[("Content-Type", "application/json"), ("Cache-Control", "max-age=3600")],
            index.as_bytes(),
        ),
        "/demo.tar.gz" => client.answer(200, &[("Content-Type", "application/gzip")], &demo()),
        "/moved.tar.gz" => client.answer(302, &[("Location", "/demo.tar.gz")], b""),
        "/odd.tar.gz" => client.answer(200, &[("Content-Type", "text/x-odd")], &archive("odd")),
        "/SKILL.md" => client.answer(200, &[("Content-Type", "text/markdown")], SKILL_MD),
        "/evil.tar.gz" => client.answer(200, &[], &Carrier::TarGz.write(&with_skill(vec![file("../x", "x")]))),
        "/page.tar.gz" => client.answer(200, &[("Content-Type", "text/html")], b"<!doctype html>"),
        _ => client.answer(404, &[], b""),
    })
}

fn index(entries: &[Value]) -> Value {
    json!({ "$schema": SCHEMA, "skills": entries })
}

/// Runs the audit; checks the line against its schema.
#[track_caller]
fn audit(scene: &Scene, address: &str, args: &[&str], exit: i32, code: &str) -> Value {
    let report = scene.answers(&[&["check", address], args].concat(), exit, code);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/schema/audit.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let faults: Vec<_> =
        jsonschema::validator_for(&schema).unwrap().iter_errors(&report).map(|e| e.to_string()).collect();
    assert_eq!(faults, Vec::<String>::new(), "{report:#}");
    let known = schema["$defs"]["entry"]["properties"].as_object().unwrap();
    for entry in report["entries"].as_array().unwrap() {
        assert!(entry.as_object().unwrap().keys().all(|key| known.contains_key(key)), "{entry:#}");
    }
    report
}

#[test]
fn an_audit_tells_each_entry_and_installs_nothing() {
    let scene = Scene::new();
    let good = sha256(&demo());
    let server = site(index(&[
        entry("demo", "archive", "/moved.tar.gz", &good),
        entry("odd", "archive", "/odd.tar.gz", &sha256(&archive("odd"))),
        entry("task", "task", "/x", &good),
    ]));
    let report = audit(&scene, &server.url("/"), &["-j2"], 0, "");
    assert_eq!(report["verdict"], "accepted");
    assert_eq!(report["index"]["url"], server.url(WELL_KNOWN).as_str());
    let entries = report["entries"].as_array().unwrap();
    let statuses: Vec<_> = entries.iter().map(|entry| entry["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["usable", "usable", "skipped"]);
    let first = &entries[0];
    assert_eq!((&first["sha256"], &first["format"]), (&json!(good), &json!("tar.gz")));
    assert_eq!(first["skill"]["name"], "demo");
    assert_eq!(first["download"]["content_type"], "application/gzip");
    assert_eq!(first["download"]["redirects"], json!([server.url("/demo.tar.gz")]));
    let codes: Vec<_> =
        entries[1]["findings"].as_array().unwrap().iter().map(|finding| finding["code"].clone()).collect();
    assert!(codes.contains(&json!("content-type-odd")), "{codes:?}");
    // Nothing is there afterwards, not even a cache; and a second audit asks the server again.
    assert_eq!(std::fs::read_dir(scene.path("")).unwrap().count(), 0);
    let asked = server.requests().len();
    audit(&scene, &server.url(WELL_KNOWN), &[], 0, "");
    assert_eq!(server.requests().len(), 2 * asked);
}

#[test]
fn an_audit_tells_how_a_single_file_was_sent() {
    let server = Server::plain(|request: &Request, client: &mut Client<'_>| match request.path() {
        WELL_KNOWN => {
            let skills = [entry("demo", "skill-md", "/moved.md", &sha256(SKILL_MD))];
            client.answer(200, &[], index(&skills).to_string().as_bytes());
        }
        "/moved.md" => client.answer(302, &[("Location", "/SKILL.md")], b""),
        _ => client.answer(200, &[("Content-Type", "application/octet-stream")], SKILL_MD),
    });
    let report = audit(&Scene::new(), &server.url(""), &[], 0, "");
    let download = &report["entries"][0]["download"];
    assert_eq!(download["content_type"], "application/octet-stream", "{report:#}");
    assert_eq!(download["redirects"].as_array().map(Vec::len), Some(1), "{report:#}");
    assert_eq!(report["entries"][0]["findings"][0]["code"], "content-type-odd", "{report:#}");
    // And of one that is not what was promised.
    let wrong = site(index(&[entry("demo", "archive", "/moved.tar.gz", &sha256(b"other"))]));
    let report = audit(&Scene::new(), &wrong.url(""), &[], 1, "no-artifact");
    let download = &report["entries"][0]["download"];
    assert_eq!(download["content_type"], "application/gzip", "{report:#}");
    assert_eq!(download["redirects"].as_array().map(Vec::len), Some(1), "{report:#}");
}

#[test]
fn an_audit_fails_when_any_entry_fails() {
    let (scene, good) = (Scene::new(), sha256(&demo()));
    let other = sha256(b"other");
    for (bad, status, code) in [
        (entry("demo2", "archive", "/demo.tar.gz", &other), "refused", "digest-mismatch"),
        (entry("demo2", "archive", "/demo.tar.gz", &good), "refused", "skill-name-mismatch"),
        (entry("gone", "archive", "/gone.tar.gz", &good), "failed", "http-status"),
        (entry("page", "archive", "/page.tar.gz", &good), "refused", "html-page"),
        (entry("private", "archive", "https://10.0.0.1/x.zip", &good), "refused", "private-address"),
        (entry("plain", "archive", "http://example.com/x.zip", &good), "refused", "url-scheme"),
        (entry("user", "archive", "https://a@example.com/x.zip", &good), "refused", "url-userinfo"),
        (entry("syntax", "archive", "/demo.tar.gz", "sha256-abc"), "refused", "index-entry-invalid"),
        (
            entry(
                "evil",
                "archive",
                "/evil.tar.gz",
                &sha256(&Carrier::TarGz.write(&with_skill(vec![file("../x", "x")]))),
            ),
            "refused",
            "path-traversal",
        ),
    ] {
        let server = site(index(&[entry("demo", "archive", "/demo.tar.gz", &good), bad.clone()]));
        let report = audit(&scene, &server.url("/"), &[], 1, "entry-unusable");
        let judged = &report["entries"][1];
        assert_eq!((&judged["status"], &judged["error"]["code"]), (&json!(status), &json!(code)), "{bad}");
        assert_eq!(report["entries"][0]["status"], "usable");
        let outcome = scene.run(&["check", &server.url("/")]);
        assert_eq!(outcome.code, Some(1));
        assert!(outcome.err().contains(&format!("error[{code}]")), "{}", outcome.err());
        assert_eq!((outcome.dirt(), outcome.ci_commands()), (Vec::new(), Vec::new()));
    }
}

#[test]
fn an_audit_fails_when_nothing_can_be_used() {
    let (scene, good) = (Scene::new(), sha256(&demo()));
    for entries in [
        vec![],
        vec![entry("task", "task", "/x", &good)],
        vec![entry("gone", "archive", "/gone.tar.gz", &good)],
        vec![json!({ "name": "demo" }), json!(7)],
    ] {
        let server = site(index(&entries));
        audit(&scene, &server.url("/"), &[], 1, "no-artifact");
    }
    // Version 0.1.0 has no digests: usable only for those who say so.
    let old = json!({ "skills": [{ "name": "demo", "description": "d", "files": ["SKILL.md"] }] });
    let old = old.to_string();
    let server = Server::plain(move |request: &Request, client: &mut Client<'_>| match request.path() {
        "/.well-known/skills/index.json" => client.answer(200, &[("Content-Type", "application/json")], old.as_bytes()),
        "/.well-known/skills/demo/SKILL.md" => client.answer(200, &[("Content-Type", "text/markdown")], SKILL_MD),
        _ => client.answer(404, &[], b""),
    });
    let report = audit(&scene, &server.url("/"), &[], 1, "no-artifact");
    assert_eq!(report["entries"][0]["status"], "unverified");
    audit(&scene, &server.url("/"), &["--allow-unverified"], 0, "");
}

#[test]
fn an_audit_of_a_site_without_an_index_is_a_failure_that_says_why() {
    let scene = Scene::new();
    let server = Server::plain(|_: &Request, client: &mut Client<'_>| client.answer(404, &[], b""));
    let report = audit(&scene, &server.url("/"), &[], 3, "http-status");
    assert_eq!(report["index"], Value::Null);
    let server = Server::plain(|_: &Request, client: &mut Client<'_>| {
        client.answer(200, &[("Content-Type", "text/html")], b"<html>")
    });
    audit(&scene, &server.url("/"), &[], 1, "html-page");
    audit(&scene, "https://10.0.0.1/", &[], 1, "private-address");
    let server = site(json!({ "$schema": "https://example.com/other", "skills": [] }));
    audit(&scene, &server.url("/"), &[], 1, "index-schema-unknown");
}

#[test]
fn n03_an_index_from_elsewhere_cannot_name_the_typed_loopback_server() {
    // The well-known address redirects to another origin; what its index names on the first is not fetched.
    let (scene, good) = (Scene::new(), sha256(&demo()));
    let first = site(index(&[]));
    let entries = index(&[entry("demo", "archive", &first.url("/demo.tar.gz"), &good)]);
    let other = site(entries);
    let target = other.url_as("localhost", WELL_KNOWN);
    let start =
        Server::plain(move |_: &Request, client: &mut Client<'_>| client.answer(302, &[("Location", &target)], b""));
    let report = audit(&scene, &start.url("/"), &["--allow-http", "--allow-private=localhost"], 1, "no-artifact");
    assert_eq!(report["entries"][0]["error"]["code"], "private-address");
    assert_eq!(first.connections(), 0);
}
