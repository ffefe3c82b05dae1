//! A lab as a model of stateright: where it begins, what may happen next, what then is, what must hold.
//!
//! Invariant: all that a state may lead to is a function of the state.

use stateright::Model;

use super::action::{ActionKind, LabAction};
use super::frame::{Doing, FaultKind, LabFrame, NodeFrame, PackedState, ends};
use super::model::LabModel;
use super::properties::{always, looked_at};
use super::search::Staged;
use super::tables::NumberedEffect;
use crate::protocol::Algorithm;

impl<A: Algorithm> Staged for LabModel<A> {
    fn stage(&self, state: &PackedState) -> u32 {
        u32::from(state.tick())
    }
}

impl<A: Algorithm> Model for LabModel<A> {
    type State = PackedState;
    type Action = LabAction;

    fn init_states(&self) -> Vec<PackedState> {
        let nodes = self.terms.lab.roster.all();
        let frames = nodes.iter().map(|_| NodeFrame::absent()).collect();
        let mut frame = LabFrame { tick: 0, left: self.terms.faults, nodes: frames, under_way: Vec::new() };
        let Some(beginning) = self.beginning() else { return Vec::new() };
        for (place, response) in beginning {
            (frame.nodes[place].doing, frame.nodes[place].incarnation) = (Doing::Runs, 1);
            self.carry_out(&mut frame, place, &response, None);
        }
        self.settle(&mut frame);
        vec![frame.packed()]
    }

    fn actions(&self, state: &PackedState, actions: &mut Vec<LabAction>) {
        if state.tick() >= self.terms.horizon {
            return;
        }
        let frame = self.frame(state);
        let may_die = frame.tick < self.terms.faults_until && frame.left[FaultKind::Crash as usize] > 0;
        for kind in self.whole_actions(&frame) {
            actions.push(kind.whole());
            if may_die && let Some(response) = self.response_to(&frame, kind) {
                let outward = |effect: &NumberedEffect| {
                    !matches!(effect, NumberedEffect::Set { .. } | NumberedEffect::Cancel { .. })
                };
                let places = response.effects.iter().zip(1..).filter(|(effect, _)| outward(effect));
                let mut places: Vec<u8> = places.map(|(_, after)| after).collect();
                // After the last of them, the crash is one that comes after the step.
                places.pop();
                actions.extend(places.into_iter().map(|after| LabAction { kind, dies_after: Some(after) }));
            }
        }
    }

    fn next_state(&self, state: &PackedState, action: LabAction) -> Option<PackedState> {
        let mut frame = self.frame(state);
        let LabAction { kind, dies_after } = action;
        let response = self.response_to(&frame, kind);
        let count = |frame: &mut LabFrame, kind: FaultKind| frame.left[kind as usize] -= 1;
        match kind {
            ActionKind::Deliver(place) => {
                let message = frame.under_way.remove(usize::from(place));
                let to = ends(message.link).1;
                if frame.nodes[to].doing == Doing::Runs {
                    self.carry_out(&mut frame, to, &*response?, dies_after);
                }
            }
            ActionKind::TimeOut { node, timer } | ActionKind::FalseAlarm { node, timer } => {
                if matches!(kind, ActionKind::FalseAlarm { .. }) {
                    count(&mut frame, FaultKind::FalseAlarm);
                }
                frame.nodes[usize::from(node)].timers[usize::from(timer)] = 0;
                self.carry_out(&mut frame, usize::from(node), &*response?, dies_after);
            }
            ActionKind::NextTick => self.pass_tick(&mut frame),
            ActionKind::Crash(node) => {
                count(&mut frame, FaultKind::Crash);
                frame.nodes[usize::from(node)].become_dead();
            }
            ActionKind::Recover(node) => {
                count(&mut frame, FaultKind::Recovery);
                let of = &mut frame.nodes[usize::from(node)];
                (of.doing, of.incarnation) = (Doing::Runs, of.incarnation + 1);
                self.carry_out(&mut frame, usize::from(node), &*response?, dies_after);
            }
            ActionKind::Lose(place) => {
                count(&mut frame, FaultKind::Loss);
                frame.under_way.remove(usize::from(place));
            }
            ActionKind::Pause(node) => {
                count(&mut frame, FaultKind::Pause);
                frame.nodes[usize::from(node)].doing = Doing::Paused;
            }
            ActionKind::Resume(node) => frame.nodes[usize::from(node)].doing = Doing::Runs,
            ActionKind::Elect(node) => {
                count(&mut frame, FaultKind::Elect);
                self.carry_out(&mut frame, usize::from(node), &*response?, dies_after);
            }
        }
        self.settle(&mut frame);
        Some(frame.packed())
    }

    fn properties(&self) -> Vec<stateright::Property<LabModel<A>>> {
        looked_at(&self.terms).into_iter().filter_map(always).collect()
    }
}
