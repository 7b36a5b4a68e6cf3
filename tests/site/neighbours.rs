//! Web Skills and skill sharing by the program, on loopback: the token, robots.txt, what is shown, what is pinned.

use std::io::{Read as _, Write as _};

use serde_json::{Value, json};

use crate::scene::Scene;
use crate::support::carrier::Carrier;
use crate::support::run::{Outcome, observe};
use crate::support::sha256;
use crate::web::{Web, skill};

const SHARED: &str = "/.well-known/skill-sharing";
const KEYS: &str = "---\nname: search\ndescription: Finds\nversion: 1.2.0\nauth: bearer\nbase_url: \"https://a.example/\\e[31m\"\n\
    author: A\napi_version: v1\ncontact: c@example.com\nrate_limit:\n  agent: 20/minute\n  api: 100/minute\n---\nbody\n";

fn shared(id: &str, kind: &str, access: &str) -> Value {
    json!({ "id": id, "name": "A", "capability_type": kind, "description": "d",
        "descriptor_url": "https://127.0.0.1:1/a.json", "access": access, "version": "1" })
}

fn index(version: &str, skills: &[Value]) -> String {
    json!({ "protocol": { "version": version }, "provider": { "name": "P" }, "skills": skills }).to_string()
}

/// The program with a token in its environment.
fn with_token(scene: &Scene, token: &str, args: &[&str]) -> Outcome {
    let mut command = scene.command(args);
    command.arg("--no-cache").env("SKILLX_TOKEN", token);
    observe(command, b"")
}

/// The paths that were asked for with credentials, and these.
fn told(web: &Web) -> Vec<(String, String)> {
    let requests = web.server.requests();
    let with = requests.iter().filter_map(|it| Some((it.path().to_owned(), it.header("authorization")?.to_owned())));
    with.collect()
}

/// A site with these skills.txt and SKILL.md of `search`.
fn web_skills(text: &str) -> Web {
    let web = Web::new();
    web.page("/skills.txt", 200, &[("Content-Type", "text/markdown")], text);
    web.page("/skills/search/SKILL.md", 200, &[("Content-Type", "text/markdown")], KEYS);
    web
}

