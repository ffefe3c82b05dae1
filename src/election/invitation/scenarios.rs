//! Whole runs of Invitation over the tests' network, with the ends that the paper describes. Its holes are in `holes`.
//!
//! Invariant: assertion 3 holds in every run, whatever the links do.

use proptest::{collection::vec, prop_assert, prop_assert_eq, proptest, test_runner::Config as ProptestConfig};

use super::Invitation;
use bench::network::Network;
use bench::nodes;
use protocol::{Algorithm, NodeSet, SettingValue, Settings, Span, Timing};

const T: Span = Span::from_millis(200);
pub(super) const TIMING: Timing = Timing { t: T, check: Span::from_millis(1000), silence: Span::from_millis(2000) };

/// Periods that the sequential form accepts too, with up to five nodes.
pub(super) const PATIENT: Timing = Timing { t: T, check: Span::from_millis(3500), silence: Span::from_millis(2500) };

pub(super) fn mended(settings: Settings) -> Settings {
    settings
}

pub(super) fn to_the_letter(settings: Settings) -> Settings {
    settings.with("errata", SettingValue::Flag(false))
}

pub(super) fn by_the_book(settings: Settings) -> Settings {
    to_the_letter(settings).with("letter", SettingValue::Word("book".to_owned()))
}

pub(super) fn one_by_one(settings: Settings) -> Settings {
    settings.with("form", SettingValue::Word("sequential".to_owned()))
}

const READINGS: [fn(Settings) -> Settings; 2] = [mended, to_the_letter];

pub(super) fn quiet_bound(nodes: u16) -> Span {
    bound(nodes, TIMING, mended)
}

fn bound(nodes: u16, timing: Timing, settings: fn(Settings) -> Settings) -> Span {
    let settings = settings(Settings::defaults(Invitation::CARD.settings, NodeSet::EMPTY));
    (Invitation::CARD.quiet_bound.value)(&timing, nodes, &settings)
}

pub(super) fn settled(of: u16, settings: fn(Settings) -> Settings) -> Network<Invitation> {
    let mut network = Network::started(of, TIMING, settings);
    let all = format!("1-{of}");
    network.run_till(TIMING.check + T * 4, "one group", |network| network.normal_under(&all, of));
    network
}

#[test]
fn five_groups_of_one_merge_into_one() {
    for settings in READINGS {
        let network = Network::<Invitation>::started(5, TIMING, settings);
        assert!((1..=5).all(|node| network.normal_under(&node.to_string(), node)), "Recovery is one step");
        let network = settled(5, settings);
        assert_eq!(network.state(5).up, nodes("1-4"));
        assert_eq!(network.violations, Vec::<String>::new());
    }
}

#[test]
fn one_check_and_merge_keep_to_the_message_bound() {
    let network = settled(5, mended);
    // Beside the Check that merges, each of the other four asked once, and was invited before it had waited long.
    assert!(network.sent <= 8 * 4 + 4 * 8, "{}", network.sent);
}

#[test]
fn members_find_out_that_their_coordinator_died_and_merge_again_and_it_returns() {
    for settings in READINGS {
        let mut network = settled(5, settings);
        network.crash(5);
        network.run_till(quiet_bound(5), "one group without 5", |network| network.normal_under("1-4", 4));
        network.start(5);
        network.run_till(quiet_bound(5), "one group with 5", |network| network.normal_under("1-5", 5));
        assert_eq!(network.violations, Vec::<String>::new());
    }
}

#[test]
fn the_sides_of_a_partition_make_groups_of_their_own_and_merge_after_it() {
    for settings in READINGS {
        let mut network = settled(5, settings);
        network.partition("1,2", "3-5");
        let two = |network: &Network<Invitation>| network.normal_under("1,2", 2) && network.normal_under("3-5", 5);
        network.run_till(quiet_bound(5), "two groups", two);
        network.heal();
        network.run_till(quiet_bound(5), "one group", |network| network.normal_under("1-5", 5));
        assert_eq!(network.violations, Vec::<String>::new());
    }
}

#[test]
fn six_nodes_lose_the_sixth_and_form_the_groups_of_4_and_of_5_and_merge() {
    for settings in READINGS {
        let mut network = settled(6, settings);
        network.crash(6);
        network.cut("1,2,5", "3");
        network.cut("3,4", "1,2");
        network.partition("4", "5");
        let two = |network: &Network<Invitation>| network.normal_under("3,4", 4) && network.normal_under("1,2,5", 5);
        network.run_till(quiet_bound(6), "the groups of 4 and of 5", two);
        network.heal();
        network.run_till(quiet_bound(6), "one group", |network| network.normal_under("1-5", 5));
        assert_eq!(network.violations, Vec::<String>::new());
    }
}

