//! A plugin in an archive that is being judged: the package that the layout's rules ask, before anything is published.
//!
//! The tree is known when the pass has seen every member; what the rules read is read from the archive once more.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ffi::OsString;

use super::{Pass, Source, WHOLE, content};
use crate::error::{Code, Result};
use crate::layout::Layout;
use crate::layout::plugin::{
    self, Judged, Looked, MOST_CHILDREN, MOST_DOCUMENT, Package, Place, Plugin, judge_skill, lexical,
};
use crate::limits::Budget;
use crate::report::{EntryKind, EntryPath, EntryReport};

/// Links followed on the way to one path. The policy has refused longer ways already.
const MOST_STEPS: u32 = 40;
/// Components of one path, those that links bring included.
const MOST_COMPONENTS: usize = 1024;

/// The files of an archive, as they will stand.
#[derive(Default)]
struct Archive {
    nodes: BTreeMap<String, Node>,
    /// What was read so far, by the member that holds it.
    documents: HashMap<u64, Vec<u8>>,
    judged: HashMap<String, Looked<Judged>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Directory,
    /// The member that holds the content, and how much there is.
    File {
        source: u64,
        bytes: u64,
    },
    Link(String),
}

impl Pass<'_, '_> {
    /// Judges the plugin before anything of it is published. An error is none of the archive's: the time is up.
    pub(super) fn judge_plugin(&mut self, source: &mut Source<'_>, outside: Option<&str>) -> Result<()> {
        if self.options.layout != Layout::Plugin {
            return Ok(());
        }
        match judge(&self.report.entries, self.policy.links(), source, self.budget)? {
            Ok(plugin) => {
                self.report.findings.extend(plugin.findings());
                self.check_name("plugin.json", "plugin", &plugin.manifest().name.clone());
                self.plugin = Some(plugin);
            }
            Err(error) => {
                // Where it is not at the root, somebody may have packed the directory around it.
                let elsewhere = self.shape.check(outside).err().filter(|_| error.code() == Code::PluginJsonMissing);
                self.refuse(WHOLE, None, elsewhere.unwrap_or(error));
            }
        }
        Ok(())
    }
}

/// Judges the plugin that the entries make. `links` are the symbolic links with their targets.
fn judge<'l>(
    entries: &[EntryReport],
    links: impl Iterator<Item = (&'l str, &'l str)>,
    source: &mut Source<'_>,
    budget: &Budget,
) -> Result<Result<Plugin>> {
    let mut archive = Archive::of(entries, links);
    // The manifest alone first: what is rejected for it has no components.
    archive.fetch(&["plugin.json"], source, budget)?;
    if let Err(error) = plugin::load(&mut archive) {
        return Ok(Err(error));
    }
    archive.fetch(&["mcp.json"], source, budget)?;
    archive.judge_skills(source, budget)?;
    Ok(plugin::load(&mut archive))
}

