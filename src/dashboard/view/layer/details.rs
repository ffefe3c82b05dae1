//! All about one row: a record with its message and the listing's lines, a node, a fault.
//!
//! A node's state has what it holds of an election by capacity (King, Gendreau and Ni 1988) and of the lab's application.
//!
//! Invariants: everything here comes from the record or the world; nothing is computed again. A candidate list is shown
//! with its entries, even if only the length of its part of `S` came.

use super::page::{LinkTarget, Page, PageWriter};
use super::violations;
use crate::model::row::{Row, death_words, message_words};
use crate::model::{Model, Subject};
use crate::view::paint;
use crate::view::words::fault::{receipt_lines, state_words};
use fault::FaultId;
use protocol::{Assumption, Ballot, Lie, Lists, NodeId, Standing, StateVector, Task};
use record::{Body, BrokenReport, EffectText, Input, MessageId, MessageText, Origin, Step, ViolationReport};

/// All about a record.
pub fn of_row(model: &Model, row: &Row, width: u16) -> Page {
    let mut sheet = PageWriter::new(&model.theme, width);
    let record = &row.record;
    if let Body::Violation(report) = &record.body {
        violations::paragraphs(model, &mut sheet, report);
    } else {
        sheet.text(&row.text);
    }
    match &record.body {
        Body::Violation(report) => violation_lines(model, &mut sheet, report),
        Body::AssumptionBroken(report) => broken_lines(model, &mut sheet, report),
        Body::FaultOrdered { id, .. }
        | Body::FaultInForce { id }
        | Body::FaultNotInForce { id, .. }
        | Body::FaultLifted { id } => {
            sheet.heading("the fault");
            fault_link(model, &mut sheet, "fault", *id);
        }
        _ => {}
    }
    sheet.heading("record");
    if record.number > 0 {
        sheet.field("number", &record.number.to_string());
    }
    sheet.field("time", &format!("{} s", paint::seconds(record.at, 9)));
    if let Some(node) = record.node {
        sheet.field("node", &node.to_string());
    }
    match &record.body {
        Body::Step(step) => step_lines(model, &mut sheet, step),
        Body::Dropped { id, message, .. }
        | Body::Held { id, message, .. }
        | Body::Spoiled { id, message, .. }
        | Body::Late { id, message, .. } => {
            message_lines(&mut sheet, id, message.as_ref());
        }
        Body::Garbled { id, was, .. } => message_lines(&mut sheet, id, Some(was)),
        Body::Stale { id }
        | Body::Released { id, .. }
        | Body::PutFirst { id, .. }
        | Body::SendFailed { id, .. }
        | Body::Copy { id, .. }
        | Body::Duplicated { id, .. }
        | Body::Reordered { id, .. } => message_lines(&mut sheet, id, None),
        _ => {}
    }
    // The record of a violation says nothing besides what stands above.
    if !matches!(record.body, Body::Violation(_)) {
        sheet.heading("as it stands in the session");
        sheet.text(&record.to_line());
    }
    sheet.into_page("record")
}

/// Which promise was broken, and what led to that.
fn violation_lines(model: &Model, sheet: &mut PageWriter<'_>, report: &ViolationReport) {
    sheet.heading("what it contradicts, and what led to it");
    sheet.link(LinkTarget::To(Subject::Promise(report.property)));
    sheet.field("promise", &format!("{}: {}", report.property, report.property.sentence()));
    match report.because() {
        Some(assumption) => assumption_link(sheet, assumption),
        None => sheet.field("assumption", "none that was broken excuses it"),
    }
    match report.by() {
        Some(by) => fault_link(model, sheet, "broken by", by),
        None if report.is_by_machine() => sheet.field("broken by", "this computer"),
        None => {}
    }
}

/// Which assumption was broken, and by what.
fn broken_lines(model: &Model, sheet: &mut PageWriter<'_>, report: &BrokenReport) {
    sheet.heading("what was broken");
    assumption_link(sheet, report.broken.assumption);
    match report.broken.by.fault() {
        Some(by) => fault_link(model, sheet, "broken by", by),
        None => sheet.field("broken by", "this computer"),
    }
}

