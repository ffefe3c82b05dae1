//! What comes from a running lab.
//!
//! Invariants: the world is the host's snapshot and the records after it; missed records are reported, never made up. A
//! refused line stays with what is wrong, and nothing that was typed before the answer is an order then.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::KeyEvent;
use serde_json::value::RawValue;

use super::{class, pacing};
use crate::ending::ScreenEnd;
use crate::input::message::Command;
use crate::input::prompt::LineProgress;
use crate::model::row::{Row, RowKind};
use crate::model::{Model, Tone, Viewpoint};
use crate::options::Role;
use crate::time::feed::{Contact, Feed, Live, SoFarWanted};
use crate::time::scene::{AdmittedRows, Scene, empty_world};
use protocol::NodeId;
use record::{Answer, Body, Frame, Head, Missed, Record, Request};
use script::Steps;
use world::flow::Flow;
use world::{ProcessState, World};

/// A lab is silent after this time without a frame; pulses come every quarter of a second.
const SILENT_AFTER: Duration = Duration::from_secs(1);

/// A screen that has missed records reads the session for them at most so often: one that does not keep up would fall
/// behind even further.
const READ_AGAIN_AFTER: Duration = Duration::from_secs(60);

/// Takes in a frame.
pub fn take(model: &mut Model, frame: Frame) -> Vec<Command> {
    if !matches!(model.time.feed, Feed::Live(_)) {
        return Vec::new();
    }
    let frame = with_what_was_missed(model, frame);
    let wanted = wanted_before(model, &frame);
    match frame {
        Frame::Snapshot { head, world, recent, missed, session, steps_held } => {
            let clock = model.clock;
            let newest = recent.iter().map(|record| record.at).max();
            let notes: Vec<Record> =
                recent.iter().filter(|record| matches!(record.body, Body::Note { .. })).cloned().collect();
            take_snapshot(model, *head, &world, recent, missed);
            notes.iter().for_each(|note| class::hear(model, note));
            with_live(model, |live| {
                live.session = session;
                live.steps = if steps_held { Steps::Held } else { Steps::Playing };
                live.reading = wanted.clone().or(live.reading.take());
                live.read_at = wanted.as_ref().map(|_| clock).or(live.read_at);
            });
            hear(model, newest.unwrap_or(model.time.scene.world.now));
            pacing::stand_at_question(model);
            model.drawing.need();
            return wanted.into_iter().map(Command::ReadSoFar).collect();
        }
        Frame::Record { record } => {
            let record = Arc::new(record);
            with_live(model, |live| live.recorder.take(Arc::clone(&record)));
            hear(model, record.at);
            class::hear(model, &record);
            pacing::take(model, &record);
        }
        Frame::Pulse { at } => hear(model, at),
        Frame::Refused { why } => return turn_away(model, why),
        Frame::Goodbye { why } => return part(model, why),
    }
    Vec::new()
}

/// A snapshot brings the newest records: what these hold was not missed.
fn with_what_was_missed(model: &Model, mut frame: Frame) -> Frame {
    if let Frame::Snapshot { head, recent, missed, .. } = &mut frame
        && knows_lab(model, head)
        && reaches_back_to(recent, newest_known(model))
    {
        *missed = 0;
    }
    frame
}

fn knows_lab(model: &Model, head: &Head) -> bool {
    model.head.as_ref().is_some_and(|before| before.lab_id == head.lab_id)
}

/// What this screen wants of the lab's session with this snapshot: its newest records neither reach back to the lab's
/// beginning nor to what the screen knows.
fn wanted_before(model: &Model, snapshot: &Frame) -> Option<SoFarWanted> {
    let Frame::Snapshot { head, recent, missed, session: Some(path), .. } = snapshot else { return None };
    let read_at = model.time.live().and_then(|live| live.read_at);
    if *missed > 0 && read_at.is_some_and(|at| model.clock < at + READ_AGAIN_AFTER) {
        return None;
    }
    let knows_lab = knows_lab(model, head);
    let (first, last) = (recent.first()?.number, recent.last()?.number);
    let is_known = first <= 1 || knows_lab && reaches_back_to(recent, newest_known(model));
    let wanted = SoFarWanted { path: path.clone(), lab_id: head.lab_id.clone(), until: last };
    (model.vantage == Viewpoint::Lab && !is_known).then_some(wanted)
}

