//! Processes that crash, return and are parted while elections are begun, and then are left in peace.
//!
//! Invariant: all processes are honest, and each datagram takes its own time up to T.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::*;
use crate::king_ni::tests::network::{Datagram, Errata, Event, Network, Xorshift, settings};
use protocol::NodeId;

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
fn nobody_signs_two_lists_under_one_number_and_those_who_are_left_in_peace_elect() {
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