fn assumption_link(sheet: &mut PageWriter<'_>, assumption: Assumption) {
    sheet.link(LinkTarget::To(Subject::Assumption(assumption)));
    sheet.field("assumption", &format!("{}: {}", assumption.number(), assumption.sentence()));
}

fn fault_link(model: &Model, sheet: &mut PageWriter<'_>, name: &str, id: FaultId) {
    let fault = model.seen().world.faults.iter().find(|fault| fault.id == id);
    let line = fault.map_or_else(String::new, |fault| format!(": {}", fault.line));
    sheet.link(LinkTarget::To(Subject::Fault(id)));
    sheet.field(name, &format!("{id}{line}"));
}

fn step_lines(model: &Model, sheet: &mut PageWriter<'_>, step: &Step) {
    sheet.field("step", &format!("{} of start {}", step.step, step.incarnation));
    if model.has_criterion() {
        sheet.field("capacity", &step.capacity.to_string());
    }
    sheet.heading("the machine was given");
    match &step.input {
        Input::Start { saved } => {
            let cells = if *saved { "its safe cells held something" } else { "its safe cells were empty" };
            sheet.text(&format!("  a start; {cells}"));
        }
        Input::Message { id, message } => message_lines(sheet, id, Some(message)),
        Input::Timer { timer, set, due, waited_for } => {
            let stamp = |at: u64| format!("{} s", paint::seconds(i64::try_from(at).unwrap_or(i64::MAX), 3));
            sheet.field("timer", timer);
            sheet.field("set", &stamp(*set));
            sheet.field("due", &stamp(*due));
            if !waited_for.is_empty() {
                sheet.field("waited for", &waited_for.to_string());
            }
        }
        Input::Order { order } => sheet.text(&format!("  an order of the operator: {order}")),
    }
    if !step.lies.is_empty() {
        sheet.heading("the process lied");
        for told in &step.lies {
            let to = if told.to.is_empty() { "nobody".to_owned() } else { told.to.to_string() };
            let attacks = told.attacks.map_or_else(String::new, |promise| format!("; it attacks {promise}"));
            sheet.text(&format!("  {} to {to}: it {}{attacks}", told.lie, told.what));
        }
    }
    listing_lines(model, sheet, step);
    sheet.heading("it answered");
    let carried_out = step.effects_around_hold().0.len();
    for (index, effect) in step.effects.iter().enumerate() {
        if index == carried_out {
            held_line(sheet, step);
        }
        match effect {
            EffectText::Send { id, message } => {
                let to = id.to.map_or_else(|| "*".to_owned(), |to| to.to_string());
                sheet.text(&format!("  -> {to}  {}  (number {})", message_words(message), id.sequence));
            }
            EffectText::SetTimer { timer, span } => sheet.text(&format!("  timer in {span}: {timer}")),
            EffectText::CancelTimer { timer } => sheet.text(&format!("  timer stopped: {timer}")),
            EffectText::Save { body } => sheet.text(&format!("  saved {body}")),
            EffectText::Help { text } => sheet.text(&format!("  help: {text}")),
        }
    }
    if step.effects.is_empty() {
        sheet.text("  nothing");
    }
    if carried_out == step.effects.len() {
        held_line(sheet, step);
    }
    if let Some(state) = &step.state {
        sheet.heading("its state is now");
        state_lines(sheet, state);
    }
}

/// Where the step was held, if it was.
fn held_line(sheet: &mut PageWriter, step: &Step) {
    if let Some(hold) = &step.held {
        sheet.text(&format!("  -- held here by step {}; the rest happens when the node goes on --", hold.by));
    }
}

/// The lines of the algorithm's listing that the step went through.
fn listing_lines(model: &Model, sheet: &mut PageWriter<'_>, step: &Step) {
    let facts = model.head.as_ref().map(|head| &head.facts);
    let title = facts
        .map_or_else(|| "lines of the listing".to_owned(), |facts| format!("lines of the listing ({})", facts.paper));
    sheet.heading(&title);
    for number in &step.lines {
        let text = match facts.and_then(|facts| facts.line(*number)) {
            Some(line) => format!("{}: {}", line.procedure, line.text),
            None => "a line that the session's head does not list".to_owned(),
        };
        sheet.field(&format!("line {number}"), &text);
    }
    if step.lines.is_empty() {
        sheet.text("  none");
    }
}

