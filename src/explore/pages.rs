//! The pages of stateright's web Explorer: its own files, in `ui/`, and what they ask of a checker.
//!
//! Its pages know two things as JSON: `/.status`, how far the checker is and what it found of each property; and
//! `/.states/0/3`, the states that follow the one to which these choices lead, of the first states and then of the actions
//! of each. `/.runtocompletion` lets the checker go on by itself.
//!
//! Invariant: nothing is read from a disk, and an answer hangs on the request's path and the checker alone.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use stateright::{Checker, Expectation, Model};

use crate::web::{WebAnswer, WebMethod, WebRequest};

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const JSON: &str = "application/json";

/// The pages over one checker.
pub struct ExplorerPages<C> {
    /// What the model is called.
    name: String,
    checker: C,
    /// Whether the checker goes on by itself.
    goes_on: AtomicBool,
}

/// What a property promises, its name, and the choices that lead to the state that was found.
type PropertyView = (Expectation, String, Option<String>);

/// How far the checker is. The names are those of `app.js`.
#[derive(Serialize)]
struct StatusView<'a> {
    done: bool,
    model: &'a str,
    state_count: usize,
    unique_state_count: usize,
    max_depth: usize,
    properties: Vec<PropertyView>,
    /// Shown as the progress.
    recent_path: &'static str,
}

/// A first state, or an action and the state that it leads to, if it leads to one. The names are those of `app.js`.
#[derive(Serialize)]
struct StateView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    properties: &'a [PropertyView],
    #[serde(rename = "actionIndex")]
    action_index: usize,
}

impl<C> ExplorerPages<C> {
    /// The pages over this checker of a model of this name.
    pub fn new(name: &str, checker: C) -> ExplorerPages<C> {
        ExplorerPages { name: name.to_owned(), checker, goes_on: AtomicBool::new(false) }
    }

    /// What is answered to this request.
    pub fn answer<M>(&self, request: &WebRequest) -> WebAnswer
    where
        C: Checker<M>,
        M: Model,
        M::State: Clone + Debug + Hash + PartialEq,
        M::Action: Clone + Debug + PartialEq,
    {
        match (request.method, request.path.as_str()) {
            (WebMethod::Get, "/") => WebAnswer::page(HTML, include_bytes!("ui/index.htm")),
            (WebMethod::Get, "/app.css") => WebAnswer::page(STYLE, include_bytes!("ui/app.css")),
            (WebMethod::Get, "/app.js") => WebAnswer::page(SCRIPT, include_bytes!("ui/app.js")),
            (WebMethod::Get, "/knockout-3.5.0.js") => WebAnswer::page(SCRIPT, include_bytes!("ui/knockout-3.5.0.js")),
            (WebMethod::Get, "/.status") => json(&self.status()),
            (WebMethod::Post, "/.runtocompletion") => {
                // Each time that it is told, the checker keeps something.
                if !self.goes_on.swap(true, Ordering::Relaxed) {
                    self.checker.run_to_completion();
                }
                WebAnswer::page(JSON, b"null")
            }
            (WebMethod::Get, path) => path
                .strip_prefix("/.states")
                .and_then(choices)
                .and_then(|choices| self.states(&choices))
                .unwrap_or_else(|| WebAnswer::missing(format!("there is no page {path}\n"))),
            (WebMethod::Post, path) => WebAnswer::missing(format!("{path} takes no orders\n")),
        }
    }

    fn status<M>(&self) -> StatusView<'_>
    where
        C: Checker<M>,
        M: Model,
        M::State: Clone + Hash + PartialEq,
        M::Action: Clone + PartialEq,
    {
        let goes_on = self.goes_on.load(Ordering::Relaxed);
        StatusView {
            done: self.checker.is_done(),
            model: &self.name,
            state_count: self.checker.state_count(),
            unique_state_count: self.checker.unique_state_count(),
            max_depth: self.checker.max_depth(),
            properties: self.properties(),
            recent_path: if goes_on { "goes on by itself" } else { "waits for \"Run to completion\"" },
        }
    }

    fn properties<M>(&self) -> Vec<PropertyView>
    where
        C: Checker<M>,
        M: Model,
        M::State: Clone + Hash + PartialEq,
        M::Action: Clone + PartialEq,
    {
        let model = self.checker.model();
        let found = |name: &'static str| self.checker.discovery(name).map(|path| path.encode(model));
        let properties = model.properties().into_iter();
        properties.map(|property| (property.expectation, property.name.to_owned(), found(property.name))).collect()
    }

    /// What follows these choices; none if they lead nowhere.
    fn states<M>(&self, choices: &[usize]) -> Option<WebAnswer>
    where
        C: Checker<M>,
        M: Model,
        M::State: Clone + Debug + Hash + PartialEq,
        M::Action: Clone + Debug + PartialEq,
    {
        let (model, properties) = (self.checker.model(), self.properties());
        let view = |action_index, action, state: Option<M::State>| StateView {
            action,
            state: state.map(|state| format!("{state:?}")),
            properties: &properties,
            action_index,
        };
        let Some((first, choices)) = choices.split_first() else {
            let states = model.init_states().into_iter().enumerate();
            return Some(json(&states.map(|(index, state)| view(index, None, Some(state))).collect::<Vec<_>>()));
        };
        let actions_in = |state: &M::State| {
            let mut actions = Vec::new();
            model.actions(state, &mut actions);
            actions
        };
        let mut state = model.init_states().into_iter().nth(*first)?;
        for choice in choices {
            let action = actions_in(&state).into_iter().nth(*choice)?;
            state = model.next_state(&state, action)?;
        }
        let actions = actions_in(&state).into_iter().enumerate();
        let views = actions
            .map(|(index, action)| view(index, Some(model.format_action(&action)), model.next_state(&state, action)));
        Some(json(&views.collect::<Vec<_>>()))
    }
}

/// The choices in the rest of a path, such as `/0/3`.
fn choices(path: &str) -> Option<Vec<usize>> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let mut parts = path.split('/');
    (parts.next() == Some("")).then(|| parts.map(|part| part.parse().ok()).collect())?
}

fn json(view: &impl Serialize) -> WebAnswer {
    WebAnswer::page(JSON, serde_json::to_vec(view).expect("texts and numbers are JSON"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_numbers_after_slashes() {
        assert_eq!(choices(""), Some(vec![]));
        assert_eq!(choices("/"), Some(vec![]));
        assert_eq!(choices("/0/12/"), Some(vec![0, 12]));
        for wrong in ["0", "x/0", "/-1", "/0//1", "/one", "/99999999999999999999", "/0?1"] {
            assert_eq!(choices(wrong), None, "{wrong}");
        }
    }
}
