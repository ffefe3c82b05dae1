//! The three forms of Bully beside each other: the notes' three nodes, the time a failover takes, and random runs.
//!
//! Invariant: no run here breaks an assumption: messages take less than T/2, and nobody pauses.

use proptest::{collection::vec, prop_assert, prop_assert_eq, proptest, test_runner::Config as ProptestConfig};

use super::Bully;
use bench::network::Network;
use bench::node;
use protocol::{Algorithm, NodeSet, SettingValue, Settings, Span, Timing};

const T: Span = Span::from_millis(200);

const PARALLEL: &str = "parallel";
const SEQUENTIAL: &str = "sequential";
const PARALLEL_EARLY: &str = "parallel-early";
const FORMS: [&str; 3] = [PARALLEL, SEQUENTIAL, PARALLEL_EARLY];

fn of(form: &str) -> impl Fn(Settings) -> Settings + Copy + '_ {
    move |settings| settings.with("form", SettingValue::Word(form.to_owned()))
}

/// Periods that the Card accepts, with room to spare.
fn timing(form: &str, nodes: u16) -> Timing {
    let calls = if form == SEQUENTIAL { 3 * u64::from(nodes - 1) } else { 4 };
    Timing { t: T, check: T, silence: T * (calls + 1) }
}

fn quiet_bound(form: &str, nodes: u16) -> Span {
    let settings = of(form)(Settings::defaults(Bully::CARD.settings, NodeSet::EMPTY));
    (Bully::CARD.quiet_bound.value)(&timing(form, nodes), nodes, &settings)
}

fn network(form: &str, nodes: u16) -> Network<Bully> {
    Network::new(nodes, timing(form, nodes), of(form))
}

/// The notes' n = 3: 2 has found 3 down and is at its Halts; 3 has come back just before, and its Halt to 2 takes long.
/// The two Halts meet at 1, which obeys 2, the last to halt it.
fn the_notes_three_nodes(form: &str) -> Network<Bully> {
    let mut network = network(form, 3);
    network.start(1);
    network.start(2);
    network.run(T / 2);
    for (from, to) in [(3, 1), (2, 1), (1, 2), (1, 3)] {
        network.delay(from, to, T / 100);
    }
    network.delay(3, 2, T * 2 / 5);
    network.run((T / 2).saturating_sub(T / 50));
    network.start(3);
    network.run(T / 25);
    assert_eq!(network.state(1).halted_by, Some(node(2)), "{form}: the last halter wins");
    network.run_till(quiet_bound(form, 3), "3 coordinates", |network| network.normal_under("1-3", 3));
    network
}

#[test]
fn the_notes_three_nodes_break_assertion_1_only_where_parallel_halts_end_early() {
    for (form, broken) in [(PARALLEL, false), (SEQUENTIAL, false), (PARALLEL_EARLY, true)] {
        let network = the_notes_three_nodes(form);
        assert_eq!(!network.violations.is_empty(), broken, "{form}: {:?}", network.violations);
    }
}

/// In the sequential form the same three do not even meet: 3 calls 1 only when 2 has halted.
#[test]
fn sequential_halts_reach_the_next_node_only_when_the_one_above_it_has_answered() {
    let mut network = network(SEQUENTIAL, 3);
    network.start(1);
    network.start(2);
    network.run(T / 2);
    network.delay(3, 2, T * 2 / 5);
    network.start(3);
    network.run(T * 2 / 5);
    assert_eq!((network.state(2).halted_by, network.state(1).halted_by), (Some(node(3)), None));
    network.run(T / 5);
    assert_eq!(network.state(1).halted_by, Some(node(3)));
}

/// From a crash to agreement: silence counts from the last sign of life; Timeout asks for one T, and Election asks for
/// one T; the Halts of the parallel form wait one T more.
#[test]
fn a_failover_waits_only_where_nobody_answers() {
    for (form, waits) in [(PARALLEL, 3), (SEQUENTIAL, 2), (PARALLEL_EARLY, 2)] {
        let timing = timing(form, 5);
        let mut network = network(form, 5);
        (1..=5).for_each(|node| network.start(node));
        network.run_till(T * 4, "5 coordinates", |network| network.normal_under("1-5", 5));
        network.run(timing.check * 3);
        network.crash(5);
        let span = network.run_till(quiet_bound(form, 5), "4 takes over", |network| network.normal_under("1-4", 4));
        // Halt, NewCoordinator, Ready: three rounds in parallel, nine calls one after another, a tenth of T each.
        let rounds = if form == SEQUENTIAL { 9 } else { 3 };
        let longest = timing.silence + T * waits + T / 10 * rounds + T / 20;
        assert!(span <= longest && span + timing.check + T / 2 >= timing.silence + T * waits, "{form}: {span}");
        network.start(5);
        network.run_till(quiet_bound(form, 5), "5 is back", |network| network.normal_under("1-5", 5));
        assert_eq!(network.violations, Vec::<String>::new());
    }
}

