//! Tests of many simulated elections of King, Gendreau and Ni: in how many rounds they end; where datagrams are lost, how
//! many of them end well; and that groups meet that were parted.
//!
//! Invariant: all processes are candidates.

use std::cell::RefCell;
use std::sync::Arc;

use super::lab_of;
use crate::{Plan, Weather, run};
use lab::Lab;
use protocol::{NodeId, NodeMap, StateVector};
use record::{Body, EffectText, Record, Step};
use world::Figures;

/// When all are to begin, the starting processes have asked for a master, and nobody asks for a lost one before the end,
/// 60T later. A datagram of C takes up to T.
fn lab(algorithm: &str, nodes: u16, faults: &str) -> Arc<Lab> {
    lab_of(
        "rounds",
        &format!(
            "name = \"rounds\"\nabout = \"All begin at once.\"\nalgorithm = \"{algorithm}\"\nnodes = {nodes}\nseed = 1\n\
             T = \"200ms\"\ncheck = \"60s\"\nsilence = \"61s\"\n[[step]]\nname = \"faults\"\nat = \"1900ms\"\n\
             do = [{faults}]\n[[step]]\nname = \"elect\"\nat = \"2s\"\ndo = [\"elect *\"]\n[[step]]\nname = \"end\"\n\
             at = \"14s\"\ndo = []\n"
        ),
    )
}

/// What a seed made of a lab.
#[derive(Default)]
struct Election {
    /// How each process stands at the end.
    states: NodeMap<StateVector>,
    /// The round of each one's latest announcement.
    rounds: NodeMap<u32>,
    /// Whether one that was master is so no more.
    gave_way: bool,
    figures: Figures,
}

impl Election {
    /// On a calm network; the seed is that of the dice.
    fn of(lab: &Lab, seed: u64) -> Election {
        Election::play(&Plan::of(Arc::new(Lab { seed, ..Lab::clone(lab) })))
    }

    /// On the network that the seed draws.
    fn in_weather(lab: &Arc<Lab>, seed: u64) -> Election {
        Election::play(&Plan { seed, weather: Weather::Drawn, ..Plan::of(Arc::clone(lab)) })
    }

    fn play(plan: &Plan) -> Election {
        let election = RefCell::new(Election::default());
        let listener = |record: &Record| {
            if let (Some(node), Body::Step(step)) = (record.node, &record.body) {
                election.borrow_mut().take_step(node, step);
            }
        };
        let end = run(plan, Box::new(listener));
        Election { figures: end.run.figures, ..election.into_inner() }
    }

    fn take_step(&mut self, node: NodeId, step: &Step) {
        for effect in &step.effects {
            let EffectText::Send { message, .. } = effect else { continue };
            if message.kind == "elected"
                && let Some((_, round)) = message.fields.iter().find(|(name, _)| name == "round")
            {
                self.rounds.insert(node, round.parse().unwrap());
            }
        }
        if let Some(state) = &step.state {
            let before = self.states.insert(node, state.clone());
            self.gave_way |= before.is_some_and(|before| before.coordinates(node)) && !state.coordinates(node);
        }
    }

    /// Whether all name one of them.
    fn is_good(&self) -> bool {
        let mut named = self.states.values().map(StateVector::believes_in);
        let first = named.next().flatten();
        first.is_some() && named.all(|other| other == first)
    }

    /// Whether everybody has a round for each of its announcements.
    fn has_a_round_for_each_announcement(&self) -> bool {
        let announcements = |state: &StateVector| state.ballot.as_ref().map_or(0, |ballot| ballot.announcements);
        self.states.iter().all(|(node, state)| self.rounds.get(node).copied().unwrap_or(0) >= announcements(state))
    }
}

#[test]
fn an_election_with_nothing_lost_takes_the_inits_and_one_announcement_in_c_and_the_inits_in_the_others() {
    for (algorithm, rounds) in
        [("king-ni-a", 1), ("king-ni-b1", 1), ("king-ni-b2", 1), ("king-ni-5-3", 1), ("king-ni-c", 2)]
    {
        for nodes in [2, 5, 10] {
            let lab = lab(algorithm, nodes, "");
            let election = Election::of(&lab, 1);
            assert!(election.is_good(), "{algorithm}, {nodes} processes");
            let figures = election.figures;
            assert_eq!((figures.ends, figures.rounds), (1, rounds), "{algorithm}, {nodes} processes");
        }
    }
}

#[test]
fn by_section_5_3_every_process_shows_the_same_agreed_lists_and_the_one_that_decided() {
    let election = Election::of(&lab("king-ni-5-3", 5, ""), 1);
    for state in election.states.values() {
        let lists = state.ballot.as_ref().and_then(|ballot| ballot.lists.clone()).unwrap();
        let all: Vec<_> = (1..=5).map(|number| (NodeId::new(number).unwrap(), i64::from(number))).collect();
        let agreed: Vec<_> = lists.received.iter().map(|(owner, of)| (*owner, lists.entries(of).to_vec())).collect();
        assert_eq!(agreed, all.iter().map(|(owner, _)| (*owner, all.clone())).collect::<Vec<_>>());
        assert_eq!(lists.decided, Some(all));
    }
}

/// Of 1,000 each, an independent count had 967, 992 and 997 good ones, and 2.36 rounds with five processes; by the paper's
/// formula, which counts one broadcast a round and leaves `dup` out, they are 2.55 (equation 1). The numbers of elections
/// in which a master gives way are this program's own: 41, 98 and 80, and a coll2 that is too short makes them nearly
/// twice as many.
#[test]
fn where_three_datagrams_of_ten_are_lost_most_elections_end_well() {
    for (nodes, seeds, good_min, gave_way_max) in [(2, 400, 378, 26), (5, 150, 145, 22), (10, 150, 147, 18)] {
        let lab = lab("king-ni-c", nodes, "\"delay *->* 1ms..195ms\", \"loss *->* 30%\"");
        let (mut good, mut gave_way, mut sums) = (0, 0, Figures::default());
        for seed in 0..seeds {
            let election = Election::of(&lab, seed);
            assert!(election.has_a_round_for_each_announcement(), "{nodes} processes, seed {seed}");
            good += u32::from(election.is_good());
            gave_way += u32::from(election.gave_way);
            sums += election.figures;
        }
        assert!(good >= good_min, "{good} of {seeds} with {nodes} processes");
        assert!(gave_way <= gave_way_max, "a master gave way in {gave_way} of {seeds} with {nodes} processes");
        let rounds = sums.rounds as f64 / sums.ends as f64;
        // Three standard deviations of the mean of so many.
        assert!(nodes != 5 || (rounds - 2.36).abs() < 0.16, "{rounds} rounds");
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
fn groups_that_a_partition_has_made_name_one_master_after_it_heals() {
    for algorithm in ["king-ni-a", "king-ni-b1", "king-ni-b2", "king-ni-c", "king-ni-5-3"] {
        for split in SPLITS {
            let lab = parted(algorithm, split);
            for seed in 0..3 {
                let election = Election::in_weather(&lab, seed);
                let named: Vec<_> = election.states.values().map(StateVector::believes_in).collect();
                assert!(election.is_good(), "{algorithm}, {split}, seed {seed}: {named:?}");
            }
        }
    }
}
