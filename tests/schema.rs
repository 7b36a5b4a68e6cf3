//! Every JSON line of a broad sample of runs against `docs/schema`: it has to be valid, to hold nothing that the schema
//! does not name, and every member that the schema names has to occur.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)] // Tests look at the file system as it is.

#[cfg(feature = "http")]
#[path = "support/server.rs"]
#[allow(dead_code, unused_imports, unused_qualifications, unreachable_pub)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::disallowed_methods)]
mod server;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use skillx_archive::Code;

use support::carrier::{Carrier, exec, file, hardlink, special, symlink, with_skill};
use support::cases::{self, Bytes};
use support::run::{Outcome, observe};
use support::{Kind, SKILL_MD, sha256, temp_dir};

/// What the schemas name and no run gives yet: it comes with the features that are named.
const NOT_YET: &[&str] = &[];

/// Every schema, by its file.
const SCHEMAS: [&str; 14] = [
    "report",
    "code",
    "codes",
    "receipt",
    "verify",
    "pack",
    "pack-site",
    "plugin",
    "index",
    "install",
    "remove",
    "lock",
    "catalog",
    "show",
];

struct Schemas {
    plain: BTreeMap<String, jsonschema::Validator>,
    strict: BTreeMap<String, jsonschema::Validator>,
}

impl Schemas {
    fn load() -> Self {
        let mut schemas = Self { plain: BTreeMap::new(), strict: BTreeMap::new() };
        for name in SCHEMAS {
            let mut schema = read(name);
            let tag = schema["properties"]["schema"]["const"].as_str().expect("a tag").to_owned();
            schemas.plain.insert(tag.clone(), jsonschema::validator_for(&schema).expect("a JSON schema"));
            close(&mut schema);
            schemas.strict.insert(tag, jsonschema::validator_for(&schema).expect("a JSON schema"));
        }
        schemas
    }

    fn faults(&self, line: &Value) -> Vec<String> {
        let tag = line["schema"].as_str().unwrap_or_default();
        let (Some(plain), Some(strict)) = (self.plain.get(tag), self.strict.get(tag)) else {
            return vec![format!("the schema tag is `{tag}`")];
        };
        let errors = plain.iter_errors(line).chain(strict.iter_errors(line));
        errors.map(|error| format!("{}: {error}", error.instance_path)).collect()
    }
}

fn read(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/schema/{name}.schema.json"));
    serde_json::from_str(&fs::read_to_string(path).expect("the schema is there")).expect("the schema is JSON")
}

/// Readers must ignore what they do not know; this project's own output must hold nothing that is not documented.
fn close(schema: &mut Value) {
    let mut objects = vec![&mut *schema];
    while let Some(object) = objects.pop() {
        let Some(fields) = object.as_object_mut() else { continue };
        if fields.get("type") == Some(&json!("object")) {
            fields.insert("unevaluatedProperties".to_owned(), json!(false));
        }
        if let Some(definitions) = fields.get_mut("$defs").and_then(Value::as_object_mut) {
            objects.extend(definitions.values_mut());
        }
    }
}

