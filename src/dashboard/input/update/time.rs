//! Moving in time: in a session, and in a simulated lab, which goes on at its end. What a session file has not been read
//! to yet is gone to later.
//!
//! Invariant: a moment looks the same whichever way it is reached; a simulated lab goes no further than a person looks.

use std::sync::Arc;
use std::time::Duration;

use super::pacing;
use super::telling::announce;
use crate::input::action::{Action, FeedKind};
use crate::model::{Follow, Model, Tone};
use crate::time::feed::Feed;
use crate::time::freshness::Motion;
use crate::time::playback::{Destination, ErrandDeed, Landmark, Playback, ReadingErrand};
use crate::time::scene::Scene;
use crate::time::simulated::{Reached, SimulatedLab};
use crate::view::paint;
use crate::view::why_line::WhyLine;
use record::{Body, Record};

/// A longer pause of the screen itself (a suspension) is not played.
const LEAP_MAX: Duration = Duration::from_millis(250);

/// How long to wait for a simulated lab's next record, in nanoseconds of its time.
const NEXT_WITHIN: i64 = 60_000_000_000;
/// So many records that the flow does not show are passed at once.
const UNSEEN_MAX: usize = 5_000;
/// A seek takes a simulated lab at most this much further than before, in nanoseconds.
const SEEK_MAX: i64 = 300_000_000_000;

/// A session beside another one takes in record by record what lies at most this far ahead, in nanoseconds.
const FOLLOWED_MAX: i64 = 2_000_000_000;

/// The clock went on.
pub fn tick(model: &mut Model, passed: Duration) {
    let clock = model.clock;
    if parts(model).is_some_and(|(playback, scene)| playback.read_at_rest(scene, clock)) {
        show_whole(model);
    }
    let motion = parts(model).map_or(Motion::Standing, |(playback, _)| playback.motion);
    match motion {
        Motion::Standing => {}
        Motion::Playing => play(model, passed),
        Motion::Paced { next, seen_at } => {
            if model.clock >= next {
                play_event(model, seen_at);
            }
        }
    }
}

/// Plays on by this much of the screen's time.
fn play(model: &mut Model, passed: Duration) {
    let Some((playback, scene)) = parts(model) else { return };
    let passed = i64::try_from(passed.min(LEAP_MAX).as_nanos()).unwrap_or(0);
    let target = scene.at + playback.speed.of(passed);
    playback.read_until(target);
    let reached = reach(model, target);
    model.is_dirty = true;
    while parts(model).is_some_and(|(playback, _)| playback.next_time().is_some_and(|next| next <= target)) {
        match advance(model) {
            Some(Advance::Stopped) => return stand(model),
            Some(Advance::Past(_)) => {}
            None => break,
        }
    }
    let Some((playback, scene)) = parts(model) else { return };
    playback.advance_to(target, scene);
    if playback.next().is_none() && reached != Some(Reached::It) {
        playback.motion = Motion::Standing;
        tell_end(model, reached);
    }
}

/// Plays the next event that can be seen. The last one was at this time.
fn play_event(model: &mut Model, seen_at: i64) {
    model.is_dirty = true;
    let next = model.clock + model.pace.apart();
    match advance_to_event(model, seen_at.saturating_add(NEXT_WITHIN)) {
        EventSearch::Found => {
            let Some((playback, scene)) = parts(model) else { return };
            playback.motion = Motion::Paced { next, seen_at: scene.at };
        }
        EventSearch::Unfinished => {}
        EventSearch::Stopped => stand(model),
        EventSearch::Over(reached) => {
            stand(model);
            tell_end(model, reached);
        }
    }
}

/// How the search for the next event that can be seen ended.
enum EventSearch {
    /// At the event.
    Found,
    /// At what the picture was to stop at.
    Stopped,
    /// After many records that cannot be seen.
    Unfinished,
    /// At the end.
    Over(Option<Reached>),
}

/// Goes to just after the next record that the flow shows; a simulated lab goes no further than this time.
fn advance_to_event(model: &mut Model, until: i64) -> EventSearch {
    for _ in 0..UNSEEN_MAX {
        let reached = simulated(model).map(|simulated| simulated.reach_next(until));
        match advance(model) {
            None => return EventSearch::Over(reached),
            Some(Advance::Stopped) => return EventSearch::Stopped,
            Some(Advance::Past(record)) if model.scene.flow.shows(&record) => return EventSearch::Found,
            Some(Advance::Past(_)) => {}
        }
    }
    EventSearch::Unfinished
}

/// What taking in a record came to.
enum Advance {
    /// The picture goes on.
    Past(Arc<Record>),
    /// What it was to stop at has come.
    Stopped,
}