fn take_snapshot(model: &mut Model, head: Head, world: &RawValue, recent: Vec<Record>, missed: u64) {
    // The first of this screen has brought nothing yet, and does not know whose transitions its rows cite.
    let is_another_lab = model.head.as_ref().is_none_or(|before| before.lab_id != head.lab_id);
    if is_another_lab {
        model.time.scene = Scene::new(Some(&head));
    }
    let known = newest_known(model);
    let goes_on = missed == 0 && !is_another_lab && reaches_back_to(&recent, known);
    // A lab also sends a snapshot when something has changed that no record tells.
    if missed > 0 || !is_newest(&recent, known) {
        pacing::cut(model);
    }
    if missed > 0 {
        let missed = Missed { count: missed, place: "on their way to this screen".into() };
        let text = format!("this screen missed {} records; it shows the present now", missed.count);
        model.tell_long(Tone::Bad, text);
        let record = Arc::new(Record::of_host(model.time.scene.at, Body::Gap(missed.clone())));
        let text = format!("this screen missed {} records", missed.count);
        keep(model, &record);
        let order = model.time.scene.flow.order();
        model.time.scene.rows.push(Arc::new(Row::new(record, RowKind::Gap, text)), order);
    }
    let order = model.time.scene.flow.order();
    // Rows of records that an earlier frame has already brought are not written twice.
    let mut folded = Scene::new(Some(&head));
    let recent: Vec<Arc<Record>> = recent.into_iter().map(Arc::new).collect();
    for record in &recent {
        let rows = folded.fold(record);
        if is_newer(record, known) {
            rows.into_iter().for_each(|row| model.time.scene.rows.push(Arc::new(row), order));
            keep(model, record);
        }
    }
    model.time.scene.world = match (model.vantage, World::from_json(world)) {
        (Viewpoint::Lab, Ok(world)) => world,
        (Viewpoint::Lab, Err(_)) => {
            model.tell_long(Tone::Bad, "The lab's snapshot could not be read: it runs another version of hustings.");
            empty_world(Some(&head))
        }
        (Viewpoint::Node(node), _) => {
            runs(&mut folded.world, node);
            folded.world
        }
    };
    if goes_on {
        // A snapshot has the newest records only, and the rows before them are still true.
        let newer = recent.iter().filter(|record| is_newer(record, known));
        newer.for_each(|record| model.time.scene.flow.take(record));
    } else {
        let facts = model.time.scene.facts.as_deref();
        model.time.scene.flow = Flow::since(facts, &model.time.scene.world, &recent, model.time.scene.flow.rules());
    }
    if let Viewpoint::Node(node) = model.vantage {
        model.time.scene.flow.is_told_by(node);
    }
    if !goes_on {
        begin_recorder(model, &head, &recent);
    }
    model.head = Some(head);
}

/// The last minute begins anew, as these newest records of the lab do not follow those that came before. The world before
/// them is known at the beginning of the lab alone, and to a node that only hears itself.
fn begin_recorder(model: &mut Model, head: &Head, recent: &[Arc<Record>]) {
    let is_whole = recent.first().is_some_and(|first| first.number == 1);
    let (beginning, since, records) = match model.vantage {
        Viewpoint::Lab if !is_whole => {
            let world = model.time.scene.world.clone();
            let newest = recent.iter().map(|record| record.at).max().unwrap_or(world.now);
            (world, Some(newest), &[][..])
        }
        Viewpoint::Lab => (empty_world(Some(head)), None, recent),
        Viewpoint::Node(node) => {
            let mut world = empty_world(Some(head));
            runs(&mut world, node);
            let before = recent.first().map(|first| first.at.saturating_sub(1));
            (world, before, recent)
        }
    };
    with_live(model, |live| live.recorder.begin(beginning, since, records));
}

