//! State, one input, the exact effects.

use super::*;
use crate::section::words::{ENTERING_LINE, LEAVING_LINES, WANTING_LINE};
use crate::tests::{cancels, hears, normal, nothing, requested, sends, sets, setup, state, timer, told};
use protocol::{ApplicationEffect, ELECTING_LINE, Roster, SettingValue};

const CHECK: Span = Span::from_millis(500);
const OUTSIDE: Span = Span::from_millis(1_000);
const INSIDE_SPAN: Span = Span::from_millis(500);

/// Node 3 of four, with these candidates, which asks by itself if it is among those.
fn started(candidates: &str, asks: &str) -> Exclusion {
    let roster = Roster::new(4).unwrap();
    let nodes = |text: &str| SettingValue::Nodes(text.parse().unwrap());
    let settings = Settings::default().with("candidates", nodes(candidates));
    let setup = Setup { settings, ..setup(3, roster, CHECK, Span::from_millis(2_000)) };
    let own = Settings::defaults(card::CARD.settings, roster.all());
    Exclusion::start(&setup, &own.with(section::ASKS, nodes(asks)), None)
}

/// Node 3 of four, which asks by itself or not.
fn machine(asks: &str) -> Exclusion {
    started("1-4", asks)
}

fn stance(machine: &Exclusion) -> (SectionState, u64) {
    let Work::Exclusion(section) = machine.work() else { panic!("another work") };
    (section.stance, section.entries)
}

/// Inside, as the master of election 1.
fn inside() -> Exclusion {
    let mut inside = machine("3");
    told(&mut inside, &normal(3, 1));
    assert_eq!(stance(&inside), (SectionState::Inside, 1));
    inside
}

#[test]
fn who_waits_without_master_begins_an_election() {
    let mut waiting = machine("3");
    let begun =
        (vec![ApplicationEffect::Elect, sets(ExclusionTimer::Waiting, CHECK)], vec![line::BEGIN, line::ELECT], None);
    let hushed = (vec![sets(ExclusionTimer::Waiting, CHECK)], vec![], None);
    assert_eq!(told(&mut waiting, &state(Status::Down, None, 0)), hushed);
    assert_eq!(timer(&mut waiting, ExclusionTimer::Waiting), begun);
}

#[test]
fn who_waits_asks_its_master_again() {
    let mut waiting = machine("3");
    let asked = (vec![sends(2, ExclusionMessage::Wants), sets(ExclusionTimer::Waiting, CHECK)], vec![line::ASK], None);
    assert_eq!(told(&mut waiting, &normal(2, 1)), asked);
    assert_eq!(told(&mut waiting, &normal(2, 1)), nothing());
    assert_eq!(timer(&mut waiting, ExclusionTimer::Waiting), asked);
    let electing = state(Status::Election, None, 2);
    assert_eq!(told(&mut waiting, &electing), (vec![sets(ExclusionTimer::Waiting, CHECK)], vec![], None));
}

#[test]
fn the_elected_one_enters_if_it_waits() {
    let mut waiting = machine("3");
    let entered = vec![cancels(ExclusionTimer::Waiting), sets(ExclusionTimer::Inside, INSIDE_SPAN)];
    assert_eq!(told(&mut waiting, &normal(3, 1)), (entered, vec![line::ENTER], None));
    assert_eq!(stance(&waiting), (SectionState::Inside, 1));
    let mut idle = machine("-");
    assert_eq!(told(&mut idle, &normal(3, 1)), nothing());
    assert_eq!(stance(&idle), (SectionState::Outside, 0));
}

#[test]
fn who_leaves_begins_an_election() {
    let mut leaving = inside();
    let left = vec![sets(ExclusionTimer::Outside, OUTSIDE), ApplicationEffect::Elect];
    assert_eq!(timer(&mut leaving, ExclusionTimer::Inside), (left, vec![line::LEAVE, line::ELECT], None));
    assert_eq!(stance(&leaving), (SectionState::Outside, 1));
    told(&mut leaving, &normal(2, 2));
    let asked =
        vec![cancels(ExclusionTimer::Outside), sends(2, ExclusionMessage::Wants), sets(ExclusionTimer::Waiting, CHECK)];
    assert_eq!(timer(&mut leaving, ExclusionTimer::Outside), (asked, vec![line::WANT, line::ASK], None));
}

