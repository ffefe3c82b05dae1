//! Liars: what is promised is promised about the others, and a lie excuses what came of it.
//!
//! Invariant: a process that lies convicts nobody and is convicted of nothing.

use super::*;
use protocol::{ERRATA, Lie, LieSet, Lying, Order, SettingValue, ToldLie};
use record::{Input, Step};
use world::Tally;

impl Trace {
    /// The node's process is ordered to tell this lie, or to be honest.
    pub(super) fn lie(&mut self, of: u16, at: i64, lie: Option<Lie>) {
        let line = lie.map_or_else(|| format!("honest {of}"), |lie| format!("liar {of} {lie}"));
        self.fault(at, &line, &of.to_string());
        let lies: LieSet = lie.into_iter().collect();
        let order = Order::Lie(Lying { lies, ..Lying::default() });
        self.lying_step(of, at, Input::Order { order }, Vec::new(), None);
    }

    /// In a step it tells this lie to these.
    fn tells(&mut self, of: u16, at: i64, lie: Lie, to: &str) {
        let told = ToldLie { lie, to: set(to), what: "says so".into(), attacks: None };
        let order = Input::Order { order: Order::Elect };
        self.lying_step(of, at, order, vec![told], None);
    }

    fn lying_step(&mut self, of: u16, at: i64, input: Input, lies: Vec<ToldLie>, state: Option<StateVector>) {
        let step = Step { step: 9, lies, state, ..Step::first(input) };
        self.happened(of, at, Body::Step(step));
    }
}

fn two(needs: &[Assumption]) -> Trace {
    let mut trace = Trace::new(&head(3, &[Property::Assertion1], needs));
    trace.agree(3, 900);
    trace
}

#[test]
fn what_a_liar_says_of_itself_contradicts_nobody() {
    let mut trace = two(&[]);
    trace.lie(1, 2000, Some(Lie::Claim));
    trace.become_state(1, 2100, normal(1));
    trace.speak(3000, "1-3");
    trace.close(9000);
    assert_eq!(trace.texts(), Vec::<&str>::new());
}

#[test]
fn an_honest_process_contradicts_others_again() {
    let mut trace = two(&[]);
    trace.lie(1, 2000, Some(Lie::Claim));
    trace.become_state(1, 2100, normal(1));
    trace.lie(1, 3000, None);
    trace.speak(4000, "1-3");
    trace.close(9000);
    assert_eq!(trace.only().nodes, set("1,3"));
}

#[test]
fn a_verdict_names_liar_and_lie() {
    for (needs, because) in [(&[Assumption::AllCooperate][..], Some(Assumption::AllCooperate)), (&[], None)] {
        let mut trace = two(needs);
        trace.lie(3, 2000, Some(Lie::Claim));
        trace.tells(3, 2050, Lie::Claim, "1,2");
        trace.become_state(1, 2100, normal(1));
        trace.speak(3000, "1-3");
        trace.close(9000);
        assert_eq!(trace.only().because(), because);
        let names = trace.only().text.contains("(liar 3 claim) broke assumption 1");
        assert_eq!(names, because.is_some(), "{}", trace.only().text);
    }
}

#[test]
fn to_the_letter_a_lie_lasts_in_quiet() {
    for (errata, because) in [(false, Some(Assumption::AllCooperate)), (true, None)] {
        let mut head = head(3, &[Property::Assertion2], &[Assumption::AllCooperate]);
        head.settings = head.settings.with(ERRATA, SettingValue::Flag(errata));
        let mut trace = Trace::new(&head);
        trace.agree(3, 900);
        trace.lie(2, 2000, Some(Lie::Claim));
        trace.tells(2, 2050, Lie::Claim, "1");
        trace.become_state(1, 2100, normal(2));
        trace.lie(2, 2500, None);
        trace.close(9000);
        assert_eq!(trace.only().because(), because);
        let names = trace.only().text.contains("(liar 2 claim) broke assumption 1");
        assert_eq!(names, because.is_some(), "{}", trace.only().text);
    }
}

/// 3 lies, and speaks to the others; 1 stays in one election, and 2 goes on to another.
fn on_the_way(needs: &[Assumption]) -> Trace {
    let mut trace = Trace::new(&head(3, &[Property::DeadlockFree], needs));
    trace.agree(3, 900);
    trace.lie(3, 2000, Some(Lie::Equivocate));
    trace.become_state(1, 2500, electing_in(7));
    trace.become_state(2, 2500, electing_in(7));
    trace.tells(3, 2600, Lie::Equivocate, "1,2");
    trace.become_state(2, 4000, electing_in(8));
    trace
}

#[test]
fn who_bears_liars_must_end_each_election() {
    let mut trace = on_the_way(&[]);
    trace.pass(5100);
    assert_eq!(trace.judge.wake_at(), Some(6300 * MS));
    trace.become_state(2, 6500, normal(1));
    trace.close(9000);
    assert_eq!((trace.only().nodes, trace.only().because()), (set("1"), None));
    assert!(
        trace.only().text.contains("elections have gone on since 2.500 s without an end: 1 is in"),
        "{}",
        trace.only().text
    );
}

#[test]
fn an_election_within_the_bound_is_right() {
    let mut trace = on_the_way(&[]);
    trace.become_state(1, 6200, normal(2));
    trace.become_state(2, 6200, normal(2));
    trace.close(9000);
    assert_eq!(trace.texts(), Vec::<&str>::new());
}

#[test]
fn electing_on_and_on_is_excused_by_lies() {
    let mut trace = on_the_way(&[Assumption::AllCooperate]);
    trace.close(9000);
    assert_eq!((trace.only().nodes, trace.only().because()), (set("1-2"), Some(Assumption::AllCooperate)));
    assert!(trace.only().text.contains("(liar 3 equivocate) broke assumption 1"), "{}", trace.only().text);
}

#[test]
fn another_disturbance_gives_the_whole_bound_again() {
    let mut trace = on_the_way(&[]);
    trace.fault(5000, "elect 1", "1");
    trace.pass(8100);
    assert_eq!(trace.judge.wake_at(), Some(8800 * MS));
}

#[test]
fn while_one_lies_the_end_is_unknown() {
    let mut trace = on_the_way(&[]);
    let before = trace.tally(Property::DeadlockFree);
    trace.pass(5100);
    assert_eq!(trace.tally(Property::DeadlockFree), Tally { unknown: before.unknown + 1, ..before });
}

#[test]
fn a_liar_that_has_died_lies_no_more() {
    let mut trace = Trace::new(&head(3, &[Property::Assertion2], &[Assumption::AllCooperate]));
    trace.agree(3, 900);
    trace.lie(1, 2000, Some(Lie::Late));
    assert_eq!(trace.judge.liveness_due_at(), None);
    trace.crash(1, 2500);
    assert_eq!(trace.judge.liveness_due_at(), Some(5500 * MS));
    trace.pass(6000);
    assert_eq!(trace.tally(Property::Assertion2).held, 1);
}

#[test]
fn a_forged_sender_breaks_3_too() {
    for (lie, held) in [(Lie::Forge, false), (Lie::Claim, true)] {
        let mut trace = two(&[Assumption::AllCooperate, Assumption::NothingFromNowhere]);
        trace.lie(3, 2000, Some(lie));
        trace.tells(3, 2050, lie, "1,2");
        let holds = [Assumption::AllCooperate, Assumption::NothingFromNowhere].map(|of| trace.assumption(of).held());
        assert_eq!(holds, [false, held]);
    }
}
