//! The holes of an algorithm's paper: what each is, what shows it, and which of them a lab has mended.
//!
//! Invariant: a hole that an algorithm does not have, or not with these settings, counts as mended.

use serde::{Deserialize, Serialize};

use super::{LineNumber, SettingCard, SettingKind, SettingValue, Settings};

/// The setting that says which holes are mended, where an algorithm has it.
pub const ERRATA: &str = "errata";

/// One hole, as an algorithm's Card lists it.
#[derive(Copy, Clone, Debug)]
pub struct HoleCard {
    /// What labs and the notes call it, such as `B2` or `9`.
    pub number: &'static str,
    /// What goes wrong, as a sentence.
    pub title: &'static str,
    /// The place in the paper: a figure, a table, a listing.
    pub stands_in: &'static str,
    /// The lines of the listing at which it goes wrong; where the paper lacks a line, those that would need it. None, if
    /// the paper has no line about it.
    pub lines: &'static [LineNumber],
    /// The only value of the setting `letter` with which the algorithm has it, if there are several texts.
    pub letter: Option<&'static str>,
    /// What shows it.
    pub shown_by: ShownBy,
    /// The name of its guard in the algorithm's own enum `Hole`.
    pub guard_name: &'static str,
    /// The place of its guard among the algorithm's.
    pub guard: u8,
    /// The place of the guard with which it is mended: its own, unless it goes with another hole. Holes with one place are
    /// mended together or not at all.
    pub place: u8,
}

/// A [`HoleCard`] as a session carries it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HoleFact {
    /// [`HoleCard::number`].
    pub number: String,
    /// [`HoleCard::title`].
    pub title: String,
    /// [`HoleCard::stands_in`].
    pub stands_in: String,
    /// [`HoleCard::lines`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LineNumber>,
    /// The lab that shows it, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lab: Option<String>,
    /// Whether the session's lab has it.
    pub standing: HoleStanding,
}

/// Whether a lab's algorithm has a hole.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HoleStanding {
    /// Has it.
    Open,
    /// Is mended.
    Mended,
    /// The text of the paper that the lab follows does not have it.
    InAnotherText,
}

/// What shows a hole.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum ShownBy {
    /// The lab of this name.
    Lab(&'static str),
    /// The test of this name.
    Test(&'static str),
}

impl HoleCard {
    /// The first of these holes that has the same place, if that is another hole: both are mended or left in together.
    pub fn goes_with<'a>(&self, holes: &'a [HoleCard]) -> Option<&'a HoleCard> {
        holes.iter().find(|hole| hole.place == self.place).filter(|first| first.number != self.number)
    }

    /// What a session of a lab with these settings says of it, if these are all holes of its paper.
    pub fn fact(&self, settings: &Settings, holes: &[HoleCard]) -> HoleFact {
        HoleFact {
            number: self.number.to_owned(),
            title: self.title.to_owned(),
            stands_in: self.stands_in.to_owned(),
            lines: self.lines.to_vec(),
            lab: match self.shown_by {
                ShownBy::Lab(name) => Some(name.to_owned()),
                ShownBy::Test(_) => None,
            },
            standing: self.standing(settings, holes),
        }
    }

    /// Whether a lab with these settings has it, if these are all holes of its paper.
    pub fn standing(&self, settings: &Settings, holes: &[HoleCard]) -> HoleStanding {
        match self.is_mended(settings, holes) {
            true => HoleStanding::Mended,
            false if self.stands_with(settings) => HoleStanding::Open,
            false => HoleStanding::InAnotherText,
        }
    }

    /// Whether `errata` names it, or another of these holes that is mended with it.
    fn is_mended(&self, settings: &Settings, holes: &[HoleCard]) -> bool {
        let errata = settings.value(ERRATA);
        let is_named = |hole: &HoleCard| match errata {
            None | Some(SettingValue::Flag(true)) => true,
            Some(SettingValue::Holes(numbers)) => numbers.iter().any(|number| number == hole.number),
            Some(_) => false,
        };
        holes.iter().any(|hole| hole.place == self.place && is_named(hole))
    }

    /// Whether the algorithm has it with these settings, if it is not mended.
    fn stands_with(&self, settings: &Settings) -> bool {
        self.letter.is_none_or(|letter| settings.words().any(|(name, word)| name == "letter" && word == letter))
    }
}

/// Writes a Card's `HOLES`: guard, the guard with which it is mended if that is another, number, title, place in the
/// paper, lines of the listing, what shows it; and `letter` if only one text has the hole. The guards are variants of an
/// enum `Hole` of the algorithm's own.
#[macro_export]
macro_rules! holes {
    ($($guard:ident $(with $first:ident)? = $number:literal, $title:literal, $stands_in:literal, [$($line:expr),*],
       $shown:ident($by:literal)
       $(, letter $letter:literal)?;)*) => {
        /// The holes of the paper, for the Card.
        pub const HOLES: &[$crate::HoleCard] = &[$($crate::HoleCard {
            number: $number,
            title: $title,
            stands_in: $stands_in,
            lines: &[$($line),*],
            letter: [$(Some($letter),)? None][0],
            shown_by: $crate::ShownBy::$shown($by),
            guard_name: stringify!($guard),
            guard: Hole::$guard as u8,
            place: [$(Hole::$first as u8,)? Hole::$guard as u8][0],
        }),*];
    };
}

