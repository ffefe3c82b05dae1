//! Which assumptions really held, beside the faults that were meant to break them.
//!
//! Invariant: what is armed and does not bite has broken nothing.

use super::*;
use crate::AssumptionView;
use fault::CellLoss;
use record::StepHold;

fn view(trace: &Trace, assumption: Assumption) -> AssumptionView {
    trace.judge.assumptions().into_iter().find(|view| view.assumption == assumption).unwrap()
}

fn broken(trace: &Trace) -> Vec<Assumption> {
    let all = trace.judge.assumptions();
    assert_eq!(all.len(), Assumption::ALL.len());
    all.into_iter().filter(|view| !view.held()).map(|view| view.assumption).collect()
}

fn electing_in(election: u64) -> StateVector {
    StateVector { election: Some(election), ..electing() }
}

#[test]
fn what_was_meant_and_what_was_bitten_stand_apart() {
    let mut trace = Trace::bully(3);
    trace.agree(3, 900);
    let cut = trace.fault(1000, "cut 1->2", "1,2");
    let loss = trace.fault(1000, "loss *->* 5%", "1-3");
    let within = trace.fault(1000, "delay 1->2 50ms", "1,2");
    trace.fault(1000, "crash 3", "3");
    let garble = trace.fault(1000, "garble 1->2 5%", "1,2");
    assert_eq!(broken(&trace), []);
    let delivery = view(&trace, Assumption::DeliveryInTime);
    assert_eq!((delivery.meant_by, delivery.is_needed), (vec![cut, loss], true), "{within} is within the bound");
    assert_eq!(view(&trace, Assumption::NothingGarbled).meant_by, [garble]);
    for at in [1100, 1200] {
        let word = trace.send(1, at, 2, None);
        trace.dropped(2, at + 1, word, loss);
    }
    trace.overflowed(2, 1300, 4);
    let delivery = view(&trace, Assumption::DeliveryInTime);
    assert_eq!((delivery.by_faults, delivery.by_machine, delivery.first), (2, 1, Some(1101 * MS)));
    let text = "f2 (loss *->* 5%) broke assumption 8 (delivery within the bound): 2 messages lost, the first from 1 \
                to 2 at 1.101 s";
    assert_eq!(delivery.text.as_deref(), Some(text));
    assert_eq!(broken(&trace), [Assumption::DeliveryInTime]);
}

#[test]
fn a_pause_by_order_and_one_by_the_machine_are_counted_apart_though_nobody_needs_the_assumption() {
    let mut trace = Trace::new(&head(2, &[Property::Assertion3], &[]));
    let pause = trace.pause(1, 100);
    trace.resume(1, 200);
    trace.time_out(2, 100, 200, 300, "-", None);
    let pauses = view(&trace, Assumption::NoPauses);
    assert_eq!((pauses.meant_by, pauses.is_needed), (vec![pause], false));
    assert_eq!((pauses.by_faults, pauses.by_machine, pauses.first), (1, 1, Some(100 * MS)));
}

#[test]
fn a_process_that_is_paused_while_the_script_holds_it_is_stopped_once() {
    // Held from 100 to 260 and paused from 150 to 250, it was stopped for 140 ms after the timer was due; a delay of 50
    // ms beside that is the machine's.
    for (rung_at, by_machine) in [(310, 0), (311, 1)] {
        let mut trace = Trace::bully(2);
        trace.start(1, 0, electing());
        let held = Some(StepHold { by: "ready".into(), after: 0 });
        let input = Input::Order { order: protocol::Order::Elect };
        let step = Step { step: 2, held, ..Step::first(input) };
        trace.happened(1, 100, Body::Step(step));
        trace.pause(1, 150);
        trace.resume(1, 250);
        trace.speak(260, "1");
        trace.time_out(1, 50, 120, rung_at, "-", None);
        assert_eq!(view(&trace, Assumption::NoPauses).by_machine, by_machine, "{rung_at}");
    }
}

#[test]
fn who_begins_an_election_later_than_one_way_of_a_broadcast_breaks_11() {
    for (late, breaks) in
        [(1100, vec![Assumption::StartsTogether]), (1101, vec![Assumption::StartsWithinT, Assumption::StartsTogether])]
    {
        let mut trace = Trace::bully(3);
        trace.become_state(1, 1000, electing_in(4));
        trace.become_state(2, 1050, electing_in(4));
        trace.become_state(3, late, electing_in(4));
        trace.become_state(1, 1500, electing_in(5));
        assert_eq!(broken(&trace), breaks);
    }
}

