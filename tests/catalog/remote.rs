//! A catalog that comes from an index: nothing is downloaded before it is asked for, and nothing unverified is loaded.

use skillx_archive::fetch::{Memory, Rules};
use skillx_archive::site::{Plan, Site, parse_address};
use skillx_archive::{Code, SiteCatalog, Standing};

use super::support::carrier::{Carrier, file};
use super::support::sha256;
use super::{Shelf, skill};

const INDEX: &str = "/.well-known/agent-skills/index.json";

fn archive(name: &str) -> Vec<u8> {
    Carrier::TarGz.write(&[file("SKILL.md", skill(name)), file("references/table.csv", "a,b")])
}

/// A site with two skills, one of them another than its digest says, and a type that nobody knows.
fn web() -> Memory {
    let mut web = Memory::default();
    let entry = |name: &str, kind: &str, digest: &str| {
        serde_json::json!({ "name": name, "type": kind, "description": format!("Use it for {name}."),
            "url": format!("/{name}.tar.gz"), "digest": digest })
    };
    let index = serde_json::json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [
            entry("pdf", "archive", &sha256(&archive("pdf"))),
            entry("csv", "archive", &sha256(b"another")),
            entry("later", "bundle", &sha256(b"")),
        ],
    });
    web.page(&format!("https://example.com{INDEX}"), 200, &[], index.to_string().as_bytes());
    web.page("https://example.com/pdf.tar.gz", 200, &[], &archive("pdf"));
    web.page("https://example.com/csv.tar.gz", 200, &[], &archive("csv"));
    web
}

fn asked(web: &Memory) -> Vec<String> {
    web.asked().iter().map(|asked| asked.url.path().to_owned()).collect()
}

fn catalog<'w>(web: &'w Memory, shelf: &Shelf) -> SiteCatalog<'w> {
    let site = Site::new(web, Rules::default());
    let listing = site.index(&parse_address("example.com").unwrap()).unwrap();
    SiteCatalog::new(site, listing, Plan::new(shelf.root()))
}

#[test]
fn a_catalog_from_an_index_downloads_what_is_loaded_and_nothing_before() {
    let (web, shelf) = (web(), Shelf::new());
    let catalog = catalog(&web, &shelf);
    let listed: Vec<_> = catalog.skills().map(|(name, description)| (name.as_raw(), description.as_raw())).collect();
    assert_eq!(listed, [("pdf", "Use it for pdf."), ("csv", "Use it for csv.")]);
    let prompt = catalog.prompt();
    assert!(prompt.contains("call load_skill") && prompt.contains("\n- `csv`: Use it for csv.\n</available_skills>\n"));
    assert_eq!(asked(&web), [INDEX], "level 1 is the index");

    let loaded = catalog.load("pdf").unwrap();
    assert!(loaded.body().contains("Do it.") && loaded.standing() == Standing::Verified);
    assert_eq!(catalog.resource("pdf", "references/table.csv").unwrap(), b"a,b");
    assert_eq!(asked(&web), [INDEX, "/pdf.tar.gz"], "once");
    assert!(shelf.root().join(".skillx/pdf.json").is_file() && !shelf.root().join("csv").exists());

    shelf.put("pdf/references/table.csv", "changed");
    assert_eq!(catalog.load("pdf").unwrap_err().code(), Code::LocalEdits);
}

#[test]
fn a_catalog_from_an_index_loads_nothing_that_is_not_what_was_promised() {
    let (web, shelf) = (web(), Shelf::new());
    let catalog = catalog(&web, &shelf);
    assert_eq!(catalog.load("csv").unwrap_err().code(), Code::DigestMismatch);
    assert!(!shelf.root().join("csv").exists());
    for name in ["later", "none", "../x"] {
        let error = catalog.load(name).unwrap_err();
        assert!(error.code() == Code::Usage && error.to_string().contains("it offers `pdf`, `csv`"), "{error}");
    }
    assert_eq!(asked(&web), [INDEX, "/csv.tar.gz"]);
}
