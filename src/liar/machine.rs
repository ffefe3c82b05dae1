//! A machine round a machine, which lies when it is ordered to.
//!
//! The machine within is the true one: it hears everything and does what its algorithm says. What it wants to send goes
//! through the deception of the process; its timers, its safe cells and its state are its own.
//!
//! Invariant: a process that was not ordered to lie does exactly what the machine within does.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::deception::{Deception, Occasion, Utterance, told_of};
use super::place::{LiarPlace, Outreach};
use super::speech::{Aside, Speech};
use crate::protocol::{
    Algorithm, Card, Channel, Deceit, Delivery, Effect, Effects, Keyring, Lie, Lying, NodeId, NodeSet, Order, Setup,
    Span, StateVector, Status, ToldLie,
};

/// A machine that may lie.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Liar<A: Algorithm> {
    machine: A,
    place: LiarPlace,
    t: Span,
    /// The longest wait of the others that it knows, as a multiple of T.
    longest_wait: u64,
    /// Its keys, if its algorithm signs.
    keyring: Option<Keyring>,
    /// Absent while it is honest.
    deception: Option<Box<Deception<A::Message>>>,
    /// Where the machine stood when it claimed last, and how often it has sent something late.
    claimed_at: Option<ClaimedAt>,
    late: u32,
}

/// A state of a machine in which it has claimed once.
type ClaimedAt = (Status, Option<NodeId>, Option<u64>);

/// The timers of a machine that may lie.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum LiarTimer<T> {
    /// The machine's own.
    Machine(T),
    /// A word goes out late.
    Late(u32),
    /// The next higher election is announced.
    Bar,
}

impl<T: fmt::Display> fmt::Display for LiarTimer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LiarTimer::Machine(timer) => timer.fmt(f),
            LiarTimer::Late(number) => write!(f, "late word {number}"),
            LiarTimer::Bar => f.write_str("next higher election"),
        }
    }
}

impl<A: Algorithm> Algorithm for Liar<A> {
    type Message = Speech<A::Message>;
    type Timer = LiarTimer<A::Timer>;
    type Saved = A::Saved;
    const CARD: Card = A::CARD;

    fn start(setup: &Setup, saved: Option<A::Saved>, fx: &mut Effects<Self>) -> Self {
        let mut within = Effects::new(fx.capacity());
        let machine = A::start(setup, saved, &mut within);
        let reach = match (A::CARD.delivery, A::CARD.channel) {
            (Delivery::OrderedBroadcast, _) => Outreach::Ordered,
            (_, Channel::Multicast) => Outreach::Bare,
            (_, Channel::Unicast) => Outreach::None,
        };
        let place = LiarPlace {
            me: setup.me,
            roster: setup.roster,
            incarnation: setup.incarnation,
            reach,
            promises: A::CARD.promises,
        };
        let (t, keyring) = (setup.timing.t, setup.keyring.clone());
        // Where signers are counted there are t+1 rounds of 2T, and a process may have started T earlier than another.
        let longest_wait = match (&keyring, setup.settings.number_if_any("t")) {
            (Some(_), Some(faulty)) => 2 * faulty + 3,
            _ => 3,
        };
        let mut liar = Liar { machine, place, t, longest_wait, keyring, deception: None, claimed_at: None, late: 0 };
        liar.carry_out(within, &Occasion::Own, fx);
        liar
    }

    fn on_message(&mut self, from: NodeId, speech: Self::Message, fx: &mut Effects<Self>) {
        let Speech { message, aside } = speech;
        let from = match aside {
            None => from,
            Some(Aside::InNameOf(other)) => other,
            Some(Aside::Whisper) => {
                return self.hear_fellow(message, fx);
            }
        };
        let occasion = match &mut self.deception {
            None => Occasion::Own,
            Some(deception) => {
                deception.hear(&message);
                Occasion::Heard(from, message.clone())
            }
        };
        let mut within = Effects::new(fx.capacity());
        self.machine.on_message(from, message, &mut within);
        self.carry_out(within, &occasion, fx);
    }

