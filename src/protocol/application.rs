//! The form of every application: what an election is for, as a pure machine beside the one that elects.
//!
//! An application is told the state vector of its process, and sends messages of its own. It works in Normal only, and
//! hears nothing of another group, unless its Card says that all hear it: what stands around it (`machine/working`)
//! sees to both. What it knows goes to the coming coordinator, and what the coordinator defines comes back, with the
//! messages of the reorganization (Garcia-Molina 1982, section II: the task definition `d` is given out there).
//!
//! Invariant: an application cannot reach into an algorithm.

use std::fmt::{Debug, Display};
use std::hash::Hash;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    Assumption, CAPACITIES, CRITERION, Card, CoordinatorNumbers, Described, Line, LineNumber, NodeId, NodeSet,
    Property, SectionFacts, ServiceFacts, SettingCard, Settings, Setup, Span,
};
use super::{Facts, ListingLine, ShardFacts, StateVector, Work};

/// An application's machine at one node.
pub trait Application: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// What it sends.
    type Message: Clone + Ord + Hash + Debug + Serialize + DeserializeOwned + Described + Send + Sync + 'static;
    /// The timers by name. Each says what it waits for.
    type Timer: Copy + Ord + Hash + Debug + Display + Serialize + DeserializeOwned;
    /// What it keeps in safe cells.
    type Saved: Clone + Eq + Hash + Debug + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// What it says of itself.
    const CARD: ApplicationCard;

    /// A process starts, with what it saved last, if it has ever saved.
    fn start(setup: &Setup, settings: &Settings, saved: Option<Self::Saved>) -> Self;
    /// The process has started: before it hears or is told anything.
    fn on_start(&mut self, _: &mut ApplicationEffects<Self>) {}
    /// The process's state vector has changed.
    fn on_state(&mut self, state: &StateVector, effects: &mut ApplicationEffects<Self>);
    /// What its process stands with in an election, if the criterion of the lab gives it this capacity. -1 makes it a
    /// non-candidate. It counts at every input of the algorithm (King, Gendreau and Ni 1988, section 7: applications
    /// differ in their criterion functions).
    fn capacity(&self, given: i64) -> i64 {
        given
    }
    /// A message came from a process that this one hears ([`Hearers`]).
    fn on_message(&mut self, from: NodeId, message: Self::Message, effects: &mut ApplicationEffects<Self>);
    /// A timer that was set, and neither stopped nor set again, has run out.
    fn on_timer(&mut self, timer: Self::Timer, effects: &mut ApplicationEffects<Self>);
    /// [`Order::Update`], if the Card lists it: the operator adds this to the counter.
    fn on_update(&mut self, _value: i32, _: &mut ApplicationEffects<Self>) {}
    /// [`Order::Request`], if the Card lists it: a user asks for what the application does.
    fn on_request(&mut self, _: &mut ApplicationEffects<Self>) {}
    /// What this process tells the coming coordinator, with the message by which it joins the group.
    fn report(&self) -> Option<Self::Message> {
        None
    }
    /// Such a report came. The process is not at work yet.
    fn on_report(&mut self, _from: NodeId, _report: Self::Message, _: &mut ApplicationEffects<Self>) {}
    /// What the coordinator defines for its group, with the message that gives out the task. It reaches a member by
    /// [`Application::on_message`], right after the state in which the member is at work.
    fn definition(&self) -> Option<Self::Message> {
        None
    }
    /// The nodes whose answer the timer waits for.
    fn waits_for(&self, timer: Self::Timer) -> NodeSet;
    /// What panels and judge see.
    fn work(&self) -> Work;
}

