//! Which file of a room uses which other, read out of the sources.
//!
//! A file uses another when a path in its code ends at something that is defined there: after `use`, or anywhere else.
//! `crate::`, `self::`, `super::`, the file's own children and the modules that it imports are followed to the file in
//! which the name is defined, through re-exports. So a `mod.rs` that only declares and re-exports its children uses none of
//! them, and who takes a re-exported name from it uses the child and not the `mod.rs`.
//!
//! Invariant: code that is compiled for tests alone is not read: a test beside its file may use whatever it tests with.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The files that each file uses, by their paths below the sources.
pub type Uses = BTreeMap<String, BTreeSet<String>>;

/// The files of one room, by their modules, and what each says.
pub struct Room {
    modules: BTreeMap<Vec<String>, Module>,
}

struct Module {
    /// The path below the sources.
    file: String,
    /// The code without the `use` lines.
    code: String,
    imports: Vec<Import>,
}

/// One name that a `use` line brings in.
struct Import {
    name: String,
    path: Vec<String>,
    visibility: Visibility,
}

#[derive(Copy, Clone, Eq, PartialEq)]
enum Visibility {
    /// For this file.
    Private,
    /// For others too, and perhaps for others alone.
    Public,
}

impl Room {
    /// Reads the room in this folder of the sources.
    pub fn read(sources: &Path, name: &str) -> Room {
        let mut room = Room { modules: BTreeMap::new() };
        room.read_module(sources, vec![name.to_owned()], format!("{name}/lib.rs"));
        room
    }

    fn read_module(&mut self, sources: &Path, path: Vec<String>, file: String) {
        let text = fs::read_to_string(sources.join(&file)).unwrap();
        let (code, imports) = without_uses(&with_modules_opened(&without_tests(&text)));
        let children: Vec<String> = code.lines().filter_map(declared).map(ToOwned::to_owned).collect();
        self.modules.insert(path.clone(), Module { file, code, imports });
        for child in children {
            let path: Vec<String> = path.iter().cloned().chain([child]).collect();
            let beside = format!("{}.rs", path.join("/"));
            let file = if sources.join(&beside).exists() { beside } else { format!("{}/mod.rs", path.join("/")) };
            self.read_module(sources, path, file);
        }
    }

    /// For each file the files that it uses.
    pub fn uses(&self) -> Uses {
        self.modules.iter().map(|(path, module)| (module.file.clone(), self.used_by(path, module))).collect()
    }

    fn used_by(&self, at: &[String], module: &Module) -> BTreeSet<String> {
        let mut paths = paths_in(&module.code);
        // What is only handed on to others is not used here.
        let is_used = |import: &&Import| {
            import.visibility == Visibility::Private || words(&module.code).any(|word| word == import.name)
        };
        paths.extend(module.imports.iter().filter(is_used).map(|import| import.path.clone()));
        let definers = paths.iter().filter_map(|path| self.definer(at, path, 0));
        definers.map(|definer| self.modules[&definer].file.clone()).filter(|file| *file != module.file).collect()
    }

    /// The module in which what this path names is defined; nothing, if it names a module or leads out of the room.
    fn definer(&self, at: &[String], path: &[String], depth: usize) -> Option<Vec<String>> {
        assert!(depth < 20, "{path:?} in {at:?} leads in circles");
        let (first, rest) = path.split_first()?;
        let mut here = at.to_vec();
        match first.as_str() {
            "crate" => here.truncate(1),
            "self" => {}
            "super" if here.len() == 1 => return None,
            "super" => drop(here.pop()),
            child => {
                here.push(child.to_owned());
                if !self.modules.contains_key(&here) {
                    return self.definer_of_name(at, path, depth);
                }
            }
        }
        self.definer(&here, rest, depth + 1)
    }

    /// The module in which a name is defined that is no child of this one: another, if it is imported here.
    fn definer_of_name(&self, at: &[String], path: &[String], depth: usize) -> Option<Vec<String>> {
        match self.modules[at].imports.iter().find(|import| import.name == path[0]) {
            // A crate that is imported under its own name.
            Some(import) if import.path[0] == path[0] => None,
            Some(import) => {
                let whole: Vec<String> = import.path.iter().chain(&path[1..]).cloned().collect();
                self.definer(at, &whole, depth + 1)
            }
            None => Some(at.to_vec()),
        }
    }
}

/// A circle of files that use each other, if there is one: each before the one that it uses, the first once more at the end.
pub fn circle(uses: &Uses) -> Option<Vec<&str>> {
    let mut done = BTreeSet::new();
    uses.keys().find_map(|file| circle_from(file, uses, &mut Vec::new(), &mut done))
}

