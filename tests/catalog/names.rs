//! Which skill a name means: no skill takes the name of another, in a prompt or by a directory of its own.

use skillx_archive::{Code, Presentation, Standing};

use super::support::carrier::file;
use super::{Shelf, names, skill, skipped};

fn named(name: &str, body: &str) -> String {
    format!("---\nname: {}\ndescription: d\n---\n{body}\n", serde_json::to_string(name).unwrap())
}

#[test]
fn a_name_that_a_prompt_cannot_show_as_it_is_is_left_out() {
    let long = "x".repeat(65);
    let hostile = [
        "pdf\u{200b}",
        "pdf\u{fe0f}",
        "pdf\u{e0041}",
        "p\u{ad}df",
        "\u{feff}pdf",
        "pdf ",
        " pdf",
        "p\tdf",
        "p  df",
        "p\u{a0}df",
        "p\ndf",
        "a`b",
        "a<b",
        "a>b",
        "a&b",
        &long,
    ];
    for name in hostile {
        let shelf = Shelf::new();
        shelf.put("pdf/SKILL.md", skill("pdf")).put("other/SKILL.md", named(name, "evil"));
        let catalog = shelf.catalog();
        // YAML itself may take spaces away; then it is the very name, which two skills then have.
        for known in names(&catalog) {
            assert_eq!(known, "pdf", "{name:?}");
        }
        let prompt = catalog.prompt(Presentation::OnDemand).text;
        assert!(prompt.matches("pdf").count() <= 2, "{name:?}: {prompt}");
        assert!(skipped(&catalog).iter().any(|(directory, _)| *directory == "other"), "{name:?}");
    }
    for name in ["PDF tools", "caf\u{e9}", "\u{6280}\u{80fd}", "a.b_c", &"x".repeat(64)] {
        let shelf = Shelf::new();
        shelf.put("d/SKILL.md", named(name, ""));
        assert_eq!(names(&shelf.catalog()), [name]);
    }
}

#[test]
fn names_that_look_alike_are_told() {
    let shelf = Shelf::new();
    shelf.put("a/SKILL.md", skill("pdf")).put("b/SKILL.md", named("\u{440}df", "")).put("c/SKILL.md", skill("l1"));
    let catalog = shelf.catalog();
    assert_eq!(names(&catalog).len(), 3);
    let told: Vec<_> = catalog.findings().iter().filter(|finding| finding.code == Code::HomoglyphSibling).collect();
    assert_eq!(told.len(), 1, "{:?}", catalog.findings());
}