/// The lines of a run. Each has to be printable ASCII.
fn lines(outcome: &Outcome) -> Vec<Value> {
    assert_eq!(outcome.dirt(), Vec::<String>::new());
    outcome.out().lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

#[track_caller]
fn assert_valid(schemas: &Schemas, lines: &[Value]) {
    for line in lines {
        assert_eq!(schemas.faults(line), Vec::<String>::new(), "{line:#}");
    }
}

fn skillx(directory: &Path, args: &[&str], stdin: &[u8]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
    command.args(args).current_dir(directory);
    observe(command, stdin)
}

/// Every case of the catalogue that is no giant, through `check`.
fn catalogue(directory: &Path) -> Vec<Value> {
    let mut groups: BTreeMap<Vec<String>, Vec<u8>> = BTreeMap::new();
    let mut count = 0;
    for case in cases::all() {
        let Bytes::Now(bytes) = &case.bytes else { continue };
        let name = format!("{count}.{}", case.format.flag());
        fs::write(directory.join(&name), bytes).unwrap();
        let list = groups.entry(case.args.clone()).or_default();
        list.extend_from_slice(format!("{name}\0").as_bytes());
        count += 1;
    }
    let mut all = Vec::new();
    for (args, list) in groups {
        let fixed = ["check", "--json", "--allow-unverified", "-0", "-j2", "--files-from", "-"];
        let args: Vec<_> = fixed.into_iter().chain(args.iter().map(String::as_str)).collect();
        let outcome = skillx(directory, &args, &list);
        let answers = lines(&outcome);
        let inputs = list.split(|byte| *byte == 0).count() - 1;
        assert_eq!(answers.len(), if outcome.code == Some(2) { 1 } else { inputs }, "{args:?}: {}", outcome.err());
        all.extend(answers);
    }
    all
}

/// Calls of every command, right and wrong, with each kind of end.
#[allow(clippy::too_many_lines, reason = "a list")]
fn calls(directory: &Path) -> Vec<Value> {
    let put = |name: &str, bytes: &[u8]| fs::write(directory.join(name), bytes).unwrap();
    let everything = with_skill(vec![
        exec("run", "x"),
        file(".DS_Store", "noise"),
        hardlink("copy", "run"),
        symlink("link", "run"),
        file("./d//e", ""),
    ]);
    let good = Carrier::TarGz.write(&everything);
    let zip = Carrier::Zip.write(&with_skill(vec![file("a", "x")]));
    let bad = Carrier::TarGz.write(&with_skill(vec![
        file(b"\xff", ""),
        special(Kind::Fifo, "pipe"),
        symlink("l", "/"),
        file("\u{202e}::\n", ""),
    ]));
    let odd = b"---\nname: Odd_Name\ndescription: d\nmore: 1\n---\n";
    put("good.tar.gz", &good);
    put("good.zip", &zip);
    put("magic", &good);
    put("bad.tar.gz", &bad);
    put("odd.tar.gz", &Carrier::TarGz.write(&[file("SKILL.md", odd)]));
    put("side.tar.gz", &good);
    put("side.tar.gz.sha256", sha256(&good).as_bytes());
    put("broken.tar.gz", &good);
    put("broken.tar.gz.sha256", b"no digest");
    fs::create_dir_all(directory.join("folder/full")).unwrap();
    put("folder/SKILL.md", SKILL_MD);
    put("folder/full/x", b"");
    plugin(&directory.join("plugin"));
    shelf(&directory.join("shelf"));
    let digest = sha256(&good);
    let zeros = format!("sha256:{}", "0".repeat(64));
    let go = "--allow-unverified";
    let calls: Vec<Vec<&str>> = vec![
        vec!["verify-extract", "good.tar.gz", "--digest", &digest, "-o", "a"],
        vec!["verify-extract", "good.tar.gz", "--digest", &digest, "-o", "a"],
        vec!["verify-extract", "good.tar.gz", "--digest", &digest, "-o", "a", "--replace", "--fsync"],
        vec!["verify-extract", "good.zip", go],
        vec!["verify-extract", "side.tar.gz", "-o", "b"],
        vec!["verify-extract", "side.tar.gz", "-o", "side.tar.gz"],
        vec!["verify-extract", "broken.tar.gz", "-o", "c"],
        vec!["verify-extract", "good.tar.gz", "-o", "c"],
        vec!["verify-extract", "good.tar.gz", "--digest", &zeros, "-o", "c"],
        vec!["verify-extract", "good.tar.gz", "--digest", "x", "-o", "c"],
        vec!["verify-extract", "bad.tar.gz", go, "-o", "c"],
        vec!["verify-extract", "odd.tar.gz", go],
        vec!["verify-extract", "odd.tar.gz", go, "-o", "c"],
        vec!["verify-extract", "odd.tar.gz", go, "-o", "d", "--deny", "all"],
        vec!["verify-extract", "magic", go, "-o", "e", "--layout", "any", "--links", "keep"],
        vec!["verify-extract", "good.tar.gz", go, "-o", "f", "--links", "deny"],
        vec!["verify-extract", "missing.tar.gz", go],
        vec!["verify-extract", "good.tar.gz", go, "--replace"],
        vec!["check", "good.tar.gz", go, "--format", "tar.gz"],
        vec!["check", "good.tar.gz", go, "--format", "zip"],
        vec!["check", "good.tar.gz", go, "--deny", "skill-bom", "--max-total=1G", "--max-time", "9"],
        vec!["check", "bad.tar.gz", go],
        vec!["check", "odd.tar.gz", go],
        vec!["check", "folder"],
        vec!["check", "folder", "--max-depth", "1"],
        vec!["check", "good.tar.gz", "bad.tar.gz", "folder", "missing", "side.tar.gz", "-j2"],
        vec!["check", "-", go],
        vec!["check"],
        vec!["list", "good.tar.gz", go],
        vec!["list", "bad.tar.gz", go],
        vec!["list", "missing.tar.gz"],
        vec!["verify-extract", "good.tar.gz", "--digest", &digest, "-o", "r", "--receipt", "r.json"],
        vec!["verify", "r", "--receipt", "r.json"],
        vec!["verify", "r"],
        vec!["verify", "edited", "--receipt", "r.json"],
        vec!["verify", "linked", "--receipt", "r.json"],
        vec!["verify", "r", "--receipt", "good.zip"],
        vec!["verify"],
        vec!["catalog", "shelf"],
        vec!["catalog", "shelf", "--prompt", "all"],
        vec!["catalog", "shelf", "--allow-modified"],
        vec!["catalog", "missing"],
        vec!["show", "-d", "shelf", "good"],
        vec!["show", "-d", "shelf", "good", "x.bin"],
        vec!["show", "-d", "shelf", "none"],
        vec!["plugin", "plugin"],
        vec!["plugin", "absent"],
        vec!["plugin", "invalid"],
        vec!["plugin", "invalid-mcp"],
        vec!["plugin", "folder"],
        vec!["plugin", "missing"],
        vec!["check", "plugin", "--layout", "plugin"],
        vec!["explain"],
        vec!["explain", "nothing-of-the-kind"],
        vec!["no-such-command"],
        vec!["check", "good.tar.gz", "--max-file", "0"],
    ];
    let mut all = Vec::new();
    for call in calls {
        if call.contains(&"edited") {
            edited(directory);
            all.push(serde_json::from_slice(&fs::read(directory.join("r.json")).unwrap()).unwrap());
        }
        let answer = lines(&skillx(directory, &[call.as_slice(), &["--json"]].concat(), &good));
        let expected = if call.contains(&"-j2") { 5 } else { 1 };
        assert_eq!(answer.len(), expected, "{call:?}");
        all.extend(answer);
    }
    for code in Code::ALL {
        all.extend(lines(&skillx(directory, &["--json", "explain", code.as_str()], b"")));
    }
    if cfg!(debug_assertions) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
        command.args(["check", "--json", "good.tar.gz"]).current_dir(directory).env("SKILLX_TEST_PANIC", "good.tar.gz");
        all.extend(lines(&observe(command, b"")));
    }
    all
}

