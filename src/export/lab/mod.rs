//! A lab file from a session: its faults become steps, and their effects become expectations.
//!
//! Each order becomes a step at its time since the lab began, or at the moment of the protocol at which the recorded lab
//! gave it; the lines of one step of the recorded lab stay together. If the world had settled before the next order, the
//! lab expects that state after the step, within twice the time it took and never under ten T ([`schedule`]).
//!
//! What the recorded lab said and asked is said and asked again. What people wrote beside the session is a comment.
//!
//! Invariant: the lab expects nothing that dice or a hair's breadth decided; its head comment says what it leaves out.

mod findings;
mod orders;
mod recorded;
mod schedule;
mod session_orders;
mod stability;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::io::{self, Write};

use self::recorded::RecordedSteps;
use self::schedule::{Schedule, WITHIN_T_MIN};
use self::session_orders::{OrderWithEffects, SessionOrders, moment};
use fault::{FaultId, FaultLine};
use lab::text::{LabFile, comment, marked};
use lab::{Condition, Expectation, LabStep, Narration, When, limit_of};
use protocol::{Criterion, Roster, Span};
use record::{Head, Origin, Session, SessionNote};
use world::between;

/// Writes the lab.
///
/// # Errors
/// When the session's head is missing, because only the head says which lab it was, or when the session cannot be read
/// to its end; nothing is written then.
pub fn write(session: &dyn Session, written: &[SessionNote], out: &mut dyn Write) -> io::Result<()> {
    let (head, roster) = known(session)?;
    let mut story = session_orders::tell(head, roster, session, None).map_err(io::Error::other)?;
    let (at_end, notes) = findings::at_end(head, &story);
    story.notes.extend(notes);
    let schedule = Schedule::new(head, &story);
    story.notes.extend(schedule.left_out(&story));
    story.notes.extend(of_criterion(head));
    out.write_all(opening(head, &story, &schedule).as_bytes())?;
    out.write_all(notes_of(written).as_bytes())?;
    out.write_all(b"\n")?;
    out.write_all(body(head, &story, &schedule, at_end).as_bytes())
}

/// A lab of the session's orders alone, each at the very time at which it came, without one fault if one is named. It
/// expects nothing, and lasts until `ends`, in nanoseconds since the lab began, and as long as the session.
///
/// # Errors
/// As in [`write`].
pub fn orders_alone(session: &dyn Session, without: Option<FaultId>, ends: i64) -> io::Result<String> {
    let (head, roster) = known(session)?;
    let story = session_orders::tell(head, roster, session, without).map_err(io::Error::other)?;
    let mut steps = StepList::default();
    let at = |nanos: i64| When::At(Span::from_nanos(u64::try_from(nanos).unwrap_or(0)));
    for episode in story.episodes.iter().filter(|episode| !episode.lines.is_empty()) {
        steps.push(&name_of(episode), at(episode.at), &episode.lines, Narration::default());
    }
    steps.push("end", at(story.ended.max(ends)), &[], Narration::default());
    Ok(written(head, &head.name, &head.about, &steps.steps, &[]))
}

/// The head of the session, and its roster.
fn known(session: &dyn Session) -> io::Result<(&Head, Roster)> {
    session.head().and_then(|head| Some((head, head.roster()?))).ok_or_else(|| {
        let why =
            "the session's head is missing, and only the head names the lab; export a file that has its first line";
        io::Error::new(io::ErrorKind::InvalidData, why)
    })
}

/// What is not expected because chance gives the processes their capacities, if it does.
fn of_criterion(head: &Head) -> Option<String> {
    let criterion = Criterion::of(&head.settings).filter(|criterion| criterion.is_by_chance())?;
    Some(format!(
        "The criterion is `{}`, so another run may elect others: nobody is expected as master.",
        criterion.word()
    ))
}

