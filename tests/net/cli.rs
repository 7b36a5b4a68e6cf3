//! Downloads by the program: the main way, digests, the cache, flags, and what a person is told.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::server::{Authority, Client, Request, Server};
use crate::support::carrier::{Carrier, file, with_skill};
use crate::support::run::{Outcome, observe};
use crate::support::{sha256, temp_dir};

pub(crate) struct Scene(tempfile::TempDir);

impl Scene {
    pub(crate) fn new() -> Self {
        Self(temp_dir())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
        command.args(args).current_dir(self.0.path()).env("SKILLX_CACHE_DIR", self.path("cache"));
        // None of these is asked.
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
            command.env(name, "http://127.0.0.1:1");
        }
        observe(command, b"")
    }

    /// With `--json`: exit code and error code have to be these.
    #[track_caller]
    pub(crate) fn answers(&self, args: &[&str], exit: i32, code: &str) -> Value {
        let outcome = self.run(&[args, &["--json"]].concat());
        let report = outcome.json().unwrap_or_else(|error| panic!("{error}: {}", outcome.err()));
        assert_eq!(report["error"]["code"].as_str().unwrap_or_default(), code, "{report:#}");
        assert_eq!(outcome.code, Some(exit), "{report:#}");
        assert_eq!(outcome.dirt(), Vec::<String>::new());
        report
    }

    fn cached(&self) -> Vec<PathBuf> {
        let shelf = std::fs::read_dir(self.path("cache/sha256"));
        shelf.into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
    }
}

pub(crate) fn demo() -> Vec<u8> {
    Carrier::TarGz.write(&with_skill(vec![file("a.txt", "a")]))
}

/// `/demo.tar.gz` and `/demo` with a type, `/moved` leads there, `/page` is a web page.
fn site() -> Server {
    let bytes = demo();
    Server::plain(move |request: &Request, client: &mut Client<'_>| match request.path() {
        "/demo.tar.gz" => client.answer(200, &[("Content-Type", "application/octet-stream")], &bytes),
        "/demo" => client.answer(200, &[("Content-Type", "application/gzip"), ("ETag", "\"1\"")], &bytes),
        "/demo.zip" => client.answer(200, &[], &bytes),
        "/wrong" => client.answer(200, &[("Content-Type", "application/zip")], &bytes),
        "/moved" => client.answer(302, &[("Location", "/demo")], b""),
        "/page" => client.answer(200, &[("Content-Type", "text/html")], b"<!doctype html>\x1b[31m::error::"),
        _ => client.answer(404, &[], b"nothing here"),
    })
}

#[test]
fn verify_extract_from_an_address() {
    let (scene, site, digest) = (Scene::new(), site(), sha256(&demo()));
    let address = site.url("/demo.tar.gz");
    let report = scene.answers(&["verify-extract", &address, "--digest", &digest], 0, "");
    assert_eq!(report["output"], "demo");
    assert_eq!(report["artifact"]["source"], address.as_str());
    assert_eq!(report["artifact"]["verified"], true);
    assert_eq!(report["artifact"]["digest_source"], "flag");
    assert_eq!(report["artifact"]["format_source"], "extension");
    assert_eq!(report["artifact"]["download"]["url"], address.as_str());
    assert_eq!(report["artifact"]["download"]["cached"], false);
    assert_eq!(std::fs::read(scene.path("demo/a.txt")).unwrap(), b"a");

    let report =
        scene.answers(&["verify-extract", &site.url("/moved"), "--digest", &digest, "-o", "x", "--no-cache"], 0, "");
    assert_eq!(report["artifact"]["source"], site.url("/moved").as_str());
    assert_eq!(report["artifact"]["format_source"], "content-type");
    assert_eq!(report["artifact"]["download"]["url"], site.url("/demo").as_str());
    assert_eq!(report["artifact"]["download"]["redirects"], serde_json::json!([site.url("/demo")]));
    assert_eq!(report["artifact"]["download"]["etag"], "\"1\"");
    for command in ["check", "list"] {
        let report = scene.answers(&[command, &site.url("/demo"), "--digest", &digest], 0, "");
        assert_eq!(report["skill"]["name"], "demo");
    }
}

