//! Bugs planted in the counting of section 5.3 of King, Gendreau and Ni 1988: rounds, signers, and who hands on what.
//!
//! A planted bug has the process's own key and no other one. Where the machine would count a signer too many, it is given
//! the process's own signature in the place of the one that it lacks.
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use election::king_ni::ElectionNumber;
use election::king_ni::agreement::{Algorithm53, Endorsement, ListDigest, Message, RelayedList, Timer};
use fault::{Bug, Given, Reaction};
use protocol::{Algorithm, Effect, Effects, Keyring, NodeId, Setup};

type Step = Reaction<Algorithm53>;

/// The start of a bug that is a [`Signer`].
macro_rules! learns_its_setup {
    () => {
        fn start(
            &mut self,
            setup: &Setup,
            saved: Option<ElectionNumber>,
            fx: &mut Effects<Algorithm53>,
        ) -> Algorithm53 {
            self.0.start(setup, saved, fx)
        }
    };
}

/// The number of the round that the machine is in; none before the first and after the last.
fn round(machine: &Algorithm53) -> Option<usize> {
    machine.state().word.strip_prefix("round")?.parse().ok()
}

/// Whether that starts the timer of the table.
fn is_table_timer(effect: &Effect<Algorithm53>) -> bool {
    matches!(effect, Effect::SetTimer { timer: Timer::Table, .. })
}

/// What a process learns at its start and has to know here.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct Signer(Option<(NodeId, Keyring, usize)>);

impl Signer {
    fn start(&mut self, setup: &Setup, saved: Option<ElectionNumber>, fx: &mut Effects<Algorithm53>) -> Algorithm53 {
        let faulty = setup.settings.number("t") as usize;
        self.0 = setup.keyring.clone().map(|keyring| (setup.me, keyring, faulty));
        Algorithm53::start(setup, saved, fx)
    }

    /// t.
    fn faulty(&self) -> usize {
        self.0.as_ref().map_or(0, |(_, _, faulty)| *faulty)
    }

    /// The list with the process's own signature besides.
    fn signed(&self, election: ElectionNumber, mut relay: RelayedList) -> Message {
        if let Some((me, keyring, _)) = &self.0 {
            let digest = ListDigest::of(&relay.list);
            relay.signatures.push(Endorsement::sign(keyring, election, relay.owner, digest, *me));
        }
        Message::Vect { election, relay: Arc::new(relay) }
    }
}

/// Line 409 with t for t+1: the process decides at the end of round t, and what others hand on in the last round comes too
/// late for it.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct LastRoundLeftOut(Signer);

impl Bug for LastRoundLeftOut {
    type Machine = Algorithm53;

    learns_its_setup!();

    fn give(&mut self, machine: &mut Algorithm53, given: Given<Algorithm53>, capacity: i64) -> Step {
        let is_last = given == Given::Timer(Timer::Table) && round(machine) == Some(self.0.faulty());
        let step = given.to(machine, capacity);
        if !is_last {
            return step;
        }
        step.without(is_table_timer).then(Given::Timer(Timer::Table).to(machine, capacity))
    }
}

/// Line 405 with one signature fewer: in round k a list is taken that has k-1 signatures, and of those that come at the
/// end of the last round some processes hear and others do not.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct OneSignatureLess(Signer);

impl Bug for OneSignatureLess {
    type Machine = Algorithm53;

    learns_its_setup!();

    fn give(&mut self, machine: &mut Algorithm53, given: Given<Algorithm53>, capacity: i64) -> Step {
        let given = match given {
            Given::Message(from, Message::Vect { election, relay })
                if round(machine).is_some_and(|round| relay.signatures.len() + 1 == round) =>
            {
                Given::Message(from, self.0.signed(election, RelayedList::clone(&relay)))
            }
            given => given,
        };
        given.to(machine, capacity)
    }
}

/// Line 406 without "or twice by one": who signs twice counts twice, so a liar alone has all the signatures that the last
/// round asks for.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct SignerCountedTwice(Signer);

impl Bug for SignerCountedTwice {
    type Machine = Algorithm53;

    learns_its_setup!();

    fn give(&mut self, machine: &mut Algorithm53, given: Given<Algorithm53>, capacity: i64) -> Step {
        let given = match given {
            Given::Message(from, Message::Vect { election, relay }) => {
                let (count, mut relay) = (relay.signatures.len(), RelayedList::clone(&relay));
                let mut signers = BTreeSet::new();
                relay.signatures.retain(|signed| signers.insert(signed.by));
                let is_short = round(machine).is_some_and(|round| relay.signatures.len() < round && round <= count);
                let message = match is_short {
                    true => self.0.signed(election, relay),
                    false => Message::Vect { election, relay: Arc::new(relay) },
                };
                Given::Message(from, message)
            }
            given => given,
        };
        given.to(machine, capacity)
    }
}

/// Line 404 without its broadcast: a list that is taken is not handed on, so it counts only where its owner has shown it.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct ListNotHandedOn;

impl Bug for ListNotHandedOn {
    type Machine = Algorithm53;

    fn done(&mut self, _: &mut Algorithm53, step: Step, _: i64) -> Step {
        step.without(|effect| match effect {
            Effect::Broadcast { message: Message::Vect { relay, .. } } => relay.signatures.len() > 1,
            _ => false,
        })
    }
}

/// Line 408 with "that list or one other": of two lists of an owner the first stands, and that is not the same one
/// everywhere.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct FirstListStands {
    taken: BTreeMap<(ElectionNumber, NodeId), ListDigest>,
}

impl Bug for FirstListStands {
    type Machine = Algorithm53;

    fn give(&mut self, machine: &mut Algorithm53, given: Given<Algorithm53>, capacity: i64) -> Step {
        let Given::Message(_, Message::Vect { election, relay }) = &given else { return given.to(machine, capacity) };
        let (place, digest) = ((*election, relay.owner), ListDigest::of(&relay.list));
        if self.taken.get(&place).is_some_and(|first| *first != digest) {
            return Reaction::none();
        }
        let step = given.to(machine, capacity);
        if step.lines.iter().any(|line| matches!(line, 8 | 402)) {
            self.taken.insert(place, digest);
        }
        step
    }
}