/// Downloads: a redirect, the cache, a refusal.
#[cfg(feature = "http")]
fn downloads(directory: &Path) -> Vec<Value> {
    use server::{Client, Request, Server};

    let good = Carrier::TarGz.write(&with_skill(vec![file("a", "x")]));
    let digest = sha256(&good);
    let server = Server::plain(move |request: &Request, client: &mut Client<'_>| match request.path() {
        "/a" => client.answer(302, &[("Location", "/b")], b""),
        _ => client.answer(200, &[("Content-Type", "application/gzip"), ("ETag", "\"1\"")], &good),
    });
    let mut all = Vec::new();
    for args in
        [vec!["--digest", &digest], vec!["--digest", &digest], vec!["--allow-unverified", "--links", "deny"], vec![]]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
        command.args(["check", "--json", &server.url("/a")]).args(args);
        command.env("SKILLX_CACHE_DIR", directory.join("cache"));
        all.extend(lines(&observe(command, b"")));
    }
    all
}

/// A site: every kind of entry and every outcome of an install. The reports inside are answers as well.
#[cfg(feature = "http")]
#[allow(clippy::too_many_lines, reason = "a list")]
fn sites(directory: &Path) -> Vec<Value> {
    use server::{Client, Request, Server};

    let pdf = |more: &str| {
        let text = format!("---\nname: pdf\ndescription: Does {more}.\n---\n");
        Carrier::TarGz.write(&[file("SKILL.md", text), exec("run", more), file(more, "x"), symlink("link", more)])
    };
    let note = b"---\nname: note\ndescription: Notes.\n---\n";
    let index = |digest: &str, etag: &str| {
        let long = "x".repeat(1025);
        let entries = json!([
            { "name": "pdf", "type": "archive", "description": "d", "url": "/moved", "digest": digest },
            { "name": "note", "type": "skill-md", "description": "Notes.", "url": "/note", "digest": sha256(note) },
            { "name": "gone", "type": "archive", "description": "d", "url": "/gone", "digest": digest },
            { "name": "bad", "type": "archive", "description": "d", "url": "/note", "digest": digest },
            { "name": "far", "type": "archive", "description": long, "url": "https://10.0.0.1/x", "digest": digest },
            { "name": "task", "type": "task" },
            7
        ]);
        let schema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
        (json!({ "$schema": schema, "skills": entries }).to_string(), etag.to_owned())
    };
    let (first, second) = (pdf("one"), pdf("two"));
    let now = std::sync::Arc::new(std::sync::Mutex::new((index(&sha256(&first), "\"1\""), first)));
    let shown = std::sync::Arc::clone(&now);
    let old = json!({ "skills": [{ "name": "old", "description": "d", "files": ["SKILL.md"] }] }).to_string();
    let shared = json!({
        "protocol": { "version": "1.0.0" }, "provider": { "name": "A" },
        "skills": [{ "id": "com.example.a-v1", "name": "A", "capability_type": "api", "description": "d",
            "descriptor_url": "https://127.0.0.1:1/a.json", "access": "public", "version": "1" }]
    })
    .to_string();
    let web = b"---\nname: note\ndescription: d\nversion: 1.0.0\nauth: none\nbase_url: https://a.example\nauthor: a\napi_version: v1\n\
        contact: c\nrate_limit:\n  agent: 1/minute\n  api: 2/minute\n---\n";
    let server = Server::plain(move |request: &Request, client: &mut Client<'_>| {
        let ((index, etag), archive) = shown.lock().unwrap().clone();
        match request.path() {
            "/.well-known/agent-skills/index.json" => client.answer(302, &[("Location", "/index.json")], b""),
            "/index.json" if request.header("if-none-match") == Some(&etag) => {
                client.answer(304, &[("ETag", &etag)], b"");
            }
            "/index.json" => client.answer(200, &[("ETag", &etag)], index.as_bytes()),
            "/fresh.json" => client.answer(200, &[("Cache-Control", "max-age=60")], index.as_bytes()),
            "/old/index.json" => client.answer(200, &[], old.as_bytes()),
            "/old/old/SKILL.md" => client.answer(200, &[], b"---\nname: old\ndescription: d\n---\n"),
            "/skills.txt" => client.answer(
                200,
                &[],
                b"# A\n\n## B\n\n- [x](/x.md)\n\n## Optional\n\n- [note](/web/note/SKILL.md): c\n",
            ),
            "/web/note/SKILL.md" => client.answer(200, &[], web),
            "/.well-known/skill-sharing" => client.answer(200, &[], shared.as_bytes()),
            "/moved" => client.answer(302, &[("Location", "/pdf.tar.gz")], b""),
            "/pdf.tar.gz" => client.answer(200, &[("Content-Type", "application/gzip")], &archive),
            "/note" => client.answer(200, &[], note),
            _ => client.answer(404, &[], b""),
        }
    });
    let mut all = Vec::new();
    let mut run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
        command.args(args).arg("--json").current_dir(directory).env("SKILLX_CACHE_DIR", directory.join("site-cache"));
        let answers = lines(&observe(command, b""));
        let reports = answers.iter().flat_map(|answer| answer["skills"].as_array().into_iter().flatten());
        let reports: Vec<_> = reports.map(|skill| skill["report"].clone()).filter(|report| !report.is_null()).collect();
        all.extend(answers.into_iter().chain(reports));
    };
    let (site, fresh, old) = (server.url("/"), server.url("/fresh.json"), server.url("/old/index.json"));
    run(&["index", &site]);
    run(&["index", &site]);
    run(&["index", &fresh]);
    run(&["index", &fresh]);
    run(&["index", &old]);
    run(&["index", &server.url("/note")]);
    run(&["index", &site, "--protocol", "web-skills"]);
    run(&["index", &site, "--protocol", "skill-sharing"]);
    run(&["install", &site, "note", "--protocol", "web-skills", "--allow-unverified", "-d", "web"]);
    run(&["install", &site, "com.example.a-v1", "--protocol", "skill-sharing"]);
    run(&["install", &site]);
    run(&["install", &site, "--all"]);
    run(&["install", &old, "old", "--allow-unverified"]);
    run(&["install", &server.url("/missing"), "--all"]);
    *now.lock().unwrap() = (index(&sha256(&second), "\"2\""), second);
    run(&["install", &site, "pdf", "note", "--locked"]);
    run(&["install", &site, "pdf", "note"]);
    fs::write(directory.join("skills/note/more"), "").unwrap();
    run(&["install", &site, "note"]);
    run(&["remove", "note"]);
    run(&["remove", "pdf"]);
    let file = |path: &str| serde_json::from_slice(&fs::read(directory.join(path)).unwrap()).unwrap();
    all.extend(["skills/skillx.lock", "skills/.skillx/note.json", "skills/.skillx/old.json"].map(file));
    all
}