#[test]
fn one_that_leaves_amid_an_election_begins_none() {
    let mut leaving = inside();
    told(&mut leaving, &state(Status::Election, None, 2));
    let left = vec![sets(ExclusionTimer::Outside, OUTSIDE)];
    assert_eq!(timer(&mut leaving, ExclusionTimer::Inside), (left, vec![line::LEAVE], None));
}

#[test]
fn to_win_as_inside_is_no_entry() {
    let mut leaving = inside();
    told(&mut leaving, &state(Status::Election, None, 2));
    timer(&mut leaving, ExclusionTimer::Inside);
    timer(&mut leaving, ExclusionTimer::Outside);
    let begun = vec![ApplicationEffect::Elect, sets(ExclusionTimer::Waiting, CHECK)];
    assert_eq!(told(&mut leaving, &normal(3, 2)), (begun, vec![line::BEGIN, line::ELECT], None));
    assert_eq!(stance(&leaving), (SectionState::Waiting, 1));
}

#[test]
fn who_is_inside_leaves_for_another_master() {
    let mut inside = inside();
    assert_eq!(told(&mut inside, &normal(3, 2)), (vec![], vec![line::STAY], None));
    let ousted = vec![cancels(ExclusionTimer::Inside), sets(ExclusionTimer::Outside, OUTSIDE)];
    assert_eq!(told(&mut inside, &normal(4, 3)), (ousted, vec![line::OUSTED], None));
    assert_eq!(stance(&inside), (SectionState::Outside, 1));
}

#[test]
fn an_idle_master_elects_for_one_waiting() {
    let mut idle = machine("-");
    told(&mut idle, &normal(3, 1));
    let asked = |machine: &mut Exclusion| hears(machine, 1, ExclusionMessage::Wants);
    assert_eq!(asked(&mut idle), (vec![ApplicationEffect::Elect], vec![line::GRANT, line::ELECT], None));
    assert_eq!(asked(&mut inside()), nothing());
    let mut follower = machine("-");
    told(&mut follower, &normal(2, 1));
    assert_eq!(asked(&mut follower), nothing());
}

#[test]
fn requests_that_come_too_early_are_kept() {
    let mut obeys = machine("-");
    told(&mut obeys, &normal(2, 1));
    assert_eq!(requested(&mut obeys).1, [line::WANT, line::ASK]);
    assert_eq!(requested(&mut obeys), nothing());
    told(&mut obeys, &normal(3, 2));
    let left = vec![sets(ExclusionTimer::Waiting, CHECK), ApplicationEffect::Elect];
    assert_eq!(timer(&mut obeys, ExclusionTimer::Inside), (left, vec![line::LEAVE, line::WANT, line::ELECT], None));
    told(&mut obeys, &normal(3, 3));
    assert_eq!(
        timer(&mut obeys, ExclusionTimer::Inside),
        (vec![ApplicationEffect::Elect], vec![line::LEAVE, line::ELECT], None)
    );
}

#[test]
fn who_is_inside_stands_above_all() {
    let waiting = machine("3");
    assert_eq!([waiting.capacity(-1), waiting.capacity(0), waiting.capacity(7)], [-1, WAITING, WAITING + 7]);
    assert_eq!([inside().capacity(-1), inside().capacity(7)], [-1, INSIDE]);
    assert_eq!(machine("-").capacity(7), 0);
}

#[test]
fn one_that_is_no_candidate_never_wants_in() {
    let mut abstains = started("1", "1-4");
    assert_eq!(told(&mut abstains, &normal(1, 1)), nothing());
    assert_eq!(requested(&mut abstains), (vec![], vec![line::ABSTAIN], None));
    assert_eq!(stance(&abstains), (SectionState::Outside, 0));
}

#[test]
fn it_cites_the_lines_of_all_sections() {
    assert_eq!([line::ELECT, line::WANT, line::ENTER], [ELECTING_LINE, WANTING_LINE, ENTERING_LINE]);
    assert_eq!([line::LEAVE, line::OUSTED], LEAVING_LINES);
}
