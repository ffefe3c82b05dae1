//! What a liar can make of the messages of Stoller's two figures, and of their failure detectors.
//!
//! Invariant: a claim is a Halt and the Ldr that follows it, under one election identifier.

use crate::detector;
use crate::stoller::{ElectionId, Said, asynchronous, fd};
use protocol::{Claimant, Deceit};

/// Beyond the numbers that the machine gives out.
const FORGED_SEQUENCE: u32 = 1 << 30;

impl Deceit for Said {
    fn claims(claimant: &Claimant) -> Vec<Self> {
        let election = ElectionId {
            starter: claimant.node,
            incarnation: claimant.incarnation,
            sequence: FORGED_SEQUENCE.saturating_add(claimant.claims),
        };
        vec![Said::Halt { election }, Said::Ldr { election }]
    }
}

impl Deceit for detector::Message {}

impl Deceit for fd::Message {
    fn claims(claimant: &Claimant) -> Vec<Self> {
        Said::claims(claimant).into_iter().map(fd::Message::Election).collect()
    }
}

impl Deceit for asynchronous::Message {
    fn claims(claimant: &Claimant) -> Vec<Self> {
        Said::claims(claimant).into_iter().map(asynchronous::Message::Election).collect()
    }
}
