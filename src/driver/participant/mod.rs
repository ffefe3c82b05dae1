//! A participant: one machine behind its link, from the opened datagram to the effects.
//!
//! The link says which datagram a fault spoils or garbles, and where. The codec is in this room, so bodies are garbled
//! here: `garble` changes one bit of a body behind the tag, and only the codec tells what is no message at all.
//! `corrupt` changes bytes before the tag is checked: the caller has the bytes and does that; here it is only recorded,
//! as the loss that it is.
//!
//! A held participant must get nothing: its caller keeps what comes meanwhile, and hands it over when the faults in
//! force are those of the moment at which it would have been read.
//!
//! Invariant: every datagram that does not reach the machine has its record, and what reaches it comes by [`Driver`]
//! alone. Deliveries and time-outs are taken in the order of their moments; at one moment deliveries come first.

#[cfg(test)]
mod tests;

use super::{Driver, Environment, Stamp, message_id};
use fault::{ClockFault, CourierRefusal, FaultId, LinkFault, Passage};
use link::{ActResult, Arrival, BroadcastId, Departure, FastPathResult, Link, LinkTerms, Released};
use protocol::{Card, Delivery, MachineKind, Order, Payload, SavedCells, Setup, StateVector, delta};
use record::{Body, CopyFate, MessageId};

/// A machine behind its link.
#[derive(Clone, Debug)]
pub struct Participant {
    link: Link<Payload>,
    driver: Driver,
    delivery: Delivery,
    clock: Option<ClockFault>,
}

impl Participant {
    /// Starts the machine, behind a link with these faults in force and with a clock of this rate. `seed` is the seed
    /// of dice and draws.
    ///
    /// # Errors
    /// The safe cells could not be written: the node must halt, and nothing that followed the save was carried out. The
    /// same holds for every method here.
    pub fn start<S: Environment>(
        kind: MachineKind,
        setup: Setup,
        seed: u64,
        saved: Option<SavedCells>,
        faults: Vec<LinkFault>,
        clock: Option<ClockFault>,
        surroundings: &mut S,
    ) -> Result<Participant, S::Error> {
        let link = Link::new(terms(kind.card(), &setup, seed), faults);
        let now = surroundings.now();
        if clock.is_some() && surroundings.keeps_records() {
            surroundings.record(now, Body::ClockSet { clock });
        }
        let driver = Driver::start(kind, setup, seed, saved, clock.map(|clock| clock.rate), now, surroundings)?;
        Ok(Participant { link, driver, delivery: kind.card().delivery, clock })
    }

    /// From now on the machine's clock runs at this rate, or as the lab's. That changes its timers only: its link and
    /// the stamps of ordered broadcasts follow the lab's time.
    pub fn set_clock<S: Environment>(&mut self, clock: Option<ClockFault>, surroundings: &mut S) {
        if self.clock == clock {
            return;
        }
        let now = surroundings.now();
        if surroundings.keeps_records() {
            surroundings.record(now, Body::ClockSet { clock });
        }
        self.driver.set_rate(clock.map(|clock| clock.rate), now);
        self.clock = clock;
    }

    /// From now on these faults are in force, and no others. A datagram that a delay holds back stays so until its
    /// time; a datagram that no hold keeps any more is recorded, and reaches the machine by [`Participant::deliver`].
    pub fn set_faults<S: Environment>(&mut self, faults: Vec<LinkFault>, surroundings: &mut S) {
        let now = surroundings.now();
        for released in self.link.set_faults(now.lab(), faults) {
            if surroundings.keeps_records() {
                surroundings.record(now, told_released(&released));
            }
        }
    }

    /// Does this act to a datagram that a hold keeps back. One that it lets go reaches the machine by
    /// [`Participant::deliver`].
    ///
    /// # Errors
    /// It was not done, and nothing was changed.
    pub fn act<S: Environment>(&mut self, act: &LinkFault, surroundings: &mut S) -> Result<(), CourierRefusal> {
        let (now, by) = (surroundings.now(), act.id);
        let carried = self.link.act(now.lab(), act)?;
        if !surroundings.keeps_records() {
            return Ok(());
        }
        let body = match carried {
            ActResult::LetGo(released) => told_released(&released),
            ActResult::PutFirst { passage, original } => {
                Body::PutFirst { id: id_of(&passage, original.as_ref()), through: passage.from, by }
            }
            ActResult::Lost { passage, original, payload } => {
                let id = id_of(&passage, original.as_ref());
                match original {
                    Some(_) => Body::Copy { id, through: passage.from, by, fate: CopyFate::Dropped },
                    None => Body::Dropped { id, by, message: Some(payload.text()) },
                }
            }
        };
        surroundings.record(now, body);
        Ok(())
    }

