//! What an update changed: files, new executables, new links, the description.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::digest::Digest;
use crate::receipt::Receipt;

/// The difference between what was installed and what took its place. Paths and texts are a stranger's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Update {
    /// The digest of what was there; null if that is not known.
    pub from: Option<String>,
    /// Files and links that were not there.
    pub added: Vec<String>,
    /// Files with other content, links that lead elsewhere.
    pub changed: Vec<String>,
    /// Files and links that are gone.
    pub removed: Vec<String>,
    /// Files that are executable and were not, or were not there.
    pub new_executables: Vec<String>,
    /// Links that were not there, or lead elsewhere.
    pub new_links: Vec<String>,
    /// The description, where it is another one.
    pub description: Option<Description>,
}

/// A description that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Description {
    /// What it was.
    pub from: Option<String>,
    /// What it is.
    pub to: Option<String>,
}

/// A file or link, as far as it can change.
#[derive(PartialEq, Eq)]
enum Content<'r> {
    File(u64, Digest),
    Link(&'r str),
}

impl Update {
    /// What is different in `new`; everything, if nothing is known of what was there.
    pub(super) fn between(old: Option<&Receipt>, new: &Receipt) -> Self {
        let (before, after) = (old.map(contents).unwrap_or_default(), contents(new));
        let executables = |receipt: &Receipt| -> Vec<String> {
            receipt.files().filter(|file| file.executable).map(|file| file.path.to_owned()).collect()
        };
        let old_executables = old.map(executables).unwrap_or_default();
        let mut update =
            Self { from: old.and_then(Receipt::digest).map(|digest| digest.to_string()), ..Self::default() };
        for (path, content) in &after {
            let is_same = match before.get(path) {
                None => {
                    update.added.push((*path).to_owned());
                    false
                }
                Some(before) if before != content => {
                    update.changed.push((*path).to_owned());
                    false
                }
                Some(_) => true,
            };
            if !is_same && matches!(content, Content::Link(_)) {
                update.new_links.push((*path).to_owned());
            }
        }
        update.removed =
            before.keys().filter(|path| !after.contains_key(*path)).map(|path| (*path).to_owned()).collect();
        update.new_executables =
            executables(new).into_iter().filter(|path| old_executables.binary_search(path).is_err()).collect();
        let texts = (old.and_then(Receipt::description), new.description());
        if old.is_some() && texts.0 != texts.1 {
            let owned = |text: Option<&str>| text.map(str::to_owned);
            update.description = Some(Description { from: owned(texts.0), to: owned(texts.1) });
        }
        update
    }
}

fn contents(receipt: &Receipt) -> BTreeMap<&str, Content<'_>> {
    let files = receipt.files().map(|file| (file.path, Content::File(file.size, file.sha256)));
    files.chain(receipt.links().map(|link| (link.path, Content::Link(link.target)))).collect()
}
