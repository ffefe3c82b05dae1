//! The keys that break and mend: each is a fault line.
//!
//! Invariant: a fault that may not be given is refused with a sentence, and no line leaves.

use super::{Command, ask};
use crate::dashboard::action::Action;
use crate::dashboard::model::{Contact, Feed, Live, Model, Screen, Tone, Vantage};
use crate::dashboard::prompt::{Prompt, PromptKind};
use crate::dashboard::{Access, Steps};
use crate::fault::{FaultLine, LinkRule, Target};
use crate::judge::ProcessState;
use crate::protocol::NodeSet;
use crate::record::Request;

/// Does what a fault key does.
pub fn perform(model: &mut Model, action: Action) -> Vec<Command> {
    match lines(model, action) {
        Ok(Deed::Order(lines)) => lines.iter().flat_map(|line| ask(model, inject(line))).collect(),
        Ok(Deed::Ask(text)) => {
            model.prompt = Some(Prompt::new(PromptKind::Palette, text));
            Vec::new()
        }
        Ok(Deed::PlaySteps) => ask(model, Request::PlaySteps),
        Err(why) => {
            model.tell(Tone::Bad, why);
            Vec::new()
        }
    }
}

/// Whether a fault may be given here; if not, why.
pub fn permission(model: &Model) -> Result<(), String> {
    match &model.feed {
        Feed::Replay(_) => Err("Faults are off in a replay: what happened has happened.".into()),
        _ if model.access == Access::ReadOnly => {
            Err("This screen is read-only and gives no faults; `hustings watch` without --read-only does.".into())
        }
        Feed::Live(Live { contact: Contact::Ended(_) | Contact::Gone, .. }) => {
            Err("The lab is over; there is nothing left to break.".into())
        }
        Feed::Live(_) | Feed::Simulated(_) => Ok(()),
    }
}

/// The request that orders a line.
pub fn inject(line: &FaultLine) -> Request {
    Request::Inject(line.to_string())
}

/// What a fault key comes to.
enum Deed {
    Order(Vec<FaultLine>),
    Ask(String),
    PlaySteps,
}

fn lines(model: &Model, action: Action) -> Result<Deed, String> {
    permission(model)?;
    let order = |line: FaultLine| Ok(Deed::Order(vec![line]));
    match action {
        Action::Undo => return order(FaultLine::Undo),
        Action::HealAll => return order(FaultLine::HealAll),
        Action::PlaySteps => {
            return match model.steps() {
                Steps::Held => Ok(Deed::PlaySteps),
                Steps::Playing => Err("The lab's steps are already being played.".into()),
            };
        }
        _ => {}
    }
    let nodes = targets(model)?;
    let target = Target::Nodes(nodes);
    match action {
        Action::Crash => order(FaultLine::Crash(target)),
        Action::Recover => order(FaultLine::Recover(target)),
        Action::Elect => order(FaultLine::Elect(target)),
        Action::PauseOrResume => pause_or_resume(model, nodes).map(Deed::Order),
        Action::IsolateOrRejoin => Ok(Deed::Order(isolate_or_rejoin(model, nodes))),
        Action::Loss => Ok(Deed::Ask(format!("loss {nodes}->* 30%"))),
        Action::Delay => {
            let span = model.head.as_ref().map_or_else(|| "400ms".to_owned(), |head| head.timing.t.to_string());
            Ok(Deed::Ask(format!("delay {nodes}->* {span}")))
        }
        Action::Partition => Ok(Deed::Ask(format!("partition {nodes}|{}", others(model, nodes)))),
        other => unreachable!("{other:?} is no fault key"),
    }
}

fn targets(model: &Model) -> Result<NodeSet, String> {
    if !model.marked.is_empty() {
        return Ok(model.marked);
    }
    match (model.screen, model.selected_node()) {
        (Screen::Overview, Some(node)) => Ok(NodeSet::of(node)),
        (Screen::Overview, None) => Err("There is no node yet.".into()),
        (Screen::Messages | Screen::Faults, _) => {
            Err("No node is marked. Mark nodes on screen 1, or write the line after `:`.".into())
        }
    }
}

fn others(model: &Model, nodes: NodeSet) -> String {
    let all: NodeSet = model.scene.world.nodes.keys().copied().collect();
    let rest = all.minus(&nodes);
    if rest.is_empty() { String::new() } else { rest.to_string() }
}

/// Those that stand still go on, those that run stop.
fn pause_or_resume(model: &Model, nodes: NodeSet) -> Result<Vec<FaultLine>, String> {
    let state = |node| {
        let is_silent = model.vantage == Vantage::Node(node) && model.silent_since().is_some();
        let state = model.scene.world.nodes.get(&node).map_or(ProcessState::Absent, |view| view.process);
        if is_silent { ProcessState::Paused } else { state }
    };
    let paused: NodeSet = nodes.iter().filter(|node| state(*node) == ProcessState::Paused).collect();
    let running: NodeSet = nodes.iter().filter(|node| state(*node).runs()).collect();
    let mut lines = Vec::new();
    if !paused.is_empty() {
        lines.push(FaultLine::Resume(Target::Nodes(paused)));
    }
    if !running.is_empty() {
        lines.push(FaultLine::Pause(Target::Nodes(running)));
    }
    if lines.is_empty() { Err(format!("{nodes} has no process to pause; `r` recovers it.")) } else { Ok(lines) }
}

/// Isolations of these nodes end; if there are none, the nodes are isolated.
fn isolate_or_rejoin(model: &Model, nodes: NodeSet) -> Vec<FaultLine> {
    let isolations = model.scene.world.active_faults().filter(|fault| match &fault.rule {
        Some(LinkRule::Isolate(isolated)) => !isolated.intersection(&nodes).is_empty(),
        _ => false,
    });
    let lifts: Vec<FaultLine> = isolations.map(|fault| FaultLine::Lift(fault.id)).collect();
    if lifts.is_empty() { vec![FaultLine::Isolate(Target::Nodes(nodes))] } else { lifts }
}
