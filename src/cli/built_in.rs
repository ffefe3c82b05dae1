//! The labs that come with the project: the files of `labs/` and of its folders, built into the program.
//!
//! Invariant: a lab is known by its file's name without `.toml`, which is the `name` in it too, and no two have the
//! same.

use super::code;
use super::lab_files::{LabText, parse};
use lab::Lab;
use registry::BUILT_IN;

/// A lab that comes with the project.
#[derive(Copy, Clone, Debug)]
pub struct BuiltIn {
    pub name: &'static str,
    /// The file's text.
    pub text: &'static str,
}

/// All of them, by name.
pub const LABS: &[BuiltIn] = include!(concat!(env!("OUT_DIR"), "/built_in_labs.rs"));

/// The lab of this name.
pub fn named(name: &str) -> Option<LabText> {
    let lab = LABS.iter().find(|lab| lab.name == name)?;
    Some(LabText { name: format!("{name}.toml (built in)"), text: lab.text.to_owned() })
}

/// The lessons, in the order of their numbers.
pub fn lessons() -> impl Iterator<Item = &'static BuiltIn> {
    LABS.iter().filter(|lab| lab.name.starts_with("lesson-"))
}

/// The names that this one may mean.
pub fn near(name: &str) -> Vec<&'static str> {
    let names: Vec<&'static str> = LABS.iter().map(|lab| lab.name).collect();
    lab::near(name, &names)
}

/// All of them as typed data, ordered by algorithm as the table of algorithms is, and then by name.
///
/// # Errors
/// One of them is not a valid lab, which stderr then says: a bug of this program.
pub fn parsed() -> Result<Vec<Lab>, u8> {
    let texts = LABS.iter().filter_map(|lab| named(lab.name));
    let mut labs = texts.map(|text| parse(&text).map_err(|_| code::BUG)).collect::<Result<Vec<Lab>, u8>>()?;
    labs.sort_by_key(|lab| BUILT_IN.cards().position(|card| card.name == lab.card.name));
    Ok(labs)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use protocol::Span;

    #[test]
    fn every_lab_is_known_by_the_name_it_gives_itself_and_no_two_by_one() {
        let labs = parsed().unwrap();
        assert_eq!(labs.len(), LABS.len());
        let names: BTreeSet<&str> = LABS.iter().map(|lab| lab.name).collect();
        assert_eq!(names.len(), LABS.len());
        for lab in LABS {
            let parsed = parse(&named(lab.name).unwrap()).unwrap();
            assert_eq!(parsed.name, lab.name);
        }
    }

    #[test]
    fn every_lab_says_of_which_part_of_which_paper_it_is() {
        for lab in parsed().unwrap() {
            let source = lab.source.as_deref().unwrap_or_else(|| {
                panic!("{}: add a line such as `source = \"Garcia-Molina 1982, section III\"` below `about`", lab.name)
            });
            assert!(source.contains(", "), "{}: `{source}` names no part of a paper", lab.name);
        }
    }

    #[test]
    fn in_every_lab_something_happens_and_it_is_said_which_violations_may_come_of_it() {
        for lab in parsed().unwrap() {
            assert!(lab.expectations.iter().any(|expectation| expectation.that.is_at_end()), "{}", lab.name);
            assert!(lab.steps.iter().any(|step| !step.lines.is_empty()), "nothing happens in {}", lab.name);
            assert!(lab.timing.t >= Span::from_millis(200), "{}: T is {}", lab.name, lab.timing.t);
        }
    }

    /// Without its comments: they are not part of the lab.
    #[test]
    fn a_lab_that_is_written_reads_back_the_same() {
        for built_in in LABS {
            // A text and a limit that no lab of the house has.
            let text = built_in.text.replacen("about = \"", "about = \"\\\"\\\\ ", 1);
            let parse = |text: String| parse(&LabText { name: built_in.name.to_owned(), text }).unwrap();
            let lab = parse(format!("limit = \"7s\"\n{text}"));
            let again = parse(lab.written());
            assert_eq!(again.written(), lab.written());
            assert_eq!((&again.name, &again.about, &again.source), (&lab.name, &lab.about, &lab.source));
            assert_eq!(
                (again.card.name, again.roster, again.seed, again.timing, again.limit),
                (lab.card.name, lab.roster, lab.seed, lab.timing, lab.limit)
            );
            assert_eq!((&again.settings, &again.steps), (&lab.settings, &lab.steps));
            assert_eq!(again.expectations.len(), lab.expectations.len());
            for (again, lab) in again.expectations.iter().zip(&lab.expectations) {
                assert_eq!((&again.that, again.after), (&lab.that, lab.after));
                assert_eq!((again.within, again.stays), (lab.within, lab.stays));
            }
        }
    }

    #[test]
    fn only_real_processes_run_the_labs_of_the_folder_live_and_only_those() {
        let live = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/labs/live")).unwrap();
        let live: BTreeSet<String> =
            live.map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect();
        for lab in parsed().unwrap() {
            assert_eq!(lab.check_simulable("").is_err(), live.contains(&lab.name), "{}: move it", lab.name);
        }
    }

    #[test]
    fn a_name_that_is_nearly_one_finds_it() {
        assert_eq!(near("fisrt"), ["first"]);
        assert!(near("loss").contains(&"king-ni-c-loss"));
        assert!(near("king-ni-b1").len() > 1);
        assert!(near("nothing like it").is_empty());
        assert!(near("").is_empty());
    }
}
