//! Bully in the form of 1982, in which one call follows another, and in those in which parallel Halts end early or say who coordinates: a
//! state, one input, exactly what comes of it.
//!
//! Invariant: every FOR of Appendix I has a test of its order, of an answer and of a silence.

use super::*;

const PATIENT: Timing = Timing { t: T, check: Span::from_millis(300), silence: Span::from_millis(3000) };

fn form(word: &str) -> impl FnOnce(Settings) -> Settings {
    move |settings| settings.with("form", SettingValue::Word(word.to_owned()))
}

fn start(me: u16, of: u16) -> Bench<Bully> {
    Bench::start(me, of, PATIENT, form("sequential"))
}

/// Node 4 of 4 which halts 3, the first of those below it, in call 2.
fn halting() -> Bench<Bully> {
    start(4, 4)
}

/// Node 4 which was answered by 3 and 1, and tells 3, in call 3.
fn telling() -> Bench<Bully> {
    let mut bench = halting();
    bench.hear(3, Message::HaltAnswer { call: call(2) });
    bench.time_out(Timer::Halt);
    bench.hear(1, Message::HaltAnswer { call: call(2) });
    bench
}

/// Node 4 which gives 3 the task, in call 4.
fn readying() -> Bench<Bully> {
    let mut bench = telling();
    bench.hear(3, Message::NewCoordinatorAnswer { call: call(3) });
    bench.hear(1, Message::NewCoordinatorAnswer { call: call(3) });
    bench
}

/// Node 4, Normal, coordinator of itself, 3 and 1.
fn leading() -> Bench<Bully> {
    let mut bench = readying();
    bench.hear(3, Message::ReadyAnswer { call: call(4) });
    bench.hear(1, Message::ReadyAnswer { call: call(4) });
    bench
}

fn task_of_leading() -> Task {
    Task { author: node(4), incarnation: Incarnation(1), serial: 1, members: nodes("1,3") }
}

#[test]
fn election_asks_from_below_past_the_silent() {
    let mut bench = start(2, 4);
    let question = |to| send(to, Message::AreYouThere { call: call(1) });
    let wait = set(Timer::AreYouThere, T);
    assert_eq!(bench.effects[2..], [question(3), wait.clone()]);
    assert_eq!(bench.machine.waits_for(Timer::AreYouThere), nodes("3"), "4 has not been asked");
    assert_eq!(bench.time_out(Timer::AreYouThere), [question(4), wait]);
    assert_eq!(state(&bench).status, Status::Down);
    assert_eq!(bench.lines, [line::ELECTION_ASK]);
    assert_eq!(bench.machine.waits_for(Timer::AreYouThere), nodes("4"));
    let effects = bench.time_out(Timer::AreYouThere);
    assert!(effects.contains(&send(1, Message::Halt { call: call(2) })), "{effects:?}");
    assert_eq!(bench.lines, [line::ELECTION_STOP, line::ELECTION_HALT]);
}

#[test]
fn election_asks_nobody_after_an_answer() {
    let mut bench = start(2, 4);
    let before = state(&bench);
    assert_eq!(bench.hear(3, Message::AreYouThereAnswer { call: call(1) }), [cancel(Timer::AreYouThere)]);
    assert_eq!((state(&bench), bench.lines), (before, vec![line::ELECTION_RETURN]));
    assert_eq!(bench.machine.waits_for(Timer::AreYouThere), NodeSet::EMPTY);
}

#[test]
fn an_answer_after_its_time_is_ignored() {
    let mut bench = start(2, 4);
    bench.time_out(Timer::AreYouThere);
    let before = bench.machine.clone();
    assert_eq!(bench.hear(3, Message::AreYouThereAnswer { call: call(1) }), []);
    assert_eq!(bench.machine, before);
}

#[test]
fn election_halts_the_next_at_answer_or_silence() {
    let mut bench = halting();
    let halt = |to| send(to, Message::Halt { call: call(2) });
    let wait = set(Timer::Halt, T);
    let saved = |up| save(SafeCells { halted_by: Some(node(4)), up: nodes(up), ..SafeCells::default() });
    assert_eq!(bench.effects[4..], [halt(3), wait.clone()]);
    let effects = bench.hear(3, Message::HaltAnswer { call: call(2) });
    assert_eq!(effects, [saved("3"), halt(2), wait.clone()], "saved before 2 is halted");
    assert_eq!(bench.lines, [line::ELECTION_UP, line::ELECTION_HALT]);
    assert_eq!(bench.time_out(Timer::Halt), [halt(1), wait]);
    assert_eq!((state(&bench).up, bench.lines), (nodes("3"), vec![line::ELECTION_HALT]));
}

