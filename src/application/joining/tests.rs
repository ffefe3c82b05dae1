//! State, one input, the exact effects.

use super::*;
use crate::tests::{
    T, cancels, hears, node, nodes as set, normal, nothing, requested, sends, sets, setup, state, timer, told,
};
use protocol::{ApplicationEffect, ELECTING_LINE, Incarnation, JoinPoll, PendingJoin, Roster, SettingValue, Span};

const CHECK: Span = Span::from_millis(500);
const SILENCE: Span = Span::from_millis(2_000);

/// This node of five, with these candidates; the first members are 1 to 3.
fn started(me: u16, candidates: &str, agrees: &str) -> Joining {
    let roster = Roster::new(5).unwrap();
    let settings = Settings::default().with("candidates", SettingValue::Nodes(set(candidates)));
    let setup = Setup { settings, ..setup(me, roster, CHECK, SILENCE) };
    let own = Settings::defaults(card::CARD.settings, roster.all());
    let own = own.with(card::MEMBERS, SettingValue::Nodes(set("1-3")));
    Joining::start(&setup, &own.with(card::AGREES, SettingValue::Nodes(set(agrees))), None)
}

/// The same, where all are candidates.
fn machine(me: u16, agrees: &str) -> Joining {
    started(me, "1-5", agrees)
}

fn view(version: u32, members: &str) -> MemberView {
    MemberView { version, members: set(members) }
}

fn first() -> MemberView {
    view(0, "1-3")
}

fn attempt(serial: u32) -> JoinAttempt {
    JoinAttempt { incarnation: Incarnation(1), serial }
}

fn all_but(me: u16, message: JoinMessage) -> Vec<ApplicationEffect<Joining>> {
    (1..=5).filter(|to| *to != me).map(|to| sends(to, message)).collect()
}

fn vote(vote: JoinVote) -> JoinMessage {
    JoinMessage::Vote(attempt(1), vote, first())
}

/// 4, which is elected and asks.
fn asking() -> Joining {
    let mut asking = machine(4, "1-5");
    told(&mut asking, &normal(4, 1));
    asking
}

#[test]
fn a_newcomer_stands_above_all() {
    let mut newcomer = machine(4, "1-5");
    let wait = |span| (vec![sets(JoinTimer::Begin, span)], vec![], None);
    assert_eq!(told(&mut newcomer, &state(Status::Down, None, 9)), wait(CHECK));
    let begun = vec![ApplicationEffect::Elect, sets(JoinTimer::Begin, SILENCE)];
    assert_eq!(timer(&mut newcomer, JoinTimer::Begin), (begun, vec![line::BEGIN, ELECTING_LINE], None));
    assert_eq!(told(&mut newcomer, &state(Status::Election, None, 9)), (vec![cancels(JoinTimer::Begin)], vec![], None));
    assert_eq!(told(&mut newcomer, &normal(3, 1)), wait(CHECK));
    // Another newcomer is the master.
    let mut second = machine(4, "1-5");
    assert_eq!(told(&mut second, &normal(5, 1)), wait(SILENCE));
    let member = machine(3, "1-5");
    assert_eq!([newcomer.capacity(-1), newcomer.capacity(4)], [-1, ASKS + 4]);
    assert_eq!([member.capacity(-1), member.capacity(3)], [-1, 4]);
    assert_eq!(told(&mut machine(3, "1-5"), &state(Status::Down, None, 9)), nothing());
}