/// A node that speaks runs, even if it has taken no step yet.
fn runs(world: &mut World, node: NodeId) {
    if let Some(view) = world.nodes.get_mut(&node).filter(|view| view.process == ProcessState::Absent) {
        view.process = ProcessState::Running;
    }
}

/// The number and the stamp of the newest record that has come.
fn newest_known(model: &Model) -> Option<(u64, i64)> {
    let mut newest = model.time.scene.records.all().iter().rev();
    // The gaps that this screen itself wrote are not records of the lab.
    newest.find(|record| record.number > 0 || record.node.is_some()).map(|record| (record.number, record.at))
}

/// Whether the known record is the last of these, so that nothing came between.
fn is_newest(recent: &[Record], known: Option<(u64, i64)>) -> bool {
    let newest = recent.iter().map(|record| record.number).max().filter(|number| *number > 0);
    newest.is_some() && newest == known.map(|(number, _)| number)
}

/// Whether the known record is one of these, so that none is missing between what was known and what is new.
fn reaches_back_to(recent: &[Record], known: Option<(u64, i64)>) -> bool {
    known.is_some_and(|(number, _)| number > 0 && recent.iter().any(|record| record.number == number))
}

fn is_newer(record: &Record, known: Option<(u64, i64)>) -> bool {
    match known {
        None => true,
        Some((number, at)) if number == 0 || record.number == 0 => record.at > at,
        Some((number, _)) => record.number > number,
    }
}

fn hear(model: &mut Model, at: i64) {
    let clock = model.clock;
    let mut was_silent = false;
    with_live(model, |live| {
        was_silent = live.contact == Contact::Silent;
        live.contact = Contact::Hearing;
        let latest = live.heard.map_or(at, |(before, _)| before.max(at));
        live.heard = Some((latest, clock));
    });
    model.time.scene.at = model.time.scene.at.max(at);
    if was_silent {
        let who = match model.vantage {
            Viewpoint::Lab => "The lab".to_owned(),
            Viewpoint::Node(node) => format!("Node {node}"),
        };
        model.tell(Tone::Good, format!("{who} answers again."));
    }
}

fn part(model: &mut Model, why: String) -> Vec<Command> {
    match model.vantage {
        // The node's own stream is over; the lab is not, and may start it again.
        Viewpoint::Node(_) => lose(model),
        Viewpoint::Lab => end(model, why),
    }
}

/// The lab has said that it is over, and why.
pub fn end(model: &mut Model, why: String) -> Vec<Command> {
    model.drawing.need();
    with_live(model, |live| live.contact = Contact::Ended(why.clone()));
    if model.rights.role == Role::Owner {
        return vec![Command::Leave(ScreenEnd::LabEnded(why))];
    }
    model.tell_long(Tone::Plain, format!("The lab is over: {why}"));
    Vec::new()
}

/// There is no room for this screen. One that has been watching tries again, as after a broken connection.
fn turn_away(model: &mut Model, why: String) -> Vec<Command> {
    let mut was_heard = false;
    with_live(model, |live| was_heard = live.heard.is_some());
    if was_heard { lose(model) } else { vec![Command::Leave(ScreenEnd::Refused(why))] }
}

/// The connection broke.
pub fn lose(model: &mut Model) -> Vec<Command> {
    with_live(model, |live| {
        if live.contact == Contact::Hearing {
            live.contact = Contact::Silent;
        }
    });
    model.drawing.need();
    Vec::new()
}

/// The lab is gone.
pub fn miss(model: &mut Model) -> Vec<Command> {
    model.drawing.need();
    let (mut is_news, mut was_heard) = (false, false);
    with_live(model, |live| {
        was_heard = live.heard.is_some();
        if !matches!(live.contact, Contact::Ended(_) | Contact::Gone) {
            live.contact = Contact::Gone;
            is_news = true;
        }
    });
    match (is_news, model.rights.role) {
        (true, _) if !was_heard => vec![Command::Leave(ScreenEnd::LabLost)],
        (true, Role::Owner) => vec![Command::Leave(ScreenEnd::LabLost)],
        (true, Role::Visitor) => {
            model.tell_long(Tone::Bad, "The lab ended without a message. This is its last state.");
            Vec::new()
        }
        (false, _) => Vec::new(),
    }
}

