//! The table at the end of a campaign: each algorithm's properties, each kind of fault, and the time used.
//!
//! Invariant: every number is a sum over the runs; only the numbers of the last line depend on this computer.

use std::path::PathBuf;

use serde_json::json;

use super::super::code;
use super::super::columns::{aligned, counted, grouped};
use super::super::output::say;
use super::super::run::VerdictForm;
use judge::is_of_quiet;
use protocol::LineNumber;
use sim::campaign::{Campaign, CampaignOutcome, Case, FallenShare, Holes, LieTally, StepSource};
use world::Tally;

/// How many of the rarest lines the table has.
const RAREST: usize = 3;
/// So many ranges of the lines that were never reached are told.
const RANGES_MAX: usize = 3;

/// The first run that failed, or the first that cannot be judged if no run failed.
#[derive(Debug)]
pub(super) struct FirstFailure {
    pub case: Case,
    /// The command that plays it again.
    pub command: String,
    /// Where its session is, if it was recorded.
    pub session: Option<PathBuf>,
}

/// The runs that failed because of an unmended hole of the paper.
#[derive(Debug)]
pub(super) struct OfHole {
    pub algorithm: &'static str,
    /// The hole's name, or `several` if no single hole is the cause.
    pub number: &'static str,
    pub runs: u64,
    /// The command that plays the first of them again.
    pub command: String,
}

/// The printed parts of a campaign.
pub(super) struct Table<'a> {
    pub by_holes: Vec<OfHole>,
    pub campaign: &'a Campaign,
    pub outcome: &'a CampaignOutcome,
    pub first: Option<&'a FirstFailure>,
    /// How many sessions were kept of runs that failed, if that was asked for.
    pub kept: Option<u64>,
    pub code: u8,
    pub timed: Timed,
}

/// Whether a campaign's table says how long it took.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum Timed {
    Took,
    /// The parts were played apart, so nothing is known of that.
    InParts,
}

