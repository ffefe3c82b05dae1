//! The row of the lab's application, below the screens' names: how far the work is, and who does what.
//!
//! Invariants: it is there in every lab with an application and in no other, so nothing moves when the work changes. Equal
//! logs and equal copies are told once, with all that have them; sections and servers are told of processes that run.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::model::Model;
use crate::view::paint;
use protocol::{
    ConflictList, CopyWork, FencingWork, JoinState, JoinWork, NodeId, NodeSet, Property, RefusalReason, ResourceWork,
    SectionState, SectionWork, ServiceFacts, ServiceWork, ShardFacts, ShardWork, Status, TokenWork, UpdateWork, Work,
    WriteFate, WriteProgress, WriteView,
};
use world::{NodeView, ProcessState};

/// The bar has this many cells.
const CELLS: usize = 10;

/// Draws it.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let Some(application) = model.application() else { return };
    let theme = &model.theme;
    let mut spans = vec![Span::styled(application.title.to_lowercase(), theme.strong), Span::raw("  ")];
    if let Some(facts) = application.shards {
        spans.extend(shards(model, facts));
    }
    if application.promises.contains(&Property::History) {
        spans.extend(history(model));
    }
    if application.promises.contains(&Property::AtomicCommit) {
        spans.extend(updates(model));
    }
    if !application.weights.is_empty() {
        spans.extend(copies(model));
    }
    spans.extend(members(model));
    spans.extend(writes(model));
    if let Some(facts) = application.services {
        spans.extend(services(model, facts));
    }
    spans.extend(token(model));
    if application.promises.contains(&Property::MutualExclusion) {
        spans.extend(section(model));
    }
    paint::put(buffer, theme, area, 0, &Line::from(spans));
}

/// What the resource holds, has seen and has refused, and who writes to it with which number.
fn writes(model: &Model) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let mut spans = Vec::new();
    let nodes = &model.seen().world.nodes;
    let works = nodes.iter().filter_map(|(id, view)| Some((*id, view, view.state.as_ref()?.work.as_deref()?)));
    for (id, view, work) in works.clone() {
        let Work::Fencing(FencingWork::Resource(work)) = work else { continue };
        let ResourceWork { value, highest, refused, latest, .. } = work;
        let highest = highest.map_or_else(String::new, |highest| format!(", highest {highest}"));
        spans.push(Span::styled(format!("{id} holds {value}{highest}"), theme.strong));
        match latest {
            Some(WriteView { term, number, fate: WriteFate::Refused, .. }) => {
                let text = format!(", refused {refused}: {number} of {} is lower", term.node);
                spans.push(Span::styled(text, theme.doubt));
            }
            Some(WriteView { term, .. }) => spans.push(Span::styled(format!(", written by {}", term.node), theme.dim)),
            None => {}
        }
        if view.process != ProcessState::Running {
            spans.push(Span::styled(", and does not run", theme.doubt));
        }
        spans.push(Span::raw("  "));
    }
    for (id, view, work) in works {
        let Work::Fencing(FencingWork::Writer(work)) = work else { continue };
        let Some(number) = work.number else { continue };
        let (does, style) = match (view.process, work.progress) {
            (ProcessState::Paused, WriteProgress::None) => ("is paused", theme.doubt),
            (ProcessState::Paused, _) => ("is paused amid a write", theme.doubt),
            (_, WriteProgress::Reads) => ("reads", theme.normal),
            (_, WriteProgress::Writes(_)) => ("writes", theme.normal),
            (_, WriteProgress::None) => ("waits to write", theme.normal),
        };
        spans.push(Span::styled(format!("{id} {does} with {number}  "), style));
    }
    spans
}

