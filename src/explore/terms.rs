//! What is explored of a lab: its periods in ticks, the faults that may come and when, the horizon.
//!
//! A message takes 0 or 1 tick. T is the fewest ticks that outlast what it bounds, whatever comes within a tick in which
//! order: a call and its answer take up to 2, so T is 3; one way takes up to 1, so T is 2. The other periods keep their
//! proportion to T, rounded up to ticks, and so that the Card's rules for them hold.
//!
//! Invariant: terms belong to a lab that can be explored; what cannot be is refused here, with its place in the file.

use std::sync::Arc;

use super::frame::{EXPLORED_NODES_MAX, FaultKind, FaultsLeft};
use super::question::{ExploredClaim, LabQuestion, QUESTION_NAMES};
use fault::{FaultLine, LinkRule, ProcessFault, Target};
use lab::{Lab, LabError, LabErrors, When, place_of};
use protocol::{CRITERION, Criterion, Delivery, KeyUse, NodeId, NodeSet, Order, Setup, Span, TBounds, Timing};

/// What a person asks for.
#[derive(Clone, Default, Debug)]
pub struct ExploreWish {
    /// How many of each kind of fault may come.
    pub faults: FaultsLeft,
    /// The nodes that are down from the start.
    pub down: NodeSet,
    /// The tick before which faults come; absent: two whole elections, or the horizon if that is earlier.
    pub faults_until: Option<u16>,
    /// The last tick; absent: the bound of quiet after the last fault.
    pub horizon: Option<u16>,
    /// The kinds of the messages that may be lost; empty: all.
    pub lost: Vec<String>,
    /// What is asked of states, beside the promises; at most [`super::QUESTIONS_MAX`].
    pub questions: Vec<LabQuestion>,
    /// The tick from which states are asked; absent: the horizon.
    pub asked_from: Option<u16>,
}

/// The terms of an exploration.
#[derive(Clone, Debug)]
pub struct ExploreTerms {
    pub lab: Arc<Lab>,
    /// What a command calls it: its file, or its name.
    pub called: String,
    /// The periods, in whole ticks.
    pub timing: Timing,
    /// The length of a tick.
    pub tick: Span,
    /// How many of each kind of fault may come.
    pub faults: FaultsLeft,
    /// The tick before which they come.
    pub faults_until: u16,
    /// The last tick.
    pub horizon: u16,
    /// How many ticks without a fault a property of rest needs.
    pub quiet: u16,
    /// The kinds of the messages that may be lost; empty: all.
    pub lost: Vec<String>,
    /// The nodes that are down from the start.
    pub down: NodeSet,
    /// The nodes that are ordered to hold an election at the start.
    pub electing: NodeSet,
    /// The links that are cut all the time.
    pub cut: Vec<(NodeId, NodeId)>,
    /// What is asked of states, beside the promises.
    pub questions: Vec<LabQuestion>,
    /// The tick from which they are asked.
    pub asked_from: u16,
    /// The names of the steps of the lab that are left out, because they come later.
    pub left_out: Vec<String>,
}

impl ExploreTerms {
    /// The terms for this lab; `file` is what an error calls it.
    ///
    /// # Errors
    /// Something of the lab cannot be explored: what, where, and what to do instead.
    pub fn new(lab: Arc<Lab>, file: &str, asked: &ExploreWish) -> Result<ExploreTerms, LabErrors> {
        let mut list = refusals(&lab);
        let (mut electing, mut cut, mut left_out) = (NodeSet::EMPTY, Vec::new(), Vec::new());
        for (place, step) in lab.steps.iter().enumerate() {
            if step.when != When::At(Span::ZERO) {
                left_out.push(step.name.clone());
                continue;
            }
            for line in &step.lines {
                match beginning(line, lab.roster.all()) {
                    Some(StartOrder::Elect(nodes)) => electing = electing.union(&nodes),
                    Some(StartOrder::Cut(rule)) if lab.card.delivery != Delivery::OrderedBroadcast => {
                        cut.extend(links_of(&rule, lab.roster.all()));
                    }
                    _ => list.push(not_at_the_start(&lab, place, line)),
                }
            }
        }
        if !list.is_empty() {
            return Err(LabErrors { file: file.to_owned(), text: lab.text.clone(), list });
        }
        let (timing, tick) = in_ticks(&lab);
        let ticks = |span: Span| u16::try_from(span.nanos().div_ceil(tick.nanos())).unwrap_or(u16::MAX);
        let nodes = lab.roster.len();
        let election = ticks((lab.card.time_bound.value)(&timing, nodes, &lab.settings));
        let quiet = ticks((lab.card.quiet_bound.value)(&timing, nodes, &lab.settings));
        let two = election.saturating_mul(2);
        let faults_until = asked.faults_until.unwrap_or(two).min(asked.horizon.unwrap_or(u16::MAX));
        let horizon = asked.horizon.unwrap_or(faults_until.saturating_add(quiet));
        let (faults, down, lost, questions) = (asked.faults, asked.down, asked.lost.clone(), asked.questions.clone());
        Ok(ExploreTerms {
            called: lab.name.clone(),
            lab,
            timing,
            tick,
            faults,
            faults_until,
            horizon,
            quiet,
            lost,
            down,
            electing,
            cut,
            questions,
            asked_from: asked.asked_from.unwrap_or(horizon),
            left_out,
        })
    }