/// What an application says of itself.
#[derive(Copy, Clone, Debug)]
pub struct ApplicationCard {
    /// The name in lab files, such as `shards`.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// Where it is defined.
    pub paper: &'static str,
    /// What it does, in our words. The numbers follow [`APPLICATION_LINES`].
    pub listing: &'static [Line],
    /// The kinds of its messages.
    pub messages: &'static [&'static str],
    /// Those of them that it sends again and again while nothing happens.
    pub periodic: &'static [&'static str],
    /// The own settings.
    pub settings: &'static [SettingCard],
    /// The words of the operator's orders that it knows, beside those of the algorithm.
    pub orders: &'static [&'static str],
    /// What it asks of the algorithm beside it.
    pub demand: Demand,
    /// Who hears its messages.
    pub hearers: Hearers,
    /// How many bystanders a lab with it has: processes of the application that do not elect.
    pub bystanders: u16,
    /// What it promises.
    pub promises: &'static [Property],
    /// Which of these it does not promise beside this algorithm, with these settings of a lab.
    pub withholds: fn(&Card, &Settings) -> &'static [Property],
    /// What its promises need, whatever elects.
    pub needs: &'static [Assumption],
    /// What they need besides, with this algorithm and these settings of a lab: all that the algorithm needs, if they hold
    /// only while its promises do.
    pub needs_with: fn(&Card, &Settings) -> &'static [Assumption],
    /// What the judge must know of its shards, with these settings.
    pub shards: fn(&Settings) -> Option<ShardFacts>,
    /// What the judge must know of its services, with these settings.
    pub services: fn(&Settings) -> Option<ServiceFacts>,
    /// What the judge must know of its critical section, with these settings.
    pub section: fn(&Settings) -> Option<SectionFacts>,
}

/// Who hears the messages of an application.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Hearers {
    /// The processes at work in the sender's group.
    Group,
    /// All processes that run, whatever their elections have come to.
    All,
}

/// What an application asks of the algorithm beside it.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Demand {
    /// The messages carry what the application hands in and out.
    GivesOutTask,
    /// Numbers its coordinators.
    NumbersCoordinators,
    /// Elects by capacity, and one process may begin an election for all.
    ElectsByCapacity,
    /// Nothing: the application does not care for who is elected.
    Nothing,
    /// So it does, and the capacities are numbers that the lab gives: the weights of copies.
    ElectsByWeight,
}

impl Demand {
    /// Whether the algorithm meets it.
    pub fn is_met_by(self, card: &Card) -> bool {
        match self {
            Demand::GivesOutTask => !card.hands_out.is_empty(),
            Demand::NumbersCoordinators => !matches!(card.numbers, CoordinatorNumbers::None(_)),
            Demand::ElectsByCapacity | Demand::ElectsByWeight => {
                let has_criterion = card.settings.iter().any(|setting| setting.name == CRITERION.name);
                has_criterion && !card.needs.contains(&Assumption::StartsTogether)
            }
            Demand::Nothing => true,
        }
    }

    /// What an algorithm does that does not meet it, as a fragment.
    pub fn unmet(self) -> &'static str {
        match self {
            Demand::GivesOutTask => "gives out no task",
            Demand::NumbersCoordinators => "does not number its coordinators",
            Demand::ElectsByCapacity | Demand::ElectsByWeight => {
                "does not elect by capacity, or lets no process begin for all"
            }
            Demand::Nothing => "elects nobody",
        }
    }

    /// What an algorithm does that meets it, as a fragment.
    pub fn met(self) -> &'static str {
        match self {
            Demand::GivesOutTask => "gives out a task at reorganization",
            Demand::NumbersCoordinators => "numbers its coordinators",
            Demand::ElectsByCapacity | Demand::ElectsByWeight => {
                "elects by capacity, and lets one process begin for all"
            }
            Demand::Nothing => "elects somebody",
        }
    }
}

impl ApplicationCard {
    /// What its promises need with this algorithm and these settings of a lab, in the order of the assumptions' numbers.
    fn all_needs(&self, card: &Card, of_lab: &Settings) -> Vec<Assumption> {
        let besides = (self.needs_with)(card, of_lab);
        let is_needed = |assumption: &Assumption| self.needs.contains(assumption) || besides.contains(assumption);
        Assumption::ALL.into_iter().filter(is_needed).collect()
    }