/// Figure 10.9: a former coordinator passes the invitation on to its members, which accept to the inviter.
#[test]
fn a_coordinator_passes_the_invitation_on_to_its_members() {
    let mut network = Network::<Invitation>::new(5, TIMING, mended);
    for node in [2, 3, 4] {
        network.start(node);
    }
    network.run_till(quiet_bound(5), "4 coordinates", |network| network.normal_under("2-4", 4));
    // 5 finds only 1 and 4, for 2 and 3 do not coordinate: 4 brings them the invitation.
    network.start(1);
    network.start(5);
    network.run_till(quiet_bound(5), "5 coordinates", |network| network.normal_under("1-5", 5));
    assert_eq!(network.state(5).up, nodes("1-4"));
    assert_eq!(network.violations, Vec::<String>::new());
}

#[test]
fn a_pause_leaves_groups_that_merge_again() {
    for settings in READINGS {
        let mut network = settled(5, settings);
        network.pause(5);
        network.run_till(quiet_bound(5), "4 coordinates", |network| network.normal_under("1-4", 4));
        network.resume(5);
        network.run_till(quiet_bound(5), "one group", |network| network.normal_under("1-5", 5));
        assert_eq!(network.violations, Vec::<String>::new());
    }
}

/// The same as in figure 10.9, one call after another: 3, which has died, costs T wherever it is called.
#[test]
fn one_after_another_a_silent_node_costs_t_and_the_wait_for_accepts_has_room_for_those_behind_it() {
    let letter: fn(Settings) -> Settings = |settings| one_by_one(to_the_letter(settings));
    for settings in [one_by_one, letter] {
        let bound = bound(5, PATIENT, settings);
        let mut network = Network::<Invitation>::new(5, PATIENT, settings);
        [1, 2, 3, 4].into_iter().for_each(|node| network.start(node));
        network.run_till(bound, "4 coordinates", |network| network.normal_under("1-4", 4));
        network.crash(3);
        network.start(5);
        network.run_till(bound, "5 coordinates", |network| network.normal_under("1,2,4,5", 5));
        assert_eq!(network.state(5).up, nodes("1,2,4"));
        network.start(3);
        network.run_till(bound, "3 is back", |network| network.normal_under("1-5", 5));
        assert_eq!(network.violations, Vec::<String>::new());
    }
}

/// A copy of an invitation, passed on by a former coordinator over a slow link, reaches a Normal member.
#[test]
fn a_late_copy_of_an_invitation_strands_a_member_to_the_letter_only() {
    for (settings, strands) in [(to_the_letter as fn(Settings) -> Settings, true), (mended, false)] {
        let mut network = Network::<Invitation>::new(3, TIMING, settings);
        network.start(1);
        network.start(2);
        network.run_till(quiet_bound(3), "2 coordinates", |network| network.normal_under("1,2", 2));
        // 1 is back from a crash before 2 knows of it; 3 finds both, and 2 passes the invitation on to 1, much later.
        network.run(TIMING.check / 4);
        network.crash(1);
        network.start(1);
        network.delay(2, 1, T * 5);
        network.start(3);
        network.run_till(quiet_bound(3), "3 coordinates", |network| network.normal_under("1-3", 3));
        network.run(quiet_bound(3));
        assert_eq!(network.normal_under("1-3", 3), !strands, "{:?}", network.state(1));
        assert_eq!(network.violations, Vec::<String>::new());
    }
}

#[test]
fn group_numbers_are_not_used_again_after_a_crash() {
    let mut network = settled(3, mended);
    let before = network.state(3).group.unwrap();
    network.crash(3);
    network.start(3);
    let after = network.state(3).group.unwrap();
    assert!(after.node == before.node && after.counter > before.counter, "{before} {after}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// Nodes crash, return, pause, go on, and links are cut, at any moment: assertion 3 holds, and within the quiet
    /// bound after the last fault there is one group.
    #[test]
    fn any_faults_leave_assertion_3_whole_and_the_quiet_bound_is_kept(
        form in 0..2_usize,
        delays in vec(1..100_u64, 25),
        faults in vec((0..4_u8, 1..=5_u16, 1..=5_u16, 0..3000_u64), 1..20),
    ) {
        let (settings, timing) = [(mended as fn(Settings) -> Settings, TIMING), (one_by_one, PATIENT)][form];
        let mut network = Network::<Invitation>::started(5, timing, settings);
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
        network.run(bound(5, timing, settings));
        prop_assert_eq!(&network.violations, &Vec::<String>::new());
        let coordinator = network.state(5).coordinator.unwrap();
        prop_assert!(network.normal_under("1-5", coordinator.get()), "{}", network.picture());
    }
}
