//! An application as a lab has it: its machine, and what other rooms ask of it.
//!
//! Invariant: the fields of an entry are all that another room knows of an application.

use crate::words::{Field, RowPart};
use judge::WorkJudge;
use protocol::{ApplicationEntry, ApplicationFacts, Facts, Roster, Work};
use record::Step;
use world::World;

/// What an application's folder hands to a program.
#[derive(Copy, Clone, Debug)]
pub struct LabApplication {
    /// The Card and the machine.
    pub machine: &'static ApplicationEntry,
    /// Who judges the work in a lab of these facts and nodes; nobody if the facts do not tell enough of it.
    pub judge: fn(&Facts, Roster) -> Option<Box<dyn WorkJudge>>,
    /// What a step did for it, as a fragment after the name of its process; nothing for a work of another application.
    pub did: fn(&Work, &Step) -> Option<String>,
    /// The row of a lab of these facts.
    pub row: fn(&World, &ApplicationFacts) -> Vec<RowPart>,
    /// What a process holds of it; nothing for a work of another application.
    pub fields: fn(&Work) -> Vec<Field>,
}
