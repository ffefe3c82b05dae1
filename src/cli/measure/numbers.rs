//! Numbers on the command line, lists of them, and lists of names of algorithms.
//!
//! Invariant: numbers are in order, each once; names are in the order in which they were given.

use std::num::NonZeroU32;
use std::ops::RangeInclusive;

use super::super::registry_in_use;
use lab::near;
use protocol::Card;

/// A list as a person gives it.
#[derive(Clone, Debug)]
pub struct NumberList<T>(pub Vec<T>);

/// NumberList and ranges such as `1-3,7`, all of this range.
///
/// # Errors
/// What to write instead.
pub fn parse_numbers(
    text: &str,
    range: RangeInclusive<u16>,
    what: &str,
    such_as: &str,
) -> Result<NumberList<u16>, String> {
    let form = || {
        let (first, last) = (range.start(), range.end());
        format!("`{text}` is not a list of {what}; write numbers from {first} to {last}, such as {such_as}")
    };
    let number = |text: &str| text.trim().parse().ok().filter(|number| range.contains(number)).ok_or_else(form);
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u16, u16) = (number(first)?, number(last)?);
        if first > last {
            return Err(form());
        }
        numbers.extend(first..=last);
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(NumberList(numbers))
}

/// The names of these algorithms, or of all.
pub fn names(algorithms: Option<&NumberList<Card>>) -> Vec<String> {
    let name = |card: &Card| card.name.to_owned();
    algorithms.map_or_else(
        || registry_in_use().cards().map(name).collect(),
        |algorithms| algorithms.0.iter().map(name).collect(),
    )
}

/// Algorithms by their names, such as `bully,invitation`.
///
/// # Errors
/// The name that is no algorithm's, and those that there are.
pub fn parse_algorithms(text: &str) -> Result<NumberList<Card>, String> {
    let card = |name: &str| {
        let names: Vec<&str> = registry_in_use().cards().map(|card| card.name).collect();
        registry_in_use().card(name.trim()).copied().ok_or_else(|| {
            let meant = match &near(name.trim(), &names)[..] {
                [] => String::new(),
                near => format!("did you mean {}? ", near.join(", ")),
            };
            format!("there is no algorithm `{name}`; {meant}the algorithms are {}", names.join(", "))
        })
    };
    let mut cards: Vec<Card> = Vec::new();
    for name in text.split(',') {
        let card = card(name)?;
        if !cards.iter().any(|other| other.name == card.name) {
            cards.push(card);
        }
    }
    Ok(NumberList(cards))
}

/// How many runs a person wants on real processes.
///
/// # Errors
/// What to write instead.
pub fn parse_real(text: &str) -> Result<NonZeroU32, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number of real runs; write 1 or more, or leave out --real"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(text: &str) -> Result<Vec<u16>, String> {
        parse_numbers(text, 1..=100, "candidates", "1-20 or 2,5,10").map(|numbers| numbers.0)
    }

    #[test]
    fn numbers_and_ranges_come_in_order_each_once() {
        assert_eq!(candidates("7,1-3,2").unwrap(), [1, 2, 3, 7]);
        for wrong in ["", "0", "5-2", "1-101", "many", "1..20"] {
            let error = candidates(wrong).unwrap_err();
            assert!(error.ends_with("write numbers from 1 to 100, such as 1-20 or 2,5,10"), "{error}");
        }
    }

    #[test]
    fn no_real_runs_are_asked_for_by_leaving_the_option_out() {
        assert_eq!(parse_real("3").map(NonZeroU32::get), Ok(3));
        for wrong in ["0", "-1", "many"] {
            assert!(parse_real(wrong).unwrap_err().ends_with("write 1 or more, or leave out --real"));
        }
    }

    #[test]
    fn algorithms_are_named_and_an_unknown_one_is_refused_with_the_names() {
        let names = |text| parse_algorithms(text).map(|cards| cards.0.iter().map(|card| card.name).collect::<Vec<_>>());
        assert_eq!(names("invitation,bully,invitation").unwrap(), ["invitation", "bully"]);
        let error = names("buly").unwrap_err();
        assert!(error.contains("did you mean bully?") && error.ends_with("raft"), "{error}");
    }
}
