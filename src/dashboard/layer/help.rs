//! The help: every key from the table of keys, every fault line from the table of forms.
//!
//! Invariant: the help lists exactly what works here.

use ratatui::text::Line;

use super::sheet::Sheet;
use crate::dashboard::action::{FeedKind, Heading, rows};
use crate::dashboard::model::Model;
use crate::fault::forms;

const BRANCH: &str = "Your actions happen at the moment on the screen. If that is not the end, the lab branches: \
                      what was simulated after that moment is deleted, and a new future begins.";

const HORIZON: &str = "The lab is simulated only as far as you look. Its end is the last simulated moment: from \
                       there, Space, `.`, `l` and `:seek` simulate more.";

/// Its lines.
pub fn lines(model: &Model, width: u16) -> Vec<Line<'static>> {
    let mut sheet = Sheet::new(&model.theme, width);
    for group in Heading::ALL {
        let rows: Vec<_> = rows(model.feed_kind()).filter(|row| row.group == group).collect();
        if rows.is_empty() {
            continue;
        }
        sheet.heading(group.title());
        for row in rows {
            let keys: Vec<String> = row.keys.iter().map(|key| key.name()).collect();
            sheet.entry(&keys.join(" "), 9, &format!("{}: {}", row.name, row.about));
        }
        match (group, model.feed_kind()) {
            (Heading::Break, FeedKind::Simulated) => sheet.text(BRANCH),
            (Heading::Time, FeedKind::Simulated) => sheet.text(HORIZON),
            _ => {}
        }
    }
    sheet.heading("Fault lines, after `:`, in lab files and with `hustings inject`");
    for (form, about) in forms() {
        sheet.entry(form, 21, about);
    }
    sheet.text("N, A, B: an id, a list such as 1,2, a range such as 1-3, `*`, `coordinator`, or `coordinator of 3`.");
    sheet.into_lines()
}
