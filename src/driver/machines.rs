//! The machine of a lab: its algorithm's, with its application beside it if it has one.
//!
//! Invariant: whoever drives a lab's machine takes it from here, so all run the same.

use crate::application::working::Working;
use crate::election::{self, Visitor};
use crate::protocol::{Algorithm, Deceit, MachineKind, Settings};

/// The kind of machine of the algorithm of this name, in a lab of these settings; `None` if there is no such algorithm.
pub fn kind_of(algorithm: &str, settings: &Settings) -> Option<&'static MachineKind> {
    match settings.application() {
        Some(_) => election::visit(algorithm, WithApplication),
        None => election::visit(algorithm, Alone),
    }
}

struct Alone;

impl Visitor for Alone {
    type Output = &'static MachineKind;

    fn visit<A: Algorithm<Message: Deceit>>(self) -> &'static MachineKind {
        MachineKind::that_deceives::<A>()
    }
}

struct WithApplication;

impl Visitor for WithApplication {
    type Output = &'static MachineKind;

    fn visit<A: Algorithm<Message: Deceit>>(self) -> &'static MachineKind {
        MachineKind::that_deceives::<Working<A>>()
    }
}

#[cfg(test)]
mod tests {
    use crate::application::{AnyMessage, shards::ShardMessage, working::WorkingMessage};
    use crate::election::bully;
    use crate::protocol::codec::encode_message;
    use crate::protocol::{CallNumbers, Incarnation, SHARDS_MAX, ShardResult};

    #[test]
    fn the_report_of_all_shards_fits_beside_the_message_that_carries_it() {
        let results = (1..=SHARDS_MAX).map(|shard| ShardResult { shard, primes: 9_592 }).collect();
        let call = CallNumbers::new(Incarnation(u32::MAX - 1)).give_out();
        let report = AnyMessage::Shards(ShardMessage::Report { results });
        let message = WorkingMessage::Election(bully::Message::NewCoordinatorAnswer { call }, Some(report));
        assert_eq!(encode_message(&message).map(|body| body.len() > 1_000), Ok(true));
    }
}