/// Takes in the next record, if there is one, and shows the message about it.
fn advance(model: &mut Model) -> Option<Advance> {
    let before = model.stop.as_ref().map(|stop| stop.look(&model.scene.world));
    let (playback, scene) = parts(model)?;
    let record = playback.advance(scene)?;
    announce(model, &record);
    let has_stopped = before.is_some_and(|before| pacing::has_come(model, before));
    if model.is_asked_by(&record) {
        model.lesson.played = model.feed.motion();
        return Some(Advance::Stopped);
    }
    Some(if has_stopped { Advance::Stopped } else { Advance::Past(record) })
}

/// Does the action of a key that moves in time.
pub fn perform(model: &mut Model, action: Action) {
    if put_off(model, action) {
        return;
    }
    if action != Action::PlayOrStand {
        forget_where_it_was(model);
    }
    let Some((playback, scene)) = parts(model) else { return };
    const SECOND: i64 = 1_000_000_000;
    match action {
        Action::PlayOrStand => {
            playback.motion = match playback.motion {
                Motion::Playing | Motion::Paced { .. } => Motion::Standing,
                Motion::Standing => Motion::Playing,
            };
            let is_over = playback.motion == Motion::Playing && playback.next().is_none();
            if is_over && model.feed_kind() != FeedKind::Simulated {
                seek(model, i64::MIN);
            }
        }
        Action::EventForward => {
            playback.motion = Motion::Standing;
            let until = scene.at.saturating_add(NEXT_WITHIN);
            match advance_to_event(model, until) {
                EventSearch::Found | EventSearch::Stopped => {}
                EventSearch::Unfinished => {
                    model.tell(Tone::Plain, format!("The flow shows none of these {UNSEEN_MAX} records."));
                }
                EventSearch::Over(reached) => tell_end(model, reached),
            }
        }
        Action::EventBack => {
            playback.motion = Motion::Standing;
            match playback.back_to(|record| scene.flow.shows(record)) {
                Some(before) => scene.become_moment(before),
                None => model.tell(Tone::Plain, "This is the beginning of the session."),
            }
        }
        Action::SecondBack => {
            let at = scene.at.saturating_sub(SECOND);
            seek(model, at);
        }
        Action::SecondForward => {
            let at = scene.at.saturating_add(SECOND);
            let reached = reach(model, at);
            let Some((playback, scene)) = parts(model) else { return };
            playback.advance_to(at, scene);
            if reached == Some(Reached::Full) {
                tell_end(model, reached);
            }
        }
        Action::FaultBack => leap(model, Direction::Back, Landmark::Fault),
        Action::FaultForward => leap(model, Direction::On, Landmark::Fault),
        Action::ViolationBack => leap(model, Direction::Back, Landmark::Violation),
        Action::ViolationForward => leap(model, Direction::On, Landmark::Violation),
        Action::ElectionBack => leap(model, Direction::Back, Landmark::Election),
        Action::ElectionForward => leap(model, Direction::On, Landmark::Election),
        Action::Beginning => seek(model, i64::MIN),
        Action::End => seek(model, i64::MAX),
        _ => {}
    }
}

/// The direction of a jump.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Direction {
    On,
    Back,
}

/// Goes to just after the next such record, or the one before, and stops there.
fn leap(model: &mut Model, way: Direction, landmark: Landmark) {
    let Some((playback, _)) = parts(model) else { return };
    playback.motion = Motion::Standing;
    let reached = match way {
        Direction::On => playback.next_of(landmark),
        Direction::Back => playback.last_of(landmark),
    };
    let Some((there, record)) = reached else {
        let name = match landmark {
            Landmark::Fault => "fault",
            Landmark::Violation => "violation",
            Landmark::Election => "election",
        };
        let side = if way == Direction::On { "after" } else { "before" };
        let so_far = match (way, model.feed_kind()) {
            (Direction::On, FeedKind::Simulated) => ", as far as this has been simulated",
            _ => "",
        };
        model.tell(Tone::Plain, format!("There is no {name} {side} this moment{so_far}."));
        return;
    };
    arrive(model, there, &record);
}

/// Goes where this leads, just after a record, and stops there. Returns whether it leads anywhere.
pub fn leap_to(model: &mut Model, find: impl FnOnce(&mut Playback) -> Option<(Scene, Arc<Record>)>) -> bool {
    let Some((there, record)) = parts(model).and_then(|(playback, _)| find(playback)) else { return false };
    stand(model);
    forget_where_it_was(model);
    arrive(model, there, &record);
    true
}

/// Shows the moment just after this record.
fn arrive(model: &mut Model, there: Scene, record: &Record) {
    model.scene.become_moment(there);
    if let Body::FaultOrdered { id, .. } = record.body {
        model.fault = Some(id);
    }
    announce(model, record);
    drop_lost_cursor(model);
}

/// Stops playing.
pub fn stand(model: &mut Model) {
    if let Some((playback, _)) = parts(model) {
        playback.motion = Motion::Standing;
    }
}