    fn on_timer(&mut self, timer: Self::Timer, fx: &mut Effects<Self>) {
        match (timer, &mut self.deception) {
            (LiarTimer::Machine(timer), _) => {
                let mut within = Effects::new(fx.capacity());
                self.machine.on_timer(timer, &mut within);
                self.carry_out(within, &Occasion::Own, fx);
            }
            (LiarTimer::Late(number), Some(deception)) => {
                if let Some(word) = deception.waiting.remove(&number) {
                    send(word, fx);
                }
            }
            (LiarTimer::Bar, Some(deception)) if deception.tells(Lie::Bar) => {
                let mut told = Vec::new();
                let words = deception.bar(fx.capacity(), &mut told);
                self.set_bar(fx);
                self.send_all(words, told, fx);
            }
            (LiarTimer::Late(_) | LiarTimer::Bar, _) => {}
        }
    }

    fn on_order(&mut self, order: Order, fx: &mut Effects<Self>) {
        match order {
            Order::Lie(lying) => self.take_lying(lying, fx),
            order => {
                let mut within = Effects::new(fx.capacity());
                self.machine.on_order(order, &mut within);
                self.carry_out(within, &Occasion::Own, fx);
            }
        }
    }

    fn waits_for(&self, timer: Self::Timer) -> NodeSet {
        match timer {
            LiarTimer::Machine(timer) => self.machine.waits_for(timer),
            LiarTimer::Late(_) | LiarTimer::Bar => NodeSet::EMPTY,
        }
    }

    fn state(&self) -> StateVector {
        self.machine.state()
    }
}

impl<A: Algorithm> Liar<A> {
    /// From now on it tells these lies, or none. Honest again, it sends at once what it has kept back.
    fn take_lying(&mut self, lying: Lying, fx: &mut Effects<Self>) {
        if lying.lies.is_empty() {
            self.claimed_at = None;
            for (number, word) in self.deception.take().into_iter().flat_map(|deception| deception.waiting) {
                fx.cancel_timer(LiarTimer::Late(number));
                send(word, fx);
            }
            return fx.cancel_timer(LiarTimer::Bar);
        }
        match &mut self.deception {
            Some(deception) => deception.take_order(lying),
            None => {
                let highest = self.machine.state().election.unwrap_or(0);
                self.deception = Some(Box::new(Deception::new(self.place, lying, highest)));
            }
        }
        if lying.lies.has(Lie::Bar) {
            self.set_bar(fx);
        }
        self.claimed_at = None;
        self.carry_out(Effects::new(fx.capacity()), &Occasion::Own, fx);
    }

    /// A fellow tells it what others do not hear, and perhaps wants its signature.
    fn hear_fellow(&mut self, message: A::Message, fx: &mut Effects<Self>) {
        let Some(deception) = &mut self.deception else { return };
        deception.hear(&message);
        if let Some(keyring) = &self.keyring {
            let mut told = Vec::new();
            let words = deception.countersign(message, keyring, &mut told);
            self.send_all(words, told, fx);
        }
    }

    fn set_bar(&self, fx: &mut Effects<Self>) {
        fx.add(Effect::SetTimer { timer: LiarTimer::Bar, shortest: self.t, longest: self.t * 3 });
    }

    /// Hands the machine's effects on; what a liar sends is twisted.
    fn carry_out(&mut self, within: Effects<A>, occasion: &Occasion<A::Message>, fx: &mut Effects<Self>) {
        // An application may have given the process another one.
        fx.set_capacity(within.capacity());
        let (effects, lines) = within.into_parts();
        lines.into_iter().for_each(|line| fx.line(line));
        if self.deception.is_none() {
            return effects.into_iter().for_each(|effect| fx.add(outward(effect)));
        }
        let mut words = Vec::new();
        for effect in effects {
            match effect {
                Effect::Send { to, message } => words.push(Utterance { to: Some(to), speech: Speech::plain(message) }),
                Effect::Broadcast { message } => words.push(Utterance { to: None, speech: Speech::plain(message) }),
                effect => fx.add(outward(effect)),
            }
        }
        self.speak(words, occasion, fx);
    }