impl Table<'_> {
    pub fn print(&self, form: VerdictForm) {
        let lines = match form {
            VerdictForm::Text => self.text(),
            VerdictForm::Json => self.json(),
        };
        lines.iter().for_each(say);
    }

    fn text(&self) -> Vec<String> {
        let sums = &self.outcome.sums;
        let head = ["algorithm", "property", "due", "held", "broken", "excused", "unknown"];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        for (algorithm, tallies) in &sums.judged {
            for (property, Tally { due, held, broken, excused, unknown, .. }) in tallies.iter() {
                let mut row = vec![(*algorithm).to_owned(), property.to_string()];
                row.extend([due, held, broken, excused, unknown].map(grouped));
                rows.push(row);
            }
        }
        let mut lines = aligned(&rows, 2);
        for (algorithm, tallies) in &sums.judged {
            for (property, tally) in tallies.iter().filter(|(_, tally)| tally.unpromised > 0) {
                let times = counted(tally.unpromised, "time");
                lines.push(format!(
                    "{algorithm} does not promise {property} with the settings of some of these labs; there it was \
                     broken {times}"
                ));
            }
        }
        lines.push(String::new());
        let mut rows = vec![["fault", "in force", "hit"].map(str::to_owned).to_vec()];
        for (kind, tally) in &sums.faults {
            rows.push(vec![kind.clone(), grouped(tally.in_force), grouped(tally.hit)]);
        }
        lines.extend(aligned(&rows, 1));
        lines.push(String::new());
        if !sums.lies.is_empty() {
            lines.extend(aligned(&self.lies(), 1));
            lines.push(String::new());
        }
        lines.extend(aligned(&self.coverage(), 1));
        lines.push(String::new());
        let (due, looked) = self.quiet();
        if looked > 0 {
            let share = 100.0 * due as f64 / looked as f64;
            lines.push(format!(
                "the judge looked at properties of quiet {} times, and they were due in {share:.0} % of these",
                grouped(looked)
            ));
        }
        lines.extend(self.by_holes.iter().map(|OfHole { algorithm, number, runs, command }| {
            let what = if *number == "several" { "several holes".to_owned() } else { format!("hole {number}") };
            format!("{algorithm}: {} failed because of {what}, left unmended; {command}", counted(*runs, "run"))
        }));
        lines.extend(self.outcome.fallen.iter().map(|fallen| format!("too seldom judged: {fallen}")));
        lines.push(self.summary());
        if let Some(FirstFailure { case, command, .. }) = self.first {
            let name = &self.campaign.labs[case.lab].name;
            let what = if sums.failed > 0 { "failed" } else { "cannot be judged" };
            lines.push(format!("the first that {what}: seed {} of {name}; {command}", case.seed));
        }
        lines
    }

    /// How often each lie was told, and in how many runs it bit.
    fn lies(&self) -> Vec<Vec<String>> {
        let head = ["lie", "runs", "told", "tried in vain", "bit in runs", "bit alone"];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        for (lie, LieTally { runs, told, tried, bit, bit_alone }) in &self.outcome.sums.lies {
            let mut row = vec![lie.to_string()];
            row.extend([runs, told, tried, bit, bit_alone].map(|number| grouped(*number)));
            rows.push(row);
        }
        rows
    }

    /// How much of each listing the runs reached: its lines; the cells of line, state and kind of fault; the rarest
    /// lines, and the lines that no run reached.
    fn coverage(&self) -> Vec<Vec<String>> {
        let head = ["reached of", "lines", "of", "cells", "of", "rarest", "never"];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        for (algorithm, coverage) in &self.outcome.sums.coverage {
            let (all, reached) = coverage.cells();
            let lines = coverage.lines();
            let (never, rare): (Vec<_>, Vec<_>) = lines.iter().partition(|(_, times)| *times == 0);
            let numbers = [rare.len(), lines.len(), reached, all].map(|number| grouped(number as u64));
            let rarest = rare.iter().take(RAREST).map(|(line, times)| format!("{line}: {}", grouped(*times)));
            let mut row = vec![(*algorithm).to_owned()];
            row.extend(numbers);
            row.push(rarest.collect::<Vec<_>>().join(", "));
            row.push(in_ranges(never.iter().map(|(line, _)| *line)));
            rows.push(row);
        }
        rows
    }

    /// How often properties of quiet were due, and how often the quiet that they ask for had begun.
    fn quiet(&self) -> (u64, u64) {
        let all = self.outcome.sums.judged.values().flat_map(|tallies| tallies.iter());
        let quiet = all.filter(|(property, _)| is_of_quiet(*property)).map(|(_, tally)| tally);
        quiet.fold((0, 0), |(due, looked), tally| (due + tally.due, looked + tally.due + tally.excused + tally.unknown))
    }

    /// The line for the whole campaign.
    fn summary(&self) -> String {
        let sums = &self.outcome.sums;
        let failed = match (sums.failed, sums.unknown) {
            (0, 0) => "none failed".to_owned(),
            (failed, 0) => format!("{} failed", grouped(failed)),
            (failed, unknown) => format!("{} failed, {} cannot be judged", grouped(failed), grouped(unknown)),
        };
        let time = match self.timed {
            Timed::Took => self.time(),
            Timed::InParts => {
                let [elections, messages] = [sums.figures.elections, sums.figures.messages].map(grouped);
                format!("{elections} processes in elections and {messages} messages")
            }
        };
        format!(
            "{} of {}{}: {failed}; {} played twice and the same; {time}",
            counted(sums.runs, "run"),
            asked(self.campaign),
            if self.is_whole() { "" } else { ", broken off" },
            grouped(sums.twice),
        )
    }

    /// How long it took.
    fn time(&self) -> String {
        let figures = &self.outcome.sums.figures;
        let seconds = self.outcome.took.as_secs_f64();
        let rate = |count: u64| grouped((count as f64 / seconds.max(1e-9)) as u64);
        let (elections, messages) = (rate(figures.elections), rate(figures.messages));
        format!("{seconds:.1} s, {elections} processes in elections and {messages} messages a second")
    }

    /// Whether every run was played.
    fn is_whole(&self) -> bool {
        self.outcome.defect.is_none() && self.code < code::signal(0)
    }

    fn json(&self) -> Vec<String> {
        let sums = &self.outcome.sums;
        let mut lines = Vec::new();
        for (algorithm, tallies) in &sums.judged {
            for (property, Tally { due, held, broken, excused, unpromised, unknown }) in tallies.iter() {
                lines.push(json!({
                    "v": 1, "kind": "property", "algorithm": algorithm, "property": property, "due": due, "held": held,
                    "broken": broken, "excused": excused, "unpromised": unpromised, "unknown": unknown,
                }));
            }
        }
        for (kind, tally) in &sums.faults {
            lines.push(json!({"v": 1, "kind": "fault", "fault": kind, "in_force": tally.in_force, "hit": tally.hit}));
        }
        for (lie, LieTally { runs, told, tried, bit, bit_alone }) in &sums.lies {
            lines.push(json!({
                "v": 1, "kind": "lie", "lie": lie, "runs": runs, "told": told, "tried": tried, "bit": bit,
                "bit_alone": bit_alone,
            }));
        }
        for (algorithm, coverage) in &sums.coverage {
            let (cells, reached) = coverage.cells();
            lines.push(json!({
                "v": 1, "kind": "coverage", "algorithm": algorithm, "cells": cells, "reached": reached,
                "lines": coverage.lines(),
            }));
        }
        for FallenShare { algorithm, property, share, stands } in &self.outcome.fallen {
            lines.push(json!({
                "v": 1, "kind": "fallen", "algorithm": algorithm, "property": property, "share": share, "stands": stands,
            }));
        }
        for OfHole { algorithm, number, runs, command } in &self.by_holes {
            lines.push(json!({
                "v": 1, "kind": "hole", "algorithm": algorithm, "hole": number, "runs": runs, "command": command,
            }));
        }
        let first = self.first.map(|FirstFailure { case, command, session }| {
            // Others make sessions meanwhile too, and the oldest are deleted.
            let session = session.as_ref().filter(|session| session.exists());
            let lab = &self.campaign.labs[case.lab].name;
            json!({"lab": lab, "seed": case.seed.to_string(), "command": command, "session": session})
        });
        let (due, looked) = self.quiet();
        lines.push(json!({
            "v": 1, "kind": "campaign", "labs": self.campaign.labs.len(), "seeds": self.campaign.seeds.to_string(),
            "swarm": self.campaign.steps == StepSource::Drawn,
            "liars": self.campaign.steps == StepSource::Liars,
            "holes": self.campaign.holes == Holes::Drawn, "dice": self.campaign.dice.map(|dice| dice.to_string()),
            "kept": self.kept, "runs": sums.runs, "twice": sums.twice,
            "failed": sums.failed, "unknown": sums.unknown, "first": first, "figures": sums.figures,
            "quiet": {"looked": looked, "due": due},
            "seconds": (self.timed == Timed::Took).then_some(self.outcome.took.as_secs_f64()), "code": self.code,
            "whole": self.is_whole(),
            "defect": self.outcome.defect.as_ref().map(|(_, what)| what.to_string()),
        }));
        lines.into_iter().map(|line| line.to_string()).collect()
    }
}