#[test]
fn who_hears_from_a_process_at_rest_that_it_was_elected_does_not_begin_the_election() {
    for (is_over, breaks) in [(true, vec![]), (false, vec![Assumption::StartsWithinT, Assumption::StartsTogether])] {
        let mut trace = Trace::bully(3);
        trace.start(1, 100, normal(1));
        trace.become_state(1, 1000, electing_in(4));
        let over = is_over.then(|| StateVector { election: Some(4), ..normal(1) });
        let id = trace.send(1, 1500, 3, over);
        trace.receive(3, 1510, id, Some(StateVector { coordinator: Some(node(1)), ..electing_in(4) }));
        assert_eq!(broken(&trace), breaks);
    }
}

#[test]
fn where_all_begin_together_what_the_later_one_sends_must_come_so_much_sooner() {
    // So late that they do not begin together, it has broken that, and nothing else.
    for (begins, at, is_late) in [(1020, 1100, false), (1020, 1101, true), (1060, 1160, false)] {
        let mut trace = Trace::bully(3);
        trace.become_state(1, 1000, electing_in(4));
        let id = trace.broadcast(2, begins, Some(electing_in(4)));
        trace.become_state(3, begins, electing_in(4));
        trace.receive(3, at, id, None);
        assert_eq!(view(&trace, Assumption::DeliveryInTime).by_machine, 0, "3 began no sooner than 2");
        trace.receive(1, at, id, None);
        assert_eq!(view(&trace, Assumption::DeliveryInTime).by_machine, u64::from(is_late), "{at}");
    }
}

#[test]
fn who_begins_late_because_the_first_began_by_a_garbled_call_or_because_it_has_just_started_is_no_machines_fault() {
    let garbled = |trace: &mut Trace| {
        let by = trace.fault(900, "garble 3->1 100%", "1,3");
        let id = trace.send(3, 950, 1, None);
        trace.happened(1, 990, Body::Garbled { id, by, was: text(), became: Some(text()) });
        trace.receive(1, 1000, id, Some(electing_in(4)));
        by
    };
    let started = |trace: &mut Trace| {
        trace.crash(2, 100);
        trace.become_state(1, 1000, electing_in(4));
        let by = trace.fault(940, "recover 2", "2");
        trace.recover(2, 950, normal(1));
        by
    };
    for case in [garbled as fn(&mut Trace) -> FaultId, started] {
        let mut trace = Trace::bully(3);
        let by = case(&mut trace);
        trace.become_state(2, 1090, electing_in(4));
        let told = view(&trace, Assumption::StartsTogether);
        assert_eq!((told.by_faults, told.by_machine), (1, 0), "{by}: {:?}", told.text);
    }
}

#[test]
fn who_is_ordered_to_begin_where_all_are_to_begin_together_and_is_alone_breaks_13() {
    // 2 begins with it, or has died, or is back since it began: then 1 is not alone among those that could have begun.
    for (dies, is_back, begins) in
        [(false, false, false), (false, false, true), (true, false, false), (true, true, false)]
    {
        let is_broken = !dies && !begins;
        let mut trace = Trace::bully(2);
        (1..=2).for_each(|of| trace.start(of, 0, normal(2)));
        if dies {
            trace.crash(2, 900);
        }
        let elect = trace.fault(950, "elect 1", "1");
        trace.become_state(1, 1000, electing_in(4));
        if begins {
            trace.become_state(2, 1050, electing_in(4));
        }
        if is_back {
            trace.recover(2, 1100, normal(1));
        }
        trace.become_state(1, 1200, normal(1));
        let told = view(&trace, Assumption::StartsTogether);
        assert_eq!((told.by_faults, told.by_machine), (u64::from(is_broken), 0));
        let text = format!(
            "{elect} (elect 1) broke assumption 13 (all begin an election at the same time): only node 1 began an \
             election"
        );
        assert_eq!(told.text, is_broken.then_some(text));
    }
}

#[test]
fn several_that_are_ordered_to_begin_without_the_others_break_13_too_and_who_is_called_breaks_nothing() {
    let down = || state(Status::Down, "Down", None);
    for (is_ordered, ends, is_broken) in
        [(true, down(), true), (true, normal(1), false), (false, down(), false), (false, normal(1), false)]
    {
        let mut trace = Trace::bully(3);
        (1..=3).for_each(|of| trace.start(of, 0, normal(3)));
        let elect = trace.fault(950, "elect 1,2", "1,2");
        trace.become_state(1, 1000, electing_in(4));
        if is_ordered {
            trace.become_state(2, 1000, electing_in(4));
        } else {
            let call = trace.send(1, 1000, 2, None);
            trace.receive(2, 1000, call, Some(electing_in(4)));
        }
        (1..=2).for_each(|of| trace.become_state(of, 1200, ends.clone()));
        let told = view(&trace, Assumption::StartsTogether).text;
        let text = format!(
            "{elect} (elect 1,2) broke assumption 13 (all begin an election at the same time): only nodes 1,2 began an \
             election"
        );
        assert_eq!(told, is_broken.then_some(text));
    }
}

