//! A lab file as typed data: which nodes take part, with which periods, what goes wrong when, and what is expected.
//!
//! A lab file is TOML, at most 1 MiB of it, with these keys; no others are taken.
//!
//! | key | what it is |
//! |---|---|
//! | `name` | the lab's name, one line, at most 100 bytes |
//! | `about` | what it shows, one line |
//! | `source` | optional: the paper and the part of it that the lab is about, one line |
//! | `algorithm` | the name of a Card |
//! | `nodes` | how many nodes elect, from 1 to what the Card allows; an application may add bystanders behind them |
//! | `seed` | of the dice, a whole number |
//! | `T` | the bound T, such as `"200ms"`; the algorithm says what it bounds |
//! | `check` | how often Check runs |
//! | `silence` | how long a coordinator may be silent |
//! | `limit` | optional, `"60s"`: how long a step may wait for its condition |
//! | `[settings]` | optional: the algorithm's own, as its Card lists them |
//! | `[application]` | optional: what the processes do between elections: its `name` and its own settings |
//! | `[[step]]` | optional, any number, taken in the order of the file |
//! | `[[expect]]` | optional, any number |
//!
//! A step has a `name` (optional; else `step 2` for the second), either `at` (a time since the script began) or `when`
//! (a condition, and `then_wait`, optional, which waits after the condition came true; or a protocol moment), and `do`,
//! a list of fault lines, carried out in their order. An empty list marks a moment at which expectations begin.
//!
//! A step may tell something to the people in front of the screen: then `do` may be missing.
//!
//! | key of a step | what it is |
//! |---|---|
//! | `chapter` | the title of the chapter that begins with this step, one line of at most 80 characters |
//! | `say` | a text of at most 420 characters that the screen shows until it is dismissed or the next one comes |
//! | `ask` | instead of `say`: a question, at which the picture stops and the processes do not |
//! | `choices` | with `ask`: 2 to 6 different answers |
//! | `answer` | with `ask`: the number of the right one, from 1 |
//! | `because` | optional, with `ask`: why it is right, which the screen tells after people have answered |
//!
//! Without a screen, questions are passed over. A long text may stand on several lines of the file: in `"""…"""`, each
//! line but the last with a `\` at its end.
//!
//! A protocol moment is something that a machine does, in a form of a [`Moment`](fault::Moment); the algorithm's
//! Card lists the messages and the states that there are. It counts from the instant at which the step before it is
//! taken: the nodes arm it before that step's orders are carried out and, if that step is at a moment too, before the
//! message leaves that brings that moment. The moment of the first step is armed before the machines start. The node
//! that comes to it first is held there, between two effects of one step of its machine, until everything that the
//! lab's step orders is in force: it reads nothing and its timers do not run out meanwhile. Then, if it still runs, it
//! goes on with the next effect. If the moment comes while the step before is still coming into force, the node waits
//! for that too. A machine's step is held once: what it does behind its hold is not a moment of the next step.
//!
//! An expectation has `that`, a condition. Unless this is a condition of the end (`no violation`, `violation …`), it
//! has `within`, by when it must become true, counted from its step; `after`, the name of that step (optional: else it
//! begins with the script); and `stays`, how long it must then hold without a break (optional). `within` and `stays`
//! are durations or multiples of T, such as `"20T"`.
//!
//! The conditions are those of [`condition_forms`]; [`Condition`] says what each asks.
//!
//! Invariant: a `Lab` is whole and checked: its settings, periods and nodes suit its Card, and every step that an
//! expectation names is there.

mod application;
mod condition;
mod criterion;
mod error;
mod expectation;
mod lesson_text;
mod liars;
mod narration;
mod parse;
mod reader;
mod schema;
mod step;
pub mod text;

#[cfg(test)]
mod tests;

pub use condition::{CONDITION_LETTERS, Condition, ConditionTextError, ViolationReason, condition_forms};
pub use error::{LabError, LabErrors, TOLD_MAX, undrawn};
pub use expectation::KEYS as EXPECTATION_KEYS;
pub use lesson_text::{ACTION_KEYS, LessonText, UnknownAction, own_key};
pub use narration::{ClassQuestion, NarratedWords, Narration};
pub use parse::{FILE_BYTES_MAX, KEYS as LAB_KEYS, NAME_BYTES_MAX, claims_of, limit_of, parse, place_of, steps_of};
pub use reader::near;
pub use reader::{PlacedTable, Reader, Value, did_you_mean};
pub use schema::schema;
pub use step::KEYS as STEP_KEYS;

use fault::{FaultLine, Moment};
use protocol::{Card, Registry, Roster, Settings, Span, Timing};

/// How long a step may wait for its condition when the lab does not say.
pub const LIMIT_DEFAULT: Span = Span::from_millis(60_000);

/// A lab, as its file gives it.
#[derive(Clone, Debug)]
pub struct Lab {
    pub name: String,
    /// What it shows.
    pub about: String,
    /// The paper and the part of it that the lab is about, if it says so.
    pub source: Option<String>,
    /// The algorithms and applications among which it was read.
    pub registry: Registry,
    /// The Card of its algorithm.
    pub card: Card,
    /// The nodes that take part.
    pub roster: Roster,
    /// The seed of the dice.
    pub seed: u64,
    /// The periods.
    pub timing: Timing,
    /// The algorithm's settings, complete.
    pub settings: Settings,
    /// What happens, in order.
    pub steps: Vec<LabStep>,
    /// What is expected, in the order of the file.
    pub expectations: Vec<Expectation>,
    /// How long a step may wait for its condition.
    pub limit: Span,
    /// The file's text.
    pub text: String,
}

/// Something that happens in a lab.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct LabStep {
    /// The name given, or `step 2` for the second. No two steps have the same.
    pub name: String,
    /// When it is taken.
    pub when: When,
    /// What it then orders. A step without orders only marks a moment, or tells something.
    pub lines: Vec<FaultLine>,
    /// What it tells the people in front of the screen.
    pub narration: Narration,
}

impl LabStep {
    /// A step that tells nothing.
    pub fn silent(name: String, when: When, lines: Vec<FaultLine>) -> LabStep {
        LabStep { name, when, lines, narration: Narration::default() }
    }

    /// The name of the step at this index, from 0, if its lab gives it none.
    pub fn name_of(index: usize) -> String {
        format!("step {}", index + 1)
    }
}

/// When a step is taken: never before the step before it.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum When {
    /// This long after the script began.
    At(Span),
    /// When a condition of the world has come true and some time has passed since.
    Condition {
        /// The condition; never one of the end.
        condition: Condition,
        /// How long to wait after it came true.
        then_wait: Span,
    },
    /// At the moment at which a machine does this, while it is held there.
    Moment(Moment),
}

/// Something that is expected of a lab.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Expectation {
    pub that: Condition,
    /// The same, as the file has it.
    pub text: String,
    /// The index of the step at which it begins; absent: it begins with the script.
    pub after: Option<usize>,
    /// How long after its beginning it must become true; absent for a condition of the end.
    pub within: Span,
    /// How long it must then hold without a break.
    pub stays: Span,
}

impl Expectation {
    /// This is expected within so long after the step at this index, or after the beginning of the script.
    pub fn of(that: Condition, after: Option<usize>, within: Span) -> Expectation {
        Expectation { text: that.to_string(), that, after, within, stays: Span::ZERO }
    }

    /// This condition of the end is expected.
    pub fn at_end(that: Condition) -> Expectation {
        Expectation::of(that, None, Span::ZERO)
    }
}
