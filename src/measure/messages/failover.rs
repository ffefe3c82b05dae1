//! One failover in virtual time: the leader crashes, the others notice it, and one of them leads in the end.
//!
//! All start and come under one leader. For two check periods nothing happens: that is the steady state. Then the
//! leader crashes, and each process that still follows it is ordered to elect at its own moment, as if it had noticed
//! then: periods are so long that no detector is faster. What is sent from the crash until two check periods after all
//! agree counts, but for what is sent at every period anyway.
//!
//! Invariant: a failover is a function of its point and its seed.

use std::cell::RefCell;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::follow::{FailoverTrace, Kinds};
use super::point::FailoverPoint;
use lab::{Lab, LabErrors, parse};
use protocol::{NodeId, Registry, Span};
use script::Pace;
use sim::{After, Moves, Plan, Recorded, Simulated, Weather};

/// The bound T of the lab.
const T: Span = Span::from_millis(100);
/// For so many check periods the steady state is counted.
pub const STEADY: u64 = 2;
/// If nobody elects after so many T, all are ordered to.
const IDLE: u64 = 20;

/// A failover that is to happen with many seeds.
#[derive(Clone, Debug)]
pub struct FailoverGround {
    point: FailoverPoint,
    lab: Arc<Lab>,
}

/// What a failover cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Failover {
    /// The messages that were sent because of it, by kind; a broadcast is one.
    pub sent: Kinds,
    /// The messages of each period that were sent from the crash until all agreed.
    pub periodic: u64,
    /// The messages of the elections that had begun when the next in rank began one, with those of this one; only for
    /// the Asynchronous Bully.
    pub early: Option<u64>,
    /// The messages of two check periods before it.
    pub steady: u64,
    /// How long after the crash all agreed.
    pub agreed_after: Span,
}

impl FailoverGround {
    /// The failovers of this point.
    ///
    /// # Errors
    /// The algorithm does not take these periods: a bug of this program.
    pub fn new(registry: Registry, point: FailoverPoint) -> Result<FailoverGround, LabErrors> {
        let n = u64::from(point.nodes);
        // Longer than the noticing takes, and than what the Cards ask for.
        let check = point.one_way(T) * 2 * n + T * 20;
        let silence = check + T * n + T * 20;
        let text = format!(
            "name = \"failover\"\nabout = \"The leader crashes.\"\nalgorithm = \"{}\"\nnodes = {n}\nseed = 0\n\
             T = \"{T}\"\ncheck = \"{check}\"\nsilence = \"{silence}\"\n",
            point.card.name
        );
        Ok(FailoverGround { point, lab: Arc::new(parse("failover", &text, registry)?) })
    }

    /// Lets it happen with this seed; nothing if the processes did not come to agree, before the crash or after it.
    pub fn happen(&self, seed: u64) -> Option<Failover> {
        let plan = Plan {
            lab: Arc::clone(&self.lab),
            seed,
            dice: seed,
            weather: Weather::Even,
            moves: Moves::Typed,
            pace: Pace::Played,
            recorded: Recorded::Unjudged,
            after: After::Nothing,
        };
        let by_election = (self.point.card.name == "async-bully").then(Vec::new);
        let follow = RefCell::new(FailoverTrace::new(by_election));
        let mut simulated = sim::start(&plan, Box::new(|record| follow.borrow_mut().take(record)));
        let simulated = simulated.as_mut();
        let leader = self.settle(simulated, &follow)?;
        follow.borrow_mut().begin();
        simulated.advance_to(simulated.now() + nanos(self.lab.timing.check * STEADY));
        let steady = follow.borrow().sent.values().sum();
        follow.borrow_mut().begin();
        let crashed_at = simulated.now();
        simulated.inject(&format!("crash {leader}"));
        self.notice(simulated, &follow, leader, seed);
        self.agree(simulated, &follow)?;
        let follow = follow.borrow();
        let (periodic, own): (Kinds, Kinds) =
            follow.sent_till_agreed.clone().into_iter().partition(|(kind, _)| self.point.is_periodic(kind));
        // What goes on by itself after that is not counted, and what still follows from the crash is.
        let later = follow.sent.iter().filter(|(kind, _)| !self.point.card.periodic.contains(&kind.as_ref()));
        Some(Failover {
            periodic: periodic.values().sum(),
            sent: own.into_iter().chain(later.map(|(kind, count)| (kind.clone(), *count))).collect(),
            early: follow.by_election.as_deref().map(|elections| early(elections, self.next_of(leader))),
            steady,
            agreed_after: span(follow.agreed_since? - crashed_at),
        })
    }

    /// All come under one leader, and stay so for a check period; where nobody elects by itself, all are ordered to.
    fn settle(&self, simulated: &mut dyn Simulated, follow: &RefCell<FailoverTrace>) -> Option<NodeId> {
        simulated.advance_to(nanos(T * IDLE));
        if follow.borrow().is_idle() && follow.borrow().leader().is_none() {
            simulated.inject("elect *");
        }
        self.agree(simulated, follow)?;
        follow.borrow().leader()
    }

    /// Carries it on until all have agreed for two check periods, or for as long as its Card gives it twice.
    fn agree(&self, simulated: &mut dyn Simulated, follow: &RefCell<FailoverTrace>) -> Option<()> {
        let Lab { timing, settings, .. } = &*self.lab;
        let check = nanos(timing.check);
        let bound = (self.point.card.quiet_bound.value)(timing, self.point.nodes, settings);
        let until = simulated.now() + 2 * nanos(bound) + 4 * check;
        while simulated.now() < until {
            simulated.advance_to(simulated.now() + check / 4);
            let since = follow.borrow().agreed_since;
            if since.is_some_and(|since| since + 2 * check <= simulated.now()) {
                return Some(());
            }
        }
        None
    }

    /// Each process that still follows the leader notices its crash.
    fn notice(&self, simulated: &mut dyn Simulated, follow: &RefCell<FailoverTrace>, leader: NodeId, seed: u64) {
        let within = self.point.noticed_within(T).nanos();
        let mut dice = ChaCha8Rng::seed_from_u64(seed);
        // The seed also fixes the network, which must not follow these moments.
        dice.set_stream(1);
        let others = self.lab.roster.others(leader);
        let mut moments: Vec<(i64, NodeId)> =
            others.iter().map(|node| (i64::try_from(dice.next_u64() % within.max(1)).unwrap_or(0), node)).collect();
        moments.sort_unstable();
        let crashed_at = simulated.now();
        for (after, node) in moments {
            simulated.advance_to(crashed_at + after);
            if follow.borrow().under(node) == Some(leader) {
                simulated.inject(&format!("elect {node}"));
            }
        }
    }

    /// The next in rank after this one.
    fn next_of(&self, leader: NodeId) -> Option<NodeId> {
        self.point.card.rank.first_of(&self.lab.roster.others(leader))
    }
}

/// The messages of the elections up to the first one of this node.
fn early(elections: &[(String, u64)], of: Option<NodeId>) -> u64 {
    let own = |(election, _): &&(String, u64)| of.is_some_and(|of| election.starts_with(&format!("{of}.")));
    let before = elections.iter().take_while(|election| !own(election));
    before.chain(elections.iter().find(own)).map(|(_, count)| count).sum()
}

fn nanos(span: Span) -> i64 {
    i64::try_from(span.nanos()).unwrap_or(i64::MAX)
}

fn span(nanos: i64) -> Span {
    Span::from_nanos(u64::try_from(nanos).unwrap_or(0))
}
