//! The Card: what an algorithm says of itself, and the facts a session carries of it.
//!
//! Invariant: drivers, judge and panels learn everything they need about an algorithm from its Card or from the
//! [`Facts`] made of it, and never ask for its name.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{
    APPLICATION_LINES, ApplicationFacts, Assumption, HoleCard, HoleFact, HoleStanding, KeyUse, Lie, NODES_MAX, Order,
    Property, Rank, SettingCard, SettingKind, Settings, Span, Status, Timing,
};

/// What an algorithm says of itself.
#[derive(Copy, Clone, Debug)]
pub struct Card {
    /// The name in lab files, such as `bully`.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// Where it is defined.
    pub paper: &'static str,
    /// The number in every datagram, fixed for ever.
    pub wire: u8,
    /// Which of two nodes outranks the other.
    pub rank: Rank,
    /// The operator's orders that it knows.
    pub orders: &'static [Order],
    /// The paper's procedures or transitions in our words.
    pub listing: &'static [Line],
    /// How the paper writes it.
    pub listing_form: ListingForm,
    /// The kinds of its messages: what [`super::Described::kind`] may answer.
    pub messages: &'static [&'static str],
    /// Those of them by which a member joins the group of a coming coordinator.
    pub hands_in: &'static [&'static str],
    /// Those of them by which the coordinator gives out the task definition.
    pub hands_out: &'static [&'static str],
    /// Those of them that it sends at every period while nothing happens: heartbeats, checks and their answers.
    pub periodic: &'static [&'static str],
    /// Where its processes play dead, if they do.
    pub plays_dead: Option<PlaysDead>,
    /// The words for the states: what [`super::StateVector::word`] may be.
    pub words: &'static [&'static str],
    /// What T bounds in its paper.
    pub t_bounds: TBounds,
    /// The channel of its messages.
    pub channel: Channel,
    /// Whether the order filter stands before it.
    pub delivery: Delivery,
    /// Whether its processes sign what they say.
    pub keys: KeyUse,
    /// The lies for which it has messages, beside those that need none.
    pub lies: &'static [Lie],
    /// Whether its groups have numbers.
    pub groups: Groups,
    /// Whether the numbers of its coordinators rise from one to the next.
    pub numbers: CoordinatorNumbers,
    /// What it assumes.
    pub needs: &'static [Assumption],
    /// What it promises.
    pub promises: &'static [Property],
    /// The promises that it does not make with these settings and this number of nodes. A setting that shows a hole on
    /// purpose takes some away.
    pub withholds: fn(&Settings, u16) -> &'static [Property],
    /// How long one election may take.
    pub time_bound: Formula,
    /// How long after the last fault all nodes agree.
    pub quiet_bound: Formula,
    /// How many messages one election may take, as a formula.
    pub message_bound: &'static str,
    /// The most nodes it may have.
    pub nodes_max: u16,
    /// The own settings; the one for the holes of its paper is among them.
    pub settings: &'static [SettingCard],
    /// What must hold between its periods.
    pub periods: &'static [PeriodRule],
}

/// A line's number in its listing; for a transition table the paper's own transition number, and from
/// [`BESIDE_THE_TABLE`] on for lines that the table does not have.
pub type LineNumber = u16;

/// The first number of lines that are not in a paper's table: the mends of its holes, and the watch over the master.
const BESIDE_THE_TABLE: LineNumber = 100;

/// One line of a listing.
#[derive(Copy, Clone, Debug)]
pub struct Line {
    /// The number by which the machine cites it.
    pub number: LineNumber,
    /// The paper's procedure or phase.
    pub procedure: &'static str,
    /// What it does.
    pub does: LineText,
    /// Which processes go through it.
    pub taken_by: LineTaker,
}

/// What a line does.
#[derive(Copy, Clone, Debug)]
pub enum LineText {
    /// In our words.
    Words(&'static str),
    /// In the columns of a paper's table.
    Row(Transition),
}

/// The row of a table of transitions. What the paper leaves blank is empty.
#[derive(Copy, Clone, Debug)]
pub struct Transition {
    /// The phases in which it counts.
    pub phases: [Option<&'static str>; Transition::PHASES_MAX],
    /// What comes in: one of these.
    pub events: [Option<&'static str>; Transition::EVENTS_MAX],
    /// What must hold besides.
    pub guard: &'static str,
    /// What becomes of the variables.
    pub sets: &'static str,
    /// What is sent.
    pub sends: &'static str,
    /// The timer that is set.
    pub timer: &'static str,
    /// The next phase, if the row says one.
    pub next: Option<&'static str>,
}

/// Which processes go through a line.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineTaker {
    /// Those that run.
    #[default]
    Running,
    /// Only one that is killed. It takes no more steps, so no record shows it.
    Killed,
}

/// How the listing of a paper is written.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListingForm {
    /// As procedures.
    #[default]
    Procedures,
    /// As a table of transitions, which are cited by their numbers.
    Table,
}

impl Line {
    /// A line that running processes go through.
    pub const fn new(number: LineNumber, procedure: &'static str, text: &'static str) -> Line {
        Line { number, procedure, does: LineText::Words(text), taken_by: LineTaker::Running }
    }