fn shards(model: &Model, facts: ShardFacts) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let nodes = &model.seen().world.nodes;
    let at_work: Vec<(NodeId, &NodeView, &ShardWork)> = nodes
        .iter()
        .filter(|(_, view)| view.process == ProcessState::Running)
        .filter_map(|(id, view)| match view.state.as_ref()?.work.as_deref()? {
            Work::Shards(work) => Some((*id, view, work)),
            _ => None,
        })
        .collect();
    let coordinates = |(id, view, _): &&(NodeId, &NodeView, &ShardWork)| {
        view.state.as_ref().is_some_and(|state| state.status == Status::Normal && state.coordinates(*id))
    };
    let mut coordinators: Vec<_> = at_work.iter().filter(coordinates).collect();
    coordinators.sort_by_key(|(_, _, work)| std::cmp::Reverse(work.done.len()));
    let mut spans = Vec::new();
    for (place, (id, view, work)) in coordinators.into_iter().enumerate() {
        let (done, all) = (work.done.len(), usize::from(facts.shards));
        spans.push(Span::styled(format!("{id} has {done} of {all}"), theme.strong));
        if place == 0 {
            let full = (CELLS * done).checked_div(all).unwrap_or(CELLS);
            let bar: String = (0..CELLS).map(|place| theme.glyphs.bar[usize::from(place >= full)]).collect();
            spans.push(Span::styled(format!(" {bar}"), theme.good));
        }
        let members = view.state.as_ref().map_or(0, |state| state.up.len()) + 1;
        if work.given.is_empty() && done < all && 2 * members <= nodes.len() {
            let text = format!(", and waits: {members} of {} are no majority", nodes.len());
            spans.push(Span::styled(text, theme.doubt));
        }
        spans.push(Span::raw("  "));
    }
    if spans.is_empty() {
        spans.push(Span::styled("nobody computes: no coordinator is at work  ", theme.doubt));
    }
    let out: Vec<String> = at_work
        .iter()
        .filter(|(_, _, work)| !work.out.is_empty())
        .map(|(id, _, work)| format!("{id}:{}", work.out.len()))
        .collect();
    if !out.is_empty() {
        spans.push(Span::styled(format!("to compute {}", out.join(" ")), theme.dim));
    }
    spans
}

/// How many groups are known, and who lacks some.
fn history(model: &Model) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let nodes = model.seen().world.nodes.iter().filter(|(_, view)| view.process == ProcessState::Running);
    let mut counts: Vec<(u32, NodeSet)> = Vec::new();
    let mut fetching: Vec<(NodeSet, NodeSet)> = Vec::new();
    for (id, view) in nodes {
        let Some(Work::History(work)) = view.state.as_ref().and_then(|state| state.work.as_deref()) else { continue };
        match counts.iter_mut().find(|(groups, _)| *groups == work.groups) {
            Some((_, knowing)) => drop(knowing.insert(*id)),
            None => counts.push((work.groups, NodeSet::of(*id))),
        };
        if !work.fetches.is_empty() {
            match fetching.iter_mut().find(|(_, from)| *from == work.fetches) {
                Some((asking, _)) => drop(asking.insert(*id)),
                None => fetching.push((NodeSet::of(*id), work.fetches)),
            };
        }
    }
    counts.sort_by_key(|(groups, _)| std::cmp::Reverse(*groups));
    let mut spans = Vec::new();
    for (groups, knowing) in counts {
        let (verb, noun) =
            (if knowing.len() == 1 { "knows" } else { "know" }, if groups == 1 { "group" } else { "groups" });
        spans.push(Span::styled(format!("{knowing} {verb} {groups} {noun}  "), theme.strong));
    }
    for (asking, from) in fetching {
        let verb = if asking.len() == 1 { "fetches" } else { "fetch" };
        spans.push(Span::styled(format!("{asking} {verb} from {from}  "), theme.doubt));
    }
    spans
}

