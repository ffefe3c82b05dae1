//! Tables and counts as a command prints them: columns under each other, thousands apart.
//!
//! Invariant: a row has as many cells as the first one, which has the titles, and is one line; no title is shortened.

use protocol::visible_line;

/// A column of words is not made narrower than this to make room.
const WORDS_LEAST: usize = 10;
/// Between two columns.
const GAP: usize = 2;
/// What stands for the middle of a text that was shortened.
const LEFT_OUT: &str = "...";

/// The rows with their columns under each other: the first ones to the left, numbers to the right.
pub fn aligned(rows: &[Vec<String>], names: usize) -> Vec<String> {
    let rows = in_lines(rows);
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if column < names { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// The same in at most this many columns. If the rows are longer, words are shortened in their middle. If that is not
/// enough, words and numbers are two tables, and the first column stands in both.
pub fn aligned_within(rows: &[Vec<String>], names: usize, columns: usize) -> Vec<String> {
    let rows = &in_lines(rows);
    let (narrow, width) = narrowed(rows, names, columns);
    if width <= columns || names < 2 {
        return aligned(&narrow, names);
    }
    let cut = |keep: &dyn Fn(usize) -> bool| -> Vec<Vec<String>> {
        let kept = |row: &Vec<String>| {
            row.iter().enumerate().filter(|(at, _)| keep(*at)).map(|(_, cell)| cell.clone()).collect()
        };
        rows.iter().map(kept).collect()
    };
    let (words, numbers) = (cut(&|at| at < names), cut(&|at| at == 0 || at >= names));
    let mut lines = aligned(&narrowed(&words, names, columns).0, names);
    lines.push(String::new());
    lines.extend(aligned(&narrowed(&numbers, 1, columns).0, 1));
    lines
}

/// The rows with cells that end no line.
fn in_lines(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    let row = |row: &Vec<String>| row.iter().map(|cell| visible_line(cell).into_owned()).collect();
    rows.iter().map(row).collect()
}

/// The rows with their words shortened until a row fits into this many columns, if it can; and how many columns it has.
fn narrowed(rows: &[Vec<String>], names: usize, columns: usize) -> (Vec<Vec<String>>, usize) {
    let Some(titles) = rows.first() else { return (Vec::new(), 0) };
    let mut widths: Vec<usize> =
        (0..titles.len()).map(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0)).collect();
    let width = |widths: &[usize]| widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    while width(&widths) > columns {
        let may_shrink = |at: &usize| widths[*at] > WORDS_LEAST.max(titles[*at].chars().count());
        let Some(widest) = (0..names.min(titles.len())).filter(may_shrink).max_by_key(|at| widths[*at]) else { break };
        widths[widest] -= 1;
    }
    let shortened = |row: &Vec<String>| row.iter().zip(&widths).map(|(cell, most)| in_brief(cell, *most)).collect();
    (rows.iter().map(shortened).collect(), width(&widths))
}

/// The text in at most this many characters: its beginning and its end.
fn in_brief(text: &str, most: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(LEFT_OUT.len());
    let (begins, ends) = (kept.div_ceil(2), kept / 2);
    let [begin, end] = [&characters[..begins], &characters[characters.len() - ends..]].map(String::from_iter);
    format!("{begin}{LEFT_OUT}{end}")
}

/// A count with its noun: `1 run`, `1,000 runs`.
pub fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A number with commas between its thousands: `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn columns_stand_under_each_other() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let rows = [row(["fault", "in force", "hit"]), row(["crash", "12", "1,234"])];
        assert_eq!(aligned(&rows, 1), ["fault  in force    hit", "crash        12  1,234"]);
        let forged = [row(["fault", "in force", "hit"]), row(["a\nmine", "1\t2", "0\u{1b}"])];
        for lines in [aligned(&forged, 1), aligned_within(&forged, 1, 80)] {
            assert_eq!(lines[1], "a\\u000amine  1\\u00092  0\\u001b");
        }
    }

    #[test]
    fn words_are_shortened_in_their_middle_and_then_two_tables_are_made() {
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        let rows = [row(["WORK", "LAB", "MET", "FAILED"]), row(["labs/by-a-student.toml", "first", "7", "0"])];
        let table = |work: &str| {
            let columns = work.chars().count();
            vec![format!("{:<columns$}  LAB    MET  FAILED", "WORK"), format!("{work}  first    7       0")]
        };
        assert_eq!(aligned_within(&rows, 2, 80), table("labs/by-a-student.toml"));
        assert_eq!(aligned_within(&rows, 2, 36), table("labs/by...t.toml"));
        assert_eq!(
            aligned_within(&rows, 2, 25),
            [
                "WORK                LAB",
                "labs/by-...nt.toml  first",
                "",
                "WORK          MET  FAILED",
                "labs/...toml    7       0"
            ]
        );
    }
}
