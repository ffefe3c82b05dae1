//! The recorded sessions: their list, and a screen for one of them over the screen that there is.
//!
//! Invariant: the screen beneath goes on, and `q` leads back to it; there is never more than one screen beneath.

use std::sync::Arc;

use super::{layers, time};
use crate::ending::ScreenEnd;
use crate::input::action::Action;
use crate::input::message::Command;
use crate::model::pages::{ListedSession, NoSession};
use crate::model::{Model, Subject, Tone};
use crate::time::feed::Feed;

/// The line that opens a session; what says which follows.
pub const OPEN_LINE: &str = "open ";

/// Shows the list of the sessions, or why there is none.
pub fn list(model: &mut Model, listed: Result<Vec<ListedSession>, NoSession>) {
    match listed {
        Ok(sessions) if sessions.is_empty() => model.tell(Tone::Plain, "No session was recorded yet."),
        Ok(sessions) => {
            layers::open(model, Subject::Sessions(Arc::from(sessions)));
            model.drawing.need();
        }
        Err(why) => model.tell(Tone::Bad, why.to_string()),
    }
}

/// Shows a session over this screen, or why it cannot be shown. A session that lies over another screen gives way.
pub fn open(model: &mut Model, opened: Result<Box<Model>, NoSession>) {
    let mut upper = match opened {
        Ok(upper) => upper,
        Err(why) => return model.tell(Tone::Bad, why.to_string()),
    };
    (model.dialogs.layer, model.dialogs.prompt) = (None, None);
    (upper.size, upper.clock) = (model.whole_size(), model.clock);
    let mut lower = std::mem::replace(model, *upper);
    let beneath = match lower.beneath.take() {
        Some(beneath) => beneath,
        None => {
            time::stand(&mut lower);
            Box::new(lower)
        }
    };
    let name = beneath.head.as_ref().map_or_else(|| "the screen before".to_owned(), |head| head.name.clone());
    let goes_on = if matches!(beneath.lab_feed(), Feed::Live(_)) { ", which goes on" } else { "" };
    model.beneath = Some(beneath);
    let back = model.key(Action::Quit);
    model.tell(Tone::Plain, format!("This session lies over {name}{goes_on}; {back} leads back."));
}

/// What leaves a screen that lies over another one leads back to that one.
pub fn lead_back(model: &mut Model, mut commands: Vec<Command>) -> Vec<Command> {
    let is_leaving = |command: &Command| matches!(command, Command::Leave(ScreenEnd::Quit));
    if commands.iter().any(is_leaving)
        && let Some(beneath) = model.beneath.take()
    {
        *model = *beneath;
        model.drawing.need();
        commands.retain(|command| !is_leaving(command));
    }
    commands
}
