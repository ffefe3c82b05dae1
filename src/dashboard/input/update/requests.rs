//! Requests to a lab. A running lab gets them over its socket. A simulated lab carries them out at the moment on the
//! screen, and everything simulated after that moment is deleted.
//!
//! Invariant: a refusal deletes nothing; no message and no cursor refers to a deleted future.

use super::{live, telling};
use crate::input::message::Command;
use crate::model::{Model, Tone};
use crate::time::feed::Feed;
use crate::view::paint;
use record::{Answer, Request};

/// Makes a request to the lab.
pub fn ask(model: &mut Model, request: Request) -> Vec<Command> {
    match model.time.feed {
        Feed::Simulated(_) => {
            branch(model, &request);
            Vec::new()
        }
        Feed::Live(_) | Feed::Replay(_) => vec![Command::Request(request)],
    }
}

fn branch(model: &mut Model, request: &Request) {
    let rows = model.time.scene.rows.next_number();
    let Some(branched) = model.time.branch(request) else { return };
    match branched {
        Err(why) => drop(live::answer(model, request, Answer::Refused { why: why.to_string() })),
        Ok(branched) => {
            if branched.forgotten > 0 {
                model.toasts.forget_from(rows);
                let gone = match branched.forgotten {
                    1 => "1 record of the other future is gone".to_owned(),
                    count => format!("{count} records of the other future are gone"),
                };
                model.tell(Tone::Plain, format!("Branched at {} s: {gone}.", paint::seconds(branched.at, 3)));
            }
            // Nobody could press a key meanwhile.
            live::answer(model, request, branched.answer);
            branched.happened.iter().for_each(|record| telling::announce(model, record));
        }
    }
}