#[test]
fn a_host_that_is_merely_tried_gets_no_token() {
    let (web, scene) = (Web::new(), Scene::new());
    web.page(SHARED, 200, &[], index("1.0.0", &[shared("com.example.a-v1", "api", "private")]));
    web.page("/skills", 200, &[], index("1.0.0", &[shared("com.example.a-v1", "api", "private")]));
    for args in [
        vec!["index", &web.url()],
        vec!["install", &web.url(), "com.example.a-v1"],
        vec!["index", &web.server.url(SHARED)],
        vec!["index", &web.server.url("/skills")],
    ] {
        let outcome = with_token(&scene, "geheim", &args);
        assert_eq!(told(&web), [], "{args:?}");
        assert!(
            outcome.err().contains("SKILLX_TOKEN was not sent: only --protocol skill-sharing"),
            "{}",
            outcome.err()
        );
    }
    for code in [401, 403] {
        web.page(SHARED, code, &[], "");
        web.page("/skills", code, &[], "");
        for url in [web.url(), web.server.url("/skills")] {
            let outcome = with_token(&scene, "geheim", &["index", &url]);
            assert!(outcome.err().contains("SKILLX_TOKEN was not sent"), "{}", outcome.err());
        }
        assert_eq!(told(&web), []);
    }
    web.page(SHARED, 200, &[], index("1.0.0", &[shared("com.example.a-v1", "api", "private")]));
    let outcome = with_token(&scene, "geheim", &["index", &web.url(), "--protocol", "skill-sharing"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.err());
    assert_eq!(told(&web), [(SHARED.to_owned(), "Bearer geheim".to_owned())]);
    assert!(outcome.out().contains("com.example.a-v1"));
}

#[test]
fn a_token_is_what_a_header_carries() {
    let (web, scene) = (Web::new(), Scene::new());
    web.page(SHARED, 200, &[], index("1.0.0", &[shared("com.example.a-v1", "api", "private")]));
    let args = ["index", &web.url(), "--protocol", "skill-sharing"];
    for token in ["geheim\n", "geheim\r\n", " geheim\t"] {
        assert_eq!(with_token(&scene, token, &args).code, Some(0), "{token:?}");
    }
    assert!(told(&web).iter().all(|(_, sent)| sent == "Bearer geheim") && told(&web).len() == 3);
    for token in ["ge\nheim", "ge heim", "geh\u{e9}im", "geheim\u{1b}[31m"] {
        let outcome = with_token(&scene, token, &args);
        assert_eq!(outcome.code, Some(2), "{token:?}: {}", outcome.err());
        assert!(outcome.err().contains("SKILLX_TOKEN") && !outcome.err().contains("heim"), "{}", outcome.err());
    }
    assert_eq!(told(&web).len(), 3);
    // A token of white space is none.
    assert!(!with_token(&scene, " \n", &args).err().contains("SKILLX_TOKEN is"));
}

#[test]
fn what_a_status_of_robots_txt_means() {
    let scene = Scene::new();
    let web = web_skills("# S\n\n## A\n\n- [search](/skills/search/SKILL.md): d\n");
    let args = ["index", &web.url(), "--protocol", "web-skills", "--allow-unverified", "--no-cache"];
    for status in [400, 401, 403, 404, 410, 418, 429] {
        web.page("/robots.txt", status, &[], "User-agent: *\nDisallow: /\n");
        scene.answers(&args, 0, "");
    }
    for status in [500, 503, 599] {
        web.page("/robots.txt", status, &[], "");
        let answer = scene.answers(&args, 3, "robots-unreachable");
        assert!(answer["error"]["message"].as_str().unwrap().contains("cannot be had"), "{answer:#}");
    }
    // More than is read: what was read counts, and a line that is cut does not.
    let comments = "# comment\n".repeat(60_000);
    for (rules, code) in [
        (format!("User-agent: *\nDisallow: /none\n{comments}Disallow: /\n"), ""),
        (format!("User-agent: *\nDisallow: /skills.txt\n{comments}"), "robots-denied"),
    ] {
        web.page("/robots.txt", 200, &[("Content-Type", "text/plain")], rules);
        let answer = scene.answers(&args, i32::from(!code.is_empty()), code);
        if !code.is_empty() {
            assert!(answer["error"]["message"].as_str().unwrap().contains("does not allow"), "{answer:#}");
        }
    }
}

#[test]
fn robots_txt_holds_for_what_a_redirect_leads_to() {
    let scene = Scene::new();
    let web = web_skills("# S\n\n## A\n\n- [search](/moved/search/SKILL.md): d\n");
    web.page("/robots.txt", 200, &[], "User-agent: *\nDisallow: /skills/\n");
    web.page("/moved/search/SKILL.md", 302, &[("Location", "/skills/search/SKILL.md")], "");
    let before = web.count();
    let digest = sha256(KEYS.as_bytes());
    for more in [vec!["--allow-unverified"], vec!["--digest", digest.as_str()]] {
        let url = web.url();
        let args = [vec!["install", url.as_str(), "search"], more].concat();
        scene.answers(&args, 1, "robots-denied");
    }
    assert!(!web.asked(before).contains(&"/skills/search/SKILL.md".to_owned()));
    // The list itself.
    web.page("/robots.txt", 200, &[], "User-agent: *\nDisallow: /list.md\n");
    web.page("/skills.txt", 302, &[("Location", "/list.md")], "");
    scene.answers(&["index", &web.url(), "--protocol", "web-skills"], 1, "robots-denied");
    assert!(!web.asked(before).contains(&"/list.md".to_owned()));
}

#[test]
fn what_robots_txt_forbids_hides_no_other_protocol() {
    let (web, scene) = (Web::new(), Scene::new());
    web.page("/robots.txt", 200, &[], "User-agent: *\nDisallow: /\n");
    let answer = scene.answers(&["index", &web.url()], 1, "robots-denied");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("(agent-skills: 404, 0.1.0: 404, web-skills: robots-denied, skill-sharing: 404)"),
        "{message}"
    );
    web.page(SHARED, 200, &[], index("1.0.0", &[shared("com.example.a-v1", "api", "public")]));
    let answer = scene.answers(&["index", &web.url()], 0, "");
    assert_eq!(answer["index"]["protocol"], "skill-sharing");
    // A site that answers everything with its page.
    let web = Web::new();
    for path in ["/.well-known/agent-skills/index.json", "/skills.txt", "/agents.txt", SHARED] {
        web.page(path, 200, &[("Content-Type", "text/html")], "<!doctype html>");
    }
    let answer = scene.answers(&["index", &web.url()], 1, "html-page");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("0.1.0: 404, web-skills: a web page, skill-sharing: a web page"), "{message}");
}