/// Goes to this time, or as near as the session reaches; a simulated lab goes on to it.
pub fn seek(model: &mut Model, at: i64) {
    forget_where_it_was(model);
    if at != i64::MAX
        && let Some(simulated) = simulated(model)
    {
        let furthest = simulated.playback.end().saturating_add(SEEK_MAX);
        simulated.reach(at.min(furthest));
    }
    let Some((playback, scene)) = parts(model) else { return };
    scene.become_moment(playback.seek(at));
    // A paced picture looks for its next event from here on.
    if let Motion::Paced { next, .. } = playback.motion {
        playback.motion = Motion::Paced { next, seen_at: scene.at };
    }
    let (start, end) = (playback.start(), playback.end());
    if at != i64::MIN && at != i64::MAX && !(start..=end).contains(&at) {
        let (start, end) = (paint::seconds(start, 3), paint::seconds(end, 3));
        let reached = if at > 0 { "end" } else { "beginning" };
        let told = match (model.feed_kind(), reached) {
            (FeedKind::Simulated, "end") => {
                let most = SEEK_MAX / 1_000_000_000;
                format!(
                    "This is {end} s: one line simulates at most {most} s more. The same line again goes on from here."
                )
            }
            _ => format!("The session goes from {start} s to {end} s: this is its {reached}."),
        };
        model.tell(Tone::Plain, told);
    }
    drop_lost_cursor(model);
}

/// The picture goes elsewhere: what was said about the rows of the moment that it leaves is said no longer.
fn forget_where_it_was(model: &mut Model) {
    model.toasts.forget_from(0);
}

/// Goes to this time of a session beside another one, or as near as it reaches.
pub fn follow(model: &mut Model, at: i64) {
    let Some((playback, scene)) = parts(model) else { return };
    if (scene.at..scene.at.saturating_add(FOLLOWED_MAX)).contains(&at) {
        playback.advance_to(at, scene);
    } else {
        scene.become_moment(playback.seek(at));
    }
    model.is_dirty = true;
    drop_lost_cursor(model);
}

/// Lets a simulated lab go on to this time; returns how far it went, if the lab is simulated.
fn reach(model: &mut Model, at: i64) -> Option<Reached> {
    simulated(model).map(|simulated| simulated.reach(at))
}

fn tell_end(model: &mut Model, reached: Option<Reached>) {
    let end = match model.feed_kind() {
        FeedKind::Past => format!(
            "The past ends here, where you asked for it; {0} returns to the present, and {0} again plays what came since.",
            model.key(Action::LastMinute)
        ),
        _ => "This is the end of the session.".to_owned(),
    };
    let why = reached.and_then(|reached| reached.words(&model.keymap)).unwrap_or(end);
    model.tell(Tone::Plain, why);
}

/// More records have been read: the why line may know more.
fn show_whole(model: &mut Model) {
    model.why_line = WhyLine::default();
    model.is_dirty = true;
}

/// A row that has not happened yet, or is not kept any more, cannot be under the cursor.
fn drop_lost_cursor(model: &mut Model) {
    let is_lost = |model: &Model| model.reading.cursor.is_some_and(|cursor| model.scene.journal.get(cursor).is_none());
    if is_lost(model) && parts(model).is_some_and(|(playback, scene)| playback.read_whole(scene)) {
        show_whole(model);
    }
    if is_lost(model) {
        model.reading.cursor = None;
        model.reading.follow = Follow::On;
    }
}

fn parts(model: &mut Model) -> Option<(&mut Playback, &mut Scene)> {
    match &mut model.feed {
        Feed::Replay(playback) | Feed::Simulated(SimulatedLab { playback, .. }) => Some((playback, &mut model.scene)),
        Feed::Live(_) => None,
    }
}

fn simulated(model: &mut Model) -> Option<&mut SimulatedLab> {
    match &mut model.feed {
        Feed::Simulated(simulated) => Some(simulated),
        Feed::Live(_) | Feed::Replay(_) => None,
    }
}

/// Puts off what this key does, if the session has not been read so far. Returns whether it does.
pub fn put_off(model: &mut Model, action: Action) -> bool {
    model.errand = None;
    let to = match action {
        Action::End => Destination::End,
        Action::FaultForward => Destination::Next(Landmark::Fault),
        Action::ViolationForward => Destination::Next(Landmark::Violation),
        Action::ElectionForward => Destination::Next(Landmark::Election),
        _ => return false,
    };
    put_off_until(model, to, ErrandDeed::Key(action))
}

/// Puts this off, if the session has not been read so far. Returns whether it does.
pub fn put_off_until(model: &mut Model, to: Destination, deed: ErrandDeed) -> bool {
    model.errand = None;
    if model.knows(to) {
        return false;
    }
    if let Some(playback) = model.feed.playback_mut() {
        playback.motion = Motion::Standing;
    }
    model.errand = Some(ReadingErrand { to, deed });
    model.tell(Tone::Plain, "The session is read on to there; Esc stays here.");
    true
}
