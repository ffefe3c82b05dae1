//! Bully's procedures, in the order and under the names of Garcia-Molina 1982, Appendix I, each under its text. Where the
//! book's text differs, they ask [`book`](super::book).
//!
//! A procedure that makes CALLs is cut where it waits for their answers: at the head of each FOR loop, where an answer
//! comes, and at ONTIMEOUT. Which loop waits is the machine's program counter, and [`Timer`] names it.
//!
//! Invariant: only `halt` and `become_candidate` call STOP; only an answer to a call that waits counts.

use super::calls::CallForm;
use super::{Bully, Hole, Message, Timer, card as line};
use crate::garcia_molina::{Sequence, YesOrNo};
use protocol::{CallNumber, Effects, LineNumber, NodeId, NodeSet, Status, Task};

/// The immediate procedures: answered at once, in every status.
impl Bully {
    /// ```text
    /// IMMEDIATE PROCEDURE AreYouThere(i)
    ///     nothing is done at node i
    /// ```
    pub(super) fn are_you_there(&mut self, caller: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        fx.line(line::ARE_YOU_THERE);
        fx.send(caller, Message::AreYouThereAnswer { call });
    }

    /// ```text
    /// IMMEDIATE PROCEDURE AreYouNormal(i, answer)
    ///     IF s = Normal THEN answer := Yes ELSE answer := No
    /// ```
    pub(super) fn are_you_normal(&mut self, caller: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        fx.line(line::ARE_YOU_NORMAL);
        // Hole B1: the caller must not be content with a node that is normal under another coordinator.
        let content = !self.mends(Hole::B1) || self.cells.coordinator == Some(caller);
        let normal = YesOrNo::from(self.status == Status::Normal && content);
        fx.send(caller, Message::AreYouNormalAnswer { call, normal });
    }

    /// ```text
    /// IMMEDIATE PROCEDURE Halt(i, j)
    ///     s := Election; h := j; CALL STOP
    /// ```
    pub(super) fn halt(&mut self, caller: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        // Hole B8: a message that was garbled into a Halt, or into a NewCoordinator after it, binds a node to a lower
        // one. Nobody frees it again: the lower node's Election ends at the answer of the node that it cannot halt, and
        // its Checks are signs of life that keep that node's Timeout away. The proof of theorem A2 needs every node's
        // coordinator to outrank it; with this guard both `h` and `c` do, whatever assumption was broken.
        if self.mends(Hole::B8) && !self.roster.outranks(caller, self.me) {
            fx.line(line::HALT_REFUSED);
        } else {
            match self.form {
                CallForm::OneStep => {
                    fx.line(line::HALT_IN_ONE_STEP);
                    self.status = Status::Reorganization;
                    self.cells.coordinator = Some(caller);
                }
                CallForm::Parallel | CallForm::Sequential | CallForm::ParallelEarly => {
                    fx.line(line::HALT);
                    self.status = Status::Election;
                }
            }
            self.cells.halted_by = Some(caller);
            self.stop(fx);
        }
        fx.send(caller, Message::HaltAnswer { call });
    }

    /// ```text
    /// IMMEDIATE PROCEDURE NewCoordinator(i, j)
    ///     IF h = j AND s = Election THEN c := j; s := Reorganization
    /// ```
    pub(super) fn new_coordinator(&mut self, caller: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        if self.cells.halted_by == Some(caller) && self.status == Status::Election {
            fx.line(line::NEW_COORDINATOR);
            self.cells.coordinator = Some(caller);
            self.status = Status::Reorganization;
        } else {
            fx.line(line::NEW_COORDINATOR_REFUSED);
        }
        fx.send(caller, Message::NewCoordinatorAnswer { call });
    }

    /// ```text
    /// IMMEDIATE PROCEDURE Ready(i, j, x)
    ///     IF c = j AND s = Reorganization THEN d := x; s := Normal
    /// ```
    pub(super) fn ready(&mut self, caller: NodeId, call: CallNumber, task: Task, fx: &mut Effects<Bully>) {
        if self.cells.coordinator == Some(caller) && self.status == Status::Reorganization {
            fx.line(line::READY);
            self.cells.task = Some(task);
            self.status = Status::Normal;
        } else {
            fx.line(line::READY_REFUSED);
        }
        fx.send(caller, Message::ReadyAnswer { call });
    }
}

