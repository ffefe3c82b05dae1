//! The moment on the screen apart from the lab's own time: it is frozen, plays event by event, stops at what a person waits
//! for, or plays the last minute again.
//!
//! Invariant: whatever is shown, the lab goes on as it does, and what it brings is taken in by its newest moment.

use std::sync::Arc;
use std::time::Duration;

use super::telling::announce;
use crate::input::action::{Action, FeedKind};
use crate::input::prompt::{Prompt, PromptKind};
use crate::model::toast::Toast;
use crate::model::{Model, Tone, Viewpoint};
use crate::time::feed::Feed;
use crate::time::freshness::{EventPace, Freshness, Rate};
use crate::time::simulated::Reached;
use crate::time::timeline::{PlayEnd, Played, Timeline};
use crate::view::paint;
use record::Record;
use script::PictureStop;

/// The line with which a person says at what the picture is to stop; what it stops at follows.
pub const STOP_LINE: &str = "stop when ";

/// A running lab has brought a record. The newest moment takes it in, and the one on the screen, if it is another one.
pub fn take(model: &mut Model, record: &Arc<Record>) {
    let stop = model.time.take_newest(record);
    // Nothing that comes later gives the answer away.
    let is_asked = model.open_question().is_some();
    if !model.time.is_behind() {
        match stop.is_some() || is_asked || model.time.scene.flow.shows(record) {
            true => model.drawing.need(),
            false => model.drawing.need_soon(model.clock),
        }
        announce(model, record);
        if stop.is_some() || is_asked {
            model.time.stand();
        }
        return tell_stop(model, stop);
    }
    model.drawing.need_if(model.time.take_behind(record));
    if model.time.rate() != Rate::Standing {
        drop_cut(model);
    } else if !is_asked {
        announce(model, record);
    }
}

/// Records of a running lab are missing after those that the moment on the screen has.
pub fn cut(model: &mut Model) {
    model.time.cut();
    drop_cut(model);
}

/// What plays and cannot go on is given up.
fn drop_cut(model: &mut Model) {
    if model.time.rate() != Rate::Standing && model.time.is_cut() {
        model.time.show_newest();
        model.tell_long(Tone::Bad, "The picture was too far behind; the screen shows the present again.");
    }
}

/// The screen's clock went on by this much.
pub fn play(model: &mut Model, passed: Duration) {
    let rate = model.time.rate();
    if matches!(rate, Rate::WithTheLab | Rate::Standing) {
        return;
    }
    let holds = model.play_holds();
    let played = model.time.play(model.clock, passed, &holds);
    model.drawing.need_if(rate == Rate::Playing || !played.records.is_empty());
    tell_played(model, played);
}

/// Shows the messages about what was played, and why it plays no further.
pub fn tell_played(model: &mut Model, played: Played) {
    played.records.iter().for_each(|record| announce(model, record));
    match played.end {
        PlayEnd::Reached | PlayEnd::Unseen => {}
        PlayEnd::Held { stop, asked } => {
            tell_stop(model, stop);
            if asked.is_some() {
                model.lesson.played = asked;
            }
        }
        PlayEnd::Over(reached) => tell_end(model, reached),
        PlayEnd::CaughtUp => model.drawing.need(),
    }
}

