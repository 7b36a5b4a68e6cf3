//! The lock file where it is not obeyed: what it pinned before is told.

use std::fs;

use crate::scene::Scene;
use crate::support::carrier::{Carrier, file};
use crate::web::{Web, skill};

#[test]
fn another_digest_than_the_lock_pins_is_told() {
    let (web, scene) = (Web::new(), Scene::new());
    let publish = |text: &str| {
        web.index(&[web.archive("pdf", Carrier::TarGz, &skill("pdf", vec![file("a", text)]))]);
    };
    let install = || {
        let report = scene.answers(&["install", &web.url(), "pdf", "--no-cache"], 0, "");
        report["skills"][0]["findings"].to_string().contains("lock-changed")
    };
    publish("one");
    assert!(!install(), "there was no lock");
    assert!(!install(), "the same");
    publish("two");
    assert!(install());
    // A clone has the lock and not the skills: an older archive would look like any other.
    fs::remove_dir_all(scene.path("skills/pdf")).unwrap();
    fs::remove_dir_all(scene.path("skills/.skillx")).unwrap();
    publish("one");
    assert!(install());
    publish("two");
    let report = scene.answers(&["install", &web.url(), "--locked"], 1, "lock-mismatch");
    assert!(report["skills"][0]["error"]["message"].as_str().unwrap().contains("the archive sha256:"), "{report:#}");
}
