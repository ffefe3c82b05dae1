//! Which assumptions really held, beside the faults that were meant to break them.
//!
//! Invariant: what is armed and does not bite has broken nothing. An algorithm whose Card does not name assumption 10 has
//! no excuse by a clock where states contradict each other.

use super::*;
use fault::CellLoss;
use record::StepHold;

fn broken(trace: &Trace) -> Vec<Assumption> {
    let all = trace.judge.assumptions();
    assert_eq!(all.len(), Assumption::ALL.len());
    all.into_iter().filter(|view| !view.held()).map(|view| view.assumption).collect()
}

#[test]
fn what_was_meant_and_what_bit_differ() {
    let mut trace = Trace::bully(3);
    trace.agree(3, 900);
    let cut = trace.fault(1000, "cut 1->2", "1,2");
    let loss = trace.fault(1000, "loss *->* 5%", "1-3");
    let within = trace.fault(1000, "delay 1->2 50ms", "1,2");
    trace.fault(1000, "crash 3", "3");
    let garble = trace.fault(1000, "garble 1->2 5%", "1,2");
    assert_eq!(broken(&trace), []);
    let delivery = trace.assumption(Assumption::DeliveryInTime);
    assert_eq!((delivery.meant_by, delivery.is_needed), (vec![cut, loss], true), "{within} is within the bound");
    assert_eq!(trace.assumption(Assumption::NothingGarbled).meant_by, [garble]);
    for at in [1100, 1200] {
        let word = trace.send(1, at, 2, None);
        trace.dropped(2, at + 1, word, loss);
    }
    trace.overflowed(2, 1300, 4);
    let delivery = trace.assumption(Assumption::DeliveryInTime);
    assert_eq!((delivery.by_faults, delivery.by_machine, delivery.first), (2, 1, Some(1101 * MS)));
    let text = "f2 (loss *->* 5%) broke assumption 8 (delivery within the bound): 2 messages lost, the first from 1 \
                to 2 at 1.101 s";
    assert_eq!(delivery.text.as_deref(), Some(text));
    assert_eq!(broken(&trace), [Assumption::DeliveryInTime]);
}

#[test]
fn pauses_by_order_are_counted_apart() {
    let mut trace = Trace::new(&head(2, &[Property::Assertion3], &[]));
    let pause = trace.pause(1, 100);
    trace.resume(1, 200);
    trace.time_out(2, 100, 200, 300, "-", None);
    let pauses = trace.assumption(Assumption::NoPauses);
    assert_eq!((pauses.meant_by, pauses.is_needed), (vec![pause], false));
    assert_eq!((pauses.by_faults, pauses.by_machine, pauses.first), (1, 1, Some(100 * MS)));
}

#[test]
fn who_is_paused_while_held_stops_once() {
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
        assert_eq!(trace.assumption(Assumption::NoPauses).by_machine, by_machine, "{rung_at}");
    }
}

