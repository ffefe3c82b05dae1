//! Tests of the algorithm of section 5.3: each transition, what is refused, who has missed what, and many elections with
//! liars over a bare network in virtual time.
//!
//! Invariant: a malicious process, D, is played by the test, which has its key.

mod elections;
mod numbers;
mod parts;
mod refusals;
mod returns;
mod seals;
mod transitions;
mod troubles;
mod walk;

use std::sync::Arc;

use super::signed::SignedInit;
use super::{Algorithm53, ElectionNumber, Endorsement, ListDigest, Message, RelayedList, Seal, Timer, Word, sealed};
use crate::king_ni::tests::network::{t, timing};
use crate::king_ni::watch;
use bench::Bench;
use bench::{node, nodes};
use protocol::{
    Algorithm, CallNumber, Effect, Keyring, LabKeys, LineNumber, NodeSet, Received, SettingValue, Settings, Span,
};

/// The settings with this t and these candidates.
fn with(t: u64, candidates: &str) -> impl Fn(Settings) -> Settings {
    let candidates: NodeSet = candidates.parse().unwrap();
    move |settings| settings.with("t", SettingValue::Number(t)).with("candidates", SettingValue::Nodes(candidates))
}

/// The keyring of a process, as benches and networks hand it out.
fn keyring(of: u16) -> Keyring {
    LabKeys::of(0, 16).keyring(node(of))
}

/// Process 3 of five, t = 1, which has just started and asked.
fn started(candidates: &str) -> Bench<Algorithm53> {
    Bench::start(3, 5, timing(), with(1, candidates))
}

/// The same, and t+1 have answered that there was no election.
fn ready(candidates: &str) -> Bench<Algorithm53> {
    let mut bench = started(candidates);
    for from in [1, 2] {
        bench.hear(from, ended(from, 1, 0, None));
    }
    bench.time_out(Timer::Ready);
    assert_eq!(bench.lines, [111]);
    bench
}

/// The same in coll1 of election 1, which it has begun.
fn coll1() -> Bench<Algorithm53> {
    let mut bench = ready("1-5");
    bench.elect();
    bench
}

/// The same in round 1, with the inits of 1 and 2 besides its own.
fn round1() -> Bench<Algorithm53> {
    let mut bench = coll1();
    for from in [1, 2] {
        bench.hear(from, init(1, from, i64::from(from)));
    }
    bench.time_out(Timer::Table);
    bench
}

/// The same in the last round.
fn round2() -> Bench<Algorithm53> {
    let mut bench = round1();
    bench.time_out(Timer::Table);
    bench
}

/// The init of that process, signed.
fn signed(election: u64, of: u16, capacity: i64) -> SignedInit {
    SignedInit::sign(&keyring(of), ElectionNumber(election), node(of), capacity)
}

fn init(election: u64, of: u16, capacity: i64) -> Message {
    Message::Init { election: ElectionNumber(election), init: Arc::new(signed(election, of, capacity)) }
}

/// The list of that owner with these inits (the capacity of each is its number), signed by these.
fn relayed(election: u64, owner: u16, inits: &[u16], signers: &[u16]) -> RelayedList {
    let list: Vec<SignedInit> = inits.iter().map(|of| signed(election, *of, i64::from(*of))).collect();
    let digest = ListDigest::of(&list);
    let endorse = |by: &u16| Endorsement::sign(&keyring(*by), ElectionNumber(election), node(owner), digest, node(*by));
    RelayedList { owner: node(owner), list, signatures: signers.iter().map(endorse).collect() }
}

fn vect(election: u64, owner: u16, inits: &[u16], signers: &[u16]) -> Message {
    vect_of(election, relayed(election, owner, inits, signers))
}

fn vect_of(election: u64, relay: RelayedList) -> Message {
    Message::Vect { election: ElectionNumber(election), relay: Arc::new(relay) }
}

/// The call of this serial of process 3.
fn call(serial: u32) -> CallNumber {
    bench::call(serial)
}

/// A word of that process to process 3.
fn word(from: u16, word: Word) -> Message {
    let to = match word {
        Word::Elected { .. } | Word::Ask { .. } | Word::Call { .. } => None,
        Word::UnderWay { .. } | Word::Ended { .. } => Some(node(3)),
    };
    sealed(word.into(), &keyring(from), to)
}

