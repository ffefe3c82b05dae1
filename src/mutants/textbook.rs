//! Bugs planted in the textbook's Bully and ring.
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use election::textbook::bully::{self, TextbookBully};
use fault::{Bug, MutantInput, MutantOutput};
use protocol::Effect;

/// Bully: only the first request is sent, so nobody misses a coordinator that fails later.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct AsksOnce;

impl Bug for AsksOnce {
    type Machine = TextbookBully;

    fn give(
        &mut self,
        machine: &mut TextbookBully,
        given: MutantInput<TextbookBully>,
        capacity: i64,
    ) -> MutantOutput<TextbookBully> {
        given
            .to(machine, capacity)
            .without(|effect| matches!(effect, Effect::SetTimer { timer: bully::Timer::Check, .. }))
    }
}
