//! The keys that break and mend: each is a fault line.
//!
//! Invariant: a fault that may not be ordered is refused with a sentence, and no line is sent.

use super::requests::ask;
use crate::input::action::Action;
use crate::input::message::Command;
use crate::input::prompt::{Prompt, PromptKind};
use crate::model::places::Screen;
use crate::model::{Model, NoFaults, Tone, Viewpoint};
use fault::{Cut, FaultEffect, FaultLine, LabSpeed, LinkRule, Links, ProcessFault, Target, proposal};
use protocol::{NodeId, NodeSet, Span};
use record::Request;
use script::Steps;
use world::{NodeView, ProcessState};

/// Does what a fault key does.
pub fn perform(model: &mut Model, action: Action) -> Vec<Command> {
    attempt(model, action).unwrap_or_else(|why| {
        model.tell(Tone::Bad, why.to_string());
        Vec::new()
    })
}

/// Orders this line.
pub fn order(model: &mut Model, line: &FaultLine) -> Vec<Command> {
    match model.permission() {
        Ok(()) => ask(model, inject(line)),
        Err(why) => {
            model.tell(Tone::Bad, why.to_string());
            Vec::new()
        }
    }
}

/// Does what a fault key does, if it can.
///
/// # Errors
/// When it can do nothing here; nothing was done.
pub fn attempt(model: &mut Model, action: Action) -> Result<Vec<Command>, NothingToOrder> {
    Ok(match lines(model, action)? {
        KeyOutcome::Order(lines) => lines.iter().flat_map(|line| ask(model, inject(line))).collect(),
        KeyOutcome::Ask(text) => {
            model.dialogs.prompt = Some(Prompt::new(PromptKind::Palette, text));
            Vec::new()
        }
        KeyOutcome::PlaySteps => ask(model, Request::PlaySteps),
    })
}

/// The request that orders a line.
pub fn inject(line: &FaultLine) -> Request {
    Request::Inject(line.to_string())
}

/// The line that is proposed for this verb, about what the marked nodes or the selected node send.
pub fn proposed(model: &Model, verb: &str) -> Option<String> {
    proposed_for(model, verb, targets(model).ok()?)
}

