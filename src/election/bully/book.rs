//! Where the book's text (Chow and Johnson 1997, listings 10.18 to 10.21) differs from the paper's of 1982: one function
//! for each place. With `letter = "book"` and `errata = false` each follows the book, else the paper.
//!
//! | hole | listing | the paper | the book |
//! |---|---|---|---|
//! | B2 | 10.18 | Timeout elects in Down and Election too | Timeout acts in Normal and Reorganization only: a node whose halter has died stays in Election for ever, unless another node halts it |
//! | B3 | 10.19 | Check elects at a "no" | Check elects at the answer of a node that is not in Up, and at silence: after one death, at every Check. The listing says nothing of a member's silence; the text takes it for a failure, and elects |
//! | B4 | 10.20 | Election calls STOP | Election sets the status and stops nothing, so two Elections run beside each other at one node. Here the two are in different phases; an Election that comes to a phase in which another waits takes its place |
//! | B5 | 10.20 | an answer is its call's | NewCoordinator's and Ready's answers are counted, so a repeated or late one stands in for a silent node |
//! | B7 | 10.18 | Recovery forgets `h` | Recovery leaves `h` as it was. This is harmless: the guard of NewCoordinator also asks for Election |
//!
//! B6 (10.21) is no difference: an answer to NewCoordinator or Ready does not say that it was refused, in either text.
//! This is harmless where assumptions 1 to 9 hold, for Check finds the refuser, and no reading takes the answer for
//! consent. What a halted node waits for ends in the book too.
//!
//! Invariant: nothing else in this folder asks which text is followed.

use super::{Bully, Hole, Timer, card as line};
use protocol::{CallNumber, Effects, LineNumber, NodeId, NodeSet, SettingCard, SettingKind, Settings, Status};

/// Whose text is followed at one place.
enum Text {
    Paper,
    Book,
}

/// What Check does about a member that has failed: the setting `failed-member`. With `elects` it does what the book says
/// in words (10.2.1): the coordinator forms the group again when a failed node has recovered, and when a member has
/// failed. So an answer counts of a node that is not in Up, and silence of one that is; listing 10.19 does not tell the
/// two apart, which is B3.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum FailedMember {
    Ignored,
    Elects,
}

impl FailedMember {
    /// The setting's row in a Card.
    pub const SETTING: SettingCard = SettingCard {
        name: "failed-member",
        kind: SettingKind::Word(&["ignored", "elects"]),
        about: "What Check does when a member of the group is silent; ignored: nothing, as in the paper; elects: an \
                election, so that the group is formed again without it, as the book says in words (10.2.1). Its listing \
                10.19 does so for a node that is no member too, and elects for ever: hole B3.",
    };

    /// What the lab asks for.
    pub fn of(settings: &Settings) -> FailedMember {
        match settings.word("failed-member") {
            "ignored" => FailedMember::Ignored,
            "elects" => FailedMember::Elects,
            other => unreachable!("the Card lists no failed-member {other}"),
        }
    }
}

impl Bully {
    /// B2: what Timeout does in Down and Election.
    pub(super) fn timeout_else(&mut self, fx: &mut Effects<Bully>) {
        match self.text_at(Hole::B2) {
            Text::Paper => {
                fx.line(line::TIMEOUT_ELECT);
                self.election(fx);
            }
            Text::Book => fx.line(line::TIMEOUT_NOTHING),
        }
    }

    /// B3: whether Check elects at the answer of this node, whatever it says.
    pub(super) fn minds_answer_of(&self, node: NodeId) -> bool {
        match (self.text_at(Hole::B3), self.failed_member) {
            (Text::Book, _) | (Text::Paper, FailedMember::Elects) => !self.cells.up.contains(node),
            (Text::Paper, FailedMember::Ignored) => false,
        }
    }

    /// B3: whether Check elects at the silence of these nodes. The listing does so at anybody's.
    pub(super) fn minds_silence_of(&self, nodes: &NodeSet) -> bool {
        match (self.text_at(Hole::B3), self.failed_member) {
            (Text::Book, _) => true,
            (Text::Paper, FailedMember::Elects) => !nodes.intersection(&self.cells.up).is_empty(),
            (Text::Paper, FailedMember::Ignored) => false,
        }
    }

    /// The line at which Check elects for either reason.
    pub(super) fn check_line(&self) -> LineNumber {
        match self.text_at(Hole::B3) {
            Text::Paper => line::CHECK_REGROUPS,
            Text::Book => line::CHECK_NOT_IN_UP,
        }
    }

    /// B4: what Election does before it halts anybody.
    pub(super) fn stop_before_halting(&mut self, fx: &mut Effects<Bully>) {
        match self.text_at(Hole::B4) {
            Text::Paper => {
                fx.line(line::ELECTION_STOP);
                self.stop(fx);
            }
            Text::Book => fx.line(line::ELECTION_NO_STOP),
        }
    }

    /// B5: whether this counts as an answer to NewCoordinator or Ready. The book adds 1 to num_answers, whichever node
    /// sends it, and whichever call it answers.
    pub(super) fn takes_answer_of_member(
        &mut self,
        timer: Timer,
        from: NodeId,
        call: CallNumber,
        fx: &mut Effects<Bully>,
    ) -> bool {
        match self.text_at(Hole::B5) {
            Text::Paper => self.take_answer(timer, from, call),
            Text::Book if self.is_calling(timer) => {
                fx.line(line::ELECTION_COUNT);
                self.count_answer(timer, from);
                true
            }
            Text::Book => false,
        }
    }

    /// B7: what Recovery does with `h`. The listing's first line also makes a running node Down, if it was ordered to
    /// start over.
    pub(super) fn forget_halter(&mut self, fx: &mut Effects<Bully>) {
        match self.text_at(Hole::B7) {
            Text::Paper => {
                fx.line(line::RECOVERY);
                self.cells.halted_by = None;
            }
            Text::Book => {
                fx.line(line::RECOVERY_KEEPS_H);
                self.status = Status::Down;
            }
        }
    }

    /// A mended place follows the paper, as does a place with `letter = "paper"`.
    fn text_at(&self, hole: Hole) -> Text {
        if self.mends(hole) { Text::Paper } else { Text::Book }
    }
}
