//! The conditions that several applications have in common.

use crate::condition::{Asks, ConditionForm, another};
use protocol::{NodeId, NodeSet, Order};
use world::{NodeView, Phrase, World, described, running};

/// Something was refused so often.
pub const REFUSED: ConditionForm = ConditionForm {
    word: "refused",
    asks: Asks::Number("writes or updates", None),
    ways: &[(
        "refused K",
        "the resource of the lab runs, and has refused K writes since its process started, or more; in a lab with a \
         replicated counter: the processes that run have refused K updates since their starts, or more; in a lab with \
         members: those that run were refused K times",
    )],
    holds: |asked, world| refused(world).is_some_and(|(_, refused)| i128::from(refused) >= asked.number),
    instead: |_, world| match refused(world) {
        Some((nodes, refused)) if nodes.len() == 1 => format!("{nodes} has refused {refused}"),
        Some((nodes, refused)) => format!("{nodes} have refused {refused}"),
        None => "nobody runs that could refuse something".to_owned(),
    },
    lacks: |_, lab| {
        let refuses = lab.card().is_some_and(|card| card.name == "joining" || has_counter(card.orders));
        (lab.has_nodes && !lab.has_bystanders && !refuses).then(|| {
            another(
                "this lab has no resource that could refuse a write, and no updates",
                "give the lab an `[application]` with `name = \"fencing\"`, \"updates\" or \"copies\"",
            )
        })
    },
};

/// Every process holds this counter.
pub const COUNTER: ConditionForm = ConditionForm {
    word: "counter",
    asks: Asks::WholeNumber,
    ways: &[("counter K", "every process that runs holds the counter K: what all updates that it has add up to")],
    holds: |asked, world| {
        let mut all = running(world).peekable();
        all.peek().is_some() && all.all(|(_, view)| counter_of(view).map(i128::from) == Some(asked.number))
    },
    instead: |_, world| {
        described(world, world.running(), |view| match counter_of(view) {
            Some(counter) => Phrase::Is(format!("at {counter}")),
            None => Phrase::Is("without a counter".to_owned()),
        })
    },
    lacks: |_, lab| {
        (lab.has_nodes && !lab.card().is_some_and(|card| has_counter(card.orders))).then(|| {
            another(
                "the processes of this lab hold no counter",
                "give the lab an `[application]` with `name = \"updates\"` or \"copies\"",
            )
        })
    },
};

fn has_counter(orders: &[&str]) -> bool {
    orders.contains(&Order::Update(0).word())
}

/// The processes that run and may refuse something, and how often they have done so.
fn refused(world: &World) -> Option<(NodeSet, u64)> {
    let running = world.nodes.iter().filter(|(_, view)| view.process.runs());
    let refusals = running.filter_map(|(id, view)| Some((*id, view.state.as_ref()?.work.as_deref()?.refusals()?)));
    let (nodes, times): (Vec<NodeId>, Vec<u64>) = refusals.unzip();
    (!nodes.is_empty()).then(|| (nodes.into_iter().collect(), times.into_iter().sum()))
}

/// What a process holds of a replicated counter, as far as it has told.
fn counter_of(view: &NodeView) -> Option<i64> {
    view.state.as_ref()?.work.as_deref()?.counter()
}