/// However the installed skill is made unusable, nobody else loads under its name.
#[test]
fn the_name_of_an_installed_skill_stays_its_own() {
    type Change = fn(&Shelf);
    let changes: [(&str, Change); 6] = [
        ("moved and edited", |shelf| {
            std::fs::remove_dir_all(shelf.root().join("other")).unwrap();
            std::fs::rename(shelf.root().join("pdf"), shelf.root().join("other")).unwrap();
            shelf.put("other/SKILL.md", skill("pdf") + "evil");
        }),
        ("gone", |shelf| std::fs::remove_dir_all(shelf.root().join("pdf")).unwrap()),
        ("without SKILL.md", |shelf| std::fs::remove_file(shelf.root().join("pdf/SKILL.md")).unwrap()),
        ("broken", |shelf| {
            shelf.put("pdf/SKILL.md", "broken");
        }),
        ("renamed inside", |shelf| {
            shelf.put("pdf/SKILL.md", skill("another"));
        }),
        ("with a receipt that cannot be read", |shelf| {
            shelf.put(".skillx/pdf.json", "broken");
        }),
    ];
    for (what, change) in changes {
        let shelf = Shelf::new();
        shelf.install("pdf", vec![]).install("csv", vec![]);
        shelf.put("other/SKILL.md", skill("pdf") + "evil");
        change(&shelf);
        let catalog = shelf.catalog();
        assert_eq!(names(&catalog), ["csv"], "{what}");
        let error = catalog.load("pdf").unwrap_err();
        assert!(
            matches!(
                error.code().as_str(),
                "tree-changed" | "catalog-duplicate-name" | "receipt-invalid" | "skill-md-invalid"
            ),
            "{what}: {error}"
        );
        let told: Vec<_> = skipped(&catalog).into_iter().map(|(directory, _)| directory).collect();
        assert!(told.contains(&"pdf") && told.contains(&"other"), "{what}: {told:?}");
    }
    // With a receipt that somebody made for it, in the same store or beside what a link leads to.
    for linked in [false, true] {
        for broken in [true, false] {
            let (shelf, other) = (Shelf::new(), Shelf::new());
            shelf.install("pdf", vec![]);
            other.install("pdf", vec![]);
            if linked {
                shelf.link("helper", other.root().join("pdf").to_str().unwrap());
            } else {
                std::fs::rename(other.root().join("pdf"), shelf.root().join("helper")).unwrap();
                std::fs::rename(other.root().join(".skillx/pdf.json"), shelf.root().join(".skillx/helper.json"))
                    .unwrap();
            }
            let path = shelf.root().join("pdf/SKILL.md");
            if broken {
                std::fs::write(path, "broken").unwrap()
            } else {
                std::fs::remove_file(path).unwrap()
            }
            assert_eq!(names(&shelf.catalog()), Vec::<&str>::new(), "{linked} {broken}");
        }
    }
    // Without any receipt: a directory that is broken has the name that it should have.
    let shelf = Shelf::new();
    shelf.put("pdf/SKILL.md", "broken").put("x/SKILL.md", skill("pdf"));
    assert_eq!(names(&shelf.catalog()), Vec::<&str>::new());
    // It was the owner, who moved it and says so.
    let shelf = Shelf::new();
    shelf.install("pdf", vec![]);
    std::fs::rename(shelf.root().join("pdf"), shelf.root().join("other")).unwrap();
    assert_eq!(shelf.lenient().load("pdf").unwrap().body(), "# pdf\n\nDo it.\n");
    assert_eq!(shelf.lenient().skills()[0].standing(), Standing::Modified);
    assert_eq!(shelf.lenient().load("pdf").unwrap().standing(), Standing::Modified);
    // Once the receipt is gone, nothing is claimed any more.
    std::fs::remove_file(shelf.root().join(".skillx/pdf.json")).unwrap();
    assert_eq!(names(&shelf.catalog()), ["pdf"]);
}

#[test]
fn a_skill_without_a_receipt_beside_others_with_one_is_told() {
    let shelf = Shelf::new();
    shelf.install("a", vec![]).put("b/SKILL.md", skill("b"));
    let catalog = shelf.catalog();
    assert_eq!(catalog.findings().iter().filter(|finding| finding.code == Code::CatalogNoReceipt).count(), 1);
    let shelf = Shelf::new();
    shelf.put("a/SKILL.md", skill("a")).put("b/SKILL.md", skill("b"));
    assert!(shelf.catalog().findings().is_empty(), "nobody here has one");
}

#[test]
fn behind_a_link_the_receipt_beside_the_skill_counts() {
    let store = Shelf::new();
    store.install("pdf", vec![file("x", "1")]);
    let shelf = Shelf::new();
    shelf.link("pdf", store.root().join("pdf").to_str().unwrap());
    assert_eq!(shelf.catalog().skills()[0].standing(), Standing::Verified);
    store.put("pdf/x", "2");
    assert_eq!(shelf.catalog().resource("pdf", "x").unwrap_err().code(), Code::TreeChanged);
    store.put("pdf/SKILL.md", skill("pdf") + "evil");
    assert_eq!(skipped(&shelf.catalog()), [("pdf", Code::TreeChanged)]);
    // The link leads elsewhere, later.
    let other = Shelf::new();
    other.put("pdf/SKILL.md", skill("pdf"));
    let shelf = Shelf::new();
    shelf.link("pdf", other.root().join("pdf").to_str().unwrap());
    let catalog = shelf.catalog();
    other.put("../skills2/pdf/SKILL.md", skill("pdf") + "evil");
    std::fs::remove_file(shelf.root().join("pdf")).unwrap();
    shelf.link("pdf", other.root().join("../skills2/pdf").to_str().unwrap());
    assert_eq!(catalog.load("pdf").unwrap_err().code(), Code::TreeChanged);
}

