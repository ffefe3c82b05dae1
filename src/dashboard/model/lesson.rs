//! What a lab tells while its steps are played, and what the people in front of the screen have answered, dismissed and
//! predicted meanwhile; and what a class has done with a question, as the screen of the lab's owner has it recorded for
//! all other screens.
//!
//! The text is that of the latest displayed step that has a text. So a session that is replayed, or a picture behind
//! the present, tells what belongs to its moment.
//!
//! Invariants: a question stays open until it is closed. The class closes it on the owner's screen. On another screen
//! the viewer can close it, or it closes when the lab has recorded the class's answer. Nothing of the answer is shown
//! before the owner's screen reveals it. What a question has counted stays, also when the screen goes back to an
//! earlier moment. A prediction is about the first election that begins after it, and is compared with what the screen
//! shows of that one: so nobody can learn from a comparison how an unseen election ends. A note that was written for a
//! question parses to the same value; any other note does not parse.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::options::Tour;
use crate::time::freshness::Rate;
use protocol::{NodeId, NodeSet, visible};
use script::ClassQuestion;
use world::{ElectionView, Elections};

/// What was dismissed, answered and predicted on this screen.
#[derive(Default, Debug)]
pub struct Lesson {
    /// The step whose words were dismissed.
    pub dismissed: Option<String>,
    /// The answers to the questions of the steps of these names.
    pub answers: BTreeMap<String, ClassAnswers>,
    /// How the session was played before an open question stopped it.
    pub played: Option<Rate>,
    pub predictions: Predictions,
    /// Whether the strip for newcomers is shown.
    pub tour: Tour,
    /// Whether the end of the lesson was saved.
    pub is_remembered: bool,
}

/// The answers to one question.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct ClassAnswers {
    /// How many chose each of the choices.
    pub counts: Vec<u32>,
    /// The state of the question.
    pub stage: AnswerStage,
}

/// How far a question is.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum AnswerStage {
    /// Answers are taken.
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

/// The predictions, oldest first.
#[derive(Clone, Default, Debug)]
pub struct Predictions(Vec<Prediction>);

/// A prediction of an election.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Prediction {
    /// Who is to win.
    pub winner: NodeId,
    /// With how many messages.
    pub messages: u64,
    /// How many elections there had been before.
    after: u64,
    /// What came of it, once that is seen.
    pub outcome: Option<PredictionOutcome>,
}

/// The election that was predicted.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct PredictionOutcome {
    /// Which of the lab's elections it was.
    pub ordinal: u64,
    /// Who was elected.
    pub elected: NodeSet,
    /// With how many messages.
    pub messages: u64,
    /// How many they were of each kind.
    kinds: Vec<(String, u64)>,
}

/// Why a prediction is not taken.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum NoPrediction {
    /// The text is no prediction.
    #[error("`{0}` is no prediction; write the winner and the number of messages, such as `predict 4 12`")]
    NotOne(String),
    /// The node does not take part.
    #[error("there is no node {0} in this lab; write one that is on screen 1")]
    NoSuchNode(NodeId),
    /// An election goes on.
    #[error("an election is under way already; wait until it is over, and predict the next one")]
    TooLate,
    /// What is on the screen is over already.
    #[error("this is the past, in which all is decided; {0} returns to the lab, and there you can predict")]
    InThePast(String),
}

impl Predictions {
    /// Takes a prediction, the text after `predict`, before the elections of this screen go on.
    ///
    /// # Errors
    /// The text is no prediction, or comes too late; nothing is changed.
    pub fn take(&mut self, text: &str, nodes: NodeSet, elections: &Elections) -> Result<&Prediction, NoPrediction> {
        let not_one = || NoPrediction::NotOne(visible(text).into_owned());
        let mut words = text.split_whitespace();
        let (Some(winner), Some(messages), None) = (words.next(), words.next(), words.next()) else {
            return Err(not_one());
        };
        let (winner, messages) = (winner.parse().map_err(|_| not_one())?, messages.parse().map_err(|_| not_one())?);
        if !nodes.contains(winner) {
            return Err(NoPrediction::NoSuchNode(winner));
        }
        if elections.present().is_some() {
            return Err(NoPrediction::TooLate);
        }
        // Another one about the same election takes its place.
        self.0.retain(|prediction| prediction.outcome.is_some());
        self.0.push(Prediction { winner, messages, after: elections.count, outcome: None });
        Ok(self.0.last().expect("it has just been added"))
    }

    /// Compares the last prediction with its election, if that has ended. Returns the prediction if it was decided now.
    /// Messages of the kinds in `without` do not count.
    pub fn judge(&mut self, elections: &Elections, without: &[String]) -> Option<&Prediction> {
        let last = self.0.last_mut().filter(|prediction| prediction.outcome.is_none())?;
        let is_it = |election: &&ElectionView| election.ordinal > last.after && election.ended.is_some();
        let election = elections.latest.iter().find(is_it)?;
        last.outcome = Some(PredictionOutcome {
            ordinal: election.ordinal,
            elected: election.elected,
            messages: election.messages(without),
            kinds: election.kinds(without).map(|(kind, count)| (kind.to_owned(), count)).collect(),
        });
        Some(last)
    }

