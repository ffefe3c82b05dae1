//! Many elections over a bare network: each datagram takes its own time up to T. Liars send what they like, signed with
//! their own keys, to whom they like; processes crash, return and are parted.
//!
//! Invariant: all correct processes hold the same lists at the end, name the same master, and do so within (2t+5)T.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::super::messages_of;
use super::*;
use crate::king_ni::tests::network::{Datagram, Errata, Event, Network, Xorshift, settings};
use protocol::{Lists, NodeId, Standing};

const BEGIN: f64 = 4.0;

/// Processes with these capacities, each datagram taking up to T; the last `liars` of them die before the election
/// begins, and the test has their keys.
fn network(capacities: &[i64], faulty: u64, seed: u64, liars: u16) -> Network<Algorithm53> {
    let nodes = capacities.len() as u16;
    let mut random = Xorshift(seed * 2 + 1);
    let delay = Box::new(move |_: &_| Some(t(random.below(1_001) as f64 / 1_000.0)));
    let settings = settings::<Algorithm53>(nodes, Errata::Mended).with("t", SettingValue::Number(faulty));
    let mut network = Network::bare_with(settings, capacities, t(100.0), delay);
    for liar in nodes - liars + 1..=nodes {
        network.at(t(BEGIN - 0.5), Event::Crash(liar));
    }
    network.at(t(BEGIN), Event::Elect(1));
    network
}

fn bound(faulty: u64) -> Span {
    t(BEGIN + 5.0 + 2.0 * faulty as f64)
}

/// The lists that a process holds, by their owners, and the one that decided.
type HeldLists = (Vec<(NodeId, Vec<Standing>)>, Option<Vec<Standing>>);

fn lists(network: &Network<Algorithm53>, number: u16) -> HeldLists {
    let lists: Lists = network.machine(number).state().ballot.unwrap().lists.unwrap_or_default();
    let read = |(owner, received): &(NodeId, Received)| (*owner, lists.entries(received).to_vec());
    (lists.received.iter().map(read).collect(), lists.decided.clone())
}

/// All correct processes hold the same lists, and end under the same master, who is the largest of the list that
/// decided; or all have too few lists.
fn agree(network: &Network<Algorithm53>, correct: u16, told: &str) -> bool {
    let held: BTreeSet<_> = (1..=correct).map(|number| lists(network, number)).collect();
    assert_eq!(held.len(), 1, "{told}: {held:?}");
    let masters: BTreeSet<_> = (1..=correct).map(|number| network.master(number)).collect();
    assert_eq!(masters.len(), 1, "{told}: {masters:?}");
    masters.first().unwrap().is_some()
}

#[test]
fn without_liars_all_elect_the_largest() {
    for seed in 0..60 {
        let (faulty, mut random) = (seed % 3, Xorshift(seed + 77));
        let capacities: Vec<i64> = (0..5).map(|_| random.below(4) as i64 - 1).collect();
        let mut network = network(&capacities, faulty, seed, 0);
        network.run_until(bound(faulty));
        let largest =
            capacities.iter().zip(1..).max().filter(|(capacity, _)| **capacity >= 0).map(|(_, number)| number);
        let masters: Vec<_> = (1..=5).map(|number| network.master(number)).collect();
        assert_eq!(masters, [largest; 5], "seed {seed}: {capacities:?}");
        let costs = network.broadcasts.iter().filter(|(at, ..)| *at >= t(BEGIN)).count();
        let candidates = capacities.iter().filter(|capacity| **capacity >= 0).count();
        assert!(costs <= candidates + 1 + 25 + 5 + 1, "seed {seed}: {costs} broadcasts");
    }
}

