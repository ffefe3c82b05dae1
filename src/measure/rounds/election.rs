//! One election of Algorithm C in virtual time, and how it ended.
//!
//! All processes are candidates. They start, and once those that ask for a master have given up, losses begin and the
//! processes are ordered to elect: at one moment, or each at its own moment of the first T. Nobody watches the master
//! before the end. What each process is in at the end is read from its state.
//!
//! Invariant: an election is a function of its point and its seed.

use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::point::{RoundsPoint, Starts, Tables};
use fault::FaultLine;
use lab::{Lab, LabStep, Narration, When, parse};
use protocol::{Course, NodeId, Span, StateVector};
use registry::BUILT_IN;
use script::Pace;
use sim::{After, Moves, Plan, Recorded, Simulated, Weather};

/// The bound T of the lab.
const T: Span = Span::from_millis(200);
/// When losses begin, in T: no process asks for a master any more.
const LOSSES_BEGIN: u64 = 9;
/// When the election begins, in T.
pub(super) const BEGINS: u64 = 10;
/// How long after that its end is looked at, in T: there is time for 65 rounds.
const LASTS: u64 = 200;

/// Begins a simulation of Algorithm C.
pub type MachineStart = fn(&Plan) -> Box<dyn Simulated>;

/// An election that is to be held with many seeds.
#[derive(Clone, Debug)]
pub struct ElectionGround {
    lab: Lab,
    starts: Starts,
}

/// How an election ended.
#[derive(Clone, PartialEq, Debug)]
pub struct ElectionEnd {
    /// Which of the lab's elections it is; a later one is held because nobody heard of the end of the first.
    pub turn: ElectionTurn,
    /// Its rounds, if it has a master: the inits, and the announcements of the master; of several the most.
    pub rounds: Option<u64>,
    /// How many processes take themselves for the master.
    pub masters: usize,
    /// Whether there is one master, and all name it.
    pub is_good: bool,
    /// How many processes name a master that is none.
    pub misled: usize,
    /// How many processes ask the operator for help.
    pub in_help: usize,
    /// How many have heard of no election.
    pub never_heard: usize,
}

/// Which election of a lab it was.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum ElectionTurn {
    /// The first.
    First,
    /// A later one.
    Later,
}

impl ElectionGround {
    /// The elections of this point.
    pub fn new(point: &RoundsPoint, starts: Starts, tables: Tables) -> ElectionGround {
        ElectionGround { lab: lab_of(point, tables, T), starts }
    }

    /// Holds the election with this seed.
    pub fn hold(&self, machine: MachineStart, seed: u64) -> ElectionEnd {
        let mut lab = begun(&self.lab, self.starts, seed);
        lab.steps.push(step(lab.steps.len(), T * (BEGINS + LASTS), &[]));
        let plan = Plan {
            lab: Arc::new(lab),
            seed,
            dice: seed,
            weather: Weather::Even,
            moves: Moves::Typed,
            pace: Pace::Played,
            recorded: Recorded::No,
            after: After::Nothing,
        };
        let mut simulated = machine(&plan);
        simulated.advance_to(nanos(T * (BEGINS + LASTS)));
        let states = self.lab.roster.all();
        let states = states.iter().filter_map(|node| Some((node, simulated.state(node)?)));
        ElectionEnd::of(&states.collect::<Vec<_>>())
    }
}

impl ElectionEnd {
    /// It, by the last state of each process.
    pub(super) fn of(states: &[(NodeId, StateVector)]) -> ElectionEnd {
        let announced = |state: &StateVector| state.ballot.as_ref().map_or(0, |ballot| u64::from(ballot.announcements));
        let masters = states.iter().filter(|(node, state)| state.coordinates(*node));
        let masters: Vec<(NodeId, u64)> = masters.map(|(node, state)| (*node, announced(state))).collect();
        let is_master = |node: NodeId| masters.iter().any(|(master, _)| *master == node);
        let named = || states.iter().map(|(_, state)| state.believes_in());
        let on = |course: Course| states.iter().filter(|(_, state)| state.course() == course).count();
        ElectionEnd {
            turn: if states.iter().any(|(_, state)| state.election > Some(1)) {
                ElectionTurn::Later
            } else {
                ElectionTurn::First
            },
            rounds: masters.iter().map(|(_, announced)| 1 + announced).max(),
            is_good: matches!(masters[..], [(master, _)] if named().all(|named| named == Some(master))),
            masters: masters.len(),
            misled: named().flatten().filter(|named| !is_master(*named)).count(),
            in_help: on(Course::Help),
            never_heard: on(Course::Idle),
        }
    }
}

/// A lab of this point, with this T, in which nobody begins an election yet.
pub(super) fn lab_of(point: &RoundsPoint, tables: Tables, t: Span) -> Lab {
    let RoundsPoint { candidates, p, .. } = point;
    let (check, silence) = (t * 2 * LASTS, t * 2 * LASTS + t);
    let text = format!(
        "name = \"rounds\"\nabout = \"An election.\"\nalgorithm = \"king-ni-c\"\nnodes = {candidates}\nseed = 0\n\
         T = \"{t}\"\ncheck = \"{check}\"\nsilence = \"{silence}\"\n[settings]\nerrata = {}\n",
        tables == Tables::Mended
    );
    let mut lab = parse("rounds", &text, BUILT_IN).expect("the lab of an election is correct");
    lab.steps.push(step(0, t * LOSSES_BEGIN, &[&format!("loss *->* {p}")]));
    lab
}

/// The same lab, in which all are ordered to elect.
pub(super) fn begun(lab: &Lab, starts: Starts, seed: u64) -> Lab {
    let (t, mut lab) = (lab.timing.t, lab.clone());
    match starts {
        Starts::Together => lab.steps.push(step(1, t * BEGINS, &["elect *"])),
        Starts::Spread => {
            let mut dice = ChaCha8Rng::seed_from_u64(seed);
            // The seed also fixes the network, which must not follow the starts.
            dice.set_stream(1);
            let nodes = lab.roster.all();
            let mut moments: Vec<(u64, NodeId)> =
                nodes.iter().map(|node| (dice.next_u64() % t.nanos(), node)).collect();
            moments.sort_unstable();
            for (place, (after, node)) in moments.into_iter().enumerate() {
                lab.steps.push(step(1 + place, t * BEGINS + Span::from_nanos(after), &[&format!("elect {node}")]));
            }
        }
    }
    lab
}

/// A step at this time.
fn step(place: usize, at: Span, lines: &[&str]) -> LabStep {
    let line = |line: &&str| line.parse::<FaultLine>().expect("the lines of an election are correct");
    let lines = lines.iter().map(line).collect();
    LabStep { name: LabStep::name_of(place), when: When::At(at), lines, narration: Narration::default() }
}

fn nanos(span: Span) -> i64 {
    i64::try_from(span.nanos()).unwrap_or(i64::MAX)
}
