//! The kind of a contradiction: what the judge's sentence says, whoever it is about and whenever it was.
//!
//! Invariant: two sentences of one kind differ in nodes, numbers and times alone.

use std::collections::BTreeSet;

/// Words that tell how many do it, or that tell it of a state which is over by then.
const SAME_WORDS: &[(&str, &str)] =
    &[("are", "is"), ("was", "is"), ("were", "is"), ("have", "has"), ("wait", "waits"), ("but", "")];

/// So many parts are one contradiction: both of two states. Where there are more, some are what else was the matter.
const PARTS_OF_A_PAIR: usize = 2;

/// The kind of a contradiction: its parts, such as `is Normal under itself` and `is Normal under another`.
#[derive(Clone, Default, Eq, PartialEq, Debug)]
pub(super) struct ContradictionKind(BTreeSet<String>);

impl ContradictionKind {
    /// The kind of what this sentence of the judge tells.
    pub fn of(sentence: &str) -> ContradictionKind {
        let rest = sentence.split_once(" violated at ").map_or(sentence, |(_, rest)| rest);
        let told = rest.split_once(": ").map_or(rest, |(_, told)| told);
        let told = told.split_once("; ").map_or(told, |(told, _)| told);
        ContradictionKind(told.split(", ").map(part).filter(|part| !part.is_empty()).collect())
    }

    /// Whether that one is of this kind. A contradiction of many parts may come again with some of them.
    pub fn is_shown_by(&self, shown: &ContradictionKind) -> bool {
        match self.0.len() <= PARTS_OF_A_PAIR {
            true => self == shown,
            false => !shown.0.is_empty() && shown.0.is_subset(&self.0),
        }
    }
}

/// A part of a sentence without its nodes, its numbers and its times.
fn part(text: &str) -> String {
    // What a state was from then on, or between then and then.
    let lasting = [" since ", " from "].iter().filter_map(|word| text.find(word)).min();
    let text = lasting.map_or(text, |end| &text[..end]);
    let mut words = text.split(' ').peekable();
    let who = words.next_if(|word| is_number(word)).unwrap_or_default();
    let mut before = "";
    let mut kept: Vec<&str> = Vec::new();
    for word in words {
        let word = match SAME_WORDS.iter().find(|(one, _)| *one == word) {
            Some((_, same)) => same,
            None if !is_number(word) => word,
            None if before == "under" => {
                if who == word {
                    "itself"
                } else {
                    "another"
                }
            }
            None => "#",
        };
        kept.extend((!word.is_empty()).then_some(word));
        before = word;
    }
    kept.join(" ")
}

/// Whether the word is a number, nodes or a time; `coll2` is a status.
fn is_number(word: &str) -> bool {
    word.trim_start_matches(['+', '-', '(']).starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(told: &str) -> ContradictionKind {
        ContradictionKind::of(&format!("assertion-1 violated at 4.423 s (observed): {told}; between them: nothing"))
    }

    #[test]
    fn states_of_other_nodes_at_other_times_are_of_one_kind_and_other_states_are_not() {
        let early = kind("3 is Reorganization under 3 since 4.365 s, 1 is Reorganization under 2 since 4.423 s");
        let parts: Vec<&str> = early.0.iter().map(String::as_str).collect();
        assert_eq!(parts, ["is Reorganization under another", "is Reorganization under itself"]);
        for (told, is_shown) in [
            ("4 was Reorganization under 4 from 1.2 s to 1.3 s, 2 is Reorganization under 3 since 1.250 s", true),
            ("2 is Reorganization under 3 since 1.250 s, 4 is Reorganization under 4 since 1.251 s", true),
            ("1 is Normal under 3 since 0.033 s, 2 is Normal under 2 since 11.010 s", false),
            ("3 is Reorganization under 3 since 4.3 s, 2 is Reorganization under 2 since 4.4 s", false),
        ] {
            assert_eq!(early.is_shown_by(&kind(told)), is_shown, "{told}");
        }
    }

    #[test]
    fn of_many_states_some_are_enough_and_no_other_may_be_there() {
        let many = kind("quiet since 5.540 s, but 1 is stop under 3, 2,3 are in stop, 4 is stop under 4");
        for (told, is_shown) in [
            ("quiet since 1.000 s, but 1 is stop under 2, 2 is in stop", true),
            ("quiet since 1.000 s, but 1 is in coll1, 2 is in stop", false),
        ] {
            assert_eq!(many.is_shown_by(&kind(told)), is_shown, "{told}");
        }
    }

    #[test]
    fn what_is_told_in_words_is_of_one_kind_whatever_its_numbers() {
        let words = kind("2 forms a second group with the number 2.2");
        assert_eq!(words, kind("5 forms a second group with the number 5.14"));
        assert_eq!(
            kind("1 waits for the critical section, and 2 stays inside"),
            kind("1,3 wait for the critical section, and 2 stays inside")
        );
        assert_ne!(words, kind("nothing like it"));
    }
}