/// Which holes of an algorithm are mended, by the places of their own guards.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct Mends(u32);

impl Mends {
    /// The row of `errata` in a Card.
    pub const fn setting(holes: &'static [HoleCard], about: &'static str) -> SettingCard {
        SettingCard { name: ERRATA, kind: SettingKind::Holes(holes), about }
    }

    /// What a lab with these settings mends.
    pub fn of(settings: &Settings, holes: &[HoleCard]) -> Mends {
        let is_left = |hole: &&HoleCard| hole.stands_with(settings) && !hole.is_mended(settings, holes);
        Mends(holes.iter().filter(is_left).fold(u32::MAX, |mends, hole| mends & !(1 << hole.guard)))
    }

    /// Whether the hole with the guard of this place is mended.
    pub fn has(self, place: u8) -> bool {
        self.0 & (1 << place) != 0
    }
}

/// The value of `errata` that mends these holes and no others, in the Card's order: all, none or a list.
pub fn errata_of(holes: &[HoleCard], mended: impl Fn(&HoleCard) -> bool) -> SettingValue {
    let numbers: Vec<String> = holes.iter().filter(|hole| mended(hole)).map(|hole| hole.number.to_owned()).collect();
    match numbers.len() {
        0 => SettingValue::Flag(false),
        all if all == holes.len() => SettingValue::Flag(true),
        _ => SettingValue::Holes(numbers),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeSet;

    enum Hole {
        First,
        Second,
        Third,
        Book,
    }

    holes! {
        First = "1", "It waits.", "figure 1", [3, 5], Lab("a");
        Second = "2", "It waits too.", "figure 2", [], Test("b");
        Third with First = "3", "As 1, elsewhere.", "figure 3", [], Test("c");
        Book = "4", "A slip.", "listing 4", [9], Test("d"), letter "book";
    }

    fn settings(errata: SettingValue, letter: &str) -> Settings {
        let cards = [Mends::setting(HOLES, "About."), letters()];
        let settings = Settings::defaults(&cards, NodeSet::EMPTY);
        settings.with(ERRATA, errata).with("letter", SettingValue::Word(letter.to_owned()))
    }

    fn left(errata: SettingValue, letter: &str) -> Vec<&'static str> {
        let settings = settings(errata, letter);
        let mends = Mends::of(&settings, HOLES);
        HOLES.iter().filter(|hole| !mends.has(hole.place)).map(|hole| hole.number).collect()
    }

    fn letters() -> SettingCard {
        SettingCard { name: "letter", kind: SettingKind::Word(&["paper", "book"]), about: "About." }
    }

    fn list(numbers: &[&str]) -> SettingValue {
        errata_of(HOLES, |hole| numbers.contains(&hole.number))
    }

    #[test]
    fn all_none_or_these_are_mended() {
        assert_eq!(left(SettingValue::Flag(true), "book"), [""; 0]);
        assert_eq!(left(SettingValue::Flag(false), "book"), ["1", "2", "3", "4"]);
        assert_eq!(left(list(&["2"]), "book"), ["1", "3", "4"]);
    }

    #[test]
    fn holes_of_one_place_are_mended_together() {
        assert_eq!(left(list(&["3"]), "book"), ["2", "4"]);
        assert_eq!(HOLES[2].goes_with(HOLES).map(|hole| hole.number), Some("1"));
        assert_eq!(HOLES[0].goes_with(HOLES).map(|hole| hole.number), None);
    }

    #[test]
    fn a_hole_of_another_text_is_not_there() {
        assert_eq!(left(SettingValue::Flag(false), "paper"), ["1", "2", "3"]);
    }

    #[test]
    fn a_session_says_of_each_hole_whether_its_lab_has_it() {
        use HoleStanding::{InAnotherText, Mended, Open};
        let standing = |errata, letter| {
            let settings = settings(errata, letter);
            HOLES.iter().map(|hole| hole.fact(&settings, HOLES).standing).collect::<Vec<_>>()
        };
        assert_eq!(standing(SettingValue::Flag(true), "paper"), [Mended; 4]);
        assert_eq!(standing(SettingValue::Flag(false), "book"), [Open; 4]);
        assert_eq!(standing(list(&["3"]), "paper"), [Mended, Open, Mended, InAnotherText]);
        let facts = [0, 1].map(|place| HOLES[place].fact(&settings(list(&[]), "paper"), HOLES));
        assert_eq!((&facts[0].lines[..], facts[0].lab.as_deref()), (&[3, 5][..], Some("a")));
        assert_eq!((&facts[1].lines[..], facts[1].lab.as_deref()), (&[][..], None));
    }

    #[test]
    fn a_list_of_all_or_of_none_is_a_flag() {
        assert_eq!(list(&["1", "2", "3", "4"]), SettingValue::Flag(true));
        assert_eq!(list(&[]), SettingValue::Flag(false));
        assert_eq!(list(&["4", "1"]).to_string(), r#"["1", "4"]"#);
    }
}
