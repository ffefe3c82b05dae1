//! Liars of each kind: what one input makes of them.
//!
//! Invariant: what is sent is what the told lies say.

use super::*;
use crate::election::king_ni::{ElectionNumber, b2, c, succession};
use crate::protocol::{
    Effect, Effects, Incarnation, LieSet, Lying, NodeId, NodeSet, Order, Roster, Settings, Setup, Span, Timing, ToldLie,
};

type OfC = Liar<c::AlgorithmC>;
type OfB2 = Liar<b2::AlgorithmB2>;

fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

/// The machine of process 2 of four, and what one input makes of it.
struct Process<A: Algorithm>(Liar<A>);

impl Process<b2::AlgorithmB2> {
    /// It has asked what it has missed, and nobody knew of anything.
    fn ready(lies: &[Lie]) -> Process<b2::AlgorithmB2> {
        let mut process = Process::start();
        let ready = LiarTimer::Machine(b2::Timer::Succession(succession::Timer::Ready));
        process.step(|machine, fx| machine.on_timer(ready, fx));
        process.order(lies);
        process
    }
}

impl<A: Algorithm> Process<A> {
    fn start() -> Process<A> {
        let roster = Roster::new(4).unwrap();
        let settings = Settings::defaults(A::CARD.settings, roster.all());
        let timing =
            Timing { t: Span::from_millis(100), check: Span::from_millis(400), silence: Span::from_millis(1000) };
        let setup = Setup { me: node(2), roster, timing, settings, incarnation: Incarnation(1), keyring: None };
        Process(Liar::start(&setup, None, &mut Effects::new(2)))
    }

    fn lying(lies: &[Lie]) -> Process<A> {
        let mut process = Process::start();
        process.order(lies);
        process
    }

    fn step(&mut self, run: impl FnOnce(&mut Liar<A>, &mut Effects<Liar<A>>)) -> Outcome<A> {
        let mut fx = Effects::new(2);
        run(&mut self.0, &mut fx);
        let lies = fx.lies().to_vec();
        Outcome { effects: fx.into_parts().0, lies }
    }

    fn order(&mut self, lies: &[Lie]) -> Outcome<A> {
        let lies: LieSet = lies.iter().copied().collect();
        let lying = Lying { lies, fellows: "2,3".parse().unwrap(), dice: 7 };
        self.step(|machine, fx| machine.on_order(Order::Lie(lying), fx))
    }

    fn hear(&mut self, from: u16, message: A::Message) -> Outcome<A> {
        self.step(|machine, fx| machine.on_message(node(from), Speech::plain(message), fx))
    }
}

struct Outcome<A: Algorithm> {
    effects: Vec<Effect<Liar<A>>>,
    lies: Vec<ToldLie>,
}

impl<A: Algorithm> Outcome<A> {
    /// What was sent, to whom.
    fn sent(&self) -> Vec<(Option<NodeId>, Speech<A::Message>)> {
        let sent = self.effects.iter().filter_map(|effect| match effect {
            Effect::Send { to, message } => Some((Some(*to), message.clone())),
            Effect::Broadcast { message } => Some((None, message.clone())),
            _ => None,
        });
        sent.collect()
    }
}

fn c_init(capacity: i64) -> c::Message {
    c::Message::Init { election: ElectionNumber(1), capacity }
}

fn b2_init(capacity: i64) -> b2::Message {
    b2::Message::Init { election: ElectionNumber(1), capacity }
}

#[test]
fn an_honest_process_does_what_its_machine_does() {
    let mut process = Process::<c::AlgorithmC>::start();
    let answer = process.hear(1, c_init(1));
    assert_eq!(answer.sent(), [(None, Speech::plain(c_init(2)))]);
    assert_eq!(answer.lies, []);
}

#[test]
fn over_bare_sockets_each_receiver_is_told_another_value() {
    let mut liar = Process::<c::AlgorithmC>::lying(&[Lie::Equivocate]);
    let answer = liar.hear(1, c_init(1));
    let to: Vec<Option<NodeId>> = answer.sent().into_iter().map(|(to, _)| to).collect();
    assert_eq!(to, [1, 3, 4].map(|to| Some(node(to))));
    assert_eq!(answer.sent()[0].1.message, c_init(2), "one hears the truth");
    assert!(answer.lies.iter().all(|told| told.lie == Lie::Equivocate && told.to.len() == 1));
    assert_eq!(answer.lies.len(), 2);
}

#[test]
fn through_the_ordered_broadcast_all_are_told_the_same_and_the_told_lie_says_that_more_was_tried() {
    let mut liar = Process::ready(&[Lie::Equivocate]);
    let answer = liar.hear(1, b2_init(1));
    let sent = answer.sent();
    assert_eq!(sent[0], (None, Speech::plain(b2_init(2))));
    assert_eq!(sent.len(), 2, "and one alone is told another, which counts for nothing");
    assert_eq!(answer.lies[0].to, NodeSet::EMPTY);
    assert!(answer.lies[0].what.starts_with("tries to tell"), "{:?}", answer.lies);
}

