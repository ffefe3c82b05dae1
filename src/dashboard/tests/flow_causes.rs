//! From row to row of the flow along causes, and what the flow of one process alone says.
//!
//! Invariant: nothing is said of what no record tells.

use super::stage::{MS, crash, given, lab, live, live_with, node, numbered, options, sent, state, step, storm};
use super::{press, text};
use crate::model::Model;
use crate::options::Role;
use protocol::Status;
use record::{Body, Input, Record};

/// The words of the row under the cursor.
fn words(model: &Model) -> String {
    let rows = model.seen().flow.rows();
    let number = model.places.panes.flow_cursor.unwrap();
    let row = rows.iter().find(|row| row.record.number == number).unwrap();
    row.parts().into_iter().map(|part| part.text).collect::<Vec<_>>().join(" ")
}

fn put_cursor(model: &mut Model, record: impl Fn(&Record) -> bool) {
    let number = model.seen().flow.rows().iter().find(|row| record(&row.record)).unwrap().record.number;
    model.places.panes.flow_cursor = Some(number);
}

#[test]
fn a_crash_causes_the_silence_that_a_process_waited_for() {
    let mut model = live(&crash());
    press(&mut model, "Tab");
    put_cursor(&mut model, |record| matches!(record.body, Body::FaultOrdered { .. }));
    press(&mut model, ">");
    assert!(words(&model).starts_with("5 was silent"), "{}", words(&model));
    press(&mut model, "<");
    assert!(words(&model).starts_with("f1 crash 5"), "{}", words(&model));
    press(&mut model, "<");
    let told = model.toasts.back().map(|toast| toast.text.clone()).unwrap();
    assert_eq!(told, "Nothing that is shown caused this row.", "a person did");
    assert!(words(&model).starts_with("f1 crash 5"));
    // What 5 did before its crash did not cause that.
    put_cursor(&mut model, |record| record.node == Some(node(5)) && record.at == 420 * MS);
    model.toasts.clear();
    press(&mut model, ">");
    assert!(!words(&model).starts_with("f1"), "{}", words(&model));
}

#[test]
fn a_node_alone_says_nothing_of_other_processes() {
    let who = 4;
    let asks = || vec![sent(who, 5, "AreYouThere"), sent(who, 3, "Halt"), sent(who, 2, "Halt"), sent(who, 1, "Halt")];
    let electing = Some(state(Status::Election, None, None));
    let records = [
        step(MS, who, Input::Start { saved: false }, vec![sent(who, 5, "AreYouThere")], None),
        step(500 * MS, who, given(5, who, "Yes"), asks(), electing),
    ];
    let records: Vec<Record> = records.into_iter().map(|record| Record { number: 0, ..record }).collect();
    let mut model = live_with(options(lab(Some(node(who))), Role::Visitor), &records);
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("4→5 AreYouThere"), "{screen}");
    for unknown in ["✗", "dead", "…"] {
        assert!(!model.seen().flow.rows().iter().any(|row| row.parts().iter().any(|part| part.text.contains(unknown))));
    }
    // A lab knows, and says it of several as of several.
    let mut records = crash();
    for who in [3, 2] {
        records.push(Record::of_node(4_000 * MS, node(who), Body::Died { death: record::Death::Exited { code: 1 } }));
    }
    records.push(step(4_100 * MS, who, given(1, who, "Yes"), asks(), None));
    let model = live(&numbered(records));
    let rows = model.seen().flow.rows();
    let words: Vec<String> = rows.iter().flat_map(|row| row.parts()).map(|part| part.text).collect();
    assert!(words.iter().any(|text| text == "(2,3 are dead)"), "{words:?}");
}

#[test]
fn a_short_idle_time_has_no_row() {
    let mut model = live(&storm());
    press(&mut model, "Tab z");
    let screen = text(&mut model, 100, 40);
    assert!(screen.contains("┆ 1.6s") && !screen.contains("┆ 0."), "{screen}");
}