#[test]
fn a_link_to_a_skill_beside_it_is_no_other_skill() {
    let shelf = Shelf::new();
    shelf.install("pdf", vec![]).link("pdf-latest", "pdf").link("again", "./pdf");
    let catalog = shelf.catalog();
    assert_eq!((names(&catalog), skipped(&catalog)), (vec!["pdf"], vec![]));
    assert_eq!(catalog.skills()[0].directory(), "pdf");
    assert_eq!(catalog.findings().iter().filter(|finding| finding.code == Code::CatalogLink).count(), 2);
    // A copy is another one.
    shelf.put("copy/SKILL.md", skill("pdf"));
    assert_eq!(names(&shelf.catalog()), Vec::<&str>::new());
}

#[test]
fn what_was_not_read_is_not_called_verified() {
    let shelf = Shelf::new();
    let long = skill("long") + &"x\n".repeat(20_000);
    let installed = |text: &str| {
        std::fs::remove_dir_all(shelf.root()).unwrap();
        std::fs::create_dir_all(shelf.root().join(".skillx")).unwrap();
        let bytes = super::Carrier::TarGz.write(&[file("SKILL.md", text)]);
        let artifact = skillx_archive::Artifact::from_bytes(bytes);
        let digest: skillx_archive::Digest = artifact.digest().to_string().parse().unwrap();
        let options = skillx_archive::Options::default().receipt(shelf.root().join(".skillx/long.json"));
        artifact.verify(&digest).unwrap().extract(shelf.root().join("long"), &options).unwrap();
    };
    installed(&long);
    let catalog = shelf.catalog();
    assert_eq!(catalog.skills()[0].standing(), Standing::Unread);
    assert_eq!(catalog.load("long").unwrap().standing(), Standing::Verified, "now it has been");
    // A change within what level 1 reads, behind the frontmatter.
    shelf.put("long/SKILL.md", long.replacen("Do it.", "Do evil.", 1));
    let catalog = shelf.catalog();
    assert_eq!(catalog.skills()[0].standing(), Standing::Unread);
    assert_eq!(catalog.load("long").unwrap_err().code(), Code::TreeChanged);
}

#[test]
fn a_path_is_shown_as_it_is_or_not_at_all() {
    let shelf = Shelf::new();
    for (number, directory) in ["good", "R&D", "two  sp", "bt`k", "a\nb", "hid\u{200b}den"].iter().enumerate() {
        shelf.put(&format!("{directory}/SKILL.md"), skill(&format!("s{number}")));
    }
    let prompt = shelf.catalog().prompt(Presentation::Filesystem);
    let path = shelf.root().join("good/SKILL.md");
    assert!(prompt.text.contains(&format!("(`{}`)", path.display())), "{}", prompt.text);
    assert_eq!(prompt.left_out.len(), 5, "{:?}", prompt.left_out);
    assert_eq!(prompt.text.lines().filter(|line| line.starts_with("- ")).count(), 1);
}

#[test]
fn bodies_have_a_megabyte_together() {
    let shelf = Shelf::new();
    let body = "x\n".repeat(200_000);
    for number in 0..4 {
        shelf.put(&format!("s{number}/SKILL.md"), skill(&format!("s{number}")) + &body);
    }
    let prompt = shelf.catalog().prompt(Presentation::All);
    assert!(prompt.text.len() < 1_100_000, "{}", prompt.text.len());
    assert_eq!(prompt.left_out.len(), 2);
    assert!(prompt.left_out.iter().all(|skipped| skipped.error().code() == Code::LimitTotal));
}
