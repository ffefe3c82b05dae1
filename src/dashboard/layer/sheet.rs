//! A text of headings, sentences, fields and links, as layers show it.
//!
//! Invariant: no line is wider than the sheet, and each link has a line of its own.

use ratatui::text::{Line, Span};

use super::page::{Leads, Page, PageLink};
use crate::paint;
use crate::theme::Theme;

/// Lines of one width.
pub struct Sheet<'a> {
    theme: &'a Theme,
    width: u16,
    lines: Vec<Line<'static>>,
    links: Vec<PageLink>,
}

impl<'a> Sheet<'a> {
    /// An empty one.
    pub fn new(theme: &'a Theme, width: u16) -> Sheet<'a> {
        Sheet { theme, width, lines: Vec::new(), links: Vec::new() }
    }

    /// A heading, with an empty line before it.
    pub fn heading(&mut self, text: &str) {
        if !self.lines.is_empty() {
            self.lines.push(Line::default());
        }
        self.lines.extend(paint::wrap(text, self.width).into_iter().map(|line| Line::styled(line, self.theme.strong)));
    }

    /// A sentence.
    pub fn text(&mut self, text: &str) {
        self.lines.extend(paint::wrap(text, self.width).into_iter().map(Line::raw));
    }

    /// A name and its value.
    pub fn field(&mut self, name: &str, value: &str) {
        self.entry(name, 12, value);
    }

    /// A name in a column of this width, and its value.
    pub fn entry(&mut self, name: &str, column: usize, value: &str) {
        let taken = u16::try_from(column + 3).unwrap_or(u16::MAX);
        for (place, text) in paint::wrap(value, self.width.saturating_sub(taken)).into_iter().enumerate() {
            let name = if place == 0 { name } else { "" };
            let name = Span::styled(format!("  {name:<column$} "), self.theme.dim);
            self.lines.push(Line::from(vec![name, Span::raw(text)]));
        }
    }

    /// The next line that is written leads somewhere.
    pub fn link(&mut self, leads: Leads) {
        self.links.push(PageLink { line: self.lines.len(), leads });
    }

    /// Whether nothing is written in it yet.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// It as a page with this title.
    pub fn into_page(self, title: impl Into<String>) -> Page {
        Page { title: title.into(), lines: self.lines, links: self.links }
    }
}