    /// All of them, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Prediction> {
        self.0.iter()
    }

    /// The score in a line; nothing while no prediction is decided.
    pub fn score(&self) -> Option<String> {
        let decided: Vec<(&Prediction, &PredictionOutcome)> =
            self.0.iter().filter_map(|prediction| Some((prediction, prediction.outcome.as_ref()?))).collect();
        let count = decided.len() as u64;
        let right = decided.iter().filter(|(prediction, outcome)| prediction.is_winner(outcome)).count();
        let off: u64 = decided.iter().map(|(prediction, outcome)| prediction.off(outcome)).sum();
        // Rounded to the nearest whole message.
        let mean = (count > 0).then(|| (2 * off + count) / (2 * count))?;
        Some(format!("{right} of {count} winners right; the messages are off by {mean} on average"))
    }
}

impl PredictionOutcome {
    /// The messages by their kinds, as a sentence.
    pub fn kinds_told(&self) -> String {
        let kinds: Vec<String> = self.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        if kinds.is_empty() {
            "None of its messages counts.".to_owned()
        } else {
            format!("Counted: {}.", kinds.join(", "))
        }
    }
}

impl Prediction {
    fn is_winner(&self, outcome: &PredictionOutcome) -> bool {
        outcome.elected == NodeSet::of(self.winner)
    }

    fn off(&self, outcome: &PredictionOutcome) -> u64 {
        self.messages.abs_diff(outcome.messages)
    }

    /// How it came out, as a sentence; nothing while that is open.
    pub fn told(&self) -> Option<String> {
        let outcome = self.outcome.as_ref()?;
        let elected = if outcome.elected.is_empty() { "nobody".to_owned() } else { outcome.elected.to_string() };
        let winner = if self.is_winner(outcome) { "right" } else { "wrong" };
        let messages = match self.off(outcome) {
            0 => "the number of messages is right".to_owned(),
            off => format!("the messages are {off} off"),
        };
        Some(format!(
            "Election {}: {elected} was elected, with {}. {self}: the winner is {winner}, and {messages}.",
            outcome.ordinal,
            counted(outcome.messages)
        ))
    }
}

fn counted(messages: u64) -> String {
    if messages == 1 { "1 message".to_owned() } else { format!("{messages} messages") }
}

impl fmt::Display for Prediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Predicted: {}, with {}", self.winner, counted(self.messages))
    }
}

/// What a class has done with the question of a step.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum ClassWord {
    /// So many have chosen each of the choices, and the answer is shown.
    Answered(Vec<u32>),
    /// The question is passed over.
    PassedOver,
}

impl ClassWord {
    /// The note in which it is recorded.
    pub fn note(&self, step: &str, question: &ClassQuestion) -> String {
        let counts = match self {
            ClassWord::PassedOver => {
                return format!("The question of step \"{step}\" is passed over.");
            }
            ClassWord::Answered(counts) => counts,
        };
        let chosen = question.choices.iter().zip(counts).map(|(choice, count)| format!("{count}{}", of(choice)));
        let right = &question.choices[question.answer];
        format!("{}{}. Right is \"{right}\".", answers_to(step), chosen.collect::<Vec<_>>().join(BETWEEN))
    }

    /// Parses a note about this question; `None` if the note is about something else.
    pub fn read(note: &str, step: &str, question: &ClassQuestion) -> Option<ClassWord> {
        if note == ClassWord::PassedOver.note(step, question) {
            return Some(ClassWord::PassedOver);
        }
        let mut rest = note.strip_prefix(&answers_to(step))?;
        let mut counts = Vec::new();
        for choice in &question.choices {
            let (count, behind) = rest.split_once(&of(choice))?;
            counts.push(count.strip_prefix(BETWEEN).unwrap_or(count).parse().ok()?);
            rest = behind;
        }
        Some(ClassWord::Answered(counts))
    }
}

const BETWEEN: &str = ", ";

fn answers_to(step: &str) -> String {
    format!("Answers to step \"{step}\": ")
}

fn of(choice: &impl fmt::Display) -> String {
    format!(" for \"{choice}\"")
}

/// What stands above a screen.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum AboveScreen {
    /// What there is to know at the first start.
    Tour,
    /// A lesson has not begun: how many questions it has.
    Beginning { questions: usize },
    /// Something is said.
    Said { chapter: Option<String>, text: String },
    /// The lab has told everything, and its last words were a question.
    Ended,
    /// Something is asked.
    Asked {
        chapter: Option<String>,
        question: ClassQuestion,
        /// What the people have answered.
        answers: ClassAnswers,
        /// Whose question it is.
        asked: Asking,
    },
}

/// Whose question it is.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Asking {
    /// This screen's: it takes the answers.
    Here,
    /// Another screen's: this one waits until the class has answered there.
    Elsewhere,
    /// The question was asked in a session that is replayed.
    Before,
}

/// Somebody who reads aloud says about twenty characters a second.
pub fn reading_time(text: &str) -> Duration {
    const CHARACTER: Duration = Duration::from_millis(50);
    Duration::from_secs(2) + CHARACTER * u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_another_note_is_none() {
        let choices =
            ["5 is, for \"1\"", "5", "nobody, 2 for \"5\"", "`{crash}`"].map(|choice| choice.parse().unwrap());
        let text = "Who?".parse().unwrap();
        let question = ClassQuestion { text, choices: choices.to_vec(), answer: 1, because: None };
        for word in [ClassWord::PassedOver, ClassWord::Answered(vec![0, 12, 3, 1])] {
            let note = word.note("who", &question);
            assert_eq!(ClassWord::read(&note, "who", &question), Some(word.clone()), "{note}");
            assert_eq!(ClassWord::read(&note, "whose", &question), None, "{note}");
        }
        for note in ["Answers to step \"who\": many.", "Predicted: 4, with 10 messages.", ""] {
            assert_eq!(ClassWord::read(note, "who", &question), None, "{note}");
        }
    }
}
