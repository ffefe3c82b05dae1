//! What a fault line does once its nodes are known, and the outcome of its order.
//!
//! Invariant: an order is in the book before any part of it is done, so no answer comes too early; it leaves the book
//! once, in force or with the reason why not, and the person or step that gave it is told.

use std::sync::mpsc::Sender;

use super::aim::{Aim, aim};
use super::book::{Awaited, Deed, Duration, OrderAim, PendingOrder, StandingFault};
use super::{Desk, Hands, OutOfReach, clocks, lies, moments, running, slow, speed, without_process};
use fault::{CellLoss, FaultEffect, FaultId, FaultLine, LinkFault, LinkRule, Links, ProcessFault, StoreLoss};
use protocol::{NodeId, NodeSet, Order};
use record::{Answer, Body, Control};
use world::ProcessState;

/// After this time a running node that has not answered no longer delays an order, in nanoseconds.
const ANSWER_WITHIN: i64 = 1_000_000_000;
/// A process that was started takes its first step within this, in nanoseconds.
const START_WITHIN: i64 = 10_000_000_000;

/// A fault line and its giver: a step of the lab, or a person who waits for the answer.
struct Ordered {
    line: FaultLine,
    text: String,
    step: Option<String>,
    reply: Option<Sender<Answer>>,
}

/// The result of carrying an order out.
struct Done {
    within: i64,
    stands: Option<Deed>,
    ends: Vec<FaultId>,
}

impl Done {
    fn within(within: i64) -> Done {
        Done { within, stands: None, ends: Vec::new() }
    }

    fn stands(deed: Deed) -> Done {
        Done { stands: Some(deed), ..Done::within(ANSWER_WITHIN) }
    }
}

/// Orders the lines of a step of the lab. Returns the ids of the faults that they became.
pub fn take_step(hands: &mut impl Hands, step: &str, lines: &[FaultLine]) -> Vec<FaultId> {
    hands.record(None, Body::StepTaken { step: step.to_owned() });
    let take = |line: &FaultLine| {
        let (line, text) = (line.clone(), line.to_string());
        order(hands, Ordered { line, text, step: Some(step.to_owned()), reply: None })
    };
    lines.iter().filter_map(take).collect()
}

/// Takes a line that a person gave.
pub fn take_line(hands: &mut impl Hands, text: &str, reply: Sender<Answer>) {
    match text.parse::<FaultLine>() {
        Ok(line) => {
            order(hands, Ordered { text: line.to_string(), line, step: None, reply: Some(reply) });
        }
        Err(error) => drop(reply.send(Answer::Refused { why: error.drawn(text) })),
    }
}

/// Carries an order out; returns the id of its fault, if it became one.
fn order(hands: &mut impl Hands, ordered: Ordered) -> Option<FaultId> {
    let aim = match aim(hands, &ordered.line) {
        Ok(aim) => aim,
        Err(why) => return refuse(hands, ordered, why.to_string()),
    };
    let Ordered { line, text, step, reply } = ordered;
    let (nodes, rule) = (aim.nodes, aim.rule.clone());
    let id = hands.desk_mut().book.next_id();
    hands.record(None, Body::FaultOrdered { id, line: line.clone(), nodes, rule, step });
    hands.desk_mut().book.wait(PendingOrder::new(id, text.clone(), OrderAim::of(&line), reply));
    let done = carry_out(hands, id, &line, &text, aim);
    let deadline = hands.wall() + done.within;
    let book = &mut hands.desk_mut().book;
    let duration = if done.stands.is_some() { Duration::Lasting } else { Duration::Momentary };
    if let Some(deed) = done.stands
        && !matches!(deed, Deed::Link(_) | Deed::Clock(_) | Deed::Liar(_))
    {
        book.enter(StandingFault { id, text, nodes, deed });
    }
    book.carried_out(id, deadline, duration, done.ends);
    advance_orders(hands);
    Some(id)
}

/// An order that means nothing now. A person is told; a step of the lab leaves a fault that never was in force.
fn refuse(hands: &mut impl Hands, ordered: Ordered, why: String) -> Option<FaultId> {
    if let Some(reply) = ordered.reply {
        // If the asker is gone, nobody wants the answer.
        let _ = reply.send(Answer::Refused { why });
        return None;
    }
    let id = hands.desk_mut().book.next_id();
    let (line, nodes) = (ordered.line, NodeSet::EMPTY);
    hands.record(None, Body::FaultOrdered { id, line, nodes, rule: None, step: ordered.step });
    hands.record(None, Body::FaultNotInForce { id, why });
    Some(id)
}