fn circle_from<'a>(
    file: &'a str,
    uses: &'a Uses,
    way: &mut Vec<&'a str>,
    done: &mut BTreeSet<&'a str>,
) -> Option<Vec<&'a str>> {
    if let Some(start) = way.iter().position(|before| *before == file) {
        return Some(way[start..].iter().copied().chain([file]).collect());
    }
    if done.contains(file) {
        return None;
    }
    way.push(file);
    let found = uses[file].iter().find_map(|used| circle_from(used, uses, way, done));
    way.pop();
    done.insert(file);
    found
}

/// The text without comments and without the items that are for tests alone.
pub fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            kept.push_str(line);
            kept.push('\n');
            continue;
        }
        // As rustfmt lays it out, an item ends on its first line or at the bracket that stands as far in as it began.
        let mut item = lines.by_ref().skip_while(|line| line.trim().is_empty() || line.trim().starts_with("#["));
        let first = item.next().unwrap_or_default();
        if !first.ends_with([';', ',', '}']) {
            let indent = &first[..first.len() - first.trim_start().len()];
            item.find(|line| line.strip_prefix(indent).is_some_and(|rest| rest.starts_with('}')));
        }
    }
    kept
}

/// The text with what stands in a module within the file seen from the file itself.
fn with_modules_opened(text: &str) -> String {
    let mut is_within = false;
    let mut opened = String::new();
    for line in text.lines() {
        is_within = match line.trim_end_matches(" {").split_once("mod ") {
            Some((before, _)) if is_visibility(before) && line.ends_with('{') => true,
            _ => is_within && line != "}",
        };
        let is_own = is_within && line.trim_start().starts_with("use super::") && !line.contains("super::super::");
        if !is_own {
            opened.push_str(&if is_within { line.replacen("super::", "self::", 1) } else { line.to_owned() });
            opened.push('\n');
        }
    }
    opened
}

/// The code without its `use` lines, and what they bring in.
fn without_uses(text: &str) -> (String, Vec<Import>) {
    let (mut code, mut imports) = (String::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((before, begun)) = line.trim().split_once("use ").filter(|(before, _)| is_visibility(before)) else {
            code.push_str(line);
            code.push('\n');
            continue;
        };
        let mut tree = begun.to_owned();
        while !tree.ends_with(';') {
            tree.push_str(lines.next().unwrap_or(";").trim());
        }
        let visibility = if before.is_empty() { Visibility::Private } else { Visibility::Public };
        unfold(tree.trim_end_matches(';'), &[], visibility, &mut imports);
    }
    (code, imports)
}

/// Whether this, before a keyword, says no more than who may see what follows.
pub fn is_visibility(before: &str) -> bool {
    before.is_empty() || before == "pub " || before.starts_with("pub(") && before.ends_with(") ")
}

/// The names that a `use` tree binds, with their paths.
fn unfold(tree: &str, before: &[String], visibility: Visibility, imports: &mut Vec<Import>) {
    let tree = tree.trim();
    if let Some((head, branches)) = tree.strip_suffix('}').and_then(|tree| tree.split_once('{')) {
        let head = head.split("::").map(str::trim).filter(|segment| !segment.is_empty()).map(ToOwned::to_owned);
        let before: Vec<String> = before.iter().cloned().chain(head).collect();
        let mut depth = 0;
        let at_commas = |c: char| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        };
        branches.split(at_commas).filter(|branch| !branch.trim().is_empty()).for_each(|branch| {
            unfold(branch, &before, visibility, imports);
        });
        return;
    }
    let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias.trim())));
    let path = path.split("::").map(|segment| segment.trim().to_owned());
    let mut path: Vec<String> = before.iter().cloned().chain(path).collect();
    if !before.is_empty() && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = alias.unwrap_or_else(|| path.last().unwrap()).to_owned();
    imports.push(Import { name, path, visibility });
}

/// The child that a line declares, if it does.
pub fn declared(line: &str) -> Option<&str> {
    line.strip_suffix(';')?.split_once("mod ").filter(|(before, _)| is_visibility(before)).map(|(_, name)| name)
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

pub fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c| !is_of_word(c))
}

/// All paths of more than one segment in the code.
fn paths_in(code: &str) -> Vec<Vec<String>> {
    let paths = code.split(|c: char| !is_of_word(c) && c != ':');
    let segments = paths.map(|path| path.split("::").map(|segment| segment.trim_matches(':').to_owned()));
    segments.map(Iterator::collect::<Vec<_>>).filter(|path| path.len() > 1 && !path[0].is_empty()).collect()
}
