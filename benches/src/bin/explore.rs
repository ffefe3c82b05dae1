//! The explorer's search beside stateright's own breadth-first search and a bare breadth-first loop, on the same models
//! in one run: a lab in ticks as `hustings explore` has it, and a lab without time, in which any timer that waits for an
//! answer may run out at any moment.
//!
//! The bare loop keeps the hashes that it has seen and a queue, and nothing else: no ways, no depths, no properties.
//! Stateright runs on one thread, as the others do. Each row takes the model anew; the order changes from round to round.
//! Time is the processor's: what else this computer does meanwhile counts little.
//!
//! Then the search with two threads stands beside the same one with one, by the clock on the wall: the ratio is right only
//! if this computer does nothing else. So beside it stands how long the thread computed that enters what is found: on
//! free processors the search lasts as long as that.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hustings::election::bully::Bully;
use hustings::explore::{ExploreTerms, ExploreWish, FaultKind, LabModel, Limits, Staged, ToTheEnd, search};
use hustings::lab;
use hustings::protocol::MachineKind;
use hustings::registry::BUILT_IN;
use hustings_benches::untimed::Untimed;
use nix::time::{ClockId, clock_gettime};
use stateright::{Checker, Model};

/// No limit stops a row.
const ENOUGH: Limits = Limits { states: u64::MAX, resident: u64::MAX };

/// The numbers of threads.
const JOBS: [NonZeroUsize; 2] = [NonZeroUsize::MIN, NonZeroUsize::MIN.saturating_add(1)];

/// What a row counted, and how long it took.
#[derive(Copy, Clone)]
struct Row {
    generated: u64,
    unique: u64,
    seconds: f64,
}

fn main() {
    let rounds: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(3);
    compare("in ticks: 3 nodes of Bully, one crash and one recovery before tick 12, horizon 16", rounds, || {
        LabModel::new(MachineKind::of::<Bully>(), terms())
    });
    compare("without time: 3 nodes of Bully, one crash, three time-outs", rounds, || Untimed::new(terms(), 1, 3));
    on_threads(rounds);
}

/// The three rows of a model, each the median of its rounds.
fn compare<M>(title: &str, rounds: usize, model: impl Fn() -> M)
where
    M: Staged + Send + Sync + 'static,
    M::State: Clone + Hash + Send + Sync + PartialEq + std::fmt::Debug + 'static,
    M::Action: Send + Sync + Clone + PartialEq + std::fmt::Debug,
{
    let rows: [(&str, fn(M) -> Row); 3] =
        [("hustings", hustings::<M>), ("stateright", stateright_alone::<M>), ("bare loop", bare_loop::<M>)];
    let mut measured: [Vec<Row>; 3] = [const { Vec::new() }; 3];
    for round in 0..rounds {
        for place in 0..rows.len() {
            let place = (place + round) % rows.len();
            measured[place].push((rows[place].1)(model()));
        }
    }
    println!("{title}");
    let mut medians = Vec::new();
    for ((name, _), mut rows) in rows.iter().zip(measured) {
        rows.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let Row { generated, unique, seconds } = rows[rows.len() / 2];
        let rate = generated as f64 / seconds;
        println!(
            "  {name:<10}  {generated:>9} generated  {unique:>8} unique  {seconds:>6.2} s  {rate:>9.0} states a second"
        );
        medians.push(rate);
    }
    println!(
        "  hustings has {:.2} times the rate of stateright, {:.2} times that of the bare loop",
        medians[0] / medians[1],
        medians[0] / medians[2]
    );
}

