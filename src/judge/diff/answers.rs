//! What a machine makes of the same input in two sessions, in a sentence.
//!
//! Invariant: the words are those of the flow and of what stands beside it; nothing is told of how the file has it.

use std::fmt::Display;

use super::words::{of_effect, of_state};
use protocol::{NodeId, NodeSet, StateVector};
use record::{EffectText, MessageId, MessageText, Step};

/// The first thing of these two steps of the node that differs, in sessions of these names; nothing if nothing does.
pub(super) fn told(names: [&str; 2], node: NodeId, [one, other]: [&Step; 2]) -> Option<String> {
    let beside = |[a, b]: [String; 2]| format!("{a} in {} and {b} in {}", names[0], names[1]);
    let otherwise = |what: &str| format!("{what} in {} than in {}", names[1], names[0]);
    if one.capacity != other.capacity {
        return Some(format!("its capacity is {}", beside([one, other].map(|step| step.capacity.to_string()))));
    }
    let longest = one.effects.len().max(other.effects.len());
    let effects = (0..longest).map(|place| [one.effects.get(place), other.effects.get(place)]);
    if let Some(effects) = effects.into_iter().find(|[a, b]| a != b) {
        return Some(match effects {
            [Some(EffectText::Send { id, message }), Some(EffectText::Send { id: to, message: saying })]
                if id.to == to.to && message.kind == saying.kind =>
            {
                let letter = of_letter(node, *id, message);
                match said([id, to], [message, saying]) {
                    Some(said) => format!("{letter} {}", beside(said)),
                    None => otherwise(&format!("{letter} has another body")),
                }
            }
            [Some(EffectText::Save { .. }), Some(EffectText::Save { .. })] => otherwise("it saves other cells"),
            effects => {
                let does = |effect: Option<&EffectText>| effect.map_or("does nothing more".to_owned(), of_effect);
                format!("it {}", beside(effects.map(does)))
            }
        });
    }
    if one.state != other.state {
        return Some(match [one.state.as_ref(), other.state.as_ref()] {
            [Some(a), Some(b)] => state_parts(a, b).map_or_else(|| otherwise("its work is another one"), beside),
            states => format!("it {}", beside(states.map(|state| state.map_or("stays as it is".to_owned(), of_state)))),
        });
    }
    if one.lines != other.lines {
        return Some(otherwise("it goes through other lines of the listing"));
    }
    if one.lies != other.lies {
        return Some(otherwise("it tells other lies"));
    }
    let held = |step: &Step| match &step.held {
        Some(hold) => format!("step {} holds it after {} of its effects", hold.by, hold.after),
        None => "nothing holds it".to_owned(),
    };
    (one.held != other.held).then(|| beside([one, other].map(held)))
}

/// The message of this node as a sentence begins with it: `2's Accept to 3`.
fn of_letter(node: NodeId, id: MessageId, message: &MessageText) -> String {
    match id.to {
        Some(to) => format!("{node}'s {} to {to}", message.kind),
        None => format!("{node}'s broadcast {}", message.kind),
    }
}

/// What two messages of one kind say differently, as the flow words it.
fn said(ids: [&MessageId; 2], messages: [&MessageText; 2]) -> Option<[String; 2]> {
    let fields = messages[0].fields.iter().zip(&messages[1].fields);
    let differing = fields.into_iter().find(|(one, other)| one != other);
    if let Some(((name, value), (of, saying))) = differing {
        return Some([format!("says {name}={value}"), format!("says {of}={saying}")]);
    }
    let number = |id: &MessageId| format!("is its message {} to it since start {}", id.sequence, id.incarnation);
    (ids[0] != ids[1]).then(|| ids.map(number))
}

/// What two states have that differs and has words.
fn state_parts(one: &StateVector, other: &StateVector) -> Option<[String; 2]> {
    let both = |of: &dyn Fn(&StateVector) -> String| [of(one), of(other)];
    let is = |what: &str, value: Option<&dyn Display>| match value {
        Some(value) => format!("{what} is {value}"),
        None => format!("it has no {}", what.trim_start_matches("its ")),
    };
    let members = |nodes: &NodeSet| if nodes.is_empty() { "nobody".to_owned() } else { nodes.to_string() };
    let parts: [&dyn Fn(&StateVector) -> String; 5] = [
        &|state| format!("it {}", of_state(state)),
        &|state| is("its group", state.group.as_ref().map(|group| group as &dyn Display)),
        &|state| format!("it takes {} for members of its group", members(&state.up)),
        &|state| is("its election", state.election.as_ref().map(|election| election as &dyn Display)),
        &|state| match state.halted_by {
            Some(by) => format!("{by} halted it last"),
            None => "nobody halted it".to_owned(),
        },
    ];
    parts.into_iter().map(both).find(|[a, b]| a != b)
}
