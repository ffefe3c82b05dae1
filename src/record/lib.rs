//! The record and its one text form: JSON lines, in the session file and on every attach socket alike.
//!
//! A room that serves them on a socket does it through the one [`hub`].
//!
//! Invariant: records have this form from every source (a live lab, a file, a simulator); a reader keeps what it does
//! not know.

mod attach;
mod between;
mod body;
mod broken;
mod clock;
mod contradiction;
mod default_sessions;
mod destination;
mod excuse;
mod failpoint;
mod files;
mod frame;
mod head;
mod held;
pub mod hub;
mod lab_time;
mod last_record;
mod loaded_session;
mod lost;
mod newest;
mod notes;
mod packed;
mod parts;
mod record_parts;
mod recorder;
mod retention;
#[cfg(test)]
mod sample;
mod session_lookup;
mod session_stream;
mod step;
mod stored;
mod tagged;
mod time;
mod uncertainty;
mod violation;
mod writer;

pub use attach::{Frames, LineRead, Lines, ask};
pub use between::{BetweenKind, EventBetween, EventsBetween};
pub use body::{Body, Record, json_value};
pub use broken::{BreakManner, BrokenAssumption, BrokenBy};
pub use clock::monotonic_nanos;
pub use contradiction::work::WorkContradiction;
pub use contradiction::{Claim, ClaimedTask, Contradiction, Grade, NodeEnd, NodesWithState, ShortState, StalledWork};
pub use default_sessions::{KeptSession, Pruning, SessionDirectory, SessionEnding, in_threads, kept_sessions, prune};
pub use destination::{Recording, state_directory};
pub use excuse::{CausalWay, Excuse, Influence, WayStep};
pub use failpoint::failpoint;
pub use files::{make_own_directory, open_regular};
pub use frame::{
    Answer, Control, Frame, HeardUpTo, NodePlan, Report, Request, STREAM_DESCRIPTOR, SinceDeath, StorePast,
};
pub use head::{Drawn, FORMAT, FirstLine, Head, ListedHead, MadeBy, Origin, VERSION};
pub use held::HeldRecords;
pub use lab_time::{LabTime, SpeedFile};
pub use loaded_session::SessionReader;
pub use lost::LostRecords;
pub use notes::{NoteKind, NotesFile, NotesRead, SessionNote};
pub use protocol::{MessageText, TimerName, Words};
pub use record_parts::{
    BrokenReport, CONTINUED_BY_SOMEBODY, CopyFate, Death, LabOutcome, Missed, Outcome, Refusal, STOPPED_BY_SOMEBODY,
    VerdictAbout,
};
pub use recorder::Recorder;
pub use retention::{Pruned, Retention};
pub use session_lookup::{NoSessionFile, NotOneSession, SelectedFile, session_file, session_to_change};
pub use session_stream::{
    LINE_BYTES_MAX, LineError, SESSION_BYTES_MAX, Session, SessionEntry, SessionError, SessionStream, Skipped,
};
pub use step::{EffectText, Input, MessageId, Step, StepHold};
pub use stored::{SessionPlace, StoredEntries, StoredSession};
pub use time::{between, length, seconds, stamp};
pub use uncertainty::Uncertainty;
pub use violation::ViolationReport;
pub use writer::{PartSize, SessionFile, SessionOutput, SessionWriter};

/// Names of the files in a lab's run directory.
pub mod run_directory {
    use protocol::NodeId;

    /// The host's observe socket.
    pub const OBSERVE: &str = "observe.sock";
    /// The host's inject socket.
    pub const INJECT: &str = "inject.sock";
    /// The table of the speeds at which lab time runs.
    pub const SPEEDS: &str = "speeds";
    /// The host holds it as long as it lives.
    pub const LOCK: &str = "lock";

    /// The two files of a node's store, one for each of its last two generations.
    pub const STORE_GENERATIONS: [&str; 2] = ["even", "odd"];

    /// A node's own observe socket.
    pub fn node_observe(node: NodeId) -> String {
        format!("node-{node}.sock")
    }

    /// The output of a node's process.
    pub fn node_output(node: NodeId) -> String {
        format!("node-{node}.log")
    }
}
