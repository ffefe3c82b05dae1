//! `hustings applications`: what the applications say of themselves, from their Cards.
//!
//! Invariant: the output says of an application only what its Card says.

use serde_json::json;

use super::algorithms::{assumptions, entry, listed, told};
use super::output::{remark, say};
use super::registry_in_use;
use super::{built_in, candidates, code, pager};

use lab::{Lab, near};
use protocol::{ApplicationCard, Assumption, Settings};

/// What `applications` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The application to describe in full, with its listing; without it, all applications in brief
    #[arg(add = candidates::application())]
    application: Option<String>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Describes one application, or all.
pub fn main(arguments: &Arguments) -> u8 {
    let labs = match built_in::parsed() {
        Ok(labs) => labs,
        Err(code) => return code,
    };
    let is_chosen = |card: &&ApplicationCard| arguments.application.as_ref().is_none_or(|name| card.name == name);
    let chosen: Vec<&ApplicationCard> = registry_in_use().application_cards().filter(is_chosen).collect();
    if let ([], Some(name)) = (chosen.as_slice(), &arguments.application) {
        let names: Vec<&'static str> = registry_in_use().application_cards().map(|card| card.name).collect();
        let meant = match near(name, &names).as_slice() {
            [] => format!("the applications are {}", names.join(", ")),
            near => format!("did you mean {}?", near.join(" or ")),
        };
        remark(format!("there is no application {name}; {meant}"));
        return code::USAGE;
    }
    if arguments.json {
        chosen.iter().for_each(|card| say(object(card, &labs)));
        return code::MET;
    }
    let told = chosen.iter().map(|card| match &arguments.application {
        Some(_) => [short(card), whole(card, &labs)].concat(),
        None => short(card),
    });
    // An empty line between two.
    pager::show_lines(&told.collect::<Vec<_>>().join(&String::new()))
}

fn short(card: &ApplicationCard) -> Vec<String> {
    let names = format!("{}  {}", card.name, card.title);
    let promises: Vec<&str> = card.promises.iter().map(|property| property.sentence()).collect();
    let lines = [entry("from", card.paper), entry("assumes", &assumed(card)), entry("promises", &promises.join(" "))];
    std::iter::once(names).chain(lines.into_iter().flatten()).collect()
}

/// What it needs by itself, and whether it needs what an algorithm needs.
fn assumed(card: &ApplicationCard) -> String {
    let mut bearers = registry_in_use().cards().filter(|of| card.demand.is_met_by(of));
    let own = assumptions(card.needs);
    match bearers.any(|of| !(card.needs_with)(of, &Settings::default()).is_empty()) {
        true => format!("{own}; and where an election alone keeps its promises, what the algorithm needs"),
        false => own,
    }
}

fn whole(card: &ApplicationCard, labs: &[Lab]) -> Vec<String> {
    let bearers: Vec<&str> =
        registry_in_use().cards().filter(|of| card.demand.is_met_by(of)).map(|of| of.name).collect();
    let mut lines = entry("with", &bearers.join(", "));
    if !card.orders.is_empty() {
        lines.extend(entry("orders", &card.orders.join(", ")));
    }
    lines.extend(card.settings.iter().flat_map(|setting| entry("setting", &told(setting))));
    lines.extend(entry("labs", &labs_of(card, labs).join(", ")));
    lines.extend(listed(card.listing));
    lines
}

fn labs_of<'a>(card: &ApplicationCard, labs: &'a [Lab]) -> Vec<&'a str> {
    let is_its = |lab: &&Lab| lab.settings.application().is_some_and(|(name, _)| name == card.name);
    labs.iter().filter(is_its).map(|lab| lab.name.as_str()).collect()
}

fn object(card: &ApplicationCard, labs: &[Lab]) -> String {
    let settings: Vec<&str> = card.settings.iter().map(|setting| setting.name).collect();
    let needs: Vec<u8> = card.needs.iter().copied().map(Assumption::number).collect();
    let promises: Vec<&str> = card.promises.iter().map(|property| property.word()).collect();
    let line = |line: &protocol::Line| json!({"number": line.number, "procedure": line.procedure, "text": line.text()});
    let listing: Vec<_> = card.listing.iter().map(line).collect();
    json!({
        "v": 1, "name": card.name, "title": card.title, "paper": card.paper, "assumes": needs, "promises": promises,
        "settings": settings, "orders": card.orders, "labs": labs_of(card, labs), "listing": listing,
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use registry::BUILT_IN;

    use super::*;
    use crate::cli::output::COLUMNS;

    #[test]
    fn every_application_has_labs_and_says_everything_in_few_columns() {
        let labs = built_in::parsed().unwrap();
        for card in BUILT_IN.application_cards() {
            assert!(!labs_of(card, &labs).is_empty(), "{} has no lab", card.name);
            let lines = [short(card), whole(card, &labs)].concat();
            assert!(lines.iter().all(|line| line.chars().count() <= COLUMNS), "{lines:#?}");
            let told = lines.join(" ");
            assert!(card.settings.iter().all(|setting| told.contains(setting.name)), "{told}");
            let object: serde_json::Value = serde_json::from_str(&object(card, &labs)).unwrap();
            assert_eq!(object["listing"].as_array().unwrap().len(), card.listing.len());
        }
    }
}
