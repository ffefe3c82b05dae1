//! The picture apart from the lab's own time: it is frozen, plays event by event, or stops at what a person waits for.
//!
//! Invariant: whatever the picture does, the lab goes on as it does, and its records are taken in.

use std::sync::Arc;

use super::telling::announce;
use crate::input::action::Action;
use crate::input::prompt::{Prompt, PromptKind};
use crate::model::{Model, Tone};
use crate::time::delayed::{Delayed, DelayedMotion, PictureHolds};
use crate::time::freshness::{EventPace, Motion};
use crate::view::paint;
use record::Record;
use script::{PictureStop, StopLook};

/// The line with which a person says at what the picture is to stop; what it stops at follows.
pub const STOP_LINE: &str = "stop when ";

/// A running lab has brought a record. The present takes it in, and the picture, if it is another one.
pub fn take(model: &mut Model, record: &Arc<Record>) {
    let is_present = model.delayed.is_none();
    let has_come = model.scene.take_until(record, model.stop.as_ref().filter(|_| is_present));
    // Nothing that comes later gives the answer away.
    let is_asked = model.open_question().is_some();
    let Some(delayed) = &mut model.delayed else {
        match has_come || is_asked || model.scene.flow.shows(record) {
            true => model.is_dirty = true,
            false => model.change_unseen(),
        }
        announce(model, record);
        if has_come {
            model.delayed = Some(Box::new(Delayed::standing(&model.scene)));
            tell_stop(model);
        } else if is_asked {
            model.delayed = Some(Box::new(Delayed::standing(&model.scene)));
        }
        return;
    };
    model.is_dirty |= delayed.take(record);
    match delayed.motion {
        DelayedMotion::Standing if is_asked => {}
        DelayedMotion::Standing => announce(model, record),
        DelayedMotion::Paced { .. } | DelayedMotion::CatchingUp { .. } => drop_cut(model),
    }
}

/// Records of a running lab are missing after those that the picture has.
pub fn cut(model: &mut Model) {
    if let Some(delayed) = &mut model.delayed {
        delayed.cut();
        drop_cut(model);
    }
}

/// A paced picture that cannot go on is given up.
fn drop_cut(model: &mut Model) {
    if model.delayed.as_ref().is_some_and(|delayed| delayed.motion != DelayedMotion::Standing && delayed.is_cut()) {
        model.delayed = None;
        model.tell_long(Tone::Bad, "The picture was too far behind; the screen shows the present again.");
    }
}

/// The clock of a screen went on that shows a running lab.
pub fn play(model: &mut Model) {
    let (clock, apart, present) = (model.clock, model.pace.apart(), model.scene.at);
    if model.delayed.as_ref().is_none_or(|delayed| delayed.motion == DelayedMotion::Standing) {
        return;
    }
    let (asks, says) = (model.questions_ahead(), model.reading_times());
    let holds = PictureHolds { stop: model.stop.as_ref(), asks, says };
    let Some(delayed) = &mut model.delayed else { return };
    let was_paced = delayed.motion != DelayedMotion::Standing;
    let played = delayed.play(clock, apart, present, &holds);
    let has_stopped = was_paced && delayed.motion == DelayedMotion::Standing;
    model.is_dirty |= !played.is_empty();
    played.iter().for_each(|record| announce(model, record));
    if has_stopped {
        tell_stop(model);
    } else if model.delayed.as_ref().is_some_and(|delayed| delayed.has_caught_up()) {
        model.delayed = None;
        model.is_dirty = true;
    }
}

/// The picture of a running lab stands where a question is open.
pub fn stand_at_question(model: &mut Model) {
    if model.delayed.is_none() && model.open_question().is_some() {
        model.delayed = Some(Box::new(Delayed::standing(&model.scene)));
    }
}

/// A question is closed: the picture plays what came since, event by event, until it shows the present.
pub fn catch_up(model: &mut Model) {
    let clock = model.clock;
    let Some(delayed) = &mut model.delayed else { return };
    if !delayed.catch_up(clock) {
        model.delayed = None;
        model.tell_long(Tone::Bad, "Too much has happened since; the screen shows the present again.");
        stand_at_question(model);
    }
}

/// What of a running lab's time is shown: tenths of a second, or, of a standing picture, the seconds that it is behind.
pub fn shown_time(model: &Model) -> i64 {
    match &model.delayed {
        Some(delayed) if delayed.motion == DelayedMotion::Standing => model.behind() / 1_000_000_000,
        _ => model.scene.at.div_euclid(100_000_000),
    }
}

/// Freezes the picture of a running lab, or returns to the present.
pub fn freeze(model: &mut Model) {
    match &mut model.delayed {
        Some(delayed) if delayed.motion == DelayedMotion::Standing => return return_to_present(model),
        Some(delayed) => {
            let of_the_moment = delayed.stand();
            of_the_moment.iter().for_each(|record| announce(model, record));
        }
        None => model.delayed = Some(Box::new(Delayed::standing(&model.scene))),
    }
    let at = paint::moment(model.seen().at);
    model.tell(Tone::Plain, format!("Frozen at {at} s; the lab goes on. A replay shows this with `:seek {at}s`."));
}

