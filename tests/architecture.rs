//! The house: which room may import which. Every path in every source file is parsed; an import that runs upwards fails.

#![allow(clippy::disallowed_methods, clippy::pedantic, clippy::use_self, clippy::redundant_clone)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

/// The rooms from the top down. A room may import rooms on later lines, and itself.
const ROOMS: &[&[&str]] = &[
    &["catalog"],
    &["site"],
    &["discovery"],
    &["fetch"],
    &["pack"],
    &["pipeline"],
    &["install"],
    &["receipt"],
    &["layout"],
    &["sink"],
    &["policy"],
    &["container"],
    &["artifact"],
    &["report"],
    &["limits", "digest"],
    &["error"],
    &["json"],
    &["escape", "cancel", "confine"],
];

/// What lies below every room: the standard library and the packages of Cargo.toml, with the rooms that may use them.
const PACKAGES: &[(&str, &[&str])] = &[
    ("cap_fs_ext", &["confine"]),
    ("cap_std", &["catalog", "confine", "install", "receipt", "sink", "pipeline", "fetch", "pack", "layout"]),
    ("caseless", &["policy", "sink"]),
    ("clap", &[]),
    ("flate2", &["container", "pack"]),
    ("getrandom", &["fetch", "install", "pack"]),
    ("http", &["fetch", "site"]),
    ("http_cache_semantics", &["site"]),
    ("ignore", &["pack"]),
    ("memchr", &["container"]),
    ("pulldown_cmark", &["discovery"]),
    ("robotstxt", &["discovery"]),
    ("rustix", &["confine", "install"]),
    ("serde_json", &["catalog", "discovery", "receipt", "pack", "site", "json"]),
    ("serde_saphyr", &["layout"]),
    ("sha2", &["artifact", "receipt", "site", "catalog"]),
    ("tar", &["pack"]),
    ("tempfile", &["artifact"]),
    ("unicode_normalization", &["policy", "sink"]),
    ("unicode_properties", &["policy"]),
    ("unicode_security", &["policy"]),
    ("ureq", &["fetch"]),
    ("url", &["fetch", "layout"]),
    ("zip", &["pack"]),
];

/// Rooms that touch no file system at all.
const SANS_IO: &[&str] =
    &["discovery", "container", "policy", "layout", "report", "limits", "digest", "error", "json", "escape", "cancel"];

