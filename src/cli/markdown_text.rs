//! A page in Markdown as plain text for a terminal: paragraphs, lists, tables and blocks of code. Links lose their
//! targets, and the signs of code stay.
//!
//! Invariant: no word is lost. A line is longer than asked only in a block of code, or for a single word.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::columns::aligned;
use super::tell::wrapped;

/// A block of code, and the rest of an item, stand so far to the right.
const INDENT: usize = 4;
/// The first column of a table is at most so wide where the rest of a row is wrapped beside it.
const FIRST_COLUMN_MAX: usize = 26;

/// The page in plain text of at most this many columns.
pub fn plain(markdown: &str, columns: usize) -> String {
    let mut page = PlainPage { columns, ..PlainPage::default() };
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        page.take(event);
    }
    page.lines.join("\n") + "\n"
}

#[derive(Default)]
struct PlainPage {
    columns: usize,
    lines: Vec<String>,
    /// The text of the present paragraph, heading, item or cell.
    text: String,
    /// How deep the lists are in which the text stands.
    depth: usize,
    is_code: bool,
    rows: Vec<Vec<String>>,
}

impl PlainPage {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) if self.is_code => {
                let lines = text.lines().map(|line| format!("{:INDENT$}{line}", "").trim_end().to_owned());
                self.lines.extend(lines);
            }
            Event::Text(text) => self.text.push_str(&text),
            // The first column of a table says what it is.
            Event::Code(code) if self.rows.last().is_some_and(Vec::is_empty) => self.text.push_str(&code),
            Event::Code(code) => self.text.push_str(&format!("`{code}`")),
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            Event::Start(Tag::CodeBlock(_)) => self.is_code = true,
            Event::Start(Tag::List(_)) => {
                self.end_text();
                self.depth += 1;
            }
            Event::Start(Tag::Table(_)) => self.rows = vec![Vec::new()],
            Event::Start(Tag::TableRow) => self.rows.push(Vec::new()),
            Event::End(TagEnd::Heading(level)) => self.end_heading(level),
            Event::End(TagEnd::Paragraph) => {
                self.end_text();
                self.gap();
            }
            Event::End(TagEnd::Item) => self.end_text(),
            Event::End(TagEnd::List(_)) => {
                self.depth -= 1;
                self.gap();
            }
            Event::End(TagEnd::CodeBlock) => {
                self.is_code = false;
                self.gap();
            }
            Event::End(TagEnd::TableCell) => {
                let cell = std::mem::take(&mut self.text);
                self.rows.last_mut().expect("a cell stands in a row").push(cell);
            }
            Event::End(TagEnd::Table) => self.end_table(),
            _ => {}
        }
    }

    /// An empty line, unless there is one.
    fn gap(&mut self) {
        if self.depth == 0 && self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(String::new());
        }
    }

    fn end_heading(&mut self, level: HeadingLevel) {
        let heading = std::mem::take(&mut self.text);
        let under = if level == HeadingLevel::H1 { "=" } else { "-" };
        self.gap();
        self.lines.push(heading.clone());
        self.lines.push(under.repeat(heading.chars().count()));
        self.lines.push(String::new());
    }

    fn end_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.trim().is_empty() {
            return;
        }
        let indent = 2 * self.depth;
        for (at, line) in wrapped(&text, self.columns - indent).into_iter().enumerate() {
            let sign = if self.depth > 0 && at == 0 { "- " } else { "  " };
            let before = if self.depth == 0 { String::new() } else { " ".repeat(indent - 2) + sign };
            self.lines.push(format!("{before}{line}"));
        }
    }

    fn end_table(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        let width = rows.first().map_or(0, Vec::len);
        rows.iter_mut().for_each(|row| row.resize(width, String::new()));
        let whole = aligned(&rows, width);
        if whole.iter().all(|line| line.chars().count() <= self.columns) {
            self.lines.extend(whole);
        } else {
            let longest = rows.iter().map(|row| row[0].chars().count()).max().unwrap_or(0);
            let first = longest.min(FIRST_COLUMN_MAX);
            rows.iter().for_each(|row| self.add_row(row, first));
        }
        self.gap();
    }

    /// A row whose first cell stands to the left of the others, which are wrapped.
    fn add_row(&mut self, row: &[String], first: usize) {
        let beside = row[1..].iter().filter(|cell| !cell.is_empty()).cloned().collect::<Vec<_>>().join("; ");
        let mut rest = wrapped(&beside, self.columns - first - 2).into_iter();
        if row[0].chars().count() > first {
            self.lines.push(row[0].clone());
        } else {
            let line = format!("{:<first$}  {}", row[0], rest.next().unwrap_or_default());
            self.lines.push(line.trim_end().to_owned());
        }
        self.lines.extend(rest.map(|line| format!("{:first$}  {line}", "").trim_end().to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_block_is_plain_text() {
        let page = "# A\n\nOne [two](x.md) `three`\nfour.\n\n- five six seven\n- eight\n\n```sh\nnine   ten\n```\n\n\
                    | a | b |\n|---|---|\n| `c` | d |\n";
        let lines = [
            "A",
            "=",
            "",
            "One two",
            "`three`",
            "four.",
            "",
            "- five six",
            "  seven",
            "- eight",
            "",
            "    nine   ten",
            "",
            "a  b",
            "c  d",
            "",
            "",
        ];
        assert_eq!(plain(page, 12), lines.join("\n"));
    }

    #[test]
    fn a_wide_table_is_wrapped_beside_its_first_column() {
        let page = "| key | does |\n|---|---|\n| q | one two three four |\n";
        assert_eq!(plain(page, 14), "key  does\nq    one two\n     three\n     four\n\n");
    }
}
