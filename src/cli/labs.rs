//! `hustings labs`: the labs that come with the project.
//!
//! Invariant: no line of the text form is longer than 80 columns; the table of `labs/README.md` is the Markdown
//! form, word for word.

use serde_json::json;

use super::columns::aligned;
use super::output::{COLUMNS, remark, say, wrapped};
use super::{built_in, code, pager};
use lab::Lab;

/// What `labs` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// List only labs with all of these words in their names, algorithms, papers or descriptions
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// One line for each lab: its name and its algorithm
    #[arg(long, conflicts_with_all = ["json", "markdown"])]
    brief: bool,
    /// One JSON object a line
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// As a table in Markdown
    #[arg(long)]
    markdown: bool,
}

/// How far the text about a lab is indented.
const INDENT: usize = 4;

/// Lists the labs.
pub fn main(arguments: &Arguments) -> u8 {
    let mut labs = match built_in::parsed() {
        Ok(labs) => labs,
        Err(code) => return code,
    };
    labs.retain(|lab| arguments.words.iter().all(|word| has_word(lab, word)));
    if labs.is_empty() {
        remark(format!("no lab has {}; `hustings labs` lists all", arguments.words.join(" and ")));
        return code::USAGE;
    }
    let lines = match (arguments.json, arguments.markdown, arguments.brief) {
        (true, ..) => labs.iter().map(object).collect(),
        (_, true, _) => markdown(&labs),
        (.., true) => return pager::show_lines(&brief(&labs)),
        _ => return pager::show_lines(&text(&labs)),
    };
    lines.iter().for_each(say);
    code::MET
}

/// Whether anything that is listed of the lab has this word.
fn has_word(lab: &Lab, word: &str) -> bool {
    let word = word.to_lowercase();
    [&lab.name, lab.card.name, lab.card.title, source(lab), &lab.about]
        .iter()
        .any(|text| text.to_lowercase().contains(&word))
}

/// A line for each lab.
fn brief(labs: &[Lab]) -> Vec<String> {
    let titles = ["LAB", "ALGORITHM"].map(str::to_owned).to_vec();
    let rows = labs.iter().map(|lab| vec![lab.name.clone(), lab.card.name.to_owned()]);
    aligned(&std::iter::once(titles).chain(rows).collect::<Vec<_>>(), 2)
}

fn source(lab: &Lab) -> &str {
    lab.source.as_deref().unwrap_or("-")
}

fn object(lab: &Lab) -> String {
    json!({
        "v": 1, "name": lab.name, "algorithm": lab.card.name, "nodes": lab.roster.electors().len(), "about": lab.about,
        "source": lab.source,
    })
    .to_string()
}

/// Two lines or more for each lab: its name, algorithm and source, and below them what it teaches.
fn text(labs: &[Lab]) -> Vec<String> {
    let widest = |cell: fn(&Lab) -> usize, title: &str| labs.iter().map(cell).max().unwrap_or(0).max(title.len());
    let name = widest(|lab| lab.name.chars().count(), "LAB");
    let algorithm = widest(|lab| lab.card.name.len(), "ALGORITHM");
    let row = |first: &str, second: &str, third: &str| format!("{first:name$}  {second:algorithm$}  {third}");
    let indent = " ".repeat(INDENT);
    let mut lines = vec![row("LAB", "ALGORITHM", "PAPER AND SECTION"), format!("{indent}WHAT IT TEACHES")];
    for lab in labs {
        lines.push(String::new());
        let room = COLUMNS - name - algorithm - 4;
        for (index, part) in wrapped(source(lab), room).iter().enumerate() {
            lines.push(match index {
                0 => row(&lab.name, lab.card.name, part),
                _ => row("", "", part),
            });
        }
        lines.extend(wrapped(&lab.about, COLUMNS - INDENT).iter().map(|part| format!("{indent}{part}")));
    }
    lines
}

fn markdown(labs: &[Lab]) -> Vec<String> {
    let cell = |text: &str| text.replace('|', "\\|");
    let mut lines = vec!["| lab | algorithm | what it teaches | from |".to_owned(), "|---|---|---|---|".to_owned()];
    for lab in labs {
        let (name, algorithm) = (&lab.name, lab.card.name);
        lines.push(format!("| `{name}` | `{algorithm}` | {} | {} |", cell(&lab.about), cell(source(lab))));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lab_stands_in_the_text_and_no_line_is_too_long() {
        let labs = built_in::parsed().unwrap();
        let lines = text(&labs);
        for lab in &labs {
            let begins = |line: &&String| line.starts_with(&format!("{} ", lab.name));
            let first = lines.iter().find(begins).unwrap();
            assert!(first.contains(&format!(" {} ", lab.card.name)), "{first}");
        }
        let whole = lines.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
        for line in &lines {
            assert!(line.chars().count() <= COLUMNS, "{line}");
        }
        assert!(labs.iter().all(|lab| whole.contains(&lab.about)));
    }

    #[test]
    fn labs_are_found_by_words() {
        let labs = built_in::parsed().unwrap();
        let found = |words: &[&str]| -> Vec<Lab> {
            labs.iter().filter(|lab| words.iter().all(|word| has_word(lab, word))).cloned().collect()
        };
        assert!(found(&["raft"]).iter().any(|lab| lab.name == "raft-minority") && found(&["xyzzy"]).is_empty());
        assert!(found(&["Stoller", "pause"]).len() < found(&["stoller"]).len());
        let lines = brief(&found(&["raft-minority"]));
        assert_eq!(lines, ["LAB            ALGORITHM", "raft-minority  raft"]);
    }

    #[test]
    fn an_object_tells_the_same() {
        let labs = built_in::parsed().unwrap();
        let first = labs.iter().find(|lab| lab.name == "first").unwrap();
        let object: serde_json::Value = serde_json::from_str(&object(first)).unwrap();
        assert_eq!((object["name"].as_str(), object["algorithm"].as_str()), (Some("first"), Some("bully")));
        assert_eq!((object["about"].as_str(), object["source"].as_str()), (Some(&*first.about), Some(source(first))));
    }

    #[test]
    fn the_page_of_the_labs_has_their_table() {
        let page = include_str!("../../labs/README.md");
        let (_, rest) = page.split_once("<!-- labs -->\n").expect("the page marks where the table begins");
        let (table, _) = rest.split_once("<!-- /labs -->\n").expect("the page marks where the table ends");
        let now = markdown(&built_in::parsed().unwrap()).join("\n") + "\n";
        assert!(table == now, "labs/README.md has another table; `scripts/fix` puts this one there:\n\n{now}");
    }
}
