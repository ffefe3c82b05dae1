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
use crate::election::{self, Visitor};
use crate::protocol::{Algorithm, Property};
use crate::web::{WebLimits, serve_pages};

/// Serves the pages of this lab at this listener, for ever. Its checker stops at so many states.
///
/// # Errors
/// The listener has no address.
pub fn serve(terms: &ExploreTerms, listener: &TcpListener, states: u64, jobs: NonZeroUsize) -> io::Result<Infallible> {
    struct Serve<'a> {
        terms: &'a ExploreTerms,
        listener: &'a TcpListener,
        states: u64,
        jobs: NonZeroUsize,
    }
    impl Visitor for Serve<'_> {
        type Output = io::Result<Infallible>;

        fn visit<A: Algorithm>(self) -> io::Result<Infallible> {
            let lab = ServedLab(Arc::new(LabModel::<A>::new(self.terms.clone())));
            let states = usize::try_from(self.states).unwrap_or(usize::MAX);
            let checker = lab.checker().threads(self.jobs.get()).target_state_count(states).spawn_on_demand();
            let pages = ExplorerPages::new(&self.terms.lab.name, checker);
            serve_pages(self.listener, WebLimits::default(), |request| pages.answer(request))
        }
    }
    let served = election::visit(terms.lab.card.name, Serve { terms, listener, states, jobs });
    served.expect("a lab's Card is one of the table's")
}

/// A lab whose states and actions say themselves.
struct ServedLab<A: Algorithm>(Arc<LabModel<A>>);

/// A state, and the lab that it belongs to.
#[derive(Clone)]
struct ServedState<A: Algorithm> {
    lab: Arc<LabModel<A>>,
    state: PackedState,
}

/// An action in a state.
#[derive(Clone)]
struct ServedAction<A: Algorithm> {
    before: ServedState<A>,
    action: LabAction,
}

impl<A: Algorithm> ServedLab<A> {
    fn served(&self, state: PackedState) -> ServedState<A> {
        ServedState { lab: Arc::clone(&self.0), state }
    }
}

impl<A: Algorithm> Model for ServedLab<A> {
    type State = ServedState<A>;
    type Action = ServedAction<A>;

    fn init_states(&self) -> Vec<ServedState<A>> {
        self.0.init_states().into_iter().map(|state| self.served(state)).collect()
    }

    fn actions(&self, state: &ServedState<A>, actions: &mut Vec<ServedAction<A>>) {
        let mut of_lab = Vec::new();
        self.0.actions(&state.state, &mut of_lab);
        actions.extend(of_lab.into_iter().map(|action| ServedAction { before: state.clone(), action }));
    }

    fn next_state(&self, state: &ServedState<A>, action: ServedAction<A>) -> Option<ServedState<A>> {
        self.0.next_state(&state.state, action.action).map(|state| self.served(state))
    }

    fn properties(&self) -> Vec<stateright::Property<ServedLab<A>>> {
        let ExploreTerms { questions, .. } = &self.0.terms;
        looked_at(&self.0.terms).into_iter().filter_map(always).chain(asked(questions.len())).collect()
    }
}

impl<A: Algorithm> JudgedStates for ServedLab<A> {
    fn holds(&self, property: Property, state: &ServedState<A>) -> bool {
        self.0.holds(property, &state.state)
    }

    fn answers(&self, question: usize, state: &ServedState<A>) -> bool {
        self.0.answers(question, &state.state)
    }
}

impl<A: Algorithm> PartialEq for ServedState<A> {
    fn eq(&self, other: &ServedState<A>) -> bool {
        self.state == other.state
    }
}

impl<A: Algorithm> Hash for ServedState<A> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
    }
}

impl<A: Algorithm> fmt::Debug for ServedState<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lab.told_whole(&self.state).join("\n"))
    }
}

impl<A: Algorithm> PartialEq for ServedAction<A> {
    fn eq(&self, other: &ServedAction<A>) -> bool {
        self.action == other.action
    }
}

impl<A: Algorithm> fmt::Debug for ServedAction<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ServedState { lab, state } = &self.before;
        f.write_str(&lab.told(&lab.frame(state), self.action))
    }
}