fn carry_out(hands: &mut impl Hands, id: FaultId, line: &FaultLine, text: &str, aim: Aim) -> Done {
    let Aim { nodes, rule } = aim;
    match line {
        FaultLine::Process(ProcessFault::Crash, _) => {
            let done = each(hands, id, nodes, |hands, node| crash(hands, node, id));
            lift_repaired(hands);
            if done.is_empty() { Done::within(ANSWER_WITHIN) } else { Done::stands(Deed::Crash) }
        }
        FaultLine::Process(ProcessFault::Pause, _) => {
            let period = slow::period(hands.t());
            let done = each(hands, id, nodes, |hands, node| {
                hands.desk_mut().slow.overtaken(node, period);
                pause(hands, node, id)
            });
            if done.is_empty() { Done::within(ANSWER_WITHIN) } else { Done::stands(Deed::Pause) }
        }
        FaultLine::Process(ProcessFault::Resume | ProcessFault::Recover, _) => {
            repair(hands, id, nodes);
            Done::within(START_WITHIN)
        }
        FaultLine::Process(ProcessFault::Slow(share), _) => {
            let now = hands.now();
            hands.desk_mut().slow.enter(nodes, id, *share, now);
            Done::stands(Deed::Slow)
        }
        FaultLine::Process(ProcessFault::Clock(rate), _) => {
            let deed = Deed::Clock(*rate);
            // Entered first: nodes get the content of the book.
            hands.desk_mut().book.enter(StandingFault { id, text: text.to_owned(), nodes, deed: deed.clone() });
            clocks::tell_clocks(hands, id, nodes);
            Done::stands(deed)
        }
        FaultLine::Process(ProcessFault::Liar(lie), _) => {
            let deed = Deed::Liar(*lie);
            // Entered first: nodes get the content of the book.
            hands.desk_mut().book.enter(StandingFault { id, text: text.to_owned(), nodes, deed: deed.clone() });
            lies::tell_lies(hands, id, nodes, *lie);
            Done::stands(deed)
        }
        FaultLine::Process(ProcessFault::Honest, _) => {
            Done { ends: lies::become_honest(hands, id, nodes), ..Done::within(ANSWER_WITHIN) }
        }
        FaultLine::Process(ProcessFault::Lose(loss), _) => lose(hands, id, *loss, nodes),
        FaultLine::Process(fault, _) => tell_order(hands, id, nodes, fault.order().expect("other faults stand above")),
        FaultLine::Speed(speed) => {
            let (stands, ends) = speed::change(hands, id, *speed).unwrap_or_default();
            Done { stands, ends, ..Done::within(ANSWER_WITHIN) }
        }
        FaultLine::Lift(other) => end_fault(hands, id, *other),
        FaultLine::Undo => {
            let last = hands.desk().book.standing().last().map(|fault| fault.id);
            last.map_or_else(|| Done::within(ANSWER_WITHIN), |last| end_fault(hands, id, last))
        }
        FaultLine::Link(LinkRule { effect: FaultEffect::Release(_), .. }) => {
            let rule = rule.expect("a line about links has a rule");
            let all = hands.roster().all();
            let ends = hands.desk_mut().book.release(LinkFault { id, text: text.to_owned(), rule }, all);
            tell_table(hands, id, nodes);
            Done { ends, ..Done::within(ANSWER_WITHIN) }
        }
        FaultLine::Link(LinkRule { effect: FaultEffect::Courier(_), .. }) => {
            let rule = rule.expect("a line about links has a rule");
            tell_act(hands, LinkFault { id, text: text.to_owned(), rule });
            Done::within(ANSWER_WITHIN)
        }
        FaultLine::Heal => heal(hands, id),
        FaultLine::HealAll => {
            let mut done = heal(hands, id);
            done.ends.extend(end_those_of_processes(hands, id));
            let broken = hands.that_are(ProcessState::Paused).union(&without_process(hands));
            repair(hands, id, broken);
            Done { within: START_WITHIN, ..done }
        }
        FaultLine::Link(_) => {
            let rule = rule.expect("a line about links has a rule");
            let deed = Deed::Link(rule);
            // Entered first: nodes get the table of the book.
            hands.desk_mut().book.enter(StandingFault { id, text: text.to_owned(), nodes, deed: deed.clone() });
            tell_table(hands, id, nodes);
            Done::stands(deed)
        }
    }
}

