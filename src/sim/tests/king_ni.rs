//! Tests of many simulated elections of King, Gendreau and Ni: in how many rounds they end, and that groups meet that were
//! parted. How elections end where datagrams are lost is measured (`measure rounds`).
//!
//! Invariant: all processes are candidates.

use std::cell::RefCell;
use std::sync::Arc;

use super::lab_of;
use crate::{NetworkKind, Plan, run};
use lab::Lab;
use protocol::{NodeId, NodeMap, StateVector};
use record::Record;
use world::Figures;

/// When all are to begin, the starting processes have asked for a master, and nobody asks for a lost one before the end,
/// 60T later.
fn lab(algorithm: &str, nodes: u16) -> Arc<Lab> {
    lab_of(
        "rounds",
        &format!(
            "name = \"rounds\"\nabout = \"All begin at once.\"\nalgorithm = \"{algorithm}\"\nnodes = {nodes}\nseed = 1\n\
             T = \"200ms\"\ncheck = \"60s\"\nsilence = \"61s\"\n[[step]]\nname = \"elect\"\nat = \"2s\"\n\
             do = [\"elect *\"]\n[[step]]\nname = \"end\"\nat = \"14s\"\ndo = []\n"
        ),
    )
}

/// What a run made of a lab.
#[derive(Default)]
struct Election {
    /// How each process stands at the end.
    states: NodeMap<StateVector>,
    figures: Figures,
}

impl Election {
    fn of(plan: &Plan) -> Election {
        let states = RefCell::new(NodeMap::new());
        let listener = |record: &Record| {
            if let (Some(node), Some(state)) = (record.node, record.step().and_then(|step| step.state.clone())) {
                states.borrow_mut().insert(node, state);
            }
        };
        let figures = run(plan, Box::new(listener)).run.figures;
        Election { states: states.into_inner(), figures }
    }

    /// Whether all name one of them.
    fn is_good(&self) -> bool {
        let mut named = self.states.values().map(StateVector::believes_in);
        let first = named.next().flatten();
        first.is_some() && named.all(|other| other == first)
    }
}

#[test]
fn with_nothing_lost_rounds_are_few() {
    for (algorithm, rounds) in
        [("king-ni-a", 1), ("king-ni-b1", 1), ("king-ni-b2", 1), ("king-ni-5-3", 1), ("king-ni-c", 2)]
    {
        for nodes in [2, 5, 10] {
            let election = Election::of(&Plan::of(lab(algorithm, nodes)));
            assert!(election.is_good(), "{algorithm}, {nodes} processes");
            let figures = election.figures;
            assert_eq!((figures.ends, figures.rounds), (1, rounds), "{algorithm}, {nodes} processes");
        }
    }
}

#[test]
fn by_section_5_3_lists_agree() {
    let election = Election::of(&Plan::of(lab("king-ni-5-3", 5)));
    for state in election.states.values() {
        let lists = state.ballot.as_ref().and_then(|ballot| ballot.lists.clone()).unwrap();
        let all: Vec<_> = (1..=5).map(|number| (NodeId::new(number).unwrap(), i64::from(number))).collect();
        let agreed: Vec<_> = lists.received.iter().map(|(owner, of)| (*owner, lists.entries(of).to_vec())).collect();
        assert_eq!(agreed, all.iter().map(|(owner, _)| (*owner, all.clone())).collect::<Vec<_>>());
        assert_eq!(lists.decided, Some(all));
    }
}

/// Partitions into two and three groups, with a group of one and with the master alone.
const SPLITS: [&str; 6] = ["1,2|3-5", "1-3|4,5", "1-4|5", "1|2-5", "2,4|1,3,5", "1,2|3|4,5"];

/// Elects, parts the processes for 40T, and lets them be for 60T more.
fn parted(algorithm: &str, split: &str) -> Arc<Lab> {
    let (settings, elect) = match algorithm {
        "king-ni-a" => ("", "elect *"),
        // Each group has lists enough for an election of its own.
        "king-ni-b2" => ("[settings]\nt = 4\n", "elect 1"),
        "king-ni-5-3" => ("[settings]\nt = 3\n", "elect 1"),
        _ => ("", "elect 1"),
    };
    lab_of(
        "parted",
        &format!(
            "name = \"parted\"\nabout = \"Groups meet.\"\nalgorithm = \"{algorithm}\"\nnodes = 5\nseed = 1\n\
             T = \"200ms\"\ncheck = \"500ms\"\nsilence = \"2s\"\n{settings}[[step]]\nname = \"elect\"\nat = \"2s\"\n\
             do = [\"{elect}\"]\n[[step]]\nname = \"part\"\nat = \"5s\"\ndo = [\"partition {split}\"]\n[[step]]\n\
             name = \"heal\"\nat = \"13s\"\ndo = [\"heal\"]\n[[step]]\nname = \"end\"\nat = \"25s\"\ndo = []\n"
        ),
    )
}

#[test]
fn parted_groups_name_one_master_after_healing() {
    for algorithm in ["king-ni-a", "king-ni-b1", "king-ni-b2", "king-ni-c", "king-ni-5-3"] {
        for split in SPLITS {
            let lab = parted(algorithm, split);
            for seed in 0..3 {
                let plan = Plan { seed, network_kind: NetworkKind::Drawn, ..Plan::of(Arc::clone(&lab)) };
                let election = Election::of(&plan);
                let named: Vec<_> = election.states.values().map(StateVector::believes_in).collect();
                assert!(election.is_good(), "{algorithm}, {split}, seed {seed}: {named:?}");
            }
        }
    }
}
