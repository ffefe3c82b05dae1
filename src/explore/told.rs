//! Actions and states in words, and a way as a story.
//!
//! Invariant: what is told of a way is what the model does on it.

use stateright::Model;

use super::action::{ActionKind, LabAction};
use super::frame::{FaultKind, LabFrame, PackedState, ProcessActivity, UnderWay, ends};
use super::model::LabModel;
use super::search::FoundWay;
use super::tables::at_place;
use protocol::{Status, Task};

/// One event of a way: its tick, and what happens as a sentence.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct WayEvent {
    pub tick: u16,
    /// What happens, and what the nodes become by it.
    pub says: String,
}

impl LabModel {
    /// The states and the actions of a way, from its beginning; the last state has no action.
    pub fn walked(&self, way: &FoundWay<PackedState>) -> (Vec<(PackedState, LabAction)>, PackedState) {
        let mut state = way.from.clone();
        let mut walked = Vec::new();
        for place in &way.places {
            let mut actions = Vec::new();
            self.actions(&state, &mut actions);
            let action = actions[usize::from(*place)];
            let next = self.next_state(&state, action).expect("the search took this action");
            walked.push((std::mem::replace(&mut state, next), action));
        }
        (walked, state)
    }

    /// A way in words, without the beginnings of ticks.
    pub fn story(&self, way: &FoundWay<PackedState>) -> Vec<WayEvent> {
        let (walked, last) = self.walked(way);
        let nexts = walked.iter().skip(1).map(|(state, _)| state).chain([&last]);
        let mut story = Vec::new();
        for ((before, action), after) in walked.iter().zip(nexts) {
            if action.kind == ActionKind::NextTick {
                continue;
            }
            let (before, after) = (self.frame(before), self.frame(after));
            let became = self.became(&before, &after);
            let says = if became.is_empty() {
                self.told(&before, *action)
            } else {
                format!("{}; {}", self.told(&before, *action), became.join(", "))
            };
            story.push(WayEvent { tick: before.tick, says });
        }
        story
    }

    /// Every node's state in words; with its task where the tasks of one coordinator contradict each other.
    pub fn told_state(&self, state: &PackedState) -> String {
        let frame = self.frame(state);
        let all = (0..frame.nodes.len()).map(|place| {
            let task = self.disputed_task(&frame, place).map_or_else(String::new, |task| format!(" with task {task}"));
            format!("{} is {}{task}", at_place(place), self.stands(&frame, place))
        });
        all.collect::<Vec<_>>().join(", ")
    }

    /// The task of a node in Normal, if another one in Normal has another task of the same coordinator.
    fn disputed_task(&self, frame: &LabFrame, place: usize) -> Option<Task> {
        let held = |place: usize| {
            let node = &frame.nodes[place];
            let state = self.tables().machines().value(node.machine).state();
            let is_normal = node.doing != ProcessActivity::Dead && state.status == Status::Normal;
            Some((state.coordinator?, state.task?)).filter(|_| is_normal)
        };
        let (coordinator, task) = held(place)?;
        let mut others = (0..frame.nodes.len()).filter_map(held);
        others.any(|(of, other)| of == coordinator && other != task).then_some(task)
    }