/// One thing that liars may say in election 1, signed with their keys alone; they share them.
fn lie(random: &mut Xorshift, capacities: &[i64], liars: &[u16]) -> Vec<Message> {
    let election = ElectionNumber(1);
    let one_of = |random: &mut Xorshift, of: &[u16]| of[random.below(of.len() as u64) as usize];
    let liar = one_of(random, liars);
    // A correct process signs one init; a liar as many as it likes.
    let init_of = |random: &mut Xorshift, of: u16| {
        let capacity = if liars.contains(&of) { 50 + random.below(3) as i64 } else { capacities[usize::from(of) - 1] };
        signed(1, of, capacity)
    };
    match random.below(4) {
        0 => vec![Message::Init { election, init: Arc::new(init_of(random, liar)) }],
        _ => {
            let mut list: Vec<SignedInit> = Vec::new();
            for of in 1..=capacities.len() as u16 {
                // The lists of the correct are not the liars' to sign, but their inits are there to be handed on.
                if random.below(2) == 0 {
                    list.push(init_of(random, of));
                }
            }
            let digest = ListDigest::of(&list);
            let signers = liars.iter().filter(|other| **other == liar || random.below(2) == 0);
            let mut signers: Vec<u16> = signers.copied().collect();
            signers.sort_by_key(|signer| *signer != liar);
            let endorse = |by: u16| Endorsement::sign(&keyring(by), election, node(liar), digest, node(by));
            let signatures = signers.into_iter().map(endorse).collect();
            messages_of(Arc::new(RelayedList { owner: node(liar), list, signatures }), election, &keyring(liar))
        }
    }
}

/// Elections with this many liars; returns how often a master came of it, and how often the liars' lists were there.
fn with_liars(capacities: &[i64], faulty: u64, seeds: std::ops::Range<u64>) -> (u32, u32) {
    let nodes = capacities.len() as u16;
    let correct = nodes - faulty as u16;
    let liars: Vec<u16> = (correct + 1..=nodes).collect();
    let (mut elected, mut heard) = (0, 0);
    for seed in seeds {
        let mut random = Xorshift(seed * 1_000 + 7);
        let mut network = network(capacities, faulty, seed, faulty as u16);
        for _ in 0..1 + random.below(6) {
            let at = t(BEGIN + random.below(1_000) as f64 / 1_000.0 * (2.0 * faulty as f64 + 5.0));
            let messages = lie(&mut random, capacities, &liars);
            // To one or to some.
            for to in (1..=correct).filter(|_| random.below(3) == 0) {
                for message in &messages {
                    network.at(at, Event::Deliver { to, up_since: None, from: liars[0], message: message.clone() });
                }
            }
        }
        network.run_until(bound(faulty));
        elected += u32::from(agree(&network, correct, &format!("seed {seed}")));
        heard += u32::from(lists(&network, 1).0.iter().any(|(owner, _)| owner.get() > correct));
    }
    (elected, heard)
}

#[test]
fn with_one_liar_all_hold_the_same() {
    let (elected, heard) = with_liars(&[1, 2, 3, 4], 1, 0..300);
    assert_eq!(elected, 300);
    assert!(heard > 60, "a list of the liar was agreed on in {heard} of 300");
}

#[test]
fn with_two_liars_that_share_their_keys_too() {
    let (elected, heard) = with_liars(&[-1, 2, 3, -1, 5], 2, 0..200);
    assert_eq!(elected, 200);
    assert!(heard > 40, "a list of a liar was agreed on in {heard} of 200");
}

#[test]
fn a_liar_may_begin_many_elections() {
    let mut network = network(&[1, 2, 3, 4], 1, 5, 1);
    for number in 1..200u64 {
        // It announces the next elections all the time, each to one process.
        let at = t(BEGIN + number as f64 / 2.0);
        for election in 1..=12 {
            let (to, message) = (1 + (number % 3) as u16, init(election, 4, 4));
            network.at(at, Event::Deliver { to, up_since: None, from: 4, message });
        }
    }
    network.run_until(t(BEGIN + 60.0));
    let stops = |number: u16| {
        let stops = network.changes.iter().filter(|change| change.node == number && change.word == "stop");
        stops.map(|change| change.master).collect::<Vec<_>>()
    };
    assert!(stops(1).len() >= 5, "{:?}", stops(1));
    assert_eq!((stops(1), stops(2)), (stops(2), stops(3)), "all name the same in each");
    assert_eq!(network.two_masters, [""; 0]);
}

