//! Sheets: tables of what was measured, as rows for a terminal and as CSV.
//!
//! Invariant: both forms have the same rows; CSV has all columns, and more digits of each number.

/// A table of what was measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Sheet {
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows, a cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// The head of a column.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Column {
    /// For people; without one it is in CSV alone.
    pub title: Option<&'static str>,
    /// In CSV, with its unit.
    pub field: &'static str,
}

/// One cell.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A count.
    Count(u64),
    /// A number with so many digits after its point.
    Number(f64, usize),
    /// There is nothing to tell.
    Nothing,
}

/// How many more digits a number has in CSV.
const MORE_DIGITS: usize = 3;

impl Sheet {
    /// Its rows, the titles first, for people.
    pub fn text(&self) -> Vec<Vec<String>> {
        let titles = self.columns.iter().filter_map(|column| Some(column.title?.to_owned())).collect();
        let row = |row: &Vec<Cell>| {
            let shown = row.iter().zip(&self.columns).filter(|(_, column)| column.title.is_some());
            shown.map(|(cell, _)| cell.text()).collect()
        };
        std::iter::once(titles).chain(self.rows.iter().map(row)).collect()
    }

    /// Its lines as CSV (RFC 4180), the names of the fields first.
    pub fn csv(&self) -> Vec<String> {
        let fields: Vec<&str> = self.columns.iter().map(|column| column.field).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(Cell::field).collect::<Vec<_>>().join(","));
        std::iter::once(fields.join(",")).chain(rows).collect()
    }
}

impl Cell {
    /// A number, if there is one, with so many digits after its point.
    pub fn of(number: Option<f64>, digits: usize) -> Cell {
        number.map_or(Cell::Nothing, |number| Cell::Number(number, digits))
    }

    fn text(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Count(count) => count.to_string(),
            Cell::Number(number, digits) => format!("{number:.digits$}"),
            Cell::Nothing => "-".to_owned(),
        }
    }

    fn field(&self) -> String {
        match self {
            Cell::Text(text) if text.contains([',', '"', '\n']) => format!("\"{}\"", text.replace('"', "\"\"")),
            Cell::Number(number, digits) => format!("{number:.digits$}", digits = digits + MORE_DIGITS),
            Cell::Nothing => String::new(),
            Cell::Text(_) | Cell::Count(_) => self.text(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_quotes_what_would_end_a_field_and_leaves_empty_what_is_nothing() {
        let columns = vec![
            Column { title: Some("who"), field: "name" },
            Column { title: Some("mean"), field: "mean_rounds" },
            Column { title: None, field: "elections" },
        ];
        let rows = vec![
            vec![Cell::Text("a, \"b\"".into()), Cell::Number(2.0 / 3.0, 2), Cell::Count(7)],
            vec![Cell::Text("c".into()), Cell::Nothing, Cell::Count(0)],
        ];
        let sheet = Sheet { columns, rows };
        assert_eq!(sheet.csv(), ["name,mean_rounds,elections", "\"a, \"\"b\"\"\",0.66667,7", "c,,0"]);
        assert_eq!(sheet.text(), [["who", "mean"], ["a, \"b\"", "0.67"], ["c", "-"]]);
    }
}
