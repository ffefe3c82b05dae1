//! Link rules as sessions wrote them before a rule had a text: one JSON object for each kind, with its fields.
//!
//! Nothing is added here: the program only reads this form.

use serde::Deserialize;

use super::effect::{BurstLength, Cast, Cut, Delay, Hold, Loss, Partial, Release, ReleaseOrder, Tamper, Tampering};
use super::{FaultEffect, LinkRule, Links, Percent};
use protocol::{NodeSet, Span};

/// A rule in its old form.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum OldRule {
    Cut { from: NodeSet, to: NodeSet, way: Way },
    CutChannel { from: NodeSet, to: NodeSet, way: Way, cast: Cast },
    Isolate(NodeSet),
    Partition(Vec<NodeSet>),
    Loss { from: NodeSet, to: NodeSet, percent: Percent },
    BurstLoss { from: NodeSet, to: NodeSet, percent: Percent, bursts: BurstLength },
    Partial { from: NodeSet, to: NodeSet, hear: u16 },
    Delay { from: NodeSet, to: NodeSet, shortest: Span, longest: Span },
    Hold { from: NodeSet, to: NodeSet },
    Release { from: NodeSet, to: NodeSet, order: ReleaseOrder },
    Tamper { how: Tampering, from: NodeSet, to: NodeSet, percent: Percent },
}

/// Whether a cut is one way or both.
#[derive(Copy, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Way {
    OneWay,
    Both,
}

impl From<OldRule> for LinkRule {
    fn from(old: OldRule) -> LinkRule {
        let cut = |from, to, way, channel| {
            let links = match way {
                Way::OneWay => Links::To { from, to },
                Way::Both => Links::Between { these: from, those: to },
            };
            (links, FaultEffect::Cut(Cut { channel }))
        };
        let whole = FaultEffect::Cut(Cut { channel: None });
        let (links, effect) = match old {
            OldRule::Cut { from, to, way } => cut(from, to, way, None),
            OldRule::CutChannel { from, to, way, cast } => cut(from, to, way, Some(cast)),
            OldRule::Isolate(nodes) => (Links::Around(nodes), whole),
            OldRule::Partition(parts) => (Links::Across(parts), whole),
            OldRule::Loss { from, to, percent } => {
                (Links::To { from, to }, FaultEffect::Loss(Loss { percent, bursts: None }))
            }
            OldRule::BurstLoss { from, to, percent, bursts } => {
                (Links::To { from, to }, FaultEffect::Loss(Loss { percent, bursts: Some(bursts) }))
            }
            OldRule::Partial { from, to, hear } => (Links::To { from, to }, FaultEffect::Partial(Partial { hear })),
            OldRule::Delay { from, to, shortest, longest } => {
                (Links::To { from, to }, FaultEffect::Delay(Delay { shortest, longest }))
            }
            OldRule::Hold { from, to } => (Links::To { from, to }, FaultEffect::Hold(Hold)),
            OldRule::Release { from, to, order } => (Links::To { from, to }, FaultEffect::Release(Release { order })),
            OldRule::Tamper { how, from, to, percent } => {
                (Links::To { from, to }, FaultEffect::Tamper(Tamper { how, percent }))
            }
        };
        LinkRule { links, effect }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_old_form_reads_as_what_is_written_now() {
        for (old, now) in [
            (r#"{"cut":{"from":"1","to":"2,3","way":"both"}}"#, "cut 1<->2,3"),
            (r#"{"cut":{"from":"1","to":"2","way":"one-way"}}"#, "cut 1->2"),
            (r#"{"cut-channel":{"from":"1","to":"2","way":"one-way","cast":"multicast"}}"#, "cut 1->2 multicast"),
            (r#"{"isolate":"2"}"#, "isolate 2"),
            (r#"{"partition":["1,2","3-5"]}"#, "partition 1,2|3-5"),
            (r#"{"loss":{"from":"1","to":"2","percent":"30%"}}"#, "loss 1->2 30%"),
            (r#"{"burst-loss":{"from":"1","to":"2","percent":"30%","bursts":5}}"#, "loss 1->2 30% bursts 5"),
            (r#"{"partial":{"from":"1","to":"2-4","hear":2}}"#, "partial 1->2-4 2"),
            (r#"{"delay":{"from":"1","to":"2","shortest":5000000,"longest":9000000}}"#, "delay 1->2 5ms..9ms"),
            (r#"{"hold":{"from":"1","to":"2"}}"#, "hold 1->2"),
            (r#"{"release":{"from":"1","to":"2","order":"reversed"}}"#, "release 1->2 reversed"),
            (r#"{"tamper":{"how":"garble","from":"1","to":"2","percent":"5%"}}"#, "garble 1->2 5%"),
        ] {
            assert_eq!(serde_json::from_str::<LinkRule>(old).unwrap(), now.parse().unwrap(), "{old}");
        }
    }
}
