//! `hustings doctor`: whether this computer lets labs run: sockets, multicast, buffers, limits, directories, the
//! terminal and the locale, each with what to do if it does not.
//!
//! Invariant: it starts no lab, changes nothing but an empty run directory, and sends nothing that leaves this
//! computer.

mod examine;

use serde_json::json;

use self::examine::EXAMINATIONS;
use super::code;
use super::output::{COLUMNS, say, wrapped};

/// What `doctor` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 labs can run; 6 they cannot, or some cannot.")]
pub struct Arguments {
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// What an examination found.
#[derive(Clone, Eq, PartialEq, Debug)]
pub(super) struct Diagnosis {
    fitness: Suitability,
    /// What there is, as a fragment.
    told: String,
    /// What to do, if anything is to be done.
    remedy: Option<String>,
}

protocol::worded! {
    /// How well something is.
    #[derive(Copy, Clone, Eq, PartialEq, Debug)]
    pub(super) enum Suitability {
        /// As it should be.
        Well = "ok",
        /// Labs run, and something is worth knowing.
        Fair = "note",
        /// Labs cannot run, or some cannot.
        Ill = "wrong",
    }
}

impl Diagnosis {
    fn well(told: impl Into<String>) -> Diagnosis {
        Diagnosis { fitness: Suitability::Well, told: told.into(), remedy: None }
    }

    fn fair(told: impl Into<String>, remedy: impl Into<String>) -> Diagnosis {
        Diagnosis { fitness: Suitability::Fair, told: told.into(), remedy: Some(remedy.into()) }
    }

    fn ill(told: impl Into<String>, remedy: impl Into<String>) -> Diagnosis {
        Diagnosis { fitness: Suitability::Ill, told: told.into(), remedy: Some(remedy.into()) }
    }
}

/// Examines everything and tells what was found.
pub fn main(arguments: &Arguments) -> u8 {
    let found: Vec<(&str, Diagnosis)> = EXAMINATIONS.iter().map(|(what, examine)| (*what, examine())).collect();
    for (what, diagnosis) in &found {
        if arguments.json {
            say(json!({
                "v": 1, "what": what, "health": diagnosis.fitness.word(), "told": diagnosis.told, "remedy": diagnosis.remedy,
            }));
        } else {
            lines(what, diagnosis).iter().for_each(say);
        }
    }
    let is_ill = found.iter().any(|(_, diagnosis)| diagnosis.fitness == Suitability::Ill);
    if is_ill { code::ENVIRONMENT } else { code::MET }
}

/// A diagnosis for people; its remedy stands below it.
fn lines(what: &str, diagnosis: &Diagnosis) -> Vec<String> {
    let indent = " ".repeat(7);
    let first = format!("{:<6} {what}: {}", diagnosis.fitness.word(), diagnosis.told);
    let mut lines = wrapped(&first, COLUMNS - indent.len());
    // The first word keeps its column.
    lines[0] =
        lines[0].replacen(&format!("{} ", diagnosis.fitness.word()), &format!("{:<7}", diagnosis.fitness.word()), 1);
    lines[1..].iter_mut().for_each(|line| *line = format!("{indent}{line}"));
    let remedy = diagnosis.remedy.iter().flat_map(|remedy| wrapped(&format!("→ {remedy}"), COLUMNS - indent.len()));
    lines.extend(remedy.map(|line| format!("{indent}{line}")));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnosis_is_told_with_its_remedy_below_it() {
        let diagnosis = Diagnosis::fair("the system gives 416 KiB of the 8 MiB that a process asks for", "raise it");
        assert_eq!(
            lines("receive buffers", &diagnosis),
            [
                "note   receive buffers: the system gives 416 KiB of the 8 MiB that a",
                "       process asks for",
                "       → raise it"
            ]
        );
        assert_eq!(lines("locale", &Diagnosis::well("C.UTF-8")), ["ok     locale: C.UTF-8"]);
    }

    #[test]
    fn every_examination_ends_and_tells_something_and_what_is_not_well_has_a_remedy() {
        for (what, examine) in EXAMINATIONS {
            let diagnosis = examine();
            assert!(!diagnosis.told.is_empty(), "{what}");
            assert_eq!(diagnosis.remedy.is_none(), diagnosis.fitness == Suitability::Well, "{what}: {diagnosis:?}");
        }
    }
}
