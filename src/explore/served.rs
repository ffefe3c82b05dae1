//! A lab to be explored by hand in a browser: the same model, whose states and actions say themselves in sentences.
//!
//! Stateright has a server of its own, which believes what is claimed of a request and answers pages of the web; so
//! [`super::pages`] answers in its place, with pages of ours over its checker.
//!
//! The pages walk through the lab from its beginning, action by action; the checker behind them goes through the states
//! that somebody asks for, or through as many as it may. It keeps far more of each state than [`super::search`] does.
//!
//! Invariant: what is shown is the model's own: a state is its bytes, and its words are made of them when they are asked
//! for.

use std::convert::Infallible;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::io;
use std::net::TcpListener;
use std::num::NonZeroUsize;
use std::sync::Arc;

use stateright::Model;

use super::action::LabAction;
use super::answers::asked;
use super::frame::PackedState;
use super::model::LabModel;
use super::pages::ExplorerPages;
use super::properties::{JudgedStates, always, looked_at};
use super::terms::ExploreTerms;
use protocol::Property;
use web::{WebLimits, serve_pages};

/// Serves the pages of this lab at this listener, for ever. Its checker stops at so many states.
///
/// # Errors
/// The listener has no address.
pub fn serve(terms: &ExploreTerms, listener: &TcpListener, states: u64, jobs: NonZeroUsize) -> io::Result<Infallible> {
    let kind = terms.lab.kind();
    let lab = ServedLab(Arc::new(LabModel::new(kind, terms.clone())));
    let states = usize::try_from(states).unwrap_or(usize::MAX);
    let checker = lab.checker().threads(jobs.get()).target_state_count(states).spawn_on_demand();
    let pages = ExplorerPages::new(&terms.lab.name, checker);
    serve_pages(listener, WebLimits::default(), |request| pages.answer(request))
}

/// A lab whose states and actions say themselves.
struct ServedLab(Arc<LabModel>);

/// A state, and the lab that it belongs to.
#[derive(Clone)]
struct ServedState {
    lab: Arc<LabModel>,
    state: PackedState,
}

/// An action in a state.
#[derive(Clone)]
struct ServedAction {
    before: ServedState,
    action: LabAction,
}

impl ServedLab {
    fn served(&self, state: PackedState) -> ServedState {
        ServedState { lab: Arc::clone(&self.0), state }
    }
}

impl Model for ServedLab {
    type State = ServedState;
    type Action = ServedAction;

    fn init_states(&self) -> Vec<ServedState> {
        self.0.init_states().into_iter().map(|state| self.served(state)).collect()
    }

    fn actions(&self, state: &ServedState, actions: &mut Vec<ServedAction>) {
        let mut of_lab = Vec::new();
        self.0.actions(&state.state, &mut of_lab);
        actions.extend(of_lab.into_iter().map(|action| ServedAction { before: state.clone(), action }));
    }

    fn next_state(&self, state: &ServedState, action: ServedAction) -> Option<ServedState> {
        self.0.next_state(&state.state, action.action).map(|state| self.served(state))
    }

    fn properties(&self) -> Vec<stateright::Property<ServedLab>> {
        let ExploreTerms { questions, .. } = &self.0.terms;
        looked_at(&self.0.terms).into_iter().filter_map(always).chain(asked(questions.len())).collect()
    }
}

impl JudgedStates for ServedLab {
    fn holds(&self, property: Property, state: &ServedState) -> bool {
        self.0.holds(property, &state.state)
    }

    fn answers(&self, question: usize, state: &ServedState) -> bool {
        self.0.answers(question, &state.state)
    }
}

impl PartialEq for ServedState {
    fn eq(&self, other: &ServedState) -> bool {
        self.state == other.state
    }
}

impl Hash for ServedState {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
    }
}

impl fmt::Debug for ServedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lab.told_whole(&self.state).join("\n"))
    }
}

impl PartialEq for ServedAction {
    fn eq(&self, other: &ServedAction) -> bool {
        self.action == other.action
    }
}

impl fmt::Debug for ServedAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ServedState { lab, state } = &self.before;
        f.write_str(&lab.told(&lab.frame(state), self.action))
    }
}
