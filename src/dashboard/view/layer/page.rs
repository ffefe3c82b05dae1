//! A page over a screen: its lines, where some of them lead, and the sheet on which headings, sentences, fields and links
//! are written.
//!
//! Invariant: no line is wider than the sheet; the cursor is on a link that is seen, or on none.

use std::path::PathBuf;

use ratatui::text::{Line, Span};

use crate::input::action::Action;
use crate::model::{Layer, Subject};
use crate::view::paint;
use crate::view::theme::Theme;
use fault::FaultLine;

#[derive(Debug)]
pub struct Page {
    pub title: String,
    pub lines: Vec<Line<'static>>,
    /// The lines on which Enter leads somewhere, from the top down.
    pub links: Vec<PageLink>,
}

/// A line of a page that leads somewhere.
#[derive(Debug)]
pub struct PageLink {
    /// Which line.
    pub line: usize,
    /// Where it leads.
    pub leads: LinkTarget,
}

/// Where a link leads.
#[derive(Clone, Debug)]
pub enum LinkTarget {
    /// To another page.
    To(Subject),
    /// Away from the pages: this is done.
    Does(Action),
    /// Away from the pages: a line is begun that the person completes.
    Begins(String),
    /// To a screen for the session of this file.
    Opens(PathBuf),
    /// To the page beneath: this line is ordered.
    Orders(FaultLine),
}

impl Page {
    /// The link under the cursor, if that one is seen: the chosen one, or the first that is seen.
    pub fn link_at(&self, layer: &Layer, height: usize) -> Option<usize> {
        let scroll = layer.scroll.min(self.lines.len().saturating_sub(height));
        let is_seen = |link: &PageLink| (scroll..scroll + height).contains(&link.line);
        let chosen = layer.chosen.filter(|place| self.links.get(*place).is_some_and(is_seen));
        chosen.or_else(|| self.links.iter().position(is_seen))
    }
}

/// Lines of one width.
pub struct PageWriter<'a> {
    theme: &'a Theme,
    width: u16,
    lines: Vec<Line<'static>>,
    links: Vec<PageLink>,
}

impl<'a> PageWriter<'a> {
    /// An empty page.
    pub fn new(theme: &'a Theme, width: u16) -> PageWriter<'a> {
        PageWriter { theme, width, lines: Vec::new(), links: Vec::new() }
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
    pub fn link(&mut self, leads: LinkTarget) {
        self.links.push(PageLink { line: self.lines.len(), leads });
    }

    /// Whether nothing is written in it yet.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The page of what was written, with this title.
    pub fn into_page(self, title: impl Into<String>) -> Page {
        Page { title: title.into(), lines: self.lines, links: self.links }
    }
}
