//! What the people in front of the screen have answered, dismissed and predicted while a lab told its steps.
//!
//! Invariant: what a question has counted stays, also when the picture goes back to before it.

use std::collections::BTreeMap;

use super::freshness::Motion;
use super::options::Tour;
use super::prediction::Predictions;
use script::ClassQuestion;

/// What was dismissed, answered and predicted on this screen.
#[derive(Default, Debug)]
pub struct Lesson {
    /// The step whose words were dismissed.
    pub dismissed: Option<String>,
    /// The answers to the questions of the steps of these names.
    pub answers: BTreeMap<String, ClassAnswers>,
    /// How the session was played before an open question stopped it.
    pub played: Option<Motion>,
    /// The predictions.
    pub predictions: Predictions,
    /// Whether the strip for newcomers is shown.
    pub tour: Tour,
    /// Whether the end of the lesson has been told to who remembers it.
    pub is_remembered: bool,
}

/// The answers to one question.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct ClassAnswers {
    /// How many chose each of the choices.
    pub counts: Vec<u32>,
    /// How far the question is.
    pub stage: AnswerStage,
}

/// How far a question is.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum AnswerStage {
    /// It takes answers.
    Open,
    /// The right answer is shown.
    Revealed,
    /// The picture has gone on.
    Closed,
    /// The picture has gone on, and no answer was shown.
    PassedOver,
}

impl Lesson {
    /// The answers to the question of this step.
    pub fn answers_to(&mut self, step: &str, question: &ClassQuestion) -> &mut ClassAnswers {
        self.answers.entry(step.to_owned()).or_insert_with(|| ClassAnswers::none(question))
    }
}

impl AnswerStage {
    /// Whether the picture has gone on.
    pub fn is_over(self) -> bool {
        matches!(self, AnswerStage::Closed | AnswerStage::PassedOver)
    }
}

impl ClassAnswers {
    /// Nobody has answered yet.
    pub fn none(question: &ClassQuestion) -> ClassAnswers {
        ClassAnswers { counts: vec![0; question.choices.len()], stage: AnswerStage::Open }
    }
}
