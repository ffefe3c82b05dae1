//! What each planted bug does to its machine: a state, one input, exactly what comes of it, beside what comes of it in the
//! machine without the bug.
//!
//! Invariant: up to that input the two do the same.

mod bully;
mod conflicts;
mod exclusion;
mod fencing;
mod history;
mod invitation;
mod king_ni;
mod king_ni_lists;
mod king_ni_ordered;
mod king_ni_signed;
mod raft;
mod service;
mod shards;
mod stoller;
mod textbook;
mod token;
mod updates;

use bench::Bench;
use bench::node;
use fault::{Bug, Given, Mutant};
use protocol::{Algorithm, Effect, Settings, Setup, StateVector, Timing};

type Message<B> = <<B as Bug>::Machine as Algorithm>::Message;
type Timer<B> = <<B as Bug>::Machine as Algorithm>::Timer;
type Saved<B> = <<B as Bug>::Machine as Algorithm>::Saved;
type Effects<B> = Vec<Effect<<B as Bug>::Machine>>;

/// A machine and its mutant, given the same.
struct Twins<B: Bug> {
    plain: Bench<B::Machine>,
    mutant: Bench<Mutant<B>>,
}

/// What one input made of the two.
struct Apart<B: Bug> {
    plain: Effects<B>,
    mutant: Effects<B>,
    plain_state: StateVector,
    mutant_state: StateVector,
}

impl<B: Bug> Twins<B> {
    /// Node `me` of so many, both just started.
    fn start(me: u16, of: u16, timing: Timing, change: impl Fn(Settings) -> Settings) -> Twins<B> {
        Twins { plain: Bench::start(me, of, timing, &change), mutant: Bench::start(me, of, timing, &change) }
    }

    /// Both start with this setup.
    fn of(setup: &Setup) -> Twins<B> {
        Twins { plain: Bench::of(setup.clone()), mutant: Bench::of(setup.clone()) }
    }

    /// Their next processes, with these safe cells.
    fn recovered(&self, saved: Saved<B>) -> Twins<B> {
        Twins { plain: self.plain.recovered(saved.clone()), mutant: self.mutant.recovered(saved) }
    }

    /// Both do the same, so far.
    fn alike(self) -> Twins<B> {
        let Apart { plain, mutant, plain_state, mutant_state } = self.compared();
        assert_eq!((plain, plain_state), (mutant, mutant_state));
        self
    }

    /// A message comes to both, and both do the same.
    fn hear(mut self, from: u16, message: Message<B>) -> Twins<B> {
        self.give(Given::Message(node(from), message));
        self.alike()
    }

    /// A timer runs out at both, and both do the same.
    fn time_out(mut self, timer: Timer<B>) -> Twins<B> {
        self.give(Given::Timer(timer));
        self.alike()
    }

    /// Both are ordered to hold an election, and do the same.
    fn elect(mut self) -> Twins<B> {
        self.give(Given::Order(protocol::Order::Elect));
        self.alike()
    }

    /// Something is given to both.
    fn give(&mut self, given: Given<B::Machine>) {
        match given {
            Given::Message(from, message) => {
                self.plain.hear(from.get(), message.clone());
                self.mutant.hear(from.get(), message);
            }
            Given::Timer(timer) => {
                self.plain.time_out(timer);
                self.mutant.time_out(timer);
            }
            Given::Order(order) => {
                self.plain.order(order);
                self.mutant.order(order);
            }
        }
    }

    /// A message comes to both, and they do different things.
    fn apart_hearing(mut self, from: u16, message: Message<B>) -> Apart<B> {
        self.give(Given::Message(node(from), message));
        self.apart()
    }

    /// A timer runs out at both, and they do different things.
    fn apart_at(mut self, timer: Timer<B>) -> Apart<B> {
        self.give(Given::Timer(timer));
        self.apart()
    }

    /// What they last did is not the same.
    fn apart(&self) -> Apart<B> {
        let apart = self.compared();
        assert_ne!((&apart.plain, &apart.plain_state), (&apart.mutant, &apart.mutant_state));
        apart
    }

    fn compared(&self) -> Apart<B> {
        Apart {
            plain: self.plain.effects.clone(),
            mutant: self.mutant.effects.iter().cloned().map(Effect::of_wrapper).collect(),
            plain_state: self.plain.machine.state(),
            mutant_state: self.mutant.machine.state(),
        }
    }
}

/// These effects without those, each of which is there.
fn without<A: Algorithm>(effects: &[Effect<A>], gone: &[Effect<A>]) -> Vec<Effect<A>> {
    assert!(gone.iter().all(|gone| effects.contains(gone)), "{gone:?} in {effects:?}");
    effects.iter().filter(|effect| !gone.contains(effect)).cloned().collect()
}

/// A bug that is none.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
struct NoBug;

impl Bug for NoBug {
    type Machine = election::bully::Bully;
}

#[test]
fn a_wrapper_without_a_bug_changes_nothing() {
    use bench::network::Network;
    use election::bully::{Message, Timer};
    let twins = bully::started::<NoBug>().alike();
    twins
        .time_out(Timer::AreYouThere)
        .hear(2, Message::HaltAnswer { call: bully::call(2) })
        .time_out(Timer::Halt)
        .elect();
    let run = |crashed: u16| {
        let mut plain = Network::<election::bully::Bully>::started(4, bully::TIMING, |settings| settings);
        let mut mutant = Network::<Mutant<NoBug>>::started(4, bully::TIMING, |settings| settings);
        plain.run(bully::T * 10);
        mutant.run(bully::T * 10);
        plain.crash(crashed);
        mutant.crash(crashed);
        plain.run(bully::T * 30);
        mutant.run(bully::T * 30);
        assert_eq!((plain.sent, plain.picture()), (mutant.sent, mutant.picture()));
    };
    (1..=4).for_each(run);
}