    /// A line that only a killed process could go through.
    pub const fn of_killed(number: LineNumber, procedure: &'static str, text: &'static str) -> Line {
        Line { taken_by: LineTaker::Killed, ..Line::new(number, procedure, text) }
    }

    /// A line that is a row of a table.
    pub const fn of_row(number: LineNumber, procedure: &'static str, row: Transition) -> Line {
        Line { does: LineText::Row(row), ..Line::new(number, procedure, "") }
    }

    /// The columns, if it is a row of a table.
    pub fn row(&self) -> Option<&Transition> {
        match &self.does {
            LineText::Words(_) => None,
            LineText::Row(row) => Some(row),
        }
    }

    /// What it does, in our words.
    pub fn text(&self) -> Cow<'static, str> {
        match self.does {
            LineText::Words(text) => text.into(),
            LineText::Row(row) => row.text(self.procedure).into(),
        }
    }
}

impl Transition {
    /// In how many phases one row may count.
    pub const PHASES_MAX: usize = 4;

    /// How many events one row may be about.
    pub const EVENTS_MAX: usize = 2;

    /// The row as one sentence. The phase is left out if the procedure says it.
    fn text(&self, procedure: &str) -> String {
        let phases: Vec<&str> = self.phases.into_iter().flatten().collect();
        let present = if phases == [procedure] { String::new() } else { phases.join(", ") + ": " };
        let next = self.next.filter(|next| phases != [*next]).map(|next| format!("to {next}"));
        let outputs = [self.sets, self.sends, self.timer, next.as_deref().unwrap_or_default()];
        let outputs: Vec<&str> = outputs.into_iter().filter(|output| !output.is_empty()).collect();
        format!("{present}{}: {}", self.input(), outputs.join("; "))
    }

    /// What comes in, with what must hold besides.
    pub fn input(&self) -> String {
        let events: Vec<&str> = self.events.into_iter().flatten().collect();
        let guard = if self.guard.is_empty() { "" } else { ", " };
        format!("{}{guard}{}", events.join(" or "), self.guard)
    }
}

/// The lines of a listing between which a process keeps silent towards all that it outranks, so that they find it dead.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlaysDead {
    /// PlayDead.
    pub from: LineNumber,
    /// PlayAlive.
    pub until: LineNumber,
}

/// What T bounds: the papers differ.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TBounds {
    /// A call and its answer (Garcia-Molina; the book's T = 2Tm + Tp). One way may take T/2.
    CallAndAnswer,
    /// One way of a broadcast (King, Gendreau and Ni). One way may take T.
    Broadcast,
    /// The same, over the ordered broadcast, which delivers it after Delta, less than T (see [`delta`](super::delta)).
    /// In that time it takes two hops, to a node that relays it and from there, so one datagram may take Delta/2.
    OrderedBroadcast,
    /// One way of a message (Stoller's delta). One way may take T.
    Message,
}

impl TBounds {
    /// As a fragment: `one way of a broadcast`.
    pub fn says(self) -> &'static str {
        match self {
            TBounds::CallAndAnswer => "a call and its answer (one way: T/2)",
            TBounds::Broadcast => "a broadcast, one way",
            TBounds::OrderedBroadcast => {
                "a broadcast, one way: it is delivered after Delta (3/4 T), and a datagram may take Delta/2 (3/8 T)"
            }
            TBounds::Message => "a message, one way",
        }
    }

    /// The most one message may take, one way.
    pub fn one_way(self, t: Span) -> Span {
        match self {
            TBounds::CallAndAnswer => t / 2,
            TBounds::Broadcast | TBounds::OrderedBroadcast | TBounds::Message => t,
        }
    }
}

/// The channel of an algorithm's messages.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// Unicast datagrams only.
    Unicast,
    /// Multicast too; without it the lab cannot run.
    Multicast,
}

/// Whether messages pass the order filter (assumption 7).
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// A message older than one already delivered on its link is dropped.
    InOrder,
    /// Messages are delivered as they come.
    AsItComes,
    /// Broadcasts go through the ordered broadcast; unicasts through the order filter.
    OrderedBroadcast,
}

