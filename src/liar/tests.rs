//! Liars of each kind: what one input makes of them.
//!
//! Invariant: what is sent is what the told lies say.

use super::*;
use election::king_ni::{ElectionNumber, b2, c, succession};
use protocol::{
    Algorithm, Deceit, Incarnation, Lie, LieSet, Lying, MachineKind, MessageMark, NodeId, NodeSet, Payload, Roster,
    Settings, Setup, Span, StepEffect, StepEffects, TimerKey, Timing, ToldLie,
};

fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

/// The machine of process 2 of four, and what one input makes of it.
struct Process {
    kind: MachineKind,
    setup: Setup,
    machine: ProcessMachine,
}

impl Process {
    fn start<A: Algorithm<Message: Deceit>>() -> Process {
        let kind = MachineKind::that_deceives::<A>();
        let roster = Roster::new(4).unwrap();
        let settings = Settings::defaults(A::CARD.settings, roster.all());
        let timing =
            Timing { t: Span::from_millis(100), check: Span::from_millis(400), silence: Span::from_millis(1000) };
        let setup = Setup { me: node(2), roster, timing, settings, incarnation: Incarnation(1), keyring: None };
        let machine = ProcessMachine::Honest(kind.start(&setup, None, &mut StepEffects::new(2)));
        Process { kind, setup, machine }
    }

    fn lying<A: Algorithm<Message: Deceit>>(lies: &[Lie]) -> Process {
        let mut process = Process::start::<A>();
        process.order(lies);
        process
    }

    /// One of B.2 that has asked what it has missed, and nobody knew of anything.
    fn ready(lies: &[Lie]) -> Process {
        let mut process = Process::start::<b2::AlgorithmB2>();
        process.time_out(TimerKey::of(&b2::Timer::Ready));
        process.order(lies);
        process
    }

    fn step(&mut self, run: impl FnOnce(&mut Process, &mut StepEffects)) -> Outcome {
        let mut fx = StepEffects::new(2);
        run(self, &mut fx);
        Outcome { effects: fx.list, lies: fx.lies }
    }

    fn order(&mut self, lies: &[Lie]) -> Outcome {
        let lies: LieSet = lies.iter().copied().collect();
        let lying = Lying { lies, fellows: "2,3".parse().unwrap(), dice: 7 };
        self.step(|process, fx| process.machine.take_lying(lying, process.kind, &process.setup, fx))
    }

    fn time_out(&mut self, timer: TimerKey) -> Outcome {
        self.step(|process, fx| process.machine.on_timer(timer, fx))
    }

    fn hear(&mut self, from: u16, message: &Payload) -> Outcome {
        self.step(|process, fx| process.machine.on_message(node(from), message, fx))
    }
}

struct Outcome {
    effects: Vec<StepEffect>,
    lies: Vec<ToldLie>,
}

impl Outcome {
    /// What was sent, to whom.
    fn sent(&self) -> Vec<(Option<NodeId>, Payload)> {
        let sent = self.effects.iter().filter_map(|effect| match effect {
            StepEffect::Send { to, message } => Some((Some(*to), message.clone())),
            StepEffect::Broadcast { message } => Some((None, message.clone())),
            _ => None,
        });
        sent.collect()
    }

    fn sets(&self, wanted: LiarTimer) -> bool {
        let sets = |effect: &StepEffect| matches!(effect, StepEffect::SetTimer { timer, .. } if *timer == wanted.key());
        self.effects.iter().any(sets)
    }
}

fn c_init(capacity: i64) -> Payload {
    Payload::of(c::Message::Init { election: ElectionNumber(1), capacity })
}

fn b2_init(capacity: i64) -> Payload {
    Payload::of(b2::Message::Init { election: ElectionNumber(1), capacity })
}

#[test]
fn an_honest_process_does_what_its_machine_does() {
    let mut process = Process::start::<c::AlgorithmC>();
    let answer = process.hear(1, &c_init(1));
    assert_eq!(answer.sent(), [(None, c_init(2))]);
    assert_eq!(answer.lies, []);
}

#[test]
fn over_bare_sockets_each_receiver_is_told_another_value() {
    let mut liar = Process::lying::<c::AlgorithmC>(&[Lie::Equivocate]);
    let answer = liar.hear(1, &c_init(1));
    let to: Vec<Option<NodeId>> = answer.sent().into_iter().map(|(to, _)| to).collect();
    assert_eq!(to, [1, 3, 4].map(|to| Some(node(to))));
    assert_eq!(answer.sent()[0].1, c_init(2), "one hears the truth");
    assert!(answer.lies.iter().all(|told| told.lie == Lie::Equivocate && told.to.len() == 1));
    assert_eq!(answer.lies.len(), 2);
}

#[test]
fn through_the_ordered_broadcast_all_are_told_the_same_and_the_told_lie_says_that_more_was_tried() {
    let mut liar = Process::ready(&[Lie::Equivocate]);
    let answer = liar.hear(1, &b2_init(1));
    let sent = answer.sent();
    assert_eq!(sent[0], (None, b2_init(2)));
    assert_eq!(sent.len(), 2, "and one alone is told another, which counts for nothing");
    assert_eq!(answer.lies[0].to, NodeSet::EMPTY);
    assert!(answer.lies[0].what.starts_with("tries to tell"), "{:?}", answer.lies);
}