impl Archive {
    fn of<'l>(entries: &[EntryReport], links: impl Iterator<Item = (&'l str, &'l str)>) -> Self {
        let mut archive = Self::default();
        for (entry, ordinal) in entries.iter().zip(1_u64..) {
            let EntryPath::Text(path) = &entry.path else { continue };
            if entry.omitted || entry.refused.is_some() || matches!(path.as_str(), "" | ".") {
                continue;
            }
            let node = match (entry.kind, &entry.link_target) {
                (EntryKind::Directory, _) => Node::Directory,
                (EntryKind::File, None) => Node::File { source: ordinal, bytes: entry.bytes },
                // A hard link is a copy of an earlier file, or of another copy of one.
                (EntryKind::File, Some(from)) => match archive.nodes.get(from) {
                    Some(node @ Node::File { .. }) => node.clone(),
                    _ => continue,
                },
                _ => continue,
            };
            archive.put(path, node);
        }
        for (path, target) in links {
            archive.put(path, Node::Link(target.to_owned()));
        }
        archive
    }

    fn put(&mut self, path: &str, node: Node) {
        for (at, _) in path.match_indices('/') {
            if let Some(above) = path.get(..at) {
                self.nodes.entry(above.to_owned()).or_insert(Node::Directory);
            }
        }
        self.nodes.insert(path.to_owned(), node);
    }

    /// Where a path leads: a node with its own path, or nowhere.
    fn resolve(&self, path: &str) -> Result<(String, Node), Place> {
        let mut at: Vec<String> = Vec::new();
        let mut queue: VecDeque<String> = path.split('/').map(str::to_owned).collect();
        let mut steps = 0_u32;
        let mut node = Node::Directory;
        while let Some(component) = queue.pop_front() {
            match component.as_str() {
                "" | "." => continue,
                ".." => {
                    if at.pop().is_none() {
                        return Err(Place::Outside);
                    }
                    node = Node::Directory;
                    continue;
                }
                _ => {}
            }
            let nowhere = |queue: &VecDeque<String>, depth: usize| {
                lexical(&queue.iter().map(String::as_str).collect::<Vec<_>>().join("/"), depth.saturating_add(1))
            };
            if node != Node::Directory {
                return Err(nowhere(&queue, at.len()));
            }
            let depth = at.len();
            at.push(component);
            match self.nodes.get(&at.join("/")) {
                None => return Err(nowhere(&queue, depth)),
                Some(Node::Link(target)) => {
                    at.pop();
                    steps = steps.saturating_add(1);
                    for part in target.rsplit('/') {
                        queue.push_front(part.to_owned());
                    }
                    if steps > MOST_STEPS || queue.len() > MOST_COMPONENTS {
                        return Err(Place::Other);
                    }
                }
                Some(found) => node = found.clone(),
            }
        }
        Ok((at.join("/"), node))
    }

    /// Reads these files, as far as they are any.
    fn fetch(&mut self, paths: &[&str], source: &mut Source<'_>, budget: &Budget) -> Result<()> {
        for path in paths {
            if let Ok((_, Node::File { source: ordinal, bytes })) = self.resolve(path)
                && bytes <= MOST_DOCUMENT
            {
                let mut budget = budget.restarted();
                let mut members = source(&mut budget)?;
                let bytes = content(members.as_mut(), ordinal, &mut budget, MOST_DOCUMENT)?;
                self.documents.insert(ordinal, bytes);
            }
        }
        Ok(())
    }

    /// Reads every SKILL.md in one more pass. Each is judged as it comes; only its name and description are kept.
    fn judge_skills(&mut self, source: &mut Source<'_>, budget: &Budget) -> Result<()> {
        let mut wanted: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        // Names in an archive are text.
        let children: BTreeSet<String> = match self.names("skills") {
            Ok(names) if names.len() <= MOST_CHILDREN => {
                names.into_iter().filter_map(|name| name.into_string().ok()).collect()
            }
            _ => return Ok(()),
        };
        for name in children {
            match self.resolve(&format!("skills/{name}/SKILL.md")) {
                Ok((_, Node::File { bytes, .. })) if bytes > MOST_DOCUMENT => {
                    self.judged.insert(name, Looked::TooLarge);
                }
                Ok((_, Node::File { source, .. })) => wanted.entry(source).or_default().push(name),
                _ => {}
            }
        }
        if wanted.is_empty() {
            return Ok(());
        }
        let mut budget = budget.restarted();
        let mut members = source(&mut budget)?;
        while let Some(member) = members.next(&mut budget)? {
            let Some(names) = wanted.remove(&member.ordinal) else { continue };
            let mut bytes = Vec::new();
            while let Some(piece) = members.data(&mut budget)? {
                bytes.extend_from_slice(piece);
            }
            for name in names {
                let judged = judge_skill(&name, &bytes);
                self.judged.insert(name, Looked::Found(judged));
            }
            if wanted.is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn place_of(&self, path: &str) -> Place {
        match self.resolve(path) {
            Ok((_, Node::Directory)) => Place::Directory,
            Ok((_, Node::File { .. })) => Place::File,
            Ok((_, Node::Link(_))) => Place::Other,
            Err(place) => place,
        }
    }
}

impl Package for Archive {
    fn place(&mut self, path: &str) -> Result<Place> {
        Ok(self.place_of(path))
    }

    fn names(&mut self, path: &str) -> Result<Vec<OsString>> {
        let Ok((directory, Node::Directory)) = self.resolve(path) else { return Ok(Vec::new()) };
        let prefix = format!("{directory}/");
        let below = self.nodes.range(prefix.clone()..).map_while(|(path, _)| path.strip_prefix(&prefix));
        Ok(below.filter(|rest| !rest.contains('/')).take(MOST_CHILDREN.saturating_add(1)).map(OsString::from).collect())
    }

    fn document(&mut self, path: &str) -> Result<Looked<Vec<u8>>> {
        match self.resolve(path) {
            Ok((_, Node::File { bytes, .. })) if bytes > MOST_DOCUMENT => Ok(Looked::TooLarge),
            Ok((_, Node::File { source, .. })) => Ok(match self.documents.get(&source) {
                Some(bytes) => Looked::Found(bytes.clone()),
                None => Looked::No(Place::Absent),
            }),
            _ => Ok(Looked::No(self.place_of(path))),
        }
    }

    fn skill(&mut self, directory: &str) -> Result<Looked<Judged>> {
        match self.judged.remove(directory) {
            Some(judged) => Ok(judged),
            None => Ok(Looked::No(self.place_of(&format!("skills/{directory}/SKILL.md")))),
        }
    }
}
