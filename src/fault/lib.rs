//! What can go wrong, each with the assumption that it breaks: the one text form, link verdicts, the dice; and planted
//! bugs, which break none.
//!
//! Invariant: a fault line means the same in a lab file, at the keyboard, on the command line and in a session, and a
//! link fault acts the same way on real and on simulated links.

mod applicability;
mod clock;
mod dice;
mod draw;
mod effect;
mod id;
mod line;
mod moment;
mod mutant;
mod percent;
mod process;
mod rate;
mod rate_table;
mod rule;
mod speed;
mod store_loss;
mod target;
mod text;
mod verdict;

pub use applicability::Unsuited;
pub use clock::{ClockFault, ClockRate, ClockRateTextError, OwnClock};
pub use dice::throw;
pub use draw::Draw;
pub use effect::{
    BurstLength, BurstLengthError, CopyKind, Courier, CourierAct, CourierRefusal, Cut, DRAWN, DatagramName,
    DatagramNameError, Delay, DrawnEffect, EffectStrength, FaultEffect, Hold, LinkSign, Loss, Partial, Release,
    ReleaseOrder, SendMode, Tamper, Tampering, freeing, holding, proposal, tampered,
};
pub use id::{FaultId, FaultIdTextError};
pub use line::{FORM_LETTERS, FaultLine, FaultTextError, Form, breaking_verbs, forms};
pub use moment::{MOMENT_FORMS, Moment, MomentTextError};
pub use mutant::{Bug, Mutant, MutantInput, MutantOutput, pretend};
pub use percent::{Percent, PercentTextError};
pub use process::ProcessFault;
pub use rule::{LinkFault, LinkRule, LinkRuleTextError, Links};
pub use speed::{LabSpeed, LabSpeedTextError, SpeedTable};
pub use store_loss::{CellLoss, StoreLoss};
pub use target::{Target, TargetError};
pub use verdict::{LinkVerdict, Passage, RateLimits, verdict};
