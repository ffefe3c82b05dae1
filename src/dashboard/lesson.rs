//! What a lab tells while its steps are played, and what the people in front of the screen answer.
//!
//! The words are those of the latest step on the picture that tells something. So a session that is replayed, or a
//! picture behind the present, tells what belongs to its moment.
//!
//! Invariant: a question is open until somebody has closed it, and on the screen of the lab's owner alone; nothing of the
//! answer is shown before that screen reveals it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::answers::{AnswerStage, ClassAnswers};
use super::feed::Feed;
use super::model::{Model, Vantage};
use super::options::{Role, Tour};
use super::steps_words::book;
use crate::record::{Body, Record};
use crate::script::Steps;
use crate::script::{ClassQuestion, NarratedWords};
use crate::world::World;

/// What stands above a screen.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum AboveScreen {
    /// What there is to know at the first start.
    Tour,
    /// A lesson has not begun: how many questions it has.
    Beginning {
        /// Its questions.
        questions: usize,
    },
    /// Something is said.
    Said {
        /// The chapter.
        chapter: Option<String>,
        /// What.
        text: String,
    },
    /// The lab has told everything, and its last words were a question.
    Ended,
    /// Something is asked.
    Asked {
        /// The chapter.
        chapter: Option<String>,
        /// What.
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
    /// Another screen's, which this one only sees.
    Elsewhere,
    /// It was asked in a session that is replayed.
    Before,
}

/// Somebody who reads aloud says about twenty characters a second.
fn reading_time(text: &str) -> Duration {
    const CHARACTER: Duration = Duration::from_millis(50);
    Duration::from_secs(2) + CHARACTER * u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

impl Model {
    /// What stands above the screens at this moment, if anything does.
    pub fn above_screen(&self) -> Option<AboveScreen> {
        let narrated = if self.vantage == Vantage::Lab { self.narrated() } else { None };
        // Amid a lesson there is enough to read.
        let is_tour = self.lesson.tour == Tour::Shown && !self.is_told();
        narrated.or_else(|| is_tour.then_some(AboveScreen::Tour))
    }

    /// Whether the lab tells something while its steps are played.
    pub fn is_told(&self) -> bool {
        book(self).is_some_and(|book| book.narrations().any(|(_, narration)| !narration.is_silent()))
    }

    fn narrated(&self) -> Option<AboveScreen> {
        let book = book(self)?;
        let world = &self.seen().world;
        let Some(step) = book.narrated(world) else {
            let is_ahead = world.steps.is_empty() && self.steps() == Steps::Held && self.permission().is_ok();
            let questions = book.narrations().filter(|(_, narration)| narration.question().is_some()).count();
            return (is_ahead && self.is_told()).then_some(AboveScreen::Beginning { questions });
        };
        let chapter = step.chapter;
        if self.lesson.dismissed.as_ref() == Some(&step.name) {
            return None;
        }
        let question = match step.words {
            NarratedWords::Say(text) => return Some(AboveScreen::Said { chapter, text }),
            NarratedWords::Ask(question) => question,
        };
        let answers = self.lesson.answers.get(&step.name).cloned();
        let answers = answers.unwrap_or_else(|| ClassAnswers::none(&question));
        let asked = self.asking();
        if asked == Asking::Here && answers.stage == AnswerStage::Closed {
            return self.has_told_all().then_some(AboveScreen::Ended);
        }
        Some(AboveScreen::Asked { chapter, question, answers, asked })
    }

    /// The step and its question, if the picture shows a question that this screen has to close.
    pub fn open_question(&self) -> Option<(String, ClassQuestion)> {
        self.open_question_of(&self.seen().world)
    }

    /// The same, if the picture were this world.
    pub fn open_question_of(&self, world: &World) -> Option<(String, ClassQuestion)> {
        if self.asking() != Asking::Here {
            return None;
        }
        let step = book(self)?.narrated(world)?;
        let NarratedWords::Ask(question) = step.words else { return None };
        (!self.is_closed(&step.name)).then_some((step.name, question))
    }

    /// The steps whose questions this screen has still to close.
    pub fn questions_ahead(&self) -> BTreeSet<String> {
        let Some(book) = book(self).filter(|_| self.asking() == Asking::Here) else { return BTreeSet::new() };
        let asks =
            book.narrations().filter(|(name, narration)| narration.question().is_some() && !self.is_closed(name));
        asks.map(|(name, _)| name.to_owned()).collect()
    }

    /// How long it takes to read what each step says.
    pub fn reading_times(&self) -> BTreeMap<String, Duration> {
        let Some(book) = book(self) else { return BTreeMap::new() };
        let says = book.narrations().filter_map(|(name, narration)| match &narration.words {
            Some(NarratedWords::Say(text)) => Some((name.to_owned(), reading_time(text))),
            Some(NarratedWords::Ask(_)) | None => None,
        });
        says.collect()
    }

    /// Whether this record is the step of a question that this screen has to close.
    pub fn is_asked_by(&self, record: &Record) -> bool {
        matches!(&record.body, Body::StepTaken { step } if self.questions_ahead().contains(step))
    }

    /// The step whose words belong to the picture.
    pub fn narrated_step(&self) -> Option<String> {
        Some(book(self)?.narrated(&self.seen().world)?.name)
    }

    fn is_closed(&self, step: &str) -> bool {
        self.lesson.answers.get(step).is_some_and(|answers| answers.stage == AnswerStage::Closed)
    }

    fn asking(&self) -> Asking {
        match (&self.feed, self.role) {
            (Feed::Replay(_), _) => Asking::Before,
            (Feed::Live(_) | Feed::Simulated(_), Role::Owner) if self.vantage == Vantage::Lab => Asking::Here,
            (Feed::Live(_) | Feed::Simulated(_), _) => Asking::Elsewhere,
        }
    }

    /// Whether the picture has come to the end of the lab's lesson, with every word of it said.
    pub fn has_told_all(&self) -> bool {
        let Some(book) = book(self).filter(|_| self.asking() == Asking::Here) else { return false };
        let Some((last, narration)) = book.narrations().rfind(|(_, narration)| narration.words.is_some()) else {
            return false;
        };
        let is_taken = self.seen().world.steps.iter().any(|(name, _)| name == last);
        is_taken && (narration.question().is_none() || self.is_closed(last))
    }
}
