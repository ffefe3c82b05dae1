//! The help: every key from the table of keys, the signs and the words, every fault line from the table of forms.
//!
//! Invariant: the help lists exactly what works here, and Enter on a row does what the row says.

use super::page::{Leads, Page};
use super::sheet::Sheet;
use super::signs;
use crate::action::{Action, Binding, FeedKind, Heading, rows};
use crate::model::Model;
use fault::forms;

const BRANCH: &str = "Your actions happen at the moment on the screen. If that is not the end, the lab branches: \
                      what was simulated after that moment is deleted, and a new future begins.";

/// Its page: the rows that contain all words of this search.
pub fn page(model: &Model, search: &str, width: u16) -> Page {
    let mut sheet = Sheet::new(&model.theme, width);
    let search: Vec<String> = search.split_whitespace().map(str::to_lowercase).collect();
    let is_found = |text: &str| {
        let text = text.to_lowercase();
        search.iter().all(|word| text.contains(word.as_str()))
    };
    let is_whole = search.is_empty();
    if is_whole {
        let key = model.key(Action::Filter);
        sheet.text(&format!("`{key}` searches in this list. Enter does what the row under the cursor says."));
    }
    for group in Heading::ALL {
        let refusal = model.permission().err().filter(|_| group == Heading::Break);
        let rows: Vec<_> =
            rows(model.feed_kind()).filter(|row| row.group == group && is_found(&words(model, row))).collect();
        if rows.is_empty() || refusal.is_some() {
            continue;
        }
        sheet.heading(group.title());
        for row in rows {
            sheet.link(Leads::Does(row.action));
            sheet.entry(&keys(model, row), 9, &format!("{}: {}", row.name, row.about));
        }
        if group == Heading::Lesson {
            // They work while a question is open, and not from this list.
            for row in model.question_keys().filter(|row| is_found(&words(model, row))) {
                let keys = match row.keys {
                    [first, .., last] => format!("{}-{}", first.name(), last.name()),
                    _ => row.keys[0].name(),
                };
                sheet.entry(&keys, 9, &format!("{}, at a question: {}", row.name, row.about));
            }
        }
        match (group, model.feed_kind()) {
            (Heading::Break, FeedKind::Simulated) if is_whole => sheet.text(BRANCH),
            (Heading::Time, FeedKind::Simulated) if is_whole => sheet.text(&horizon(model)),
            _ => {}
        }
    }
    for (title, meanings) in [("Signs", signs::signs(&model.theme.glyphs)), ("Words", signs::words(model))] {
        let found = meanings.into_iter().filter(|(sign, means)| is_found(&format!("{title} {sign} {means}")));
        for (place, (sign, means)) in found.enumerate() {
            if place == 0 {
                sheet.heading(title);
            }
            sheet.entry(&sign, 11, &model.theme.glyphs.flow.spoken(means));
        }
    }
    fault_lines(model, &mut sheet, is_found);
    if sheet.is_empty() {
        sheet.text("No row of this list contains these words.");
    }
    sheet.into_page(if is_whole { "help".to_owned() } else { format!("help /{}", search.join(" ")) })
}

/// The forms of fault lines, or why none is taken here.
fn fault_lines(model: &Model, sheet: &mut Sheet<'_>, is_found: impl Fn(&str) -> bool) {
    if let Err(why) = model.permission() {
        if is_found("") {
            sheet.heading("Faults");
            sheet.text(&why.to_string());
        }
        return;
    }
    let forms: Vec<_> = forms().filter(|(form, about)| is_found(&format!("{form} {about}"))).collect();
    if forms.is_empty() {
        return;
    }
    sheet.heading("Fault lines, after `:`, in lab files and with `hustings inject`");
    for (form, about) in forms {
        let verb = form.split_whitespace().next().unwrap_or(form);
        sheet.link(Leads::Begins(if verb == *form { verb.to_owned() } else { format!("{verb} ") }));
        sheet.entry(form, 21, about);
    }
    sheet.text("N, A, B: an id, a list such as 1,2, a range such as 1-3, `*`, `coordinator`, or `coordinator of 3`.");
}

fn horizon(model: &Model) -> String {
    let [play, event, second] = [Action::PlayOrStand, Action::EventForward, Action::SecondForward];
    let [play, event, second] = [play, event, second].map(|action| model.key(action));
    format!(
        "The lab is simulated only as far as you look. Its end is the last simulated moment: from there, {play}, \
         `{event}`, `{second}` and `:seek` simulate more."
    )
}

fn keys(model: &Model, row: &Binding) -> String {
    let keys: Vec<String> = model.keymap.keys(row).iter().map(|key| key.name()).collect();
    keys.join(" ")
}

fn words(model: &Model, row: &Binding) -> String {
    format!("{} {} {}", keys(model, row), row.name, row.about)
}