/// One thread and two, each the median of its rounds.
fn on_threads(rounds: usize) {
    let (mut measured, mut entering) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    let mut counted = Vec::new();
    for round in 0..rounds {
        for place in [round % 2, (round + 1) % 2] {
            let model = LabModel::new(MachineKind::of::<Bully>(), terms());
            let (begun, computed) = (Instant::now(), time_of(ClockId::CLOCK_THREAD_CPUTIME_ID));
            let found = search(&model, ENOUGH, JOBS[place], &mut ToTheEnd);
            measured[place].push(begun.elapsed().as_secs_f64());
            entering[place].push((time_of(ClockId::CLOCK_THREAD_CPUTIME_ID) - computed).as_secs_f64());
            counted.push((found.tally.generated, found.tally.unique));
        }
    }
    counted.dedup();
    assert_eq!(counted.len(), 1, "the number of threads changes no count");
    println!("in ticks, by the clock on the wall: {} generated, {} unique", counted[0].0, counted[0].1);
    let (seconds, computed) = (measured.map(median), entering.map(median));
    for ((jobs, seconds), computed) in JOBS.iter().zip(seconds).zip(computed) {
        let rate = counted[0].0 as f64 / seconds;
        println!(
            "  {jobs} threads  {seconds:>6.2} s  {rate:>9.0} states a second; the entering thread computed {computed:.2} s"
        );
    }
    println!(
        "  two threads have {:.2} times the rate of one; on free processors {:.2} times",
        seconds[0] / seconds[1],
        computed[0] / computed[1]
    );
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

fn terms() -> ExploreTerms {
    let text = "name = \"bench\"\nabout = \"A small lab.\"\nalgorithm = \"bully\"\nnodes = 3\nseed = 1\nT = \"300ms\"\n\
                check = \"300ms\"\nsilence = \"1300ms\"\n";
    let lab = lab::parse("bench", text, BUILT_IN).expect("a lab");
    let mut wish = ExploreWish { faults_until: Some(12), horizon: Some(16), ..ExploreWish::default() };
    wish.faults[FaultKind::Crash as usize] = 1;
    wish.faults[FaultKind::Recovery as usize] = 1;
    ExploreTerms::new(Arc::new(lab), "bench", &wish).expect("a lab that can be explored")
}

/// The processor time of this process so far.
fn processor_time() -> Duration {
    time_of(ClockId::CLOCK_PROCESS_CPUTIME_ID)
}

fn time_of(clock: ClockId) -> Duration {
    clock_gettime(clock).expect("the clocks of this process can be read").into()
}

fn hustings<M: Staged + Sync>(model: M) -> Row
where
    M::State: Clone + Hash + Send,
{
    let begun = processor_time();
    let found = search(&model, ENOUGH, JOBS[0], &mut ToTheEnd);
    Row {
        generated: found.tally.generated,
        unique: found.tally.unique,
        seconds: (processor_time() - begun).as_secs_f64(),
    }
}

fn stateright_alone<M>(model: M) -> Row
where
    M: Model + Send + Sync + 'static,
    M::State: Hash + Send + Sync + Clone + PartialEq + std::fmt::Debug + 'static,
    M::Action: Send + Sync + Clone + PartialEq + std::fmt::Debug,
{
    let begun = processor_time();
    let checker = model.checker().threads(1).spawn_bfs().join();
    let seconds = (processor_time() - begun).as_secs_f64();
    Row { generated: checker.state_count() as u64, unique: checker.unique_state_count() as u64, seconds }
}

fn bare_loop<M: Model>(model: M) -> Row
where
    M::State: Hash,
{
    let begun = processor_time();
    let hashes = BuildHasherDefault::<DefaultHasher>::default();
    let mut seen: HashSet<u64> = HashSet::new();
    let mut queue: VecDeque<M::State> = VecDeque::new();
    let (mut generated, mut actions) = (0, Vec::new());
    let first = model.init_states();
    for state in first {
        generated += 1;
        if seen.insert(hashes.hash_one(&state)) {
            queue.push_back(state);
        }
    }
    while let Some(state) = queue.pop_front() {
        model.actions(&state, &mut actions);
        for action in actions.drain(..) {
            let Some(next) = model.next_state(&state, action) else { continue };
            if model.within_boundary(&next) {
                generated += 1;
                if seen.insert(hashes.hash_one(&next)) {
                    queue.push_back(next);
                }
            }
        }
    }
    Row { generated, unique: seen.len() as u64, seconds: (processor_time() - begun).as_secs_f64() }
}
