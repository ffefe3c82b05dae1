//! What the recorded lab told while its steps were taken: chapters, words and questions.
//!
//! Invariant: what a step told is told once, with the lines that the step ordered if there are any.

use std::collections::BTreeMap;
use std::ops::Range;

use super::story::{Episode, Story};
use crate::lab::{Narration, steps_of};
use crate::record::Head;

/// What a session told.
pub(super) struct ToldSteps<'a> {
    /// The steps that were taken and told something, with the times.
    taken: Vec<(i64, &'a str, Narration)>,
    /// When the lines of each step were ordered.
    ordered: BTreeMap<&'a str, i64>,
}

impl<'a> ToldSteps<'a> {
    /// What the session of this head told.
    pub fn of(head: &Head, story: &'a Story) -> ToldSteps<'a> {
        let steps = steps_of(&head.lab_file).unwrap_or_default();
        let tells = steps.iter().filter(|step| !step.narration.is_silent());
        let narrations: BTreeMap<&str, &Narration> = tells.map(|step| (step.name.as_str(), &step.narration)).collect();
        let told = |(at, step): &'a (i64, String)| {
            Some((*at, step.as_str(), Narration::clone(narrations.get(step.as_str())?)))
        };
        let ordered = story.episodes.iter().filter(|episode| !episode.lines.is_empty());
        ToldSteps {
            taken: story.taken.iter().filter_map(told).collect(),
            ordered: ordered.filter_map(|episode| Some((episode.step.as_deref()?, episode.at))).collect(),
        }
    }

    /// What the step told that ordered this.
    pub fn with(&self, episode: &Episode) -> Narration {
        let step = episode.step.as_deref();
        let is_first = step.is_some_and(|step| self.ordered.get(step) == Some(&episode.at));
        let told = self.taken.iter().find(|(_, name, _)| is_first && Some(*name) == step);
        told.map(|(.., narration)| narration.clone()).unwrap_or_default()
    }

    /// What steps told in this time that ordered nothing.
    pub fn apart(&self, during: Range<i64>) -> impl Iterator<Item = (i64, &str, &Narration)> {
        let apart =
            move |(at, name, _): &&(i64, &str, Narration)| during.contains(at) && !self.ordered.contains_key(name);
        self.taken.iter().filter(apart).map(|(at, name, narration)| (*at, *name, narration))
    }
}