/// Whether an algorithm's groups have numbers.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Groups {
    /// A group is known by its number.
    Numbered,
    /// A group is the set of nodes under one coordinator.
    ByCoordinator,
}

/// Whether an algorithm numbers its coordinators, and whether a later one has a higher number, with the reason as a
/// sentence. Later is, by happened-before, who could have heard that the other came to Normal when it entered its own
/// election.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum CoordinatorNumbers {
    /// The later one has the higher number.
    Rise(&'static str),
    /// Tell coordinators apart; that one is higher says nothing.
    Differ(&'static str),
    /// There are none.
    None(&'static str),
}

impl CoordinatorNumbers {
    /// As a fragment, with the reason.
    pub fn says(self) -> String {
        match self {
            CoordinatorNumbers::Rise(why) => format!("each is higher than those before it. {why}"),
            CoordinatorNumbers::Differ(why) => format!("they differ, and a later one may be lower. {why}"),
            CoordinatorNumbers::None(why) => format!("none. {why}"),
        }
    }
}

/// A bound as its formula and its value.
#[derive(Copy, Clone, Debug)]
pub struct Formula {
    /// As the paper or the notes write it.
    pub text: &'static str,
    /// The value for these periods, this number of nodes and these settings.
    pub value: fn(&Timing, u16, &Settings) -> Span,
}

/// Something that must hold between the periods of a lab, or between its nodes and its settings.
#[derive(Copy, Clone, Debug)]
pub struct PeriodRule {
    /// Which key of the lab file is wrong when it does not hold: `T`, `check`, `silence` or `nodes`.
    pub key: &'static str,
    /// What must hold, as a fragment: `silence must be longer than 4T`.
    pub must: &'static str,
    /// Why, as a fragment.
    pub why: Option<&'static str>,
    /// Whether it holds for these periods, this number of nodes and these settings.
    pub holds: fn(&Timing, u16, &Settings) -> bool,
}

impl Card {
    /// The number in every datagram of an algorithm that says none. Those that are built in have lower ones.
    pub const OWN_WIRE: u8 = 128;

    /// The Card of an algorithm that says no more of itself: the rest is written over it, as in
    /// `Card { promises: &[Property::EndState], ..Card::new("mine", "My election") }`. Until then the algorithm sends
    /// unicast datagrams, which come as they come; the highest id outranks the others; it can be ordered to elect; it
    /// assumes the first ten assumptions, and promises nothing; an election is over, and all agree, after a check, a
    /// silence and 4T.
    pub const fn new(name: &'static str, title: &'static str) -> Card {
        const BOUND: Formula = Formula {
            text: "check + silence + 4T",
            value: |timing, _, _| timing.check + timing.silence + timing.t * 4,
        };
        Card {
            name,
            title,
            paper: "an algorithm of your own",
            wire: Card::OWN_WIRE,
            rank: Rank::HigherId,
            orders: &[Order::Elect],
            listing: &[],
            listing_form: ListingForm::Procedures,
            messages: &[],
            hands_in: &[],
            hands_out: &[],
            periodic: &[],
            plays_dead: None,
            words: Status::WORDS,
            t_bounds: TBounds::Message,
            channel: Channel::Unicast,
            delivery: Delivery::AsItComes,
            keys: KeyUse::None,
            lies: &[],
            groups: Groups::ByCoordinator,
            numbers: CoordinatorNumbers::None("Nothing is said of numbers."),
            needs: Assumption::first(10),
            promises: &[],
            withholds: |_, _| &[],
            time_bound: BOUND,
            quiet_bound: BOUND,
            message_bound: "nothing is said of it",
            nodes_max: NODES_MAX,
            settings: &[],
            periods: &[],
        }
    }

    /// The lies that its processes can tell, in the order of [`Lie::ALL`].
    pub fn told_lies(&self) -> Vec<Lie> {
        Lie::ALL.into_iter().filter(|lie| Lie::OF_ALL.contains(lie) || self.lies.contains(lie)).collect()
    }

    /// The holes of its paper.
    pub fn holes(&self) -> &'static [HoleCard] {
        let holes = |setting: &SettingCard| match setting.kind {
            SettingKind::Holes(holes) => Some(holes),
            _ => None,
        };
        self.settings.iter().find_map(holes).unwrap_or_default()
    }

    /// The numbers of the holes that the algorithm has with these settings.
    pub fn open_holes(&self, settings: &Settings) -> Vec<&'static str> {
        let is_open = |hole: &&HoleCard| hole.standing(settings, self.holes()) == HoleStanding::Open;
        self.holes().iter().filter(is_open).map(|hole| hole.number).collect()
    }

    /// What a session's head says of the algorithm, for these periods, this number of nodes and these settings.
    pub fn facts(&self, timing: &Timing, nodes: u16, settings: &Settings) -> Facts {
        Facts {
            name: self.name.to_owned(),
            title: self.title.to_owned(),
            paper: self.paper.to_owned(),
            rank: self.rank,
            listing: self.listing.iter().map(ListingLine::of).collect(),
            listing_form: self.listing_form,
            holes: self.holes().iter().map(|hole| hole.fact(settings, self.holes())).collect(),
            periodic: self.periodic.iter().map(|kind| (*kind).to_owned()).collect(),
            plays_dead: self.plays_dead,
            t_bounds: self.t_bounds,
            channel: self.channel,
            groups: self.groups,
            needs: self.needs.to_vec(),
            promises: self.promises.to_vec(),
            withheld: (self.withholds)(settings, nodes).to_vec(),
            application: None,
            one_way_bound: self.t_bounds.one_way(timing.t),
            time_bound: (self.time_bound.value)(timing, nodes, settings),
            time_bound_text: self.time_bound.text.to_owned(),
            quiet_bound: (self.quiet_bound.value)(timing, nodes, settings),
            quiet_bound_text: self.quiet_bound.text.to_owned(),
            message_bound_text: self.message_bound.to_owned(),
        }
    }
}

