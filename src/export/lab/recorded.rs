//! The steps of the recorded lab as the session took them: what they told, and at which moments they came.
//!
//! A step at a moment of the protocol comes at that moment again: a machine is held there, and no time says when. It waits
//! from the step before it on, so that one stays too, even if it ordered nothing and told nothing.
//!
//! Invariant: what a step told is told once, with the lines that the step ordered if there are any.

use std::collections::BTreeMap;
use std::ops::Range;

use super::session_orders::{OrderWithEffects, SessionOrders};
use fault::Moment;
use lab::{LabStep, Narration, When, steps_of};
use record::Head;

/// The steps that a session took.
pub(super) struct RecordedSteps<'a> {
    /// Those that told something, or from which on a moment was waited for, with the times.
    taken: Vec<(i64, &'a str, Narration)>,
    /// The moments at which steps came, by their names.
    moments: BTreeMap<String, Moment>,
    /// When the lines of each step were ordered.
    ordered: BTreeMap<&'a str, i64>,
}

impl<'a> RecordedSteps<'a> {
    /// The steps of the session of this head.
    pub fn of(head: &Head, story: &'a SessionOrders) -> RecordedSteps<'a> {
        let steps = steps_of(&head.lab_file).unwrap_or_default();
        let by_name: BTreeMap<&str, &LabStep> = steps.iter().map(|step| (step.name.as_str(), step)).collect();
        let moment_of = |step: &str| match &by_name.get(step)?.when {
            When::Moment(moment) => Some(moment.clone()),
            When::At(_) | When::Condition { .. } => None,
        };
        let mut next = story.taken.iter().skip(1);
        let taken = story.taken.iter().filter_map(|(at, step)| {
            let awaits_moment = next.next().is_some_and(|(_, next)| moment_of(next).is_some());
            let narration = by_name.get(step.as_str()).map(|step| step.narration.clone()).unwrap_or_default();
            (awaits_moment || !narration.is_silent()).then_some((*at, step.as_str(), narration))
        });
        let taken = taken.collect();
        let moments = steps.iter().filter_map(|step| Some((step.name.clone(), moment_of(&step.name)?))).collect();
        let ordered = story.episodes.iter().filter(|episode| !episode.lines.is_empty());
        let ordered = ordered.filter_map(|episode| Some((episode.step.as_deref()?, episode.at))).collect();
        RecordedSteps { taken, moments, ordered }
    }

    /// What the step told that ordered this.
    pub fn narration(&self, episode: &OrderWithEffects) -> Narration {
        let step = episode.step.as_deref().filter(|_| self.is_first(episode));
        let told = self.taken.iter().find(|(_, name, _)| Some(*name) == step);
        told.map(|(.., narration)| narration.clone()).unwrap_or_default()
    }

    /// The moment at which the step came that ordered this.
    pub fn moment(&self, episode: &OrderWithEffects) -> Option<&Moment> {
        episode.step.as_deref().filter(|_| self.is_first(episode)).and_then(|step| self.moments.get(step))
    }

    /// The steps of this time that ordered nothing.
    pub fn apart(&self, during: Range<i64>) -> impl Iterator<Item = (i64, &str, &Narration)> {
        let apart =
            move |(at, name, _): &&(i64, &str, Narration)| during.contains(at) && !self.ordered.contains_key(name);
        self.taken.iter().filter(apart).map(|(at, name, narration)| (*at, *name, narration))
    }

    fn is_first(&self, episode: &OrderWithEffects) -> bool {
        episode.step.as_deref().is_some_and(|step| self.ordered.get(step) == Some(&episode.at))
    }
}
