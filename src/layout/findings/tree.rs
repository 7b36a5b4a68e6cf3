//! What names say: configuration that is loaded by itself, files that stand in for others, names that look alike.

use std::collections::{BTreeMap, BTreeSet};

use super::{Said, Whole, shown};
use crate::error::Code;
use crate::policy::skeleton;
use crate::report::{EntryKind, EntryPath, EntryReport};

/// Files of this many bytes are outliers: of 77 public skills none has one of more than 1 MiB.
const LARGE: u64 = 10 << 20;

/// Read by agents where they lie at the root.
const ROOT_CONFIG: &[&str] = &[
    "claude.md",
    "claude.local.md",
    "agents.md",
    "agent.md",
    "gemini.md",
    "copilot-instructions.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".mcp.json",
    "mcp.json",
    ".claude.json",
];
/// Directories of agents and editors, wherever they lie.
const CONFIG_DIRECTORIES: &[&str] = &[
    ".claude",
    ".claude-plugin",
    ".codex",
    ".cursor",
    ".devcontainer",
    ".gemini",
    ".idea",
    ".opencode",
    ".roo",
    ".vscode",
    ".windsurf",
    ".zed",
];
/// Files that tools obey or run, wherever they lie.
const TOOL_FILES: &[&str] = &[
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    ".envrc",
    ".gitattributes",
    ".gitmodules",
    ".gitconfig",
    ".pre-commit-config.yaml",
    "conftest.py",
    "sitecustomize.py",
    "usercustomize.py",
    "makefile",
    "gnumakefile",
];
/// Extensions that Windows acts on when it shows a folder.
const WINDOWS_EXTENSIONS: &[&str] =
    &["url", "lnk", "library-ms", "scf", "search-ms", "searchconnector-ms", "website", "theme"];
/// Extensions of programs, and of what people expect instead.
const PROGRAMS: &[&str] =
    &["exe", "scr", "com", "bat", "cmd", "pif", "msi", "vbs", "js", "jse", "hta", "ps1", "sh", "app"];
const DOCUMENTS: &[&str] = &[
    "md", "txt", "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "png", "jpg", "jpeg", "gif", "csv", "json", "html",
];

pub(super) fn look(whole: Whole<'_>, said: &mut Said) {
    let files = || whole.entries.iter().filter_map(|entry| Some((entry, written(entry)?)));
    for (entry, path) in files() {
        if entry.kind == EntryKind::Directory {
            continue;
        }
        names(path, said);
        if entry.bytes >= LARGE {
            said.say(Code::LargeFile, Some(path), || format!("`{}` has {} bytes", shown(path), entry.bytes));
        }
    }
    whole.links.iter().for_each(|path| names(path, said));
    let all: Vec<&str> = files().map(|(_, path)| path).chain(whole.links.iter().copied()).collect();
    extensions_beside_source(&all, said);
    look_alikes(&all, said);
}

/// The path of a member that is written; links come apart.
fn written(entry: &EntryReport) -> Option<&str> {
    match &entry.path {
        EntryPath::Text(path) if !entry.omitted && entry.refused.is_none() && !path.is_empty() => Some(path),
        _ => None,
    }
}

