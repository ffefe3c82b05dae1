//! What a lesson told while its steps were taken: chapters, what was said, and the questions, each at its time.
//!
//! Invariant: only what the session took is told; a question stands before its answer, as the class saw it.

use super::told::ToldSession;
use lab::{ClassQuestion, NarratedWords, steps_of};
use record::{Body, SessionNote};

/// Something that a lesson told.
#[derive(Clone, Eq, PartialEq, Debug)]
pub(super) enum LessonPart {
    /// A chapter began.
    Chapter(String),
    /// This was said.
    Said(String),
    /// This was asked.
    Asked(ClassQuestion),
}

/// All that the session's lesson told, with the times; nothing if its lab is none.
pub(super) fn lesson(told: &ToldSession) -> Vec<(i64, LessonPart)> {
    let steps = steps_of(&told.head.lab_file).unwrap_or_default();
    let mut parts = Vec::new();
    for record in told.records.iter() {
        let Body::StepTaken { step: taken } = &record.body else { continue };
        let Some(step) = steps.iter().find(|step| step.name == *taken) else { continue };
        let narration = step.narration.clone();
        parts.extend(narration.chapter.map(|chapter| (record.at, LessonPart::Chapter(chapter))));
        parts.extend(narration.words.map(|words| match words {
            NarratedWords::Say(text) => (record.at, LessonPart::Said(text.to_string())),
            NarratedWords::Ask(question) => (record.at, LessonPart::Asked(question)),
        }));
    }
    parts
}

/// The answer to a question, with its reason: `3. 2 and 5 stay apart. Nobody can reach the other.`
pub(super) fn answer(question: &ClassQuestion) -> String {
    let right = question.choices.get(question.answer).map_or_else(String::new, ToString::to_string);
    let because = question.because.as_ref().map_or_else(String::new, |because| format!(" {because}"));
    let stop = if right.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{}. {right}{stop}{because}", question.answer + 1)
}

/// The chapters of the lesson and what people wrote beside the session, in their order: times and words.
pub(super) fn chapters_and_notes(told: &ToldSession, notes: &[SessionNote]) -> Vec<(i64, String)> {
    let chapters = lesson(told).into_iter().filter_map(|(at, part)| match part {
        LessonPart::Chapter(title) => Some((at, format!("chapter: {title}"))),
        LessonPart::Said(_) | LessonPart::Asked(_) => None,
    });
    let written = notes.iter().map(|note| (note.at, format!("{}: {}", note.kind.word(), note.text)));
    let mut all: Vec<(i64, String)> = chapters.chain(written).collect();
    all.sort_by_key(|(at, _)| *at);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_the_right_choice_with_its_number_and_reason() {
        let words = |text: &str| text.parse().unwrap();
        let choices = ["1", "nobody"].map(words).to_vec();
        let mut question = ClassQuestion { text: words("Who?"), choices, answer: 1, because: None };
        assert_eq!(answer(&question), "2. nobody.");
        question.because = Some(words("All are gone."));
        assert_eq!(answer(&question), "2. nobody. All are gone.");
    }
}
