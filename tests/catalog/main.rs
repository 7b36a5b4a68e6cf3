//! Skills on demand: the catalogue, bodies and single files, prompts. `docs/conformance.md` names these tests.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, clippy::pedantic)] // Tests look at the file system as it is.

mod levels;
mod names;
mod program;
mod prompts;
#[cfg(feature = "discovery")]
mod remote;
#[path = "../support/mod.rs"]
mod support;

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use skillx_archive::{Artifact, Catalog, CatalogOptions, Code, Options};

use support::carrier::{Carrier, Member, file};

/// A directory of skills, beside one that is none of its business.
struct Shelf {
    directory: tempfile::TempDir,
}

impl Shelf {
    fn new() -> Self {
        let shelf = Self { directory: support::temp_dir() };
        std::fs::create_dir_all(shelf.root()).unwrap();
        shelf
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("skills")
    }

    fn put(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
        self
    }

    fn link(&self, path: &str, target: &str) -> &Self {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
        self
    }

    /// A skill that was verified and extracted, with its receipt where an install leaves it.
    fn install(&self, name: &str, more: Vec<Member>) -> &Self {
        let mut members = vec![file("SKILL.md", skill(name))];
        members.extend(more);
        std::fs::create_dir_all(self.root().join(".skillx")).unwrap();
        let receipt = self.root().join(format!(".skillx/{name}.json"));
        let artifact = Artifact::from_bytes(Carrier::TarGz.write(&members));
        let digest: skillx_archive::Digest = artifact.digest().to_string().parse().unwrap();
        artifact
            .verify(&digest)
            .unwrap()
            .extract(self.root().join(name), &Options::default().receipt(receipt))
            .unwrap();
        self
    }

    fn catalog(&self) -> Catalog {
        Catalog::open(self.root()).unwrap()
    }

    fn lenient(&self) -> Catalog {
        Catalog::open_with(self.root(), &CatalogOptions::default().allow_modified(true)).unwrap()
    }
}

fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Use it for {name}.\n---\n# {name}\n\nDo it.\n")
}

fn names(catalog: &Catalog) -> Vec<&str> {
    catalog.skills().iter().map(|skill| skill.name().as_raw()).collect()
}

/// Directory and code of everything that was skipped.
fn skipped(catalog: &Catalog) -> Vec<(&str, Code)> {
    catalog.skipped().iter().map(|skipped| (skipped.directory().to_str().unwrap(), skipped.error().code())).collect()
}
