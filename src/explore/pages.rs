//! The pages of a lab that is explored by hand: one page for each state, without a script.
//!
//! `/` is the page of the first state. `/0/3` is the page of the state to which these choices lead: of the actions in the
//! first state the one at place 0, then the one at place 3. Each page says how far the checker is, what it found of each
//! property, how the state stands, and which actions are possible in it. `/run`, asked with POST, lets the checker go on by
//! itself; then the page renews itself.
//!
//! Invariant: nothing is read from a disk, and an answer depends on the request's path and the checker alone.

use std::fmt::{Debug, Write};
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};

use stateright::{Checker, Expectation, Model};

use web::{WebAnswer, WebMethod, WebRequest, escaped};

/// How the pages look, in a light and in a dark browser.
const STYLE: &str = "\
    :root { color-scheme: light dark }\n\
    body { font: 16px/1.5 sans-serif; margin: 1rem auto; max-width: 60rem; padding: 0 1rem }\n\
    table { border-collapse: collapse } td, th { padding: .1rem .8rem .1rem 0; text-align: left }\n\
    pre { border: 1px solid; padding: .6rem; overflow-x: auto } .no { font-weight: bold; color: #c33 }\n";

/// The pages over one checker.
pub struct ExplorerPages<C> {
    /// What the model is called.
    name: String,
    checker: C,
    /// Whether the checker goes on by itself.
    goes_on: AtomicBool,
}

/// A state on the way from the beginning, and the action that led to it.
struct WayStop<S> {
    /// The path of its page.
    path: String,
    /// Absent for the first state.
    action: Option<String>,
    state: S,
}

impl<C> ExplorerPages<C> {
    /// The pages over this checker of a model of this name, which has one first state.
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
            (WebMethod::Post, "/run") => {
                // Each time that it is told, the checker keeps something.
                if !self.goes_on.swap(true, Ordering::Relaxed) {
                    self.checker.run_to_completion();
                }
                WebAnswer::elsewhere("/")
            }
            (WebMethod::Get, path) => match choices(path).and_then(|choices| self.way(&choices)) {
                Some(way) => WebAnswer::page("text/html; charset=utf-8", self.page(&way).into_bytes()),
                None => WebAnswer::missing(format!("there is no page {path}; the lab begins at /\n")),
            },
            (WebMethod::Post, path) => WebAnswer::missing(format!("{path} takes no orders\n")),
        }
    }

    /// The states from the first one to the one that these choices lead to; none if they lead nowhere.
    fn way<M>(&self, choices: &[usize]) -> Option<Vec<WayStop<M::State>>>
    where
        C: Checker<M>,
        M: Model,
        M::State: Clone,
        M::Action: Debug,
    {
        let model = self.checker.model();
        let first = model.init_states().into_iter().next()?;
        let mut way = vec![WayStop { path: "/".to_owned(), action: None, state: first }];
        for choice in choices {
            let WayStop { path, state, .. } = way.last()?;
            let action = actions_in(model, state).into_iter().nth(*choice)?;
            let (path, words) = (format!("{}/{choice}", path.trim_end_matches('/')), model.format_action(&action));
            let state = model.next_state(state, action)?;
            way.push(WayStop { path, action: Some(words), state });
        }
        Some(way)
    }

    fn page<M>(&self, way: &[WayStop<M::State>]) -> String
    where
        C: Checker<M>,
        M: Model,
        M::State: Clone + Debug + Hash + PartialEq,
        M::Action: Clone + Debug + PartialEq,
    {
        let model = self.checker.model();
        let name = escaped(&self.name);
        let goes_on = self.goes_on.load(Ordering::Relaxed);
        let renews =
            if goes_on && !self.checker.is_done() { "<meta http-equiv=\"refresh\" content=\"2\">" } else { "" };
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\">{renews}<title>{name}, explored</title>\n\
             <style>\n{STYLE}</style>\n<h1>{name}</h1>\n"
        );
        self.tell_checker(&mut page, goes_on);
        let [.., last] = way else { return page };
        page.push_str("<h2>The way so far</h2>\n<ol start=\"0\">\n");
        for WayStop { path, action, .. } in way {
            let words = escaped(action.as_deref().unwrap_or("the beginning"));
            let _ = writeln!(page, "<li><a href=\"{path}\">{words}</a>");
        }
        let _ = writeln!(page, "</ol>\n<h2>The state</h2>\n<pre>{}</pre>", escaped(&format!("{:?}", last.state)));
        page.push_str("<h2>What can happen now</h2>\n<ul>\n");
        for (place, action) in actions_in(model, &last.state).into_iter().enumerate() {
            let words = escaped(&model.format_action(&action));
            let _ = match model.next_state(&last.state, action) {
                Some(_) => writeln!(page, "<li><a href=\"{}/{place}\">{words}</a>", last.path.trim_end_matches('/')),
                None => writeln!(page, "<li>{words} (this changes nothing)"),
            };
        }
        page.push_str("</ul>\n");
        page
    }

    /// How far the checker is, and what it found of each property.
    fn tell_checker<M>(&self, page: &mut String, goes_on: bool)
    where
        C: Checker<M>,
        M: Model,
        M::State: Clone + Hash + PartialEq,
        M::Action: Clone + PartialEq,
    {
        let (checker, is_done) = (&self.checker, self.checker.is_done());
        let stands = match (is_done, goes_on) {
            (true, _) => "The checker has ended.",
            (false, true) => "The checker goes on by itself.",
            (false, false) => "The checker waits.",
        };
        let _ = writeln!(
            page,
            "<p>{stands} It has generated {} states, {} of them different, to depth {}.</p>",
            checker.state_count(),
            checker.unique_state_count(),
            checker.max_depth()
        );
        if !goes_on {
            page.push_str("<form method=\"post\" action=\"/run\"><button>Let it go on by itself</button></form>\n");
        }
        page.push_str("<table>\n<tr><th>property<th>found\n");
        for property in checker.model().properties() {
            let wrong =
                matches!(property.expectation, Expectation::Always) && checker.discovery(property.name).is_some();
            let found = match (wrong, is_done) {
                (true, _) => "<td class=\"no\">false: a state was found in which it does not hold",
                (false, true) => "<td>true in every state that was seen",
                (false, false) => "<td>not decided yet",
            };
            let _ = writeln!(page, "<tr><td>{}{found}", escaped(property.name));
        }
        page.push_str("</table>\n");
    }
}

fn actions_in<M: Model>(model: &M, state: &M::State) -> Vec<M::Action> {
    let mut actions = Vec::new();
    model.actions(state, &mut actions);
    actions
}

/// The choices in a path, such as `/0/3`.
fn choices(path: &str) -> Option<Vec<usize>> {
    let rest = path.strip_prefix('/')?;
    if rest.is_empty() { Some(Vec::new()) } else { rest.split('/').map(|part| part.parse().ok()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_numbers_after_slashes() {
        assert_eq!(choices("/"), Some(vec![]));
        assert_eq!(choices("/0/12"), Some(vec![0, 12]));
        for wrong in ["", "0", "x/0", "/-1", "/0//1", "/0/", "/one", "/99999999999999999999", "/0?1"] {
            assert_eq!(choices(wrong), None, "{wrong}");
        }
    }
}
