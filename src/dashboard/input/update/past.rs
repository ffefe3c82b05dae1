//! The last minute of a running lab, played again while the lab goes on.
//!
//! Invariant: what the lab brings is taken in by its present, and changes nothing of the past on the screen.

use super::pacing;
use crate::input::action::Action;
use crate::model::toast::Toast;
use crate::model::{Follow, Model, Tone, Vantage};
use crate::time::feed::Feed;
use crate::time::freshness::{Freshness, Motion};
use crate::time::present::Present;
use crate::view::paint;
use crate::view::why_line::WhyLine;

/// Plays the last minute again, or returns to the present.
pub fn toggle(model: &mut Model) {
    if model.present.is_some() {
        return return_to_present(model);
    }
    let told_by = match model.vantage {
        Vantage::Node(node) => Some(node),
        Vantage::Lab => None,
    };
    let Feed::Live(live) = &model.feed else { return };
    let Some(mut playback) = live.recorder.session(model.head.as_ref(), model.scene.at, told_by) else {
        return model.tell(Tone::Plain, "This screen has heard nothing of the lab yet that could be played again.");
    };
    let earlier = playback.first().map(|first| model.scene.records.before(&first).to_vec()).unwrap_or_default();
    let is_whole = earlier.is_empty();
    playback.comes_after(earlier);
    playback.motion = Motion::Playing;
    let mut scene = playback.beginning();
    let rules = model.scene.flow.rules();
    scene.flow.show(rules.folding, rules.periodic);
    let (what, lab) = match is_whole {
        true => ("The lab again, from its beginning".to_owned(), "it"),
        false => (format!("The last minute again, from {} s", paint::seconds(scene.at, 1)), "the lab"),
    };
    let present = Present {
        feed: std::mem::replace(&mut model.feed, Feed::Replay(playback)),
        scene: std::mem::replace(&mut model.scene, scene),
        delayed: model.delayed.take(),
        stop: model.stop.take(),
    };
    model.present = Some(Box::new(present));
    forget_rows(model);
    let goes_on = if model.is_recorded() { "goes on, recorded" } else { "goes on" };
    let returns = model.key(Action::LastMinute);
    let text = match model.lab_standing() {
        Freshness::Over | Freshness::Gone => {
            format!("{what}. {returns} returns to the end.")
        }
        _ => format!("{what}; {lab} {goes_on}. {returns}: live."),
    };
    model.tell(Tone::Plain, text);
}

/// Shows the present of the lab again.
pub fn return_to_present(model: &mut Model) {
    let Some(present) = model.present.take() else { return };
    let rules = model.scene.flow.rules().clone();
    let Present { feed, scene, delayed, stop } = *present;
    (model.feed, model.scene, model.delayed) = (feed, scene, delayed);
    model.scene.flow.show(rules.folding, rules.periodic);
    model.stop = model.stop.take().or(stop);
    forget_rows(model);
    pacing::return_to_present(model);
}

/// Does this with the present of the lab, whatever the screen shows.
pub fn with_present<T>(model: &mut Model, act: impl FnOnce(&mut Model) -> T) -> T {
    let Some(mut present) = model.present.take() else { return act(model) };
    let told = std::mem::take(&mut model.toasts);
    swap(model, &mut present);
    let done = act(model);
    swap(model, &mut present);
    model.present = Some(present);
    // The rows on the screen are those of the past.
    let news = std::mem::replace(&mut model.toasts, told);
    news.iter().for_each(|toast| model.toasts.push(Toast { row: None, ..toast.clone() }));
    done
}

fn swap(model: &mut Model, present: &mut Present) {
    std::mem::swap(&mut model.feed, &mut present.feed);
    std::mem::swap(&mut model.scene, &mut present.scene);
    std::mem::swap(&mut model.delayed, &mut present.delayed);
    std::mem::swap(&mut model.stop, &mut present.stop);
}

/// The past and the present number their rows apart: nothing may point at a row of the other.
fn forget_rows(model: &mut Model) {
    model.toasts.clear();
    model.reading.cursor = None;
    model.reading.follow = Follow::On;
    model.panes.flow_cursor = None;
    model.panes.log_cursor = None;
    model.why_line = WhyLine::default();
    model.is_dirty = true;
}
