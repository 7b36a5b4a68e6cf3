//! A site on loopback whose pages a test changes while it runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::indexes::SCHEMA;
use crate::server::{Client, Request, Server};
use crate::support::carrier::{Carrier, Member, file};
use crate::support::sha256;

/// Status, headers and body, by path.
type Pages = BTreeMap<String, (u16, Vec<(String, String)>, Vec<u8>)>;

pub(crate) const INDEX: &str = "/.well-known/agent-skills/index.json";

pub(crate) struct Web {
    pages: Arc<Mutex<Pages>>,
    pub(crate) server: Server,
}

impl Web {
    pub(crate) fn new() -> Self {
        let pages: Arc<Mutex<Pages>> = Arc::default();
        let shown = Arc::clone(&pages);
        let server = Server::plain(move |request: &Request, client: &mut Client<'_>| {
            let page = shown.lock().unwrap().get(request.path()).cloned();
            let Some((status, headers, body)) = page else { return client.answer(404, &[], b"nothing here") };
            let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let etag = headers.iter().find(|(name, _)| *name == "ETag").map(|(_, value)| *value);
            if etag.is_some() && request.header("if-none-match") == etag {
                return client.answer(304, &headers, b"");
            }
            client.answer(status, &headers, &body);
        });
        Self { pages, server }
    }

    pub(crate) fn page(&self, path: &str, status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        self.pages.lock().unwrap().insert(path.to_owned(), (status, headers, body.as_ref().to_vec()));
    }

    pub(crate) fn remove(&self, path: &str) {
        self.pages.lock().unwrap().remove(path);
    }

    pub(crate) fn index(&self, entries: &[Value]) {
        self.index_with(&[], entries);
    }

    pub(crate) fn index_with(&self, headers: &[(&str, &str)], entries: &[Value]) {
        let body = json!({ "$schema": SCHEMA, "skills": entries }).to_string();
        let headers = [&[("Content-Type", "application/json")], headers].concat();
        self.page(INDEX, 200, &headers, body);
    }

    /// Puts an archive at `/NAME.EXTENSION` and gives its entry.
    pub(crate) fn archive(&self, name: &str, carrier: Carrier, members: &[Member]) -> Value {
        let bytes = carrier.write(members);
        let (path, kind) = match carrier {
            Carrier::TarGz => (format!("/{name}.tar.gz"), "application/gzip"),
            Carrier::Zip => (format!("/{name}.zip"), "application/zip"),
        };
        self.page(&path, 200, &[("Content-Type", kind)], &bytes);
        entry(name, "archive", &path, &sha256(&bytes))
    }

    /// Puts a SKILL.md at `/NAME/SKILL.md` and gives its entry.
    pub(crate) fn skill_md(&self, name: &str, text: &[u8]) -> Value {
        let path = format!("/{name}/SKILL.md");
        self.page(&path, 200, &[("Content-Type", "text/markdown")], text);
        entry(name, "skill-md", &path, &sha256(text))
    }

    pub(crate) fn url(&self) -> String {
        self.server.url("")
    }

    /// The paths that were asked for since `before` requests.
    pub(crate) fn asked(&self, before: usize) -> Vec<String> {
        let mut paths: Vec<_> =
            self.server.requests().iter().skip(before).map(|request| request.path().to_owned()).collect();
        paths.sort();
        paths
    }

    pub(crate) fn count(&self) -> usize {
        self.server.requests().len()
    }
}

pub(crate) fn entry(name: &str, kind: &str, url: &str, digest: &str) -> Value {
    json!({ "name": name, "type": kind, "description": format!("Does {name}."), "url": url, "digest": digest })
}

pub(crate) fn skill_md(name: &str) -> Vec<u8> {
    format!("---\nname: {name}\ndescription: Does {name}.\n---\n# {name}\n").into_bytes()
}

/// A skill of this name with some more files.
pub(crate) fn skill(name: &str, mut more: Vec<Member>) -> Vec<Member> {
    more.insert(0, file("SKILL.md", skill_md(name)));
    more
}