/// Gives these nodes the operator's order.
fn tell_order(hands: &mut impl Hands, id: FaultId, nodes: NodeSet, order: Order) -> Done {
    let version = hands.desk_mut().book.next_version();
    tell(hands, id, nodes, nodes, &Control::Order { version, order }, version);
    Done::within(ANSWER_WITHIN)
}

/// The nodes' next starts find their stores lost. No process has to answer: a running process does not read its store
/// again.
fn lose(hands: &mut impl Hands, id: FaultId, loss: CellLoss, nodes: NodeSet) -> Done {
    for node in nodes.iter() {
        match hands.store_mark(node) {
            Ok(mark) => hands.desk_mut().losses.enter(node, StoreLoss { by: id, loss }, mark),
            Err(why) => {
                hands.record(Some(node), Body::Note { text: format!("cannot look at its store: {why}") });
            }
        }
    }
    Done::stands(Deed::Lose)
}

/// Losses that have not happened are cancelled, no node is slow or lies any more, all clocks run at the lab's rate, and
/// lab time at this computer's; returns the faults that end with this one.
fn end_those_of_processes(hands: &mut impl Hands, by: FaultId) -> Vec<FaultId> {
    let is_of_processes = |fault: &&StandingFault| {
        matches!(fault.deed, Deed::Lose | Deed::Slow | Deed::Clock(_) | Deed::Liar(_) | Deed::Speed(_))
    };
    let ends: Vec<StandingFault> = hands.desk().book.standing().iter().filter(is_of_processes).cloned().collect();
    ends.iter().for_each(|fault| end_that_of_processes(hands, by, fault));
    ends.iter().map(|fault| fault.id).collect()
}

fn end_that_of_processes(hands: &mut impl Hands, by: FaultId, fault: &StandingFault) {
    if matches!(fault.deed, Deed::Speed(_)) && speed::end(hands, by).is_err() {
        return;
    }
    hands.desk_mut().losses.call_off(fault.id);
    hands.desk_mut().book.strike(fault.id);
    slow::end(hands, fault.id);
    match fault.deed {
        Deed::Clock(_) => clocks::tell_clocks(hands, by, fault.nodes),
        Deed::Liar(lie) => lies::tell_lies(hands, by, fault.nodes, lie),
        _ => {}
    }
}

/// Does something to each of these nodes; returns those to which it could be done. If there are others, the order has
/// failed.
fn each<H: Hands>(
    hands: &mut H,
    id: FaultId,
    nodes: NodeSet,
    deed: impl Fn(&mut H, NodeId) -> Result<(), OutOfReach>,
) -> NodeSet {
    let mut done = nodes;
    for node in nodes.iter() {
        if let Err(why) = deed(hands, node) {
            hands.desk_mut().book.refuse(id, why.to_string());
            done.remove(node);
        }
    }
    done
}

/// Stops a process. What it must still acknowledge it reads before anything else when it goes on. The error says why it
/// runs, and has been recorded.
pub fn pause(hands: &mut impl Hands, node: NodeId, by: FaultId) -> Result<(), OutOfReach> {
    if let Err(error) = hands.pause(node, by) {
        hands.record(Some(node), Body::Note { text: format!("cannot be stopped: {error}") });
        return Err(OutOfReach::Runs { node, error });
    }
    hands.desk_mut().book.overtaken(node);
    Ok(())
}

/// Lets those of the nodes that are stopped go on.
pub fn go_on(hands: &mut impl Hands, nodes: NodeSet) {
    for node in nodes.intersection(&hands.that_are(ProcessState::Paused)).iter() {
        // It reads the faults that are in force now before anything else.
        let book = &mut hands.desk_mut().book;
        let faults = Control::Faults { version: book.next_version(), faults: book.table() };
        if let Err(why) = hands.go_on(node, &faults) {
            hands.record(Some(node), Body::Note { text: format!("cannot go on: {why}") });
        }
    }
}

/// Kills a process. The error says why it has not ended, and has been recorded.
fn crash(hands: &mut impl Hands, node: NodeId, by: FaultId) -> Result<(), OutOfReach> {
    if hands.call_off_start(node) {
        let why = format!("{node} was crashed before its process was started");
        hands.desk_mut().book.refuse_start(node, &why);
    }
    if let Err(error) = hands.crash(node, by) {
        hands.record(Some(node), Body::Note { text: format!("was killed, but {error}") });
        return Err(OutOfReach::Lives { node, error });
    }
    hands.desk_mut().book.overtaken(node);
    Ok(())
}