/// Storage behind a CDN answers 403 for what it has not.
#[test]
fn a_site_that_denies_what_it_has_not_is_tried_further() {
    let scene = Scene::new();
    for status in [400, 401, 403, 405] {
        let web = web_skills("# S\n\n## A\n\n- [search](/skills/search/SKILL.md): Finds\n");
        for path in ["/robots.txt", "/.well-known/agent-skills/index.json", "/.well-known/skills/index.json", SHARED] {
            web.page(path, status, &[], "denied");
        }
        let answer = scene.answers(&["index", &web.url(), "--allow-unverified"], 0, "");
        assert_eq!(answer["index"]["protocol"], "web-skills", "{status}");
        web.page("/skills.txt", status, &[], "denied");
        let answer = scene.answers(&["index", &web.url()], 3, "http-status");
        let message = answer["error"]["message"].as_str().unwrap();
        let all = format!("(agent-skills: {status}, 0.1.0: {status}, web-skills: {status}, skill-sharing: {status})");
        assert!(message.contains(&all), "{message}");
    }
}

#[test]
fn the_keys_of_web_skills_are_shown_and_not_warned_about() {
    let scene = Scene::new();
    let web = web_skills("# S\n\n## A\n\n- [search](/skills/search/SKILL.md): Finds\n");
    let args = ["install", &web.url(), "search", "--allow-unverified", "--no-cache"];
    let outcome = scene.run(&args);
    assert_eq!(outcome.code, Some(0), "{}", outcome.err());
    assert!(!outcome.err().contains("skill-unknown-key"), "{}", outcome.err());
    for (key, value) in [
        ("version", "1.2.0"),
        ("auth", "bearer"),
        ("base_url", "https://a.example/\\u{1b}[31m"),
        ("author", "A"),
        ("api_version", "v1"),
        ("contact", "c@example.com"),
        ("rate_limit.agent", "20/minute"),
        ("rate_limit.api", "100/minute"),
    ] {
        assert!(outcome.err().contains(&format!("  {key:<16}  {value}\n")), "{key}: {}", outcome.err());
    }
    let answer = scene.answers(&args, 0, "");
    let report = &answer["skills"][0]["report"];
    assert_eq!(report["skill"]["web"]["base_url"], "https://a.example/\u{1b}[31m");
    assert_eq!(report["skill"]["web"]["rate_limit"], json!({ "agent": "20/minute", "api": "100/minute" }));
    assert_eq!(report["findings"], json!([]));
    // Elsewhere they are unknown, whatever an index calls its entries.
    web.page(
        "/.well-known/skills/index.json",
        200,
        &[],
        r#"{"skills": [{"name": "search", "type": "web-skill", "description": "d", "files": ["SKILL.md"]}]}"#,
    );
    web.page("/.well-known/skills/search/SKILL.md", 200, &[], KEYS);
    let answer = scene.answers(&["install", &web.url(), "search", "--allow-unverified", "-d", "other"], 0, "");
    assert!(answer["skills"][0]["report"]["findings"].to_string().contains("skill-unknown-key"), "{answer:#}");
    assert!(answer["skills"][0]["report"]["skill"]["web"].is_null());
}

#[test]
fn what_may_be_passed_over_is_marked() {
    let scene = Scene::new();
    let web = web_skills(
        "# S\n\n## A\n\n- [search](/skills/search/SKILL.md): d\n\n## Optional\n\n- [more](/skills/more/SKILL.md): d\n",
    );
    let outcome = scene.run(&["index", &web.url()]);
    assert!(
        outcome.out().contains("  search - d\n") && outcome.out().contains("  more (optional) - d\n"),
        "{}",
        outcome.out()
    );
    let entries = scene.answers(&["index", &web.url(), "--allow-unverified"], 0, "")["entries"].clone();
    assert_eq!((&entries[0]["section"], &entries[0]["optional"]), (&json!("A"), &Value::Null));
    assert_eq!((&entries[1]["section"], &entries[1]["optional"]), (&json!("Optional"), &json!(true)));
}

