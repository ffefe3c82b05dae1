//! What a lab tells while its steps are played, and what the people in front of the screen answer.
//!
//! The words are those of the latest step on the picture that tells something. So a session that is replayed, or a
//! picture behind the present, tells what belongs to its moment.
//!
//! Invariant: a question is open until somebody has closed it: on the screen of the lab's owner the class, on any other
//! one the class too, as soon as the lab has recorded that, or who sits there; nothing of the answer is shown before the
//! owner's screen reveals it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::answers::{AnswerStage, ClassAnswers};
use super::{Model, Vantage};
use crate::input::action::{Action, Binding, QUESTIONS};
use crate::input::keymap::Keymap;
use crate::options::{Role, Tour};
use crate::time::feed::Feed;
use crate::time::freshness::Rate;
use crate::time::timeline::PlayHolds;
use script::{ClassQuestion, LessonText, NarratedWords, Steps, own_key};
use world::World;

/// What stands above a screen.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum AboveScreen {
    /// What there is to know at the first start.
    Tour,
    /// A lesson has not begun: how many questions it has.
    Beginning { questions: usize },
    /// Something is said.
    Said {
        chapter: Option<String>,
        /// What.
        text: String,
    },
    /// The lab has told everything, and its last words were a question.
    Ended,
    /// Something is asked.
    Asked {
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

impl Model {
    /// What stands above the screens at this moment, if anything does.
    pub fn above_screen(&self) -> Option<AboveScreen> {
        let narrated = if self.vantage == Vantage::Lab { self.narrated() } else { None };
        // Amid a lesson there is enough to read.
        let is_tour = self.lesson.tour == Tour::Shown && !self.is_told();
        narrated.or_else(|| is_tour.then_some(AboveScreen::Tour))
    }

    /// These words with the keys that this screen has for the actions that they name.
    pub fn worded(&self, words: &LessonText) -> String {
        words.with_keys(|name| {
            let action = Keymap::action_named(name);
            let key = action.map(|action| self.key(action)).filter(|key| !key.is_empty());
            // In another feed the action has no row: a key that nobody has bound is better than none.
            key.unwrap_or_else(|| own_key(name).unwrap_or_default().to_owned())
        })
    }

    /// Whether the lab tells something while its steps are played.
    pub fn is_told(&self) -> bool {
        self.book().is_some_and(|book| book.narrations().any(|(_, narration)| !narration.is_silent()))
    }

    fn narrated(&self) -> Option<AboveScreen> {
        let book = self.book()?;
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
            NarratedWords::Say(words) => {
                return Some(AboveScreen::Said { chapter, text: self.worded(&words) });
            }
            NarratedWords::Ask(question) => question,
        };
        let answers = self.lesson.answers.get(&step.name).cloned();
        let answers = answers.unwrap_or_else(|| ClassAnswers::none(&question));
        let asked = self.asking();
        match (asked, answers.stage) {
            (Asking::Here, AnswerStage::Closed | AnswerStage::PassedOver) => {
                return self.has_told_all().then_some(AboveScreen::Ended);
            }
            (Asking::Elsewhere, AnswerStage::PassedOver) => return None,
            _ => {}
        }
        Some(AboveScreen::Asked { chapter, question, answers, asked })
    }

    /// The step and its question, if the picture shows a question that is not over on this screen.
    pub fn open_question(&self) -> Option<(String, ClassQuestion)> {
        self.open_question_of(&self.seen().world)
    }

    /// The same, if the picture were this world.
    pub fn open_question_of(&self, world: &World) -> Option<(String, ClassQuestion)> {
        if !self.stands_at_questions() {
            return None;
        }
        let step = self.book()?.narrated(world)?;
        let NarratedWords::Ask(question) = step.words else { return None };
        (!self.is_closed(&step.name)).then_some((step.name, question))
    }

    /// The steps whose questions are not over on this screen.
    fn questions_ahead(&self) -> BTreeSet<String> {
        let Some(book) = self.book().filter(|_| self.stands_at_questions()) else { return BTreeSet::new() };
        let asks =
            book.narrations().filter(|(name, narration)| narration.question().is_some() && !self.is_closed(name));
        asks.map(|(name, _)| name.to_owned()).collect()
    }

    /// How long it takes to read what each step says. The last words stay: nothing has to wait until they are read.
    fn reading_times(&self) -> BTreeMap<String, Duration> {
        let Some(book) = self.book() else { return BTreeMap::new() };
        let mut told = book.narrations().filter_map(|(name, narration)| Some((name, narration.words.as_ref()?)));
        told.next_back();
        let says = told.filter_map(|(name, words)| match words {
            NarratedWords::Say(text) => Some((name.to_owned(), reading_time(&text.to_string()))),
            NarratedWords::Ask(_) => None,
        });
        says.collect()
    }

    /// Where what plays is held on this screen.
    pub fn play_holds(&self) -> PlayHolds {
        let catches_up = matches!(self.time.rate(), Rate::CatchingUp { .. });
        let says = if catches_up { self.reading_times() } else { BTreeMap::new() };
        PlayHolds { asks: self.questions_ahead(), says }
    }

    /// The keys of an open question that work on this screen.
    pub fn question_keys(&self) -> impl Iterator<Item = &'static Binding> {
        let (stands, asking) = (self.stands_at_questions(), self.asking());
        QUESTIONS.iter().filter(move |row| stands && (asking == Asking::Here || row.action == Action::PassOver))
    }

    /// The step whose words belong to the picture.
    pub fn narrated_step(&self) -> Option<String> {
        Some(self.book()?.narrated(&self.seen().world)?.name)
    }

    fn is_closed(&self, step: &str) -> bool {
        self.lesson.answers.get(step).is_some_and(|answers| answers.stage.is_over())
    }

    /// Whether the picture stands where a question is asked: a session tells the answer at once, and a node knows of none.
    fn stands_at_questions(&self) -> bool {
        self.vantage == Vantage::Lab && self.asking() != Asking::Before
    }

    /// Whose the questions are.
    pub fn asking(&self) -> Asking {
        match (&self.time.feed, self.rights.role) {
            (Feed::Replay(_), _) => Asking::Before,
            (Feed::Live(_) | Feed::Simulated(_), Role::Owner) if self.vantage == Vantage::Lab => Asking::Here,
            (Feed::Live(_) | Feed::Simulated(_), _) => Asking::Elsewhere,
        }
    }

    /// Whether the picture has come to the end of the lab's lesson, with every word of it said.
    pub fn has_told_all(&self) -> bool {
        let Some(book) = self.book().filter(|_| self.asking() == Asking::Here) else { return false };
        let Some((last, narration)) = book.narrations().rfind(|(_, narration)| narration.words.is_some()) else {
            return false;
        };
        let is_taken = self.seen().world.steps.iter().any(|(name, _)| name == last);
        is_taken && (narration.question().is_none() || self.is_closed(last))
    }
}
