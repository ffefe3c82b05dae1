//! A page over a screen: its lines, and where some of them lead.
//!
//! Invariant: the cursor is on a link that is seen, or on none.

use std::path::PathBuf;

use ratatui::text::Line;

use crate::action::Action;
use crate::model::{Layer, Subject};
use fault::FaultLine;

/// A page.
#[derive(Debug)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// Its lines.
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
    pub leads: Leads,
}

/// Where a link leads.
#[derive(Clone, Debug)]
pub enum Leads {
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
