//! State, one input, the exact effects.

use super::*;
use crate::tests::{T, node, normal, sends, sets, setup};
use protocol::{ApplicationEffect, ELECTING_LINE, LineNumber, Roster, SILENT_LOOKS, SettingValue};

const CHECK: Span = Span::from_millis(500);
const PACE: Span = Span::from_millis(200);

/// Node 3 of three, whose services have two parts of ten numbers: they hold four primes each.
fn machine(name: &str, value: u64) -> Service {
    started(name, value, None)
}

fn started(name: &str, value: u64, saved: Option<ServiceCells>) -> Service {
    let roster = Roster::new(3).unwrap();
    let setup = setup(3, roster, CHECK, Span::from_millis(2_000));
    let number = SettingValue::Number;
    let own = Settings::defaults(card::CARD.settings, roster.all())
        .with(card::PARTS, number(2))
        .with(card::NUMBERS, number(10))
        .with(name, number(value));
    Service::start(&setup, &own, saved)
}

/// What it does: its effects, its lines, and whether it keeps something.
type Done = (Vec<ApplicationEffect<Service>>, Vec<LineNumber>, Keeps);

#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Keeps {
    Nothing,
    Cells,
}

fn done(machine: &mut Service, run: impl FnOnce(&mut Service, &mut ServiceEffects)) -> Done {
    let mut fx = ServiceEffects::default();
    run(machine, &mut fx);
    let (effects, lines, saved) = fx.into_parts();
    assert!(saved.as_ref().is_none_or(|saved| *saved == machine.cells), "it keeps what it holds");
    (effects, lines, if saved.is_some() { Keeps::Cells } else { Keeps::Nothing })
}

fn told(machine: &mut Service, state: &StateVector) -> Done {
    done(machine, |machine, fx| machine.on_state(state, fx))
}

fn timer(machine: &mut Service, timer: ServiceTimer) -> Done {
    done(machine, |machine, fx| machine.on_timer(timer, fx))
}

fn hears(machine: &mut Service, from: u16, message: ServiceMessage) -> Done {
    done(machine, |machine, fx| machine.on_message(node(from), message, fx))
}

fn request(machine: &mut Service) -> Done {
    done(machine, |machine, fx| machine.on_request(fx))
}

fn to_all(log: ServiceLog) -> [ApplicationEffect<Service>; 2] {
    [sends(1, ServiceMessage::Log(log)), sends(2, ServiceMessage::Log(log))]
}

/// The account of the asker's first service.
fn log(asker: u16, done: u16, turn: u32, server: u16) -> ServiceLog {
    let id = OrderId { node: node(asker), incarnation: Incarnation(1), serial: 1 };
    ServiceLog { id, done, turn, server: NodeId::new(server), primes: u32::from(done) * 4 }
}

fn work(machine: &Service) -> ServiceWork {
    let Work::Service(work) = machine.work() else { panic!("another work") };
    work
}

/// The master of election 1, which has asked the others, and heard of this.
fn recovering(heard: &[(u16, ServiceLog)]) -> Service {
    let mut master = machine(card::SERVICE_LOAD, 0);
    told(&mut master, &normal(3, 1));
    timer(&mut master, ServiceTimer::Settle);
    for (from, log) in heard {
        hears(&mut master, *from, ServiceMessage::Log(*log));
    }
    master
}

#[test]
fn a_request_begins_an_election() {
    let mut asks = machine(card::SERVICE_LOAD, 0);
    told(&mut asks, &normal(1, 1));
    let began = vec![ApplicationEffect::Elect, sets(ServiceTimer::Ask, CHECK)];
    assert_eq!(request(&mut asks), (began.clone(), vec![line::ASK, line::ELECT], Keeps::Cells));
    assert_eq!(request(&mut asks), (vec![], vec![line::ASK], Keeps::Cells));
    assert_eq!((work(&asks).asked, work(&asks).waiting), (Some(log(3, 0, 0, 0)), 1));
    let (effects, lines, _) = hears(&mut asks, 2, ServiceMessage::Log(log(3, 2, 1, 2)));
    assert_eq!((effects, lines), (began, vec![line::LEARN, line::ASK, line::ELECT]));
    assert_eq!((work(&asks).asked.unwrap().id.serial, work(&asks).waiting), (2, 0));
}

#[test]
fn who_asks_tells_each_master_again() {
    let mut asks = machine(card::SERVICE_LOAD, 0);
    told(&mut asks, &normal(1, 1));
    request(&mut asks);
    let asked = |master| {
        let effects = vec![sends(master, ServiceMessage::Ask(log(3, 0, 0, 0))), sets(ServiceTimer::Ask, CHECK)];
        (effects, vec![line::ASK_MASTER], Keeps::Nothing)
    };
    assert_eq!(told(&mut asks, &normal(2, 2)), asked(2));
    assert_eq!(timer(&mut asks, ServiceTimer::Ask), asked(2));
    told(&mut asks, &StateVector::new(Status::Election, "collect", None));
    let waits = (vec![sets(ServiceTimer::Ask, CHECK)], vec![], Keeps::Nothing);
    assert_eq!(timer(&mut asks, ServiceTimer::Ask), waits);
    told(&mut asks, &StateVector::new(Status::Normal, "stop", None));
    let begins = vec![ApplicationEffect::Elect, sets(ServiceTimer::Ask, CHECK)];
    assert_eq!(timer(&mut asks, ServiceTimer::Ask), (begins, vec![line::MASTERLESS, line::ELECT], Keeps::Nothing));
}