    /// Adds to what a session's head says of the algorithm what it says of an application with these settings, which the
    /// settings of the lab hold.
    pub fn add_to(&self, facts: &mut Facts, card: &Card, of_lab: &Settings, settings: &Settings) {
        facts.listing.extend(self.listing.iter().map(ListingLine::of));
        facts.promises.extend(self.promises);
        facts.withheld.extend((self.withholds)(card, of_lab));
        facts.periodic.extend(self.periodic.iter().map(|kind| (*kind).to_owned()));
        facts.application = Some(ApplicationFacts {
            name: self.name.to_owned(),
            title: self.title.to_owned(),
            bystanders: self.bystanders,
            needs: self.all_needs(card, of_lab),
            promises: self.promises.to_vec(),
            shards: (self.shards)(settings),
            services: (self.services)(settings),
            section: (self.section)(settings),
            weights: match self.demand {
                Demand::ElectsByWeight => of_lab.numbers(CAPACITIES.name).to_vec(),
                _ => Vec::new(),
            },
            orders: self.orders.iter().map(|word| (*word).to_owned()).collect(),
        });
    }
}

/// A Card of an application as a session carries it. Its listing and its promises stand with those of the algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApplicationFacts {
    /// [`ApplicationCard::name`].
    pub name: String,
    /// [`ApplicationCard::title`].
    pub title: String,
    /// [`ApplicationCard::bystanders`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bystanders: u16,
    /// [`ApplicationCard::needs`], and [`ApplicationCard::needs_with`].
    pub needs: Vec<Assumption>,
    /// [`ApplicationCard::promises`].
    pub promises: Vec<Property>,
    /// [`ApplicationCard::shards`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shards: Option<ShardFacts>,
    /// [`ApplicationCard::services`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub services: Option<ServiceFacts>,
    /// [`ApplicationCard::section`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<SectionFacts>,
    /// The weight of each process's copy, from node 1 on, if there are copies that are weighed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<u32>,
    /// [`ApplicationCard::orders`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub orders: Vec<String>,
}

fn is_zero(number: &u16) -> bool {
    *number == 0
}

/// The first number of an application's lines: no algorithm's listing comes up to it.
pub const APPLICATION_LINES: LineNumber = 1_000;

/// The line of every listing at which an application has begun an election.
pub const ELECTING_LINE: LineNumber = APPLICATION_LINES;

/// One thing that an application wants done.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum ApplicationEffect<P: Application> {
    /// Send to one node.
    Send {
        /// The receiver.
        to: NodeId,
        /// What.
        message: P::Message,
    },
    /// Start a timer, or start it again.
    SetTimer {
        /// Which.
        timer: P::Timer,
        /// How long.
        span: Span,
    },
    /// Stop a timer; nothing happens if it does not run.
    CancelTimer {
        /// Which.
        timer: P::Timer,
    },
    /// Begin an election at this process, as the operator's order does.
    Elect,
}

/// What an application returns for one input.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct ApplicationEffects<P: Application> {
    list: Vec<ApplicationEffect<P>>,
    lines: Vec<LineNumber>,
    saved: Option<P::Saved>,
}

impl<P: Application> Default for ApplicationEffects<P> {
    fn default() -> ApplicationEffects<P> {
        ApplicationEffects { list: Vec::new(), lines: Vec::new(), saved: None }
    }
}

impl<P: Application> ApplicationEffects<P> {
    /// Sends to one node.
    pub fn send(&mut self, to: NodeId, message: P::Message) {
        self.list.push(ApplicationEffect::Send { to, message });
    }

    /// Starts a timer, or starts it again.
    pub fn set_timer(&mut self, timer: P::Timer, span: Span) {
        self.list.push(ApplicationEffect::SetTimer { timer, span });
    }

    /// Stops a timer.
    pub fn cancel_timer(&mut self, timer: P::Timer) {
        self.list.push(ApplicationEffect::CancelTimer { timer });
    }

    /// Begins an election, and says so by its line. Where the process is in one already, the algorithm says what comes
    /// of it.
    pub fn elect(&mut self) {
        self.list.push(ApplicationEffect::Elect);
        self.lines.push(ELECTING_LINE);
    }

    /// Keeps this in the safe cells, before anything of this input leaves. The last one counts.
    pub fn save(&mut self, saved: P::Saved) {
        self.saved = Some(saved);
    }

    /// Says which line of the listing the machine is on.
    pub fn line(&mut self, line: LineNumber) {
        self.lines.push(line);
    }

    /// The effects in order, the lines that were gone through, and what is to be kept.
    pub fn into_parts(self) -> (Vec<ApplicationEffect<P>>, Vec<LineNumber>, Option<P::Saved>) {
        (self.list, self.lines, self.saved)
    }
}
