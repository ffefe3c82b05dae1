//! What the flow of one process alone says, and the rows of idle times.
//!
//! Invariant: nothing is said of what no record tells.

use super::stage::{MS, crash, given, lab, live, live_with, node, numbered, options, sent, state, step, storm};
use super::{press, text};
use crate::dashboard::options::Role;
use crate::protocol::Status;
use crate::record::{Body, Input, Record};

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
        records.push(Record::of_node(
            4_000 * MS,
            node(who),
            Body::Died { death: crate::record::Death::Exited { code: 1 } },
        ));
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
    assert!(screen.contains("┆ 1.6 s") && !screen.contains("┆ 0."), "{screen}");
}
