//! How an effect looks on a link where there is room for a few characters.
//!
//! Invariant: of two effects on one link, the one with the stronger grip is shown.

/// The sign of an effect on a link.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct LinkSign {
    /// How strong it is.
    pub grip: EffectStrength,
    /// A few characters, such as `50%`.
    pub text: String,
}

/// What an effect does to datagrams, the weakest first.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Debug)]
pub enum EffectStrength {
    /// Changes some of them.
    Tampers,
    /// Delays them.
    Slows,
    /// Loses some of them.
    Loses,
    /// Keeps all of them.
    Keeps,
    /// Loses all of them.
    Severs,
}

impl LinkSign {
    pub(super) fn new(grip: EffectStrength, text: impl Into<String>) -> LinkSign {
        LinkSign { grip, text: text.into() }
    }
}