#[test]
fn a_new_master_takes_up_one_service() {
    let mut master = machine(card::SERVICE_LOAD, 0);
    assert_eq!(told(&mut master, &normal(3, 1)).0, [sets(ServiceTimer::Settle, T)]);
    let asked = vec![
        sends(1, ServiceMessage::Tell),
        sends(2, ServiceMessage::Tell),
        sets(ServiceTimer::Recover, Span::from_millis(400)),
    ];
    assert_eq!(timer(&mut master, ServiceTimer::Settle), (asked, vec![line::TELL], Keeps::Nothing));

    // 2 serves its own service; 1 only knows who has served its.
    let mut master = recovering(&[(2, log(2, 1, 1, 2)), (1, log(1, 1, 1, 2))]);
    let mut effects = to_all(log(2, 1, 1, 2)).to_vec();
    effects.extend(to_all(log(1, 1, 2, 3)));
    effects.extend([sets(ServiceTimer::Part, PACE), sets(ServiceTimer::Watch, CHECK + PACE)]);
    assert_eq!(timer(&mut master, ServiceTimer::Recover), (effects, vec![line::GO_ON, line::TAKE_UP], Keeps::Cells));
    assert_eq!(work(&master).serves.to_string(), "1");
}

#[test]
fn a_second_service_is_for_the_next_election() {
    let mut master = recovering(&[(1, log(1, 0, 0, 0)), (2, log(2, 0, 0, 0))]);
    let (effects, lines, _) = timer(&mut master, ServiceTimer::Recover);
    assert!(effects.contains(&ApplicationEffect::Elect));
    assert_eq!(lines, [line::GO_ON, line::TAKE_UP, line::ANOTHER, line::ELECT]);
    assert_eq!(work(&master).serves.to_string(), "1");
    // So is one that is asked for later.
    let mut master = recovering(&[]);
    timer(&mut master, ServiceTimer::Recover);
    let (effects, lines, _) = hears(&mut master, 2, ServiceMessage::Ask(log(2, 0, 0, 0)));
    assert_eq!((effects, lines), (vec![ApplicationEffect::Elect], vec![line::LEARN, line::ANOTHER, line::ELECT]));
}

#[test]
fn a_server_goes_on_and_finishes() {
    let mut server = recovering(&[(1, log(1, 1, 1, 2))]);
    timer(&mut server, ServiceTimer::Recover);
    let finished = log(1, 2, 2, 3);
    let expected = (to_all(finished).to_vec(), vec![line::PART, line::FINISH], Keeps::Cells);
    assert_eq!(timer(&mut server, ServiceTimer::Part), expected);
    let task = TaskId::at_work(&normal(3, 1)).unwrap();
    let part = DonePart { id: finished.id, part: 2, primes: 4, task, times: 1 };
    let ServiceWork { serves, finished, part: last, .. } = work(&server);
    assert_eq!((serves, finished, last), (NodeSet::EMPTY, 1, Some(part)));
}

#[test]
fn a_server_rests_until_accounts_are_compared() {
    let mut server = recovering(&[(1, log(1, 0, 0, 0))]);
    timer(&mut server, ServiceTimer::Recover);
    let (effects, ..) = told(&mut server, &StateVector::new(Status::Election, "collect", None));
    assert!(effects.contains(&ApplicationEffect::CancelTimer { timer: ServiceTimer::Part }), "{effects:?}");
    assert_eq!(told(&mut server, &normal(2, 2)), (vec![], vec![], Keeps::Nothing));
    assert_eq!(hears(&mut server, 2, ServiceMessage::Tell).1, [line::ANSWER]);
    let account = ServiceMessage::Log(log(1, 0, 1, 3));
    assert_eq!(hears(&mut server, 1, account), (vec![], vec![], Keeps::Nothing));
    assert_eq!(hears(&mut server, 2, account), (vec![sets(ServiceTimer::Part, PACE)], vec![], Keeps::Nothing));
    assert_eq!(hears(&mut server, 2, account), (vec![], vec![], Keeps::Nothing));
    assert_eq!(timer(&mut server, ServiceTimer::Part).1, [line::PART]);
}

