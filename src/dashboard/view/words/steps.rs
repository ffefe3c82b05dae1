//! The lab's steps in words.
//!
//! Invariant: what a step waits for is said as the lab file says it.

use crate::input::action::Action;
use crate::model::Model;
use crate::view::paint;
use script::{BookedStep, NarratedWords, StepStanding, Steps};

/// What the lab shows, its next step, and the others by their names; each with a title.
pub fn in_short(model: &Model) -> Vec<(&'static str, String)> {
    let Some(book) = model.book() else {
        return vec![("steps", "This session does not tell the lab's steps.".to_owned())];
    };
    let steps = book.steps(&model.seen().world);
    let mut told = vec![("about", book.about.clone())];
    if steps.is_empty() {
        told.push(("steps", "This lab has none of its own.".to_owned()));
        return told;
    }
    let next = steps.iter().find(|step| {
        matches!(step.standing, StepStanding::Ordering(_) | StepStanding::Next { .. } | StepStanding::GivenUp)
    });
    match next {
        Some(step) => {
            told.push(("next", format!("{}: {}", step.name, orders(step))));
            told.push(("waits", standing(model, step)));
        }
        None => told.push(("next", "All steps were taken.".to_owned())),
    }
    let taken = steps.iter().filter_map(|step| match step.standing {
        StepStanding::Taken(at) => Some(format!("{} {} s", step.name, paint::seconds(at, 3))),
        _ => None,
    });
    let later = steps.iter().filter(|step| step.standing == StepStanding::Later).map(|step| step.name.clone());
    for (title, names) in [("taken", taken.collect::<Vec<_>>()), ("later", later.collect())] {
        if !names.is_empty() {
            told.push((title, names.join(", ")));
        }
    }
    told
}

/// What a step orders.
pub fn orders(step: &BookedStep) -> String {
    match &step.narration.words {
        _ if !step.lines.is_empty() => step.lines.join(", "),
        Some(NarratedWords::Say(_)) => "nothing; it says something".to_owned(),
        Some(NarratedWords::Ask(_)) => "nothing; it asks something".to_owned(),
        None => "nothing; it marks a moment".to_owned(),
    }
}

/// How a step stands.
pub fn standing(model: &Model, step: &BookedStep) -> String {
    let seconds = |at: i64| paint::seconds(at, 3);
    match step.standing {
        StepStanding::Taken(at) => format!("taken at {} s, {}", seconds(at), step.when),
        StepStanding::Ordering(at) => format!("taken at {} s; its faults are not all in force yet", seconds(at)),
        StepStanding::GivenUp => {
            format!("{}; that never came, and no later step is taken", step.when)
        }
        StepStanding::Later => step.when.clone(),
        StepStanding::Next { .. } if is_held(model) => {
            format!("{}; the steps wait until {} plays them", step.when, model.key(Action::PlaySteps))
        }
        StepStanding::Next { since, is_so, due } => {
            let since = since.map_or_else(String::new, |at| format!(", since {} s", seconds(at)));
            let due = due.map_or_else(String::new, |at| format!(", which is at {} s", seconds(at)));
            let is_so = match is_so {
                Some(true) => "; that is so now",
                Some(false) => "; that is not so yet",
                None => "",
            };
            format!("{}{due}{since}{is_so}", step.when)
        }
    }
}

/// Whether the steps wait for a person, as far as this screen knows: a recorded session does not tell.
fn is_held(model: &Model) -> bool {
    let is_first = model.seen().world.steps.is_empty();
    is_first && model.steps() == Steps::Held
}
