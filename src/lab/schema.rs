//! The shape of a lab file as a JSON schema (draft 7), for editors that complete and check TOML by one.
//!
//! It is derived from the keys that the parser takes, the Cards of the algorithms and of the applications. What a value
//! means (whether a node exists, whether a condition can be met, whether the periods fit) only the parser knows.
//!
//! Invariant: what the parser accepts, the schema accepts; a key that the parser does not know, a value of another type,
//! and a missing key are refused by both.

use serde_json::{Map, Value, json};

use super::{LIMIT_DEFAULT, NAME_BYTES_MAX, expectation, parse, step};
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
            shown(
                json!({ "type": "string", "maxLength": NAME_BYTES_MAX, "description": "The lab's name: that of its file without .toml." }),
                "first",
            ),
        ),
        ("about", shown(text("What the lab shows, in a sentence."), "The coordinator crashes and returns.")),
        ("source", shown(text("The paper and its section."), "Garcia-Molina 1982, section III")),
        (
            "algorithm",
            shown(
                json!({ "enum": names, "description": "Which algorithm elects; `hustings algorithms` describes them." }),
                names[0],
            ),
        ),
        ("nodes", shown(whole(1, u64::from(NODES_MAX), "How many nodes elect; an algorithm may allow fewer."), 5)),
        (
            "seed",
            shown(
                json!({ "type": "integer", "minimum": 0, "description": "The seed of the dice: the same seed loses the same datagrams." }),
                1,
            ),
        ),
        (
            "T",
            shown(
                span(
                    "The bound T of the algorithm: `hustings algorithms NAME` says what it bounds, such as a call and its answer.",
                ),
                "200ms",
            ),
        ),
        ("check", shown(span("The time between two questions of a coordinator to its members."), "200ms")),
        ("silence", shown(span("The time after which a member that hears nothing asks, or elects."), "1s")),
        (
            "limit",
            by_default(
                span("The longest time that a step waits for its `when`; then the lab ends."),
                &LIMIT_DEFAULT.to_string(),
            ),
        ),
        ("settings", json!({ "type": "object", "description": "The algorithm's own settings, each by its name." })),
        ("application", application(registry)),
        ("step", tables(&step_shape(), "What happens: the steps are taken in the order of the file.")),
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
        "description": "What the processes do between elections: its `name`, and its own settings.",
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
    shape["default"] = match card.kind {
        SettingKind::Holes(_) => true.into(),
        SettingKind::Flag { default } => default.into(),
        SettingKind::Word(words) => json!(words.first()),
        SettingKind::Number { default, .. } => default.into(),
        SettingKind::Nodes | SettingKind::NodesOrNone | SettingKind::Numbers => return shape,
    };
    shape
}

fn step_shape() -> Value {
    let shape = json!({
        "name": by_default(text("The step's name, for `after`."), "step 2 for the second step"),
        "at": shown(span("When the step is taken, since the script began."), "2s"),
        "when": shown(text("The condition or the moment for which the step waits, instead of `at`."), "coordinator 4"),
        "then_wait": by_default(span("How long the step waits after its condition came true. A moment takes none."), "0s"),
        "do": shown(
            json!({ "type": "array", "items": { "type": "string" }, "description": "Fault lines, carried out in their order. [] only names a moment, for `after`." }),
            json!(["crash coordinator"]),
        ),
        "chapter": text("The title of the chapter that begins, of at most 80 characters."),
        "say": shown(
            text("What the screen says, in at most 420 characters; an action's name in braces stands for the key that does it."),
            "5 is dead: {recover} brings it back.",
        ),
        "ask": shown(text("What the screen asks, in at most 420 characters, instead of `say`."), "Who coordinates next?"),
        "choices": shown(
            json!({ "type": "array", "items": { "type": "string" }, "description": "With `ask`: 2 to 6 answers, each of at most 80 characters." }),
            json!(["nobody", "4"]),
        ),
        "answer": shown(
            json!({ "type": "integer", "minimum": 1, "description": "With `ask`: the number of the right choice, from 1." }),
            2,
        ),
        "because": shown(text("With `ask`: why the choice is right, in at most 420 characters."), "Nobody above 4 answers."),
    });
    let way = json!([{ "required": ["at"] }, { "required": ["when"] }]);
    let what = json!(["do", "chapter", "say", "ask"].map(|key| json!({ "required": [key] })));
    object(shape, step::KEYS, json!({ "oneOf": way, "anyOf": what }))
}

fn expectation_shape() -> Value {
    let shape = json!({
        "that": shown(text("The condition."), "coordinator 4"),
        "after": by_default(text("The name of the step from which the time counts."), "the beginning of the script"),
        "within": shown(
            span_or_multiple("How long it may take until the condition is true. Each condition needs it, except for those of the end."),
            "20T",
        ),
        "stays": by_default(span_or_multiple("How long the condition must then stay true."), "0s"),
    });
    object(shape, expectation::KEYS, json!({ "required": ["that"] }))
}

/// The shape with an example of a value.
fn shown(mut shape: Value, example: impl Into<Value>) -> Value {
    shape["examples"] = Value::Array(vec![example.into()]);
    shape
}

/// The shape with what holds without the key: a value, or a text that says it.
fn by_default(mut shape: Value, default: &str) -> Value {
    shape["default"] = default.into();
    shape
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
