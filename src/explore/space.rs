//! A lab as a model of stateright: where it begins, what may happen next, what then is, what must hold.
//!
//! Invariant: all that a state may lead to is a function of the state.

use stateright::Model;

use super::action::{ActionKind, LabAction};
use super::answers::asked;
use super::frame::{FaultKind, LabFrame, NodeFrame, PackedState, ProcessActivity, ends};
use super::model::LabModel;
use super::properties::{always, looked_at};
use super::staged::Staged;
use super::tables::{NumberedEffect, Response, StateTables, UnaskedStep};

impl Staged for LabModel {
    fn stage(&self, state: &PackedState) -> u32 {
        u32::from(state.tick())
    }

    fn follow(&self, state: &PackedState, next: &mut Vec<(u16, PackedState)>) {
        let start = next.len();
        let _ = self.learned(|tables| {
            next.truncate(start);
            self.known_following(tables, state, next)
        });
    }

    fn follow_known(&self, state: &PackedState, next: &mut Vec<(u16, PackedState)>) -> bool {
        self.known_following(&self.tables(), state, next).is_ok()
    }
}

impl Model for LabModel {
    type State = PackedState;
    type Action = LabAction;

    fn init_states(&self) -> Vec<PackedState> {
        let nodes = self.terms.lab.roster.all();
        let frames = nodes.iter().map(|_| NodeFrame::absent()).collect();
        let mut frame = LabFrame { tick: 0, left: self.terms.faults, nodes: frames, under_way: Vec::new() };
        let Some(beginning) = self.beginning() else { return Vec::new() };
        for (place, response) in beginning {
            (frame.nodes[place].doing, frame.nodes[place].incarnation) = (ProcessActivity::Runs, 1);
            self.carry_out(&mut frame, place, &response, None);
        }
        self.settle(&mut frame);
        vec![frame.packed()]
    }

    fn actions(&self, state: &PackedState, actions: &mut Vec<LabAction>) {
        let start = actions.len();
        let _ = self.learned(|tables| {
            actions.truncate(start);
            self.each_action(tables, state, |_, action, _| actions.push(action))
        });
    }

    fn next_state(&self, state: &PackedState, action: LabAction) -> Option<PackedState> {
        let frame = self.frame(state);
        let following = |tables: &StateTables| {
            let response = self.known_response(tables, &frame, action.kind)?;
            Ok(self.following(&frame, action, response.map(|response| &**response)))
        };
        self.learned(following)
    }

    fn properties(&self) -> Vec<stateright::Property<LabModel>> {
        let questions = asked(self.terms.questions.len());
        looked_at(&self.terms).into_iter().filter_map(always).chain(questions).collect()
    }
}

impl LabModel {
    /// Adds the states that follow this one, as far as the tables know.
    fn known_following(
        &self,
        tables: &StateTables,
        state: &PackedState,
        next: &mut Vec<(u16, PackedState)>,
    ) -> Result<(), UnaskedStep> {
        let mut place = 0;
        self.each_action(tables, state, |frame, action, response| {
            next.push((place, self.following(frame, action, response)));
            place += 1;
        })
    }

    /// Hands over each action of a state, in order, with what it makes of its node's machine.
    fn each_action(
        &self,
        tables: &StateTables,
        state: &PackedState,
        mut take: impl FnMut(&LabFrame, LabAction, Option<&Response>),
    ) -> Result<(), UnaskedStep> {
        if state.tick() >= self.terms.horizon {
            return Ok(());
        }
        let frame = self.frame(state);
        let may_die = frame.tick < self.terms.faults_until && frame.left[FaultKind::Crash as usize] > 0;
        for kind in self.whole_actions(tables, &frame) {
            let response = self.known_response(tables, &frame, kind)?.map(|response| &**response);
            take(&frame, kind.whole(), response);
            if may_die && let Some(response) = response {
                for after in deaths_within(response) {
                    take(&frame, LabAction { kind, dies_after: Some(after) }, Some(response));
                }
            }
        }
        Ok(())
    }

    /// The state after an action that makes this of its node's machine.
    fn following(&self, frame: &LabFrame, action: LabAction, response: Option<&Response>) -> PackedState {
        let mut frame = frame.clone();
        let LabAction { kind, dies_after } = action;
        let count = |frame: &mut LabFrame, kind: FaultKind| frame.left[kind as usize] -= 1;
        let mut given = None;
        match kind {
            ActionKind::Deliver(place) => {
                let message = frame.under_way.remove(usize::from(place));
                given = Some(ends(message.link).1);
            }
            ActionKind::TimeOut { node, timer } | ActionKind::FalseAlarm { node, timer } => {
                if matches!(kind, ActionKind::FalseAlarm { .. }) {
                    count(&mut frame, FaultKind::FalseAlarm);
                }
                frame.nodes[usize::from(node)].timers[usize::from(timer)] = 0;
                given = Some(usize::from(node));
            }
            ActionKind::NextTick => self.pass_tick(&mut frame),
            ActionKind::Crash(node) => {
                count(&mut frame, FaultKind::Crash);
                frame.nodes[usize::from(node)].become_dead();
            }
            ActionKind::Recover(node) => {
                count(&mut frame, FaultKind::Recovery);
                let of = &mut frame.nodes[usize::from(node)];
                (of.doing, of.incarnation) = (ProcessActivity::Runs, of.incarnation + 1);
                given = Some(usize::from(node));
            }
            ActionKind::Lose(place) => {
                count(&mut frame, FaultKind::Loss);
                frame.under_way.remove(usize::from(place));
            }
            ActionKind::Pause(node) => {
                count(&mut frame, FaultKind::Pause);
                frame.nodes[usize::from(node)].doing = ProcessActivity::Paused;
            }
            ActionKind::Resume(node) => frame.nodes[usize::from(node)].doing = ProcessActivity::Runs,
            ActionKind::Elect(node) => {
                count(&mut frame, FaultKind::Elect);
                given = Some(usize::from(node));
            }
        }
        if let (Some(node), Some(response)) = (given, response) {
            self.carry_out(&mut frame, node, response, dies_after);
        }
        self.settle(&mut frame);
        frame.packed()
    }
}

/// After how many of its effects a process may die within a step: after each that others can tell. After the last of
/// these, the crash is one that comes after the step.
fn deaths_within(response: &Response) -> Vec<u8> {
    let outward =
        |effect: &NumberedEffect| !matches!(effect, NumberedEffect::Set { .. } | NumberedEffect::Cancel { .. });
    let places = response.effects.iter().zip(1..).filter(|(effect, _)| outward(effect));
    let mut places: Vec<u8> = places.map(|(_, after)| after).collect();
    places.pop();
    places
}
