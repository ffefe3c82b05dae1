//! A machine that may be ordered to lie: as long as it is not, it is the machine alone.
//!
//! The machine within is the true one: it hears everything and does what its algorithm says. What it wants to send goes
//! through the deception of the process; its timers, its safe cells and its state are its own.
//!
//! Invariant: a process that was not ordered to lie does exactly what the machine within does.

use super::context::{BroadcastForm, LiarContext};
use super::deception::{LiarMessage, LiarState, LieTrigger, told_of};
use protocol::{
    BoxedMachine, Card, Channel, Delivery, Keyring, Lie, Lying, MachineKind, MessageMark, NodeId, NodeSet, Order,
    Payload, Setup, Span, StateVector, Status, StepEffect, StepEffects, TimerKey, ToldLie,
};

/// A process's machine, and what it is ordered to make of it.
#[derive(Clone, Debug)]
pub enum ProcessMachine {
    /// Was never ordered to lie.
    Honest(BoxedMachine),
    /// Was, and perhaps it still does.
    Liar(Box<Liar>),
}

/// A machine that is wrapped by what lies in its place.
#[derive(Clone, Debug)]
pub struct Liar {
    machine: BoxedMachine,
    kind: MachineKind,
    place: LiarContext,
    t: Span,
    /// The longest wait of the others that it knows, as a multiple of T.
    longest_wait: u64,
    /// The keys, if its algorithm signs.
    keyring: Option<Keyring>,
    /// Absent while it is honest.
    deception: Option<LiarState>,
    /// Where the machine stood when it claimed last, and how often it has sent something late.
    claimed_at: Option<ClaimedAt>,
    late: u32,
}

/// A state of a machine in which it has claimed once.
type ClaimedAt = (Status, Option<NodeId>, Option<u64>);

/// The timers of a liar beside those of its machine.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum LiarTimer {
    /// A word goes out late.
    Late(u32),
    /// The next higher election is announced.
    Bar,
}

impl LiarTimer {
    /// The key: those of the machine come before it.
    pub fn key(self) -> TimerKey {
        match self {
            LiarTimer::Late(number) => TimerKey::beside(0, number),
            LiarTimer::Bar => TimerKey::beside(1, 0),
        }
    }

    fn of(key: TimerKey) -> Option<LiarTimer> {
        match key.read_beside()? {
            (0, number) => Some(LiarTimer::Late(number)),
            _ => Some(LiarTimer::Bar),
        }
    }
}

/// The name of a timer of a machine of this kind that may lie.
pub fn timer_name(kind: MachineKind, timer: TimerKey) -> String {
    match LiarTimer::of(timer) {
        None => kind.timer_name(timer),
        Some(LiarTimer::Late(number)) => format!("late word {number}"),
        Some(LiarTimer::Bar) => "next higher election".to_owned(),
    }
}

impl ProcessMachine {
    /// A message came. One in another's name is heard as that one's; a whisper is heard by a liar alone.
    #[inline]
    pub fn on_message(&mut self, from: NodeId, message: &Payload, fx: &mut StepEffects) {
        let from = match message.aside() {
            Some(MessageMark::InNameOf(other)) => other,
            _ => from,
        };
        match (self, message.aside()) {
            (ProcessMachine::Liar(liar), Some(MessageMark::Whisper)) => liar.hear_fellow(message, fx),
            (ProcessMachine::Honest(_), Some(MessageMark::Whisper)) => {}
            (ProcessMachine::Liar(liar), _) => liar.on_message(from, message, fx),
            (ProcessMachine::Honest(machine), _) => machine.on_message(from, message, fx),
        }
    }

    /// A timer has run out.
    #[inline]
    pub fn on_timer(&mut self, timer: TimerKey, fx: &mut StepEffects) {
        match self {
            ProcessMachine::Honest(machine) => machine.on_timer(timer, fx),
            ProcessMachine::Liar(liar) => liar.on_timer(timer, fx),
        }
    }

