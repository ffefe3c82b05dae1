//! A liar on the screen: what it says to whom, and the key that makes one.
//!
//! Invariant: what a liar said differently to different receivers stands in one row, with nobody else's word in it.

use super::stage::{MS, calm, given, id, live, numbered, set, state, step};
use super::{lines_of, press, text, write_text};
use crate::model::Model;
use protocol::{Lie, Property, Status, ToldLie};
use record::{Body, EffectText, MessageText, Record, Words};

fn elected(number: &str) -> MessageText {
    let words =
        Words { kind: "Elected".into(), fields: vec![("number".into(), number.to_owned())], body: number.into() };
    words.into()
}

fn told(to: u16, number: &str) -> EffectText {
    EffectText::Send { id: id(5, to, 40 + u64::from(to)), message: elected(number) }
}

/// 5 tells 1 and 4 another number than 2 and 3, while 4 sends the same kind for the same reason.
fn lying() -> Vec<Record> {
    let mut records = calm();
    let sends = vec![told(1, "9.1"), told(2, "7.1"), told(3, "7.1"), told(4, "9.1")];
    let mut lie = step(3_000 * MS, 5, given(1, 5, "Ready"), sends, Some(state(Status::Election, None, None)));
    let Body::Step(lying) = &mut lie.body else { panic!("a step") };
    let what = "sends number=9.1 in place of number=5.1".to_owned();
    lying.lies = vec![ToldLie { lie: Lie::Equivocate, to: set("1-4"), what, attacks: Some(Property::Assertion1) }];
    records.push(lie);
    let other = EffectText::Send { id: id(4, 1, 9), message: elected("4.1") };
    records.push(step(3_000 * MS, 4, given(1, 4, "Ready"), vec![other], Some(state(Status::Election, None, None))));
    numbered(records)
}

fn rows_at(model: &Model, at: i64) -> Vec<String> {
    let rows = model.seen().flow.rows();
    let rows = rows.iter().filter(|row| row.record.at == at);
    rows.map(|row| row.parts().into_iter().map(|part| part.text).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn what_a_liar_says_to_one_and_to_another_stands_side_by_side() {
    let mut model = live(&lying());
    let rows = rows_at(&model, 3_000 * MS);
    assert_eq!(rows[0], "5 lies: Elected number: 9.1→1,4 │ 7.1→2,3 (equivocate) ………… 5: Election");
    assert_eq!(rows[1], "Ready(number=1.7): 4→1 Elected(number=4.1) … 4: Election");
    assert_eq!(rows.len(), 2);
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("5 lies: Elected number: 9.1→1,4 │ 7.1→2,3"), "{screen}");
}

#[test]
fn the_key_of_lies_asks_for_one_and_ends_those_of_a_liar() {
    let mut model = live(&calm());
    press(&mut model, "L");
    assert_eq!(model.dialogs.prompt.as_ref().unwrap().text, "liar 1 ");
    let screen = text(&mut model, 80, 24);
    for lie in Lie::ALL {
        assert!(screen.contains(lie.word()), "{lie}: {screen}");
    }
    write_text(&mut model, "eq");
    press(&mut model, "Tab");
    assert_eq!(model.dialogs.prompt.as_ref().unwrap().text, "liar 1 equivocate");
    assert_eq!(lines_of(&press(&mut model, "Enter")), ["liar 1 equivocate"]);
}
