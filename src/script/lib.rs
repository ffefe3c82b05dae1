//! The script of a lab. The conductor plays its steps and decides its expectations, from records and time alone. The
//! orders carry out the fault lines of a step or of a person; a host or a simulation does the work on the processes.
//!
//! Times are nanoseconds since the lab began. The caller folds a record into the [`World`](world::World) and
//! calls [`ScriptRunner::advance`], and calls it again at [`ScriptRunner::wake_at`]; it must carry out the returned actions
//! in their order. A condition counts as true from the stamp of the record that made it true, so a late caller does no
//! harm.
//!
//! A step is over when each of its lines has become a fault of the world under the step's name and none of these is
//! still only ordered. So a line that nobody could carry out must become a fault too, one that is not in force.
//!
//! Invariant: the same records at the same times give the same cues, live and simulated; every expectation of a
//! played lab comes to exactly one verdict.

mod conductor;
mod head;
mod orders;
mod question;
mod run;
mod step_book;
mod stop;
mod summary;
mod virtual_lab;
mod watch;

#[cfg(test)]
mod tests;

// What a step tells is part of what this room says of the steps.
pub use conductor::{AwaitedMoment, Pace, ScriptAction};
pub use head::{RunOrigin, head_of};
pub use lab::{ACTION_KEYS, ClassQuestion, LessonText, NarratedWords, Narration, own_key};
pub use orders::{NotDone, OrderInput, OrderView, Orders, ProcessCommand, SpeedEffect};
pub use question::{holds, instead};
pub use run::{Judging, LINGER, Pending, RecordListener, Run, RunEnd};
pub use step_book::{BookedStep, NarratedStep, StepBook, StepStanding};
pub use stop::{PictureStop, PictureStopTextError, StopLook};
pub use summary::Summary;
pub use virtual_lab::{Refused, RequestOutcome, SharedLab, Steps, VirtualLab, VirtualMoment};