/// Of a process that has signed nothing yet.
fn ended(from: u16, serial: u32, election: u64, master: Option<u16>) -> Message {
    ended_after(from, serial, election, master, 0)
}

/// Of one that signs nothing under that number any more.
fn ended_after(from: u16, serial: u32, election: u64, master: Option<u16>, spent: u64) -> Message {
    let (election, master, spent) = (ElectionNumber(election), master.map(node), ElectionNumber(spent));
    word(from, Word::Ended { call: call(serial), election, master, spent })
}

fn under_way(from: u16, serial: u32, election: u64) -> Message {
    word(from, Word::UnderWay { call: call(serial), election: ElectionNumber(election) })
}

fn elected(from: u16, election: u64) -> Message {
    word(from, Word::Elected { election: ElectionNumber(election) })
}

fn claim(from: u16, election: u64, master: u16) -> Message {
    let claim = watch::Claim { election: ElectionNumber(election), master: node(master) };
    sealed(watch::Message::Claim(claim).into(), &keyring(from), Some(node(3)))
}

fn broadcast(message: Message) -> Effect<Algorithm53> {
    Effect::Broadcast { message }
}

/// The question of process 3, which signs nothing under that number any more.
fn ask(serial: u32, spent: u64) -> Effect<Algorithm53> {
    said(Word::Ask { call: call(serial), spent: ElectionNumber(spent) })
}

/// A word of process 3 to all.
fn said(of: Word) -> Effect<Algorithm53> {
    broadcast(word(3, of))
}

/// A word of process 3 to one.
fn said_to(to: u16, message: impl Into<Message>) -> Effect<Algorithm53> {
    Effect::Send { to: node(to), message: sealed(message.into(), &keyring(3), Some(node(to))) }
}

fn timer(of: Timer, times: f64) -> Effect<Algorithm53> {
    bench::set(of, t(times))
}

fn word_of(bench: &Bench<Algorithm53>) -> String {
    bench.machine.state().word.into_owned()
}

/// The owners of the lists that it holds.
fn owners(bench: &Bench<Algorithm53>) -> Vec<u16> {
    let ballot = bench.machine.state().ballot.unwrap();
    ballot.lists.map_or(Vec::new(), |lists| lists.received.iter().map(|(owner, _)| owner.get()).collect())
}

#[test]
fn the_card_states_the_bound_and_t_leaves_two_correct_processes() {
    let settings = Settings::defaults(Algorithm53::CARD.settings, nodes("1-5"));
    let facts = |settings: &Settings| Algorithm53::CARD.facts(&timing(), 5, settings);
    assert_eq!((facts(&settings).time_bound, settings.number("t")), (timing().t * 7, 1));
    assert_eq!(facts(&settings).quiet_bound, timing().check * 4 + timing().t * 42);
    let many = settings.clone().with("t", SettingValue::Number(3));
    assert_eq!(facts(&many).time_bound, timing().t * 11);
    let two = settings.with("t", SettingValue::Number(2));
    let withheld = |of: u16| (Algorithm53::CARD.withholds)(&two, of);
    assert_eq!((withheld(5), withheld(4)), (&[][..], Algorithm53::CARD.promises), "t of n/2 or more");
    let alone = |all: &str| Settings::defaults(Algorithm53::CARD.settings, nodes(all)).number("t");
    assert_eq!((alone("1"), alone("1,2"), alone("1-3")), (0, 0, 1));
    let most = usize::from(Algorithm53::CARD.nodes_max) - 1;
    assert_eq!(super::listing::ROUNDS.len(), most, "a word for each round of the most nodes");
}

#[test]
fn a_message_fits_64_bytes_and_says_who_signed() {
    assert!(size_of::<Message>() <= 64, "{} bytes", size_of::<Message>());
    use protocol::Described;
    let vect = vect(7, 4, &[1, 4], &[4, 2]);
    let fields = [("owner", "4"), ("list", "[1:1 4:4]"), ("signed by", "4,2"), ("election", "7")];
    assert_eq!((vect.kind(), vect.fields()), ("vect", fields.map(|(name, value)| (name, value.to_owned())).to_vec()));
}
