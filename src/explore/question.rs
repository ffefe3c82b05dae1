//! What is found true or false of a lab: its promises, and questions of one's own.
//!
//! A question is a condition, as lab files have them, and whether it must hold in every state that is asked, or in none.
//!
//! Invariant: a condition means what it means in a lab file.

use std::fmt;

use lab::Condition;
use protocol::Property;

/// The most questions that an exploration answers.
pub const QUESTIONS_MAX: usize = 4;
/// The name of each question in a search.
pub const QUESTION_NAMES: [&str; QUESTIONS_MAX] = ["question 1", "question 2", "question 3", "question 4"];

/// A question to states.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct LabQuestion {
    /// In which of them the condition must hold.
    pub holds_in: HoldsIn,
    pub condition: Condition,
}

protocol::worded! {
    /// In which states a condition must hold, with the name of the command's option for it.
    #[derive(Copy, Clone, Eq, PartialEq, Debug)]
    pub enum HoldsIn {
        /// In every one.
        All = "always",
        /// In none.
        None = "never",
    }
}

/// Whether a state of a lab without an application can answer this condition.
pub fn can_be_asked(condition: &Condition) -> bool {
    matches!(
        condition,
        Condition::Coordinator { .. }
            | Condition::AllNormal
            | Condition::Groups(_)
            | Condition::Group { .. }
            | Condition::Master(_)
            | Condition::HelpNone
            | Condition::Help(_)
    )
}

/// The words that such conditions begin with.
pub const ASKED_WORDS: &str = "coordinator, all normal, groups, group, master, help";

impl fmt::Display for LabQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.holds_in.word(), self.condition)
    }
}

/// What may be found true or false of a lab.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum ExploredClaim {
    /// A promise of its algorithm.
    Promise(Property),
    Question(LabQuestion),
}

impl fmt::Display for ExploredClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExploredClaim::Promise(property) => property.fmt(f),
            ExploredClaim::Question(question) => question.fmt(f),
        }
    }
}

impl PartialEq<Property> for ExploredClaim {
    fn eq(&self, property: &Property) -> bool {
        matches!(self, ExploredClaim::Promise(promise) if promise == property)
    }
}
