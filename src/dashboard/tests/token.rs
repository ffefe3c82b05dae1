//! A token on the screen: who holds it, and whom each other one would ask for it.

use insta::assert_snapshot;

use super::stage::{node, sent, state, step};
use super::work::lab_with_shards;
use super::{hear, press, text};
use crate::model::Model;
use protocol::{
    ENTERING_LINE, LEAVING_LINES, LineNumber, NodeId, Property, SectionState, SectionWork, StateVector, Status,
    TokenWork, WANTING_LINE, Work,
};
use record::{Body, EffectText, Input};

fn lab() -> Model {
    let mut model = lab_with_shards();
    let application = model.head.as_mut().unwrap().facts.application.as_mut().unwrap();
    (application.title, application.shards) = ("Token".into(), None);
    application.promises = vec![Property::MutualExclusion, Property::Fairness];
    model
}

/// What a process knows: the token's number if it is here, its guess, and the next one.
type Known = (Option<u64>, Option<u16>, Option<u16>);

/// A step of the process, which leaves it so; it hands the token to that one, if to anybody.
fn stands(model: &mut Model, who: u16, stance: SectionState, known: Known, line: LineNumber, to: Option<u16>) {
    let (token, guess, next) = known;
    let [guess, next]: [Option<NodeId>; 2] = [guess, next].map(|other| other.map(node));
    let work = TokenWork { section: SectionWork { stance, entries: 1 }, token, guess, next };
    let after = StateVector { work: Some(Box::new(Work::Token(work))), ..state(Status::Normal, Some(5), None) };
    let effects: Vec<EffectText> = to.into_iter().map(|to| sent(who, to, "Token")).collect();
    let at = model.seen().world.now + 1_000_000;
    let mut record = step(at, who, Input::Start { saved: false }, effects, Some(after));
    let Body::Step(step) = &mut record.body else { panic!("a step") };
    step.lines.push(line);
    hear(model, record);
}

fn row(model: &mut Model) -> String {
    text(model, 140, 30).lines().nth(2).unwrap().to_owned()
}

#[test]
fn the_row_of_a_token_says_who_holds_it_and_whom_each_other_one_would_ask() {
    let mut model = lab();
    stands(&mut model, 1, SectionState::Inside, (Some(2), Some(3), Some(3)), ENTERING_LINE, None);
    stands(&mut model, 2, SectionState::Outside, (None, Some(3), None), LEAVING_LINES[0], Some(1));
    stands(&mut model, 3, SectionState::Waiting, (None, None, None), WANTING_LINE, None);
    assert_eq!(row(&mut model), "token  1 holds the token; 2→3 3 last  1 is inside, 3 waits  entered 1:1 2:1 3:1");
    assert_snapshot!(text(&mut model, 80, 24));
    press(&mut model, "2");
    let screen = text(&mut model, 100, 30);
    for said in
        ["1 enters the critical section", "2 leaves the critical section, and hands the token to 1", "3 waits for"]
    {
        assert!(screen.contains(said), "{screen}");
    }
}

#[test]
fn a_token_under_way_and_two_tokens_are_told() {
    let mut model = lab();
    stands(&mut model, 1, SectionState::Outside, (None, Some(3), None), LEAVING_LINES[0], Some(3));
    stands(&mut model, 3, SectionState::Waiting, (None, None, None), WANTING_LINE, None);
    let expected = "token  nobody holds the token; 1→3 3 last  nobody is inside, 3 waits  entered 1:1 3:1";
    assert_eq!(row(&mut model), expected);
    stands(&mut model, 1, SectionState::Inside, (Some(0), None, None), ENTERING_LINE, None);
    stands(&mut model, 3, SectionState::Inside, (Some(3), None, None), ENTERING_LINE, None);
    assert_eq!(row(&mut model), "token  1,3 hold a token each  1,3 are inside  entered 1:1 3:1");
}

#[test]
fn all_about_a_process_with_the_token_and_about_one_without() {
    let mut model = lab();
    stands(&mut model, 1, SectionState::Inside, (Some(2), Some(3), Some(3)), ENTERING_LINE, None);
    stands(&mut model, 2, SectionState::Outside, (None, Some(3), None), LEAVING_LINES[0], None);
    stands(&mut model, 3, SectionState::Waiting, (None, None, None), WANTING_LINE, None);
    for (keys, said) in [
        (
            "g Enter",
            vec!["inside; it has entered once", "here: it was handed over 2 times", "3 gets it after this one"],
        ),
        ("q g Down Enter", vec!["outside", "not here; this process would ask 3"]),
        ("q g Down Down Enter", vec!["waiting", "not here; this process is the last that waits for it"]),
    ] {
        press(&mut model, keys);
        let screen = text(&mut model, 80, 30);
        assert!(said.iter().all(|said| screen.contains(said)), "{said:?}\n{screen}");
    }
}