    /// Everything of a state, a sentence a line: the nodes and their timers, the messages under way, what may still come.
    pub fn told_whole(&self, state: &PackedState) -> Vec<String> {
        let frame = self.frame(state);
        // Each takes the tables for itself: who holds them meanwhile may wait for ever, if the checker wants to write.
        let stands: Vec<String> = (0..frame.nodes.len()).map(|place| self.stands(&frame, place)).collect();
        let tables = self.tables();
        let mut lines = vec![format!("tick {}", frame.tick)];
        for (place, of) in frame.nodes.iter().enumerate() {
            lines.push(format!("{} is {}", at_place(place), stands[place]));
            for (timer, left) in (0..).zip(of.timers).filter(|(_, left)| *left > 0) {
                let when = match left {
                    1 => "is due".to_owned(),
                    2 => "is due in the next tick".to_owned(),
                    _ => format!("is due in {} ticks", left - 1),
                };
                lines.push(format!("its timer \"{}\" {when}", tables.kind().timer_name(tables.timer(timer))));
            }
        }
        for UnderWay { link, message, is_due } in &frame.under_way {
            let (from, to) = ends(*link);
            let message = tables.messages().value(*message);
            let text = message.text();
            let fields = text.fields.iter().map(|(name, value)| format!("{name} {value}"));
            let fields = fields.collect::<Vec<_>>().join(", ");
            let fields = if fields.is_empty() { fields } else { format!(" ({fields})") };
            let when = if *is_due { "it must come in this tick" } else { "it may take a tick" };
            lines.push(format!(
                "{}{fields} of {} to {} is under way; {when}",
                message.kind(),
                at_place(from),
                at_place(to)
            ));
        }
        for kind in FaultKind::ALL {
            match frame.left[kind as usize] {
                0 => {}
                left => lines.push(format!("{} may still come", kind.counted(left))),
            }
        }
        lines
    }

    /// What happens, as a sentence.
    pub fn told(&self, frame: &LabFrame, action: LabAction) -> String {
        let node = |place: u8| at_place(usize::from(place));
        let message = |place: u8| {
            let message = frame.under_way[usize::from(place)];
            let (from, to) = ends(message.link);
            let tables = self.tables();
            let kind = tables.messages().value(message.message).kind();
            (kind, at_place(from), at_place(to), frame.nodes[to].doing)
        };
        let timer = |timer: u8| {
            let tables = self.tables();
            tables.kind().timer_name(tables.timer(timer))
        };
        let says = match action.kind {
            ActionKind::Deliver(place) => match message(place) {
                (kind, from, to, ProcessActivity::Dead) => format!("{kind} of {from} comes to {to}, which is down"),
                (kind, from, to, _) => format!("{to} hears {kind} of {from}"),
            },
            ActionKind::TimeOut { node: of, timer: number } => {
                format!("{}'s timer runs out: {}", node(of), timer(number))
            }
            ActionKind::FalseAlarm { node: of, timer: number } => {
                format!("{}'s timer runs out too early: {}", node(of), timer(number))
            }
            ActionKind::NextTick => format!("tick {} begins", frame.tick + 1),
            ActionKind::Crash(of) => format!("{} is killed", node(of)),
            ActionKind::Recover(of) => format!("{} starts again", node(of)),
            ActionKind::Lose(place) => {
                let (kind, from, to, _) = message(place);
                format!("{kind} of {from} to {to} is lost")
            }
            ActionKind::Pause(of) => format!("{} is paused", node(of)),
            ActionKind::Resume(of) => format!("{} goes on", node(of)),
            ActionKind::Elect(of) => format!("{} is ordered to hold an election", node(of)),
        };
        match action.dies_after {
            Some(after) => {
                let all = self.response_to(frame, action.kind).map_or(0, |response| response.effects.len());
                format!("{says}, and is killed after {after} of the {all} effects of this step")
            }
            None => says,
        }
    }

    /// The nodes that stand otherwise after a step, and how.
    fn became(&self, before: &LabFrame, after: &LabFrame) -> Vec<String> {
        let changed = (0..after.nodes.len()).filter_map(|place| {
            let now = self.stands(after, place);
            let is_same = self.stands(before, place) == now || after.nodes[place].doing != ProcessActivity::Runs;
            (!is_same).then(|| format!("{} is {now}", at_place(place)))
        });
        changed.collect()
    }

    /// How a node stands: `Normal under 3`, `in Election`.
    fn stands(&self, frame: &LabFrame, place: usize) -> String {
        let node = &frame.nodes[place];
        if node.doing == ProcessActivity::Dead {
            return "dead".to_owned();
        }
        let state = self.tables().machines().value(node.machine).state();
        let paused = if node.doing == ProcessActivity::Paused { ", and paused" } else { "" };
        let group = state.group.map_or_else(String::new, |group| format!(" in group {group}"));
        match state.believes_in() {
            Some(coordinator) => format!("{} under {coordinator}{group}{paused}", state.word),
            None => format!("in {}{paused}", state.word),
        }
    }
}