#[test]
fn no_import_runs_upwards() {
    let mut faults = Vec::new();
    for file in sources(Path::new("src")) {
        let module = module_of(&file);
        let Some(room) = module.first().cloned() else { continue };
        let rank =
            rank_of(&room).unwrap_or_else(|| panic!("{}: the room `{room}` is not in the table", file.display()));
        for (path, line) in paths(&file, &module) {
            let at = format!("{}:{line}", file.display());
            match path.first().map(String::as_str) {
                Some("crate") => {
                    let Some(target) = path.get(1).filter(|target| rank_of(target).is_some()) else { continue };
                    if *target != room && rank_of(target).unwrap() <= rank {
                        faults.push(format!("{at}: `{room}` imports `{target}`, which is above or beside it"));
                    }
                }
                Some(package) => {
                    let known = PACKAGES.iter().find(|(name, _)| *name == package);
                    if known.is_some_and(|(_, rooms)| !rooms.contains(&room.as_str())) {
                        faults.push(format!("{at}: `{room}` uses `{package}`"));
                    }
                    let ambient = package == "std"
                        && path.get(1).is_some_and(|module| matches!(module.as_str(), "fs" | "net" | "process"));
                    if ambient && SANS_IO.contains(&room.as_str()) {
                        faults.push(format!("{at}: `{room}` uses `{}`", path.join("::")));
                    }
                }
                None => {}
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_room_of_the_table_exists_and_every_file_is_small_and_says_its_duty() {
    let rooms: BTreeSet<_> =
        sources(Path::new("src")).iter().filter_map(|file| module_of(file).into_iter().next()).collect();
    for room in ROOMS.iter().flat_map(|line| line.iter()) {
        assert!(rooms.contains(*room), "the table names `{room}`, which does not exist");
    }
    for file in sources(Path::new("src")).into_iter().chain(sources(Path::new("src/bin"))) {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//! "), "{}: the first line does not say the file's duty", file.display());
        let lines = text.lines().count();
        assert!(lines <= 520, "{}: {lines} lines", file.display());
    }
}

#[test]
fn the_door_holds_no_logic() {
    let file = syn::parse_file(&fs::read_to_string("src/lib.rs").unwrap()).unwrap();
    for item in file.items {
        let is_door =
            matches!(item, syn::Item::Mod(ref module) if module.content.is_none()) || matches!(item, syn::Item::Use(_));
        assert!(is_door, "src/lib.rs:{}: only modules and re-exports", item.span().start().line);
    }
}

#[test]
fn the_table_notices_an_import_that_runs_upwards() {
    let module = vec!["policy".to_owned()];
    let found = paths_in("use crate::sink::Sink; fn f() { super::pipeline::run(); }", &module);
    let targets: Vec<_> = found.into_iter().map(|(path, _)| path[1].clone()).collect();
    assert!(targets.contains(&"sink".to_owned()) && targets.contains(&"pipeline".to_owned()), "{targets:?}");
    assert!(rank_of("sink").unwrap() < rank_of("policy").unwrap());
}

fn rank_of(room: &str) -> Option<usize> {
    ROOMS.iter().position(|line| line.contains(&room))
}

/// Library sources, tests aside; `src/bin` only when asked for.
fn sources(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("src/bin") && !path.ends_with("tests") {
                found.extend(sources(&path));
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// `src/container/tar/mod.rs` is `container::tar`; `src/lib.rs` is the empty path.
fn module_of(file: &Path) -> Vec<String> {
    let inside = file.strip_prefix("src").unwrap().with_extension("");
    let mut module: Vec<_> = inside.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
        module.pop();
    }
    module
}

fn paths(file: &Path, module: &[String]) -> Vec<(Vec<String>, usize)> {
    paths_in(&fs::read_to_string(file).unwrap(), module)
}

/// Every path in a source text, resolved to `crate::…` or `package::…`.
fn paths_in(text: &str, module: &[String]) -> Vec<(Vec<String>, usize)> {
    let file = syn::parse_file(text).unwrap();
    let mut collector = Collector { module: module.to_vec(), found: Vec::new() };
    collector.visit_file(&file);
    collector.found
}

struct Collector {
    module: Vec<String>,
    found: Vec<(Vec<String>, usize)>,
}

impl Collector {
    fn take(&mut self, path: &[String], line: usize) {
        let mut resolved: Vec<String>;
        match path.first().map(String::as_str) {
            Some("super" | "self") => {
                resolved = std::iter::once("crate".to_owned()).chain(self.module.iter().cloned()).collect();
                for part in path {
                    match part.as_str() {
                        "super" => drop(resolved.pop()),
                        "self" => {}
                        other => resolved.push(other.to_owned()),
                    }
                }
            }
            _ => resolved = path.to_vec(),
        }
        if resolved.len() > 1 {
            self.found.push((resolved, line));
        }
    }

    fn tree(&mut self, before: &[String], tree: &syn::UseTree) {
        let with = |ident: &syn::Ident| [before, &[ident.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.tree(&with(&path.ident), &path.tree),
            syn::UseTree::Group(group) => group.items.iter().for_each(|item| self.tree(before, item)),
            syn::UseTree::Name(name) => self.take(&with(&name.ident), name.ident.span().start().line),
            syn::UseTree::Rename(rename) => self.take(&with(&rename.ident), rename.ident.span().start().line),
            syn::UseTree::Glob(glob) => self.take(before, glob.star_token.span().start().line),
        }
    }
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree(&[], &item.tree);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        // Tests may use what they like.
        let is_test = item.ident == "tests";
        if !is_test {
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.take(&parts, path.span().start().line);
        visit::visit_path(self, path);
    }
}

/// Cases: X16-unverified.
#[test]
fn what_must_not_compile_is_documented_and_checked_types_have_no_public_constructor() {
    // Each of these is compiled by rustdoc, which fails if it does compile.
    let artifact = fs::read_to_string("src/artifact.rs").unwrap();
    let blocks: Vec<&str> = artifact.split("/// ```compile_fail").skip(1).collect();
    let forbids = |call: &str| blocks.iter().any(|block| block.split("/// ```").next().unwrap().contains(call));
    assert!(forbids("artifact.verify(&digest)") && forbids("artifact.extract("), "src/artifact.rs");
    let (mut structs, mut constructors) = (BTreeMap::new(), Vec::new());
    let checked = ["SafePath", "SafeMode", "SafeTarget", "VerifiedArtifact"];
    for path in sources(Path::new("src")) {
        let file = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
        for item in &file.items {
            match item {
                syn::Item::Struct(item) if checked.contains(&item.ident.to_string().as_str()) => {
                    let closed = item.fields.iter().all(|field| matches!(field.vis, syn::Visibility::Inherited));
                    structs.insert(item.ident.to_string(), (closed, matches!(item.vis, syn::Visibility::Public(_))));
                }
                syn::Item::Impl(item) if item.trait_.is_none() => {
                    let syn::Type::Path(of) = &*item.self_ty else { continue };
                    let of = of.path.segments.last().unwrap().ident.to_string();
                    for member in &item.items {
                        let syn::ImplItem::Fn(function) = member else { continue };
                        let public = matches!(function.vis, syn::Visibility::Public(_));
                        if public && checked.contains(&of.as_str()) && function.sig.receiver().is_none() {
                            constructors.push(format!("{of}::{}", function.sig.ident));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    assert_eq!(structs.len(), checked.len(), "{structs:?}");
    for (name, (closed, public)) in structs {
        assert!(closed, "{name} has a field that others can set");
        assert_eq!(public, name == "VerifiedArtifact", "{name}");
    }
    assert_eq!(constructors, Vec::<String>::new());
}
