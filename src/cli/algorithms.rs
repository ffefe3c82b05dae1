//! `hustings algorithms`: what the algorithms say of themselves, from their Cards.
//!
//! Invariant: the output says of an algorithm only what its Card says; no line of the text form is longer than 80
//! columns, unless a single word is longer.

use serde_json::json;

use super::output::{COLUMNS, remark, say, wrapped};
use super::registry_in_use;
use super::{built_in, candidates, code, pager};
use lab::{Lab, near};
use protocol::{
    Assumption, Card, Channel, Delivery, HoleCard, Line, Property, Rank, SettingCard, SettingKind, ShownBy,
};

/// What `algorithms` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The algorithm to describe in full, with its listing; without it, all algorithms in brief
    #[arg(add = candidates::algorithm())]
    algorithm: Option<String>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
    /// The state machine of an algorithm that is a table of transitions, as a graph for Graphviz
    #[arg(long, conflicts_with = "json", requires = "algorithm")]
    dot: bool,
}

/// How far the text is indented.
const INDENT: usize = 12;

/// Describes one algorithm, or all.
pub fn main(arguments: &Arguments) -> u8 {
    let labs = match built_in::parsed() {
        Ok(labs) => labs,
        Err(code) => return code,
    };
    let chosen: Vec<&Card> = match &arguments.algorithm {
        Some(name) => registry_in_use().cards().filter(|card| card.name == name).collect(),
        None => registry_in_use().cards().collect(),
    };
    if let ([], Some(name)) = (chosen.as_slice(), &arguments.algorithm) {
        let names: Vec<&'static str> = registry_in_use().cards().map(|card| card.name).collect();
        let meant = match near(name, &names).as_slice() {
            [] => format!("the algorithms are {}", names.join(", ")),
            near => format!("did you mean {}?", near.join(" or ")),
        };
        remark(format!("there is no algorithm {name}; {meant}"));
        return code::USAGE;
    }
    if arguments.dot {
        return chosen.first().map_or(code::USAGE, |card| draw(card));
    }
    if arguments.json {
        chosen.iter().for_each(|card| say(object(card, &labs)));
        return code::MET;
    }
    let told = chosen.iter().map(|card| match &arguments.algorithm {
        Some(_) => whole(card, &labs),
        None => short(card),
    });
    // An empty line between two.
    pager::show_lines(&told.collect::<Vec<_>>().join(&String::new()))
}

/// Draws the state machine of an algorithm.
fn draw(card: &Card) -> u8 {
    let drawn = graph(card);
    if drawn.is_empty() {
        remark(format!("{} is no table of transitions: there is no state machine to draw", card.name));
        return code::USAGE;
    }
    say(format!("digraph \"{}\" {{", card.name));
    drawn.iter().for_each(say);
    say("}");
    code::MET
}

/// An edge for each row and phase of its table; what mends a hole is dashed.
fn graph(card: &Card) -> Vec<String> {
    let rows = card.listing.iter().filter_map(|line| Some((line, line.row()?)));
    let edges = rows.flat_map(|(line, row)| {
        let style = if line.procedure.starts_with("mend") { ", style=dashed" } else { "" };
        let label = format!("{}: {}", line.number, row.input());
        row.phases
            .into_iter()
            .flatten()
            .map(move |phase| format!("  \"{phase}\" -> \"{}\" [label=\"{label}\"{style}];", row.next.unwrap_or(phase)))
    });
    edges.collect()
}

/// Three lines or more: its names and paper, what it assumes and the names of what it promises.
fn short(card: &Card) -> Vec<String> {
    [head(card), entry("promises", &promised(card))].concat()
}

/// The names, the paper and the assumptions.
fn head(card: &Card) -> Vec<String> {
    let names = format!("{}  {}", card.name, card.title);
    [vec![names], entry("from", card.paper), entry("assumes", &assumed(card))].concat()
}

