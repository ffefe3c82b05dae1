//! The help: every key out of the table of keys, every fault line out of the table of forms.
//!
//! Invariant: what is listed here works here, and what works here is listed.

use ratatui::text::Line;

use super::sheet::Sheet;
use crate::dashboard::action::{FeedKind, Group, rows};
use crate::dashboard::model::Model;
use crate::fault::FORMS;

const BRANCH: &str = "What you do here happens at the moment that is shown. If that is not the end, the lab branches: \
what had been simulated after it is forgotten, and another future begins.";

const HORIZON: &str = "The lab is simulated as far as it is looked at. Its end is as far as it has come: from there \
Space, `.`, `l` and `:seek` simulate on.";

/// Its lines.
pub fn lines(model: &Model, width: u16) -> Vec<Line<'static>> {
    let mut sheet = Sheet::new(&model.theme, width);
    for group in Group::ALL {
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
            (Group::Break, FeedKind::Simulated) => sheet.text(BRANCH),
            (Group::Time, FeedKind::Simulated) => sheet.text(HORIZON),
            _ => {}
        }
    }
    sheet.heading("Fault lines, after `:`, in lab files and with `hustings inject`");
    for (form, about) in FORMS {
        sheet.entry(form, 21, about);
    }
    sheet.text("N, A, B: an id, a list such as 1,2, a range such as 1-3, `*`, `coordinator`, or `coordinator of 3`.");
    sheet.into_lines()
}