/// Says that nothing comes after this moment.
pub fn tell_end(model: &mut Model, reached: Option<Reached>) {
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

/// The picture of a running lab stands where a question is open.
pub fn stand_at_question(model: &mut Model) {
    if model.time.rate() == Rate::WithTheLab && model.open_question().is_some() {
        model.time.stand();
    }
}

/// A question is closed: the picture plays what came since, event by event, until it shows the present.
pub fn catch_up(model: &mut Model) {
    if model.time.is_behind() && !model.time.catch_up(model.clock) {
        model.time.show_newest();
        model.tell_long(Tone::Bad, "Too much has happened since; the screen shows the present again.");
        stand_at_question(model);
    }
}

/// What of a running lab's time is shown: tenths of a second, or, of a standing picture, the seconds that it is behind.
pub fn shown_time(model: &Model) -> i64 {
    match model.time.is_frozen() {
        true => model.behind() / 1_000_000_000,
        false => model.time.scene.at.div_euclid(100_000_000),
    }
}

/// Freezes the picture of a running lab, or returns to the present.
pub fn freeze(model: &mut Model) {
    if model.time.is_frozen() {
        return show_newest(model);
    }
    let of_the_moment = model.time.stand();
    of_the_moment.iter().for_each(|record| announce(model, record));
    let at = paint::moment(model.seen().at);
    model.tell(Tone::Plain, format!("Frozen at {at} s; the lab goes on. A replay shows this with `:seek {at}s`."));
}

/// Shows the present of a running lab.
pub fn show_newest(model: &mut Model) {
    model.time.show_newest();
    model.tell(Tone::Plain, "The screen shows the present again.");
    stand_at_question(model);
}

/// Plays event by event, or no longer.
pub fn pace(model: &mut Model) {
    let is_live = matches!(model.time.feed, Feed::Live(_));
    match model.time.rate() {
        Rate::Paced { .. } if !is_live => {
            model.time.play_on();
            return model.tell(Tone::Plain, "The picture plays at its own speed again.");
        }
        Rate::Paced { .. } | Rate::CatchingUp { .. } => return show_newest(model),
        Rate::WithTheLab | Rate::Standing | Rate::Playing => {}
    }
    if !model.time.play_by_event(model.clock) {
        let key = model.key(Action::Freeze);
        let text = format!("Records are missing behind this moment; {key} returns to the present.");
        return model.tell(Tone::Plain, text);
    }
    let (pace, slower, faster) = (model.time.pace, model.key(Action::Slower), model.key(Action::Faster));
    let goes_on = if is_live { " The lab goes on as it does." } else { "" };
    model.tell(
        Tone::Plain,
        format!("The picture plays event by event, {pace} apart; `{slower}` is slower, `{faster}` faster.{goes_on}"),
    );
}

/// More time between two events of a paced picture; of a session that is not paced, a slower speed.
pub fn slower(model: &mut Model) {
    if is_paced(model) {
        return change_pace(model, model.time.pace.slower(), "Events cannot be farther apart.");
    }
    if let Feed::Live(_) = model.time.feed {
        return pace(model);
    }
    match model.time.speed.slower() {
        Some(speed) => model.time.speed = speed,
        None => model.tell(Tone::Plain, "It cannot be played slower."),
    }
}

/// Less time between two events of a paced picture; of a session that is not paced, a faster speed.
pub fn faster(model: &mut Model) {
    if is_paced(model) {
        let cannot = format!("Events cannot be nearer; {} ends the paced view.", model.key(Action::Pace));
        return change_pace(model, model.time.pace.faster(), &cannot);
    }
    if let Feed::Live(_) = model.time.feed {
        let key = model.key(Action::Pace);
        return model.tell(Tone::Plain, format!("The picture is as fast as the lab; {key} plays it event by event."));
    }
    match model.time.speed.faster() {
        Some(speed) => model.time.speed = speed,
        None => model.tell(Tone::Plain, "It cannot be played faster."),
    }
}

fn change_pace(model: &mut Model, pace: Option<EventPace>, cannot: &str) {
    match pace {
        Some(pace) => model.time.pace = pace,
        None => model.tell(Tone::Plain, cannot),
    }
}

fn is_paced(model: &Model) -> bool {
    matches!(model.time.rate(), Rate::Paced { .. } | Rate::CatchingUp { .. })
}

/// Asks at what the picture is to stop, or forgets it.
pub fn ask_when_to_stop(model: &mut Model) {
    match model.time.stop.take() {
        Some(stop) => model.tell(Tone::Plain, format!("The picture no longer stops at: {stop}.")),
        None => model.dialogs.prompt = Some(Prompt::new(PromptKind::Palette, STOP_LINE)),
    }
}

/// From now on the picture stops there, once.
pub fn stop_at(model: &mut Model, stop: PictureStop) {
    let key = model.key(Action::StopWhen);
    model.tell(Tone::Plain, format!("The picture will stop at: {stop}. {key} forgets it."));
    model.time.stop = Some(stop);
}

fn tell_stop(model: &mut Model, stop: Option<PictureStop>) {
    let Some(stop) = stop else { return };
    let ways = if let Feed::Live(_) = model.time.feed {
        let (pace, freeze) = (model.key(Action::Pace), model.key(Action::Freeze));
        format!("The lab goes on; {pace} plays on from here, {freeze} shows the present")
    } else {
        format!("{} plays on", model.key(Action::PlayOrStand))
    };
    model.tell_long(Tone::Plain, format!("Stopped at {} s: {stop}. {ways}.", paint::moment(model.seen().at)));
}

/// Plays the last minute again, or returns to the present.
pub fn toggle_past(model: &mut Model) {
    if model.time.lab.is_some() {
        return return_to_present(model);
    }
    let told_by = match model.vantage {
        Viewpoint::Node(node) => Some(node),
        Viewpoint::Lab => None,
    };
    let Feed::Live(live) = &model.time.feed else { return };
    let Some(mut playback) = live.recorder.session(model.head.as_ref(), model.time.scene.at, told_by) else {
        return model.tell(Tone::Plain, "This screen has heard nothing of the lab yet that could be played again.");
    };
    let records = &model.time.scene.records;
    let earlier = playback.first().map(|first| records.before(&first).to_vec()).unwrap_or_default();
    let is_whole = earlier.is_empty();
    playback.comes_after(earlier);
    let mut scene = playback.beginning();
    let rules = model.time.scene.flow.rules();
    scene.flow.show(rules.folding, rules.periodic);
    let (what, lab) = match is_whole {
        true => ("The lab again, from its beginning".to_owned(), "it"),
        false => (format!("The last minute again, from {} s", paint::seconds(scene.at, 1)), "the lab"),
    };
    let mut past = Timeline::new(Feed::Replay(playback), scene);
    past.play_on();
    model.time.show_past(past);
    forget_rows(model);
    let goes_on = if model.is_recorded() { "goes on, recorded" } else { "goes on" };
    let returns = model.key(Action::LastMinute);
    let text = match model.time.of_lab().freshness() {
        Freshness::Over | Freshness::Gone => {
            format!("{what}. {returns} returns to the end.")
        }
        _ => format!("{what}; {lab} {goes_on}. {returns}: live."),
    };
    model.tell(Tone::Plain, text);
}

/// Leaves the lab's past for its present.
pub fn return_to_present(model: &mut Model) {
    let rules = model.time.scene.flow.rules().clone();
    if model.time.leave_past() {
        model.time.show_flow(rules.folding, rules.periodic);
        forget_rows(model);
        show_newest(model);
    }
}

/// Does this with the running lab, also while its past is shown.
pub fn with_lab<T>(model: &mut Model, act: impl FnOnce(&mut Model) -> T) -> T {
    let Some(mut lab) = model.time.lab.take() else { return act(model) };
    let told = std::mem::take(&mut model.toasts);
    std::mem::swap(&mut model.time, &mut lab);
    let done = act(model);
    std::mem::swap(&mut model.time, &mut lab);
    model.time.lab = Some(lab);
    // The rows on the screen are those of the past.
    let news = std::mem::replace(&mut model.toasts, told);
    news.iter().for_each(|toast| model.toasts.push(Toast { row: None, ..toast.clone() }));
    done
}

/// The past and the present number their rows apart: nothing may point at a row of the other.
fn forget_rows(model: &mut Model) {
    model.toasts.clear();
    model.places.forget_rows();
    model.drawing.forget_why();
    model.drawing.need();
}
