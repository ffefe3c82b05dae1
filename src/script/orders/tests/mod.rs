//! Orders for five processes in memory: what is recorded, what is told, and when.

mod clocks;
mod links;
mod processes;
mod speeds;

use std::io;
use std::sync::mpsc::{self, Receiver};

use super::*;
use crate::conductor::AwaitedMoment;
use crate::tests::awaited;
use fault::FaultLine;
use protocol::NodeMap;
use record::Death;

const MS: i64 = 1_000_000;

/// Five processes that carry out at once what they are told, and say so, unless they are silent.
struct Five {
    now: i64,
    processes: NodeMap<ProcessState>,
    silent: NodeSet,
    unstartable: NodeSet,
    untouchable: NodeSet,
    speed_effect: SpeedEffect,
    /// How often each has saved.
    saves: NodeMap<u64>,
    orders: Orders,
    /// What was recorded and told, in its order.
    seen: Vec<String>,
}

impl Five {
    fn new() -> Five {
        let lab = crate::tests::lab("");
        let processes = lab.roster.all().iter().map(|node| (node, ProcessState::Running)).collect();
        Five {
            now: 0,
            processes,
            silent: NodeSet::EMPTY,
            unstartable: NodeSet::EMPTY,
            untouchable: NodeSet::EMPTY,
            speed_effect: SpeedEffect::Changes { fastest: LabSpeed::FASTEST },
            saves: NodeMap::new(),
            orders: Orders::new(lab),
            seen: Vec::new(),
        }
    }

    /// Gives the orders an input, and carries out all that they then want.
    fn order(&mut self, input: OrderInput) {
        let mut commands = self.handle(input);
        while !commands.is_empty() {
            commands.into_iter().for_each(|command| self.carry_out(command));
            commands = self.handle(OrderInput::Time);
        }
    }

    fn handle(&mut self, input: OrderInput) -> Vec<ProcessCommand> {
        let highest = self.that_are(ProcessState::Running).highest();
        let view = OrderView {
            now: self.now,
            wall: self.now,
            speed_effect: self.speed_effect,
            processes: self.processes.clone(),
            starts_waiting: NodeSet::EMPTY,
            coordinator: &|of| highest.filter(|_| of.is_none()),
        };
        self.orders.handle(input, view)
    }

    fn carry_out(&mut self, command: ProcessCommand) {
        match command {
            ProcessCommand::Record { node, body } => self.record(node, *body),
            ProcessCommand::Kill { node, by } => match self.touch(node) {
                Ok(()) => {
                    self.processes.insert(node, ProcessState::Dead);
                    self.record(Some(node), Body::Died { death: Death::Killed { by } });
                }
                Err(why) => self.was_not_done(node, &NotDone::Kill(why)),
            },
            ProcessCommand::Stop { node, by } => match self.touch(node) {
                Ok(()) => {
                    self.processes.insert(node, ProcessState::Paused);
                    self.record(Some(node), Body::Stopped { by });
                }
                Err(why) => self.was_not_done(node, &NotDone::Stop(why)),
            },
            ProcessCommand::GoOn { node, faults } => {
                self.tell(node, &faults);
                self.processes.insert(node, ProcessState::Running);
                self.record(Some(node), Body::Continued);
            }
            ProcessCommand::Start { node } if self.unstartable.contains(node) => {
                self.orders.refuse_start(node, &format!("node {node} cannot be started: no store"));
            }
            ProcessCommand::Start { node } => self.start(node),
            ProcessCommand::Tell { nodes, control } => nodes.iter().for_each(|node| self.tell(node, &control)),
            ProcessCommand::MarkStore { node, loss } => {
                let mark = self.saves.get(&node).copied().unwrap_or(0);
                self.orders.marked_store(node, loss, mark);
            }
            ProcessCommand::SetSpeed { speed: LabSpeed::SLOWEST, by, .. } => {
                self.orders.refuse_speed(by, &io::Error::other("no room"));
            }
            ProcessCommand::SetSpeed { speed, by, nodes, control } => {
                nodes.iter().for_each(|node| self.tell(node, &control));
                self.record(None, Body::SpeedSet { speed, by });
            }
            ProcessCommand::Answer { reply, answer } => reply.send(answer).unwrap(),
            ProcessCommand::CancelStart { .. } | ProcessCommand::Linger => panic!("{command:?} is not wanted here"),
        }
    }

    fn pass_to(&mut self, now: i64) {
        self.now = now;
        self.order(OrderInput::Time);
    }

    fn that_are(&self, process: ProcessState) -> NodeSet {
        self.processes.iter().filter(|(_, of)| **of == process).map(|(node, _)| *node).collect()
    }