/// A Card as a session carries it: its formulas computed for the lab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// [`Card::name`].
    pub name: String,
    /// [`Card::title`].
    pub title: String,
    /// [`Card::paper`].
    pub paper: String,
    /// [`Card::rank`].
    #[serde(default)]
    pub rank: Rank,
    /// [`Card::listing`].
    pub listing: Vec<ListingLine>,
    /// [`Card::listing_form`].
    #[serde(default)]
    pub listing_form: ListingForm,
    /// [`Card::holes`]. An older session does not say them.
    #[serde(default)]
    pub holes: Vec<HoleFact>,
    /// [`Card::periodic`].
    #[serde(default)]
    pub periodic: Vec<String>,
    /// [`Card::plays_dead`]. An older session does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plays_dead: Option<PlaysDead>,
    /// [`Card::t_bounds`].
    pub t_bounds: TBounds,
    /// [`Card::channel`].
    pub channel: Channel,
    /// [`Card::groups`].
    pub groups: Groups,
    /// [`Card::needs`].
    pub needs: Vec<Assumption>,
    /// [`Card::promises`].
    pub promises: Vec<Property>,
    /// [`Card::withholds`]. They are judged all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<Property>,
    /// What the lab's application says of itself, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<ApplicationFacts>,
    /// The most one message may take, one way, in nanoseconds.
    pub one_way_bound: Span,
    /// The value of [`Card::time_bound`], in nanoseconds.
    pub time_bound: Span,
    /// The formula.
    pub time_bound_text: String,
    /// The value of [`Card::quiet_bound`], in nanoseconds.
    pub quiet_bound: Span,
    /// The formula.
    pub quiet_bound_text: String,
    /// [`Card::message_bound`].
    pub message_bound_text: String,
}

impl Facts {
    /// The listing's line of that number.
    pub fn line(&self, number: LineNumber) -> Option<&ListingLine> {
        self.listing.iter().find(|line| line.number == number)
    }

    /// How the log cites these lines, if the listing is a paper's table of transitions: `King/Ni B.2, transition 8`.
    /// Lines that the table does not have are cited by their procedure: `King/Ni C, transition 8, mend of hole 2`. The
    /// lines of an application are not the table's.
    pub fn cite(&self, lines: &[LineNumber]) -> Option<String> {
        if self.listing_form != ListingForm::Table {
            return None;
        }
        let mut cited = vec![self.title.clone()];
        let of_table = lines.iter().filter(|number| **number < APPLICATION_LINES);
        for line in of_table.filter_map(|number| self.line(*number)) {
            let words = match line.number {
                BESIDE_THE_TABLE.. => line.procedure.clone(),
                transition => format!("transition {transition}"),
            };
            if !cited.contains(&words) {
                cited.push(words);
            }
        }
        (cited.len() > 1).then(|| cited.join(", "))
    }
}

/// A [`Line`] as a session carries it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ListingLine {
    /// [`Line::number`].
    pub number: LineNumber,
    /// [`Line::procedure`].
    pub procedure: String,
    /// [`Line::text()`].
    pub text: String,
    /// [`Line::taken_by`].
    #[serde(default)]
    pub taken_by: LineTaker,
}

impl ListingLine {
    /// The line as a session has it.
    pub fn of(line: &Line) -> ListingLine {
        let Line { number, procedure, taken_by, .. } = *line;
        ListingLine { number, procedure: procedure.to_owned(), text: line.text().into_owned(), taken_by }
    }
}