/// ```text
/// PROCEDURE Election(i)
///     FOR j := i+1, i+2, ..., n DO
///         CALL AreYouThere(j), ONTIMEOUT(T): NEXT ITERATION
///         RETURN
///     CALL STOP; s := Election; h := i; Up := {}
///     FOR j := i-1, i-2, ..., 1 DO
///         CALL Halt(j, i), ONTIMEOUT(T): NEXT ITERATION
///         Up := Up + j
///     c := i; s := Reorganization                                  << the election point >>
///     FOR j IN Up DO
///         CALL NewCoordinator(j, i), ONTIMEOUT(T): CALL Election(i); RETURN
///     << compute d >>
///     FOR j IN Up DO
///         CALL Ready(j, i, d), ONTIMEOUT(T): CALL Election(i); RETURN
///     s := Normal
/// ```
impl Bully {
    pub(super) fn election(&mut self, fx: &mut Effects<Bully>) {
        // A second Election that would ask meanwhile joins the one that asks.
        if self.is_calling(Timer::AreYouThere) {
            return;
        }
        let above = self.roster.above(self.me);
        let question = |call| Message::AreYouThere { call };
        self.call_each((above, Sequence::Upwards), Timer::AreYouThere, line::ELECTION_ASK, fx, question);
    }

    /// The program counter: what stands after each FOR loop, when the loop has gone through all its nodes.
    pub(super) fn after_loop(&mut self, timer: Timer, fx: &mut Effects<Bully>) {
        match timer {
            Timer::AreYouThere => self.become_candidate(fx),
            Timer::Halt => self.become_coordinator(fx),
            Timer::NewCoordinator => self.give_out_task(fx),
            Timer::Ready => {
                fx.line(line::ELECTION_NORMAL);
                self.status = Status::Normal;
            }
            // Nothing stands after Check's loop and Timeout's call; the other two are no loops.
            Timer::AreYouNormal | Timer::CoordinatorThere | Timer::Check | Timer::Timeout => {}
        }
    }

    fn become_candidate(&mut self, fx: &mut Effects<Bully>) {
        self.stop_before_halting(fx);
        self.status = Status::Election;
        self.cells.halted_by = Some(self.me);
        self.cells.up = NodeSet::EMPTY;
        self.hear_coordinator(fx);
        let below = self.roster.below(self.me);
        // From i-1 down to 1, as the proof of theorem A1 (case 1) needs.
        let question = |call| Message::Halt { call };
        self.call_each((below, Sequence::Downwards), Timer::Halt, line::ELECTION_HALT, fx, question);
    }

    fn become_coordinator(&mut self, fx: &mut Effects<Bully>) {
        fx.line(line::ELECTION_POINT);
        self.cells.coordinator = Some(self.me);
        self.status = Status::Reorganization;
        if self.form == CallForm::OneStep {
            self.give_out_task(fx);
            return;
        }
        let up = self.cells.up;
        let question = |call| Message::NewCoordinator { call };
        self.call_each((up, Sequence::Downwards), Timer::NewCoordinator, line::ELECTION_TELL, fx, question);
    }

    fn give_out_task(&mut self, fx: &mut Effects<Bully>) {
        self.tasks += 1;
        let up = self.cells.up;
        let task = Task { author: self.me, incarnation: self.incarnation, serial: self.tasks, members: up };
        self.cells.task = Some(task);
        let question = |call| Message::Ready { call, task };
        self.call_each((up, Sequence::Downwards), Timer::Ready, line::ELECTION_READY, fx, question);
    }

    /// The end of the first loop, or of Timeout's call.
    pub(super) fn are_you_there_answered(&mut self, from: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        for (timer, answered) in
            [(Timer::AreYouThere, line::ELECTION_RETURN), (Timer::CoordinatorThere, line::TIMEOUT_HEARD)]
        {
            if self.take_answer(timer, from, call) {
                fx.line(answered);
                fx.cancel_timer(timer);
                self.leave_loop(timer);
            }
        }
    }

    /// If Halts are made one after another, they need no wait: a higher node that is back halts this one before it
    /// halts any node that this one has halted. If Halts are made all at once, they wait the whole of T, also when all
    /// have answered: a higher node's Halt that is on its way then arrives before this node's election point (case 1 of
    /// the proof of theorem A1).
    pub(super) fn halt_answered(&mut self, from: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        if !self.take_answer(Timer::Halt, from, call) {
            return;
        }
        fx.line(line::ELECTION_UP);
        self.cells.up.insert(from);
        match self.form {
            CallForm::Sequential | CallForm::ParallelEarly => self.go_on(Timer::Halt, fx),
            CallForm::Parallel | CallForm::OneStep => {}
        }
    }

    /// A member has heard NewCoordinator, or Ready.
    pub(super) fn member_answered(&mut self, timer: Timer, from: NodeId, call: CallNumber, fx: &mut Effects<Bully>) {
        if self.takes_answer_of_member(timer, from, call, fx) {
            self.go_on(timer, fx);
        }
    }
}

/// ```text
/// PROCEDURE Recovery(i)
///     h := UNDEFINED
///     CALL Election(i)
/// ```
impl Bully {
    pub(super) fn recovery(&mut self, fx: &mut Effects<Bully>) {
        self.forget_halter(fx);
        self.election(fx);
    }
}