/// Why a fault key does nothing.
#[derive(Debug, thiserror::Error)]
pub enum NothingToOrder {
    #[error(transparent)]
    NoFaults(#[from] NoFaults),
    #[error("The lab's steps are already being played.")]
    StepsArePlayed,
    #[error("This lab has no steps of its own.")]
    NoSteps,
    #[error("Nothing in this lab takes orders: its file has no `[application]` that does.")]
    NoOrders,
    #[error("There is no node yet.")]
    NoNode,
    #[error("No node is marked. Mark nodes on screen 1, or write the line after `:`.")]
    NoneMarked,
    #[error("{nodes} has no process to pause; `{key}` recovers it.")]
    NoProcess { nodes: NodeSet, key: String },
}

/// The result of a fault key.
enum KeyOutcome {
    Order(Vec<FaultLine>),
    Ask(String),
    PlaySteps,
}

fn lines(model: &Model, action: Action) -> Result<KeyOutcome, NothingToOrder> {
    model.permission()?;
    let order = |line: FaultLine| Ok(KeyOutcome::Order(vec![line]));
    match action {
        Action::Undo => return order(FaultLine::Undo),
        Action::HealAll => return order(FaultLine::HealAll),
        Action::SlowMotion => return Ok(KeyOutcome::Ask(speed_line(model))),
        Action::PlaySteps => {
            return match model.steps() {
                _ if model.has_no_steps() => Err(NothingToOrder::NoSteps),
                Steps::Held => Ok(KeyOutcome::PlaySteps),
                Steps::Playing => Err(NothingToOrder::StepsArePlayed),
            };
        }
        _ => {}
    }
    let nodes = targets(model)?;
    let target = Target::Nodes(nodes);
    match action {
        Action::Crash => order(FaultLine::Process(ProcessFault::Crash, target)),
        Action::Recover => order(FaultLine::Process(ProcessFault::Recover, target)),
        Action::Elect => order(FaultLine::Process(ProcessFault::Elect, target)),
        Action::OrderApplication => match order_of_application(model) {
            Some(fault) => order(FaultLine::Process(fault, target)),
            None => Err(NothingToOrder::NoOrders),
        },
        Action::PauseOrResume => pause_or_resume(model, nodes).map(KeyOutcome::Order),
        Action::IsolateOrRejoin => Ok(KeyOutcome::Order(isolate_or_rejoin(model, nodes))),
        Action::Loss => Ok(KeyOutcome::Ask(proposed_for(model, "loss", nodes).expect("a loss is proposed"))),
        Action::Delay => Ok(KeyOutcome::Ask(proposed_for(model, "delay", nodes).expect("a delay is proposed"))),
        Action::LieOrBeHonest => Ok(lie_or_be_honest(model, nodes)),
        Action::Partition => Ok(KeyOutcome::Ask(format!("partition {nodes}|{}", others(model, nodes)))),
        other => unreachable!("{other:?} is no fault key"),
    }
}

/// The order that the lab's application takes, if it takes one.
fn order_of_application(model: &Model) -> Option<ProcessFault> {
    let words = &model.application()?.orders;
    [ProcessFault::Update(1), ProcessFault::Request]
        .into_iter()
        .find(|order| words.iter().any(|word| word == order.verb()))
}

/// Another speed, or the line that ends slow motion.
fn speed_line(model: &Model) -> String {
    let is_plain = model.time.scene.world.speed == LabSpeed::PLAIN;
    if is_plain { "speed ".to_owned() } else { FaultLine::Speed(LabSpeed::PLAIN).to_string() }
}

fn targets(model: &Model) -> Result<NodeSet, NothingToOrder> {
    if !model.places.marked.is_empty() {
        return Ok(model.places.marked);
    }
    match (model.places.screen, model.selected_node()) {
        (Screen::Overview, Some(node)) => Ok(NodeSet::of(node)),
        (Screen::Overview, None) => Err(NothingToOrder::NoNode),
        _ => Err(NothingToOrder::NoneMarked),
    }
}

fn proposed_for(model: &Model, verb: &str, nodes: NodeSet) -> Option<String> {
    let t = model.head.as_ref().map_or(Span::from_millis(400), |head| head.timing.t);
    proposal(verb, nodes, t)
}

fn others(model: &Model, nodes: NodeSet) -> String {
    let all: NodeSet = model.time.scene.world.nodes.keys().copied().collect();
    let rest = all.minus(&nodes);
    if rest.is_empty() { String::new() } else { rest.to_string() }
}

/// Stopped nodes go on, running nodes stop.
fn pause_or_resume(model: &Model, nodes: NodeSet) -> Result<Vec<FaultLine>, NothingToOrder> {
    let state = |node| {
        let is_silent = model.vantage == Viewpoint::Node(node) && model.silent_since().is_some();
        let state = model.time.scene.world.nodes.get(&node).map_or(ProcessState::Absent, |view| view.process);
        if is_silent { ProcessState::Paused } else { state }
    };
    let paused: NodeSet = nodes.iter().filter(|node| state(*node) == ProcessState::Paused).collect();
    let running: NodeSet = nodes.iter().filter(|node| state(*node).runs()).collect();
    let mut lines = Vec::new();
    if !paused.is_empty() {
        lines.push(FaultLine::Process(ProcessFault::Resume, Target::Nodes(paused)));
    }
    if !running.is_empty() {
        lines.push(FaultLine::Process(ProcessFault::Pause, Target::Nodes(running)));
    }
    if lines.is_empty() { Err(NothingToOrder::NoProcess { nodes, key: model.key(Action::Recover) }) } else { Ok(lines) }
}

/// Liars are honest again; the others are to lie, and the person says how.
fn lie_or_be_honest(model: &Model, nodes: NodeSet) -> KeyOutcome {
    let is_liar = |node: &NodeId| model.time.scene.world.nodes.get(node).is_some_and(NodeView::is_liar);
    let liars: NodeSet = nodes.iter().filter(is_liar).collect();
    if liars.is_empty() {
        KeyOutcome::Ask(format!("liar {nodes} "))
    } else {
        KeyOutcome::Order(vec![FaultLine::Process(ProcessFault::Honest, Target::Nodes(liars))])
    }
}

/// Ends the isolations of these nodes; if there are none, isolates the nodes.
fn isolate_or_rejoin(model: &Model, nodes: NodeSet) -> Vec<FaultLine> {
    let isolations = model.time.scene.world.active_faults().filter(|fault| match &fault.rule {
        Some(LinkRule { links: Links::Around(isolated), .. }) => !isolated.intersection(&nodes).is_empty(),
        _ => false,
    });
    let lifts: Vec<FaultLine> = isolations.map(|fault| FaultLine::Lift(fault.id)).collect();
    if !lifts.is_empty() {
        return lifts;
    }
    let links = Links::Around(Target::Nodes(nodes));
    vec![FaultLine::Link(LinkRule { links, effect: FaultEffect::Cut(Cut { channel: None }) })]
}
