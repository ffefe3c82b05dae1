//! The bugs of path compression, one by one.
//!
//! Invariant: every bug of that file has a test here.

use super::{Apart, Effects, Twins, without};
use crate::token::{CellsNotRead, HandOverNotSaved, HandsOnWhileInside, NextOverwritten, TokenTakenAgain, token_work};
use application::token::{TokenCells, TokenMessage, TokenPlace, TokenTimer};
use application::working::{Working, WorkingCells, WorkingMessage, WorkingTimer};
use application::{APPLICATIONS, AnyMessage, AnySaved, AnyTimer};
use bench::{node, setup};
use election::bully::{Bully, Timer};
use fault::{Bug, Given};
use protocol::{Effect, Order, Settings, Setup, Span, Stance, Timing};

type WithToken = Working<Bully>;

const TIMING: Timing =
    Timing { t: Span::from_millis(200), check: Span::from_millis(300), silence: Span::from_millis(1400) };
const INSIDE: WorkingTimer<Timer> = WorkingTimer::Application(AnyTimer::Token(TokenTimer::Inside));

/// Node `me` of four, which wants in only if a user asks.
fn setup_of(me: u16) -> Setup {
    let card = APPLICATIONS.iter().find(|card| card.name == "token").unwrap();
    let nobody = Settings::defaults(card.settings, Default::default());
    setup::<WithToken>(me, 4, TIMING, |settings| settings.with_application("token", nobody.clone()))
}

fn started<B: Bug<Machine = WithToken>>(me: u16) -> Twins<B> {
    Twins::of(&setup_of(me))
}

fn said<M>(message: TokenMessage) -> WorkingMessage<M> {
    WorkingMessage::Outside(AnyMessage::Token(message))
}

fn request<M>(of: u16, number: u64) -> WorkingMessage<M> {
    said(TokenMessage::Request { of: node(of), number })
}

fn token<M>(number: u64) -> WorkingMessage<M> {
    said(TokenMessage::Token { number })
}

/// A user asks both, and both do the same.
fn asked<B: Bug<Machine = WithToken>>(mut twins: Twins<B>) -> Twins<B> {
    twins.give(Given::Order(Order::Request));
    twins.alike()
}

/// To whom messages about the token go, with their kinds.
fn sent<B: Bug<Machine = WithToken>>(effects: &Effects<B>) -> Vec<(u16, &'static str)> {
    let of = |effect: &Effect<WithToken>| match effect {
        Effect::Send { to, message: WorkingMessage::Outside(AnyMessage::Token(message)) } => Some((
            to.get(),
            match message {
                TokenMessage::Request { .. } => "Request",
                TokenMessage::Token { .. } => "Token",
            },
        )),
        _ => None,
    };
    effects.iter().filter_map(of).collect()
}

#[test]
fn a_process_has_the_token_that_it_has_handed_over() {
    let guess = Some(node(2));
    let cells =
        TokenCells { place: TokenPlace::Elsewhere, number: 1, guess, next: None, asked: 0, seen: Default::default() };
    let cells = WorkingCells { election: None, application: Some(AnySaved::Token(cells)) };
    let Apart { plain_state, mutant_state, .. } = started::<CellsNotRead>(1).recovered(cells).apart();
    let (plain, mutant) = (token_work(&plain_state), token_work(&mutant_state));
    assert_eq!(((plain.token, plain.guess), (mutant.token, mutant.guess)), ((None, guess), (Some(0), None)));
}

#[test]
fn what_is_handed_over_is_not_kept() {
    let Apart { plain, mutant, .. } = started::<HandOverNotSaved>(1).apart_hearing(3, request(3, 1));
    let saves: Vec<_> = plain.iter().filter(|effect| matches!(effect, Effect::Save { .. })).cloned().collect();
    assert_eq!((saves.len(), &mutant), (1, &without(&plain, &saves)));
}

#[test]
fn the_token_leaves_while_its_process_is_inside() {
    let inside = asked(started::<HandsOnWhileInside>(1));
    let Apart { plain, mutant, mutant_state, .. } = inside.apart_hearing(3, request(3, 1));
    assert_eq!((sent::<HandsOnWhileInside>(&plain), sent::<HandsOnWhileInside>(&mutant)), (vec![], vec![(3, "Token")]));
    let work = token_work(&mutant_state);
    assert_eq!((work.section.stance, work.token), (Stance::Inside, None));
}

#[test]
fn a_token_that_comes_again_is_taken() {
    let mut inside = asked(started::<TokenTakenAgain>(3));
    inside.give(Given::Message(node(1), token(1)));
    inside.give(Given::Message(node(2), request(2, 1)));
    inside.give(Given::Timer(INSIDE));
    let Apart { plain_state, mutant_state, .. } = inside.apart_hearing(1, token(1));
    assert_eq!((token_work(&plain_state).token, token_work(&mutant_state).token), (None, Some(4)));
}

#[test]
fn the_next_one_is_replaced_by_a_later_one() {
    let mut inside = asked(started::<NextOverwritten>(1)).hear(3, request(3, 1));
    inside.give(Given::Message(node(4), request(4, 1)));
    let Apart { plain, mutant, plain_state, mutant_state } = inside.apart();
    assert_eq!((sent::<NextOverwritten>(&plain), sent::<NextOverwritten>(&mutant)), (vec![(3, "Request")], vec![]));
    assert_eq!((token_work(&plain_state).next, token_work(&mutant_state).next), (Some(node(3)), Some(node(4))));
    let Apart { plain, mutant, .. } = inside.apart_at(INSIDE);
    assert_eq!(
        (sent::<NextOverwritten>(&plain), sent::<NextOverwritten>(&mutant)),
        (vec![(3, "Token")], vec![(4, "Token")])
    );
}
