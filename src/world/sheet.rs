//! Sheets: tables of what was measured or recorded, as rows for a terminal and as CSV.
//!
//! Invariant: both forms have the same rows, and no cell makes another one; CSV has all columns, and more digits of each
//! number.

use protocol::visible_line;

/// A table of what was measured or recorded.
#[derive(Clone, PartialEq, Debug)]
pub struct FigureSheet {
    pub columns: Vec<SheetColumn>,
    /// The rows, a cell for each column.
    pub rows: Vec<Vec<SheetCell>>,
}

/// The head of a column.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct SheetColumn {
    /// For people; without one it is in CSV alone.
    pub title: Option<String>,
    /// In CSV, with its unit; without one it is for people alone.
    pub field: Option<String>,
}

/// One cell.
#[derive(Clone, PartialEq, Debug)]
pub enum SheetCell {
    /// Words.
    Text(String),
    Count(u64),
    /// A number with so many digits after its point.
    Number(f64, usize),
    /// There is nothing to tell.
    Nothing,
}

/// How many more digits a number has in CSV.
const MORE_DIGITS: usize = 3;

impl FigureSheet {
    /// The rows, the titles first, for people.
    pub fn text(&self) -> Vec<Vec<String>> {
        let titles = self.columns.iter().filter_map(|column| column.title.clone()).collect();
        let row = |row: &Vec<SheetCell>| {
            let shown = row.iter().zip(&self.columns).filter(|(_, column)| column.title.is_some());
            shown.map(|(cell, _)| cell.text()).collect()
        };
        std::iter::once(titles).chain(self.rows.iter().map(row)).collect()
    }

    /// The lines as CSV (RFC 4180), the names of the fields first.
    pub fn csv(&self) -> Vec<String> {
        let fields: Vec<&str> = self.columns.iter().filter_map(|column| column.field.as_deref()).collect();
        let row = |row: &Vec<SheetCell>| {
            let shown = row.iter().zip(&self.columns).filter(|(_, column)| column.field.is_some());
            shown.map(|(cell, _)| cell.field()).collect::<Vec<_>>().join(",")
        };
        std::iter::once(fields.join(",")).chain(self.rows.iter().map(row)).collect()
    }
}

impl SheetColumn {
    /// Columns with their titles and fields.
    pub fn all(heads: &[(Option<&str>, &str)]) -> Vec<SheetColumn> {
        let column = |(title, field): &(Option<&str>, &str)| SheetColumn {
            title: title.map(str::to_owned),
            field: Some((*field).to_owned()),
        };
        heads.iter().map(column).collect()
    }
}

impl SheetCell {
    /// A number, if there is one, with so many digits after its point.
    pub fn of(number: Option<f64>, digits: usize) -> SheetCell {
        number.map_or(SheetCell::Nothing, |number| SheetCell::Number(number, digits))
    }

    fn text(&self) -> String {
        match self {
            SheetCell::Text(text) => visible_line(text).into_owned(),
            SheetCell::Count(count) => count.to_string(),
            SheetCell::Number(number, digits) => format!("{number:.digits$}"),
            SheetCell::Nothing => "-".to_owned(),
        }
    }

    fn field(&self) -> String {
        match self {
            SheetCell::Text(text) => {
                let text = visible_line(text);
                // A spreadsheet would take this for a formula; a negative number is none, nor is a dash.
                let is_negative = text == "-" || text.parse::<f64>().is_ok();
                let is_formula = text.starts_with(['=', '+', '@', '-']) && !is_negative;
                let mark = if is_formula { "'" } else { "" };
                match text.contains([',', '"']) {
                    true => format!("\"{mark}{}\"", text.replace('"', "\"\"")),
                    false => format!("{mark}{text}"),
                }
            }
            SheetCell::Number(number, digits) => format!("{number:.digits$}", digits = digits + MORE_DIGITS),
            SheetCell::Nothing => String::new(),
            SheetCell::Count(_) => self.text(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_quotes_what_would_end_a_field_makes_no_formula_and_leaves_empty_what_is_nothing() {
        let columns = SheetColumn::all(&[(Some("who"), "name"), (Some("mean"), "mean_rounds"), (None, "elections")]);
        let rows = vec![
            vec![SheetCell::Text("a, \"b\"".into()), SheetCell::Number(2.0 / 3.0, 2), SheetCell::Count(7)],
            vec![SheetCell::Text("c".into()), SheetCell::Nothing, SheetCell::Count(0)],
            vec![SheetCell::Text("=2+2".into()), SheetCell::Nothing, SheetCell::Count(1)],
            vec![SheetCell::Text("@a,b".into()), SheetCell::Nothing, SheetCell::Count(1)],
            vec![SheetCell::Text("-2+3".into()), SheetCell::Text("-58".into()), SheetCell::Count(1)],
            vec![SheetCell::Text("-".into()), SheetCell::Nothing, SheetCell::Count(1)],
            vec![SheetCell::Text("a\nb,met".into()), SheetCell::Nothing, SheetCell::Count(1)],
        ];
        let sheet = FigureSheet { columns, rows };
        assert_eq!(
            sheet.csv(),
            [
                "name,mean_rounds,elections",
                "\"a, \"\"b\"\"\",0.66667,7",
                "c,,0",
                "'=2+2,,1",
                "\"'@a,b\",,1",
                "'-2+3,-58,1",
                "-,,1",
                "\"a\\u000ab,met\",,1"
            ]
        );
        assert_eq!(sheet.text()[..3], [["who", "mean"], ["a, \"b\"", "0.67"], ["c", "-"]]);
        assert_eq!(sheet.text()[7][0], "a\\u000ab,met");
    }
}