#[test]
fn an_archive_that_skills_txt_links_is_installed_with_a_digest_or_without_proof() {
    for (carrier, file, kind) in
        [(Carrier::TarGz, "search.tar.gz", "application/gzip"), (Carrier::Zip, "search.zip", "application/zip")]
    {
        let web = web_skills(&format!("# S\n\n## A\n\n- [Search it](/a/{file}?x=1): Does search.\n"));
        let scene = Scene::new();
        let bytes = carrier.write(&skill("search", Vec::new()));
        web.page(&format!("/a/{file}?x=1"), 200, &[("Content-Type", kind)], &bytes);
        let install = |more: &[&str], exit, code| {
            scene.answers(&[&["install", &web.url(), "search", "--no-cache"], more].concat(), exit, code)
        };
        let listed = scene.answers(&["index", &web.url()], 1, "no-artifact");
        assert_eq!(listed["entries"][0]["status"], "unverified", "{listed:#}");
        install(&[], 2, "digest-missing");
        let answer = install(&["--allow-unverified"], 0, "");
        assert_eq!(answer["skills"][0]["report"]["artifact"]["verified"], false);
        let found = answer["skills"][0]["report"]["findings"].to_string();
        assert!(found.contains("skill-version-missing"), "{answer:#}");
        assert!(scene.path("skills/search/SKILL.md").is_file());
        install(&["--digest", &sha256(b"other"), "-d", "b"], 1, "digest-mismatch");
        let answer = install(&["--digest", &sha256(&bytes), "-d", "b"], 0, "");
        assert_eq!(answer["skills"][0]["report"]["artifact"]["verified"], true);
        // What comes encoded or as a page is none.
        web.page(&format!("/a/{file}?x=1"), 200, &[("Content-Encoding", "br")], &bytes);
        install(&["--allow-unverified", "-d", "c"], 1, "content-encoding");
        web.page(&format!("/a/{file}?x=1"), 200, &[("Content-Type", "text/html")], "<html>");
        install(&["--allow-unverified", "-d", "c"], 1, "html-page");
    }
}

#[test]
fn what_the_lock_pins_is_a_promise() {
    let scene = Scene::new();
    let text = "# S\n\n## A\n\n- [search](/skills/search/SKILL.md): Finds\n- [b](/b.tar.gz): d\n";
    let web = web_skills(text);
    let archive = Carrier::TarGz.write(&skill("b", Vec::new()));
    web.page("/b.tar.gz", 200, &[("Content-Type", "application/gzip")], &archive);
    let url = web.url();
    let locked = |exit, code| scene.answers(&["install", &url, "--locked", "--no-cache"], exit, code);
    // Nothing is pinned: the advice is one that helps.
    let help = |answer: &Value| answer["error"]["help"].as_str().unwrap().to_owned();
    assert!(help(&locked(1, "lock-mismatch")).contains("--digest"));
    scene.answers(&["install", &url, "--all", "--allow-unverified"], 0, "");
    assert!(help(&locked(1, "lock-mismatch")).contains("--digest"));
    for (name, bytes) in [("search", KEYS.as_bytes()), ("b", &archive)] {
        scene.answers(&["install", &url, name, "--digest", &sha256(bytes), "--protocol", "web-skills"], 0, "");
        assert_eq!(locked(0, "")["skills"][0]["status"], "unchanged");
    }
    // A clone has the lock alone.
    std::fs::remove_dir_all(scene.path("skills/search")).unwrap();
    std::fs::remove_dir_all(scene.path("skills/.skillx")).unwrap();
    std::fs::remove_dir_all(scene.path("skills/b")).unwrap();
    let answer = locked(0, "");
    for position in [0, 1] {
        assert_eq!(answer["skills"][position]["status"], "installed", "{answer:#}");
        assert_eq!(answer["skills"][position]["report"]["artifact"]["verified"], true);
    }
    let more = format!("{text}- [new](/skills/new/SKILL.md): d\n");
    web.page("/skills.txt", 200, &[], &more);
    let answer = scene.answers(&["install", &url, "--all", "--locked"], 1, "lock-mismatch");
    assert!(help(&answer).contains("--digest"), "{answer:#}");
    // What no digest can be given for is not advised to be given one.
    let files = r#"{"skills": [{"name": "old", "description": "d", "files": ["SKILL.md", "a.md"]}]}"#;
    web.page("/old/index.json", 200, &[], files);
    let answer = scene.answers(&["install", &web.server.url("/old/index.json"), "old", "--locked"], 1, "lock-mismatch");
    assert!(!help(&answer).contains("--digest"), "{answer:#}");
    web.page("/skills/search/SKILL.md", 200, &[], KEYS.replace("body", "other"));
    std::fs::remove_dir_all(scene.path("skills/search")).unwrap();
    locked(1, "digest-mismatch");
}

