//! The filter of the flow: rows of these processes and kinds, and the others counted.

use insta::assert_snapshot;

use super::stage::{crash, live, storm};
use super::{hear, press, text, write_text};
use crate::model::Model;
use crate::model::kept_rows::passing;

fn filtered(model: &mut Model, text: &str) -> usize {
    model.places.screen = crate::model::places::Screen::Overview;
    model.places.panes.focus = crate::model::places::Pane::Flow;
    model.places.panes.flow_filter = Default::default();
    press(model, "/");
    write_text(model, text);
    press(model, "Enter");
    passing(&model.places.panes.flow_filter, &model.seen().flow.rows()).len()
}

#[test]
fn the_flow_shows_the_rows_of_a_process_and_a_kind() {
    let mut model = live(&storm());
    assert_eq!(filtered(&mut model, "4 halt"), 1);
    assert_snapshot!(text(&mut model, 100, 30));
    press(&mut model, "Esc");
    assert!(model.places.panes.flow_filter.is_open());
    assert!(!text(&mut model, 100, 30).contains("filter:"));
}

#[test]
fn a_number_is_a_process_and_any_other_term_a_part_of_the_words() {
    let mut model = live(&storm());
    let all = model.seen().flow.rows().len();
    assert_eq!(filtered(&mut model, ""), all);
    // The fault f4 and the violation of assertion-1 name 4 in their words alone.
    let of_four = filtered(&mut model, "4");
    let others = filtered(&mut model, "!4");
    assert!(of_four > 0 && others > 0 && of_four + others == all, "{of_four} and {others} of {all}");
    assert_eq!(filtered(&mut model, "ELECTED !normal"), 0);
    assert!(text(&mut model, 80, 24).contains("No row passes the filter."));
}

#[test]
fn the_cursor_walks_the_rows_that_pass() {
    let mut model = live(&crash());
    let count = filtered(&mut model, "elected");
    assert_eq!(count, 2);
    press(&mut model, "Up");
    let upper = model.places.panes.flow_cursor;
    press(&mut model, "Up Up");
    assert_eq!(model.places.panes.flow_cursor, upper);
    press(&mut model, "Down");
    let lower = model.places.panes.flow_cursor;
    assert!(upper < lower);
    // A new row is counted, and the cursor stays.
    for record in storm().into_iter().skip(crash().len()) {
        hear(&mut model, record);
    }
    assert_eq!(model.places.panes.flow_cursor, lower);
    let screen = text(&mut model, 100, 30);
    let rows = model.seen().flow.rows().len();
    assert!(screen.contains(&format!("filter: elected, 3 of {rows} rows (Esc ends it)")), "{screen}");
    press(&mut model, "Down Down");
    assert_eq!(model.places.panes.flow_cursor, None);
}

#[test]
fn elsewhere_the_filter_is_that_of_the_messages() {
    let mut model = live(&storm());
    press(&mut model, "/");
    write_text(&mut model, "halt");
    press(&mut model, "Enter");
    assert!(model.places.panes.flow_filter.is_open() && !model.places.messages.filter.is_open());
}

#[test]
fn the_last_row_is_followed_from_any_other_and_the_nearest_consequence_comes_first() {
    let mut model = live(&storm());
    press(&mut model, "Tab g");
    assert!(model.places.panes.flow_cursor.is_some());
    press(&mut model, "G");
    assert_eq!(model.places.panes.flow_cursor, None);
    // The new states, after which 3 is paused and 2 changes its own: nothing that processes did caused the pause.
    model.places.panes.flow_cursor = Some(26);
    for (key, row) in [(">", 40), ("<", 26)] {
        press(&mut model, key);
        assert_eq!(model.places.panes.flow_cursor, Some(row), "{key}");
    }
}