#[test]
fn who_begins_an_election_under_the_number_of_one_whose_processes_are_all_dead_is_not_late() {
    // Until 100 ms after the last of them died others may still hear of it.
    for (begins, breaks) in [(1500, vec![Assumption::StartsWithinT, Assumption::StartsTogether]), (1700, vec![])] {
        let mut trace = Trace::bully(3);
        trace.start(3, 0, electing());
        trace.become_state(1, 1000, electing_in(4));
        trace.become_state(2, 1050, electing_in(4));
        trace.crash(1, 1400);
        trace.crash(2, 1500);
        trace.become_state(3, begins, electing_in(4));
        assert_eq!(broken(&trace), breaks);
    }
}

#[test]
fn a_process_that_is_back_within_an_election_breaks_12_unless_it_was_down_for_longer_than_one_takes() {
    for (crashed_at, of_2, breaks) in
        [(1000, electing(), vec![Assumption::RecoveryOutlasts]), (1000, normal(1), vec![]), (399, electing(), vec![])]
    {
        let mut trace = Trace::bully(3);
        trace.agree(3, 300);
        trace.crash(3, crashed_at);
        trace.become_state(2, 1100, of_2);
        let loss = trace.fault(1100, "loss 1->3 5%", "1,3");
        let recover = trace.fault(1190, "recover 3", "3");
        // The end of a link fault starts nobody, and nobody has the id 9.
        trace.fault(1191, &format!("lift {loss}"), "1,3");
        trace.fault(1192, "recover 9", "9");
        trace.recover(3, 1200, electing());
        assert_eq!(broken(&trace), breaks);
        let told = view(&trace, Assumption::RecoveryOutlasts).text;
        let text = format!(
            "{recover} (recover 3) broke assumption 12 (a process is down for longer than an election takes): node 3 \
             returned during an election, after 201ms"
        );
        assert!(told.is_none_or(|told| told == text));
    }
}

#[test]
fn a_process_that_had_saved_and_starts_with_empty_cells_breaks_4() {
    for saves in [false, true] {
        let mut trace = Trace::bully(2);
        trace.agree(2, 900);
        if saves {
            let save = EffectText::Save { body: String::new() };
            trace.effects(2, 950, vec![save]);
        }
        trace.crash(2, 1000);
        trace.recover(2, 1200, electing());
        assert_eq!(broken(&trace).contains(&Assumption::SafeCells), saves);
    }
}

#[test]
fn a_start_that_finds_its_cells_lost_or_old_breaks_4_by_the_fault_that_took_them() {
    for (left, found) in [(None, "empty"), (Some("07".to_owned()), "as they were before its last save")] {
        let mut trace = Trace::bully(2);
        trace.agree(2, 900);
        trace.effects(2, 950, vec![EffectText::Save { body: "08".to_owned() }]);
        let line = if left.is_some() { "rollback 2" } else { "wipe 2" };
        let by = trace.fault(1000, line, "2");
        trace.crash(2, 1100);
        assert_eq!((view(&trace, Assumption::SafeCells).meant_by, broken(&trace)), (vec![by], vec![]));
        let loss = if left.is_some() { CellLoss::Rollback } else { CellLoss::Wipe };
        trace.happened(2, 1150, Body::CellsLost { by, loss, left });
        trace.recover(2, 1200, electing());
        let cells = view(&trace, Assumption::SafeCells);
        assert_eq!((cells.by_faults, cells.by_machine, cells.first), (1, 0, Some(1150 * MS)));
        let text =
            format!("{by} ({line}) broke assumption 4 (safe cells survive): node 2 found its safe cells {found}");
        assert_eq!(cells.text, Some(text));
    }
}

#[test]
fn a_start_that_finds_its_cells_changed_by_somebody_else_breaks_4_by_this_machine() {
    for (left, found) in [(None, "empty"), (Some("07".to_owned()), "changed by somebody else")] {
        let mut trace = Trace::bully(2);
        trace.agree(2, 900);
        trace.effects(2, 950, vec![EffectText::Save { body: "08".to_owned() }]);
        trace.crash(2, 1100);
        trace.happened(2, 1150, Body::CellsChanged { left });
        trace.recover(2, 1200, electing());
        let cells = view(&trace, Assumption::SafeCells);
        assert_eq!((cells.by_faults, cells.by_machine, cells.first), (0, 1, Some(1150 * MS)));
        let text =
            format!("this computer broke assumption 4 (safe cells survive): node 2 found its safe cells {found}");
        assert_eq!(cells.text, Some(text));
    }
}

