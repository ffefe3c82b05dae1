//! A lab file from a session: its faults become steps, and their effects become expectations.
//!
//! Each order becomes a step at its time since the lab began; the lines of one step of the recorded lab stay together.
//! If the world had settled before the next order, the lab expects that state after the step, within twice the time it
//! took and never under ten T. If the session went on sooner than that, the next step and all after it come later by
//! the difference. So every agreement of the session is there again before the next fault breaks it.
//!
//! What the recorded lab said and asked is said and asked again, at its time after the order before it.
//!
//! Invariant: the lab expects nothing that dice or a hair's breadth decided; its head comment says what it leaves out.

mod findings;
mod orders;
mod outlook;
mod story;
#[cfg(test)]
mod tests;
mod text;
mod told;

use std::collections::BTreeSet;
use std::io::{self, Write};

use self::story::{Episode, Story};
use self::text::{comment, moment, span};
use self::told::ToldSteps;
use crate::fault::FaultId;
use crate::lab::text::{Opening, narration_keys, quoted, quoted_list, table};
use crate::lab::{Condition, LIMIT_DEFAULT, NAME_BYTES_MAX, Narration};
use crate::protocol::{Roster, Span};
use crate::record::{Head, Session};
use crate::world::between;

/// Every expectation has at least this many T.
const WITHIN_T_MIN: u64 = 10;

/// Writes the lab.
///
/// # Errors
/// When the session's head is missing, because only the head says which lab it was, or when the session cannot be read
/// to its end; nothing is written then.
pub fn write(session: &dyn Session, out: &mut dyn Write) -> io::Result<()> {
    let (head, roster) = known(session)?;
    let mut story = story::tell(head, roster, session, None).map_err(io::Error::other)?;
    let (at_end, notes) = findings::at_end(head, &story);
    story.notes.extend(notes);
    let schedule = Schedule::new(head, &story);
    out.write_all(opening(head, &story, &schedule).as_bytes())?;
    out.write_all(body(head, &story, &schedule).as_bytes())?;
    for condition in &at_end {
        out.write_all(table("expect", &[("that", quoted(&condition.to_string()))]).as_bytes())?;
    }
    Ok(())
}

/// A lab of the session's orders alone, each at the very time at which it came, without one fault if one is named. It
/// expects nothing, and lasts until `ends`, in nanoseconds since the lab began, and as long as the session.
///
/// # Errors
/// As in [`write`].
pub fn orders_alone(session: &dyn Session, without: Option<FaultId>, ends: i64) -> io::Result<String> {
    let (head, roster) = known(session)?;
    let story = story::tell(head, roster, session, without).map_err(io::Error::other)?;
    let mut text = opening_of(head, &head.name, &head.about).to_string();
    let mut names = StepNames::default();
    let at = |nanos: i64| Span::from_nanos(u64::try_from(nanos).unwrap_or(0));
    for episode in story.episodes.iter().filter(|episode| !episode.lines.is_empty()) {
        text += &step(&names.next(&name_of(episode)), at(episode.at), &episode.lines, &Narration::default());
    }
    text += &step(&names.next("end"), at(story.ended.max(ends)), &[], &Narration::default());
    Ok(text)
}

/// The head of the session, and its roster.
fn known(session: &dyn Session) -> io::Result<(&Head, Roster)> {
    session.head().and_then(|head| Some((head, head.roster()?))).ok_or_else(|| {
        let why =
            "the session's head is missing, and only the head names the lab; export a file that has its first line";
        io::Error::new(io::ErrorKind::InvalidData, why)
    })
}

/// When each episode begins in the lab, and how long its expectations have.
struct Schedule {
    /// For each episode of the story its time, in nanoseconds since the lab began, and its `within`.
    slots: Vec<(i64, Option<Within>)>,
    /// When the lab ends.
    ended: i64,
}

/// How long an expectation has.
#[derive(Copy, Clone)]
enum Within {
    /// The least: ten T.
    Least(Span),
    /// Twice what the session took.
    Twice(Span),
}

impl Within {
    fn span(self) -> Span {
        match self {
            Within::Least(span) | Within::Twice(span) => span,
        }
    }

    fn text(self) -> String {
        match self {
            Within::Least(_) => format!("{WITHIN_T_MIN}T"),
            Within::Twice(span) => span.to_string(),
        }
    }
}

impl Schedule {
    fn new(head: &Head, story: &Story) -> Schedule {
        let least = head.timing.t * WITHIN_T_MIN;
        let ends = story.episodes.iter().skip(1).map(|episode| episode.at).chain([story.ended]);
        let mut slots = Vec::new();
        let mut begins = 0;
        for (episode, ends) in story.episodes.iter().zip(ends) {
            let within = episode.settled.as_ref().map(|settled| match span(settled.took.saturating_mul(2)) {
                twice if twice > least => Within::Twice(twice),
                _ => Within::Least(least),
            });
            slots.push((begins, within));
            let least = within.map_or(0, |within| i64::try_from(within.span().nanos()).unwrap_or(i64::MAX));
            begins += (ends - episode.at).max(least);
        }
        Schedule { slots, ended: begins }
    }
}