fn opening(head: &Head, story: &SessionOrders, schedule: &Schedule) -> String {
    let faults = story.episodes.len() - 1;
    let mut text = comment(&format!(
        "Exported from a session of the lab \"{}\" (id {}, hustings {}): {} in {}.",
        head.name,
        head.lab_id,
        head.build,
        if faults == 1 { "1 order".to_owned() } else { format!("{faults} orders") },
        moment(story.ended)
    ));
    text += "#\n";
    text += &comment(
        "Each order is a step at its time since the lab began, or at the moment of the protocol at which the lab gave \
         it. If the lab came to rest before the next order, that state is expected after the step, within twice the \
         time it took, and never less than 10T. If it had not come to rest, or dice decided, nothing is expected.",
    );
    let later = schedule.later(story);
    let of_times = match head.origin {
        Origin::Live if later > 0 => Some(format!(
            "If the session went on sooner than an expectation allows, the steps come later here: by {} in all.",
            between(later)
        )),
        Origin::Live => None,
        Origin::Simulated => {
            let text =
                "In virtual time every order keeps its time: an expectation has at most the time until the next one.";
            Some(text.to_owned())
        }
    };
    text += &of_times.as_deref().map(comment).unwrap_or_default();
    if !story.notes.is_empty() {
        text += "#\n# Different from the session:\n";
        story.notes.iter().for_each(|note| text += &comment(&format!("- {note}")));
    }
    text
}

/// What people wrote about the session.
fn notes_of(written: &[SessionNote]) -> String {
    if written.is_empty() {
        return String::new();
    }
    let notes = written.iter().map(|note| format!("- {}, {}: {}", moment(note.at), note.kind.word(), note.text));
    "#\n# Written about the session:\n".to_owned() + &notes.map(|note| comment(&note)).collect::<String>()
}

/// The lab of the story, and what it expects at its end.
fn body(head: &Head, story: &SessionOrders, schedule: &Schedule, at_end: Vec<Condition>) -> String {
    let mut steps = StepList::default();
    let mut expectations = Vec::new();
    let mut last = None;
    let recorded = RecordedSteps::of(head, story);
    for (place, (episode, (begins, within))) in story.episodes.iter().zip(&schedule.slots).enumerate() {
        if !episode.lines.is_empty() {
            let when = match recorded.moment(episode) {
                Some(moment) => When::Moment(moment.clone()),
                None => When::At(schedule.at(*begins)),
            };
            last = Some(steps.push(&name_of(episode), when, &episode.lines, recorded.narration(episode)));
        }
        if let (Some(settled), Some(within)) = (&episode.settled, within) {
            let settled = settled.conditions.iter().cloned();
            expectations.extend(settled.map(|condition| Expectation::of(condition, last, *within)));
        }
        let ends = story.episodes.get(place + 1).map_or(i64::MAX, |next| next.at);
        for (at, name, narration) in recorded.apart(episode.at..ends) {
            steps.push(name, When::At(schedule.at(begins + at - episode.at)), &[], narration.clone());
        }
    }
    // Without a last step the lab would end before everything that the session saw could happen.
    let end = steps.push("end", When::At(schedule.at(schedule.ended)), &[], Narration::default());
    let help = story.help.iter().cloned();
    expectations.extend(help.map(|help| Expectation::of(help, Some(end), head.timing.t * WITHIN_T_MIN)));
    expectations.extend(at_end.into_iter().map(Expectation::at_end));
    let about = format!("The orders of a session of \"{}\", and their effects.", head.name);
    written(head, &marked(&head.name, "-again"), &about, &steps.steps, &expectations)
}

/// The lab file of a lab like that of the session.
fn written(head: &Head, name: &str, about: &str, steps: &[LabStep], expectations: &[Expectation]) -> String {
    let file = LabFile {
        name,
        about,
        source: head.source.as_deref(),
        algorithm: &head.facts.name,
        nodes: head.nodes,
        seed: head.seed,
        timing: head.timing,
        limit: limit_of(&head.lab_file),
        settings: &head.settings,
        steps,
        expectations,
    };
    file.to_string()
}

fn name_of(episode: &OrderWithEffects) -> String {
    let lines = || episode.lines.iter().map(FaultLine::to_string).collect::<Vec<_>>().join(", ");
    episode.step.clone().unwrap_or_else(lines)
}

/// The steps of a lab so far: no two have the same name.
#[derive(Default)]
struct StepList {
    steps: Vec<LabStep>,
    names: BTreeSet<String>,
}

impl StepList {
    /// Adds a step of this name, or with a number behind it if there is one of this name; returns its index.
    fn push(&mut self, name: &str, when: When, lines: &[FaultLine], narration: Narration) -> usize {
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let mut free = std::iter::once(name.to_owned()).chain(numbered);
        let name = free.find(|name| !self.names.contains(name)).expect("numbers do not end");
        self.names.insert(name.clone());
        self.steps.push(LabStep { name, when, lines: lines.to_vec(), narration });
        self.steps.len() - 1
    }
}