#[test]
fn a_server_of_two_takes_turns() {
    let mut server = recovering(&[]);
    timer(&mut server, ServiceTimer::Recover);
    server.serves.extend([node(1), node(2)]);
    server.cells.accounts.extend([(node(1), log(1, 0, 1, 3)), (node(2), log(2, 1, 1, 3))]);
    let done = |server: &mut Service| {
        timer(server, ServiceTimer::Part);
        work(server).part.unwrap().id.node.get()
    };
    assert_eq!([done(&mut server), done(&mut server), done(&mut server)], [1, 2, 1]);
}

#[test]
fn the_server_with_the_older_account_stops() {
    let mut server = recovering(&[(1, log(1, 0, 0, 0))]);
    timer(&mut server, ServiceTimer::Recover);
    let older = hears(&mut server, 2, ServiceMessage::Log(log(1, 0, 1, 2)));
    assert_eq!((older, work(&server).serves.to_string()), ((vec![], vec![], Keeps::Nothing), "1".to_owned()));
    let newer = hears(&mut server, 2, ServiceMessage::Log(log(1, 1, 1, 2)));
    let rests = vec![ApplicationEffect::CancelTimer { timer: ServiceTimer::Part }];
    assert_eq!(newer, (rests, vec![line::LEARN, line::STOP], Keeps::Cells));
    assert_eq!(work(&server).serves, NodeSet::EMPTY);
}

#[test]
fn who_misses_a_server_begins_an_election() {
    let mut master = recovering(&[(2, log(1, 0, 1, 2))]);
    timer(&mut master, ServiceTimer::Recover);
    let again = (vec![sets(ServiceTimer::Watch, CHECK + PACE)], vec![], Keeps::Nothing);
    for _ in 0..SILENT_LOOKS {
        assert_eq!(timer(&mut master, ServiceTimer::Watch), again);
    }
    hears(&mut master, 2, ServiceMessage::Log(log(1, 1, 1, 2)));
    for _ in 0..SILENT_LOOKS {
        assert_eq!(timer(&mut master, ServiceTimer::Watch), again);
    }
    let missed = vec![ApplicationEffect::Elect, sets(ServiceTimer::Watch, CHECK + PACE)];
    assert_eq!(timer(&mut master, ServiceTimer::Watch), (missed, vec![line::SILENT, line::ELECT], Keeps::Nothing));
}

#[test]
fn who_has_crashed_serves_nobody() {
    let mut server = recovering(&[(1, log(1, 0, 0, 0))]);
    timer(&mut server, ServiceTimer::Recover);
    timer(&mut server, ServiceTimer::Part);
    let mut back = started(card::SERVICE_LOAD, 0, Some(server.cells.clone()));
    told(&mut back, &normal(2, 2));
    let answer = vec![sends(2, ServiceMessage::Log(ServiceLog { server: None, ..log(1, 1, 1, 3) }))];
    assert_eq!(hears(&mut back, 2, ServiceMessage::Tell), (answer, vec![line::ANSWER], Keeps::Nothing));
}

#[test]
fn one_that_asked_and_crashed_asks_again() {
    let mut asks = machine(card::SERVICE_LOAD, 0);
    request(&mut asks);
    let mut back = started(card::SERVICE_LOAD, 0, Some(asks.cells.clone()));
    let waits = vec![sets(ServiceTimer::Ask, CHECK)];
    assert_eq!(done(&mut back, |machine, fx| machine.on_start(fx)), (waits, vec![], Keeps::Nothing));
    assert_eq!(timer(&mut back, ServiceTimer::Ask).1, [line::MASTERLESS, line::ELECT]);
}

#[test]
fn who_was_served_hears_it_later() {
    let mut master = recovering(&[(2, log(1, 2, 1, 2))]);
    timer(&mut master, ServiceTimer::Recover);
    let answer = vec![sends(1, ServiceMessage::Log(log(1, 2, 1, 2)))];
    assert_eq!(hears(&mut master, 1, ServiceMessage::Ask(log(1, 1, 1, 2))), (answer, vec![], Keeps::Nothing));
}

#[test]
fn services_in_hand_take_from_the_capacity() {
    let mut server = machine(card::SERVICE_LOAD, 15);
    assert_eq!([server.capacity(-1), server.capacity(20)], [-1, 20]);
    server.serves.extend([node(1), node(2)]);
    assert_eq!([server.capacity(-1), server.capacity(35), server.capacity(20)], [-1, 5, 0]);
}

#[test]
fn the_busy_process_computes_all_the_time() {
    let mut busy = machine(card::BUSY, 3);
    let computes = vec![sets(ServiceTimer::Busy, BUSY_PACE)];
    assert_eq!(done(&mut busy, |machine, fx| machine.on_start(fx)).0, computes);
    assert_eq!(timer(&mut busy, ServiceTimer::Busy), (computes, vec![], Keeps::Nothing));
    assert_eq!(done(&mut machine(card::BUSY, 2), |machine, fx| machine.on_start(fx)).0, []);
}

#[test]
fn it_cites_the_line_of_all_elections() {
    assert_eq!(line::ELECT, ELECTING_LINE);
}