/// Installed skills: one as it should be, one behind a link, one that is none.
fn shelf(root: &Path) {
    fs::create_dir_all(root.join("good")).unwrap();
    fs::create_dir_all(root.join("bad")).unwrap();
    fs::write(root.join("good/SKILL.md"), "---\nname: good\ndescription: d\n---\nbody\n").unwrap();
    fs::write(root.join("good/x.bin"), b"\xff").unwrap();
    fs::write(root.join("bad/SKILL.md"), "").unwrap();
    fs::create_dir_all(root.join("../store/linked")).unwrap();
    fs::write(root.join("../store/linked/SKILL.md"), "---\nname: linked\ndescription: d\n---\n").unwrap();
    std::os::unix::fs::symlink("../store/linked", root.join("linked")).unwrap();
    installed(root, "verified");
    installed(root, "modified");
    installed(root, "unread");
    fs::write(root.join("modified/SKILL.md"), "---\nname: modified\ndescription: other\n---\n").unwrap();
}

/// A skill with its receipt where an install leaves it.
fn installed(root: &Path, name: &str) {
    use skillx_archive::{Artifact, Options};

    fs::create_dir_all(root.join(".skillx")).unwrap();
    let body = if name == "unread" { "x\n".repeat(10_000) } else { String::new() };
    let skill = format!("---\nname: {name}\ndescription: d\n---\n{body}");
    let options = Options::default().receipt(root.join(format!(".skillx/{name}.json")));
    let artifact = Artifact::from_bytes(Carrier::TarGz.write(&[file("SKILL.md", skill)]));
    let digest = artifact.digest().to_string().parse().unwrap();
    artifact.verify(&digest).unwrap().extract(root.join(name), &options).unwrap();
}