    fn touch(&self, node: NodeId) -> io::Result<()> {
        if self.untouchable.contains(node) { Err(io::Error::other("it does as it likes")) } else { Ok(()) }
    }

    fn was_not_done(&mut self, node: NodeId, why: &NotDone) {
        let note = self.orders.was_not_done(node, why);
        self.record(Some(node), note);
    }

    fn see(&mut self, what: String) {
        self.seen.push(what);
    }

    /// What was seen since the last look.
    fn seen(&mut self) -> Vec<String> {
        std::mem::take(&mut self.seen)
    }

    fn take_step(&mut self, step: &str, lines: Vec<FaultLine>, held: Option<NodeId>, then: Option<AwaitedMoment>) {
        self.order(OrderInput::Cue(ScriptAction::TakeStep { step: step.to_owned(), lines, held, then }));
    }

    /// What a line of a step leads to, at once.
    fn step(&mut self, line: &str) -> Vec<String> {
        self.seen.clear();
        self.take_step("s", vec![line.parse().unwrap()], None, None);
        let mut seen = self.seen();
        assert_eq!(seen.remove(0), "step s");
        seen
    }

    fn line(&mut self, line: &str) -> Option<Answer> {
        self.ask(line).try_recv().ok()
    }

    /// Gives a person's line; the answer comes here.
    fn ask(&mut self, line: &str) -> Receiver<Answer> {
        let (reply, answers) = mpsc::channel();
        self.order(OrderInput::Line { text: line.to_owned(), reply });
        answers
    }

    fn record(&mut self, node: Option<NodeId>, body: Body) {
        let what = match body {
            Body::StepTaken { step } => format!("step {step}"),
            Body::FaultOrdered { id, line, nodes, .. } => format!("{id} {line}: {nodes}"),
            Body::FaultInForce { id } => format!("{id} in force"),
            Body::FaultNotInForce { id, why } => format!("{id} not in force: {why}"),
            Body::FaultLifted { id } => format!("{id} lifted"),
            Body::Died { death: Death::Killed { by } } => format!("died by {by}"),
            Body::Stopped { by } => format!("stopped by {by}"),
            Body::Continued => "continued".to_owned(),
            Body::Spawned { pid } => format!("spawned {pid}"),
            Body::SpeedSet { speed, by } => format!("lab time at {speed} by {by}"),
            Body::Note { text } => text,
            other => panic!("{other:?} is not recorded here"),
        };
        self.see(node.map_or_else(String::new, |node| format!("{node} ")) + &what);
    }

    fn start(&mut self, node: NodeId) {
        self.processes.insert(node, ProcessState::Starting);
        self.record(Some(node), Body::Spawned { pid: u32::from(node.get()) });
        let mark = self.saves.get(&node).copied().unwrap_or(0);
        let loss = self.orders.take_loss(node, || Some(mark));
        let loss = loss.map(|StoreLoss { by, loss }| format!(", and a {loss} by {by}"));
        let clock = self.orders.clock_of(node);
        let clock = clock.map(|ClockFault { by, rate }| format!(", and a clock at {rate} by {by}"));
        let beside = loss.unwrap_or_default() + &clock.unwrap_or_default();
        let told = format!("{node} starts with{}{beside}", table(&self.orders.table()));
        self.see(told);
        for control in self.orders.told_at_start(node) {
            self.tell(node, &control);
        }
        if !self.silent.contains(node) {
            self.processes.insert(node, ProcessState::Running);
            self.orders.has_started(node);
        }
    }

    fn tell(&mut self, node: NodeId, control: &Control) {
        let (told, version) = match control {
            Control::Faults { version, faults } => (format!("{node} told{}", table(faults)), Some(*version)),
            Control::Clock { version, clock: Some(ClockFault { by, rate }) } => {
                (format!("{node}'s clock {rate} by {by}"), Some(*version))
            }
            Control::Clock { version, clock: None } => (format!("{node}'s clock 1x"), Some(*version)),
            Control::Speed { version } => (format!("{node} told of the speed"), Some(*version)),
            Control::Courier { version, act } => return self.hear_act(node, *version, &act.text),
            Control::Order { version, order } => (format!("{node} told to {order}"), Some(*version)),
            Control::Arm { moment, .. } => (format!("{node} told of {moment}"), None),
            Control::Reach { step } => (format!("{node} told to reach {step}"), None),
            Control::Disarm { step } => (format!("{node} told to go on after {step}"), None),
            other => panic!("{other:?} is not told here"),
        };
        if self.processes[&node] == ProcessState::Dead {
            return;
        }
        self.see(told);
        if let Some(version) = version
            && !self.silent.contains(node)
        {
            self.orders.acknowledged(node, version);
        }
    }
}

