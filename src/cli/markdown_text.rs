//! A page in Markdown as plain text for a terminal.
//!
//! Invariant: no word is lost. A line is longer than asked only in a block of code, or for a single word.

use super::columns::aligned;
use super::markdown_blocks::{PageBlock, blocks};
use super::output::wrapped;

/// A block of code stands so far to the right, if it has the room.
const CODE_INDENT: usize = 4;
/// The columns of a row that is told as a list stand so far to the right.
const ROW_INDENT: usize = 4;
/// The first column of a table is at most so wide where the rest of a row is wrapped beside it.
const FIRST_COLUMN_MAX: usize = 26;
/// A piece of code of at most so many columns stands in one line.
const HELD_CODE_MAX: usize = 28;
/// Stands for a space at which no line ends; no page has this character.
const HELD_SPACE: &str = "\u{1}";

/// The page in plain text of at most this many columns.
pub fn plain(markdown: &str, columns: usize) -> String {
    let mut page = PlainPage { columns, lines: Vec::new() };
    let blocks = blocks(markdown);
    for (at, block) in blocks.iter().enumerate() {
        page.add(block);
        let next = blocks.get(at + 1);
        if !matches!((block, next), (PageBlock::Item { .. }, Some(PageBlock::Item { .. }))) {
            page.lines.push(String::new());
        }
    }
    page.lines.join("\n") + "\n"
}

/// The text without the signs of code, for a place that says by itself that it is code.
fn without_signs(text: &str) -> String {
    text.replace('`', "")
}

/// Whether a column besides the first one has a title.
fn has_titles(rows: &[Vec<String>]) -> bool {
    rows.first().is_some_and(|titles| titles.iter().skip(1).any(|title| !title.is_empty()))
}

/// The text with spaces in short pieces of code at which no line ends.
fn code_held_together(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(at, part)| {
        let is_held = at % 2 == 1 && part.chars().count() <= HELD_CODE_MAX;
        if is_held { part.replace(' ', HELD_SPACE) } else { part.to_owned() }
    });
    parts.collect::<Vec<_>>().join("`")
}

struct PlainPage {
    columns: usize,
    lines: Vec<String>,
}

impl PlainPage {
    fn add(&mut self, block: &PageBlock) {
        match block {
            PageBlock::Heading { level, text } => {
                self.lines.push(text.clone());
                let under = match level {
                    1 => "=",
                    2 => "-",
                    _ => "~",
                };
                self.lines.push(under.repeat(text.chars().count()));
            }
            PageBlock::Paragraph(text) => self.add_beside("", text),
            PageBlock::Item { depth, sign, text } => {
                self.add_beside(&format!("{:indent$}{sign} ", "", indent = 2 * (depth - 1)), text);
            }
            PageBlock::Code(lines) => {
                let widest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
                let indent = self.columns.saturating_sub(widest).min(CODE_INDENT);
                self.lines.extend(lines.iter().map(|line| format!("{:indent$}{line}", "").trim_end().to_owned()));
            }
            PageBlock::Table(rows) => self.add_table(rows),
        }
    }

    /// A text, wrapped beside what stands to the left of its first line.
    fn add_beside(&mut self, left: &str, text: &str) {
        let indent = left.chars().count();
        let text = code_held_together(text);
        for (at, line) in wrapped(&text, self.columns.saturating_sub(indent)).into_iter().enumerate() {
            let left = if at == 0 { left.to_owned() } else { " ".repeat(indent) };
            self.lines.push(format!("{left}{line}").replace(HELD_SPACE, " ").trim_end().to_owned());
        }
    }

    fn add_table(&mut self, rows: &[Vec<String>]) {
        let first_without_signs = |row: &Vec<String>| {
            let (first, rest) = row.split_first().expect("a table has a column");
            std::iter::once(without_signs(first)).chain(rest.iter().cloned()).collect::<Vec<String>>()
        };
        let rows: Vec<Vec<String>> = rows.iter().map(first_without_signs).collect();
        let shown = if has_titles(&rows) { &rows[..] } else { &rows[1..] };
        let whole = aligned(shown, rows[0].len());
        if whole.iter().all(|line| line.chars().count() <= self.columns) {
            self.lines.extend(whole);
        } else if rows[0].len() == 2 {
            let longest = shown.iter().map(|row| row[0].chars().count()).max().unwrap_or(0);
            shown.iter().for_each(|row| self.add_row(row, longest.min(FIRST_COLUMN_MAX)));
        } else {
            rows[1..].iter().for_each(|row| self.add_list(&rows[0], row));
        }
    }

    /// A row of two cells: the second one is wrapped beside the first.
    fn add_row(&mut self, row: &[String], first: usize) {
        if row[0].chars().count() > first {
            self.lines.push(row[0].clone());
            self.add_beside(&" ".repeat(first + 2), &row[1]);
        } else {
            self.add_beside(&format!("{:<first$}  ", row[0]), &row[1]);
        }
    }

    /// A row as a list: its first cell, and below it each other one beside the title of its column.
    fn add_list(&mut self, titles: &[String], row: &[String]) {
        self.add_beside("", &row[0]);
        let widest = titles[1..].iter().map(|title| title.chars().count()).max().unwrap_or(0);
        for (title, cell) in titles.iter().zip(row).skip(1).filter(|(_, cell)| !cell.is_empty()) {
            self.add_beside(&format!("{:ROW_INDENT$}{title:<widest$}  ", ""), cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_block_is_plain_text() {
        let page = "# A\n\nOne two `three`\nfour.\n\n- five six seven\n- eight\n\n```sh\nnine   ten\n```\n\n\
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
            "  nine   ten",
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
        let without_titles = page.replace("does", "");
        assert_eq!(plain(&without_titles, 14), "q  one two\n   three four\n\n");
    }

    #[test]
    fn a_wide_table_of_many_columns_is_a_list() {
        let page = "| lab | faults | states |\n|---|---|---|\n| Bully | a crash | 15 |\n| Raft | none | |\n";
        let lines =
            ["Bully", "    faults  a", "            crash", "    states  15", "Raft", "    faults  none", "", ""];
        assert_eq!(plain(page, 18), lines.join("\n"));
    }
}