    /// Whether a fault spoils the datagram before its tag is checked, and where in its bytes, as a share of their
    /// length in [0, 1). The caller, which has the bytes, spoils them before [`Participant::arrive`], which then takes
    /// the datagram for lost.
    pub fn spoils(&self, passage: &Passage) -> Option<(FaultId, f64)> {
        self.link.spoils(passage)
    }

    /// How many datagrams found the link's queue full since the last call; the caller records them.
    pub fn take_overflow(&mut self) -> u64 {
        self.link.take_overflow()
    }

    /// Takes in a datagram that left its sender at this moment of lab time, and gives the machine what the link lets
    /// go. A copy of an ordered broadcast names its original; its passage is then the copy's own, from the node that
    /// sent the copy. The participant must not be held.
    pub fn arrive<S: Environment>(
        &mut self,
        sent: u64,
        passage: Passage,
        original: Option<BroadcastId>,
        message: Payload,
        surroundings: &mut S,
    ) -> Result<(), S::Error> {
        if original.is_none()
            && let Some(passing) = self.link.pass(&passage)
        {
            return match passing {
                FastPathResult::Deliver => self.give(&passage, message, surroundings),
                FastPathResult::Own => Ok(()),
                FastPathResult::Stale => {
                    if surroundings.keeps_records() {
                        surroundings.record(surroundings.now(), Body::Stale { id: message_id(&passage) });
                    }
                    Ok(())
                }
            };
        }
        self.take_in(sent, passage, original, message, surroundings);
        self.deliver(surroundings)
    }

    /// Gives the machine what the link lets go now, until it is held or nothing more goes.
    pub fn deliver<S: Environment>(&mut self, surroundings: &mut S) -> Result<(), S::Error> {
        while !self.is_held() {
            let now = surroundings.now();
            let Some(departure) = self.link.depart(now.lab()) else { break };
            match departure {
                Departure::Deliver(passage, message) => self.give(&passage, message, surroundings)?,
                Departure::Garble { passage, payload, by, place } => {
                    let garbled = self.driver.kind().garbled(&payload, place);
                    if surroundings.keeps_records() {
                        let (was, became) = (payload.text(), garbled.as_ref().map(Payload::text));
                        surroundings.record(now, Body::Garbled { id: message_id(&passage), by, was, became });
                    }
                    // One changed bit may have made it no message at all.
                    if let Some(message) = garbled {
                        self.give(&passage, message, surroundings)?;
                    }
                }
                Departure::Relay(original, message) => self.relay(&original, &message, now, surroundings),
                other if surroundings.keeps_records() => self.tell(other, now, surroundings),
                _ => {}
            }
        }
        Ok(())
    }

    /// Delivers the ordered broadcasts and runs the timers that were due by this moment of lab time, in the order of
    /// their moments; at one moment deliveries come before time-outs.
    pub fn ring<S: Environment>(&mut self, by: u64, surroundings: &mut S) -> Result<(), S::Error> {
        let is_ordered = self.delivery == Delivery::OrderedBroadcast;
        loop {
            if is_ordered {
                for (original, message) in surroundings.take_own() {
                    self.link.broadcast(original, message);
                }
            }
            if self.is_held() {
                return Ok(());
            }
            let now = surroundings.now();
            let until = self.driver.next_due().map_or(by, |due| due.min(by));
            if is_ordered && self.link.release_ordered(now.lab(), until) {
                self.deliver(surroundings)?;
            } else if !self.driver.on_due_timer(by, now, surroundings)? {
                return Ok(());
            }
        }
    }

    /// The operator ordered something.
    pub fn order<S: Environment>(&mut self, order: Order, surroundings: &mut S) -> Result<(), S::Error> {
        self.driver.on_order(order, surroundings.now(), surroundings)
    }

    /// Whether its last step is held: then it must get nothing until it has gone on.
    pub fn is_held(&self) -> bool {
        self.driver.is_held()
    }

    /// Carries out the effects up to the hold, if this step of the lab holds the machine's step.
    pub fn reach_hold<S: Environment>(&mut self, step: &str, surroundings: &mut S) -> Result<(), S::Error> {
        self.driver.reach_hold(step, surroundings)
    }

    /// Carries out what this step of the lab holds back, if it holds anything.
    pub fn go_on<S: Environment>(&mut self, step: &str, surroundings: &mut S) -> Result<(), S::Error> {
        self.driver.go_on(step, surroundings.now(), surroundings)
    }