/// The logs, longest first; then what conflicts, what is in doubt, what blocks, and what was refused.
fn updates(model: &Model) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let at_work: Vec<(NodeId, &UpdateWork)> = model
        .seen()
        .world
        .nodes
        .iter()
        .filter(|(_, view)| view.process == ProcessState::Running)
        .filter_map(|(id, view)| match view.state.as_ref()?.work.as_deref()? {
            Work::Updates(work) => Some((*id, work)),
            _ => None,
        })
        .collect();
    let mut spans = counters(model, at_work.iter().map(|(id, work)| (*id, work.length, work.counter)));
    for (id, work) in &at_work {
        if let Some(blocked) = work.blocked {
            spans.push(Span::styled(format!("{id} is blocked: {blocked}  "), theme.bad));
        }
    }
    let mut lists: Vec<(&ConflictList, NodeSet)> = Vec::new();
    for (id, work) in &at_work {
        let Some(conflicts) = work.conflicts.as_deref() else { continue };
        match lists.iter_mut().find(|(list, _)| *list == conflicts) {
            Some((_, nodes)) => drop(nodes.insert(*id)),
            None => lists.push((conflicts, NodeSet::of(*id))),
        };
    }
    for (list, nodes) in lists {
        let text = match nodes.len() {
            // All list the same.
            all if all == at_work.len() => format!("{list}  "),
            1 => format!("{nodes} lists {list}  "),
            _ => format!("{nodes} list {list}  "),
        };
        spans.push(Span::styled(text, theme.bad));
    }
    let is_blocked = at_work.iter().any(|(_, work)| work.blocked.is_some());
    for (id, work) in &at_work {
        if let Some(refused) = work.refused.filter(|refused| still_holds(model, *id, refused.why, is_blocked)) {
            spans.push(Span::styled(format!("{id} refused {:+}: {}  ", refused.value, refused.why), theme.doubt));
        }
    }
    let in_doubt = |(id, work): &(NodeId, &UpdateWork)| work.in_doubt.map(|prepared| (prepared.position, *id));
    let mut doubts: Vec<(u32, NodeSet)> = Vec::new();
    for (position, id) in at_work.iter().filter_map(in_doubt) {
        match doubts.iter_mut().find(|(of, _)| *of == position) {
            Some((_, nodes)) => drop(nodes.insert(id)),
            None => doubts.push((position, NodeSet::of(id))),
        };
    }
    for (position, nodes) in doubts {
        spans.push(Span::styled(format!("{nodes} in doubt of {position}  "), theme.doubt));
    }
    spans
}

/// Who controls how much of the weight, the copies, and what was refused or given up.
fn copies(model: &Model) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let nodes = model.seen().world.nodes.iter().filter(|(_, view)| view.process == ProcessState::Running);
    let at_work: Vec<(NodeId, &CopyWork)> = nodes
        .filter_map(|(id, view)| match view.state.as_ref()?.work.as_deref()? {
            Work::Copies(work) => Some((*id, work)),
            _ => None,
        })
        .collect();
    let mut spans = Vec::new();
    for (id, control) in at_work.iter().filter_map(|(id, work)| Some((*id, work.control?))) {
        spans.push(match control.is_majority() {
            true => Span::styled(format!("{id} controls {control} of the weight  "), theme.good),
            false => Span::styled(format!("{id} has no majority of the weight: {control}  "), theme.doubt),
        });
    }
    if spans.is_empty() {
        spans.push(Span::styled("nobody has control  ", theme.doubt));
    }
    spans.extend(counters(model, at_work.iter().map(|(id, work)| (*id, work.held.count, work.held.counter))));
    for (id, work) in &at_work {
        if let Some(refused) = work.refused.filter(|refused| still_holds(model, *id, refused.why, false)) {
            spans.push(Span::styled(format!("{id} refused {:+}: {}  ", refused.value, refused.why), theme.doubt));
        }
        if let Some(doubted) = work.doubted {
            spans.push(Span::styled(format!("{id} in doubt of {:+}  ", doubted.value), theme.doubt));
        }
    }
    spans
}

/// Who has how many updates, and what they add up to; most first.
fn counters(model: &Model, of: impl Iterator<Item = (NodeId, u32, i64)>) -> Vec<Span<'static>> {
    let mut counters: Vec<(u32, i64, NodeSet)> = Vec::new();
    for (id, updates, counter) in of {
        match counters.iter_mut().find(|(other, sum, _)| (*other, *sum) == (updates, counter)) {
            Some((.., nodes)) => drop(nodes.insert(id)),
            None => counters.push((updates, counter, NodeSet::of(id))),
        };
    }
    counters.sort_by_key(|(updates, ..)| std::cmp::Reverse(*updates));
    let said = |(place, (updates, counter, nodes)): (usize, (u32, i64, NodeSet))| {
        let text = match updates {
            0 => format!("{nodes}: no update  "),
            1 => format!("{nodes}: 1 update, counter {counter}  "),
            _ => format!("{nodes}: {updates} updates, counter {counter}  "),
        };
        Span::styled(text, if place == 0 { model.theme.strong } else { model.theme.dim })
    };
    counters.into_iter().enumerate().map(said).collect()
}

