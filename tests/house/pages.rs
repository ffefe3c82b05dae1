//! The pages that people read: where their links lead, what the manual's index lists, and how long the front page is.
//!
//! Invariant: a link to a place within a page is looked up by the name that GitHub gives a heading.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders in which pages stand.
const FOLDERS: &[&str] = &["", "labs", "scripts", "src/manual"];

/// How long the front page may be, in lines.
const FRONT_PAGE_LINES: usize = 180;

/// The names of the files of a folder that are no folders themselves.
fn files(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(super::root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_file()).map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

/// All pages, by their paths.
fn pages() -> Vec<PathBuf> {
    let in_folder = |folder: &&str| {
        let names = files(folder).into_iter().filter(|name| name.ends_with(".md"));
        let folder = super::root().join(folder);
        names.map(move |name| folder.join(name)).collect::<Vec<_>>()
    };
    FOLDERS.iter().flat_map(in_folder).collect()
}

/// The text without its blocks of code.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

/// Where the links and the pictures of a text lead.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let targets = prose.split("](").skip(1).map(|rest| rest.split(')').next().unwrap().to_owned());
    targets.collect()
}

/// The names of a text's headings, as links name them.
fn anchors(text: &str) -> Vec<String> {
    let prose = prose(text);
    let headings = prose.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let kept = |heading: &str| {
        let letters = heading.to_lowercase().replace(' ', "-");
        letters.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect::<String>()
    };
    headings.map(kept).collect()
}

/// Why a link of the page at this path leads nowhere.
fn is_wrong(page: &Path, link: &str) -> Option<String> {
    if link.starts_with("https://") {
        return None;
    }
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    let target = if path.is_empty() { page.to_owned() } else { page.parent().unwrap().join(path) };
    if !target.exists() {
        return Some(format!("{}: there is no {path}", page.display()));
    }
    let anchor = anchor?;
    let is_there = fs::read_to_string(&target).is_ok_and(|text| anchors(&text).iter().any(|name| name == anchor));
    (!is_there).then(|| format!("{}: {path} has no heading {anchor}", page.display()))
}

#[test]
fn every_link_of_a_page_leads_somewhere() {
    let place = tempfile::tempdir().unwrap();
    let page = place.path().join("a.md");
    let text = "# A\n\n[b](#b-c), [d](d.md)\n\n```sh\n# no heading [x](y)\n```\n\n## B, `c`\n";
    fs::write(&page, text).unwrap();
    assert_eq!((links(text), anchors(text)), (vec!["#b-c".into(), "d.md".into()], vec!["a".into(), "b-c".into()]));
    assert_eq!(is_wrong(&page, "#b-c"), None);
    assert!(is_wrong(&page, "a.md#d").is_some() && is_wrong(&page, "d.md").is_some());

    let pages = pages();
    let every = pages.iter().flat_map(|page| {
        let links = links(&fs::read_to_string(page).unwrap());
        links.into_iter().map(move |link| (page, link))
    });
    let every: Vec<_> = every.collect();
    assert!(pages.len() > 10 && every.len() > 40, "pages and links are found: {every:?}");
    let wrong: Vec<String> = every.iter().filter_map(|(page, link)| is_wrong(page, link)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_front_page_and_the_index_lead_to_every_page_of_the_manual() {
    let chapters = files("src/manual").into_iter().filter(|name| name != "README.md");
    let index = links(&fs::read_to_string(super::root().join("src/manual/README.md")).unwrap());
    let front = links(&fs::read_to_string(super::root().join("README.md")).unwrap());
    for chapter in chapters {
        assert!(index.contains(&chapter), "src/manual/README.md does not list {chapter}");
        assert!(front.contains(&format!("src/manual/{chapter}")), "README.md does not list {chapter}");
    }
}

#[test]
fn the_front_page_is_short() {
    let lines = fs::read_to_string(super::root().join("README.md")).unwrap().lines().count();
    assert!(lines <= FRONT_PAGE_LINES, "README.md has {lines} lines: move what is a manual's to src/manual/");
}

#[test]
fn the_page_of_the_scripts_lists_each_of_them() {
    let page = fs::read_to_string(super::root().join("scripts/README.md")).unwrap();
    let listed = page.lines().filter_map(|line| line.strip_prefix("| `scripts/")?.split(['`', ' ']).next());
    let mut listed: BTreeSet<String> = listed.map(str::to_owned).collect();
    listed.extend(["README.md", "program.sh"].map(str::to_owned));
    assert_eq!(listed, files("scripts"));
}