#[test]
fn who_begins_later_than_one_way_breaks_11() {
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
fn who_hears_of_an_end_begins_nothing() {
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
fn who_begins_later_must_be_heard_sooner() {
    // So late that they do not begin together, it has broken that, and nothing else.
    for (begins, at, is_late) in [(1020, 1100, false), (1020, 1101, true), (1060, 1160, false)] {
        let mut trace = Trace::bully(3);
        trace.become_state(1, 1000, electing_in(4));
        let id = trace.broadcast(2, begins, Some(electing_in(4)));
        trace.become_state(3, begins, electing_in(4));
        trace.receive(3, at, id, None);
        assert_eq!(trace.assumption(Assumption::DeliveryInTime).by_machine, 0, "3 began no sooner than 2");
        trace.receive(1, at, id, None);
        assert_eq!(trace.assumption(Assumption::DeliveryInTime).by_machine, u64::from(is_late), "{at}");
    }
}

#[test]
fn who_begins_late_by_a_fault_is_excused() {
    let garbled = |trace: &mut Trace| {
        let by = trace.fault(900, "garble 3->1 100%", "1,3");
        let id = trace.send(3, 950, 1, None);
        trace.garbled(1, 990, id, by);
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
        let told = trace.assumption(Assumption::StartsTogether);
        assert_eq!((told.by_faults, told.by_machine), (1, 0), "{by}: {:?}", told.text);
    }
}

#[test]
fn who_is_ordered_to_begin_alone_breaks_13() {
    // 2 begins with it, or has died, or is back since it began: then 1 is not alone among those that could have begun.
    for (dies, is_back, begins) in
        [(false, false, false), (false, false, true), (true, false, false), (true, true, false)]
    {
        let is_broken = !dies && !begins;
        let mut trace = Trace::bully(2);
        trace.start_all(2, &normal(2));
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
        let told = trace.assumption(Assumption::StartsTogether);
        assert_eq!((told.by_faults, told.by_machine), (u64::from(is_broken), 0));
        let text = format!(
            "{elect} (elect 1) broke assumption 13 (all begin an election at the same time): only node 1 began an \
             election"
        );
        assert_eq!(told.text, is_broken.then_some(text));
    }
}

#[test]
fn who_is_called_breaks_nothing() {
    let down = || state(Status::Down, "Down", None);
    for (is_ordered, ends, is_broken) in
        [(true, down(), true), (true, normal(1), false), (false, down(), false), (false, normal(1), false)]
    {
        let mut trace = Trace::bully(3);
        trace.start_all(3, &normal(3));
        let elect = trace.fault(950, "elect 1,2", "1,2");
        trace.become_state(1, 1000, electing_in(4));
        if is_ordered {
            trace.become_state(2, 1000, electing_in(4));
        } else {
            let call = trace.send(1, 1000, 2, None);
            trace.receive(2, 1000, call, Some(electing_in(4)));
        }
        (1..=2).for_each(|of| trace.become_state(of, 1200, ends.clone()));
        let told = trace.assumption(Assumption::StartsTogether).text;
        let text = format!(
            "{elect} (elect 1,2) broke assumption 13 (all begin an election at the same time): only nodes 1,2 began an \
             election"
        );
        assert_eq!(told, is_broken.then_some(text));
    }
}

#[test]
fn a_number_of_the_dead_may_come_again() {
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
fn who_is_back_within_an_election_breaks_12() {
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
        let told = trace.assumption(Assumption::RecoveryOutlasts).text;
        let text = format!(
            "{recover} (recover 3) broke assumption 12 (a process is down for longer than an election takes): node 3 \
             returned during an election, after 201ms"
        );
        assert!(told.is_none_or(|told| told == text));
    }
}

#[test]
fn who_saved_and_starts_empty_breaks_4() {
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
fn cells_that_are_not_as_left_break_4() {
    // The fault that took them, what it left, and what the start finds.
    for (line, left, found) in [
        (Some("wipe 2"), None, "empty"),
        (Some("rollback 2"), Some("07"), "as they were before its last save"),
        (None, None, "empty"),
        (None, Some("07"), "changed by somebody else"),
    ] {
        let mut trace = Trace::bully(2);
        trace.agree(2, 900);
        trace.effects(2, 950, vec![EffectText::Save { body: "08".to_owned() }]);
        let by = line.map(|line| trace.fault(1000, line, "2"));
        trace.crash(2, 1100);
        let meant_by = trace.assumption(Assumption::SafeCells).meant_by;
        assert_eq!((meant_by, broken(&trace)), (by.into_iter().collect(), vec![]));
        let loss = if left.is_some() { CellLoss::Rollback } else { CellLoss::Wipe };
        let left = left.map(str::to_owned);
        trace.happened(
            2,
            1150,
            match by {
                Some(by) => Body::CellsLost { by, loss, left },
                None => Body::CellsChanged { left },
            },
        );
        trace.recover(2, 1200, electing());
        let cells = trace.assumption(Assumption::SafeCells);
        let (by_fault, who) = match (by, line) {
            (Some(by), Some(line)) => (1, format!("{by} ({line})")),
            _ => (0, "this computer".to_owned()),
        };
        assert_eq!((cells.by_faults, cells.by_machine, cells.first), (by_fault, 1 - by_fault, Some(1150 * MS)));
        let text = format!("{who} broke assumption 4 (safe cells survive): node 2 found its safe cells {found}");
        assert_eq!(cells.text, Some(text));
    }
}

#[test]
fn a_death_without_order_is_the_machines() {
    let mut head = head(3, &[Property::Assertion1], &[Assumption::FaultyAtMostT]);
    head.settings = head.settings.with("t", protocol::SettingValue::Number(1));
    let mut trace = Trace::new(&head);
    trace.crash(3, 1000);
    trace.happened(2, 1100, Body::Died { death: Death::Exited { code: 1 } });
    let faulty = trace.assumption(Assumption::FaultyAtMostT);
    assert_eq!((faulty.by_faults, faulty.by_machine), (0, 1));
}

#[test]
fn lost_cells_count_until_as_many_starts() {
    let mut trace = Trace::bully(2);
    let save = || vec![EffectText::Save { body: "08".to_owned() }];
    let by = trace.fault(0, "wipe 2", "2");
    let start = |trace: &mut Trace, at: i64, saved: bool| {
        trace.step(2, at, Input::Start { saved }, &[], Some(electing()));
        trace.effects(2, at + 10, save());
        trace.crash(2, at + 100);
        trace.assumption(Assumption::SafeCells).by_faults
    };
    assert_eq!((start(&mut trace, 1000, false), start(&mut trace, 2000, true)), (0, 0));
    trace.happened(2, 2900, Body::CellsLost { by, loss: CellLoss::Wipe, left: None });
    assert_eq!(start(&mut trace, 3000, false), 1, "the loss itself");
    assert_eq!(start(&mut trace, 30_000, true), 2, "the second start since then counts what the second before it did");
    assert_eq!(start(&mut trace, 60_000, true), 2, "the third start counts what none did");
}

#[test]
fn each_fault_that_breaks_something_is_told_once() {
    let mut trace = Trace::new(&head(3, &[Property::Assertion1], &[Assumption::DeliveryInTime]));
    let told = |trace: &mut Trace| -> Vec<Option<FaultId>> {
        let news = trace.judge.take_broken();
        assert!(news.iter().all(|news| news.text.contains(" broke assumption 8 (")), "{news:?}");
        news.iter().map(|news| news.broken.by.fault()).collect()
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
fn a_clock_of_another_rate_breaks_10() {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    let by = trace.fault(1000, "clock 2 1.5x", "2");
    assert_eq!((trace.assumption(Assumption::OneClockRate).meant_by, broken(&trace)), (vec![by], vec![]));
    trace.clock(2, 1010, by, Some("1.5x"));
    let rate = trace.assumption(Assumption::OneClockRate);
    assert_eq!((rate.by_faults, rate.by_machine, rate.first), (1, 0, Some(1010 * MS)));
    assert_eq!(
        rate.text,
        Some(format!("{by} (clock 2 1.5x) broke assumption 10 (one clock rate): node 2's clock runs at 1.5x"))
    );
    trace.clock(2, 3010, by, None);
    let text = format!("{by} (clock 2 1.5x) broke assumption 10 (one clock rate): node 2's clock ran at 1.5x for 2s");
    assert_eq!(trace.assumption(Assumption::OneClockRate).text, Some(text));
}

/// 1 counts five times as fast as the others, takes 2 for dead, and coordinates; so long after that its clock is right
/// again.
fn hasty(needs: &[Assumption], right_at: i64) -> Trace {
    let mut trace = Trace::new(&head(2, &[Property::Assertion1], needs));
    trace.agree(2, 900);
    let by = trace.fault(2000, "clock 1 5x", "1");
    trace.clock(1, 2000, by, Some("5x"));
    trace.time_out(1, 2100, 2140, 2140, "2", Some(electing()));
    trace.clock(1, right_at, by, None);
    trace.become_state(1, right_at + 100, normal(1));
    trace.speak(right_at + 700, "1,2");
    trace.close(right_at + 5000);
    trace
}

#[test]
fn what_a_fast_clock_leads_to_is_excused() {
    let needs = Assumption::first(10);
    let trace = hasty(needs, 2200);
    assert_eq!((trace.only().because(), trace.only().is_by_machine()), (Some(Assumption::OneClockRate), false));
    let why = "f1 (clock 1 5x) broke assumption 10 (one clock rate): node 1's clock ran at 5x for 200ms";
    assert!(trace.only().text.ends_with(why), "{}", trace.only().text);
    assert_eq!(hasty(Assumption::first(9), 2200).only().because(), None);
}

#[test]
fn nothing_is_due_before_clocks_run_alike() {
    for (property, needs) in [(Property::Assertion2, 10), (Property::Assertion4, 7)] {
        let needs = Assumption::first(needs);
        let mut trace = Trace::new(&head(2, &[property], needs));
        trace.start_all(2, &electing());
        let due_at = |trace: &Trace| trace.judge.liveness_due_at().map(|due| due / MS);
        assert_eq!(due_at(&trace), Some(3000));
        let by = trace.fault(100, "clock 1 5x", "1");
        trace.clock(1, 100, by, Some("5x"));
        trace.speak(9_000, "1,2");
        assert_eq!((due_at(&trace), trace.tally(property).due), (None, 0));
        trace.clock(1, 10_000, by, None);
        assert_eq!(due_at(&trace), Some(13_000));
        trace.speak(13_001, "1,2");
        trace.close(20_000);
        assert_eq!(trace.only().since, 13_000 * MS, "as it was all along, nobody coordinates");
    }
}

#[test]
fn a_dead_process_has_no_clock() {
    let mut trace = Trace::bully(2);
    trace.agree(2, 900);
    let by = trace.fault(1000, "clock 2 0.5x", "2");
    trace.clock(2, 1000, by, Some("0.5x"));
    trace.crash(2, 2000);
    let told = |trace: &Trace| trace.judge.assumptions()[Assumption::OneClockRate as usize].clone();
    assert!(told(&trace).text.unwrap().contains("node 2's clock ran at 0.5x for 1s"));
    trace.clock(2, 2500, by, Some("0.5x"));
    trace.recover(2, 2500, electing());
    assert_eq!(told(&trace).by_faults, 2);
}
