//! Invitation over the tests' network: a hole that no lab shows, and any faults at any moment.
//!
//! Invariant: assertion 3 holds in every run, whatever the links do.

use proptest::{collection::vec, prop_assert, prop_assert_eq, proptest, test_runner::Config as ProptestConfig};

use super::*;
use test_harness::network::Network;

/// Periods that the sequential form accepts too, with up to five nodes.
const PATIENT: Timing = Timing { t: T, check: Span::from_millis(3500), silence: Span::from_millis(2500) };

fn sequential(settings: Settings) -> Settings {
    settings.with("form", SettingValue::Word("sequential".to_owned()))
}

/// So many nodes, and how long they may take to be one group.
fn started(of: u16, timing: Timing, reading: fn(Settings) -> Settings) -> (Network<Invitation>, Span) {
    let settings = reading(Settings::defaults(Invitation::CARD.settings, NodeSet::EMPTY));
    let bound = (Invitation::CARD.quiet_bound.value)(&timing, of, &settings);
    (Network::started(of, timing, reading), bound)
}

/// 1 has found 2 and 3 and waits; meanwhile 3, which cannot reach 1 any more, takes 2 into its group.
#[test]
fn hole_check_left_in_members_are_invited_out() {
    let (mut network, bound) = started(3, TIMING, to_the_letter);
    network.run(TIMING.check + T / 8);
    network.partition("1", "3");
    network.run_till(bound, "3 takes 2", |network| network.normal_under("2,3", 3));
    network.run_till(TIMING.check * 6, "1 takes 2 from 3", |network| network.normal_under("1,2", 1));
    assert!(network.normal_under("3", 3) && network.state(3).up == nodes("2"), "3 is not told");
    network.heal();
    network.run_till(bound, "one group", |network| network.normal_under("1-3", 3));
    assert_eq!(network.violations, Vec::<String>::new(), "legal, only slower");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// Nodes crash, return, pause, go on, and links are cut, at any moment: assertion 3 holds, and within the quiet
    /// bound after the last fault there is one group.
    #[test]
    fn any_faults_keep_assertions_3_and_4(
        form in 0..2_usize,
        delays in vec(1..100_u64, 25),
        faults in vec((0..4_u8, 1..=5_u16, 1..=5_u16, 0..3000_u64), 1..20),
    ) {
        let (settings, timing) = [(mended as fn(Settings) -> Settings, TIMING), (sequential, PATIENT)][form];
        let (mut network, bound) = started(5, timing, settings);
        for (index, millis) in (0_u16..).zip(delays) {
            network.delay(index / 5 + 1, index % 5 + 1, Span::from_millis(millis));
        }
        for (kind, node, other, gap) in faults {
            match kind {
                0 => network.crash(node),
                1 => network.pause(node),
                2 => network.cut(&node.to_string(), &other.to_string()),
                _ => network.heal(),
            }
            network.run(Span::from_millis(gap));
            match kind {
                0 => network.start(node),
                1 => network.resume(node),
                _ => {}
            }
        }
        network.heal();
        network.run(bound);
        prop_assert_eq!(&network.violations, &Vec::<String>::new());
        let coordinator = network.state(5).coordinator.unwrap();
        prop_assert!(network.normal_under("1-5", coordinator.get()), "{}", network.picture());
    }
}
