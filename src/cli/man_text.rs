//! A page in Markdown as `man` reads it, in the macros of man(7).
//!
//! Invariant: whatever the text holds, no line of it is a request.

use std::fmt::Write;

use super::markdown_blocks::{PageBlock, blocks};

/// The columns of a page of `man` on a terminal of 80.
const COLUMNS: usize = 78;
/// A block of code stands so far to the right, if it has the room.
const CODE_INDENT: usize = 11;

/// The page of this name, which is about this, in a section of the manual.
pub fn page(name: &str, section: u8, about: &str, markdown: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    // A long name fills the first line by itself. Names of pages and of options are not hyphenated, nor words spread.
    let middle = if name.len() > 24 { "" } else { "hustings" };
    let mut text = format!(
        ".TH {} {section} \"\" \"hustings {version}\" \"{middle}\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n",
        escaped(name),
        escaped(name),
        line(about)
    );
    let mut has_section = false;
    for block in blocks(markdown) {
        match &block {
            PageBlock::Heading { level: 1, .. } => continue,
            PageBlock::Heading { level: 2, .. } => {}
            _ if !has_section => text.push_str(".SH DESCRIPTION\n"),
            _ => {}
        }
        has_section = true;
        add(&block, &mut text);
    }
    text
}

fn add(block: &PageBlock, page: &mut String) {
    let _ = match block {
        PageBlock::Heading { level: 2, text } => {
            writeln!(page, ".SH {}", escaped(&text.replace('`', "").to_uppercase()))
        }
        PageBlock::Heading { text, .. } => writeln!(page, ".SS {}", line(text)),
        PageBlock::Paragraph(text) => writeln!(page, ".PP\n{}", line(text)),
        PageBlock::Item { depth, sign, text } => {
            let sign = if sign == "-" { "\\(bu" } else { sign };
            let [begin, end] = if *depth > 1 { [".RS 4\n", "\n.RE"] } else { ["", ""] };
            writeln!(page, "{begin}.IP {sign} 4\n{}{end}", line(text))
        }
        PageBlock::Code(lines) => {
            let widest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
            let indent = COLUMNS.saturating_sub(widest).min(CODE_INDENT);
            let lines: Vec<String> = lines.iter().map(|line| guarded(escaped(line))).collect();
            writeln!(page, ".PP\n.nf\n.in {indent}n\n{}\n.in\n.fi", lines.join("\n"))
        }
        PageBlock::Table(rows) => {
            let (titles, rows) = rows.split_first().expect("a table has titles");
            rows.iter().for_each(|row| add_row(titles, row, page));
            Ok(())
        }
    };
}

/// A row as a paragraph with a tag: the first cell, and beside it the others, which of many columns have their titles.
fn add_row(titles: &[String], row: &[String], page: &mut String) {
    let cells = titles.iter().zip(row).skip(1).filter(|(_, cell)| !cell.is_empty());
    let told: Vec<String> = cells
        .map(|(title, cell)| if titles.len() > 2 { line(&format!("{title}: {cell}")) } else { line(cell) })
        .collect();
    let told = if told.is_empty() { "\\&".to_owned() } else { told.join("\n.br\n") };
    let _ = writeln!(page, ".TP\n\\fB{}\\fR\n{told}", escaped(&row[0].replace('`', "")));
}

/// Text in a line of its own: what is code is bold.
fn line(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(at, part)| if at % 2 == 0 { escaped(part) } else { format!("\\fB{}\\fR", escaped(part)) });
    guarded(parts.collect())
}

/// The text with its backslashes and signs of minus as such, and other characters than ASCII by their numbers.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\e"),
            '-' => escaped.push_str("\\-"),
            c if c.is_ascii() => escaped.push(c),
            c => escaped.push_str(&format!("\\[u{:04X}]", u32::from(c))),
        }
    }
    escaped
}

/// The line, which is no request even if it begins with a point or an apostrophe.
fn guarded(line: String) -> String {
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_block_has_its_macro() {
        let markdown = "# Title\n\n.one `two` a\\b …\n\n## First part\n\n- three\n\n```\n.four-five\n```\n\n\
                        | a | b |\n|---|---|\n| `c` | d |\n";
        let text = page("hustings-x", 7, "what x is", markdown);
        let version = env!("CARGO_PKG_VERSION");
        let head = format!(".TH hustings\\-x 7 \"\" \"hustings {version}\" \"hustings\"\n.nh\n.ad l\n.SH NAME\n");
        let body = "hustings\\-x \\- what x is\n.SH DESCRIPTION\n.PP\n\\&.one \\fBtwo\\fR a\\eb \\[u2026]\n.SH FIRST PART\n\
                    .IP \\(bu 4\nthree\n.PP\n.nf\n.in 11n\n\\&.four\\-five\n.in\n.fi\n.TP\n\\fBc\\fR\nd\n";
        assert_eq!(text, head + body);
    }
}