#[test]
fn election_reaches_its_point_without_a_wait() {
    let bench = telling();
    let expected = [
        save(SafeCells::clone(&bench.machine.cells)),
        cancel(Timer::Halt),
        send(3, Message::NewCoordinator { call: call(3) }),
        set(Timer::NewCoordinator, T),
    ];
    assert_eq!(bench.effects, expected);
    assert_eq!((state(&bench).status, state(&bench).up), (Status::Reorganization, nodes("1,3")));
    assert_eq!(bench.lines, [line::ELECTION_UP, line::ELECTION_POINT, line::ELECTION_TELL]);
}

#[test]
fn election_tells_one_after_another() {
    let mut bench = telling();
    let effects = bench.hear(3, Message::NewCoordinatorAnswer { call: call(3) });
    assert_eq!(effects, [send(1, Message::NewCoordinator { call: call(3) }), set(Timer::NewCoordinator, T)]);
    bench.hear(1, Message::NewCoordinatorAnswer { call: call(3) });
    let expected = [
        save(SafeCells::clone(&bench.machine.cells)),
        cancel(Timer::NewCoordinator),
        send(3, Message::Ready { call: call(4), task: task_of_leading() }),
        set(Timer::Ready, T),
    ];
    assert_eq!(bench.effects, expected);
}

#[test]
fn election_readies_one_after_another() {
    let mut bench = readying();
    let effects = bench.hear(3, Message::ReadyAnswer { call: call(4) });
    assert_eq!(effects, [send(1, Message::Ready { call: call(4), task: task_of_leading() }), set(Timer::Ready, T)]);
    assert_eq!(state(&bench).status, Status::Reorganization);
    assert_eq!(bench.hear(1, Message::ReadyAnswer { call: call(4) }), [cancel(Timer::Ready)]);
    assert_eq!((state(&bench).status, bench.lines), (Status::Normal, vec![line::ELECTION_NORMAL]));
}

#[test]
fn election_starts_again_at_the_first_silence() {
    for (mut bench, timer, serial) in [(telling(), Timer::NewCoordinator, 5), (readying(), Timer::Ready, 6)] {
        // No node is above 4, so its AreYouThere goes to nobody. It takes a call's number all the same, and the Halts
        // have the number after that.
        let effects = bench.time_out(timer);
        assert!(effects.contains(&send(3, Message::Halt { call: call(serial) })), "{effects:?}");
        let lines = [line::ELECTION_AGAIN, line::ELECTION_ASK, line::ELECTION_STOP, line::ELECTION_HALT];
        assert_eq!(bench.lines, lines);
    }
}

#[test]
fn check_asks_from_1_past_the_silent() {
    let mut bench = leading();
    let question = |to| send(to, Message::AreYouNormal { call: call(5) });
    let wait = set(Timer::AreYouNormal, T);
    assert_eq!(bench.time_out(Timer::Check), [set(Timer::Check, PATIENT.check), question(1), wait.clone()]);
    let yes = |bench: &mut Bench<Bully>, from| {
        bench.hear(from, Message::AreYouNormalAnswer { call: call(5), normal: YesOrNo::Yes }).to_vec()
    };
    assert_eq!(yes(&mut bench, 1), [question(2), wait.clone()]);
    assert_eq!(bench.time_out(Timer::AreYouNormal), [question(3), wait]);
    assert_eq!(bench.lines, [line::CHECK_SILENT, line::CHECK_ASK]);
    assert_eq!(yes(&mut bench, 3), [cancel(Timer::AreYouNormal)]);
    assert_eq!(state(&bench).status, Status::Normal);
}

#[test]
fn check_asks_nobody_after_a_no() {
    let mut bench = leading();
    bench.time_out(Timer::Check);
    bench.hear(1, Message::AreYouNormalAnswer { call: call(5), normal: YesOrNo::No });
    assert_eq!(bench.effects[1], cancel(Timer::AreYouNormal));
    assert!(!bench.effects.contains(&send(2, Message::AreYouNormal { call: call(5) })));
    assert_eq!(bench.lines[0], line::CHECK_NO);
    assert_eq!(state(&bench).status, Status::Election);
}