/// Shows the present of a running lab.
pub fn return_to_present(model: &mut Model) {
    model.delayed = None;
    model.tell(Tone::Plain, "The screen shows the present again.");
    stand_at_question(model);
}

/// Plays event by event, or no longer.
pub fn pace(model: &mut Model) {
    let clock = model.clock;
    let (pace, slower, faster) = (model.pace, model.key(Action::Slower), model.key(Action::Faster));
    let paced = format!("The picture plays event by event, {pace} apart; `{slower}` is slower, `{faster}` faster.");
    if let Some(playback) = model.feed.playback_mut() {
        if let Motion::Paced { .. } = playback.motion {
            playback.motion = Motion::Playing;
            model.tell(Tone::Plain, "The picture plays at its own speed again.");
        } else {
            playback.motion = Motion::Paced { next: clock, seen_at: model.scene.at };
            model.tell(Tone::Plain, paced);
        }
        return;
    }
    match &mut model.delayed {
        None => model.delayed = Some(Box::new(Delayed::paced(&model.scene, clock))),
        Some(delayed) if delayed.motion != DelayedMotion::Standing => return return_to_present(model),
        Some(delayed) => {
            if !delayed.go_on(clock) {
                let key = model.key(Action::Freeze);
                model.tell(
                    Tone::Plain,
                    format!("Records are missing behind this moment; {key} returns to the present."),
                );
                return;
            }
        }
    }
    model.tell(Tone::Plain, format!("{paced} The lab goes on as it does."));
}

/// More time between two events of a paced picture; of a session that is not paced, a slower speed.
pub fn slower(model: &mut Model) {
    if is_paced(model) {
        return change_pace(model, model.pace.slower(), "Events cannot be farther apart.");
    }
    match model.feed.playback_mut() {
        None => pace(model),
        Some(playback) => match playback.speed.slower() {
            Some(speed) => playback.speed = speed,
            None => model.tell(Tone::Plain, "It cannot be played slower."),
        },
    }
}

/// Less time between two events of a paced picture; of a session that is not paced, a faster speed.
pub fn faster(model: &mut Model) {
    if is_paced(model) {
        let cannot = format!("Events cannot be nearer; {} ends the paced view.", model.key(Action::Pace));
        return change_pace(model, model.pace.faster(), &cannot);
    }
    match model.feed.playback_mut() {
        None => {
            let key = model.key(Action::Pace);
            model.tell(Tone::Plain, format!("The picture is as fast as the lab; {key} plays it event by event."));
        }
        Some(playback) => match playback.speed.faster() {
            Some(speed) => playback.speed = speed,
            None => model.tell(Tone::Plain, "It cannot be played faster."),
        },
    }
}

fn change_pace(model: &mut Model, pace: Option<EventPace>, cannot: &str) {
    match pace {
        Some(pace) => model.pace = pace,
        None => model.tell(Tone::Plain, cannot),
    }
}

fn is_paced(model: &Model) -> bool {
    let is_delayed = model.delayed.as_ref().is_some_and(|delayed| delayed.motion != DelayedMotion::Standing);
    is_delayed || matches!(model.feed.motion(), Some(Motion::Paced { .. }))
}

/// Asks at what the picture is to stop, or forgets it.
pub fn ask_when_to_stop(model: &mut Model) {
    match model.stop.take() {
        Some(stop) => model.tell(Tone::Plain, format!("The picture no longer stops at: {stop}.")),
        None => model.prompt = Some(Prompt::new(PromptKind::Palette, STOP_LINE)),
    }
}

/// From now on the picture stops there, once.
pub fn stop_at(model: &mut Model, stop: PictureStop) {
    let key = model.key(Action::StopWhen);
    model.tell(Tone::Plain, format!("The picture will stop at: {stop}. {key} forgets it."));
    model.stop = Some(stop);
}

/// Whether what the picture is to stop at has come since that look; says so.
pub fn has_come(model: &mut Model, before: StopLook) -> bool {
    let has_come = model.stop.as_ref().is_some_and(|stop| stop.has_come(before, &model.scene.world));
    if has_come {
        tell_stop(model);
    }
    has_come
}

fn tell_stop(model: &mut Model) {
    let Some(stop) = model.stop.take() else { return };
    let ways = match model.feed.motion() {
        Some(_) => format!("{} plays on", model.key(Action::PlayOrStand)),
        None => {
            let (pace, freeze) = (model.key(Action::Pace), model.key(Action::Freeze));
            format!("The lab goes on; {pace} plays on from here, {freeze} shows the present")
        }
    };
    model.tell_long(Tone::Plain, format!("Stopped at {} s: {stop}. {ways}.", paint::moment(model.seen().at)));
}
