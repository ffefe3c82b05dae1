//! How many liars a lab has, beside how many its algorithm bears.

use super::*;
use protocol::{Assumption, Lie, SettingCard, SettingKind};

/// The processes bear as many liars as the setting `t` says.
const BEARING: Card = Card {
    name: "king-ni-b2",
    lies: &[Lie::Claim],
    needs: &[],
    settings: &[SettingCard {
        name: "t",
        kind: SettingKind::Number { default: 3, most: |nodes| u64::from(nodes) },
        about: "t.",
    }],
    periods: &[],
    ..BULLY
};
const TRUSTING: Card = Card { name: "bully", needs: &[Assumption::AllCooperate], periods: &[], ..BULLY };

fn told(algorithm: &str, settings: &str, lines: &str) -> Option<String> {
    let text = format!(
        "name = \"o\"\nabout = \"o\"\nalgorithm = \"{algorithm}\"\nnodes = 7\nseed = 1\nT = \"200ms\"\n\
         check = \"900ms\"\nsilence = \"3s\"\n[settings]\n{settings}\n[[step]]\nat = \"1s\"\ndo = [{lines}]\n"
    );
    parse("o.toml", &text, registry(&[BEARING, TRUSTING])).unwrap().told_of_liars()
}

#[test]
fn more_liars_than_are_borne_are_told() {
    let three = "\"liar 1,2 claim\", \"liar 3 claim\"";
    let sentence = "3 liars, 2 are borne: no promise holds while they lie";
    assert_eq!(told("king-ni-b2", "t = 2", three).as_deref(), Some(sentence));
    assert_eq!(told("king-ni-b2", "t = 3", three), None);
    let after = "\"liar 1,2 claim\", \"honest 1\", \"liar 3 claim\"";
    assert_eq!(told("king-ni-b2", "t = 2", after), None);
}

#[test]
fn where_all_must_cooperate_no_liar_is_borne() {
    let sentence = "1 liar, none is borne: no promise holds while they lie";
    assert_eq!(told("bully", "", "\"liar 3 withhold\"").as_deref(), Some(sentence));
    assert_eq!(told("bully", "", "\"crash 3\""), None);
    let all = "7 liars, none is borne: no promise holds while they lie";
    assert_eq!(told("bully", "", "\"liar * withhold\"").as_deref(), Some(all));
}