#[test]
fn what_is_declared_has_to_agree_with_the_bytes() {
    let (scene, site, digest) = (Scene::new(), site(), sha256(&demo()));
    let get = |path: &str, more: &[&str], exit, code: &str| {
        let address = site.url(path);
        let args = [&["check", address.as_str(), "--no-cache", "--digest", digest.as_str()], more].concat();
        scene.answers(&args, exit, code)
    };
    get("/wrong", &[], 1, "format-mismatch");
    get("/demo.zip", &[], 1, "format-mismatch");
    let report = get("/wrong", &["--format", "tar.gz"], 0, "");
    assert_eq!(report["artifact"]["format_source"], "flag");
    get("/demo", &["--format", "zip"], 1, "format-mismatch");
}

#[test]
fn a_digest_is_asked_for_and_no_sidecar_is_fetched() {
    let (scene, site) = (Scene::new(), site());
    let address = site.url("/demo.tar.gz");
    let report = scene.answers(&["verify-extract", &address], 2, "digest-missing");
    let help = report["error"]["help"].as_str().unwrap();
    assert!(help.contains(&sha256(&demo())) && !help.contains("sha256sum"), "{help}");
    assert!(site.requests().iter().all(|request| request.path() == "/demo.tar.gz"), "{:?}", site.requests());
    let report = scene.answers(&["verify-extract", &address, "--allow-unverified"], 0, "");
    assert_eq!(report["artifact"]["verified"], false);
    assert_eq!(scene.cached(), Vec::<PathBuf>::new(), "what nothing proves is not kept");
    let wrong = format!("sha256:{}", "0".repeat(64));
    let report = scene.answers(&["verify-extract", &address, "--digest", &wrong, "-o", "n"], 1, "digest-mismatch");
    assert_eq!(report["artifact"]["sha256"], sha256(&demo()).as_str());
    assert!(!scene.path("n").exists());
    scene.answers(&["verify-extract", &address, "--digest", "nonsense"], 2, "digest-syntax");
}

/// Cases: D09-cache.
#[test]
fn d09_the_cache_saves_a_download_and_is_never_believed() {
    let (scene, site, digest) = (Scene::new(), site(), sha256(&demo()));
    let address = site.url("/demo.tar.gz");
    let check = |exit, code| scene.answers(&["check", &address, "--digest", &digest], exit, code);
    check(0, "");
    assert_eq!((site.requests().len(), scene.cached().len()), (1, 1));
    let report = check(0, "");
    assert_eq!(site.requests().len(), 1);
    assert_eq!(report["artifact"]["download"]["cached"], true);
    assert_eq!(report["artifact"]["source"], address.as_str());
    // Poisoned: thrown away, downloaded again, put right.
    std::fs::write(&scene.cached()[0], b"poison").unwrap();
    let report = check(0, "");
    assert_eq!(site.requests().len(), 2);
    assert_eq!(report["artifact"]["download"]["cached"], false);
    assert_eq!(std::fs::read(&scene.cached()[0]).unwrap(), demo());
    scene.answers(&["check", &address, "--digest", &digest, "--no-cache"], 0, "");
    assert_eq!(site.requests().len(), 3);
    // What may not be fetched is not taken from the cache either.
    scene.answers(&["check", "http://example.com/demo.tar.gz", "--digest", &digest], 1, "url-scheme");
    scene.answers(&["check", "https://10.0.0.1/demo.tar.gz", "--digest", &digest], 1, "private-address");
}

#[test]
fn d10_a_web_page_is_named_and_shown_harmlessly() {
    let (scene, site) = (Scene::new(), site());
    let address = site.url("/page");
    for args in [&["--digest", &sha256(b"x")][..], &[], &["--allow-unverified"]] {
        scene.answers(&[&["verify-extract", address.as_str()], args].concat(), 1, "html-page");
    }
    let outcome = scene.run(&["verify-extract", &address]);
    assert_eq!((outcome.dirt(), outcome.ci_commands()), (Vec::new(), Vec::new()));
    assert!(outcome.err().contains("error[html-page]"), "{}", outcome.err());
}