#[test]
fn a_death_that_no_fault_ordered_is_not_counted_as_by_a_fault() {
    let mut head = head(3, &[Property::Assertion1], &[Assumption::FaultyAtMostT]);
    head.settings = head.settings.with("t", protocol::SettingValue::Number(1));
    let mut trace = Trace::new(&head);
    trace.crash(3, 1000);
    trace.happened(2, 1100, Body::Died { death: Death::Exited { code: 1 } });
    let faulty = view(&trace, Assumption::FaultyAtMostT);
    assert_eq!((faulty.by_faults, faulty.by_machine), (0, 1));
}

#[test]
fn numbers_may_come_twice_until_a_process_has_started_as_often_since_its_cells_were_lost_as_before() {
    let mut trace = Trace::bully(2);
    let save = || vec![EffectText::Save { body: "08".to_owned() }];
    let by = trace.fault(0, "wipe 2", "2");
    let start = |trace: &mut Trace, at: i64, saved: bool| {
        trace.step(2, at, Input::Start { saved }, &[], Some(electing()));
        trace.effects(2, at + 10, save());
        trace.crash(2, at + 100);
        view(trace, Assumption::SafeCells).by_faults
    };
    assert_eq!((start(&mut trace, 1000, false), start(&mut trace, 2000, true)), (0, 0));
    trace.happened(2, 2900, Body::CellsLost { by, loss: CellLoss::Wipe, left: None });
    assert_eq!(start(&mut trace, 3000, false), 1, "the loss itself");
    assert_eq!(start(&mut trace, 30_000, true), 2, "the second start since then counts what the second before it did");
    assert_eq!(start(&mut trace, 60_000, true), 2, "the third start counts what none did");
}

#[test]
fn each_fault_that_breaks_what_is_needed_is_told_once_and_the_machine_again_after_a_while() {
    let mut trace = Trace::new(&head(3, &[Property::Assertion1], &[Assumption::DeliveryInTime]));
    let told = |trace: &mut Trace| -> Vec<Option<FaultId>> {
        let news = trace.judge.take_broken();
        assert!(news.iter().all(|news| news.text.contains(" broke assumption 8 (")), "{news:?}");
        news.iter().map(|news| news.by).collect()
    };
    trace.agree(3, 900);
    let (first, second) = (trace.fault(1000, "loss 1->2 50%", "1,2"), trace.fault(1000, "loss 1->3 50%", "1,3"));
    for at in [1100, 1200, 9000] {
        let word = trace.send(1, at, 2, None);
        trace.dropped(2, at + 1, word, first);
        assert_eq!(told(&mut trace), if at == 1100 { vec![Some(first)] } else { vec![] });
    }
    // Nobody needs that nobody pauses.
    trace.pause(3, 9100);
    trace.resume(3, 9200);
    let word = trace.send(1, 9300, 3, None);
    trace.dropped(3, 9301, word, second);
    assert_eq!(told(&mut trace), [Some(second)]);
    for (at, expected) in [(9400, vec![None]), (9500, vec![]), (60_000, vec![None])] {
        trace.overflowed(2, at, 1);
        assert_eq!(told(&mut trace), expected, "{at}");
    }
}

#[test]
fn a_clock_of_another_rate_breaks_10_from_when_it_runs_so_until_it_does_not() {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    let by = trace.fault(1000, "clock 2 1.5x", "2");
    assert_eq!((view(&trace, Assumption::OneClockRate).meant_by, broken(&trace)), (vec![by], vec![]));
    trace.clock(2, 1010, by, Some("1.5x"));
    let rate = view(&trace, Assumption::OneClockRate);
    assert_eq!((rate.by_faults, rate.by_machine, rate.first), (1, 0, Some(1010 * MS)));
    assert_eq!(
        rate.text,
        Some(format!("{by} (clock 2 1.5x) broke assumption 10 (one clock rate): node 2's clock runs at 1.5x"))
    );
    trace.clock(2, 3010, by, None);
    let text = format!("{by} (clock 2 1.5x) broke assumption 10 (one clock rate): node 2's clock ran at 1.5x for 2s");
    assert_eq!(view(&trace, Assumption::OneClockRate).text, Some(text));
}