    /// Sends what the liar makes of these words, and what it says besides.
    fn speak(&mut self, words: Vec<Utterance<A::Message>>, occasion: &Occasion<A::Message>, fx: &mut Effects<Self>) {
        let state = self.machine.state();
        let Some(deception) = &mut self.deception else { return };
        deception.highest = deception.highest.max(state.election.unwrap_or(0));
        let (mut words, mut told) = deception.twist(words, occasion);
        if let (true, Some(keyring)) = (deception.tells(Lie::Collude), &self.keyring) {
            words = deception.keep_among_fellows(words, keyring, &mut told);
        }
        deception.keep(&words);
        if deception.tells(Lie::Claim) {
            let stands = Some((state.status, state.coordinator, state.election));
            if self.claimed_at != stands {
                self.claimed_at = stands;
                words.extend(deception.claim(&mut told));
            }
        }
        // Where signers are counted, a fellow's word needs no whisper: it would be signed again, and again whispered.
        if let Occasion::Heard(from, message) = occasion
            && deception.tells(Lie::Collude)
            && (self.keyring.is_none() || !deception.fellows().contains(*from))
        {
            words.extend(deception.whisper(message, &mut told));
        }
        self.send_all(words, told, fx);
    }

    /// Sends these words, now or late.
    fn send_all(&mut self, words: Vec<Utterance<A::Message>>, told: Vec<ToldLie>, fx: &mut Effects<Self>) {
        told.into_iter().for_each(|lie| fx.tell_lie(lie));
        let words: Vec<Utterance<A::Message>> = words.into_iter().map(|word| self.signed(word)).collect();
        let Some(deception) = &mut self.deception else { return };
        for word in words {
            if !deception.tells(Lie::Late) {
                send(word, fx);
                continue;
            }
            self.late = self.late.wrapping_add(1);
            // The others wait for T, 2T, 3T or longer: its word leaves a little before or after.
            let near = self.t * (1 + deception.dice.below(self.longest_wait));
            let (shortest, longest) = (near.saturating_sub(self.t), near + self.t / 16);
            fx.add(Effect::SetTimer { timer: LiarTimer::Late(self.late), shortest, longest });
            let what = format!("keeps {} back until it is late", told_of(&word.speech.message));
            fx.tell_lie(deception.told(Lie::Late, &word, what));
            deception.waiting.insert(self.late, word);
        }
    }

    /// The word, signed with the liar's own key, whatever name it bears.
    fn signed(
        &self,
        Utterance { to, speech: Speech { message, aside } }: Utterance<A::Message>,
    ) -> Utterance<A::Message> {
        let message = match &self.keyring {
            Some(keyring) => message.signed(keyring, self.place.me, to),
            None => message,
        };
        Utterance { to, speech: Speech { message, aside } }
    }
}

/// The effect of a machine as one of the machine round it.
fn outward<A: Algorithm>(effect: Effect<A>) -> Effect<Liar<A>> {
    match effect {
        Effect::Send { to, message } => Effect::Send { to, message: Speech::plain(message) },
        Effect::Broadcast { message } => Effect::Broadcast { message: Speech::plain(message) },
        Effect::SetTimer { timer, shortest, longest } => {
            Effect::SetTimer { timer: LiarTimer::Machine(timer), shortest, longest }
        }
        Effect::CancelTimer { timer } => Effect::CancelTimer { timer: LiarTimer::Machine(timer) },
        Effect::Save { saved } => Effect::Save { saved },
        Effect::Help { text } => Effect::Help { text },
    }
}

fn send<A: Algorithm>(word: Utterance<A::Message>, fx: &mut Effects<Liar<A>>) {
    match word.to {
        Some(to) => fx.send(to, word.speech),
        None => fx.broadcast(word.speech),
    }
}
