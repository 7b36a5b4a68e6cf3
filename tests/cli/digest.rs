//! `--digest`: its forms, what it is checked against, and that it comes before everything else.

use crate::support::carrier::{file, with_skill};
use crate::support::sha256;
use crate::{Scene, demo, hex, judge, tar_gz, traversal};

#[test]
fn the_flag_takes_the_digest_with_or_without_its_prefix() {
    let scene = Scene::with_demo();
    for (number, digest) in [sha256(&demo()), hex(&demo())].iter().enumerate() {
        let out = format!("out{number}");
        let report = scene.answers(&["verify-extract", "demo.tar.gz", "--digest", digest, "-o", &out], 0, "");
        let artifact = &report["artifact"];
        assert_eq!(artifact["verified"], true);
        assert_eq!(artifact["digest_source"], "flag");
        assert_eq!(artifact["expected"], sha256(&demo()));
        assert_eq!(artifact["sha256"], sha256(&demo()));
        assert_eq!(artifact["bytes"], demo().len());
        assert_eq!(artifact["source"], "demo.tar.gz");
        assert_eq!(report["output"], out);
        scene.assert_demo(&out);
    }
    for command in ["check", "list"] {
        let report = scene.answers(&[command, "demo.tar.gz", "--digest", &hex(&demo())], 0, "");
        assert_eq!(report["artifact"]["digest_source"], "flag");
    }
}

/// Cases: D03-flag.
#[test]
fn a_malformed_digest_is_a_wrong_call_and_is_never_repaired() {
    let scene = Scene::with_demo();
    let hex = hex(&demo());
    let wrong = [
        String::new(),
        hex.to_uppercase(),
        format!("sha256:{}", hex.to_uppercase()),
        format!("SHA256:{hex}"),
        format!("sha-256:{hex}"),
        format!(" {hex}"),
        format!("{hex}\n"),
        format!("sha256:{hex} "),
        hex[..63].to_owned(),
        format!("{hex}0"),
        format!("sha512:{hex}"),
        format!("{hex}  demo.tar.gz"),
        "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=".to_owned(),
        "\u{1b}[31m\u{202e}".to_owned(),
    ];
    for digest in wrong {
        for command in ["verify-extract", "check", "list"] {
            let digest = format!("--digest={digest}");
            scene.answers(&[command, "demo.tar.gz", &digest], 2, "digest-syntax");
            scene.answers(&[command, "demo.tar.gz", &digest, "--allow-unverified"], 2, "digest-syntax");
        }
    }
    assert_eq!(scene.names(), ["demo.tar.gz"]);
}

/// Cases: D02-first.
#[test]
fn a_wrong_digest_comes_before_every_other_fault_of_the_archive() {
    let scene = Scene::new();
    let zip = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    let cut = demo();
    let archives: [(&str, Vec<u8>); 6] = [
        ("traversal.tar.gz", traversal()),
        ("none.tar.gz", b"no archive".to_vec()),
        ("mismatch.tar.gz", zip.to_vec()),
        ("cut.tar.gz", cut[..30].to_vec()),
        ("empty.tar.gz", Vec::new()),
        ("no-skill.tar.gz", tar_gz(&[file("x", "")])),
    ];
    for (name, bytes) in archives {
        scene.put(name, &bytes);
        for command in ["verify-extract", "check", "list"] {
            let report = scene.answers(&[command, name, "--digest", &"0".repeat(64)], 1, "digest-mismatch");
            let message = report["error"]["message"].as_str().unwrap();
            assert!(message.contains(&sha256(&bytes)) && message.contains(&"0".repeat(64)), "{message}");
            assert_eq!(report["artifact"]["sha256"], sha256(&bytes));
            assert_eq!(report["artifact"]["expected"], format!("sha256:{}", "0".repeat(64)));
            assert_eq!(report["artifact"]["verified"], false);
            // No parser has run: the format is not known and no member was seen.
            assert_eq!(report["artifact"]["format"], serde_json::Value::Null);
            assert_eq!(report["entries"], serde_json::json!([]));
        }
        assert_ne!(scene.run(&["check", name, "--digest", &hex(&bytes)]).code, Some(0), "{name} has another fault");
    }
}

/// Cases: D04-at-hand, X17-flag.
#[test]
fn a_digest_at_hand_is_checked_even_where_none_is_needed() {
    let scene = Scene::with_demo();
    let flag = ["verify-extract", "demo.tar.gz", "--allow-unverified", "--digest", &"0".repeat(64)];
    scene.answers(&flag, 1, "digest-mismatch");
    scene.put("demo.tar.gz.sha256", format!("{}  demo.tar.gz\n", "1".repeat(64)));
    scene.answers(&["verify-extract", "demo.tar.gz", "--allow-unverified"], 1, "digest-mismatch");
    assert_eq!(scene.names(), ["demo.tar.gz", "demo.tar.gz.sha256"]);
    // The flag is the caller's word: the sidecar is not asked, be it wrong or no digest at all.
    let report = scene.answers(&["verify-extract", "demo.tar.gz", "--digest", &hex(&demo())], 0, "");
    assert_eq!(report["artifact"]["digest_source"], "flag");
    scene.put("demo.tar.gz.sha256", "no digest");
    scene.answers(&["check", "demo.tar.gz", "--digest", &hex(&demo())], 0, "");
    // A right digest counts as one, whatever else was allowed.
    let report = scene.answers(&["check", "demo.tar.gz", "--digest", &hex(&demo()), "--allow-unverified"], 0, "");
    assert_eq!(report["artifact"]["verified"], true);
}

/// Cases: D04-allowed.
#[test]
fn going_on_without_a_digest_is_said() {
    let scene = Scene::with_demo();
    let report = scene.answers(&["check", "demo.tar.gz", "--allow-unverified"], 0, "");
    assert_eq!(report["artifact"]["verified"], false);
    assert_eq!(report["artifact"]["digest_source"], "none");
    assert!(report["artifact"].get("expected").is_none());
    let text = scene.run(&["verify-extract", "demo.tar.gz", "--digest", &hex(&demo())]);
    assert!(text.err().contains("digest verified"), "{}", text.err());
}

#[test]
fn the_digest_is_of_the_raw_bytes() {
    let scene = Scene::new();
    // The same tar stream in another gzip member is another artifact.
    let tar = crate::support::tar::Tar::skill().end();
    let one = crate::support::gzip::Gzip::new(&tar).build();
    let other = crate::support::gzip::Gzip::new(&tar).with(|gzip| gzip.mtime = 1).build();
    scene.put("a.tar.gz", &one);
    scene.answers(&["check", "a.tar.gz", "--digest", &hex(&other)], 1, "digest-mismatch");
    scene.answers(&["check", "a.tar.gz", "--digest", &hex(&one)], 0, "");
}

#[test]
fn a_digest_mismatch_tells_what_to_do() {
    let scene = Scene::new();
    scene.put("a.tar.gz", tar_gz(&with_skill(vec![])));
    let outcome = scene.run(&["check", "a.tar.gz", "--digest", &"0".repeat(64)]);
    assert_eq!(outcome.code, Some(1));
    let text = outcome.err();
    assert!(text.contains("error[digest-mismatch]") && text.contains("help"), "{text}");
    judge(&scene.run(&["check", "a.tar.gz", "--digest", &"0".repeat(64), "--json", "-q"]), 1, "digest-mismatch");
}