fn message_lines(sheet: &mut PageWriter<'_>, id: &MessageId, message: Option<&MessageText>) {
    sheet.field("from", &format!("{}, start {}", id.from, id.incarnation));
    sheet.field("to", &id.to.map_or_else(|| "all, by multicast".to_owned(), |to| to.to_string()));
    sheet.field("sequence", &id.sequence.to_string());
    if let Some(message) = message {
        sheet.field("message", &message.kind);
        for (name, value) in &message.fields {
            sheet.field(&format!("  {name}"), value);
        }
        sheet.field("body", &message.body);
    }
}

fn state_lines(sheet: &mut PageWriter<'_>, state: &StateVector) {
    if state.stands_by() {
        // It is in no election.
        return work_lines(sheet, state);
    }
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    sheet.field("status", &state.status.to_string());
    if !state.word.is_empty() && state.word != state.status.to_string() {
        sheet.field("in the paper", &state.word);
    }
    sheet.field("coordinator", &or_none(state.coordinator.map(|node| node.to_string())));
    // What it does not hold, or its algorithm does not have, has no row.
    let others = [
        ("group", state.group.map(|group| group.to_string())),
        ("task", state.task.map(task_words)),
        ("members", (!state.up.is_empty()).then(|| state.up.to_string())),
        ("halted by", state.halted_by.map(|node| node.to_string())),
    ];
    for (name, value) in others {
        value.into_iter().for_each(|value| sheet.field(name, &value));
    }
    if let Some(election) = state.election {
        sheet.field("election", &election.to_string());
    }
    if let Some(ballot) = &state.ballot {
        ballot_lines(sheet, ballot);
    }
    work_lines(sheet, state);
}

/// The fields of an application's work.
fn work_lines(sheet: &mut PageWriter<'_>, state: &StateVector) {
    for (name, value) in state.work.iter().flat_map(|work| application::fields(work)) {
        sheet.field(name, &value);
    }
}

/// `of 5 in its start 1, number 1, for 1-4`.
fn task_words(task: Task) -> String {
    format!("of {} in its start {}, number {}, for {}", task.author, task.incarnation, task.serial, task.members)
}

/// All about a node.
pub fn of_node(model: &Model, node: NodeId, width: u16) -> Page {
    let mut sheet = PageWriter::new(&model.theme, width);
    let Some(view) = model.seen().world.nodes.get(&node) else {
        sheet.text("Nothing is known of it.");
        return sheet.into_page(format!("node {node}"));
    };
    sheet.heading("its process");
    let (_, word, _) = model.theme.process(view.process);
    sheet.field("state", &format!("{word} since {} s", paint::seconds(view.since, 3)));
    // A simulated process has none of these.
    let live = model.head.as_ref().filter(|head| head.origin == Origin::Live);
    if let Some(head) = live {
        let port = u32::from(head.base_port) + u32::from(node.get());
        sheet.field("address", &format!("127.0.0.1:{port}"));
    }
    if let (Some(pid), Some(_)) = (view.pid, live) {
        sheet.field("pid", &pid.to_string());
    }
    if let Some(incarnation) = view.incarnation {
        sheet.field("starts", &incarnation.to_string());
    }
    if let Some(clock) = view.clock {
        sheet.field("clock", &format!("its timers run at {}, by {}", clock.rate, clock.by));
    }
    if !view.lies.is_empty() {
        let says: Vec<&str> = view.lies.iter().map(Lie::says).collect();
        sheet.field("liar", &format!("{}: it {}", view.lies, says.join(", and ")));
    }
    if let Some(heard) = view.heard {
        sheet.field("last step", &format!("at {} s", paint::seconds(heard, 3)));
    }
    if let Some(death) = &view.death {
        sheet.field("last death", &death_words(death));
    }
    let stands_by = view.state.as_ref().is_some_and(StateVector::stands_by);
    sheet.heading(if stands_by { "what the resource holds" } else { "what it holds of the election" });
    match &view.state {
        Some(state) => {
            state_lines(&mut sheet, state);
            if let Some(capacity) = view.capacity.filter(|_| model.has_criterion() && !stands_by) {
                sheet.field("capacity", &format!("{capacity}, as it came into its latest election"));
            }
        }
        None => sheet.text("  nothing: it has taken no step, or is dead"),
    }
    if let Some(help) = &view.help {
        sheet.heading("it called for help");
        sheet.text(&format!("  {help}"));
    }
    if !view.timers.is_empty() {
        sheet.heading("its timers");
        for timer in &view.timers {
            let (set, due) = (paint::seconds(timer.set, 3), paint::seconds(timer.due, 3));
            sheet.field(&timer.name, &format!("due at {due} s, set at {set} s"));
        }
    }
    let about: Vec<_> = model.seen().world.faults_about(node).collect();
    if !about.is_empty() {
        sheet.heading("faults that have not ended");
        for fault in about {
            let (_, words, _) = state_words(fault, &model.theme);
            sheet.link(LinkTarget::To(Subject::Fault(fault.id)));
            sheet.field(&fault.id.to_string(), &format!("{} ({words})", fault.line));
        }
    }
    sheet.into_page(format!("node {node}"))
}