/// A plugin with everything there can be, some of it wrong.
fn plugin(root: &Path) {
    let put = |name: &str, text: &str| {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), text).unwrap();
    };
    let schema =
        |document: &str| format!("\"$schema\": \"https://agent-plugins.org/schemas/1.0.0/{document}.schema.json\"");
    let rest = r#""name": "p", "version": "1", "description": "d", "author": {"name": "a", "email": "e", "url": "u"},
        "homepage": "h", "repository": "r", "license": "l", "keywords": ["k"], "extensions": {"com.example": {}}, "x": 1"#;
    put("plugin.json", &format!("{{{}, {rest}}}", schema("plugin")));
    let servers = r#""s": {"type": "stdio", "command": "npx", "args": ["a"], "env": {"A": "b"}, "cwd": "./x"},
        "h": {"type": "streamable-http", "url": "https://example.com/", "headers": {"A": "b"}},
        "o": {"type": "sse", "url": "https://example.com/"}"#;
    put("mcp.json", &format!("{{{}, \"mcpServers\": {{{servers}}}}}", schema("mcp")));
    put("skills/good/SKILL.md", "---\nname: good\ndescription: d\n---\n");
    put("skills/bad/SKILL.md", "");
    std::os::unix::fs::symlink("/", root.join("out")).unwrap();
    let minimal = format!("{{{}, \"name\": \"q\"}}", schema("plugin"));
    for (name, file) in [("absent", None), ("invalid", Some("skills")), ("invalid-mcp", Some("mcp.json/x"))] {
        let of = |path: &str| format!("../{name}/{path}");
        put(&of("plugin.json"), &minimal);
        file.iter().for_each(|path| put(&of(path), ""));
    }
}