#[test]
fn check_that_asks_already_is_the_same() {
    let mut bench = leading();
    bench.time_out(Timer::Check);
    bench.time_out(Timer::AreYouNormal);
    assert_eq!(bench.time_out(Timer::Check), [set(Timer::Check, PATIENT.check)]);
    assert_eq!(bench.machine.waits_for(Timer::AreYouNormal), nodes("2"), "the first goes on where it was");
}

#[test]
fn halt_stops_a_loop() {
    for (mut bench, timer) in [(halting(), Timer::Halt), (telling(), Timer::NewCoordinator), (readying(), Timer::Ready)]
    {
        // Mended, a node is halted by higher ones only, and no node is above 4.
        bench.machine.mends = letter_of::<Bully>("paper");
        assert!(bench.hear(2, Message::Halt { call: call(9) }).contains(&cancel(timer)));
        assert_eq!(bench.machine.waits_for(timer), NodeSet::EMPTY);
        let halted = bench.machine.clone();
        for late in [Message::HaltAnswer { call: call(2) }, Message::NewCoordinatorAnswer { call: call(3) }] {
            assert_eq!(bench.hear(3, late), []);
        }
        assert_eq!(bench.machine, halted);
    }
}

#[test]
fn parallel_early_ends_its_halts_at_all_answers() {
    let mut bench: Bench<Bully> = Bench::start(3, 3, TIMING, form("parallel-early"));
    bench.hear(1, Message::HaltAnswer { call: call(2) });
    assert_eq!(state(&bench).status, Status::Election);
    let effects = bench.hear(2, Message::HaltAnswer { call: call(2) });
    let tell = |to| send(to, Message::NewCoordinator { call: call(3) });
    assert_eq!(effects[1..], [cancel(Timer::Halt), tell(2), tell(1), set(Timer::NewCoordinator, T)]);
    assert_eq!(state(&bench).status, Status::Reorganization);
}

#[test]
fn one_step_halts_and_tells_at_once() {
    let mut bench: Bench<Bully> = Bench::start(2, 3, TIMING, form("one-step"));
    bench.hear(3, Message::Halt { call: call(9) });
    assert_eq!(bench.lines, [line::HALT_IN_ONE_STEP]);
    let now = state(&bench);
    assert_eq!((now.status, now.coordinator, now.halted_by), (Status::Reorganization, Some(node(3)), Some(node(3))));
    let mut bench: Bench<Bully> = Bench::start(3, 3, TIMING, form("one-step"));
    bench.hear(1, Message::HaltAnswer { call: call(2) });
    bench.time_out(Timer::Halt);
    assert_eq!(bench.lines, [line::ELECTION_POINT, line::ELECTION_READY], "1 knows");
    assert_eq!((state(&bench).status, state(&bench).coordinator), (Status::Reorganization, Some(node(3))));
}

#[test]
fn the_card_goes_by_the_form() {
    let card = Bully::CARD;
    let taken = |word: &str, silence| {
        let timing = Timing { t: T, check: T, silence: Span::from_millis(silence) };
        let settings = form(word)(Settings::defaults(card.settings, nodes("1-5")));
        let holds = card.periods.iter().all(|rule| (rule.holds)(&timing, 5, &settings));
        let facts = card.facts(&timing, 5, &settings);
        (holds, facts.time_bound, facts.quiet_bound.saturating_sub(timing.silence))
    };
    for word in ["parallel", "parallel-early", "one-step"] {
        assert_eq!(taken(word, 801), (true, T * 4, T * 11));
        assert!(!taken(word, 800).0);
    }
    assert_eq!(taken("sequential", 2401), (true, T * 12, T * 34));
    assert!(!taken("sequential", 2400).0);
    // A coordinator speaks once in each Check period, so with a long one its members must be patient for longer.
    let long = |silence| Timing { t: T, check: T * 9, silence };
    let settings = Settings::defaults(card.settings, nodes("1-5"));
    let holds = |silence| card.periods.iter().all(|rule| (rule.holds)(&long(silence), 5, &settings));
    assert!(holds(T * 10 + Span::from_nanos(1)) && !holds(T * 10));
}