/// What a campaign plays: `16 labs, seeds 0..1000, swarm`.
pub(super) fn asked(campaign: &Campaign) -> String {
    let labs = counted(campaign.labs.len() as u64, "lab");
    let swarm = match (campaign.steps, campaign.holes) {
        (StepSource::OfTheLab, _) => "",
        (StepSource::Liars, Holes::Mended) => ", liars",
        (StepSource::Liars, Holes::Drawn) => ", liars with holes",
        (StepSource::Drawn, Holes::Mended) => ", swarm",
        (StepSource::Drawn, Holes::Drawn) => ", swarm with holes",
    };
    let faults = campaign.faults.map_or_else(String::new, |faults| format!(", {} each", counted(faults, "fault")));
    let dice = campaign.dice.map_or_else(String::new, |dice| format!(", dice {dice}"));
    format!("{labs}, seeds {}{swarm}{faults}{dice}", campaign.seeds)
}

/// These numbers of lines, which rise, with ranges for neighbours, and at most a few of them: `9 12-15 and 3 more`.
fn in_ranges(numbers: impl Iterator<Item = LineNumber>) -> String {
    let mut ranges: Vec<(LineNumber, LineNumber)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let count =
        |ranges: &[(LineNumber, LineNumber)]| ranges.iter().map(|(first, last)| last - first + 1).sum::<LineNumber>();
    let (told, left) = ranges.split_at(ranges.len().min(RANGES_MAX));
    let told: Vec<String> = told
        .iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    let more = if left.is_empty() { String::new() } else { format!(" and {} more", count(left)) };
    format!("{}{more}", told.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_in_ranges_and_the_table_stays_narrow() {
        let told = |numbers: &[LineNumber]| in_ranges(numbers.iter().copied());
        assert_eq!(told(&[]), "");
        assert_eq!(told(&[9, 12, 13, 14, 106]), "9 12-14 106");
        assert_eq!(told(&[1, 3, 5, 7, 9, 11, 13, 14]), "1 3 5 and 5 more");
    }
}
