//! The sign of a state in a lane, as short as the lane is narrow.
//!
//! Invariant: the signs of two states of one algorithm differ wherever there is room for two characters.

use world::flow::LaneState;

/// A short form has at most so many columns.
pub const SHORT_COLUMNS: usize = 2;

/// So many letters tell two words apart.
const ABBREVIATED: usize = 4;

/// The sign of a state in so many columns: whole if it fits, else short.
pub fn sign_within(state: &LaneState, columns: usize) -> String {
    let sign = state.sign();
    if sign.chars().count() <= columns { sign.to_owned() } else { short(sign).chars().take(columns.max(1)).collect() }
}

/// The word of a state in at most this many columns: whole, or its first four letters, or the sign of its lane.
pub fn word_within(word: &str, state: &LaneState, columns: usize) -> String {
    abbreviated(word, columns).map_or_else(|| sign_within(state, columns), str::to_owned)
}

/// The word in at most this many columns: whole, or its first four letters. Nothing if these do not fit, or would be those of another
/// word with another number.
pub fn abbreviated(word: &str, columns: usize) -> Option<&str> {
    if word.chars().count() <= columns {
        return Some(word);
    }
    let is_numbered = word.contains(|character: char| character.is_ascii_digit());
    let end = word.char_indices().nth(ABBREVIATED).map_or(word.len(), |(end, _)| end);
    (columns >= ABBREVIATED && !is_numbered).then_some(&word[..end])
}

/// `w1` for wait1, `st` for stop, `E` for Election: a word in lower case keeps two letters, or its first one and its
/// number; a status keeps one.
fn short(word: &str) -> String {
    let first: String = word.chars().take(1).collect();
    let number = word.trim_start_matches(|character: char| !character.is_ascii_digit());
    match number.len() {
        0 => {}
        1 => return format!("{first}{number}"),
        // `10` for round10: there are no others of so many digits.
        _ => return number.chars().take(SHORT_COLUMNS).collect(),
    }
    match word {
        // As long as it is `st`, it would look like stop.
        "start" => "sa".to_owned(),
        // As `no`, it would say something else.
        "normal" => first,
        _ if word.starts_with(char::is_uppercase) => first,
        _ => word.chars().take(SHORT_COLUMNS).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{StateVector, Status};

    #[test]
    fn no_two_states_of_an_algorithm_have_the_same_short_sign() {
        let algorithms: [&[&str]; 7] = [
            &["normal", "coll1", "coll2", "coll3", "wait1", "wait2", "wait3", "master", "stop", "help"],
            &["normal", "coll1", "round1", "round2", "round10", "round11", "stop"],
            &["start", "wait", "stop"],
            &["normal", "collect", "stop"],
            &["Norm", "Elec1", "Elec2", "Wait"],
            &["Recovering", "Election", "Normal", "Waiting"],
            Status::WORDS,
        ];
        for words in algorithms {
            let signs: Vec<String> = words.iter().map(|word| short(word)).collect();
            for (place, sign) in signs.iter().enumerate() {
                assert!(sign.len() <= SHORT_COLUMNS && !signs[..place].contains(sign), "{sign}: {words:?}");
            }
        }
    }

    #[test]
    fn a_word_is_cut_to_four_letters_before_it_is_a_sign() {
        let state = LaneState::of(&StateVector::new(Status::Election, "Election", None));
        let within = |columns| word_within("Election", &state, columns);
        assert_eq!([8, 7, 4, 3].map(within), ["Election", "Elec", "Elec", "E"]);
        let state = LaneState::of(&StateVector::new(Status::Election, "round10", None));
        assert_eq!([7, 6].map(|columns| word_within("round10", &state, columns)), ["round10", "10"]);
        let short: Vec<String> = Status::WORDS.iter().map(|word| word.chars().take(ABBREVIATED).collect()).collect();
        assert!(short.iter().enumerate().all(|(place, word)| !short[..place].contains(word)), "{short:?}");
    }

    #[test]
    fn a_sign_is_whole_where_it_fits() {
        let state = LaneState::of(&StateVector::new(Status::Election, "wait2", None));
        assert_eq!([5, 4, 3, 2].map(|columns| sign_within(&state, columns)), ["wait2", "w2", "w2", "w2"]);
        let state = LaneState::of(&StateVector::new(Status::Election, "stop", None));
        assert_eq!([4, 3].map(|columns| sign_within(&state, columns)), ["stop", "st"]);
    }
}
