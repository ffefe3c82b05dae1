//! What `hustings run --json` prints: each kind of object, and each field of it.
//!
//! Invariant: no object has a field that this table does not have.

use serde_json::Value;

/// A kind of the objects that `--json` prints.
pub struct JsonKind {
    pub name: &'static str,
    /// When it is printed.
    pub about: &'static str,
    /// The fields besides `v`, `lab` and `kind`; `is.by` is the field `by` of the object `is`.
    pub fields: &'static [(&'static str, &'static str)],
}

/// The kinds of objects, in the order in which they are printed. The manual reads this table.
pub const JSON_KINDS: &[JsonKind] = &[
    JsonKind {
        name: "expectation",
        about: "An expectation of the lab is decided",
        fields: &[
            ("outcome", "`met`, `failed` or `unknown`"),
            ("text", "what was expected, and what came, as a sentence"),
            ("at", "when it was decided"),
        ],
    },
    JsonKind {
        name: "violation",
        about: "The judge found a violation; one object for each, at the end",
        fields: &[("text", "the whole verdict as a sentence")],
    },
    JsonKind {
        name: "election",
        about: "An election; at the end, the last ten at most",
        fields: &[
            ("is.ordinal", "which election of the lab it is, from 1"),
            ("is.began", "when it began"),
            ("is.record", "the number of the record with which it began"),
            ("is.by", "the processes that began it, such as `1-3`; `-` for none"),
            ("is.why", "why they did: `start`, or an object such as `{\"timer\": …}`"),
            ("is.since", "when that happened which they noticed, or null"),
            ("is.took_part", "the processes that took part"),
            ("is.sent", "a pair for each kind of message: the kind, and how many were sent"),
            ("is.ended", "when it ended, or null"),
            ("is.elected", "the processes that were followed at its end"),
            ("is.without", "the processes that followed nobody at its end"),
            ("is.rounds", "its rounds where capacities decide, or null"),
        ],
    },
    JsonKind {
        name: "section",
        about: "What came of a critical section, in a lab that has one",
        fields: &[("text", "who entered how often, and the longest wait, as a sentence")],
    },
    JsonKind {
        name: "assumption",
        about: "How an assumption of the algorithm fared",
        fields: &[
            ("is.assumption", "its name, such as `all-cooperate`"),
            ("is.is_needed", "whether the algorithm needs it"),
            ("is.needed_by", "the promises that rest on it"),
            ("is.meant_by", "the faults that were meant to break it, such as `f1`"),
            ("is.by_faults", "how often a fault broke it"),
            ("is.by_machine", "how often this computer broke it"),
            ("is.first", "when it was first broken, or null"),
            ("is.text", "how it was first broken, as a sentence, or null"),
        ],
    },
    JsonKind {
        name: "figures",
        about: "The lab in figures",
        fields: &[
            ("are.unsafe_for", "how long states that contradict each other stood"),
            ("are.elections", "how often a process went through an election"),
            ("are.messages", "messages sent, one for each receiver; a broadcast is one"),
            ("are.bytes", "the bytes of their bodies"),
            ("are.ends", "elections that ended with a master, where elections have an end"),
            ("are.rounds", "the rounds of these together"),
            ("are.in_help", "processes that ask for help at the end"),
            ("are.never_heard", "processes that have heard of no end since they started"),
            ("are.agreements", "how often all came to agree after something had disturbed them"),
            ("are.agreed_after", "the total time of these, since the disturbance"),
            ("are.agreed_after_max", "the longest of these times"),
        ],
    },
    JsonKind {
        name: "promise",
        about: "How a promise fared",
        fields: &[
            ("property", "its name, such as `assertion-1`"),
            ("is.due", "how often it was looked at with all assumptions whole"),
            ("is.held", "how often it held then"),
            ("is.broken", "how often it was broken without an excuse"),
            ("is.excused", "how often it was broken with an excuse"),
            ("is.unpromised", "how often it was broken where the settings do not promise it"),
            ("is.unknown", "how often nobody can say, because it was not due yet or records are lost"),
        ],
    },
    JsonKind {
        name: "end",
        about: "The lab is over; the last object of a lab",
        fields: &[
            ("met", "expectations that were met"),
            ("expected", "all expectations"),
            ("violations", "violations that were found"),
            ("excused", "those of them that have an excuse"),
            ("by_machine", "those of them that this computer led to"),
            ("never_due", "the promises that were never due"),
            ("session", "the path of the session's file, or null"),
            ("code", "the exit code of this lab"),
        ],
    },
];

/// The fields of an object of this kind that the table of kinds does not have.
pub fn undocumented(kind: &str, object: &Value) -> Vec<String> {
    let fields = JSON_KINDS.iter().find(|known| known.name == kind).map_or(&[][..], |known| known.fields);
    let named = object.as_object().into_iter().flatten().flat_map(|(name, value)| match (&name[..], value) {
        ("is" | "are", Value::Object(inner)) => inner.keys().map(|field| format!("{name}.{field}")).collect(),
        _ => vec![name.clone()],
    });
    named.filter(|name| fields.iter().all(|(field, _)| field != name)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use world::{Figures, Tally};

    use super::*;

    #[test]
    fn the_table_of_kinds_has_every_field() {
        let figures = json!({"are": Figures::default()});
        let tally = json!({"property": "assertion-1", "is": Tally::default()});
        for (kind, object) in [("figures", figures), ("promise", tally)] {
            assert_eq!(undocumented(kind, &object), Vec::<String>::new());
            let fields = JSON_KINDS.iter().find(|known| known.name == kind).unwrap().fields;
            let inner = object["is"].as_object().or(object["are"].as_object()).unwrap();
            assert_eq!(fields.len(), inner.len() + object.as_object().unwrap().len() - 1, "{kind}");
        }
        assert_eq!(undocumented("end", &json!({"mine": 1})), ["mine"]);
    }
}
