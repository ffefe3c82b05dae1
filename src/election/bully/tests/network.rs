//! Bully over the tests' network: a hole that no lab shows, and crashes and returns at any moment.
//!
//! Invariant: a message takes less than T/2, and nobody pauses.

use proptest::{collection::vec, prop_assert, prop_assert_eq, proptest, test_runner::Config as ProptestConfig};

use super::*;
use test_harness::network::Network;

const FORMS: [&str; 2] = ["parallel", "sequential"];

fn of(form: &str) -> impl Fn(Settings) -> Settings + Copy + '_ {
    move |settings| settings.with("form", SettingValue::Word(form.to_owned()))
}

/// Five nodes with periods that the Card accepts, with room to spare; and how long they may take to agree.
fn five(form: &str, change: impl Fn(Settings) -> Settings) -> (Network<Bully>, Span) {
    let calls = if form == "sequential" { 3 * 4 } else { 4 };
    let timing = Timing { t: T, check: T, silence: T * (calls + 1) };
    let settings = of(form)(Settings::defaults(Bully::CARD.settings, NodeSet::EMPTY));
    let bound = (Bully::CARD.quiet_bound.value)(&timing, 5, &settings);
    (Network::started(5, timing, |settings| change(of(form)(settings))), bound)
}

/// 5 was cut off and 4 coordinates the others. The first message of 4 that 5 hears is garbled into a Halt.
#[test]
fn hole_b8_left_in_it_waits_for_ever() {
    let (mut network, bound) = five("parallel", |settings| settings.with("errata", SettingValue::Flag(false)));
    network.run_till(T * 4, "5 coordinates", |network| network.normal_under("1-5", 5));
    network.partition("1-4", "5");
    network.run_till(bound, "4 takes over", |network| network.normal_under("1-4", 4));
    network.heal();
    network.hear(5, 4, Message::Halt { call: call(1) });
    network.run(Span::from_millis(20_000));
    assert!(network.normal_under("1-4", 4), "4 gives its elections up at the answer of 5");
    assert_eq!((network.state(5).status, network.state(5).halted_by), (Status::Election, Some(node(4))));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// Nodes crash and return at any moment, and links take any time below T/2: assertion 1 holds, and within the quiet
    /// bound the highest node that is up coordinates all nodes that are up.
    #[test]
    fn crashes_and_recoveries_keep_assertions_1_and_2(
        form in 0..2_usize,
        delays in vec(1..100_u64, 25),
        faults in vec((1..=5_u16, 0..1500_u64), 1..12),
    ) {
        let (mut network, bound) = five(FORMS[form], |settings| settings);
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
        network.run(bound);
        prop_assert_eq!(&network.violations, &Vec::<String>::new());
        let up: Vec<u16> = (1..=5).filter(|node| up[usize::from(node - 1)]).collect();
        if let Some(highest) = up.last() {
            let all: Vec<String> = up.iter().map(u16::to_string).collect();
            prop_assert!(network.normal_under(&all.join(","), *highest), "{}", network.picture());
        }
    }
}
