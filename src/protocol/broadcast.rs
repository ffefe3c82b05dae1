//! The periods and limits of the ordered broadcast (the synchronous atomic broadcast that King, Gendreau and Ni take
//! for granted, their reference [1]): how long a broadcast waits everywhere, and how many nodes can carry its relays.
//!
//! Invariant: Delta is less than T, unless a lab asks for the mistake of setting them equal: T bounds a broadcast with
//! its handling, and with Delta = T an answer that is due after 2T is delivered just after the time-out on it.

use super::{SettingCard, SettingKind, Settings, Span};

/// With less than this between sending and delivery the system's own scheduling breaks the broadcast.
pub const DELTA_MIN: Span = Span::from_millis(5);

/// Every receiver relays every broadcast, so it takes n² datagrams: more nodes than this are too many.
pub const ORDERED_NODES_MAX: u16 = 32;

/// The setting that an algorithm on the ordered broadcast lists among its own.
pub const DELTA: SettingCard = SettingCard {
    name: "delta",
    kind: SettingKind::Word(&["3/4", "1"]),
    about: "How much of T the ordered broadcast takes to deliver; with 1 an answer comes just after the time-out on it.",
};

/// Delta: how long after its stamp a broadcast is delivered everywhere. 3/4 of T, or what [`DELTA`] is set to.
pub fn delta(t: Span, settings: &Settings) -> Span {
    if is_delta_all_of_t(settings) { t } else { t * 3 / 4 }
}

/// Whether a lab asks for the mistake of Delta = T. No algorithm then keeps promises that need answers within 2T.
pub fn is_delta_all_of_t(settings: &Settings) -> bool {
    settings.words().any(|(name, word)| name == DELTA.name && word == "1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NodeSet, SettingValue};

    #[test]
    fn delta_is_three_quarters_of_t_unless_a_lab_asks_for_the_mistake() {
        let t = Span::from_millis(20);
        assert_eq!(delta(t, &Settings::default()), Span::from_millis(15));
        let settings = Settings::defaults(&[DELTA], NodeSet::EMPTY);
        assert_eq!(delta(t, &settings), Span::from_millis(15));
        assert_eq!(delta(t, &settings.with("delta", SettingValue::Word("1".into()))), t);
    }
}