    /// The operator ordered something of the machine.
    pub fn on_order(&mut self, order: Order, fx: &mut StepEffects) {
        match self {
            ProcessMachine::Honest(machine) => machine.on_order(order, fx),
            ProcessMachine::Liar(liar) => {
                liar.machine.on_order(order, fx);
                liar.carry_out(&LieTrigger::Own, fx);
            }
        }
    }

    /// From now on the process, whose machine is of this kind and started with this setup, tells these lies, or none.
    pub fn take_lying(&mut self, lying: Lying, kind: MachineKind, setup: &Setup, fx: &mut StepEffects) {
        if let ProcessMachine::Honest(machine) = self {
            *self = ProcessMachine::Liar(Box::new(Liar::around(machine.clone(), kind, setup)));
        }
        if let ProcessMachine::Liar(liar) = self {
            liar.take_lying(lying, fx);
        }
    }

    /// The nodes whose answer the timer waits for.
    pub fn waits_for(&self, timer: TimerKey) -> NodeSet {
        match self {
            ProcessMachine::Liar(_) if LiarTimer::of(timer).is_some() => NodeSet::EMPTY,
            ProcessMachine::Honest(machine) => machine.waits_for(timer),
            ProcessMachine::Liar(liar) => liar.machine.waits_for(timer),
        }
    }

    /// What panels and the judge see of the machine.
    pub fn state(&self) -> StateVector {
        match self {
            ProcessMachine::Honest(machine) => machine.state(),
            ProcessMachine::Liar(liar) => liar.machine.state(),
        }
    }
}

impl Liar {
    /// Nothing is ordered yet.
    fn around(machine: BoxedMachine, kind: MachineKind, setup: &Setup) -> Liar {
        let place = LiarContext {
            me: setup.me,
            roster: setup.roster,
            incarnation: setup.incarnation,
            reach: reach(kind.card()),
            promises: kind.card().promises,
        };
        let (t, keyring) = (setup.timing.t, setup.keyring.clone());
        // Where signers are counted there are t+1 rounds of 2T, and a process may have started T earlier than another.
        let longest_wait = match (&keyring, setup.settings.number_if_any("t")) {
            (Some(_), Some(faulty)) => 2 * faulty + 3,
            _ => 3,
        };
        Liar { machine, kind, place, t, longest_wait, keyring, deception: None, claimed_at: None, late: 0 }
    }

    fn on_message(&mut self, from: NodeId, message: &Payload, fx: &mut StepEffects) {
        let message = message.with_aside(None);
        self.machine.on_message(from, &message, fx);
        let occasion = match &mut self.deception {
            None => LieTrigger::Own,
            Some(deception) => {
                deception.hear(&message);
                LieTrigger::Heard(from, message)
            }
        };
        self.carry_out(&occasion, fx);
    }

    fn on_timer(&mut self, timer: TimerKey, fx: &mut StepEffects) {
        match (LiarTimer::of(timer), &mut self.deception) {
            (None, _) => {
                self.machine.on_timer(timer, fx);
                self.carry_out(&LieTrigger::Own, fx);
            }
            (Some(LiarTimer::Late(number)), Some(deception)) => {
                if let Some(word) = deception.waiting.remove(&number) {
                    send(word, fx);
                }
            }
            (Some(LiarTimer::Bar), Some(deception)) if deception.tells(Lie::Bar) => {
                let mut told = Vec::new();
                let words = deception.bar(fx.capacity, &mut told);
                self.set_bar(fx);
                self.send_all(words, told, fx);
            }
            (Some(_), _) => {}
        }
    }

