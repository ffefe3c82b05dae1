//! A bench for the tests of the machines: one machine, one input at a time, exactly what it wants done.
//!
//! Invariant: the bench adds nothing: what a test sees is what a driver would get.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

pub mod network;

use protocol::capacity::CriterionFunction;
use protocol::{
    Algorithm, CallNumber, ERRATA, Effect, Effects, Incarnation, LabKeys, LineNumber, Mends, NodeId, NodeSet, Order,
    Roster, SettingValue, Settings, Setup, Timing,
};

/// One machine, and the effects of its last input.
pub struct Bench<A: Algorithm> {
    /// As it is after its last input.
    pub machine: A,
    /// What it wanted done at its last input, in order.
    pub effects: Vec<Effect<A>>,
    /// The lines of the listing that it went through at its last input.
    pub lines: Vec<LineNumber>,
    setup: Setup,
}

impl<A: Algorithm> Bench<A> {
    /// Node `me` of `of` nodes, which has just started.
    pub fn start(me: u16, of: u16, timing: Timing, change: impl FnOnce(Settings) -> Settings) -> Bench<A> {
        Bench::of(setup::<A>(me, of, timing, change))
    }

    /// A node that has just started with this setup.
    pub fn of(setup: Setup) -> Bench<A> {
        Bench::started(setup, None)
    }

    fn started(setup: Setup, saved: Option<A::Saved>) -> Bench<A> {
        let mut fx = Effects::new(capacity(&setup));
        let machine = A::start(&setup, saved, &mut fx);
        let (effects, lines) = fx.into_parts();
        Bench { machine, effects, lines, setup }
    }

    /// The node's next process, with these safe cells.
    pub fn recovered(&self, saved: A::Saved) -> Bench<A> {
        let incarnation = Incarnation(self.setup.incarnation.0 + 1);
        Bench::started(Setup { incarnation, ..self.setup.clone() }, Some(saved))
    }

    /// A message comes.
    pub fn hear(&mut self, from: u16, message: A::Message) -> &[Effect<A>] {
        self.input(|machine, fx| machine.on_message(node(from), message, fx))
    }

    /// A timer has run out.
    pub fn time_out(&mut self, timer: A::Timer) -> &[Effect<A>] {
        self.input(|machine, fx| machine.on_timer(timer, fx))
    }

    /// The operator orders an election.
    pub fn elect(&mut self) -> &[Effect<A>] {
        self.order(Order::Elect)
    }

    /// The operator orders this.
    pub fn order(&mut self, order: Order) -> &[Effect<A>] {
        self.input(|machine, fx| machine.on_order(order, fx))
    }

    fn input(&mut self, input: impl FnOnce(&mut A, &mut Effects<A>)) -> &[Effect<A>] {
        let mut fx = Effects::new(capacity(&self.setup));
        input(&mut self.machine, &mut fx);
        (self.effects, self.lines) = fx.into_parts();
        &self.effects
    }
}

/// The node of this number.
pub fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

/// The nodes of this text.
pub fn nodes(text: &str) -> NodeSet {
    text.parse().unwrap()
}

/// What a machine is told at its first start, with settings that differ from the Card's defaults.
pub fn setup<A: Algorithm>(me: u16, of: u16, timing: Timing, change: impl FnOnce(Settings) -> Settings) -> Setup {
    let roster = Roster::ranked(of, A::CARD.rank).unwrap();
    let settings = change(Settings::defaults(A::CARD.settings, roster.all()));
    for rule in A::CARD.periods {
        assert!((rule.holds)(&timing, of, &settings), "{}", rule.must);
    }
    let keyring = LabKeys::asked_for(A::CARD.keys, 0, of).map(|keys| keys.keyring(node(me)));
    Setup { me: node(me), roster, timing, settings, incarnation: Incarnation(1), keyring }
}

/// The capacity of a process with this setup, at its first step; a bench has no load to measure.
pub fn capacity(setup: &Setup) -> i64 {
    CriterionFunction::new(setup, 0).capacity(1, 0, || panic!("a bench measures nothing"))
}

/// The mends of a machine that follows the text of this letter, with all its holes.
pub fn letter_of<A: Algorithm>(letter: &str) -> Mends {
    let settings = Settings::defaults(A::CARD.settings, NodeSet::EMPTY).with(ERRATA, SettingValue::Flag(false));
    Mends::of(&settings.with("letter", SettingValue::Word(letter.to_owned())), A::CARD.holes())
}

/// The call number of this serial in the first incarnation.
pub fn call(serial: u32) -> CallNumber {
    CallNumber { incarnation: Incarnation(1), serial }
}

pub fn send<A: Algorithm>(to: u16, message: A::Message) -> Effect<A> {
    Effect::Send { to: node(to), message }
}

/// A timer that starts.
pub fn set<A: Algorithm>(timer: A::Timer, span: protocol::Span) -> Effect<A> {
    Effect::SetTimer { timer, shortest: span, longest: span }
}

/// A timer that is stopped.
pub fn cancel<A: Algorithm>(timer: A::Timer) -> Effect<A> {
    Effect::CancelTimer { timer }
}

pub fn save<A: Algorithm>(saved: A::Saved) -> Effect<A> {
    Effect::Save { saved }
}
