//! The bugs in the counting of section 5.3, one by one.
//!
//! Invariant: every bug of that file has a test here.

use std::sync::Arc;

use super::{Apart, Twins};
use crate::king_ni_signed::{FirstListStands, LastRoundLeftOut, ListNotHandedOn, OneSignatureLess, SignerCountedTwice};
use bench::node;
use election::king_ni::ElectionNumber;
use election::king_ni::agreement::{Algorithm53, Endorsement, ListDigest, Message, RelayedList, SignedInit, Timer};
use fault::Bug;
use protocol::{Effect, Keyring, LabKeys, SettingValue, Span, StateVector, Timing};

const T: Span = Span::from_millis(200);
const TIMING: Timing = Timing { t: T, check: Span::from_millis(500), silence: Span::from_millis(2000) };
const FIRST: ElectionNumber = ElectionNumber(1);

/// Process 3 of five, t = 1, in round 1, which has heard the init of 1.
fn round1<B: Bug<Machine = Algorithm53>>() -> Twins<B> {
    let twins = Twins::start(3, 5, TIMING, |settings| settings.with("t", SettingValue::Number(1))).alike();
    let init = Message::Init { election: FIRST, init: Arc::new(init(1)) };
    twins.time_out(Timer::Ready).elect().hear(1, init).time_out(Timer::Table)
}

/// The same in round 2, the last one.
fn round2<B: Bug<Machine = Algorithm53>>() -> Twins<B> {
    round1().time_out(Timer::Table)
}

fn keyring(of: u16) -> Keyring {
    LabKeys::of(0, 5).keyring(node(of))
}

/// The init of that process, whose capacity is its number.
fn init(of: u16) -> SignedInit {
    SignedInit::sign(&keyring(of), FIRST, node(of), of.into())
}

/// The list of 1 with these inits, signed by these.
fn vect(inits: &[u16], signers: &[u16]) -> Message {
    let list: Vec<SignedInit> = inits.iter().map(|of| init(*of)).collect();
    let digest = ListDigest::of(&list);
    let endorse = |by: &u16| Endorsement::sign(&keyring(*by), FIRST, node(1), digest, node(*by));
    let relay = RelayedList { owner: node(1), list, signatures: signers.iter().map(endorse).collect() };
    Message::Vect { election: FIRST, relay: Arc::new(relay) }
}

/// The owners of the lists that are agreed on so far.
fn owners(state: &StateVector) -> Vec<u16> {
    let lists = state.ballot.as_ref().and_then(|ballot| ballot.lists.as_ref());
    lists.map_or(Vec::new(), |lists| lists.received.iter().map(|(owner, _)| owner.get()).collect())
}

#[test]
fn it_decides_at_the_end_of_round_t() {
    let Apart { plain_state, mutant_state, .. } = round1::<LastRoundLeftOut>().apart_at(Timer::Table);
    // One list of five is too few.
    assert_eq!((plain_state.word.as_ref(), mutant_state.word.as_ref()), ("round2", "normal"));
}

#[test]
fn it_takes_a_list_with_a_signature_less() {
    let Apart { plain_state, mutant_state, .. } = round2::<OneSignatureLess>().apart_hearing(1, vect(&[1], &[1]));
    assert_eq!((owners(&plain_state), owners(&mutant_state)), (vec![3], vec![1, 3]));
}

#[test]
fn it_counts_a_signer_twice() {
    let Apart { plain_state, mutant_state, .. } = round2::<SignerCountedTwice>().apart_hearing(1, vect(&[1], &[1, 1]));
    assert_eq!((owners(&plain_state), owners(&mutant_state)), (vec![3], vec![1, 3]));
}

#[test]
fn it_does_not_hand_a_list_on() {
    let Apart { plain, mutant, .. } = round1::<ListNotHandedOn>().apart_hearing(1, vect(&[1], &[1]));
    assert_eq!((plain, mutant), (vec![Effect::Broadcast { message: vect(&[1], &[1, 3]) }], vec![]));
}

#[test]
fn it_keeps_the_first_of_two_lists() {
    let twins = round1::<FirstListStands>().hear(1, vect(&[1], &[1]));
    let Apart { plain_state, mutant_state, .. } = twins.apart_hearing(1, vect(&[1, 3], &[1]));
    assert_eq!((owners(&plain_state), owners(&mutant_state)), (vec![3], vec![1, 3]));
}