#[test]
fn a_newcomer_is_admitted_by_a_majority() {
    let mut newcomer = machine(4, "1-5");
    let mut asked = all_but(4, JoinMessage::Join(attempt(1), first()));
    asked.extend([cancels(JoinTimer::Tell), sets(JoinTimer::Again, T * 2)]);
    assert_eq!(told(&mut newcomer, &normal(4, 1)), (asked, vec![line::ASK], None));
    assert_eq!(hears(&mut newcomer, 1, vote(JoinVote::Yes)), nothing());
    // A vote of no member, and one of an earlier attempt.
    assert_eq!(hears(&mut newcomer, 5, vote(JoinVote::Yes)), nothing());
    let late = JoinMessage::Vote(attempt(0), JoinVote::Yes, first());
    assert_eq!(hears(&mut newcomer, 2, late), nothing());
    let mut admitted = vec![cancels(JoinTimer::Begin), cancels(JoinTimer::Again)];
    admitted.extend(all_but(4, JoinMessage::Members(view(1, "1-4"))));
    admitted.push(sets(JoinTimer::Tell, CHECK));
    let kept = JoinCells { view: view(1, "1-4"), pending: None };
    let lines = vec![line::ADMIT, line::TELL];
    assert_eq!(hears(&mut newcomer, 2, vote(JoinVote::Yes)), (admitted, lines, Some(kept)));
    (1..=3).for_each(|of| drop(hears(&mut newcomer, of, JoinMessage::Members(view(1, "1-4")))));
    let told = vec![sends(5, JoinMessage::Members(view(1, "1-4"))), sets(JoinTimer::Tell, CHECK)];
    assert_eq!(timer(&mut newcomer, JoinTimer::Tell), (told, vec![line::TELL], None));
    assert_eq!(newcomer.capacity(4), 5);
}

#[test]
fn a_refused_newcomer_resigns() {
    let mut newcomer = asking();
    hears(&mut newcomer, 1, vote(JoinVote::Yes));
    hears(&mut newcomer, 2, vote(JoinVote::No));
    let mut refused = all_but(4, JoinMessage::Withdraw(attempt(1)));
    refused.extend([sets(JoinTimer::Begin, CHECK), cancels(JoinTimer::Again)]);
    refused.extend(all_but(4, JoinMessage::Members(first())));
    refused.push(sets(JoinTimer::Tell, CHECK));
    let lines = vec![line::REFUSED, line::TELL];
    assert_eq!(hears(&mut newcomer, 3, vote(JoinVote::No)), (refused, lines, None));
    let Work::Joining(work) = newcomer.work() else { panic!("another work") };
    let poll = JoinPoll { attempt: attempt(1), yes: set("1"), no: set("2,3") };
    assert_eq!((work.stance, work.refusals, work.refused_by), (JoinState::Outside, 1, Some(poll)));
    assert_eq!(newcomer.capacity(4), 0);
    let resigned = vec![ApplicationEffect::Elect, sets(JoinTimer::Begin, SILENCE)];
    assert_eq!(timer(&mut newcomer, JoinTimer::Begin), (resigned, vec![line::RESIGN, ELECTING_LINE], None));
    told(&mut newcomer, &state(Status::Election, None, 9));
    assert_eq!(told(&mut newcomer, &normal(3, 2)), nothing());
    assert_eq!(requested(&mut newcomer), (vec![sets(JoinTimer::Begin, CHECK)], vec![line::WANT], None));
    assert_eq!(requested(&mut machine(3, "1-5")), (vec![], vec![line::ABSTAIN], None));
}

#[test]
fn silence_is_no_yes() {
    let mut newcomer = asking();
    hears(&mut newcomer, 1, vote(JoinVote::Yes));
    let again = [2, 3, 5].map(|to| sends(to, JoinMessage::Join(attempt(1), first())));
    let again: Vec<_> = again.into_iter().chain([sets(JoinTimer::Again, T * 2)]).collect();
    for _ in 0..2 {
        assert_eq!(timer(&mut newcomer, JoinTimer::Again), (again.clone(), vec![line::AGAIN], None));
    }
    assert_eq!(timer(&mut newcomer, JoinTimer::Again).1, [line::REFUSED, line::TELL]);
}