#[test]
fn n01_n03_n04_addresses_that_are_refused_when_typed() {
    let scene = Scene::new();
    for (address, code) in [
        ("http://example.com/x.zip", "url-scheme"),
        ("file:///etc/passwd", "url-scheme"),
        ("ftp://example.com/x.zip", "url-scheme"),
        ("https://user:pass@example.com/x.zip", "url-userinfo"),
        ("https://10.0.0.1/x.zip", "private-address"),
        ("https://169.254.169.254/latest/", "private-address"),
        ("https://[fd00::1]/x.zip", "private-address"),
        ("https://0xa9fea9fe/", "private-address"),
        ("https://[::ffff:10.0.0.1]/", "private-address"),
        ("https://", "url-invalid"),
        ("https:///x", "url-invalid"),
    ] {
        for command in ["verify-extract", "check", "list"] {
            scene.answers(&[command, address], 1, code);
        }
    }
    let outcome = scene.run(&["check", "https://user:secret@example.com/x.zip"]);
    assert!(!outcome.err().lines().next().unwrap().contains("secret"), "{}", outcome.err());
}

#[test]
fn n03_flags_open_what_they_name() {
    let (scene, site, digest) = (Scene::new(), site(), sha256(&demo()));
    let target = site.url_as("localhost", "/demo");
    let start =
        Server::plain(move |_: &Request, client: &mut Client<'_>| client.answer(302, &[("Location", &target)], b""));
    let address = start.url("/");
    let get = |flags: &[&str], exit, code| {
        scene.answers(
            &[&["check", address.as_str(), "--digest", digest.as_str(), "--no-cache"], flags].concat(),
            exit,
            code,
        );
    };
    get(&[], 1, "url-scheme");
    get(&["--allow-http"], 1, "private-address");
    get(&["--allow-http", "--allow-private=example.com"], 1, "private-address");
    get(&["--allow-http", "--allow-private=localhost"], 0, "");
    get(&["--allow-http", "--allow-private"], 0, "");
    get(&["--allow-http", "--allow-private", "--allow-host", "example.com"], 1, "host-not-allowed");
    get(&["--allow-http", "--allow-private", "--allow-host", "localhost"], 0, "");
    get(&["--allow-host", "https://localhost/"], 2, "usage");
    get(&["--proxy", "socks5://127.0.0.1:1"], 2, "usage");
    get(&["--cacert", "missing.pem"], 2, "usage");
}

#[test]
fn n09_an_authority_of_ones_own() {
    let (scene, authority, bytes) = (Scene::new(), Authority::new(), demo());
    let digest = sha256(&bytes);
    let server = Server::tls(&authority, &["localhost"], move |_: &Request, client: &mut Client<'_>| {
        client.answer(200, &[], &bytes)
    });
    let address = server.url_as("localhost", "/demo.tar.gz");
    std::fs::write(scene.path("ca.pem"), authority.pem()).unwrap();
    scene.answers(&["check", &address, "--digest", &digest], 3, "tls");
    scene.answers(&["check", &address, "--digest", &digest, "--cacert", "ca.pem"], 0, "");
    for flag in ["--insecure", "-k", "--no-check-certificate"] {
        assert_eq!(scene.run(&["check", &address, "--digest", &digest, flag]).code, Some(2), "{flag}");
    }
}