/// Everything.
fn whole(card: &Card, labs: &[Lab]) -> Vec<String> {
    let over = match (card.channel, card.delivery) {
        (Channel::Multicast, Delivery::OrderedBroadcast) => "ordered broadcast over multicast, and unicast",
        (Channel::Multicast, _) => "multicast and unicast",
        (Channel::Unicast, Delivery::InOrder) => "unicast, in order",
        (Channel::Unicast, _) => "unicast",
    };
    let article = if card.rank == Rank::Neither { "" } else { "the " };
    let promises = card.promises.iter().enumerate().flat_map(|(place, property)| {
        let said = format!("{}: {}", property.word(), property.sentence());
        entry(if place == 0 { "promises" } else { "" }, &said)
    });
    let mut lines = [
        head(card),
        promises.collect(),
        entry("T bounds", card.t_bounds.says()),
        entry("over", over),
        entry("nodes", &format!("at most {}; {article}{}", card.nodes_max, card.rank.says())),
        entry("time", card.time_bound.text),
        entry("quiet", &format!("the nodes agree, and the judge checks that, after {}", card.quiet_bound.text)),
        entry("messages", card.message_bound),
        entry("orders", &ordered(card)),
        entry("numbers", &format!("of its coordinators: {}", card.numbers.says())),
    ]
    .concat();
    lines.extend(card.periods.iter().flat_map(|rule| {
        let why = rule.why.map_or_else(String::new, |why| format!(": {why}"));
        entry(rule.key, &format!("{}{why}", rule.must))
    }));
    lines.extend(card.settings.iter().flat_map(|setting| entry("setting", &told(setting))));
    let of_this: Vec<&str> =
        labs.iter().filter(|lab| lab.card.name == card.name).map(|lab| lab.name.as_str()).collect();
    lines.extend(entry("labs", &of_this.join(", ")));
    lines.extend(card.holes().iter().flat_map(|hole| entry("hole", &of_hole(hole, card))));
    lines.extend(listed(card.listing));
    lines
}

/// A listing, procedure by procedure.
pub(super) fn listed(listing: &[Line]) -> Vec<String> {
    let (mut lines, mut procedure) = (Vec::new(), "");
    for line in listing {
        if line.procedure != procedure {
            procedure = line.procedure;
            lines.extend([String::new(), procedure.to_owned()]);
        }
        lines.extend(entry(&format!("{:>8}", line.number), &line.text()));
    }
    lines
}

/// A word at the edge, and a text beside it.
pub(super) fn entry(word: &str, text: &str) -> Vec<String> {
    let parts = wrapped(text, COLUMNS - INDENT);
    let rows = parts.iter().enumerate();
    rows.map(|(index, part)| format!("  {:<9} {part}", if index == 0 { word } else { "" })).collect()
}

fn assumed(card: &Card) -> String {
    assumptions(card.needs)
}

/// Assumptions by number, each with what it says.
pub(super) fn assumptions(needs: &[Assumption]) -> String {
    let said = |assumption: &Assumption| format!("{} {}", assumption.number(), assumption.says());
    needs.iter().map(said).collect::<Vec<_>>().join("; ")
}

fn promised(card: &Card) -> String {
    card.promises.iter().map(|property| property.word()).collect::<Vec<_>>().join(", ")
}

fn ordered(card: &Card) -> String {
    card.orders.iter().map(|order| format!("{order} N")).collect::<Vec<_>>().join(", ")
}

/// The number, its place in the paper, what goes wrong, what shows it, and which holes belong to it.
fn of_hole(hole: &HoleCard, card: &Card) -> String {
    let shown = match hole.shown_by {
        ShownBy::Lab(name) => format!("lab {name}"),
        ShownBy::Test(_) => "shown by a test".to_owned(),
    };
    let with =
        hole.goes_with(card.holes()).map_or_else(String::new, |first| format!("; together with {}", first.number));
    let HoleCard { number, stands_in, title, .. } = hole;
    format!("{number} ({stands_in}): {title} ({shown}{with})")
}

/// The name of a setting, what it takes, its default, and what it does.
pub(super) fn told(setting: &SettingCard) -> String {
    let takes = match setting.kind {
        SettingKind::Holes(_) => "true, false, or a list of the holes to mend; without it true".to_owned(),
        SettingKind::Flag { default } => format!("true or false; without it {default}"),
        SettingKind::Word(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            format!("{}; without it {}", words.join(" or "), words[0])
        }
        SettingKind::Nodes => "a list of nodes such as \"1-3\"; without it all".to_owned(),
        SettingKind::NodesOrNone => "a list of nodes such as \"1-3\", or \"none\"; without it all".to_owned(),
        SettingKind::Numbers => "a number for each node, such as [3, 9, 4]".to_owned(),
        SettingKind::Number { default, .. } => format!("a number; without it {default}"),
    };
    format!("{} ({takes}): {}", setting.name, setting.about)
}