#[test]
fn a_newcomer_adopts_more_members() {
    let mut newcomer = asking();
    let more = JoinMessage::Vote(attempt(1), JoinVote::Yes, view(1, "1-3,5"));
    let mut asked = all_but(4, JoinMessage::Join(attempt(2), view(1, "1-3,5")));
    asked.extend([cancels(JoinTimer::Tell), sets(JoinTimer::Again, T * 2)]);
    let kept = JoinCells { view: view(1, "1-3,5"), pending: None };
    assert_eq!(hears(&mut newcomer, 1, more), (asked, vec![line::ADOPT, line::ASK], Some(kept)));
    let known = JoinMessage::Vote(attempt(2), JoinVote::No, view(2, "1-5"));
    assert_eq!(hears(&mut newcomer, 2, known).1, [line::ADOPT, line::TELL]);
    assert_eq!(newcomer.stance, JoinState::Member);
}

#[test]
fn a_newcomer_gives_way_to_votes() {
    let mut newcomer = asking();
    let busy = hears(&mut newcomer, 1, vote(JoinVote::Busy(node(5))));
    assert_eq!(busy, (vec![sends(5, JoinMessage::Blocks)], vec![], None));
    let waits = hears(&mut newcomer, 2, vote(JoinVote::Busy(node(5))));
    assert_eq!(waits.1, [line::WAIT, line::TELL]);
    assert_eq!((newcomer.stance, newcomer.capacity(4)), (JoinState::GivesWay, GIVES_WAY + 4));
    // The other one has given up: it says so.
    let mut other = machine(5, "1-5");
    other.stance = JoinState::Outside;
    told(&mut other, &normal(4, 1));
    let withdrawn = all_but(5, JoinMessage::Withdraw(attempt(0)));
    assert_eq!(hears(&mut other, 4, JoinMessage::Blocks), (withdrawn, vec![line::WITHDRAW], None));
}

#[test]
fn a_member_votes_for_one_newcomer() {
    let mut member = machine(3, "1-5");
    told(&mut member, &normal(4, 1));
    let join = |serial| JoinMessage::Join(attempt(serial), first());
    let pending = |newcomer, serial| Some(PendingJoin { newcomer: node(newcomer), attempt: attempt(serial) });
    let kept = JoinCells { view: first(), pending: pending(4, 1) };
    assert_eq!(hears(&mut member, 4, join(1)), (vec![sends(4, vote(JoinVote::Yes))], vec![line::YES], Some(kept)));
    assert_eq!(hears(&mut member, 5, join(1)), nothing());
    told(&mut member, &normal(5, 2));
    let busy = vec![sends(5, vote(JoinVote::Busy(node(4))))];
    assert_eq!(hears(&mut member, 5, join(1)), (busy, vec![line::BUSY], None));
    assert_eq!(hears(&mut member, 4, JoinMessage::Withdraw(attempt(0))), nothing());
    let forgot = JoinCells { view: first(), pending: None };
    let withdrawn = hears(&mut member, 4, JoinMessage::Withdraw(attempt(1)));
    assert_eq!(withdrawn, (vec![], vec![line::FORGET], Some(forgot)));
    hears(&mut member, 5, join(2));
    assert_eq!(member.cells.pending, pending(5, 2));
    let admitted = JoinCells { view: view(1, "1-3,5"), pending: None };
    let answer = vec![sends(5, JoinMessage::Members(view(1, "1-3,5")))];
    let members = hears(&mut member, 5, JoinMessage::Members(view(1, "1-3,5")));
    assert_eq!(members, (answer, vec![line::ADOPT], Some(admitted)));
    let mut against = machine(3, "1,2");
    told(&mut against, &normal(4, 1));
    assert_eq!(hears(&mut against, 4, join(1)), (vec![sends(4, vote(JoinVote::No))], vec![line::NO], None));
}

#[test]
fn who_may_not_be_elected_never_asks() {
    let mut abstains = started(4, "1", "1-5");
    assert_eq!(told(&mut abstains, &normal(1, 1)), nothing());
    assert_eq!(requested(&mut abstains), (vec![], vec![line::ABSTAIN], None));
}

#[test]
fn it_cites_the_line_of_all_elections() {
    assert_eq!(line::ELECT, ELECTING_LINE);
}