/// All about a fault.
pub fn of_fault(model: &Model, id: FaultId, width: u16) -> Page {
    let mut sheet = PageWriter::new(&model.theme, width);
    let Some(fault) = model.seen().world.faults.iter().find(|fault| fault.id == id) else {
        sheet.text("It has not been ordered yet.");
        return sheet.into_page(format!("fault {id}"));
    };
    sheet.text(&fault.line.to_string());
    sheet.heading("how it stands");
    let stamp = |at: Option<i64>| at.map_or_else(|| "-".to_owned(), |at| format!("{} s", paint::seconds(at, 3)));
    sheet.field("state", &state_words(fault, &model.theme).1);
    sheet.field("about", &fault.nodes.to_string());
    let by = fault.step.as_ref().map_or_else(|| "by hand".to_owned(), |step| format!("by step {step}"));
    sheet.field("ordered", &format!("{} {by}", stamp(Some(fault.ordered))));
    sheet.field("in force", &stamp(fault.in_force));
    sheet.field("over", &stamp(fault.lifted));
    if fault.is_active() {
        sheet.field("to end it", &format!("`:lift {id}`"));
    }
    let (dropped, held) = fault.totals();
    let tampered = match fault.tampered() {
        0 => String::new(),
        count => format!(", tampered with {count}"),
    };
    let counts = match fault.rule {
        Some(_) => format!(": dropped {dropped}, held {held}{tampered}"),
        None => String::new(),
    };
    sheet.heading(&format!("what it did{counts}"));
    for line in receipt_lines(fault, &model.seen().world.faults) {
        sheet.text(&line);
    }
    sheet.into_page(format!("fault {id}"))
}

/// The fields of a ballot, below those of the state vector.
fn ballot_lines(sheet: &mut PageWriter<'_>, ballot: &Ballot) {
    let stands_with = ballot.stands_with.map_or_else(|| "-".to_owned(), |capacity| capacity.to_string());
    sheet.field("stands with", &stands_with);
    if ballot.announcements > 0 {
        let times = if ballot.announcements == 1 { "time" } else { "times" };
        sheet.field("announced", &format!("itself, {} {times}", ballot.announcements));
    }
    if let Some(lists) = &ballot.lists {
        of_lists(sheet, lists);
    }
}

fn of_lists(sheet: &mut PageWriter<'_>, lists: &Lists) {
    sheet.field("S", &list(&lists.candidates));
    for (place, (from, received)) in lists.received.iter().enumerate() {
        let name = if place == 0 { "Y" } else { "" };
        sheet.field(name, &format!("{from} has {}", list(lists.entries(received))));
    }
    if let Some(decided) = &lists.decided {
        sheet.field("el(Y)", &format!("{} decided", list(decided)));
    }
}

fn list(entries: &[Standing]) -> String {
    let told: Vec<String> = entries.iter().map(|(node, capacity)| format!("{node}:{capacity}")).collect();
    format!("[{}]", told.join(" "))
}