/// `r`, with each kind of change.
fn edited(directory: &Path) {
    fs::rename(directory.join("r"), directory.join("edited")).unwrap();
    std::os::unix::fs::symlink("edited", directory.join("linked")).unwrap();
    let edited = |name: &str| directory.join("edited").join(name);
    fs::write(edited("run"), "y").unwrap();
    fs::remove_file(edited("link")).unwrap();
    std::os::unix::fs::symlink("copy", edited("link")).unwrap();
    fs::set_permissions(edited("copy"), std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    fs::remove_file(edited("d/e")).unwrap();
    fs::write(
        directory.join("edited").join(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"\xff")),
        "",
    )
    .unwrap();
    fs::remove_file(edited("SKILL.md")).unwrap();
    fs::create_dir(edited("SKILL.md")).unwrap();
}

/// `pack` and `pack --site`, with each kind of end.
fn packing(directory: &Path) -> Vec<Value> {
    use std::os::unix::ffi::OsStrExt as _;

    let put = |name: &str, bytes: &[u8]| {
        fs::create_dir_all(directory.join(name).parent().unwrap()).unwrap();
        fs::write(directory.join(name), bytes).unwrap();
    };
    put("demo/SKILL.md", SKILL_MD);
    put("demo/run", b"x");
    put("demo/.skillxignore", b"*.log\n");
    put("demo/a.log", b"");
    put("bad/SKILL.md", b"none");
    put("one/SKILL.md", b"---\nname: one\ndescription: d\n---\n");
    let pycache = directory.join(std::ffi::OsStr::from_bytes(b"demo/\xff.pyc"));
    fs::write(pycache, "").unwrap();
    let mut all = Vec::new();
    let mut run = |call: &[&str]| all.extend(lines(&skillx(directory, &[call, &["--json"]].concat(), b"")));
    let inside = ["pack", "demo", "-o", "demo/demo.zip", "--sidecar", "--index-entry", "--url", "demo.zip"];
    run(&inside);
    run(&inside);
    put("demo/run", b"changed");
    run(&["pack", "demo", "--check", "demo/demo.zip"]);
    run(&["pack", "demo", "-o", "demo/demo.zip"]);
    run(&["pack", "demo", "--check", "demo/demo.zip", "--sidecar"]);
    run(&["pack", "bad"]);
    run(&["pack", "bad", "one"]);
    run(&["pack", "none"]);
    let site = ["pack", "--site", "site", "demo", "one"];
    run(&site);
    run(&site);
    put("demo/more", b"");
    run(&["pack", "--site", "site", "demo"]);
    put("site/.well-known/agent-skills/demo.tar.gz", b"by hand");
    run(&["pack", "--site", "site", "one"]);
    run(&["pack", "--site", "site", "one", "bad"]);
    run(&["pack", "--site", "site", "one", "one"]);
    assert_eq!(all.len(), 14);
    all
}

/// A run that was cancelled on the way.
fn interrupted(directory: &Path) -> Option<Value> {
    let large = Carrier::TarGz.write(&with_skill((0..2000).map(|n| file(format!("f{n}"), vec![7; 4096])).collect()));
    fs::write(directory.join("large.tar.gz"), large).unwrap();
    for attempt in 0..10 {
        let out = format!("large-{attempt}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
        command.args(["verify-extract", "large.tar.gz", "--allow-unverified", "--json", "-o", &out]);
        command.current_dir(directory).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().unwrap();
        let staging = |entry: fs::DirEntry| entry.file_name().to_string_lossy().starts_with(".skillx-");
        while !fs::read_dir(directory).unwrap().flatten().any(staging) && !directory.join(&out).exists() {
            std::thread::sleep(std::time::Duration::from_micros(100));
        }
        let _ = rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT);
        let output = child.wait_with_output().unwrap();
        if output.status.code() == Some(130) {
            return Some(serde_json::from_slice(&output.stdout).expect("one JSON line"));
        }
    }
    None
}