    /// When its next timer is due or the next message may leave its link, in lab time. Own broadcasts that it has not
    /// taken yet do not count: [`Participant::ring`] takes them.
    #[inline]
    pub fn next_due(&self) -> Option<u64> {
        match (self.driver.next_due(), self.link.next_release()) {
            (Some(timer), Some(release)) => Some(timer.min(release)),
            (timer, release) => timer.or(release),
        }
    }

    /// What panels and the judge see of the machine.
    pub fn state(&self) -> StateVector {
        self.driver.state()
    }

    /// Takes a datagram as far as the link's queue, and records what happens to it on the way.
    fn take_in<S: Environment>(
        &mut self,
        sent: u64,
        passage: Passage,
        original: Option<BroadcastId>,
        message: Payload,
        surroundings: &mut S,
    ) {
        let now = surroundings.now();
        let is_told = surroundings.keeps_records();
        let id = || id_of(&passage, original.as_ref());
        let copy = |by, fate| Body::Copy { id: id(), through: passage.from, by, fate };
        if let Some((by, _)) = self.link.spoils(&passage) {
            if is_told {
                let body = match original {
                    Some(_) => copy(by, CopyFate::Spoiled),
                    None => Body::Spoiled { id: id(), by, message: Some(message.text()) },
                };
                surroundings.record(now, body);
            }
            return;
        }
        let bite = match self.link.arrive(now.lab(), sent, passage, original, message) {
            Arrival::Passes | Arrival::Own | Arrival::Overflows => return,
            _ if !is_told => return,
            Arrival::Dropped { by, .. } if original.is_some() => copy(by, CopyFate::Dropped),
            Arrival::Held { by, span, .. } if original.is_some() => copy(by, CopyFate::Held(span)),
            Arrival::Dropped { by, payload } => Body::Dropped { id: id(), by, message: Some(payload.text()) },
            Arrival::Held { by, span, payload } => Body::Held { id: id(), by, span, message: Some(payload.text()) },
        };
        surroundings.record(now, bite);
    }

    fn give<S: Environment>(
        &mut self,
        passage: &Passage,
        message: Payload,
        surroundings: &mut S,
    ) -> Result<(), S::Error> {
        self.driver.on_message(passage, &message, surroundings.now(), surroundings)
    }

    fn relay<S: Environment>(&self, original: &BroadcastId, message: &Payload, now: Stamp, surroundings: &mut S) {
        // A relay that does not leave is missing like any lost datagram.
        if let Err(error) = surroundings.relay(original, message)
            && surroundings.keeps_records()
        {
            let id = message_id(&original.passage(self.driver.setup().me));
            surroundings.record(now, Body::SendFailed { id, error: error.to_string() });
        }
    }

    /// Records what happened to a message that does not go to the machine by this departure.
    fn tell<S: Environment>(&self, departure: Departure<Payload>, now: Stamp, surroundings: &mut S) {
        let body = match departure {
            Departure::Stale(passage) => Body::Stale { id: message_id(&passage) },
            Departure::Duplicated { passage, by } => Body::Duplicated { id: message_id(&passage), by },
            Departure::Waits { passage, payload, by, span } => {
                let message = Some(payload.text());
                Body::Held { id: message_id(&passage), by, span: Some(span), message }
            }
            Departure::Overtaken { passage, by } => Body::Reordered { id: message_id(&passage), by },
            Departure::Late(original, span, message) => {
                let id = message_id(&original.passage(self.driver.setup().me));
                Body::Late { id, span, message: Some(message.text()) }
            }
            Departure::Deliver(..) | Departure::Garble { .. } | Departure::Relay(..) => return,
        };
        surroundings.record(now, body);
    }
}

/// The identity of a datagram; of a copy of an ordered broadcast it is the broadcast's.
fn id_of(passage: &Passage, original: Option<&BroadcastId>) -> MessageId {
    message_id(&original.map_or(*passage, |original| original.passage(passage.to)))
}

/// That a held datagram was let go.
fn told_released(released: &Released) -> Body {
    let Released { passage, original, by } = *released;
    let id = id_of(&passage, original.as_ref());
    match original {
        Some(_) => Body::Copy { id, through: passage.from, by, fate: CopyFate::Released },
        None => Body::Released { id, by },
    }
}

/// The fixed terms of the link of a node with this setup.
fn terms(card: &Card, setup: &Setup, seed: u64) -> LinkTerms {
    let (one_way, delta) = (card.t_bounds.one_way(setup.timing.t), delta(setup.timing.t, &setup.settings));
    LinkTerms { me: setup.me, seed, delivery: card.delivery, one_way, delta }
}
