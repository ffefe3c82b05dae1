//! State, one input, the exact effects.

use super::*;
use crate::section::words::{ENTERING_LINE, LEAVING_LINES, WANTING_LINE};
use crate::tests::{cancels, node, sends as send, sets, setup};
use protocol::{ApplicationEffect, LineNumber, Roster, SettingValue};

const OUTSIDE: Span = Span::from_millis(1_000);
const INSIDE: Span = Span::from_millis(500);

/// That node of four, which asks by itself or not, with what it has kept.
fn machine(me: u16, asks: &str, saved: Option<TokenCells>) -> PathCompression {
    let (roster, span) = (Roster::new(4).unwrap(), Span::from_millis);
    let setup = setup(me, roster, span(500), span(2_000));
    let own = Settings::defaults(card::CARD.settings, roster.all());
    PathCompression::start(&setup, &own.with(section::ASKS, SettingValue::Nodes(asks.parse().unwrap())), saved)
}

/// That node of four, which has started for the first time, and does nothing by itself.
fn idle(me: u16) -> PathCompression {
    machine(me, "-", None)
}

type Done = (Vec<ApplicationEffect<PathCompression>>, Vec<LineNumber>);

/// What came of it. Whatever leaves, and whatever is not the same as before, was kept.
fn done(machine: &mut PathCompression, run: impl FnOnce(&mut PathCompression, &mut TokenEffects)) -> Done {
    let (mut fx, before) = (TokenEffects::default(), machine.cells.clone());
    run(machine, &mut fx);
    let (effects, lines, saved) = fx.into_parts();
    let sends = effects.iter().any(|effect| matches!(effect, ApplicationEffect::Send { .. }));
    let is_to_be_kept = machine.cells != before || sends;
    assert_eq!(saved.as_ref(), is_to_be_kept.then_some(&machine.cells));
    (effects, lines)
}

fn starts(machine: &mut PathCompression) -> Done {
    done(machine, |machine, fx| machine.on_start(fx))
}

fn hears(machine: &mut PathCompression, from: u16, message: TokenMessage) -> Done {
    done(machine, |machine, fx| machine.on_message(node(from), message, fx))
}

fn timer(machine: &mut PathCompression, timer: TokenTimer) -> Done {
    done(machine, |machine, fx| machine.on_timer(timer, fx))
}

fn user(machine: &mut PathCompression) -> Done {
    done(machine, |machine, fx| machine.on_request(fx))
}

fn request(of: u16, number: u64) -> TokenMessage {
    TokenMessage::Request { of: node(of), number }
}

fn token(number: u64) -> TokenMessage {
    TokenMessage::Token { number }
}

fn cancels_outside() -> ApplicationEffect<PathCompression> {
    cancels(TokenTimer::Outside)
}

/// The stance; the token's number if it has it; its guess, and who comes next.
fn shows(machine: &PathCompression) -> (SectionState, Option<u64>, Option<u16>, Option<u16>) {
    let work = machine.work().token().unwrap();
    (work.section.stance, work.token, work.guess.map(NodeId::get), work.next.map(NodeId::get))
}

/// Node 3, which has asked 1 for the token.
fn waiting() -> PathCompression {
    let mut waiting = idle(3);
    user(&mut waiting);
    assert_eq!(shows(&waiting), (SectionState::Waiting, None, None, None));
    waiting
}

/// Node 3, inside with token 1.
fn inside() -> PathCompression {
    let mut inside = waiting();
    hears(&mut inside, 1, token(1));
    assert_eq!(shows(&inside), (SectionState::Inside, Some(1), None, None));
    inside
}

#[test]
fn the_lowest_has_the_token_first() {
    let (mut first, mut other) = (machine(1, "1,3", None), machine(3, "1,3", None));
    let waits = (vec![sets(TokenTimer::Outside, OUTSIDE)], vec![]);
    assert_eq!((starts(&mut first), starts(&mut other)), (waits.clone(), waits));
    assert_eq!(shows(&first), (SectionState::Outside, Some(0), None, None));
    assert_eq!(shows(&other), (SectionState::Outside, None, Some(1), None));
    assert_eq!(starts(&mut idle(3)), (vec![], vec![]));
}

#[test]
fn who_wants_in_asks_its_guess() {
    let asked = vec![cancels_outside(), send(1, request(3, 1))];
    let mut asks = machine(3, "3", None);
    starts(&mut asks);
    assert_eq!(timer(&mut asks, TokenTimer::Outside), (asked.clone(), vec![line::WANT, line::ASK]));
    assert_eq!(shows(&asks), (SectionState::Waiting, None, None, None));
    assert_eq!(user(&mut idle(3)), (asked, vec![line::WANT, line::ASK]));
}

#[test]
fn who_has_the_token_enters() {
    let entered = vec![cancels_outside(), sets(TokenTimer::Inside, INSIDE)];
    let mut holder = idle(1);
    assert_eq!(user(&mut holder), (entered, vec![line::WANT, line::ENTER]));
    assert_eq!(shows(&holder), (SectionState::Inside, Some(0), None, None));
}

#[test]
fn one_that_waits_enters_with_the_token() {
    let entered = vec![sets(TokenTimer::Inside, INSIDE)];
    assert_eq!(hears(&mut waiting(), 1, token(1)), (entered, vec![line::ENTER]));
}

