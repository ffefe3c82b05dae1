//! A page in Markdown as blocks: headings, paragraphs, items of lists, blocks of code, tables.
//!
//! Invariant: no word is lost, and the signs of code stay. Where a link leads that only the source has is said beside it:
//! a page of the manual by the command that shows it, another file by its path.

use std::fmt::Write;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A part of a page.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum PageBlock {
    /// A heading, of the level 1 for the page's title.
    Heading { level: usize, text: String },
    /// A paragraph.
    Paragraph(String),
    /// An item of a list: how deep it stands, from 1, and its sign, which is a number in a list that has numbers.
    Item { depth: usize, sign: String, text: String },
    /// Lines as they stand.
    Code(Vec<String>),
    /// Rows of as many cells each; the first one has the titles.
    Table(Vec<Vec<String>>),
}

/// A table of two columns: names, which are code, and what is said of each.
pub fn table<'a>(titles: [&str; 2], rows: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = format!("| {} | {} |\n|---|---|\n", titles[0], titles[1]);
    for (name, about) in rows {
        let [name, about] = [name, about].map(|cell| cell.replace('|', "\\|").replace('\n', " "));
        let _ = writeln!(text, "| `{name}` | {about} |");
    }
    text
}

/// The blocks of a page.
pub fn blocks(markdown: &str) -> Vec<PageBlock> {
    let mut reader = BlockReader::default();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        reader.take(event);
    }
    reader.blocks
}

#[derive(Default)]
struct BlockReader {
    blocks: Vec<PageBlock>,
    /// The text of the present paragraph, heading, item, cell or block of code.
    pending: String,
    /// For each list in which the text stands, the number of its next item; absent: its items have none.
    lists: Vec<Option<u64>>,
    rows: Vec<Vec<String>>,
    /// Where the present link leads.
    link: String,
}

impl BlockReader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => self.pending.push_str(&text),
            Event::Code(code) => self.pending.push_str(&format!("`{code}`")),
            Event::SoftBreak | Event::HardBreak => self.pending.push(' '),
            Event::Start(Tag::CodeBlock(_)) => self.end_text(),
            Event::End(TagEnd::CodeBlock) => {
                let lines = self.pending.lines().map(|line| line.trim_end().to_owned());
                self.blocks.push(PageBlock::Code(lines.collect()));
                self.pending.clear();
            }
            Event::Start(Tag::List(first)) => {
                self.end_text();
                self.lists.push(first);
            }
            Event::End(TagEnd::List(_)) => {
                self.lists.pop();
            }
            Event::Start(Tag::Link { dest_url, .. }) => self.link = dest_url.into_string(),
            Event::End(TagEnd::Link) => self.end_link(),
            Event::Start(Tag::Table(_)) => self.rows = vec![Vec::new()],
            Event::Start(Tag::TableRow) => self.rows.push(Vec::new()),
            Event::End(TagEnd::TableCell) => {
                let cell = std::mem::take(&mut self.pending);
                self.rows.last_mut().expect("a cell stands in a row").push(cell);
            }
            Event::End(TagEnd::Table) => {
                let mut rows = std::mem::take(&mut self.rows);
                let width = rows.first().map_or(0, Vec::len);
                rows.iter_mut().for_each(|row| row.resize(width, String::new()));
                self.blocks.push(PageBlock::Table(rows));
            }
            Event::End(TagEnd::Heading(level)) => {
                let text = std::mem::take(&mut self.pending);
                self.blocks.push(PageBlock::Heading { level: level as usize, text });
            }
            Event::End(TagEnd::Paragraph | TagEnd::Item) => self.end_text(),
            _ => {}
        }
    }

    fn end_text(&mut self) {
        let text = std::mem::take(&mut self.pending);
        if text.trim().is_empty() {
            return;
        }
        let depth = self.lists.len();
        self.blocks.push(match self.lists.last_mut() {
            None => PageBlock::Paragraph(text),
            Some(None) => PageBlock::Item { depth, sign: "-".to_owned(), text },
            Some(Some(number)) => {
                *number += 1;
                PageBlock::Item { depth, sign: format!("{}.", *number - 1), text }
            }
        });
    }

    fn end_link(&mut self) {
        let link = std::mem::take(&mut self.link);
        let path = link.split('#').next().unwrap_or_default();
        let beside = match path.strip_suffix(".md") {
            // Another page of the manual stands in the same folder, which is src/manual.
            Some(topic) if !topic.contains('/') => format!("`hustings help {topic}`"),
            _ if link.starts_with("https://") => link,
            _ => path.strip_prefix("../../").map_or_else(|| path.replacen("..", "src", 1), str::to_owned),
        };
        if !beside.is_empty() && !self.pending.contains(&beside) {
            self.pending.push_str(&format!(" ({beside})"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_says_where_it_leads() {
        let page = "[One](faults.md), [two](../lib.rs), [`labs/x`](../../labs/x) and [three](https://a.b).\n";
        let text = "One (`hustings help faults`), two (src/lib.rs), `labs/x` and three (https://a.b).";
        assert_eq!(blocks(page), [PageBlock::Paragraph(text.to_owned())]);
    }

    #[test]
    fn items_have_the_numbers_of_their_list() {
        let item = |sign: &str, text: &str| PageBlock::Item { depth: 1, sign: sign.to_owned(), text: text.to_owned() };
        assert_eq!(blocks("1. a\n2. b\n"), [item("1.", "a"), item("2.", "b")]);
        assert_eq!(blocks("- a\n  b\n"), [item("-", "a b")]);
    }
}