/// A network in trouble, and which processes are on the one side of a partition: a bit for each, and none while all
/// links are whole.
struct Trouble {
    network: Network<Algorithm53>,
    side: Rc<Cell<u64>>,
    random: Xorshift,
    nodes: u16,
}

impl Trouble {
    fn of(nodes: u16, faulty: u64, seed: u64) -> Trouble {
        let side = Rc::new(Cell::new(0u64));
        let (sides, mut delays) = (Rc::clone(&side), Xorshift(seed * 2 + 1));
        let delay = Box::new(move |datagram: &Datagram<Algorithm53>| {
            let of = |number: u16| sides.get() >> number & 1;
            (of(datagram.from) == of(datagram.to)).then(|| t(delays.below(1_001) as f64 / 1_000.0))
        });
        let settings = settings::<Algorithm53>(nodes, Errata::Mended).with("t", SettingValue::Number(faulty));
        let capacities: Vec<i64> = (1..=i64::from(nodes)).collect();
        let network = Network::bare_with(settings, &capacities, t(4.0), delay);
        Trouble { network, side, random: Xorshift(seed * 1_000 + 7), nodes }
    }

    fn anybody(&mut self) -> u16 {
        1 + self.random.below(u64::from(self.nodes)) as u16
    }

    fn pass(&mut self, span: f64) {
        let end = self.network.now + t(span);
        self.network.run_until(end);
    }

    /// Something happens, and some time passes.
    fn go_on(&mut self) {
        let (one, now) = (self.anybody(), self.network.now);
        match self.random.below(6) {
            0 | 1 => self.network.at(now, Event::Elect(one)),
            2 => self.network.at(now, Event::Crash(one)),
            3 => self.network.at(now, Event::Recover(one)),
            4 => self.side.set(self.random.below(1 << self.nodes) << 1),
            _ => self.side.set(0),
        }
        let span = self.random.below(9_000) as f64 / 1_000.0;
        self.pass(span);
    }

    /// All links are whole, all processes run, and all that was begun comes to its end.
    fn make_peace(&mut self) {
        self.side.set(0);
        for number in 1..=self.nodes {
            let now = self.network.now;
            self.network.at(now, Event::Recover(number));
        }
        self.pass(60.0);
    }

    /// Of each process and election the lists that it has signed first.
    fn assert_nobody_has_signed_two_lists(&self, told: &str) {
        let mut signed: BTreeMap<(NodeId, ElectionNumber), ListDigest> = BTreeMap::new();
        for (_, _, message) in &self.network.broadcasts {
            if let Message::Vect { election, relay } = message {
                let digest = ListDigest::of(&relay.list);
                let first = *signed.entry((relay.owner, *election)).or_insert(digest);
                assert_eq!(first, digest, "{told}: {} has signed two lists in election {election}", relay.owner);
            }
        }
    }

    fn masters(&self) -> Vec<Option<u16>> {
        (1..=self.nodes).map(|number| self.network.master(number)).collect()
    }
}

#[test]
fn nobody_signs_two_lists_in_trouble() {
    for seed in 0..48 {
        let (nodes, faulty) = (4 + (seed % 4) as u16, 1 + seed / 4 % 2);
        let mut trouble = Trouble::of(nodes, faulty, seed);
        for _ in 0..4 + trouble.random.below(8) {
            trouble.go_on();
        }
        trouble.make_peace();
        let (one, now) = (trouble.anybody(), trouble.network.now);
        trouble.network.at(now, Event::Elect(one));
        // The first of them may come to nothing: those who are ahead are missed in it, and all meet above them.
        trouble.pass(50.0);
        let told = format!("seed {seed}, {nodes} processes, t = {faulty}");
        trouble.assert_nobody_has_signed_two_lists(&told);
        let masters = trouble.masters();
        assert!(masters[0].is_some() && masters.iter().all(|master| *master == masters[0]), "{told}: {masters:?}");
    }
}
