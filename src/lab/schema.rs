//! The shape of a lab file as a JSON schema (draft 7), for editors that complete and check TOML by one.
//!
//! It is derived from the keys that the parser takes, the Cards of the algorithms and of the applications. What a value
//! means (whether a node exists, whether a condition can be met, whether the periods fit) only the parser knows.
//!
//! Invariant: what the parser accepts, the schema accepts; a key that the parser does not know, a value of another type,
//! and a missing key are refused by both.

use serde_json::{Map, Value, json};

use super::{NAME_BYTES_MAX, expectation, parse, step};
use protocol::{Card, NODES_MAX, Registry, SettingCard, SettingKind};

/// A duration, as lab files have it: digits, perhaps a point, and a unit.
const SPAN: &str = r"^\s*[0-9]*\.?[0-9]*\s*(ns|us|ms|s|m)\s*$";
/// The same, or a multiple of T.
const SPAN_OR_MULTIPLE: &str = r"^\s*([0-9]*\.?[0-9]*\s*(ns|us|ms|s|m)|[0-9.eE+-]*\s*T)\s*$";

/// The schema, for labs of these algorithms.
pub fn schema(registry: Registry) -> Value {
    let names: Vec<&str> = registry.cards().map(|card| card.name).collect();
    let mut properties = Map::new();
    for (key, value) in [
        (
            "name",
            json!({ "type": "string", "maxLength": NAME_BYTES_MAX, "description": "The lab's name: its file's without .toml." }),
        ),
        ("about", text("What the lab shows, in a sentence.")),
        ("source", text("The paper and its section, such as Garcia-Molina 1982, section III.")),
        (
            "algorithm",
            json!({ "enum": names, "description": "Which algorithm elects; `hustings algorithms` describes them." }),
        ),
        ("nodes", whole(1, u64::from(NODES_MAX), "How many nodes elect.")),
        ("seed", json!({ "type": "integer", "minimum": 0, "description": "The seed of the dice." })),
        ("T", span("The bound T of the algorithm.")),
        ("check", span("How often a coordinator asks its members.")),
        ("silence", span("How long a coordinator may be silent.")),
        ("limit", span("When the lab ends at the latest.")),
        ("settings", json!({ "type": "object", "description": "The algorithm's own settings." })),
        ("application", application(registry)),
        ("step", tables(&step_shape(), "What happens, in order.")),
        ("expect", tables(&expectation_shape(), "What is expected, in any order.")),
    ] {
        properties.insert(key.to_owned(), value);
    }
    debug_assert!(parse::KEYS.iter().all(|key| properties.contains_key(*key)) && properties.len() == parse::KEYS.len());
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A lab file of hustings",
        "type": "object",
        "properties": properties,
        "required": ["name", "about", "algorithm", "nodes", "seed", "T", "check", "silence"],
        "additionalProperties": false,
        "allOf": registry.cards().map(rule_of).collect::<Vec<_>>(),
    })
}

/// What holds for labs of this algorithm.
fn rule_of(card: &Card) -> Value {
    json!({
        "if": { "properties": { "algorithm": { "const": card.name } }, "required": ["algorithm"] },
        "then": { "properties": {
            "nodes": { "maximum": card.nodes_max },
            "settings": settings(card.settings, &[]),
        } },
    })
}

fn application(registry: Registry) -> Value {
    let names: Vec<&str> = registry.application_cards().map(|application| application.name).collect();
    let rule = |application: &protocol::ApplicationCard| {
        json!({
            "if": { "properties": { "name": { "const": application.name } }, "required": ["name"] },
            "then": settings(application.settings, &["name"]),
        })
    };
    json!({
        "type": "object",
        "description": "What the processes do between elections; `hustings applications` describes it.",
        "properties": { "name": { "enum": names } },
        "required": ["name"],
        "allOf": registry.application_cards().map(rule).collect::<Vec<_>>(),
    })
}

/// A table of these settings and of the keys that stand beside them.
fn settings(cards: &[SettingCard], beside: &[&str]) -> Value {
    let mut properties: Map<String, Value> = beside.iter().map(|key| ((*key).to_owned(), json!({}))).collect();
    properties.extend(cards.iter().map(|card| (card.name.to_owned(), setting(card))));
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn setting(card: &SettingCard) -> Value {
    let mut shape = match card.kind {
        SettingKind::Holes(holes) => {
            let numbers: Vec<&str> = holes.iter().map(|hole| hole.number).collect();
            json!({ "anyOf": [{ "type": "boolean" }, { "type": "array", "items": { "enum": numbers } }] })
        }
        SettingKind::Flag { .. } => json!({ "type": "boolean" }),
        SettingKind::Word(words) => json!({ "enum": words }),
        SettingKind::Nodes | SettingKind::NodesOrNone => json!({ "type": "string" }),
        SettingKind::Numbers => json!({ "type": "array", "items": { "type": "integer", "minimum": 0 } }),
        SettingKind::Number { most, .. } => json!({ "type": "integer", "minimum": 0, "maximum": most(NODES_MAX) }),
    };
    shape["description"] = card.about.into();
    shape
}

fn step_shape() -> Value {
    let shape = json!({
        "name": text("The step's name, for `after`."),
        "at": span("When it happens, since the lab began."),
        "when": text("The condition or the moment for which it waits."),
        "then_wait": span("How long it waits after its condition."),
        "do": { "type": "array", "items": { "type": "string" }, "description": "Fault lines." },
        "chapter": text("The title of the chapter that begins."),
        "say": text("What is said to those who watch; `{crash}` stands for the key that does this action."),
        "ask": text("What is asked of those who watch."),
        "choices": { "type": "array", "items": { "type": "string" }, "description": "What may be answered." },
        "answer": { "type": "integer", "minimum": 1, "description": "The number of the right choice." },
        "because": text("Why it is right."),
    });
    let way = json!([{ "required": ["at"] }, { "required": ["when"] }]);
    let what = json!(["do", "chapter", "say", "ask"].map(|key| json!({ "required": [key] })));
    object(shape, step::KEYS, json!({ "oneOf": way, "anyOf": what }))
}

fn expectation_shape() -> Value {
    let shape = json!({
        "that": text("The condition."),
        "after": text("The step from which the time counts."),
        "within": span_or_multiple("How long it may take, such as 20T."),
        "stays": span_or_multiple("How long it holds then."),
    });
    object(shape, expectation::KEYS, json!({ "required": ["that"] }))
}

/// An object of these properties alone, with further rules.
fn object(properties: Value, keys: &[&str], mut rules: Value) -> Value {
    debug_assert!(keys.iter().all(|key| properties.get(*key).is_some()));
    rules["type"] = "object".into();
    rules["properties"] = properties;
    rules["additionalProperties"] = false.into();
    rules
}

fn tables(of: &Value, about: &str) -> Value {
    json!({ "type": "array", "items": of, "description": about })
}

fn text(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}

fn whole(least: u64, most: u64, about: &str) -> Value {
    json!({ "type": "integer", "minimum": least, "maximum": most, "description": about })
}

fn span(about: &str) -> Value {
    json!({ "type": "string", "pattern": SPAN, "description": about })
}

fn span_or_multiple(about: &str) -> Value {
    json!({ "type": "string", "pattern": SPAN_OR_MULTIPLE, "description": about })
}