#[test]
fn a_registry_is_known_by_what_it_holds_and_a_descriptor_by_its_type() {
    let (web, scene) = (Web::new(), Scene::new());
    let api = shared("com.example.a-v1", "api", "public");
    web.page(
        "/skills?type=api",
        200,
        &[],
        index("1.2.3", &[api.clone(), shared("com.example.b-v1", "task", "public")]),
    );
    let answer = scene.answers(&["index", &web.server.url("/skills?type=api")], 0, "");
    assert_eq!((&answer["index"]["protocol"], &answer["index"]["version"]), (&json!("skill-sharing"), &json!("1.2.3")));
    assert_eq!(answer["entries"][0]["status"], "service");
    // All of the type that was asked for, and nothing else.
    assert_eq!(answer["entries"][1]["status"], "refused");
    assert_eq!(answer["entries"][1]["error"]["code"], "index-entry-invalid");

    web.page("/a.json", 200, &[], r#"{"id": "com.example.a-v1", "capability_type": "api"}"#);
    let answer = scene.answers(&["index", &web.server.url("/a.json")], 0, "");
    assert_eq!(answer["entries"][0]["type"], "descriptor");
    // Any object may have an id.
    web.page("/b.json", 200, &[], r#"{"id": "com.example.a-v1", "name": "x"}"#);
    let answer = scene.answers(&["index", &web.server.url("/b.json")], 1, "index-invalid");
    assert!(answer["error"]["help"].as_str().unwrap().contains("--protocol skill-sharing"), "{answer:#}");
    scene.answers(&["index", &web.server.url("/b.json"), "--protocol", "skill-sharing"], 0, "");
    // A broken index is no descriptor, though it has an id.
    for broken in [
        json!({ "id": "x", "protocol": { "version": "1.0.0" }, "provider": { "name": "P" }, "skills": [api, api] }),
        json!({ "id": "x", "skills": [] }),
        json!({ "id": "x", "protocol": { "version": "1.0.0" } }),
    ] {
        web.page("/c.json", 200, &[], broken.to_string());
        let outcome = scene.run(&["index", &web.server.url("/c.json"), "--protocol", "skill-sharing"]);
        assert_eq!(outcome.code, Some(1), "{broken}: {}", outcome.err());
    }
}

#[test]
fn https_to_a_plain_server_on_this_machine_says_what_to_type() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let typed = format!("127.0.0.1:{}", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let _ = client.read(&mut [0; 4096]);
            let _ = client.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let scene = Scene::new();
    for args in [vec!["index", &typed], vec!["install", &typed, "pdf"]] {
        let outcome = scene.run(&args);
        assert!(outcome.err().contains(&format!("http://{typed}")), "{}", outcome.err());
    }
}

#[test]
fn advice_is_of_the_protocol_that_was_read() {
    let (web, scene) = (Web::new(), Scene::new());
    let large = format!("{{\"a\": \"{}\"}}", "x".repeat(1 << 20));
    for body in ["[]", "{", "{}", &index("2.0", &[]), &index("1.\u{1b}[31m", &[]), &index("1.0.0", &[]), &large] {
        web.page(SHARED, 200, &[], body);
        let outcome = scene.run(&["index", &web.url(), "--protocol", "skill-sharing", "--no-cache"]);
        let shown = outcome.err();
        assert!(outcome.code == Some(1) && !shown.contains("$schema") && !shown.contains("0.2.0"), "{shown}");
    }
    let large = format!("# A\n\n## B\n\n- [a](b): {}", "x".repeat(60 << 10));
    for body in ["", "# A\n", "# A\n\n## B\n", "# A\n\n## B\n\n- a\n", "# A\n\n# B\n", &large] {
        web.page("/skills.txt", 200, &[], body);
        let outcome = scene.run(&["index", &web.url(), "--protocol", "web-skills"]);
        let shown = outcome.err();
        assert!(outcome.code == Some(1) && !shown.contains("$schema") && !shown.contains("digest"), "{shown}");
    }
}
