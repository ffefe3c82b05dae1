//! Campaigns that parts make.
//!
//! Invariant: the table is that of one campaign over all seeds, without the time that it would have taken.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use super::super::code;
use super::super::lab_files::{self, LabText};
use super::super::output::remark;
use super::super::parts::{AskedLab, PartSet, SurveyQuestion};
use super::super::run::{Time, VerdictForm};
use super::exit_code;
use super::table::{FirstFailure, Table, Timed};
use super::teller::Teller;
use record::Recording;
use sim::campaign::{Campaign, CampaignPart};

/// The question that a campaign of these files answers.
pub(super) fn asked(campaign: &Campaign, files: &[PathBuf]) -> SurveyQuestion {
    let lab = |(lab, file): (&Arc<lab::Lab>, &PathBuf)| AskedLab { file: file.clone(), text: lab.text.clone() };
    SurveyQuestion::Simulate {
        labs: campaign.labs.iter().zip(files).map(lab).collect(),
        steps: campaign.steps,
        holes: campaign.holes,
        faults: campaign.faults,
        dice: campaign.dice,
    }
}

/// Prints the table of the campaign that these parts make; returns the exit code.
pub fn show(parts: &PartSet, form: VerdictForm) -> u8 {
    try_to_show(parts, form).unwrap_or_else(|code| code)
}

fn try_to_show(parts: &PartSet, form: VerdictForm) -> Result<u8, u8> {
    let SurveyQuestion::Simulate { labs, steps, holes, faults, dice } = &parts.asked else {
        unreachable!("the caller merges measurements")
    };
    let parsed = |AskedLab { file, text }: &AskedLab| {
        let text = LabText { name: file.display().to_string(), text: text.clone() };
        lab_files::parse_for(Time::Virtual, &text).map(Arc::new)
    };
    let files: Vec<PathBuf> = labs.iter().map(|lab| lab.file.clone()).collect();
    let campaign = Campaign {
        labs: labs.iter().map(parsed).collect::<Result<_, _>>()?,
        seeds: parts.seeds,
        steps: *steps,
        holes: *holes,
        faults: *faults,
        dice: *dice,
        jobs: NonZeroUsize::MIN,
    };
    let refused = |why: String| {
        remark(why);
        code::LAB_INVALID
    };
    let found: Vec<CampaignPart> = parts.found().map_err(refused)?;
    let outcome = campaign.merged(&found).map_err(|error| refused(error.to_string()))?;
    let teller = Teller { campaign: &campaign, files: &files, recording: Recording::Off, kept: None, keep: None };
    let first = outcome.first_failed().or(outcome.first_unknown);
    let first = first.map(|case| FirstFailure { case, command: teller.command(case), session: None });
    let code = exit_code(&outcome, None);
    let by_holes = teller.by_holes(&outcome);
    let table = Table {
        by_holes,
        campaign: &campaign,
        outcome: &outcome,
        first: first.as_ref(),
        kept: None,
        code,
        timed: Timed::InParts,
    };
    table.print(form);
    Ok(code)
}
