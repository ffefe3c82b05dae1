//! Which running lab a command means, and how it talks to it.
//!
//! Invariant: without `--lab` a command means the only running lab; none or several is a usage error that lists them.

use std::path::PathBuf;

use super::output::remark;
use super::{candidates, code};
use host::{LabEntry, RunDirectories};
use protocol::visible_line;

/// How a command says which lab it means.
#[derive(Debug, clap::Args)]
pub struct LabChoice {
    /// The lab's id, the first digits of its id, or its name; without it, the only running lab
    #[arg(long, value_name = "ID", add = candidates::running_lab())]
    lab: Option<String>,
}

impl LabChoice {
    /// The run directory of the lab that is meant. On an error stderr has the reason.
    pub fn directory(&self) -> Result<PathBuf, u8> {
        self.lab().map(|(directory, _)| directory)
    }

    /// The lab that is meant, and its run directory. On an error stderr has the reason.
    pub fn lab(&self) -> Result<(PathBuf, LabEntry), u8> {
        let running = list()?;
        let is_meant = |entry: &LabEntry| match &self.lab {
            Some(meant) => entry.lab_id.starts_with(meant.as_str()) || entry.name == *meant,
            None => true,
        };
        let mut meant: Vec<&(PathBuf, LabEntry)> = running.iter().filter(|(_, entry)| is_meant(entry)).collect();
        match (meant.pop(), meant.is_empty()) {
            (Some(lab), true) => Ok(lab.clone()),
            (Some(_), false) => {
                remark("several labs are running; choose one with --lab ID:");
                table(&running).iter().for_each(remark);
                Err(code::USAGE)
            }
            (None, _) if running.is_empty() => {
                remark("no lab is running; start one with `hustings up`");
                Err(code::USAGE)
            }
            (None, _) => {
                remark("no running lab matches; these labs are running:");
                table(&running).iter().for_each(remark);
                Err(code::USAGE)
            }
        }
    }
}

/// The running labs; the files of dead ones have been deleted.
pub fn list() -> Result<Vec<(PathBuf, LabEntry)>, u8> {
    RunDirectories::find().and_then(|directories| directories.sweep()).map_err(|error| {
        remark(format!("the run directories cannot be read: {error}"));
        code::ENVIRONMENT
    })
}

/// The labs as lines of a table.
pub fn table(labs: &[(PathBuf, LabEntry)]) -> Vec<String> {
    let name_width = labs.iter().map(|(_, lab)| visible_line(&lab.name).chars().count()).chain([4]).max().unwrap_or(4);
    let header = format!(
        "{:<12}  {:<name_width$}  {:<10}  {:>5}  {:>5}  {:>7}",
        "ID", "NAME", "ALGORITHM", "NODES", "PORT", "HOST"
    );
    let row = |lab: &LabEntry| {
        let LabEntry { lab_id, algorithm, nodes, base_port, pid, .. } = lab;
        let (id, name) = (lab_id.get(..12).unwrap_or(lab_id), visible_line(&lab.name));
        format!("{id:<12}  {name:<name_width$}  {algorithm:<10}  {nodes:>5}  {base_port:>5}  {pid:>7}")
    };
    std::iter::once(header).chain(labs.iter().map(|(_, lab)| row(lab))).collect()
}