    /// Whether the properties of rest can be judged at the horizon.
    pub fn comes_to_rest(&self) -> bool {
        self.faults_until.saturating_add(self.quiet) <= self.horizon
    }

    /// Whether links are cut for ever, so that the lab is never whole.
    pub fn is_never_whole(&self) -> bool {
        !self.cut.is_empty()
    }

    /// If processes may be paused, whether no pause can last for the lab's silence: then nobody is taken for dead because
    /// of one, unless an answer is missed.
    pub fn pauses_are_short(&self) -> bool {
        self.of(FaultKind::Pause) > 0 && u64::from(self.faults_until) <= self.ticks(self.timing.silence)
    }

    /// So many ticks of this lab.
    pub fn ticks(&self, span: Span) -> u64 {
        span.nanos().div_ceil(self.tick.nanos())
    }

    /// Whether messages of a link come in the order in which they were sent.
    pub fn keeps_order(&self) -> bool {
        self.lab.card.delivery != Delivery::AsItComes
    }

    /// The options of the command that ask for these terms, each with a space before it.
    pub fn options(&self) -> String {
        let down = if self.down.is_empty() { String::new() } else { format!(" --down {}", self.down) };
        let faults = FaultKind::ALL.into_iter().filter(|kind| self.of(*kind) > 0);
        let faults: String = faults.map(|kind| format!(" --{kind} {}", self.of(kind))).collect();
        let lost: String = self.lost.iter().map(|kind| format!(" --lost {kind}")).collect();
        let mut questions: String = self
            .questions
            .iter()
            .map(|question| format!(" --{} '{}'", question.holds_in.word(), question.condition))
            .collect();
        if !questions.is_empty() && self.asked_from != self.horizon {
            questions += &format!(" --from {}", self.asked_from);
        }
        format!("{down}{faults}{lost}{questions} --faults-until {} --horizon {}", self.faults_until, self.horizon)
    }

    /// The lab's promises and the questions, in their order, each with its name in a search.
    pub fn claims(&self) -> impl Iterator<Item = (&'static str, ExploredClaim)> {
        let promises =
            self.lab.card.promises.iter().map(|property| (property.word(), ExploredClaim::Promise(*property)));
        let questions = QUESTION_NAMES.into_iter().zip(&self.questions);
        promises.chain(questions.map(|(name, question)| (name, ExploredClaim::Question(question.clone()))))
    }

    /// Whether a broadcast comes to all in one order, to its sender too.
    pub fn is_ordered(&self) -> bool {
        self.lab.card.delivery == Delivery::OrderedBroadcast
    }

    /// How many more of this kind may come at first.
    pub fn of(&self, kind: FaultKind) -> u8 {
        self.faults[kind as usize]
    }

    /// The setup of a node's start.
    pub fn setup(&self, me: NodeId, incarnation: u8) -> Setup {
        Setup {
            me,
            roster: self.lab.roster,
            timing: self.timing,
            settings: self.lab.settings.clone(),
            incarnation: protocol::Incarnation(u32::from(incarnation)),
            keyring: None,
        }
    }

    /// For each of these nodes those that it is linked with both ways, itself among them.
    pub fn linked(&self, running: &NodeSet) -> Vec<NodeSet> {
        let is_cut = |a: NodeId, b: NodeId| self.cut.contains(&(a, b)) || self.cut.contains(&(b, a));
        running.iter().map(|node| running.iter().filter(|other| !is_cut(node, *other)).collect()).collect()
    }
}