fn names(path: &str, said: &mut Said) {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    let mut components = lower.split('/');
    let top = components.next().unwrap_or_default();
    let is_root = top.len() == lower.len();
    let directory = lower.rsplit_once('/').map(|(directory, _)| directory).unwrap_or_default();
    let in_config = directory.split('/').find(|component| CONFIG_DIRECTORIES.contains(component));
    if (is_root && ROOT_CONFIG.contains(&name)) || in_config.is_some() || (top == "hooks" && !is_root) {
        said.say(Code::AgentConfig, Some(path), || format!("an agent or editor may load `{}` by itself", shown(path)));
    }
    if TOOL_FILES.contains(&name) || extension(name) == Some("pth") {
        said.say(Code::ToolAutoload, Some(path), || format!("tools run or obey `{}` by themselves", shown(path)));
    }
    if matches!(extension(name), Some("pyc" | "pyo")) {
        said.say(Code::ShadowingFile, Some(path), || {
            format!("Python may load `{}` in place of the source", shown(path))
        });
    }
    if let Some((inner, last)) = name.rsplit_once('.')
        && PROGRAMS.contains(&last)
        && extension(inner).is_some_and(|first| DOCUMENTS.contains(&first))
    {
        said.say(Code::ShadowingFile, Some(path), || {
            format!("`{}` is a program with the look of a document", shown(path))
        });
    }
    if matches!(name, "desktop.ini" | "autorun.inf")
        || extension(name).is_some_and(|last| WINDOWS_EXTENSIONS.contains(&last))
    {
        said.say(Code::OsAutoload, Some(path), || {
            format!("Windows acts on `{}` when it shows the folder", shown(path))
        });
    }
    if name == "skill.md" && !is_root {
        said.say(Code::NestedSkillMd, Some(path), || {
            format!("some clients load `{}` as a skill of its own", shown(path))
        });
    }
}

fn extension(name: &str) -> Option<&str> {
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension)
}

/// `lib.so` beside `lib.py`: Python takes the binary.
fn extensions_beside_source(paths: &[&str], said: &mut Said) {
    let is_binary = |path: &&&str| matches!(extension(path), Some("so" | "pyd" | "dll" | "dylib"));
    let mut binaries = paths.iter().filter(is_binary).peekable();
    if binaries.peek().is_none() {
        return;
    }
    let sources: BTreeSet<&str> = paths.iter().filter_map(|path| path.strip_suffix(".py")).collect();
    for path in binaries {
        // `lib.cpython-313-x86_64-linux-gnu.so` is `lib`, too.
        let (directory, name) = path.rsplit_once('/').map_or(("", *path), |(directory, name)| (directory, name));
        let stem = name.split('.').next().unwrap_or_default();
        let source = if directory.is_empty() { stem.to_owned() } else { format!("{directory}/{stem}") };
        if sources.contains(source.as_str()) {
            said.say(Code::ShadowingFile, Some(path), || {
                format!("Python loads `{}` in place of `{}.py`", shown(path), shown(&source))
            });
        }
    }
}

/// Only directories with a name beyond ASCII are looked at: `l` and `1` look alike, and nobody is fooled.
fn look_alikes(paths: &[&str], said: &mut Said) {
    let mut siblings: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for path in paths {
        let mut start = 0_usize;
        for (end, _) in path.match_indices('/').chain([(path.len(), "")]) {
            let directory = path.get(..start.max(1).saturating_sub(1)).unwrap_or_default();
            siblings.entry(directory).or_default().insert(path.get(start..end).unwrap_or_default());
            start = end.saturating_add(1);
        }
    }
    for (directory, names) in siblings {
        if names.iter().all(|name| name.is_ascii()) {
            continue;
        }
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        for name in names {
            let Some(first) = seen.insert(skeleton(name), name) else { continue };
            if first.is_ascii() && name.is_ascii() {
                continue;
            }
            let path = if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };
            said.say(Code::HomoglyphSibling, Some(&path), || {
                format!("`{}` looks like `{}` beside it", shown(&path), shown(first))
            });
        }
    }
}

pub(super) fn is_manifest(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case("package.json"))
}

/// A script that npm runs when the package is installed. Looked for as a key, since JSON here needs no more.
pub(super) fn install_script(manifest: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(manifest);
    let is_key = |name: &&&str| {
        let quoted = format!("\"{name}\"");
        text.match_indices(&quoted).any(|(at, found)| {
            let rest = text.get(at.saturating_add(found.len())..).unwrap_or_default();
            rest.trim_start().strip_prefix(':').is_some_and(|value| value.trim_start().starts_with('"'))
        })
    };
    ["preinstall", "install", "postinstall", "prepare"].iter().find(is_key).copied()
}