#[test]
fn a_sequential_check_may_take_longer_than_a_check_period() {
    let timing = timing(SEQUENTIAL, 5);
    let mut network = network(SEQUENTIAL, 5);
    (1..=5).for_each(|node| network.start(node));
    network.run_till(T * 4, "5 coordinates", |network| network.normal_under("1-5", 5));
    (1..=3).for_each(|node| network.crash(node));
    network.run(timing.silence * 4);
    assert!(network.normal_under("4,5", 5), "4 hears its coordinator behind three dead nodes");
    (1..=3).for_each(|node| network.start(node));
    network.run_till(quiet_bound(SEQUENTIAL, 5), "all are back", |network| network.normal_under("1-5", 5));
    assert_eq!(network.violations, Vec::<String>::new());
}

/// Numbers that look random and are always the same (Steele, Lea and Flood's SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// Three nodes, each link with a delay of its own below T/2; now and then one crashes or is back. How often did two
/// states contradict each other?
fn violations_of_seed(form: &str, seed: u64) -> usize {
    let mut numbers = Numbers(seed);
    let mut network = network(form, 3);
    for from in 1..=3 {
        for to in 1..=3 {
            network.delay(from, to, Span::from_millis(1 + numbers.below(99)));
        }
    }
    let mut up = [false; 3];
    for _ in 0..12 {
        // Mostly 3: an election of 2 may not see its return.
        let node = [1, 2, 3, 3, 3, 3][numbers.below(6) as usize];
        let up = &mut up[usize::from(node - 1)];
        *up = !*up;
        if *up {
            network.start(node)
        } else {
            network.crash(node)
        }
        network.run(Span::from_millis(numbers.below(500)));
    }
    network.run(T * 4);
    network.violations.len()
}

#[test]
fn over_many_seeds_only_halts_that_end_early_break_assertion_1() {
    let broken = |form| (0..800).filter(|seed| violations_of_seed(form, *seed) > 0).collect::<Vec<u64>>();
    assert_eq!(broken(SEQUENTIAL), [] as [u64; 0]);
    assert_eq!(broken(PARALLEL), [] as [u64; 0]);
    assert_eq!(broken(PARALLEL_EARLY), [638, 763]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// Nodes crash and return at any moment, and links take any time below T/2: assertion 1 holds, and within the quiet
    /// bound the highest node that is up coordinates all nodes that are up.
    #[test]
    fn crashes_and_recoveries_leave_assertion_1_whole_and_the_quiet_bound_is_kept(
        form in 0..2_usize,
        delays in vec(1..100_u64, 25),
        faults in vec((1..=5_u16, 0..1500_u64), 1..12),
    ) {
        let form = FORMS[form];
        let mut network = network(form, 5);
        (1..=5).for_each(|node| network.start(node));
        for (index, millis) in (0_u16..).zip(delays) {
            network.delay(index / 5 + 1, index % 5 + 1, Span::from_millis(millis));
        }
        let mut up = [true; 5];
        for (node, gap) in faults {
            network.run(Span::from_millis(gap));
            let up = &mut up[usize::from(node - 1)];
            *up = !*up;
            if *up { network.start(node) } else { network.crash(node) }
        }
        network.run(quiet_bound(form, 5));
        prop_assert_eq!(&network.violations, &Vec::<String>::new());
        let up: Vec<u16> = (1..=5).filter(|node| up[usize::from(node - 1)]).collect();
        if let Some(highest) = up.last() {
            let all: Vec<String> = up.iter().map(u16::to_string).collect();
            prop_assert!(network.normal_under(&all.join(","), *highest), "{}", network.picture());
        }
    }
}
