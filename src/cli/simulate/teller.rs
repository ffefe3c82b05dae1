//! Reports on single runs of a campaign: what is wrong with them, the command that plays them again, their sessions.
//!
//! Invariant: a report is read from the run's records, played again; a session that it names exists.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use super::super::columns::counted;
use super::super::output::remark;
use super::super::simulated;
use super::table::{FirstFailure, OfHole};
use host::LabEnd;
use record::{Body, Drawn, Outcome as Met, Record, Recording, Retention};
use sim::Plan;
use sim::campaign::{ByHole, Campaign, CampaignOutcome, Case, Holes, Seeds, StepSource};

/// Reports on single runs of a campaign.
pub(super) struct Teller<'a> {
    pub campaign: &'a Campaign,
    pub files: &'a [PathBuf],
    /// Where the session of the first reported run goes, unless all that fail are kept.
    pub recording: Recording,
    /// How much is kept of what commands record by themselves; absent: all.
    pub kept: Option<Retention>,
    /// Where the sessions of all that fail are kept, and of the first for each hole.
    pub keep: Option<&'a Path>,
}

impl Teller<'_> {
    /// Plays the run again, records it, and prints what is wrong with it.
    pub fn tell(&self, what: &str, case: Case) -> FirstFailure {
        let mut wrong = Vec::new();
        let command = self.command(case);
        remark(format!("{} {what}; `{command}` plays it again", self.named(case)));
        let plan = self.campaign.plan(case);
        let recording = match self.keep {
            Some(directory) => Recording::To(self.session_in(directory, &plan)),
            None => self.recording.clone(),
        };
        if let Some(pruned) = self.kept.and_then(|kept| recording.make_room(kept)) {
            remark(pruned);
        }
        let played = self.play(case, &plan, &recording, &mut |record| wrong.extend(wrong_with(record)));
        wrong.extend(played.as_ref().and_then(|end| end.run.defect.clone()));
        wrong.extend(played.as_ref().and_then(|end| end.run.unknown.clone()));
        wrong.iter().for_each(|wrong| remark(format!("  {wrong}")));
        let session = played.and_then(|end| end.session);
        if let Some(session) = &session {
            remark(format!("  `hustings replay {}` shows it", quoted(session.display())));
        }
        FirstFailure { case, command, session }
    }

    /// Keeps the sessions of the runs that failed, if that was asked for, and of the first run for each hole that made
    /// runs fail, besides the one already reported; prints and returns how many are kept.
    pub fn keep_others(&self, outcome: &CampaignOutcome, told: Option<&FirstFailure>) -> Option<u64> {
        let directory = self.keep?;
        let is_kept = |case: &&Case| {
            if let Some(FirstFailure { case: told, session, .. }) = told
                && told == *case
            {
                return session.is_some();
            }
            let plan = self.campaign.plan(**case);
            let recording = Recording::To(self.session_in(directory, &plan));
            self.play(**case, &plan, &recording, &mut |_| {}).is_some_and(|end| end.session.is_some())
        };
        let place = directory.display();
        let sessions = outcome.failed.iter().filter(is_kept).count() as u64;
        let failed = outcome.sums.failed;
        if failed > 0 {
            remark(format!("{} of {} kept in {place}", counted(sessions, "session"), counted(failed, "failed run")));
        }
        let of_holes: BTreeSet<Case> = outcome.sums.by_holes.values().map(|of| of.first).collect();
        let shown = of_holes.iter().filter(is_kept).count() as u64;
        if !of_holes.is_empty() {
            let holes = counted(of_holes.len() as u64, "run");
            remark(format!("{} of {holes} kept in {place}: the first for each hole", counted(shown, "session")));
        }
        Some(sessions + shown)
    }

    /// Plays the run again and records it; if it cannot be recorded, prints why and returns nothing.
    fn play(&self, case: Case, plan: &Plan, recording: &Recording, tell: &mut dyn FnMut(&Record)) -> Option<LabEnd> {
        let drawn = Drawn { seed: case.seed, again: self.command(case) };
        simulated::run(plan, Some(drawn), recording, tell).map_err(remark).ok()
    }

    /// `first-7.jsonl.zst`, `first-swarm-7.jsonl.zst`: the lab and the seed.
    fn session_in(&self, directory: &Path, plan: &Plan) -> PathBuf {
        let is_safe = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let mut name: String = plan.lab.name.chars().map(|c| if is_safe(c) { c } else { '_' }).collect();
        // A lab that a seed drew has the seed in its name.
        if self.campaign.steps == StepSource::OfTheLab {
            name += &format!("-{}", plan.seed);
        }
        directory.join(name + ".jsonl.zst")
    }

    /// The runs that failed because of unmended holes, each with the command that plays the first of them again.
    pub fn by_holes(&self, outcome: &CampaignOutcome) -> Vec<OfHole> {
        let told = |(&(algorithm, number), &ByHole { runs, first }): (&(&'static str, &'static str), &ByHole)| OfHole {
            algorithm,
            number,
            runs,
            command: self.command(first),
        };
        outcome.sums.by_holes.iter().map(told).collect()
    }

    pub fn named(&self, case: Case) -> String {
        format!("seed {} of {}", case.seed, self.campaign.labs[case.lab].name)
    }

    /// The one command that plays this run alone.
    pub fn command(&self, case: Case) -> String {
        let swarm = match (self.campaign.steps, self.campaign.holes) {
            (StepSource::OfTheLab, _) => "",
            (StepSource::Liars, Holes::Mended) => " --liars",
            (StepSource::Liars, Holes::Drawn) => " --liars --holes",
            (StepSource::Drawn, Holes::Mended) => " --swarm",
            (StepSource::Drawn, Holes::Drawn) => " --swarm --holes",
        };
        let faults = self.campaign.faults.map_or_else(String::new, |faults| format!(" --faults {faults}"));
        let dice = self.campaign.dice.map_or_else(String::new, |dice| format!(" --dice {dice}"));
        let file: &Path = &self.files[case.lab];
        format!("hustings simulate {}{swarm}{faults} --seeds {}{dice}", quoted(file.display()), Seeds::only(case.seed))
    }
}

/// What a record says about what went wrong.
fn wrong_with(record: &Record) -> Option<String> {
    match &record.body {
        Body::Verdict { outcome: Met::Failed | Met::Unknown, text, .. } => Some(text.clone()),
        Body::Violation(report) if !report.is_excused() => Some(report.text.clone()),
        _ => None,
    }
}

/// The text in the form that a shell takes as one word.
fn quoted(text: impl Display) -> String {
    let text = text.to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_quoted_where_a_shell_would_split_it() {
        for (file, word) in [
            ("labs/first.toml", "labs/first.toml"),
            ("my labs/a.toml", "'my labs/a.toml'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(file), word);
        }
    }
}
