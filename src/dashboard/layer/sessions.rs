//! The list of the recorded sessions, the newest first; Enter opens one.
//!
//! Invariant: a session's number here is the one that `hustings sessions` gives it.

use super::page::{Leads, Page};
use super::sheet::Sheet;
use crate::listed_session::ListedSession;
use crate::model::Model;

/// Its page.
pub fn page(model: &Model, list: &[ListedSession], width: u16) -> Page {
    let mut sheet = Sheet::new(&model.theme, width);
    sheet
        .text("Enter opens a session over this screen; `:open last`, `:open 2` or `:open NAME` opens one by its name.");
    let digits = list.len().to_string().len();
    for (number, ListedSession { path, name, about }) in (1..).zip(list) {
        sheet.link(Leads::Opens(path.clone()));
        sheet.entry(&format!("{number:>digits$}"), digits, name);
        sheet.entry("", digits, &format!("  {about}"));
    }
    sheet.into_page("sessions")
}