fn opening(head: &Head, story: &Story, schedule: &Schedule) -> String {
    let faults = story.episodes.len() - 1;
    let mut text = comment(
        &format!(
            "Exported from a session of the lab \"{}\" (id {}, hustings {}): {} in {}.",
            head.name,
            head.lab_id,
            head.build,
            if faults == 1 { "1 order".to_owned() } else { format!("{faults} orders") },
            moment(story.ended)
        ),
        "",
    );
    text += "#\n";
    text += &comment(
        "Each order is a step at its time since the lab began. If the lab came to rest before the next order, that \
         state is expected after the step, within twice the time it took, and never less than 10T. If it had not \
         come to rest, or dice decided, nothing is expected.",
        "",
    );
    let later = schedule.ended - story.ended;
    if later > 0 {
        let text_of_later = format!(
            "If the session went on sooner than an expectation allows, the steps come later here: by {} in all.",
            between(later)
        );
        text += &comment(&text_of_later, "");
    }
    if !story.notes.is_empty() {
        text += "#\n# Different from the session:\n";
        story.notes.iter().for_each(|note| text += &comment(&format!("- {note}"), "  "));
    }
    text
}

fn body(head: &Head, story: &Story, schedule: &Schedule) -> String {
    let (name, about) =
        (name_again(&head.name), format!("The orders of a session of \"{}\", and their effects.", head.name));
    let mut text = format!("\n{}", opening_of(head, &name, &about));
    let mut names = StepNames::default();
    let mut last = None;
    let told = ToldSteps::of(head, story);
    for (place, (episode, (at, within))) in story.episodes.iter().zip(&schedule.slots).enumerate() {
        if !episode.lines.is_empty() {
            let name = names.next(&name_of(episode));
            text += &step(&name, span(*at), &episode.lines, &told.with(episode));
            last = Some(name);
        }
        if let (Some(settled), Some(within)) = (&episode.settled, within) {
            for condition in &settled.conditions {
                text += &expectation(condition, last.as_deref(), &within.text());
            }
        }
        let ends = story.episodes.get(place + 1).map_or(i64::MAX, |next| next.at);
        for (then, name, narration) in told.apart(episode.at..ends) {
            text += &step(&names.next(name), span(at + then - episode.at), &[], narration);
        }
    }
    // Without a last step the lab would end before everything that the session saw could happen.
    let end = names.next("end");
    text += &step(&end, span(schedule.ended), &[], &Narration::default());
    if let Some(help) = &story.help {
        text += &expectation(help, Some(&end), &format!("{WITHIN_T_MIN}T"));
    }
    text
}

/// The lab's name with a mark, cut to the length that a name may have.
fn name_again(name: &str) -> String {
    const MARK: &str = "-again";
    let mut end = name.len().min(NAME_BYTES_MAX - MARK.len());
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{MARK}", &name[..end])
}

fn step(name: &str, at: Span, lines: &[String], narration: &Narration) -> String {
    let mut keys = vec![("name", quoted(name)), ("at", quoted(&at.to_string()))];
    keys.extend(narration_keys(narration));
    if !lines.is_empty() || narration.is_silent() {
        keys.push(("do", quoted_list(lines)));
    }
    table("step", &keys)
}

/// What the lab file says before its steps.
fn opening_of<'a>(head: &'a Head, name: &'a str, about: &'a str) -> Opening<'a> {
    Opening {
        name,
        about,
        source: head.source.as_deref(),
        algorithm: &head.facts.name,
        nodes: head.nodes,
        seed: head.seed,
        timing: head.timing,
        limit: LIMIT_DEFAULT,
        settings: &head.settings,
    }
}

fn expectation(that: &Condition, after: Option<&str>, within: &str) -> String {
    let mut keys = vec![("that", quoted(&that.to_string()))];
    keys.extend(after.map(|after| ("after", quoted(after))));
    keys.push(("within", quoted(within)));
    table("expect", &keys)
}

fn name_of(episode: &Episode) -> String {
    episode.step.clone().unwrap_or_else(|| episode.lines.join(", "))
}

/// The names of steps so far: no two are the same.
#[derive(Default)]
struct StepNames(BTreeSet<String>);

impl StepNames {
    /// The name itself, or with a number if it was given before.
    fn next(&mut self, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let mut free = std::iter::once(name.to_owned()).chain(numbered);
        let name = free.find(|name| !self.0.contains(name)).expect("numbers do not end");
        self.0.insert(name.clone());
        name
    }
}