fn object(card: &Card, labs: &[Lab]) -> String {
    let settings: Vec<&str> = card.settings.iter().map(|setting| setting.name).collect();
    let labs: Vec<&str> = labs.iter().filter(|lab| lab.card.name == card.name).map(|lab| lab.name.as_str()).collect();
    let needs: Vec<u8> = card.needs.iter().copied().map(Assumption::number).collect();
    let promises: Vec<&str> = card.promises.iter().copied().map(Property::word).collect();
    let listing: Vec<_> = card.listing.iter().map(listed_line).collect();
    let shown = |hole: &HoleCard| match hole.shown_by {
        ShownBy::Lab(name) => json!({"lab": name}),
        ShownBy::Test(name) => json!({"test": name}),
    };
    let holes: Vec<_> = card
        .holes()
        .iter()
        .map(|hole| {
            let with = hole.goes_with(card.holes()).map(|first| first.number);
            json!({
                "number": hole.number, "title": hole.title, "stands_in": hole.stands_in, "letter": hole.letter,
                "goes_with": with, "shown_by": shown(hole),
            })
        })
        .collect();
    json!({
        "v": 1, "name": card.name, "title": card.title, "paper": card.paper, "t_bounds": card.t_bounds.says(),
        "assumes": needs, "promises": promises, "time_bound": card.time_bound.text,
        "quiet_bound": card.quiet_bound.text, "message_bound": card.message_bound, "nodes_max": card.nodes_max,
        "numbers": card.numbers.says(), "orders": card.orders, "settings": settings, "labs": labs, "holes": holes, "listing": listing,
    })
    .to_string()
}

/// A line of a listing; a row of a table has its columns too.
fn listed_line(line: &Line) -> serde_json::Value {
    let mut object = json!({"number": line.number, "procedure": line.procedure, "text": line.text()});
    if let Some(row) = line.row() {
        let said = |column: &'static str| Some(column).filter(|column| !column.is_empty());
        let phases: Vec<&str> = row.phases.into_iter().flatten().collect();
        let events: Vec<&str> = row.events.into_iter().flatten().collect();
        object["row"] = json!({
            "phases": phases, "events": events, "guard": said(row.guard), "sets": said(row.sets),
            "sends": said(row.sends), "timer": said(row.timer), "next": row.next,
        });
    }
    object
}

#[cfg(test)]
mod tests {
    use registry::BUILT_IN;

    use super::*;

    #[test]
    fn every_card_is_told_and_has_something_to_say_everywhere() {
        let labs = built_in::parsed().unwrap();
        for card in BUILT_IN.cards() {
            let lines = whole(card, &labs);
            for line in &lines {
                assert!(line.chars().count() <= COLUMNS, "{line}");
            }
            let whole = lines.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
            for (word, said) in [
                ("from", card.paper),
                ("time", card.time_bound.text),
                ("messages", card.message_bound),
                ("orders", &ordered(card)),
                ("assumes", &assumed(card)),
            ] {
                let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(!said.is_empty() && whole.contains(&format!("{word} {said}")), "{}: {word} {said}", card.name);
            }
            assert!(
                card.holes().iter().all(|hole| whole.contains(&format!("hole {} (", hole.number))),
                "{}",
                card.name
            );
            let first_words =
                |property: &Property| property.sentence().split(' ').take(4).collect::<Vec<_>>().join(" ");
            for property in card.promises {
                assert!(whole.contains(&format!("{}: {}", property.word(), first_words(property))), "{}", card.name);
            }
            assert!(card.settings.iter().all(|setting| whole.contains(&format!("setting {} (", setting.name))));
            assert!(labs.iter().any(|lab| lab.card.name == card.name), "{} has no lab", card.name);
        }
    }

    #[test]
    fn an_object_tells_the_same() {
        let labs = built_in::parsed().unwrap();
        let bully = BUILT_IN.card("bully").unwrap();
        let object: serde_json::Value = serde_json::from_str(&object(bully, &labs)).unwrap();
        assert_eq!((object["name"].as_str(), object["assumes"][8].as_u64()), (Some("bully"), Some(9)));
        assert_eq!(object["promises"], json!(["assertion-1", "assertion-2"]));
        assert_eq!(object["listing"].as_array().unwrap().len(), bully.listing.len());
        assert_eq!(object["holes"][0]["shown_by"], json!({"lab": "bully-pause"}));
        assert_eq!(object["orders"], json!(["elect", "start-over"]));
        assert!(object["labs"].as_array().unwrap().contains(&json!("first")));
    }

    #[test]
    fn a_row_of_a_table_has_its_columns() {
        let line = BUILT_IN.card("king-ni-c").unwrap().listing.iter().find(|line| line.number == 9).unwrap();
        let row = json!({
            "phases": ["coll2"], "events": ["elected from j"], "guard": null, "sets": "S+=j",
            "sends": "broadcast dup i,j", "timer": null, "next": "coll3",
        });
        assert_eq!(listed_line(line)["row"], row);
    }

    #[test]
    fn a_table_is_drawn_with_an_edge_a_row_and_phase() {
        let drawn = graph(BUILT_IN.card("king-ni-c").unwrap());
        assert_eq!(drawn[0], r#"  "normal" -> "coll1" [label="1: begins, a candidate"];"#);
        assert!(drawn.contains(&r#"  "coll3" -> "coll3" [label="114: init,w from j", style=dashed];"#.to_owned()));
        assert!(graph(BUILT_IN.card("bully").unwrap()).is_empty());
    }
}
