//! The `[application]` of a lab file: its name, and its own settings.
//!
//! Invariant: an application is taken only with an algorithm whose messages carry what it hands in and out.

use super::Lab;
use super::parse::{only_settings_of, setting_value};
use super::reader::{PlacedTable, Reader, did_you_mean};
use crate::application::{APPLICATIONS, LOG_SETTING};
use crate::protocol::{ApplicationCard, Card, Facts, NodeSet, Settings};

/// The key of its name.
const NAME: &str = "name";

/// What the steps and expectations of a lab may speak of, as far as it is known.
#[derive(Copy, Clone, Default)]
pub(super) struct Known {
    pub card: Option<Card>,
    pub all: Option<NodeSet>,
    /// The application, if there is one.
    pub application: Option<&'static ApplicationCard>,
    /// How many shards there are to compute.
    pub shards: Option<u16>,
    /// For how many updates a log has room.
    pub log: Option<u32>,
}

impl Known {
    /// What is known of a lab with these.
    pub fn of(card: Option<Card>, all: Option<NodeSet>, settings: Option<&Settings>) -> Known {
        let given = settings.and_then(Settings::application);
        let application = given.and_then(|(name, _)| APPLICATIONS.iter().find(|card| card.name == name));
        let facts = application.zip(given).and_then(|(card, (_, own))| (card.shards)(own));
        let shards = settings.map(|_| facts.map_or(0, |facts| facts.shards));
        let log = given.and_then(|(_, own)| own.number_if_any(LOG_SETTING));
        let log = settings.map(|_| log.unwrap_or(0) as u32);
        Known { card, all, application, shards, log }
    }
}

/// These settings with the application, if the lab has one.
pub(super) fn application<'a>(
    reader: &mut Reader<'a>,
    table: &PlacedTable<'a>,
    card: Option<Card>,
    all: Option<NodeSet>,
    settings: Option<Settings>,
) -> Option<Settings> {
    let Some(value) = table.entries.get("application") else { return settings };
    let given = reader.table(value, "application table")?;
    let name = reader.required(&given, NAME, "name = \"shards\"");
    let name = name.and_then(|value| reader.text(value, "an application's name such as \"shards\""))?;
    let Some(application) = APPLICATIONS.iter().find(|application| application.name == name.value) else {
        let names: Vec<&str> = APPLICATIONS.iter().map(|application| application.name).collect();
        let what = format!("there is no application `{}`", name.value);
        reader.wrong(name.at, what, did_you_mean(name.value, &names), format!("there are {}", names.join(", ")));
        return None;
    };
    if let Some(card) = card.filter(|card| card.hands_out.is_empty()) {
        let what = format!("{} gives out no task, and {} needs one", card.name, application.name);
        let remedy = "take an algorithm that gives out a task at reorganization: bully or invitation";
        reader.wrong(name.at, what, "expected another algorithm, or no application", remedy);
        return None;
    }
    let names: Vec<&'static str> =
        std::iter::once(NAME).chain(application.settings.iter().map(|setting| setting.name)).collect();
    only_settings_of(reader, &given, application.name, &names);
    let mut own = Settings::defaults(application.settings, all.unwrap_or_default());
    for setting in application.settings {
        if let Some(value) = given.entries.get(setting.name) {
            own = own.with(setting.name, setting_value(reader, (application.name, setting), value, all)?);
        }
    }
    settings.map(|settings| settings.with_application(application.name, own))
}

impl Lab {
    /// The Card of the lab's application, if it has one.
    pub fn application(&self) -> Option<&'static ApplicationCard> {
        let (name, _) = self.settings.application()?;
        APPLICATIONS.iter().find(|card| card.name == name)
    }

    /// What a session's head says of the lab's algorithm and application.
    pub fn facts(&self) -> Facts {
        let mut facts = self.card.facts(&self.timing, self.roster.len(), &self.settings);
        if let (Some(card), Some((_, settings))) = (self.application(), self.settings.application()) {
            card.add_to(&mut facts, settings);
        }
        facts
    }
}