/// Whether the reason for which a process refused an order is still one.
fn still_holds(model: &Model, node: NodeId, why: RefusalReason, is_blocked: bool) -> bool {
    let state = model.seen().world.nodes.get(&node).and_then(|view| view.state.as_ref());
    match why {
        RefusalReason::NotNormal(_) => state.is_none_or(|state| state.status != Status::Normal),
        RefusalReason::NoMajority { of, .. } => {
            let members = state.and_then(|state| state.task).map_or(0, |task| task.members.len()) + 1;
            2 * members <= usize::from(of)
        }
        RefusalReason::NoWeight(_) => {
            let master = state.and_then(|state| state.believes_in());
            let master =
                master.and_then(|master| model.seen().world.nodes.get(&master)?.state.as_ref()?.work.as_deref());
            let Some(Work::Copies(CopyWork { control: Some(control), .. })) = master else { return false };
            !control.is_majority()
        }
        RefusalReason::Blocked(_) => is_blocked,
        RefusalReason::QueueFull(_) | RefusalReason::LogFull(_) => true,
    }
}

/// Who has the token, and whom each other one would ask for it.
fn token(model: &Model) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let nodes = model.seen().world.nodes.iter().filter(|(_, view)| view.process.is_up());
    let works: Vec<(NodeId, TokenWork)> =
        nodes.filter_map(|(id, view)| Some((*id, view.state.as_ref()?.work.as_deref()?.token()?))).collect();
    if works.is_empty() {
        return Vec::new();
    }
    let holders: NodeSet = works.iter().filter(|(_, work)| work.token.is_some()).map(|(id, _)| *id).collect();
    let holds = match holders.len() {
        0 => Span::styled("nobody holds the token", theme.doubt),
        1 => Span::styled(format!("{holders} holds the token"), theme.strong),
        _ => Span::styled(format!("{holders} hold a token each"), theme.bad),
    };
    let guesses = works.iter().filter(|(_, work)| work.token.is_none()).map(|(id, work)| match work.guess {
        Some(guess) => format!("{id}→{guess}"),
        None => format!("{id} last"),
    });
    let guesses: Vec<String> = guesses.collect();
    let guesses = theme.glyphs.flow.spoken(&guesses.join(" "));
    let whom = if guesses.is_empty() { "  ".to_owned() } else { format!("; {guesses}  ") };
    vec![holds, Span::styled(whom, theme.normal)]
}

/// Who is inside the critical section, who waits, and how often each has entered.
fn section(model: &Model) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let nodes = model.seen().world.nodes.iter().filter(|(_, view)| view.process.is_up());
    let sections: Vec<(NodeId, SectionWork)> =
        nodes.filter_map(|(id, view)| Some((*id, view.state.as_ref()?.work.as_deref()?.section()?))).collect();
    let that_are = |stance: SectionState| -> NodeSet {
        sections.iter().filter(|(_, section)| section.stance == stance).map(|(id, _)| *id).collect()
    };
    let (inside, waiting) = (that_are(SectionState::Inside), that_are(SectionState::Waiting));
    let mut spans = vec![match inside.len() {
        0 => Span::styled("nobody is inside", theme.dim),
        1 => Span::styled(format!("{inside} is inside"), theme.strong),
        _ => Span::styled(format!("{inside} are inside"), theme.bad),
    }];
    if !waiting.is_empty() {
        let verb = if waiting.len() == 1 { "waits" } else { "wait" };
        spans.push(Span::styled(format!(", {waiting} {verb}"), theme.normal));
    }
    let entered: Vec<String> = sections.iter().map(|(id, section)| format!("{id}:{}", section.entries)).collect();
    spans.push(Span::styled(format!("  entered {}  ", entered.join(" ")), theme.dim));
    spans
}

