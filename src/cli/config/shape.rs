//! The shape of a config file as a JSON schema (draft 7), for editors.
//!
//! Invariant: what the parser accepts, the schema accepts. A name that the parser does not know and a value of another type
//! are refused by both; what keys there are, and which of them two actions have, only the parser knows.

use serde_json::{Map, Value, json};

use super::parse::{MIB_MAX, SESSIONS_MAX, SETTINGS};
use crate::cli::characters::CharactersName;
use crate::cli::screen::ThemeName;
use dashboard::Keymap;

pub fn schema() -> Value {
    let mut properties = Map::new();
    for setting in SETTINGS {
        let mut shape = match setting.name {
            "theme" => json!({ "enum": ThemeName::WORDS }),
            "glyphs" => json!({ "enum": CharactersName::WORDS }),
            "mouse" => json!({ "enum": ["terminal", "screen"] }),
            "kept_sessions" => json!({ "type": "integer", "minimum": 1, "maximum": SESSIONS_MAX }),
            "kept_mib" => json!({ "type": "integer", "minimum": 1, "maximum": MIB_MAX }),
            other => unreachable!("{other} is no setting"),
        };
        shape["description"] = json!(setting.about);
        properties.insert(setting.name.to_owned(), shape);
    }
    let keys: Map<String, Value> = Keymap::actions()
        .into_iter()
        .map(|action| {
            let shape = json!({
                "type": ["string", "array"], "items": { "type": "string" }, "description": action.about,
            });
            (action.name, shape)
        })
        .collect();
    properties
        .insert("keys".to_owned(), json!({ "type": "object", "properties": keys, "additionalProperties": false }));
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "The config file of hustings",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use boon::{Compiler, Schemas};

    use super::super::parse::parse;
    use super::*;

    /// Whether the schema takes this file, and whether the parser does.
    fn taken(file: &str) -> (bool, bool) {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("config.json", schema()).unwrap();
        let index = compiler.compile("config.json", &mut schemas).unwrap();
        let value = serde_json::to_value(file.parse::<toml::Table>().unwrap()).unwrap();
        (schemas.validate(&value, index).is_ok(), parse(file).1.is_empty())
    }

    #[test]
    fn the_schema_takes_what_the_parser_takes_and_refuses_what_has_another_shape() {
        for file in [
            "",
            "theme = \"high-contrast\"\nglyphs = \"ascii\"\nmouse = \"screen\"\nkept_sessions = 1\nkept_mib = 9",
            "[keys]\ncrash = \"Z\"\nwhy = [\"v\", \"F3\"]\nfreeze = []",
        ] {
            assert_eq!(taken(file), (true, true), "{file}");
        }
        for file in [
            "thme = \"dark\"",
            "theme = \"drak\"",
            "glyphs = 1",
            "mouse = true",
            "kept_sessions = 0",
            "kept_mib = \"9\"",
            "keys = \"X\"",
            "[keys]\ncrahs = \"X\"",
            "[keys]\ncrash = 5",
            "[keys]\ncrash = [5]",
        ] {
            assert_eq!(taken(file), (false, false), "{file}");
        }
        assert_eq!(taken("[keys]\ncrash = \"v\""), (true, false), "only the parser knows the other keys");
    }
}
