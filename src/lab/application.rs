//! The `[application]` of a lab file: its name, and its own settings.
//!
//! Invariant: an application is taken only with an algorithm whose messages carry what it hands in and out.

use super::Lab;
use super::parse::{only_settings_of, setting_value};
use super::reader::{PlacedTable, Reader, did_you_mean};
use application::KnownLab;
use protocol::{
    ApplicationCard, CAPACITIES, CRITERION, Card, Criterion, Demand, Facts, MachineKind, NODES_MAX, NodeSet, Property,
    Registry, Roster, Settings,
};

/// The key of its name.
const NAME: &str = "name";

/// What the steps and expectations of a lab may speak of, as far as it is known.
#[derive(Copy, Clone, Default)]
pub(super) struct LabContext<'a> {
    pub card: Option<Card>,
    /// Those that elect.
    pub electors: Option<NodeSet>,
    /// All nodes, bystanders too.
    pub all: Option<NodeSet>,
    /// The application, if there is one.
    pub application: Option<&'static ApplicationCard>,
    /// What conditions of applications may ask of.
    pub lab: KnownLab<'a>,
}

impl<'a> LabContext<'a> {
    /// What is known of a lab with these.
    pub fn of(
        registry: Registry,
        card: Option<Card>,
        roster: Option<Roster>,
        settings: Option<&'a Settings>,
    ) -> LabContext<'a> {
        let (electors, all) = (roster.map(|roster| roster.electors().all()), roster.map(|roster| roster.all()));
        let given = settings.and_then(Settings::application);
        let application = given.and_then(|(name, _)| registry.application(name));
        let lab = KnownLab {
            application: application.zip(given.map(|(_, own)| own)),
            has_settings: settings.is_some(),
            has_nodes: all.is_some(),
            has_bystanders: electors != all,
        };
        LabContext { card, electors, all, application, lab }
    }
}

/// These settings with the application, if the lab has one, and the roster with its bystanders.
pub(super) fn application<'a>(
    reader: &mut Reader<'a>,
    table: &PlacedTable<'a>,
    (card, registry): (Option<Card>, Registry),
    roster: Option<Roster>,
    settings: Option<Settings>,
) -> Option<(Settings, Option<Roster>)> {
    let all = roster.map(|roster| roster.all());
    let Some(value) = table.entries.get("application") else { return Some((settings?, roster)) };
    let given = reader.table(value, "application table")?;
    let name = reader.required(&given, NAME, "name = \"shards\"");
    let name = name.and_then(|value| reader.text(value, "an application's name such as \"shards\""))?;
    let Some(application) = registry.application(name.value) else {
        let names: Vec<&str> = registry.application_cards().map(|application| application.name).collect();
        let what = format!("there is no application `{}`", name.value);
        reader.wrong(name.at, what, did_you_mean(name.value, &names), format!("there are {}", names.join(", ")));
        return None;
    };
    let demand = application.demand;
    if let Some(card) = card.filter(|card| !demand.is_met_by(card)) {
        let what = format!("{} {}, and {} needs that", card.name, demand.unmet(), application.name);
        let able: Vec<&str> = registry.cards().filter(|card| demand.is_met_by(card)).map(|card| card.name).collect();
        let remedy = format!("take an algorithm that {}: {}", demand.met(), able.join(", "));
        reader.wrong(name.at, what, "expected another algorithm, or no application", remedy);
        return None;
    }
    let criterion = settings.as_ref().and_then(Criterion::of).filter(|criterion| *criterion != Criterion::Fixed);
    if let (Demand::ElectsByWeight, Some(criterion)) = (demand, criterion) {
        let (key, fixed) = (CRITERION.name, Criterion::Fixed.word());
        let what = format!(
            "{} takes the capacities for the weights of the copies, and with {key} = \"{}\" the lab gives none",
            application.name,
            criterion.word()
        );
        let remedy = format!(
            "add `{key} = \"{fixed}\"` and a number for each node, `{} = [3, 1, 1]`, to [settings]",
            CAPACITIES.name
        );
        reader.wrong(name.at, what, format!("expected {key} = \"{fixed}\""), remedy);
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
    let whole = roster.and_then(|roster| roster.with_bystanders(application.bystanders));
    if let (Some(roster), None) = (roster, whole) {
        let most = NODES_MAX - application.bystanders;
        let (more, nodes) = (application.bystanders, roster.len());
        let what =
            format!("{} adds {more} to these {nodes} nodes, and a lab has {NODES_MAX} at most", application.name);
        reader.wrong(name.at, what, format!("expected {most} nodes at most"), "lower `nodes`");
        return None;
    }
    settings.map(|settings| (settings.with_application(application.name, own), whole))
}

impl Lab {
    /// The kind of its machines.
    pub fn kind(&self) -> MachineKind {
        self.registry.kind_of(self.card.name, &self.settings).expect("a lab's Card is one of its registry's")
    }

    /// The Card of the lab's application, if it has one.
    pub fn application(&self) -> Option<&'static ApplicationCard> {
        let (name, _) = self.settings.application()?;
        self.registry.application(name)
    }

    /// What neither its algorithm nor its application promises with its settings, although their Cards name it.
    pub fn withheld(&self) -> Vec<Property> {
        self.facts().withheld
    }

    /// What a session's head says of the lab's algorithm and application.
    pub fn facts(&self) -> Facts {
        let mut facts = self.card.facts(&self.timing, self.roster.electors().len(), &self.settings);
        if let (Some(card), Some((_, settings))) = (self.application(), self.settings.application()) {
            card.add_to(&mut facts, &self.card, &self.settings, settings);
        }
        facts
    }
}