/// Who serves whom and how far, whose requests nobody serves, and how many services each has finished.
fn services(model: &Model, facts: ServiceFacts) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let nodes = model.seen().world.nodes.iter().filter(|(_, view)| view.process.is_up());
    let works: Vec<(NodeId, &ServiceWork)> = nodes
        .filter_map(|(id, view)| match view.state.as_ref()?.work.as_deref()? {
            Work::Service(work) => Some((*id, work)),
            _ => None,
        })
        .collect();
    let mut spans = Vec::new();
    for (id, work) in works.iter().filter(|(_, work)| !work.serves.is_empty()) {
        let far = work.serves.iter().map(|asker| {
            let log = works.iter().find(|(of, _)| *of == asker).and_then(|(_, work)| work.asked);
            let own = work.part.filter(|part| part.id.node == asker).map(|part| (part.id, part.part));
            match own.max(log.map(|log| (log.id, log.done))) {
                Some((_, done)) => format!("{asker} ({done} of {})", facts.parts),
                None => asker.to_string(),
            }
        });
        let far: Vec<String> = far.collect();
        spans.push(Span::styled(format!("{id} serves {}  ", far.join(", ")), theme.strong));
    }
    let is_served = |asker: NodeId| works.iter().any(|(_, work)| work.serves.contains(asker));
    let left: NodeSet =
        works.iter().filter(|(id, work)| work.asked.is_some() && !is_served(*id)).map(|(id, _)| *id).collect();
    if !left.is_empty() {
        spans.push(Span::styled(format!("nobody serves {left}  "), theme.doubt));
    }
    if spans.is_empty() {
        spans.push(Span::styled("nobody asks for anything  ", theme.dim));
    }
    let waiting: u32 = works.iter().map(|(_, work)| work.waiting).sum();
    if waiting > 0 {
        spans.push(Span::styled(format!("{waiting} more wait  "), theme.normal));
    }
    let finished: Vec<String> = (works.iter().filter(|(_, work)| work.finished > 0))
        .map(|(id, work)| format!("{id}:{}", work.finished))
        .collect();
    if !finished.is_empty() {
        spans.push(Span::styled(format!("finished {}", finished.join(" ")), theme.dim));
    }
    spans
}

/// Who is known as a member by whom, who asks with which votes, and who was refused.
fn members(model: &Model) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let nodes = model.seen().world.nodes.iter().filter(|(_, view)| view.process == ProcessState::Running);
    let works: Vec<(NodeId, &JoinWork)> = nodes
        .filter_map(|(id, view)| match view.state.as_ref()?.work.as_deref()? {
            Work::Joining(work) => Some((*id, work)),
            _ => None,
        })
        .collect();
    let mut views: Vec<(NodeSet, NodeSet)> = Vec::new();
    for (id, work) in &works {
        match views.iter_mut().find(|(members, _)| *members == work.view.members) {
            Some((_, knowing)) => drop(knowing.insert(*id)),
            None => views.push((work.view.members, NodeSet::of(*id))),
        };
    }
    views.sort_by_key(|(members, _)| std::cmp::Reverse(members.len()));
    let mut spans = Vec::new();
    for (members, knowing) in views {
        let verb = if knowing.len() == 1 { "knows" } else { "know" };
        spans.push(Span::styled(format!("{knowing} {verb} the members {members}  "), theme.strong));
    }
    for (id, work) in &works {
        match (work.stance, work.poll, work.refused_by) {
            (_, Some(poll), _) => spans.push(Span::styled(format!("{id} asks: {poll}  "), theme.normal)),
            (JoinState::Asks | JoinState::GivesWay, ..) => {
                spans.push(Span::styled(format!("{id} wants in  "), theme.dim));
            }
            (JoinState::Outside, _, Some(poll)) => {
                spans.push(Span::styled(format!("{id} was refused: {poll}  "), theme.doubt));
            }
            (JoinState::Outside | JoinState::Member, ..) => {}
        }
    }
    spans
}