/// Cases: O02-schema.
#[test]
fn every_line_is_valid_and_every_member_that_is_documented_occurs() {
    let schemas = Schemas::load();
    let (first, second) = (temp_dir(), temp_dir());
    let mut all = catalogue(first.path());
    all.extend(calls(second.path()));
    #[cfg(feature = "http")]
    all.extend(downloads(second.path()));
    #[cfg(feature = "http")]
    all.extend(sites(temp_dir().path()));
    all.extend(packing(temp_dir().path()));
    let cancelled = interrupted(second.path()).expect("a run that is slow enough");
    assert_eq!(cancelled["error"]["code"], "cancelled");
    all.push(cancelled);
    assert_valid(&schemas, &all);

    let mut seen = BTreeSet::new();
    all.iter().for_each(|line| note(line["schema"].as_str().unwrap(), line, &mut seen));
    let mut missing = Vec::new();
    for name in SCHEMAS {
        let schema = read(name);
        for place in documented(&schema) {
            if !seen.contains(&place) && !NOT_YET.contains(&place.as_str()) {
                missing.push(place);
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new(), "documented, but no run of the sample gives it");
    let early: Vec<_> = NOT_YET.iter().filter(|place| seen.contains(**place)).collect();
    assert_eq!(early, Vec::<&&str>::new(), "these occur now");
}

/// Notes every member as its name, and every text as `member text`.
fn note(member: &str, value: &Value, seen: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                seen.insert(name.clone());
                note(name, value, seen);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| note(member, item, seen)),
        Value::String(text) => drop(seen.insert(format!("{member} {text}"))),
        _ => {}
    }
}

/// Every member that a schema names, and every text it allows where it lists them.
fn documented(schema: &Value) -> Vec<String> {
    let mut places = Vec::new();
    let mut open = vec![schema];
    while let Some(object) = open.pop() {
        for (name, property) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
            places.push(name.clone());
            let listed = property.get("enum").and_then(Value::as_array).into_iter().flatten();
            places.extend(listed.filter_map(Value::as_str).map(|text| format!("{name} {text}")));
            open.push(property);
        }
        open.extend(object.get("$defs").and_then(Value::as_object).into_iter().flat_map(|defs| defs.values()));
    }
    places
}

/// A pack report is a report and more: with `SKILLX_WRITE_DOCS=1` its schema follows that of reports.
#[test]
fn the_schema_of_packing_has_everything_that_a_report_has() {
    let (report, mut pack) = (read("report"), read("pack"));
    let before = pack.clone();
    for (name, property) in report["properties"].as_object().unwrap() {
        if name != "schema" {
            pack["properties"][name] = property.clone();
        }
    }
    for (name, definition) in report["$defs"].as_object().unwrap() {
        pack["$defs"][name] = definition.clone();
    }
    pack["allOf"] = report["allOf"].clone();
    if std::env::var_os("SKILLX_WRITE_DOCS").is_some() && pack != before {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema/pack.schema.json");
        fs::write(path, serde_json::to_string_pretty(&pack).unwrap() + "\n").unwrap();
    } else {
        assert!(pack == before, "docs/schema/pack.schema.json is behind report.schema.json: SKILLX_WRITE_DOCS=1");
    }
}

#[test]
fn the_schemas_refuse_what_is_no_answer() {
    let schemas = Schemas::load();
    let directory = temp_dir();
    fs::write(directory.path().join("a.tar.gz"), Carrier::TarGz.write(&with_skill(vec![]))).unwrap();
    let good = lines(&skillx(directory.path(), &["check", "a.tar.gz", "--allow-unverified", "--json"], b"")).remove(0);
    assert_valid(&schemas, std::slice::from_ref(&good));
    let changes: [fn(&mut Value); 9] = [
        |line| line["verdict"] = json!("fine"),
        |line| line["schema"] = json!("skillx.report/2"),
        |line| line["artifact"]["sha256"] = json!("e3b0"),
        |line| line["artifact"]["verified"] = json!(true),
        |line| line["entries"][0]["kind"] = json!("hardlink"),
        |line| line["entries"][0]["path_hex"] = json!("ff"),
        |line| line["totals"]["files"] = json!(-1),
        |line| drop(line.as_object_mut().unwrap().remove("error")),
        |line| line["surprise"] = json!(1),
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut line = good.clone();
        change(&mut line);
        assert_ne!(schemas.faults(&line), Vec::<String>::new(), "change {number}");
    }
}