#[test]
fn a_liar_claims_to_be_master_once_in_each_state_of_its_machine() {
    let mut liar = Process::<c::AlgorithmC>::start();
    let claimed = |outcome: &Outcome<c::AlgorithmC>| {
        outcome.sent().iter().filter(|(_, speech)| matches!(speech.message, c::Message::Elected { .. })).count()
    };
    assert_eq!(claimed(&liar.order(&[Lie::Claim])), 1);
    assert_eq!(claimed(&liar.hear(1, c_init(1))), 1, "it is in an election now");
    assert_eq!(claimed(&liar.hear(3, c_init(3))), 0);
}

#[test]
fn who_is_spoken_for_is_heard_by_the_machine_and_a_whisper_is_not() {
    let mut process = Process::<c::AlgorithmC>::start();
    let forged = Speech { message: c_init(9), aside: Some(Aside::InNameOf(node(3))) };
    let answer = process.step(|machine, fx| machine.on_message(node(4), forged, fx));
    assert_eq!(answer.sent().len(), 1, "it joins the election");
    let mut process = Process::<c::AlgorithmC>::start();
    let whispered = Speech { message: c_init(9), aside: Some(Aside::Whisper) };
    let answer = process.step(|machine, fx| machine.on_message(node(4), whispered, fx));
    assert!(answer.sent().is_empty());
}

#[test]
fn what_it_says_in_another_s_name_goes_out_before_what_it_says_in_its_own() {
    let mut liar = Process::<c::AlgorithmC>::lying(&[Lie::Forge]);
    let answer = liar.hear(1, c_init(1));
    let asides: Vec<bool> = answer.sent().iter().map(|(_, speech)| speech.aside.is_some()).collect();
    assert_eq!(asides, [true, false]);
    assert_eq!(answer.sent()[1], (None, Speech::plain(c_init(2))));
}

#[test]
fn a_mute_acceptor_answers_and_does_not_act() {
    let mut liar = Process::ready(&[Lie::MuteAcceptor]);
    let answer = liar.hear(1, b2_init(1));
    assert!(answer.sent().is_empty());
    assert_eq!(answer.lies[0].what, "does not send init (capacity 2, election 1)");
    let asked = succession::Message::Ask { election: ElectionNumber(1) };
    assert_eq!(liar.hear(3, asked.into()).sent().len(), 1);
}

#[test]
fn a_late_word_leaves_by_a_timer_and_all_that_is_kept_leaves_when_the_liar_is_honest_again() {
    let mut liar = Process::<c::AlgorithmC>::lying(&[Lie::Late]);
    let answer = liar.hear(1, c_init(1));
    assert!(answer.sent().is_empty());
    let late = |effect: &Effect<OfC>| matches!(effect, Effect::SetTimer { timer: LiarTimer::Late(1), .. });
    assert!(answer.effects.iter().any(late));
    assert_eq!(answer.lies[0].lie, Lie::Late);
    let sent = liar.step(|machine, fx| machine.on_timer(LiarTimer::Late(1), fx));
    assert_eq!(sent.sent(), [(None, Speech::plain(c_init(2)))]);
    let mut liar = Process::<c::AlgorithmC>::lying(&[Lie::Late]);
    liar.hear(1, c_init(1));
    assert_eq!(liar.order(&[]).sent().len(), 1);
}

#[test]
fn one_that_bars_announces_one_higher_election_after_the_other() {
    let mut liar = Process::<b2::AlgorithmB2>::start();
    let answer = liar.order(&[Lie::Bar]);
    let rings = |effect: &Effect<OfB2>| matches!(effect, Effect::SetTimer { timer: LiarTimer::Bar, .. });
    assert!(answer.effects.iter().any(rings));
    let numbers: Vec<Option<u64>> = (0..3)
        .map(|_| liar.step(|machine, fx| machine.on_timer(LiarTimer::Bar, fx)).sent()[0].1.message.number())
        .collect();
    assert_eq!(numbers, [Some(1), Some(2), Some(3)]);
}

#[test]
fn those_that_collude_tell_each_other_what_they_hear_and_speak_for_one() {
    // 2 and 3 collude, for 3.
    let mut liar = Process::<c::AlgorithmC>::lying(&[Lie::Collude]);
    let answer = liar.hear(1, c_init(8));
    let (own, whispered): (Vec<_>, Vec<_>) = answer.sent().into_iter().partition(|(to, _)| to.is_none());
    assert_eq!(own, [(None, Speech::plain(c_init(0)))], "it stands back");
    assert_eq!(whispered, [(Some(node(3)), Speech { message: c_init(8), aside: Some(Aside::Whisper) })]);
}

#[test]
fn every_algorithm_has_some_lies_and_those_without_a_message_are_not_among_them() {
    for card in crate::election::CARDS {
        let lies = told_in(card.name);
        assert!(lies.contains(&Lie::Claim) && lies.contains(&Lie::Late), "{}: {lies:?}", card.name);
    }
    assert!(!told_in("bully").contains(&Lie::Bar));
    assert!(told_in("king-ni-b2").contains(&Lie::LongList));
}