/// A request was answered. Returns the keys that waited for the answer.
pub fn answer(model: &mut Model, request: &Request, answer: Answer) -> Vec<KeyEvent> {
    let waited = answered(model, request, &answer);
    match answer {
        Answer::Done { text, .. } => {
            if matches!(request, Request::PlaySteps) {
                with_live(model, |live| live.steps = Steps::Playing);
            }
            // What was noted is on the screen already.
            if !matches!(request, Request::Note(_)) {
                model.tell(Tone::Good, text);
            }
        }
        // The line that asked for it says so.
        Answer::Refused { .. } if waited.is_some() => {}
        Answer::Refused { why } => model.tell(Tone::Bad, why),
        Answer::NotInForce { id, why } => model.tell(Tone::Bad, format!("{id} is not in force: {why}")),
    }
    waited.unwrap_or_default()
}

/// The clock went on by this much.
pub fn tick(model: &mut Model, passed: Duration) {
    let (clock, speed) = (model.clock, model.time.scene.world.speed);
    let (mut fell_silent, mut late) = (false, None);
    with_live(model, |live| {
        // A pause this long was the screen's own: the frames that came meanwhile still wait to be read.
        if let Some((_, when)) = live.heard.as_mut().filter(|_| passed >= SILENT_AFTER) {
            *when = clock;
        }
        let Some((at, when)) = live.heard.filter(|_| live.contact == Contact::Hearing) else { return };
        let passed = clock.saturating_sub(when);
        if passed > SILENT_AFTER {
            live.contact = Contact::Silent;
            fell_silent = true;
        } else {
            let passed = i64::try_from(passed.as_nanos()).unwrap_or(i64::MAX);
            late = Some(at.saturating_add(speed.lab_time(passed)));
        }
    });
    if let Some(late) = late.filter(|late| *late > model.time.scene.at) {
        let before = pacing::shown_time(model);
        model.time.scene.at = late;
        model.drawing.need_if(pacing::shown_time(model) != before);
    }
    model.drawing.need_if(fell_silent);
    let is_heard = matches!(&model.time.feed, Feed::Live(live) if live.contact == Contact::Hearing);
    let now = if is_heard { model.time.scene.at } else { i64::MAX };
    match model.time.scene.wait_for_order(now) {
        AdmittedRows::Shown if !model.time.is_behind() => model.drawing.need(),
        AdmittedRows::Unshown if !model.time.is_behind() => model.drawing.need_soon(model.clock),
        AdmittedRows::Nothing | AdmittedRows::Unshown | AdmittedRows::Shown => {}
    }
    pacing::play(model, passed);
}

/// Keeps a record that the world of a snapshot holds already.
fn keep(model: &mut Model, record: &Arc<Record>) {
    with_live(model, |live| live.recorder.take(Arc::clone(record)));
    model.time.scene.records.take(Arc::clone(record), model.time.scene.flow.rules());
}

fn with_live(model: &mut Model, change: impl FnOnce(&mut Live)) {
    if let Some(live) = model.time.live_mut() {
        change(live);
    }
}

/// An answer came. If it is the one for which the line waits, the line is done, or stays with what is wrong; returns the
/// keys that were pressed meanwhile and still count, or `None` if the answer concerns no line.
pub fn answered(model: &mut Model, request: &Request, answer: &Answer) -> Option<Vec<KeyEvent>> {
    let prompt = model.dialogs.prompt.as_mut()?;
    let LineProgress::Waiting { requests, keys } = &mut prompt.progress else { return None };
    let place = requests.iter().position(|waiting| waiting == request)?;
    requests.remove(place);
    match answer {
        // What was typed meanwhile was typed by somebody who had not seen this.
        Answer::Refused { why } => prompt.progress = LineProgress::Refused(why.clone()),
        Answer::Done { .. } | Answer::NotInForce { .. } if requests.is_empty() => {
            let keys = std::mem::take(keys);
            model.dialogs.prompt = None;
            return Some(keys);
        }
        Answer::Done { .. } | Answer::NotInForce { .. } => {}
    }
    Some(Vec::new())
}
