//! Moving in time: in a session, and in a simulated lab, which goes on at its end. What a session file has not been read
//! to yet is gone to later.
//!
//! Invariant: a moment looks the same whichever way it is reached; a simulated lab goes no further than a person looks.

use std::sync::Arc;
use std::time::Duration;

use super::pacing;
use super::telling::announce;
use crate::input::action::{Action, FeedKind};
use crate::model::{Model, Tone};
use crate::time::freshness::Rate;
use crate::time::playback::{Destination, LeapTarget, PendingSeek, Playback, SeekOrder};
use crate::time::scene::Scene;
use crate::time::simulated::Reached;
use crate::time::timeline::{PlayEnd, UNSEEN_MAX};
use crate::view::paint;
use record::{Body, Record};

/// A seek takes a simulated lab at most this much further than before, in nanoseconds.
const SEEK_MAX: i64 = 300_000_000_000;

/// A session beside another one takes in record by record what lies at most this far ahead, in nanoseconds.
const FOLLOWED_MAX: i64 = 2_000_000_000;

/// The clock went on.
pub fn tick(model: &mut Model, passed: Duration) {
    let clock = model.clock;
    if model.time.session_mut().is_some_and(|(playback, scene)| playback.read_at_rest(scene, clock)) {
        show_whole(model);
    }
    pacing::play(model, passed);
}

/// Does the action of a key that moves in time.
pub fn perform(model: &mut Model, action: Action) {
    if put_off(model, action) {
        return;
    }
    if action != Action::PlayOrStand {
        forget_where_it_was(model);
    }
    let Some((playback, scene)) = model.time.session_mut() else { return };
    const SECOND: i64 = 1_000_000_000;
    match action {
        Action::PlayOrStand => {
            let is_over = playback.next().is_none();
            if model.time.rate() != Rate::Standing {
                return stand(model);
            }
            model.time.play_on();
            if is_over && model.feed_kind() != FeedKind::Simulated {
                seek(model, i64::MIN);
            }
        }
        Action::EventForward => {
            let holds = model.play_holds();
            let played = model.time.play_next_event(&holds);
            let is_unseen = matches!(played.end, PlayEnd::Unseen);
            pacing::tell_played(model, played);
            if is_unseen {
                model.tell(Tone::Plain, format!("The flow shows none of these {UNSEEN_MAX} records."));
            }
        }
        Action::EventBack => {
            let before = playback.back_to(|record| scene.flow.shows(record));
            match before {
                Some(before) => scene.become_moment(before),
                None => model.tell(Tone::Plain, "This is the beginning of the session."),
            }
            stand(model);
        }
        Action::SecondBack => {
            let at = scene.at.saturating_sub(SECOND);
            seek(model, at);
        }
        Action::SecondForward => {
            let at = scene.at.saturating_add(SECOND);
            let reached = model.time.simulated_mut().map(|simulated| simulated.reach(at));
            let Some((playback, scene)) = model.time.session_mut() else { return };
            playback.advance_to(at, scene);
            if reached == Some(Reached::Full) {
                pacing::tell_end(model, reached);
            }
        }
        Action::FaultBack => leap(model, Direction::Back, LeapTarget::Fault),
        Action::FaultForward => leap(model, Direction::On, LeapTarget::Fault),
        Action::ViolationBack => leap(model, Direction::Back, LeapTarget::Violation),
        Action::ViolationForward => leap(model, Direction::On, LeapTarget::Violation),
        Action::ElectionBack => leap(model, Direction::Back, LeapTarget::Election),
        Action::ElectionForward => leap(model, Direction::On, LeapTarget::Election),
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
fn leap(model: &mut Model, way: Direction, target: LeapTarget) {
    stand(model);
    let Some((playback, _)) = model.time.session_mut() else { return };
    let reached = match way {
        Direction::On => playback.next_of(target),
        Direction::Back => playback.last_of(target),
    };
    let Some((there, record)) = reached else {
        let name = match target {
            LeapTarget::Fault => "fault",
            LeapTarget::Violation => "violation",
            LeapTarget::Election => "election",
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
    let Some((there, record)) = model.time.session_mut().and_then(|(playback, _)| find(playback)) else { return false };
    stand(model);
    forget_where_it_was(model);
    arrive(model, there, &record);
    true
}

/// Shows the moment just after this record.
fn arrive(model: &mut Model, there: Scene, record: &Record) {
    model.time.scene.become_moment(there);
    if let Body::FaultOrdered { id, .. } = record.body {
        model.places.fault = Some(id);
    }
    announce(model, record);
    drop_lost_cursor(model);
}

/// Stops playing.
pub fn stand(model: &mut Model) {
    if model.time.feed.playback().is_some() {
        model.time.stand();
    }
}

/// Goes to this time, or as near as the session reaches; a simulated lab goes on to it.
pub fn seek(model: &mut Model, at: i64) {
    forget_where_it_was(model);
    if at != i64::MAX
        && let Some(simulated) = model.time.simulated_mut()
    {
        let furthest = simulated.playback.end().saturating_add(SEEK_MAX);
        simulated.reach(at.min(furthest));
    }
    model.time.seek(at);
    let Some(playback) = model.time.feed.playback() else { return };
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
    let Some((playback, scene)) = model.time.session_mut() else { return };
    if (scene.at..scene.at.saturating_add(FOLLOWED_MAX)).contains(&at) {
        playback.advance_to(at, scene);
    } else {
        scene.become_moment(playback.seek(at));
    }
    model.drawing.need();
    drop_lost_cursor(model);
}

/// More records have been read: the why line may know more.
fn show_whole(model: &mut Model) {
    model.drawing.forget_why();
    model.drawing.need();
}

/// A row that has not happened yet, or is not kept any more, cannot be under the cursor.
fn drop_lost_cursor(model: &mut Model) {
    let is_lost =
        |model: &Model| model.places.messages.cursor.is_some_and(|cursor| model.time.scene.rows.get(cursor).is_none());
    if is_lost(model) && model.time.session_mut().is_some_and(|(playback, scene)| playback.read_whole(scene)) {
        show_whole(model);
    }
    if is_lost(model) {
        model.places.messages.follow_newest();
    }
}

/// Puts off what this key does, if the session has not been read so far. Returns whether it does.
pub fn put_off(model: &mut Model, action: Action) -> bool {
    model.time.pending = None;
    let to = match action {
        Action::End => Destination::End,
        Action::FaultForward => Destination::Next(LeapTarget::Fault),
        Action::ViolationForward => Destination::Next(LeapTarget::Violation),
        Action::ElectionForward => Destination::Next(LeapTarget::Election),
        _ => return false,
    };
    put_off_until(model, to, SeekOrder::Key(action))
}

/// Puts this off, if the session has not been read so far. Returns whether it does.
pub fn put_off_until(model: &mut Model, to: Destination, by: SeekOrder) -> bool {
    model.time.pending = None;
    if model.knows(to) {
        return false;
    }
    stand(model);
    model.time.pending = Some(PendingSeek { to, by });
    model.tell(Tone::Plain, "The session is read on to there; Esc stays here.");
    true
}