#[test]
fn a_proxy_by_flag_gets_a_connect_and_the_target_is_reached_through_it() {
    let (scene, authority, bytes) = (Scene::new(), Authority::new(), demo());
    let digest = sha256(&bytes);
    std::fs::write(scene.path("ca.pem"), authority.pem()).unwrap();
    let server = Server::tls(&authority, &["skills.example"], move |_: &Request, client: &mut Client<'_>| {
        client.answer(200, &[], &bytes)
    });
    // A proxy that sends everything to that server, whatever it is asked for.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let (proxy, target) = (listener.local_addr().unwrap(), server.port());
    let asked = std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            std::io::Read::read_exact(&mut client, &mut byte).unwrap();
            head.push(byte[0]);
        }
        let mut upstream = std::net::TcpStream::connect(("127.0.0.1", target)).unwrap();
        std::io::Write::write_all(&mut client, b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        let (mut from, mut to) = (client.try_clone().unwrap(), upstream.try_clone().unwrap());
        std::thread::spawn(move || std::io::copy(&mut from, &mut to));
        let _ = std::io::copy(&mut upstream, &mut client);
        String::from_utf8(head).unwrap()
    });
    let proxy = format!("http://{proxy}");
    let args =
        ["check", "https://skills.example/demo.tar.gz", "--digest", &digest, "--cacert", "ca.pem", "--proxy", &proxy];
    scene.answers(&args, 0, "");
    let head = asked.join().unwrap();
    assert!(head.starts_with("CONNECT skills.example:443 HTTP/1.1\r\n"), "{head}");
    scene.answers(&["check", "https://10.0.0.1/x.zip", "--proxy", &proxy], 1, "private-address");
}

#[test]
fn n07_a_deadline_by_flag() {
    let scene = Scene::new();
    let server = Server::plain(|_: &Request, client: &mut Client<'_>| client.hang());
    scene.answers(&["check", &server.url("/x.zip"), "--timeout", "1"], 3, "timeout");
    assert_eq!(scene.run(&["check", &server.url("/x.zip"), "--timeout", "0"]).code, Some(2));
}

#[test]
fn n07_a_limit_by_flag() {
    let (scene, site) = (Scene::new(), site());
    scene.answers(&["check", &site.url("/demo"), "--max-archive", "10"], 1, "limit-archive");
    scene.answers(&["check", &site.url("/nothing"), "--allow-unverified"], 3, "http-status");
}

#[test]
fn n10_names_of_the_servers_choosing_do_nothing() {
    let (scene, bytes) = (Scene::new(), demo());
    let digest = sha256(&bytes);
    let server = Server::plain(move |_: &Request, client: &mut Client<'_>| {
        client.answer(
            200,
            &[
                ("Content-Disposition", "attachment; filename=\"../../evil.zip\""),
                ("Content-Type", "application/gzip; x=\u{1b}"),
            ],
            &bytes,
        );
    });
    let report = scene.run(&["verify-extract", &server.url("/demo"), "--digest", &digest, "--json"]);
    // Either the header is refused as malformed, or it is data and nothing else.
    assert!(matches!(report.code, Some(0 | 3)), "{}", report.out());
    assert_eq!(report.dirt(), Vec::<String>::new());
    let names: Vec<_> = std::fs::read_dir(scene.0.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| name == "demo" || name == "cache"), "{names:?}");
}

#[test]
fn n12_addresses_and_paths_do_not_mix() {
    let scene = Scene::new();
    std::fs::create_dir_all(scene.path("https:/example.com")).unwrap();
    std::fs::write(scene.path("https:/example.com/x.tar.gz"), demo()).unwrap();
    // A path that looks like an address is written with ./ in front.
    scene.answers(&["check", "./https://example.com/x.tar.gz", "--allow-unverified"], 0, "");
    scene.answers(&["check", "file://example.com/x.tar.gz"], 1, "url-scheme");
    scene.answers(&["check", "https:missing.zip"], 3, "io");
}

#[test]
fn a_signal_ends_a_download_and_leaves_nothing() {
    let scene = Scene::new();
    let server = Server::plain(|_: &Request, client: &mut Client<'_>| {
        client.send("HTTP/1.1 200 OK\r\n\r\nabc");
        client.hang();
    });
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillx"));
    command.args(["verify-extract", &server.url("/x.zip"), "--allow-unverified", "--json"]).current_dir(scene.0.path());
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
    while server.requests().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["error"]["code"], "cancelled");
    assert!(is_empty(scene.0.path()));
}

fn is_empty(directory: &Path) -> bool {
    std::fs::read_dir(directory).unwrap().next().is_none()
}
