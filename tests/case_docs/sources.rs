//! The tests in the sources of this project, read with `syn`: their names, and the ids that their documentation gives them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::Visit;

/// File and function -> the ids of its `Cases:` line.
pub type Tests = BTreeMap<String, BTreeSet<String>>;

/// Every test that `cargo test` runs: functions with `#[test]` and without `#[ignore]`, those in `proptest!` included.
pub fn tests() -> Tests {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open = vec![root.join("tests"), root.join("src")];
    let mut found = Tests::new();
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                let text = fs::read_to_string(&path).unwrap();
                let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
                Finder { file: &name, found: &mut found }.visit_file(&file);
            }
        }
    }
    found
}

struct Finder<'a> {
    file: &'a str,
    found: &'a mut Tests,
}

impl Finder<'_> {
    fn add(&mut self, name: &str, documentation: &[String]) {
        let key = format!("{}::{name}", self.file);
        assert!(self.found.insert(key.clone(), ids(documentation)).is_none(), "{key} is there twice");
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        let has = |name: &str| function.attrs.iter().any(|attribute| attribute.path().is_ident(name));
        if has("test") && !has("ignore") {
            let lines: Vec<String> = function.attrs.iter().filter_map(documentation).collect();
            self.add(&function.sig.ident.to_string(), &lines);
        }
        syn::visit::visit_item_fn(self, function);
    }

    /// Inside `proptest! { ... }` a test is `#[test] fn name(pattern in strategy)`, which only its tokens tell.
    fn visit_macro(&mut self, found: &'ast syn::Macro) {
        if found.path.is_ident("proptest") {
            self.tokens(found.tokens.clone());
        }
    }
}

impl Finder<'_> {
    fn tokens(&mut self, tokens: TokenStream) {
        let (mut is_test, mut lines) = (false, Vec::new());
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '#' => {
                    let Some(TokenTree::Group(group)) = tokens.peek() else { continue };
                    if group.delimiter() == Delimiter::Bracket {
                        is_test |= group.stream().to_string() == "test";
                        let attribute = format!("#[{}] fn f() {{}}", group.stream());
                        if let Ok(parsed) = syn::parse_str::<syn::ItemFn>(&attribute) {
                            lines.extend(parsed.attrs.iter().filter_map(documentation));
                        }
                    }
                }
                TokenTree::Ident(word) if word == "fn" => {
                    if let (true, Some(TokenTree::Ident(name))) = (is_test, tokens.peek()) {
                        self.add(&name.to_string(), &lines);
                    }
                    (is_test, lines) = (false, Vec::new());
                }
                _ => {}
            }
        }
    }
}

/// The text of a `///` line.
fn documentation(attribute: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value else { return None };
    pair.path.is_ident("doc").then(|| text.value())
}

/// `Cases: D01-swap, X17-flag.`
fn ids(documentation: &[String]) -> BTreeSet<String> {
    let lines = documentation.iter().filter_map(|line| line.trim().strip_prefix("Cases: "));
    let ids = lines.flat_map(|line| line.trim_end_matches('.').split(", ").map(str::to_owned).collect::<Vec<_>>());
    ids.collect()
}