#[test]
fn who_is_not_last_forwards_a_request() {
    let mut asked = idle(2);
    assert_eq!(hears(&mut asked, 3, request(3, 1)), (vec![send(1, request(3, 1))], vec![line::FORWARD]));
    assert_eq!(shows(&asked), (SectionState::Outside, None, Some(3), None));
    assert_eq!(hears(&mut asked, 4, request(4, 1)), (vec![send(3, request(4, 1))], vec![line::FORWARD]));
    assert_eq!(shows(&asked), (SectionState::Outside, None, Some(4), None));
}

#[test]
fn the_last_takes_one_request() {
    for (mut last, stance, number) in
        [(waiting(), SectionState::Waiting, None), (inside(), SectionState::Inside, Some(1))]
    {
        assert_eq!(hears(&mut last, 2, request(4, 1)), (vec![], vec![line::APPEND]));
        assert_eq!(shows(&last), (stance, number, Some(4), Some(4)));
        assert_eq!(hears(&mut last, 2, request(2, 1)), (vec![send(4, request(2, 1))], vec![line::FORWARD]));
        assert_eq!(shows(&last), (stance, number, Some(2), Some(4)));
    }
}

#[test]
fn an_idle_holder_gives_the_token() {
    let mut holder = idle(1);
    assert_eq!(hears(&mut holder, 2, request(3, 1)), (vec![send(3, token(1))], vec![line::GIVE]));
    assert_eq!(shows(&holder), (SectionState::Outside, None, Some(3), None));
}

#[test]
fn who_leaves_hands_the_token_on() {
    let mut leaving = inside();
    assert_eq!(user(&mut leaving), (vec![], vec![]));
    hears(&mut leaving, 4, request(4, 1));
    hears(&mut leaving, 2, request(2, 1));
    let left = vec![send(4, token(2)), cancels_outside(), send(2, request(3, 2))];
    let lines = vec![line::LEAVE, line::PASS, line::WANT, line::ASK];
    assert_eq!(timer(&mut leaving, TokenTimer::Inside), (left, lines));
    assert_eq!(shows(&leaving), (SectionState::Waiting, None, None, None));
}

#[test]
fn who_leaves_may_keep_the_token() {
    let mut leaving = inside();
    assert_eq!(timer(&mut leaving, TokenTimer::Inside), (vec![], vec![line::LEAVE]));
    assert_eq!(shows(&leaving), (SectionState::Outside, Some(1), None, None));
    assert_eq!(timer(&mut leaving, TokenTimer::Inside), (vec![], vec![]));
}

#[test]
fn what_comes_again_does_nothing() {
    let mut holder = idle(1);
    hears(&mut holder, 3, request(3, 1));
    let seen = (vec![], vec![line::SEEN]);
    assert_eq!(hears(&mut holder, 3, request(3, 1)), seen);
    assert_eq!(hears(&mut holder, 2, request(1, 7)), seen);
    assert_eq!(hears(&mut holder, 2, request(9, 1)), seen);
    let mut next = inside();
    let stale = (vec![], vec![line::STALE]);
    assert_eq!(hears(&mut next, 1, token(1)), stale);
    hears(&mut next, 2, request(2, 1));
    timer(&mut next, TokenTimer::Inside);
    user(&mut next);
    assert_eq!((hears(&mut next, 1, token(1)), hears(&mut next, 2, token(2))), (stale.clone(), stale));
    assert_eq!(shows(&next), (SectionState::Waiting, None, None, None));
}

#[test]
fn who_returns_hands_its_token_on() {
    let mut dies = inside();
    let mut returned = machine(3, "3", Some(dies.cells.clone()));
    assert_eq!(starts(&mut returned), (vec![sets(TokenTimer::Outside, OUTSIDE)], vec![line::RETURN]));
    assert_eq!(shows(&returned), (SectionState::Outside, Some(1), None, None));
    hears(&mut dies, 2, request(2, 1));
    let mut returned = machine(3, "-", Some(dies.cells));
    assert_eq!(starts(&mut returned), (vec![send(2, token(2))], vec![line::RETURN, line::PASS]));
    assert_eq!(shows(&returned), (SectionState::Outside, None, Some(2), None));
}

#[test]
fn who_returns_still_waits() {
    let mut dies = waiting();
    let mut returned = machine(3, "3", Some(dies.cells.clone()));
    assert_eq!(starts(&mut returned), (vec![], vec![line::RETURN]));
    assert_eq!(shows(&returned), (SectionState::Waiting, None, None, None));
    hears(&mut dies, 2, request(2, 1));
    let mut returned = machine(3, "3", Some(dies.cells));
    starts(&mut returned);
    assert_eq!(shows(&returned), (SectionState::Waiting, None, Some(2), Some(2)));
    assert_eq!(hears(&mut returned, 1, token(1)).1, [line::ENTER]);
}

#[test]
fn an_unexpected_token_stays() {
    let mut other = idle(3);
    assert_eq!(hears(&mut other, 1, token(4)), (vec![], vec![line::KEEP]));
    assert_eq!(shows(&other), (SectionState::Outside, Some(4), None, None));
    let mut inside = inside();
    hears(&mut inside, 2, request(2, 1));
    assert_eq!(hears(&mut inside, 1, token(4)), (vec![], vec![line::KEEP]));
    assert_eq!(shows(&inside), (SectionState::Inside, Some(4), Some(2), Some(2)));
}

#[test]
fn it_cites_the_lines_of_all_sections() {
    assert_eq!([line::WANT, line::ENTER], [WANTING_LINE, ENTERING_LINE]);
    assert!(LEAVING_LINES.contains(&line::LEAVE));
}