/// The lab's periods in whole ticks, and the length of a tick.
fn in_ticks(lab: &Lab) -> (Timing, Span) {
    let of_t = match lab.card.t_bounds {
        TBounds::CallAndAnswer => 3,
        TBounds::Broadcast | TBounds::OrderedBroadcast | TBounds::Message => 2,
    };
    let t = lab.timing.t.nanos().max(1);
    let tick = Span::from_nanos((t / of_t).max(1));
    // Of T itself, which may not be a whole number of nanoseconds a tick.
    let whole = |span: Span| tick * span.nanos().saturating_mul(of_t).div_ceil(t);
    let mut timing = Timing { t: tick * of_t, check: whole(lab.timing.check), silence: whole(lab.timing.silence) };
    // Rounding may make two periods equal of which one must be longer.
    let holds = |timing: &Timing, key: &str| {
        let mut rules = lab.card.periods.iter().filter(|rule| rule.key == key);
        rules.all(|rule| (rule.holds)(timing, lab.roster.len(), &lab.settings))
    };
    for _ in 0..of_t * 2 {
        timing.check = if holds(&timing, "check") { timing.check } else { timing.check + tick };
        timing.silence = if holds(&timing, "silence") { timing.silence } else { timing.silence + tick };
    }
    (timing, tick)
}

/// What a step at the start may order.
enum StartOrder {
    Elect(NodeSet),
    Cut(LinkRule<Target>),
}

fn beginning(line: &FaultLine, all: NodeSet) -> Option<StartOrder> {
    match line {
        FaultLine::Process(ProcessFault::Elect, target) => target.known(all).map(StartOrder::Elect),
        FaultLine::Link(rule) if rule.effect.is_cut() => Some(StartOrder::Cut(rule.clone())),
        _ => None,
    }
}

fn links_of(rule: &LinkRule<Target>, all: NodeSet) -> Vec<(NodeId, NodeId)> {
    let Ok(rule) = rule.try_map(|target| target.known(all).ok_or(())) else { return Vec::new() };
    let pairs = all.iter().flat_map(|from| all.iter().map(move |to| (from, to)));
    pairs.filter(|(from, to)| from != to && rule.concerns(*from, *to)).collect()
}

/// What of the lab cannot be explored, but for its steps.
fn refusals(lab: &Lab) -> Vec<LabError> {
    let mut list = Vec::new();
    let card = &lab.card;
    let nodes = lab.roster.len();
    if lab.settings.application().is_some() {
        list.push(LabError {
            at: place_of(&lab.text, &["application"]),
            what: "an application cannot be explored".to_owned(),
            expected: "the explorer knows elections alone".to_owned(),
            remedy: "remove `[application]`; `hustings simulate` runs it with many seeds".to_owned(),
        });
    }
    if nodes > EXPLORED_NODES_MAX {
        list.push(LabError {
            at: place_of(&lab.text, &["nodes"]),
            what: format!("{nodes} nodes are too many to explore: {}", too_big(nodes)),
            expected: format!("expected {EXPLORED_NODES_MAX} nodes at most"),
            remedy: "leave out nodes: 3 show most of what the papers claim, 4 the rest".to_owned(),
        });
    }
    if card.keys == KeyUse::Signs {
        list.push(LabError {
            at: place_of(&lab.text, &["algorithm"]),
            what: format!("{} cannot be explored: its processes sign what they say", card.name),
            expected: "expected an algorithm without signatures".to_owned(),
            remedy: "`hustings simulate` runs it with many seeds".to_owned(),
        });
    }
    let changes = Criterion::of(&lab.settings).filter(|of| !matches!(of, Criterion::Id | Criterion::Fixed));
    if let Some(criterion) = changes {
        list.push(LabError {
            at: place_of(&lab.text, &["settings", CRITERION.name]),
            what: format!("a capacity by \"{}\" changes while the lab runs", criterion.word()),
            expected: "the explorer needs capacities that stay".to_owned(),
            remedy: format!("write {} = \"id\" or \"fixed\"", CRITERION.name),
        });
    }
    list
}

/// An estimate, from below: in the tick in which all nodes call each other, each of the n(n-1) questions and answers is
/// not sent, fresh, due or heard.
fn too_big(nodes: u16) -> String {
    let links = u32::from(nodes) * u32::from(nodes.saturating_sub(1));
    let digits = f64::from(links) * 4_f64.log10();
    format!("where all call each other, {links} messages have four places each, which is 10^{digits:.0} states")
}

fn not_at_the_start(lab: &Lab, step: usize, line: &FaultLine) -> LabError {
    let orders = Order::Elect.word();
    LabError {
        at: place_of(&lab.text, &["step", &step.to_string(), "do"]),
        what: format!("`{line}` cannot be explored"),
        expected: format!(
            "at the start the explorer takes `{orders} N`{}",
            if lab.card.delivery == Delivery::OrderedBroadcast { "" } else { " and cuts" }
        ),
        remedy: "remove the line, and ask for the faults in the options, such as --crashes 1 or --down 3".to_owned(),
    }
}
