//! Planted bugs: a machine around a machine, which changes its inputs and outputs as a small mistake in the lines
//! within would change them. A judge that finds no planted bug finds no other bug either.
//!
//! To defeat a guard, the wrapper puts the machine into the state that the guard asks for, just before the input. To
//! forget a send, it takes the send out of the effects. To make a comparison wrong, it tells the machine another
//! number.
//!
//! Invariant: the machine within is the true one, whole, and none of its lines knows of the bug. Without a bug the
//! wrapper changes nothing.

use std::fmt::Debug;
use std::hash::Hash;

use protocol::{Algorithm, Card, Effect, Effects, LineNumber, NodeId, NodeSet, Order, Setup, StateVector};

/// What a machine is given after its start.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum MutantInput<A: Algorithm> {
    /// A message came.
    Message(NodeId, A::Message),
    /// A timer has run out.
    Timer(A::Timer),
    /// The operator ordered something.
    Order(Order),
}

impl<A: Algorithm> MutantInput<A> {
    /// Gives it to the machine; returns the result.
    pub fn to(self, machine: &mut A, capacity: i64) -> MutantOutput<A> {
        let mut fx = Effects::new(capacity);
        match self {
            MutantInput::Message(from, message) => machine.on_message(from, message, &mut fx),
            MutantInput::Timer(timer) => machine.on_timer(timer, &mut fx),
            MutantInput::Order(order) => machine.on_order(order, &mut fx),
        }
        MutantOutput::of(fx)
    }
}

/// What one input made of a machine: its effects, and the lines of the listing.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct MutantOutput<A: Algorithm> {
    /// The effects, in order.
    pub effects: Vec<Effect<A>>,
    /// The lines, in order.
    pub lines: Vec<LineNumber>,
}

impl<A: Algorithm> MutantOutput<A> {
    /// Nothing is done.
    pub fn none() -> MutantOutput<A> {
        MutantOutput { effects: Vec::new(), lines: Vec::new() }
    }

    /// That of these effects.
    pub fn of(fx: Effects<A>) -> MutantOutput<A> {
        let (effects, lines) = fx.into_parts();
        MutantOutput { effects, lines }
    }

    /// This one and the one that followed it, as one. Of two saves the later one holds all that must be kept; it takes
    /// the place of the earlier one.
    pub fn then(mut self, next: MutantOutput<A>) -> MutantOutput<A> {
        let is_save = |effect: &Effect<A>| matches!(effect, Effect::Save { .. });
        for effect in next.effects {
            match self.effects.iter_mut().find(|earlier| is_save(&effect) && is_save(earlier)) {
                Some(earlier) => *earlier = effect,
                None => self.effects.push(effect),
            }
        }
        self.lines.extend(next.lines);
        self
    }

    /// This one without such effects.
    pub fn without(mut self, such: impl Fn(&Effect<A>) -> bool) -> MutantOutput<A> {
        self.effects.retain(|effect| !such(effect));
        self
    }
}

/// Puts the machine into the state that this input would leave it in: it sends, saves and tells nothing; only its
/// timers are as they would be.
pub fn pretend<A: Algorithm>(machine: &mut A, given: MutantInput<A>, capacity: i64) -> MutantOutput<A> {
    let MutantOutput { mut effects, .. } = given.to(machine, capacity);
    effects.retain(|effect| matches!(effect, Effect::SetTimer { .. } | Effect::CancelTimer { .. }));
    MutantOutput { effects, lines: Vec::new() }
}

/// A bug that can be planted in a machine. Everything that it does not define stays as it is without it.
pub trait Bug: Clone + Default + Eq + Hash + Debug + Send + Sync + 'static {
    /// The machine that it is planted in.
    type Machine: Algorithm;

    /// The machine starts.
    fn start(
        &mut self,
        setup: &Setup,
        saved: Option<<Self::Machine as Algorithm>::Saved>,
        fx: &mut Effects<Self::Machine>,
    ) -> Self::Machine {
        Algorithm::start(setup, saved, fx)
    }

    /// The machine is given something.
    fn give(
        &mut self,
        machine: &mut Self::Machine,
        given: MutantInput<Self::Machine>,
        capacity: i64,
    ) -> MutantOutput<Self::Machine> {
        given.to(machine, capacity)
    }

    /// The effects that replace the machine's own, at its start too.
    fn done(
        &mut self,
        machine: &mut Self::Machine,
        reaction: MutantOutput<Self::Machine>,
        capacity: i64,
    ) -> MutantOutput<Self::Machine> {
        let _ = (machine, capacity);
        reaction
    }

    /// What the machine shows of its state.
    fn state(&self, machine: &Self::Machine) -> StateVector {
        machine.state()
    }
}

/// A machine with a planted bug.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Mutant<B: Bug> {
    bug: B,
    machine: B::Machine,
}

impl<B: Bug> Mutant<B> {
    fn give(&mut self, given: MutantInput<B::Machine>, fx: &mut Effects<Mutant<B>>) {
        let reaction = self.bug.give(&mut self.machine, given, fx.capacity());
        self.carry_out(reaction, fx);
    }

    fn carry_out(&mut self, reaction: MutantOutput<B::Machine>, fx: &mut Effects<Mutant<B>>) {
        let MutantOutput { effects, lines } = self.bug.done(&mut self.machine, reaction, fx.capacity());
        lines.into_iter().for_each(|line| fx.line(line));
        effects.into_iter().for_each(|effect| fx.add(effect.of_wrapper()));
    }
}

impl<B: Bug> Algorithm for Mutant<B> {
    type Message = <B::Machine as Algorithm>::Message;
    type Timer = <B::Machine as Algorithm>::Timer;
    type Saved = <B::Machine as Algorithm>::Saved;
    const CARD: Card = <B::Machine as Algorithm>::CARD;

    fn start(setup: &Setup, saved: Option<Self::Saved>, fx: &mut Effects<Mutant<B>>) -> Mutant<B> {
        let mut bug = B::default();
        let mut within = Effects::new(fx.capacity());
        let machine = bug.start(setup, saved, &mut within);
        let mut mutant = Mutant { bug, machine };
        mutant.carry_out(MutantOutput::of(within), fx);
        mutant
    }

    fn on_message(&mut self, from: NodeId, message: Self::Message, fx: &mut Effects<Mutant<B>>) {
        self.give(MutantInput::Message(from, message), fx);
    }

    fn on_timer(&mut self, timer: Self::Timer, fx: &mut Effects<Mutant<B>>) {
        self.give(MutantInput::Timer(timer), fx);
    }

    fn on_elect(&mut self, fx: &mut Effects<Mutant<B>>) {
        self.on_order(Order::Elect, fx);
    }

    fn on_order(&mut self, order: Order, fx: &mut Effects<Mutant<B>>) {
        self.give(MutantInput::Order(order), fx);
    }

    fn waits_for(&self, timer: Self::Timer) -> NodeSet {
        self.machine.waits_for(timer)
    }

    fn state(&self) -> StateVector {
        self.bug.state(&self.machine)
    }
}
