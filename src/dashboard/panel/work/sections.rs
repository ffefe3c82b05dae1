//! The row of a critical section: who is inside, who waits, and who has the token that opens it.
//!
//! Invariant: it tells only of processes that run.

use ratatui::text::Span;

use crate::model::Model;
use protocol::{NodeId, NodeSet, SectionWork, Stance, TokenWork};

/// Who has the token, and whom each other one would ask for it.
pub(super) fn token(model: &Model) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let nodes = model.seen().world.nodes.iter().filter(|(_, view)| view.process.is_up());
    let works: Vec<(NodeId, TokenWork)> =
        nodes.filter_map(|(id, view)| Some((*id, view.state.as_ref()?.work.as_deref()?.token()?))).collect();
    if works.is_empty() {
        return Vec::new();
    }
    let holders: NodeSet = works.iter().filter(|(_, work)| work.token.is_some()).map(|(id, _)| *id).collect();
    let holds = match holders.len() {
        0 => Span::styled("nobody holds the token", theme.doubt),
        1 => Span::styled(format!("{holders} holds the token"), theme.strong),
        _ => Span::styled(format!("{holders} hold a token each"), theme.bad),
    };
    let guesses = works.iter().filter(|(_, work)| work.token.is_none()).map(|(id, work)| match work.guess {
        Some(guess) => format!("{id}→{guess}"),
        None => format!("{id} last"),
    });
    let guesses: Vec<String> = guesses.collect();
    let guesses = theme.glyphs.flow.spoken(&guesses.join(" "));
    let whom = if guesses.is_empty() { "  ".to_owned() } else { format!("; {guesses}  ") };
    vec![holds, Span::styled(whom, theme.normal)]
}

/// Who is inside the critical section, who waits, and how often each has entered.
pub(super) fn section(model: &Model) -> Vec<Span<'static>> {
    let theme = &model.theme;
    let nodes = model.seen().world.nodes.iter().filter(|(_, view)| view.process.is_up());
    let sections: Vec<(NodeId, SectionWork)> =
        nodes.filter_map(|(id, view)| Some((*id, view.state.as_ref()?.work.as_deref()?.section()?))).collect();
    let that_are = |stance: Stance| -> NodeSet {
        sections.iter().filter(|(_, section)| section.stance == stance).map(|(id, _)| *id).collect()
    };
    let (inside, waiting) = (that_are(Stance::Inside), that_are(Stance::Waiting));
    let mut spans = vec![match inside.len() {
        0 => Span::styled("nobody is inside", theme.dim),
        1 => Span::styled(format!("{inside} is inside"), theme.strong),
        _ => Span::styled(format!("{inside} are inside"), theme.bad),
    }];
    if !waiting.is_empty() {
        let verb = if waiting.len() == 1 { "waits" } else { "wait" };
        spans.push(Span::styled(format!(", {waiting} {verb}"), theme.normal));
    }
    let entered: Vec<String> = sections.iter().map(|(id, section)| format!("{id}:{}", section.entries)).collect();
    spans.push(Span::styled(format!("  entered {}  ", entered.join(" ")), theme.dim));
    spans
}
