//! A table that drops its least important columns when it does not fit.
//!
//! Invariant: a column is shown whole or not at all, except the last one that is left.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::paint;
use super::theme::Theme;

/// One column.
pub struct Column {
    /// Its title.
    pub title: Cow<'static, str>,
    /// Columns with a higher rank are dropped first.
    pub rank: u8,
    /// It is at least this wide, so that the table does not change its width all the time.
    pub least: u16,
    /// Its cells, one for each row.
    pub cells: Vec<Vec<Span<'static>>>,
}

/// Rows, and the row under the cursor.
pub struct Grid {
    /// The columns, from left to right; the last takes the room that is left.
    pub columns: Vec<Column>,
    /// The row under the cursor.
    pub cursor: Option<usize>,
}

impl Grid {
    /// Draws titles and as many rows as fit, always with the cursor's row. Returns the rows that are in sight, the first of
    /// which stands below the titles.
    pub fn draw(mut self, buffer: &mut Buffer, theme: &Theme, area: Rect) -> Range<usize> {
        if area.height == 0 {
            return 0..0;
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
        let top = window(self.cursor.unwrap_or(0), rows, height);
        if rows > height && height > 0 {
            bar(buffer, theme, Rect { x: area.right().saturating_sub(1), width: 1, ..area }, (top, rows, height));
        }
        let mut x = area.x;
        for (place, column) in self.columns.iter().enumerate() {
            let is_last = place + 1 == self.columns.len();
            let room = right.saturating_sub(x);
            let width = if is_last { room } else { widths[place].min(room) };
            let strip = Rect { x, width, ..area };
            paint::put(buffer, theme, strip, 0, &Line::styled(&*column.title, theme.dim));
            for (row, cell) in column.cells.iter().skip(top).take(height).enumerate() {
                let row = u16::try_from(row + 1).unwrap_or(u16::MAX);
                paint::put(buffer, theme, strip, row, &Line::from(cell.clone()));
            }
            x = x.saturating_add(width).saturating_add(1).min(right);
        }
        if let Some(cursor) = self.cursor.filter(|cursor| *cursor >= top && *cursor < top + height) {
            paint::tint(buffer, area, u16::try_from(cursor - top + 1).unwrap_or(u16::MAX), theme.cursor);
        }
        top..(top + height).min(rows)
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