/// A table of faults by its ids.
fn table(faults: &[LinkFault]) -> String {
    faults.iter().map(|fault| format!(" {}", fault.id)).collect()
}

fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

fn told(nodes: &str, what: &str) -> Vec<String> {
    nodes.split(',').map(|node| format!("{node} told{what}")).collect()
}

fn list(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn crash_recover_cut_pause_undo_and_heal_all_leave_these_records() {
    let mut five = Five::new();
    assert_eq!(five.step("crash coordinator"), ["f1 crash coordinator: 5", "5 died by f1", "f1 in force"]);
    assert_eq!(five.step("crash 5"), ["f2 crash 5: -", "f2 not in force: 5 is dead already"]);
    let mut cut = list(&["f3 cut 1->3: 1,3"]);
    cut.extend(told("1,2,3,4", " f3"));
    cut.push("f3 in force".to_owned());
    assert_eq!(five.step("cut 1->3"), cut);
    assert_eq!(five.step("pause 1,2"), ["f4 pause 1,2: 1,2", "1 stopped by f4", "2 stopped by f4", "f4 in force"]);
    let recovered = ["f5 recover 5: 5", "5 spawned 5", "5 starts with f3", "f1 lifted", "f5 in force", "f5 lifted"];
    assert_eq!(five.step("recover 5"), recovered);
    // The last fault that stands is the pause; who goes on is told the table first.
    let undone = [
        "f6 undo: 1,2",
        "1 told f3",
        "1 continued",
        "2 told f3",
        "2 continued",
        "f4 lifted",
        "f6 in force",
        "f6 lifted",
    ];
    assert_eq!(five.step("undo"), undone);
    five.step("crash 4");
    five.step("pause 2");
    let mut healed = list(&["f9 heal all: 1-5"]);
    healed.extend(told("1,3,5", ""));
    healed.extend(list(&["2 told", "2 continued", "4 spawned 4", "4 starts with", "f7 lifted", "f8 lifted"]));
    healed.extend(list(&["f9 in force", "f3 lifted", "f9 lifted"]));
    assert_eq!(five.step("heal all"), healed);
    assert_eq!(
        five.step("undo"),
        ["f10 undo: -", "f10 not in force: there is nothing to undo: every fault that can be undone is over"]
    );
    assert_eq!(five.orders.gives_up_at(), None);
}

#[test]
fn a_person_is_answered_when_the_silent_have_answered_or_are_given_up() {
    let mut five = Five::new();
    assert!(matches!(five.line("crush 5"), Some(Answer::Refused { .. })));
    assert!(matches!(five.line("resume 5"), Some(Answer::Refused { why }) if why == "5 is not paused"));
    assert!(five.seen().is_empty());
    five.silent = "2,4".parse().unwrap();
    let answers = five.ask("isolate 2");
    assert_eq!(five.orders.gives_up_at(), Some(1_000_000_000));
    // What a later order is told is acknowledged with all before it.
    five.silent = "4".parse().unwrap();
    assert!(five.line("cut 1->2").is_some());
    five.pass_to(999_999_999);
    assert!(answers.try_recv().is_err());
    // Who is killed meanwhile holds nothing up.
    five.step("crash 4");
    let answer = answers.try_recv().unwrap();
    assert!(matches!(answer, Answer::Done { text, .. } if text == "f1 isolate 2: in force"));
    five.silent = "3".parse().unwrap();
    let answers = five.ask("elect 3");
    five.pass_to(1_999_999_999);
    assert!(matches!(answers.try_recv().unwrap(), Answer::NotInForce { why, .. } if why == "no answer from 3"));
}

#[test]
fn an_order_that_the_algorithm_does_not_know_is_refused() {
    let mut five = Five::new();
    let refused = "this algorithm does not know the order `start-over`; it knows `elect`; use an order that it knows, or \
                   another algorithm: `hustings algorithms NAME` lists its orders";
    assert!(matches!(five.line("start-over 3"), Some(Answer::Refused { why }) if why == refused));
    assert!(five.seen().is_empty());
    assert!(matches!(five.line("elect 3"), Some(Answer::Done { .. })));
    assert!(five.seen().contains(&"3 told to elect".to_owned()));
}

#[test]
fn a_start_is_in_force_with_the_first_step_and_one_that_cannot_be_says_why() {
    let mut five = Five::new();
    five.step("crash 4,5");
    five.silent = "5".parse().unwrap();
    assert_eq!(five.step("recover 5"), ["f2 recover 5: 5", "5 spawned 5", "5 starts with"]);
    assert_eq!(five.orders.gives_up_at(), Some(10_000_000_000));
    five.orders.has_started(node(5));
    five.pass_to(5);
    assert_eq!(five.seen(), ["f2 in force", "f2 lifted"]);
    five.unstartable = "4".parse().unwrap();
    assert_eq!(five.step("recover 4"), ["f3 recover 4: 4", "f3 not in force: node 4 cannot be started: no store"]);
    assert_eq!(five.step("lift f1"), ["f4 lift f1: 4,5", "f4 not in force: node 4 cannot be started: no store"]);
}

#[test]
fn at_a_moment_the_step_waits_for_its_node_to_stand_and_the_node_for_the_step() {
    let mut five = Five::new();
    five.step("crash 5");
    five.order(OrderInput::Cue(ScriptAction::Arm(awaited("s", "first Halt sent"))));
    assert_eq!(five.seen(), told("1,2,3,4", " of first Halt sent"));
    five.step("recover 5");
    let lines = vec!["crash 5".parse().unwrap(), "cut 1->2".parse().unwrap()];
    five.take_step("s", lines, Some(node(4)), Some(awaited("next", "1 enters Election")));
    // What 4 still has to send for its moment may bring the next one.
    let mut seen = told("1,2,3,4,5", " of 1 enters Election");
    seen.extend(told("1,2,3,5", " to go on after s"));
    seen.push("4 told to reach s".to_owned());
    assert_eq!(five.seen(), seen);
    five.silent = "2".parse().unwrap();
    five.orders.has_come(node(4), "s".to_owned());
    five.pass_to(0);
    let mut taken = list(&["step s", "f3 crash 5: 5", "5 died by f3", "f3 in force", "f4 cut 1->2: 1,2"]);
    taken.extend(told("1,2,3,4", " f4"));
    assert_eq!(five.seen(), taken);
    five.pass_to(1_000_000_000);
    assert_eq!(five.seen(), ["f4 not in force: no answer from 2", "4 told to go on after s"]);
}

#[test]
fn a_moment_is_armed_before_the_orders_of_the_step_before_it_and_in_whom_they_start() {
    let mut five = Five::new();
    five.step("crash 5");
    five.seen.clear();
    let lines = vec!["elect 3".parse().unwrap(), "recover 5".parse().unwrap()];
    five.take_step("back", lines, None, Some(awaited("halt", "first Halt sent")));
    let mut seen = told("1,2,3,4", " of first Halt sent");
    seen.extend(list(&["step back", "f2 elect 3: 3", "3 told to elect", "f2 in force", "f2 lifted"]));
    seen.extend(list(&["f3 recover 5: 5", "5 spawned 5", "5 starts with", "5 told of first Halt sent"]));
    seen.extend(list(&["f1 lifted", "f3 in force", "f3 lifted"]));
    assert_eq!(five.seen(), seen);
}

#[test]
fn a_lost_store_waits_for_the_nodes_next_start_and_is_none_if_it_saves_before() {
    let mut five = Five::new();
    assert_eq!(five.step("wipe 4,5"), ["f1 wipe 4,5: 4,5", "f1 in force"]);
    assert_eq!(
        five.step("rollback 5"),
        ["f2 rollback 5: -", "f2 not in force: 5 is reading its store, or a wipe or rollback waits for its start"]
    );
    five.step("crash 4,5");
    // The fault is over with the last of its starts; 5 has saved meanwhile.
    assert_eq!(five.step("recover 4")[2], "4 starts with, and a wipe by f1");
    five.saves.insert(node(5), 1);
    let recovered =
        ["f5 recover 5: 5", "5 spawned 5", "5 starts with", "f1 lifted", "f3 lifted", "f5 in force", "f5 lifted"];
    assert_eq!(five.step("recover 5"), recovered);
}

#[test]
fn a_lost_store_that_no_start_has_found_can_be_called_off() {
    for line in ["lift f1", "undo", "heal all"] {
        let mut five = Five::new();
        five.step("rollback 3");
        assert!(five.step(line).contains(&"f1 lifted".to_owned()), "{line}");
        five.step("crash 3");
        assert_eq!(five.step("recover 3")[2], "3 starts with", "{line}");
    }
    // Whoever is recovered by `heal all` finds all that it saved.
    let mut five = Five::new();
    five.step("crash 3");
    five.step("wipe 3");
    assert!(five.step("heal all").contains(&"3 starts with".to_owned()));
}
