//! A table that drops its least important columns when it does not fit.
//!
//! Invariant: a column is shown whole or not at all, except the last one that is left.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::paint;
use super::theme::Theme;

/// One column.
pub struct Column {
    pub title: Cow<'static, str>,
    /// Columns with a higher rank are dropped first.
    pub rank: u8,
    /// The least width, so that the table does not change its width all the time.
    pub least: u16,
    /// The cells, one for each row.
    pub cells: Vec<Vec<Span<'static>>>,
}

/// Rows, and the row under the cursor.
pub struct Grid {
    /// The columns, from left to right; the last takes the room that is left.
    pub columns: Vec<Column>,
    /// The row under the cursor.
    pub cursor: Option<usize>,
    /// The rows that stay in sight where not all fit, the most important first; of these as many as fill half of the room.
    pub kept: Vec<usize>,
}

impl Grid {
    /// Draws titles and as many rows as fit, always with the cursor's row. Returns the rows that are in sight, the first of
    /// which stands below the titles.
    pub fn draw(mut self, buffer: &mut Buffer, theme: &Theme, area: Rect) -> Vec<usize> {
        if area.height == 0 {
            return Vec::new();
        }
        let rows = self.columns.iter().map(|column| column.cells.len()).max().unwrap_or(0);
        // A bar stands beside rows that do not fit.
        let is_long = rows > usize::from(area.height - 1);
        let table_width = area.width.saturating_sub(if is_long { 2 } else { 0 });
        let right = area.x + table_width;
        let widths = loop {
            let widths = self.widths();
            let taken: u32 = widths.iter().map(|width| u32::from(*width) + 1).sum();
            if widths.len() <= 1 || taken <= u32::from(table_width) + 1 {
                break widths;
            }
            let worst = self.columns.iter().enumerate().max_by_key(|(place, column)| (column.rank, *place));
            let (place, _) = worst.expect("there are at least two columns");
            self.columns.remove(place);
        };
        let height = usize::from(area.height - 1);
        let seen = rows_in_sight(self.cursor.unwrap_or(0), &self.kept, rows, height);
        if rows > height && height > 0 {
            let top = window(self.cursor.unwrap_or(0), rows, height);
            bar(buffer, theme, Rect { x: area.right().saturating_sub(1), width: 1, ..area }, (top, rows, height));
        }
        let mut x = area.x;
        for (place, column) in self.columns.iter().enumerate() {
            let is_last = place + 1 == self.columns.len();
            let room = right.saturating_sub(x);
            let width = if is_last { room } else { widths[place].min(room) };
            let strip = Rect { x, width, ..area };
            paint::put(buffer, theme, strip, 0, &Line::styled(&*column.title, theme.dim));
            for (row, cell) in (1..).zip(seen.iter().filter_map(|row| column.cells.get(*row))) {
                paint::put(buffer, theme, strip, row, &Line::from(cell.clone()));
            }
            x = x.saturating_add(width).saturating_add(1).min(right);
        }
        if let Some(place) = seen.iter().position(|row| Some(*row) == self.cursor) {
            paint::tint(buffer, area, u16::try_from(place + 1).unwrap_or(u16::MAX), theme.cursor);
        }
        seen
    }

    /// The width that each column needs; the last one takes what is left, so it asks only for its least width.
    fn widths(&self) -> Vec<u16> {
        let mut widths: Vec<u16> = self.columns.iter().map(Column::width).collect();
        if let (Some(width), Some(column)) = (widths.last_mut(), self.columns.last()) {
            *width = column.least.max(paint::width(&column.title));
        }
        widths
    }
}

impl Column {
    fn width(&self) -> u16 {
        let cell = |cell: &Vec<Span<'static>>| -> usize { cell.iter().map(Span::width).sum() };
        let widest = self.cells.iter().map(cell).max().unwrap_or(0);
        let widest = u16::try_from(widest).unwrap_or(u16::MAX);
        widest.max(paint::width(&self.title)).max(self.least)
    }
}

/// Draws a bar below the titles: which part of the rows is in sight. More rows than the height there must be.
pub fn bar(buffer: &mut Buffer, theme: &Theme, area: Rect, (top, rows, height): (usize, usize, usize)) {
    let length = (height * height / rows).max(1);
    // The first row of all is at the upper end, the last one at the lower.
    let start = top * (height - length) / (rows - height);
    for row in 0..height {
        let sign = if (start..start + length).contains(&row) { theme.glyphs.thumb } else { theme.glyphs.between };
        paint::put(buffer, theme, area, u16::try_from(row + 1).unwrap_or(u16::MAX), &Line::styled(sign, theme.dim));
    }
}

/// The number of the first row to show, if `height` of `rows` rows fit: the cursor's row is in the middle if possible.
pub fn window(cursor: usize, rows: usize, height: usize) -> usize {
    cursor.saturating_sub(height / 2).min(rows.saturating_sub(height))
}

/// The rows to show, if `height` of `rows` rows fit: those round the cursor, and those that are kept.
fn rows_in_sight(cursor: usize, kept: &[usize], rows: usize, height: usize) -> Vec<usize> {
    let kept = &kept[..kept.len().min(height / 2)];
    let round = |size: usize| {
        let top = window(cursor, rows, size);
        top..(top + size).min(rows)
    };
    let apart = |size: usize| kept.iter().copied().filter(move |row| !round(size).contains(row));
    let size = (0..=height).rev().find(|size| size + apart(*size).count() <= height).unwrap_or(0);
    let mut seen: Vec<usize> = round(size).chain(apart(size)).collect();
    seen.sort_unstable();
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursors_row_and_those_that_are_kept_are_in_sight() {
        assert_eq!(rows_in_sight(0, &[], 9, 4), [0, 1, 2, 3]);
        assert_eq!(rows_in_sight(8, &[], 9, 4), [5, 6, 7, 8]);
        assert_eq!(rows_in_sight(0, &[8], 9, 4), [0, 1, 2, 8]);
        assert_eq!(rows_in_sight(8, &[8, 0], 9, 4), [0, 6, 7, 8]);
        // Kept rows take half of the room at most.
        assert_eq!(rows_in_sight(0, &[8, 7, 6], 9, 4), [0, 1, 7, 8]);
        assert_eq!(rows_in_sight(4, &[8], 9, 1), [4]);
        assert_eq!(rows_in_sight(0, &[2], 3, 5), [0, 1, 2]);
        assert!(rows_in_sight(0, &[2], 3, 0).is_empty());
    }
}
