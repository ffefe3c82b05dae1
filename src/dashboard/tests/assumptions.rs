//! The assumption meter on the screen: what stands, what is broken now, what was, and by whom.
//!
//! Invariant: live and replayed, the strip says the same of the same moment.

use insta::assert_snapshot;

use super::stage::{broken, broken_storm, crash, lab, live, live_with, options, replay};
use super::{hear, press, styled, text};
use crate::model::Model;
use crate::{Colour, Glyphs, Options, Role};
use protocol::Assumption;

/// The algorithm needs these.
fn needs(mut model: Model, needs: &[Assumption]) -> Model {
    model.head.as_mut().unwrap().facts.needs = needs.to_vec();
    model
}

/// The part of the tabs' row that tells of assumptions.
fn strip(model: &mut Model, width: u16) -> String {
    let screen = text(model, width, 24);
    let row = screen.lines().nth(1).unwrap();
    row.split('─').map(str::trim).rfind(|part| !part.is_empty()).unwrap().to_owned()
}

#[test]
fn what_broke_which_assumption_stands_in_the_header() {
    assert_snapshot!(styled(&mut needs(live(&broken_storm()), Assumption::first(9)), 80, 24));
}

#[test]
fn a_replay_says_what_the_live_screen_said_at_the_same_moment() {
    let records = broken_storm();
    let mut replayed = needs(replay(&records), Assumption::first(9));
    assert_eq!(strip(&mut replayed, 80), "assumes 1 2 3 4 5 6 7 8 9");
    press(&mut replayed, "End");
    let mut live = needs(live(&crash()), Assumption::first(9));
    records[crash().len()..].iter().for_each(|record| hear(&mut live, record.clone()));
    for width in [60, 80, 120] {
        assert_eq!(strip(&mut replayed, width), strip(&mut live, width));
    }
    // One second back the stall was fresh, and two more that nobody stands up for any more.
    press(&mut replayed, "h h");
    assert_eq!(strip(&mut replayed, 72), "assumes 4✗f5 7✗f6 8✗f2 9✗computer");
}

#[test]
fn where_room_is_short_those_that_stand_give_way() {
    let mut model = needs(live(&broken_storm()), &Assumption::ALL);
    for (width, expected) in [
        (140, "assumes 1 2 3 4✗f5 5 6 7(f6) 8✗f2 9(computer) 10 11 12 13 14"),
        (86, "assumes 1-3 4✗f5 5-6 7(f6) 8✗f2 9(computer) 10-14"),
        (76, "assumes 4✗f5 7(f6) 8✗f2 9(computer)"),
        (66, "4✗f5 7(f6) 8✗f2 9(computer)"),
    ] {
        assert_eq!(strip(&mut model, width), expected, "{width}");
    }
}

#[test]
fn without_colour_and_in_ascii_it_says_the_same() {
    let plain = Options { glyphs: Glyphs::Ascii, colour: Colour::Mono, ..options(lab(None), Role::Visitor) };
    let mut model = needs(live_with(plain, &broken_storm()), Assumption::first(9));
    let screen = text(&mut model, 130, 24);
    assert!(screen.is_ascii() && screen.contains("assumes 1 2 3 4xf5 5 6 7(f6) 8xf2 9(computer)"), "{screen}");
}

#[test]
fn a_fault_does_not_give_way_to_this_computer_and_the_word_stays() {
    let mut records = broken_storm();
    records.push(broken(9000, Assumption::NoPauses, Some(3), "assumption 9 broken: node 3 was paused (f3)"));
    records.push(broken(9100, Assumption::NoPauses, None, "assumption 9 broken: node 4 stood still (this computer)"));
    records.push(broken(9200, Assumption::DeliveryInTime, None, "assumption 8 broken: 1 message late (this computer)"));
    let mut model = live(&super::stage::numbered(records));
    for (width, height) in [(80, 24), (100, 30)] {
        let screen = text(&mut model, width, height);
        assert!(screen.contains(" assumes 8✗f2,computer 9✗f3,computer ─"), "{screen}");
    }
    press(&mut model, "A");
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("broken by f3 at 9.000 s and by this computer at 9.100 s"), "{screen}");
}