/// ```text
/// PROCEDURE Check(i)
///     IF s = Normal AND c = i THEN
///         FOR j := 1, 2, ..., i-1, i+1, ..., n DO
///             CALL AreYouNormal(j, ans), ONTIMEOUT(T): NEXT ITERATION
///             IF ans = No THEN CALL Election(i); RETURN
/// ```
impl Bully {
    pub(super) fn check(&mut self, fx: &mut Effects<Bully>) {
        if self.status != Status::Normal || self.cells.coordinator != Some(self.me) {
            fx.line(line::CHECK_NOT_MINE);
            return;
        }
        // One after another, the calls may take longer than a Check period; a Check that comes due meanwhile counts as
        // this one. In parallel, where a period is at least T, every node that will ever answer has answered the last
        // Check; only where silence counts does a Check wait for it.
        let may_be_under_way = self.form == CallForm::Sequential || self.minds_silence_of(&self.cells.up);
        if may_be_under_way && self.is_calling(Timer::AreYouNormal) {
            return;
        }
        let others = self.roster.others(self.me);
        let question = |call| Message::AreYouNormal { call };
        self.call_each((others, Sequence::Upwards), Timer::AreYouNormal, line::CHECK_ASK, fx, question);
    }

    pub(super) fn are_you_normal_answered(
        &mut self,
        from: NodeId,
        call: CallNumber,
        normal: YesOrNo,
        fx: &mut Effects<Bully>,
    ) {
        if !self.take_answer(Timer::AreYouNormal, from, call) {
            return;
        }
        match normal {
            _ if self.minds_answer_of(from) => self.check_elects(self.check_line(), fx),
            YesOrNo::Yes => self.go_on(Timer::AreYouNormal, fx),
            YesOrNo::No => self.check_elects(line::CHECK_NO, fx),
        }
    }

    fn check_elects(&mut self, line: LineNumber, fx: &mut Effects<Bully>) {
        fx.cancel_timer(Timer::AreYouNormal);
        self.leave_loop(Timer::AreYouNormal);
        fx.line(line);
        self.election(fx);
    }
}

/// ```text
/// PROCEDURE Timeout(i)
///     IF s = Normal OR s = Reorganization THEN
///         CALL AreYouThere(c), ONTIMEOUT(T): CALL Election(i)
///     ELSE CALL Election(i)
/// ```
impl Bully {
    pub(super) fn timeout(&mut self, fx: &mut Effects<Bully>) {
        if !matches!(self.status, Status::Normal | Status::Reorganization) {
            self.timeout_else(fx);
            return;
        }
        if self.mends(Hole::B9) && self.is_stranded() {
            fx.line(line::TIMEOUT_STRANDED);
            self.election(fx);
            return;
        }
        let coordinator = self.cells.coordinator.filter(|node| *node != self.me).into_iter().collect();
        let question = |call| Message::AreYouThere { call };
        self.call_each((coordinator, Sequence::Upwards), Timer::CoordinatorThere, line::TIMEOUT_ASK, fx, question);
    }

    /// Hole B9: a coordinator whose Election has returned at the answer of a higher node, which then died. It finds
    /// itself up, so its Timeout is content, and Check acts in Normal only. The proof of theorem A2 trusts Check to
    /// repair whatever a coordinator has left undone; with this way out that trust is right.
    fn is_stranded(&self) -> bool {
        let is_electing = [Timer::AreYouThere, Timer::NewCoordinator, Timer::Ready].map(|timer| self.is_calling(timer));
        let coordinates = self.status == Status::Reorganization && self.cells.coordinator == Some(self.me);
        coordinates && !is_electing.contains(&true)
    }
}

/// ONTIMEOUT(T), for every call.
impl Bully {
    /// What the loop does about the nodes that have been silent for T.
    pub(super) fn hears_nothing(&mut self, timer: Timer, fx: &mut Effects<Bully>) {
        match timer {
            Timer::AreYouThere | Timer::Halt => self.next_iteration(timer, fx),
            Timer::NewCoordinator | Timer::Ready => {
                self.leave_loop(timer);
                fx.line(line::ELECTION_AGAIN);
                self.election(fx);
            }
            Timer::AreYouNormal if self.minds_silence_of(&self.silent(timer)) => {
                self.check_elects(self.check_line(), fx);
            }
            Timer::AreYouNormal => {
                fx.line(line::CHECK_SILENT);
                self.next_iteration(timer, fx);
            }
            Timer::CoordinatorThere => {
                self.leave_loop(timer);
                fx.line(line::TIMEOUT_SILENT);
                self.election(fx);
            }
            Timer::Check | Timer::Timeout => {}
        }
    }
}