#[test]
fn a_liar_claims_to_be_master_once_in_each_state_of_its_machine() {
    let mut liar = Process::start::<c::AlgorithmC>();
    let claimed = |outcome: &Outcome| outcome.sent().iter().filter(|(_, message)| message.kind() == "elected").count();
    assert_eq!(claimed(&liar.order(&[Lie::Claim])), 1);
    assert_eq!(claimed(&liar.hear(1, &c_init(1))), 1, "it is in an election now");
    assert_eq!(claimed(&liar.hear(3, &c_init(3))), 0);
}

#[test]
fn who_is_spoken_for_is_heard_by_the_machine_and_a_whisper_is_not() {
    let mut process = Process::start::<c::AlgorithmC>();
    let answer = process.hear(4, &c_init(9).with_aside(Some(MessageMark::InNameOf(node(3)))));
    assert_eq!(answer.sent().len(), 1, "it joins the election");
    let mut process = Process::start::<c::AlgorithmC>();
    let answer = process.hear(4, &c_init(9).with_aside(Some(MessageMark::Whisper)));
    assert!(answer.sent().is_empty());
}

#[test]
fn what_it_says_in_another_s_name_goes_out_before_what_it_says_in_its_own() {
    let mut liar = Process::lying::<c::AlgorithmC>(&[Lie::Forge]);
    let answer = liar.hear(1, &c_init(1));
    let asides: Vec<bool> = answer.sent().iter().map(|(_, message)| message.aside().is_some()).collect();
    assert_eq!(asides, [true, false]);
    assert_eq!(answer.sent()[1], (None, c_init(2)));
}

#[test]
fn a_mute_acceptor_answers_and_does_not_act() {
    let mut liar = Process::ready(&[Lie::MuteAcceptor]);
    let answer = liar.hear(1, &b2_init(1));
    assert!(answer.sent().is_empty());
    assert_eq!(answer.lies[0].what, "does not send init (capacity 2, election 1)");
    let asked = succession::Message::Ask { election: ElectionNumber(1) };
    assert_eq!(liar.hear(3, &Payload::of(b2::Message::from(asked))).sent().len(), 1);
}

#[test]
fn a_late_word_leaves_by_a_timer_and_all_that_is_kept_leaves_when_the_liar_is_honest_again() {
    let mut liar = Process::lying::<c::AlgorithmC>(&[Lie::Late]);
    let answer = liar.hear(1, &c_init(1));
    assert!(answer.sent().is_empty());
    assert!(answer.sets(LiarTimer::Late(1)));
    assert_eq!(answer.lies[0].lie, Lie::Late);
    let sent = liar.time_out(LiarTimer::Late(1).key());
    assert_eq!(sent.sent(), [(None, c_init(2))]);
    let mut liar = Process::lying::<c::AlgorithmC>(&[Lie::Late]);
    liar.hear(1, &c_init(1));
    assert_eq!(liar.order(&[]).sent().len(), 1);
}

#[test]
fn one_that_bars_announces_one_higher_election_after_the_other() {
    let mut liar = Process::start::<b2::AlgorithmB2>();
    let answer = liar.order(&[Lie::Bar]);
    assert!(answer.sets(LiarTimer::Bar));
    let number = |message: &Payload| MachineKind::that_deceives::<b2::AlgorithmB2>().deceit().number(message);
    let numbers: Vec<Option<u64>> = (0..3).map(|_| number(&liar.time_out(LiarTimer::Bar.key()).sent()[0].1)).collect();
    assert_eq!(numbers, [Some(1), Some(2), Some(3)]);
}

#[test]
fn those_that_collude_tell_each_other_what_they_hear_and_speak_for_one() {
    // 2 and 3 collude, for 3.
    let mut liar = Process::lying::<c::AlgorithmC>(&[Lie::Collude]);
    let answer = liar.hear(1, &c_init(8));
    let (own, whispered): (Vec<_>, Vec<_>) = answer.sent().into_iter().partition(|(to, _)| to.is_none());
    assert_eq!(own, [(None, c_init(0))], "it stands back");
    assert_eq!(whispered, [(Some(node(3)), c_init(8).with_aside(Some(MessageMark::Whisper)))]);
}

#[test]
fn an_honest_process_that_has_lied_does_what_its_machine_does() {
    let mut process = Process::lying::<c::AlgorithmC>(&[Lie::Equivocate]);
    process.order(&[]);
    let answer = process.hear(1, &c_init(1));
    assert_eq!((answer.sent(), answer.lies), (vec![(None, c_init(2))], vec![]));
}

#[test]
fn every_algorithm_has_some_lies_and_those_without_a_message_are_not_among_them() {
    let lies_of = |name: &str| registry::BUILT_IN.card(name).unwrap().told_lies();
    for card in registry::BUILT_IN.cards() {
        let lies = card.told_lies();
        assert!(lies.contains(&Lie::Claim) && lies.contains(&Lie::Late), "{}: {lies:?}", card.name);
    }
    assert!(!lies_of("bully").contains(&Lie::Bar));
    assert!(lies_of("king-ni-b2").contains(&Lie::LongList));
}
