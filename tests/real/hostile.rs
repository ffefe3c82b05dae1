//! Sessions and labs with every character in their texts that a terminal might obey.
//!
//! Invariant: of each sample every text is spoiled once, alone, so that one that cannot be read hides no other.

use serde_json::Value;

/// One record of every kind.
pub const SAMPLES: &str = include_str!("samples.jsonl");

/// C0 but for the new line and the tab, DEL, C1, and what hides or reorders text.
pub fn poison() -> String {
    ('\u{1}'..='\u{feff}').filter(|c| is_poison(*c)).collect()
}

/// Whether it is one of them.
pub fn is_poison(c: char) -> bool {
    c.is_control() && !"\n\t".contains(c)
        || matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Whether one of them is in there.
pub fn is_poisoned(text: &str) -> bool {
    text.contains(is_poison)
}

/// Copies of the value, each with one of its texts spoiled.
pub fn spoiled(value: &Value) -> Vec<Value> {
    match value {
        Value::String(text) => vec![Value::String(format!("{text}{}", poison()))],
        Value::Array(list) => {
            let with = |(index, item)| {
                let mut copy = list.clone();
                copy[index] = item;
                Value::Array(copy)
            };
            list.iter()
                .enumerate()
                .flat_map(|(index, item)| spoiled(item).into_iter().map(move |item| (index, item)))
                .map(with)
                .collect()
        }
        Value::Object(map) => {
            let with = |(key, item): (&String, Value)| {
                let mut copy = map.clone();
                copy.insert(key.clone(), item);
                Value::Object(copy)
            };
            map.iter()
                .flat_map(|(key, item)| spoiled(item).into_iter().map(move |item| (key, item)))
                .map(with)
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The records of all samples, one a line, spoiled in every place that has a text.
pub fn records() -> String {
    let samples = SAMPLES.lines().map(|line| serde_json::from_str(line).expect("a sample is JSON"));
    let lines: Vec<String> =
        samples.flat_map(|sample: Value| spoiled(&sample)).map(|record| record.to_string()).collect();
    lines.join("\n") + "\n"
}