    /// From now on it tells these lies, or none. Honest again, it sends at once what it has kept back.
    fn take_lying(&mut self, lying: Lying, fx: &mut StepEffects) {
        if lying.lies.is_empty() {
            self.claimed_at = None;
            for (number, word) in self.deception.take().into_iter().flat_map(|deception| deception.waiting) {
                fx.list.push(StepEffect::CancelTimer { timer: LiarTimer::Late(number).key() });
                send(word, fx);
            }
            return fx.list.push(StepEffect::CancelTimer { timer: LiarTimer::Bar.key() });
        }
        match &mut self.deception {
            Some(deception) => deception.take_order(lying),
            None => {
                let highest = self.machine.state().election.unwrap_or(0);
                self.deception = Some(LiarState::new(self.kind.deceit(), self.place, lying, highest));
            }
        }
        if lying.lies.has(Lie::Bar) {
            self.set_bar(fx);
        }
        self.claimed_at = None;
        self.speak(Vec::new(), &LieTrigger::Own, fx);
    }

    /// A fellow tells it what others do not hear, and perhaps wants its signature.
    fn hear_fellow(&mut self, whisper: &Payload, fx: &mut StepEffects) {
        let Some(deception) = &mut self.deception else { return };
        let message = whisper.with_aside(None);
        deception.hear(&message);
        if let Some(keyring) = &self.keyring {
            let mut told = Vec::new();
            let words = deception.countersign(&message, keyring, &mut told);
            self.send_all(words, told, fx);
        }
    }

    fn set_bar(&self, fx: &mut StepEffects) {
        let timer = LiarTimer::Bar.key();
        fx.list.push(StepEffect::SetTimer { timer, shortest: self.t, longest: self.t * 3 });
    }

    /// What the machine wants done is done; what a liar sends is twisted, and goes last.
    fn carry_out(&mut self, occasion: &LieTrigger, fx: &mut StepEffects) {
        if self.deception.is_none() {
            return;
        }
        let mut words = Vec::new();
        for effect in std::mem::take(&mut fx.list) {
            match effect {
                StepEffect::Send { to, message } => words.push(LiarMessage { to: Some(to), message }),
                StepEffect::Broadcast { message } => words.push(LiarMessage { to: None, message }),
                effect => fx.list.push(effect),
            }
        }
        self.speak(words, occasion, fx);
    }

    /// Sends what the liar makes of these words, and what it says besides.
    fn speak(&mut self, words: Vec<LiarMessage>, occasion: &LieTrigger, fx: &mut StepEffects) {
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
        if let LieTrigger::Heard(from, message) = occasion
            && deception.tells(Lie::Collude)
            && (self.keyring.is_none() || !deception.fellows().contains(*from))
        {
            words.extend(deception.whisper(message, &mut told));
        }
        self.send_all(words, told, fx);
    }

    /// Sends these words, now or late.
    fn send_all(&mut self, words: Vec<LiarMessage>, told: Vec<ToldLie>, fx: &mut StepEffects) {
        fx.lies.extend(told);
        let words: Vec<LiarMessage> = words.into_iter().map(|word| self.signed(word)).collect();
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
            fx.list.push(StepEffect::SetTimer { timer: LiarTimer::Late(self.late).key(), shortest, longest });
            let what = format!("keeps {} back until it is late", told_of(&word.message));
            fx.lies.push(deception.told(Lie::Late, &word, what));
            deception.waiting.insert(self.late, word);
        }
    }

    /// The word, signed with the liar's own key, whatever name it bears.
    fn signed(&self, LiarMessage { to, message }: LiarMessage) -> LiarMessage {
        let message = match &self.keyring {
            Some(keyring) => {
                let signed = self.kind.deceit().signed(&message, keyring, self.place.me, to);
                signed.with_aside(message.aside())
            }
            None => message,
        };
        LiarMessage { to, message }
    }
}

/// How processes of the algorithm with this Card reach several.
fn reach(card: &Card) -> BroadcastForm {
    match (card.delivery, card.channel) {
        (Delivery::OrderedBroadcast, _) => BroadcastForm::Ordered,
        (_, Channel::Multicast) => BroadcastForm::Bare,
        (_, Channel::Unicast) => BroadcastForm::None,
    }
}

fn send(LiarMessage { to, message }: LiarMessage, fx: &mut StepEffects) {
    fx.list.push(match to {
        Some(to) => StepEffect::Send { to, message },
        None => StepEffect::Broadcast { message },
    });
}
