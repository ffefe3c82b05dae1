//! `hustings learn [LESSON]`: the written lessons: which there are, which were done, and one of them on the screen.
//!
//! A lesson is a lab of the program whose name begins with `lesson-` and its number.
//!
//! Invariant: the lessons are listed in the order of their numbers, and no line of the list is longer than 80 columns.

use std::collections::BTreeSet;

use serde_json::json;

use super::output::{COLUMNS, remark, say, wrapped};
use super::run::HowToRun;
use super::screen::ScreenLook;
use super::{built_in, candidates, code, lab_files, lesson_progress, pager, up};
use lab::Lab;

/// What `learn` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The number or the name of a lesson; without it, the lessons are listed
    #[arg(value_name = "LESSON", add = candidates::lesson())]
    lesson: Option<String>,
    /// The list as one JSON object a line
    #[arg(long, conflicts_with = "lesson")]
    json: bool,
    #[command(flatten)]
    shown: up::HowToShow,
    #[command(flatten)]
    how: HowToRun,
    #[command(flatten)]
    look: ScreenLook,
}

/// A lesson.
#[derive(Debug)]
struct ListedLesson {
    number: usize,
    lab: Lab,
    is_done: bool,
}

/// Lists the lessons, or starts one.
pub fn main(arguments: Arguments) -> u8 {
    let lessons = match lessons(&lesson_progress::lessons()) {
        Ok(lessons) => lessons,
        Err(code) => return code,
    };
    let Some(wanted) = &arguments.lesson else {
        if !arguments.json {
            return pager::show_lines(&text(&lessons));
        }
        lessons.iter().map(object).for_each(say);
        return code::MET;
    };
    let Some(lesson) = found(&lessons, wanted) else {
        remark(format!("there is no lesson `{wanted}`; {}", instead(&lessons, wanted)));
        return code::USAGE;
    };
    let lab = lab_files::read(Some(lesson.lab.name.as_ref()));
    let ended = lab.map_or_else(|code| code, |lab| up::show(lab, &arguments.shown, &arguments.how, &arguments.look));
    // Whether one that was done before was seen to its end this time, nobody has written down.
    if ended == code::MET && !lesson.is_done && lesson_progress::lessons().contains(&lesson.lab.name) {
        remark(match lessons.iter().find(|next| next.number == lesson.number + 1) {
            Some(next) => format!("lesson {} is done; next: `hustings learn {}`", lesson.number, next.number),
            None => format!("lesson {} is done; it was the last one", lesson.number),
        });
    }
    ended
}

/// The lessons in their order.
fn lessons(done: &BTreeSet<String>) -> Result<Vec<ListedLesson>, u8> {
    let numbered = built_in::lessons().enumerate().map(|(place, lesson)| {
        let text = built_in::named(lesson.name).ok_or(code::BUG)?;
        let lab = lab_files::parse(&text).map_err(|_| code::BUG)?;
        Ok(ListedLesson { number: place + 1, is_done: done.contains(lesson.name), lab })
    });
    numbered.collect()
}

/// The lesson of this number or name.
fn found<'l>(lessons: &'l [ListedLesson], wanted: &str) -> Option<&'l ListedLesson> {
    let is_it = |lesson: &&ListedLesson| lesson.number.to_string() == wanted || lesson.lab.name == wanted;
    lessons.iter().find(is_it)
}

/// What a person may have meant.
fn instead(lessons: &[ListedLesson], wanted: &str) -> String {
    let names: Vec<&str> = lessons.iter().map(|lesson| lesson.lab.name.as_str()).collect();
    match lab::near(wanted, &names)[..] {
        [] if wanted.ends_with(".toml") => format!("`hustings up {wanted}` shows a lesson of your own"),
        [] => format!("write a number from 1 to {}; `hustings learn` lists the lessons", lessons.len()),
        [name, ..] => format!("did you mean `{name}`? `hustings learn` lists the lessons"),
    }
}

fn object(lesson: &ListedLesson) -> String {
    let ListedLesson { number, lab, is_done } = lesson;
    json!({"v": 1, "number": number, "name": lab.name, "about": lab.about, "source": lab.source, "done": is_done})
        .to_string()
}

fn text(lessons: &[ListedLesson]) -> Vec<String> {
    const INDENT: usize = 9;
    let mut lines = Vec::new();
    for ListedLesson { number, lab, is_done } in lessons {
        let done = if *is_done { "done" } else { "" };
        for (place, part) in wrapped(&lab.about, COLUMNS - INDENT).iter().enumerate() {
            lines.push(if place == 0 {
                format!("{number:>2} {done:<4}  {part}")
            } else {
                format!("{:INDENT$}{part}", "")
            });
        }
    }
    let done = lessons.iter().filter(|lesson| lesson.is_done).count();
    let next = lessons.iter().find(|lesson| !lesson.is_done).map_or(1, |lesson| lesson.number);
    let which = if next == 1 { "first" } else { "next" };
    let how = format!("`hustings learn {next}` opens the {which} one, and `S` begins it");
    lines.push(format!("{done} of {} done; {how}.", lessons.len()));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lessons_stand_in_their_order_and_what_was_done_is_told() {
        let done = BTreeSet::from(["lesson-2-two-coordinators".to_owned()]);
        let lessons = lessons(&done).unwrap();
        for (place, lesson) in (1..).zip(&lessons) {
            assert!(lesson.lab.name.starts_with(&format!("lesson-{place}-")), "{}", lesson.lab.name);
            assert_eq!(lesson.is_done, place == 2);
        }
        let lines = text(&lessons);
        assert!(lines.iter().all(|line| line.chars().count() <= COLUMNS), "{lines:?}");
        assert!(lines.iter().any(|line| line.starts_with(" 2 done  ")), "{lines:?}");
        assert_eq!(lines[lines.len() - 1], "1 of 8 done; `hustings learn 1` opens the first one, and `S` begins it.");
        let object: serde_json::Value = serde_json::from_str(&object(&lessons[1])).unwrap();
        assert_eq!((object["number"].as_u64(), object["done"].as_bool()), (Some(2), Some(true)));
    }

    #[test]
    fn a_lesson_is_found_by_its_number_or_its_name_and_what_may_be_meant_is_told() {
        let lessons = lessons(&BTreeSet::new()).unwrap();
        let first = &lessons[0].lab.name;
        assert_eq!(found(&lessons, "1").map(|lesson| lesson.number), Some(1));
        assert_eq!(found(&lessons, first).map(|lesson| lesson.number), Some(1));
        assert!(found(&lessons, "0").is_none() && found(&lessons, "first").is_none());
        assert!(instead(&lessons, "99").starts_with("write a number from 1 to"));
        assert!(instead(&lessons, "coordinators").contains("lesson-2-two-coordinators"));
        assert_eq!(instead(&lessons, "mine.toml"), "`hustings up mine.toml` shows a lesson of your own");
    }

    #[test]
    fn every_lesson_has_a_chapter_and_a_question_with_its_reason() {
        for lesson in lessons(&BTreeSet::new()).unwrap() {
            let told: Vec<_> = lesson.lab.steps.iter().map(|step| &step.narration).collect();
            let questions: Vec<_> = told.iter().filter_map(|narration| narration.question()).collect();
            assert!(told.iter().any(|narration| narration.chapter.is_some()), "{}", lesson.lab.name);
            assert!(!questions.is_empty(), "{}", lesson.lab.name);
            assert!(questions.iter().all(|question| question.because.is_some()), "{}", lesson.lab.name);
        }
    }
}