/// Continues those of the nodes that are stopped, and starts the dead ones.
fn repair(hands: &mut impl Hands, id: FaultId, nodes: NodeSet) {
    go_on(hands, nodes);
    for node in nodes.intersection(&without_process(hands)).iter() {
        hands.desk_mut().book.await_from(id, NodeSet::of(node), Awaited::FirstStep);
        if let Err(why) = hands.start(node) {
            hands.desk_mut().book.refuse_start(node, &why.to_string());
        }
    }
    lift_repaired(hands);
}

/// Crashes and pauses end when all their nodes run again.
pub fn lift_repaired(hands: &mut impl Hands) {
    let (dead, stopped) = (without_process(hands), hands.that_are(ProcessState::Paused));
    let Desk { book, losses, .. } = hands.desk_mut();
    for id in book.strike_repaired(dead, stopped, losses) {
        hands.record(None, Body::FaultLifted { id });
    }
}

fn end_fault(hands: &mut impl Hands, id: FaultId, other: FaultId) -> Done {
    let Some(fault) = hands.desk().book.standing().iter().find(|fault| fault.id == other).cloned() else {
        return Done::within(ANSWER_WITHIN);
    };
    match fault.deed {
        Deed::Crash | Deed::Pause => {
            repair(hands, id, fault.nodes);
            Done::within(START_WITHIN)
        }
        Deed::Lose | Deed::Slow | Deed::Clock(_) | Deed::Liar(_) | Deed::Speed(_) => {
            end_that_of_processes(hands, id, &fault);
            Done { ends: vec![other], ..Done::within(ANSWER_WITHIN) }
        }
        Deed::Link(_) => {
            hands.desk_mut().book.strike(other);
            tell_table(hands, id, fault.nodes);
            Done { ends: vec![other], ..Done::within(ANSWER_WITHIN) }
        }
    }
}

fn heal(hands: &mut impl Hands, id: FaultId) -> Done {
    let ends = hands.desk_mut().book.strike_links();
    let all = hands.roster().all();
    tell_table(hands, id, all);
    Done { ends, ..Done::within(ANSWER_WITHIN) }
}

/// Sends every node the table of link faults: a running node now, a stopped one before it goes on, a dead one before it
/// opens its sockets. Waits for the answers of `concerned`.
fn tell_table(hands: &mut impl Hands, id: FaultId, concerned: NodeSet) {
    let book = &mut hands.desk_mut().book;
    let version = book.next_version();
    let control = Control::Faults { version, faults: book.table() };
    let running = running(hands);
    tell(hands, id, running, concerned, &control, version);
}

/// Tells the receiver of a held link what to do to one datagram, and waits for its answer.
fn tell_act(hands: &mut impl Hands, act: LinkFault) {
    let Links::To { to: receiver, .. } = act.rule.links else { return };
    let (id, version) = (act.id, hands.desk_mut().book.next_version());
    tell(hands, id, receiver, receiver, &Control::Courier { version, act }, version);
}

/// Sends these nodes a message; waits for the answers of those that are concerned.
pub(super) fn tell(
    hands: &mut impl Hands,
    id: FaultId,
    nodes: NodeSet,
    concerned: NodeSet,
    control: &Control,
    version: u64,
) {
    let awaited = Awaited::Acknowledgement(version);
    hands.desk_mut().book.await_from(id, nodes.intersection(&concerned), awaited);
    for node in nodes.iter() {
        // A node that does not get it will not acknowledge it, and is named then.
        hands.tell(node, control);
    }
}

/// Reports the orders that came into force, and those that are given up by now.
pub fn advance_orders(hands: &mut impl Hands) {
    let (now, wall) = (hands.now(), hands.wall());
    slow::take_turns(hands, now);
    for order in hands.desk_mut().book.take_decided(wall) {
        let id = order.id;
        let answer = if order.is_in_force() {
            hands.record(None, Body::FaultInForce { id });
            for over in &order.ends {
                hands.record(None, Body::FaultLifted { id: *over });
            }
            if order.duration == Duration::Momentary {
                hands.record(None, Body::FaultLifted { id });
            }
            Answer::Done { id: Some(id), text: order.told() }
        } else {
            let silent: NodeSet = order.waiting.iter().map(|(node, _)| *node).collect();
            let why = order.refusal.unwrap_or_else(|| format!("no answer from {silent}"));
            hands.record(None, Body::FaultNotInForce { id, why: why.clone() });
            Answer::NotInForce { id, why }
        };
        if let Some(reply) = order.reply {
            // If the asker is gone, nobody wants the answer.
            let _ = reply.send(answer);
        }
    }
    moments::advance(hands);
}
