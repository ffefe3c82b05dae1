//! What a class has done with a question, as its teacher's screen has it recorded: so the other screens hear of it.
//!
//! Invariant: what is written of a question is read back as the same; any other note is none of them.

use std::fmt;

use script::ClassQuestion;

/// What a class has done with the question of a step.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum ClassWord {
    /// So many have chosen each of the choices, and the answer is shown.
    Answered(Vec<u32>),
    /// It has passed the question over.
    PassedOver,
}

impl ClassWord {
    /// The note in which it is recorded.
    pub fn note(&self, step: &str, question: &ClassQuestion) -> String {
        let counts = match self {
            ClassWord::PassedOver => return format!("The question of step \"{step}\" is passed over."),
            ClassWord::Answered(counts) => counts,
        };
        let chosen = question.choices.iter().zip(counts).map(|(choice, count)| format!("{count}{}", of(choice)));
        let right = &question.choices[question.answer];
        format!("{}{}. Right is \"{right}\".", answers_to(step), chosen.collect::<Vec<_>>().join(BETWEEN))
    }

    /// What this note says of the question of this step; nothing, if it says nothing of it.
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
