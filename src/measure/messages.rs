//! `measure messages`: what a leader's crash costs, for every algorithm (Stoller 1997, section 7, which compares the
//! Asynchronous Bully with Invitation).
//!
//! All start and come under one leader. For two check periods nothing happens: that is the steady state. Then the
//! leader crashes, and each process that still follows it is ordered to elect at its own moment, as if it had noticed
//! then: periods are so long that no detector is faster. What is sent from the crash until two check periods after all
//! agree counts, but for what is sent at every period anyway.
//!
//! How the crash is noticed decides much of the cost, so it is noticed in three ways: at once, within the time of one
//! message, and within that of 4n messages, which is twice a whole stage 2.
//!
//! Invariant: a failover is a function of its point and its seed; the intervals of all points hold together.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::Arc;

use rand_chacha::rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::measurement::{self, Measurement};
use super::plot::{Axis, Corner, Curve, Marks, SvgPlot};
use super::sample::{CONFIDENCE, Estimate, Sample, counts_told};
use super::trial::{RestChange, RestStates, dice, lab_text, nanos, plan, span};
use lab::{Lab, LabErrors, parse};
use protocol::{Card, NodeId, Registry, Span, Timing};
use record::{Body, EffectText, Record};
use sim::{NetworkKind, Simulated};
use world::SheetCell;

/// The bound T of the lab.
const T: Span = Span::from_millis(100);
/// For so many check periods the steady state is counted.
const STEADY: u64 = 2;
/// If nobody elects after so many T, all are ordered to.
const IDLE: u64 = 20;
/// By these messages the groups of Invitation find each other, until there is one.
const FINDS_BY: [&str; 2] = ["AreYouCoordinator", "AreYouCoordinatorAnswer"];
/// The messages of the Asynchronous Bully that Stoller counts.
const COUNTED: [&str; 4] = ["Halt", "Ack", "Rej", "Ldr"];
/// From so many processes on the two algorithms of Stoller's section 7 are compared.
const COMPARED_FROM: u16 = 16;

/// Messages by kind.
pub type Kinds = BTreeMap<Cow<'static, str>, u64>;

/// Algorithms with some numbers of processes, and each way in which a crash is noticed.
#[derive(Debug)]
pub struct MessagesMeasurement {
    points: Vec<FailoverPoint>,
}

/// One point: an algorithm, a number of processes that its Card allows, and how the crash is noticed.
#[derive(Clone, Debug)]
pub struct FailoverPoint {
    card: Card,
    /// How many processes there are, the leader among them.
    nodes: u16,
    noticing: Noticing,
    lab: Arc<Lab>,
}

/// How the processes that outlive the leader notice its crash.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Debug)]
pub enum Noticing {
    /// All at one moment.
    AtOnce,
    /// Each at a moment of its own, within the time that one message may take.
    WithinAMessage,
    /// Each at a moment of its own, within the time that 4n messages take, one after another.
    Within4n,
}

/// Failovers of one point, added up.
#[derive(Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct MessagesSum {
    /// How many failovers there were.
    pub held: u64,
    /// The messages of those after which all agreed; a broadcast is one.
    pub sent: Sample,
    /// The same, by kind.
    pub kinds: Kinds,
    /// The messages of each period that were sent from the crash until all agreed.
    pub periodic: Sample,
    /// The messages of the elections that had begun when the next in rank began one, with those of this one; only for
    /// the Asynchronous Bully.
    pub early: Sample,
    /// The messages of the steady state, in [`STEADY`] check periods.
    pub steady: Sample,
    /// How long after the crash all agreed, in microseconds.
    pub agreed_after_us: Sample,
}

/// A row: a point, its sum, and the estimated number of messages.
pub struct MessagesRow {
    point: FailoverPoint,
    sum: MessagesSum,
    sent: Option<Estimate>,
}

/// Follows the records of a failover: which messages are sent in which part of it, and since when all agree.
#[derive(Clone, Default, Debug)]
pub struct FailoverTrace {
    /// The states of the processes.
    pub states: RestStates,
    /// What the messages of the present part have come to.
    pub sent: Kinds,
    /// Of those that Stoller counts, how many in each election, in the order in which the elections began; kept only if
    /// it is asked for, because the names of elections cost time.
    by_election: Option<Vec<(String, u64)>>,
    /// Since when all that run agree, if they do, in nanoseconds.
    agreed_since: Option<i64>,
    /// The messages of the present part up to then.
    sent_till_agreed: Kinds,
}

/// A column of the sheet.
type Column = measurement::Column<MessagesRow>;

impl MessagesMeasurement {
    /// These algorithms with each of these numbers of processes that their Cards allow, noticed in each way.
    ///
    /// # Errors
    /// An algorithm takes no such lab: a bug of this program.
    pub fn new(registry: Registry, cards: &[Card], nodes: &[u16]) -> Result<MessagesMeasurement, LabErrors> {
        let sizes = cards.iter().flat_map(|card| nodes.iter().map(move |nodes| (card, *nodes)));
        let sizes = sizes.filter(|(card, nodes)| *nodes <= card.nodes_max);
        let points = sizes.flat_map(|(card, nodes)| {
            Noticing::ALL.into_iter().map(move |noticing| FailoverPoint::new(registry, *card, nodes, noticing))
        });
        Ok(MessagesMeasurement { points: points.collect::<Result<_, _>>()? })
    }
}

impl Measurement for MessagesMeasurement {
    type Point = FailoverPoint;
    type Sum = MessagesSum;
    type Row = MessagesRow;

    fn points(&self) -> &[FailoverPoint] {
        &self.points
    }

    fn look(&self, point: &FailoverPoint, seed: u64, sum: &mut MessagesSum) {
        sum.held += 1;
        point.fail_over(seed, sum);
    }

    fn rows(&self, sums: &[MessagesSum]) -> Vec<MessagesRow> {
        let row = |(point, sum): (&FailoverPoint, &MessagesSum)| MessagesRow {
            point: point.clone(),
            sum: sum.clone(),
            sent: sum.sent.estimate(sums.len()),
        };
        self.points.iter().zip(sums).map(row).collect()
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::text("algorithm", "algorithm", |row| row.point.card.name.to_owned()),
            Column::count("n", "processes", |row| row.point.nodes.into()),
            Column::text("seen", "noticed_within", |row| row.point.noticing.word().to_owned()),
            Column::count(None, "failovers", |row| row.sum.held),
            Column::count(None, "failovers_without_agreement", |row| row.sum.unsettled()),
            Column::number("mean", "mean_messages", 0, |row| row.sum.sent.mean()),
            Column::number("+-", "interval_messages", 0, |row| row.sent.map(|estimate| estimate.half)),
            Column::new("worst", "worst_messages", |row| {
                row.sum.sent.most().map_or(SheetCell::Nothing, SheetCell::Count)
            }),
            Column::number(None, "half_n_squared", 0, |row| Some(row.point.square() / 2.0)),
            Column::number("n*n", "n_squared", 0, |row| Some(row.point.square())),
            Column::number("/n*n", "mean_by_n_squared", 2, |row| row.by_square(&row.sum.sent)),
            Column::number("tally", "mean_tally_by_n_squared", 2, |row| row.by_square(&row.sum.early)),
            Column::number("others", "mean_periodic_messages_until_agreed", 0, |row| row.sum.periodic.mean()),
            Column::number("steady", "mean_steady_messages_per_check", 0, |row| {
                row.sum.steady.mean().map(|mean| mean / STEADY as f64)
            }),
            Column::number(None, "mean_agreed_after_ms", 0, |row| {
                row.sum.agreed_after_us.mean().map(|mean| mean / 1_000.0)
            }),
            Column::text(None, "mean_messages_by_kind", |row| {
                let MessagesSum { kinds, sent, .. } = &row.sum;
                let kinds =
                    kinds.iter().map(|(kind, count)| format!("{kind} {:.2}", *count as f64 / sent.count as f64));
                kinds.collect::<Vec<_>>().join("; ")
            }),
        ]
    }

    /// Messages for each process over the number of processes: of two algorithms however the crash is noticed, of more
    /// where it is noticed within T.
    fn plot(&self, _: &[MessagesSum], rows: &[MessagesRow]) -> Option<SvgPlot> {
        let mut names: Vec<&str> = rows.iter().map(|row| row.point.card.name).collect();
        names.dedup();
        let is_drawn = |row: &&MessagesRow| names.len() <= 2 || row.point.noticing == Noticing::WithinAMessage;
        let mut drawn: Vec<&MessagesRow> = rows.iter().filter(is_drawn).collect();
        drawn.sort_by_key(|row| row.point.noticing);
        let marks = Marks::by_name(drawn.into_iter().map(|row| {
            let n = f64::from(row.point.nodes);
            let mark = row.sent.map(|Estimate { mean, half }| (n, mean / n, half / n));
            (format!("{}, noticed {}", row.point.card.name, row.point.noticing.in_words()), mark)
        }));
        let most = f64::from(rows.iter().map(|row| row.point.nodes).max().unwrap_or(1));
        let curve =
            |name: &str, by: f64| Curve { name: Some(name.to_owned()), points: vec![(0.0, 0.0), (most, most * by)] };
        Some(SvgPlot {
            title: "What a leader's crash costs".to_owned(),
            x: Axis { label: "processes n".to_owned(), from: 0.0, to: most + 2.0 },
            y: Axis {
                label: "messages for each process (mean)".to_owned(),
                from: 0.0,
                to: Marks::highest(&marks, most) * 1.05,
            },
            legend: Corner::UpperLeft,
            curves: vec![curve("n*n messages in all", 1.0), curve("n*n/2 messages in all", 0.5)],
            marks,
        })
    }

    fn remarks(&self, _: &[MessagesSum], rows: &[MessagesRow]) -> Vec<String> {
        let mut remarks = vec![format!(
            "Messages from the crash of the leader on, but for those that are sent at every period; a broadcast is one. \
             Noticing costs nothing here: an order stands for it, so what a detector asks before, such as the question of \
             each Timeout of Bully, comes on top; `measure figures LAB --from STEP` counts it with the rest. \
             Each point is the mean of {} failovers; all {} intervals hold together with {:.0} % confidence. `seen`: \
             within what time the others notice the crash, all at once, each within the longest time T of one message, or \
             each within the time of 4n messages. Of Invitation the questions who coordinates count until all agree, for by \
             them its groups find each other. `tally`: the messages of the elections that had begun when the next in \
             rank began one, and of this one, by n*n, as Stoller counts. `others`: messages of each period until all \
             agreed. `steady`: messages in a check period while nothing happens; `check` is longer than 4n messages take.",
            counts_told(rows.iter().map(|row| row.sum.held)),
            rows.len(),
            100.0 * CONFIDENCE,
        )];
        let unsettled = rows.iter().filter(|row| row.sum.unsettled() > 0).map(|MessagesRow { point, sum, .. }| {
            let FailoverPoint { card, nodes, noticing, .. } = point;
            format!("{} with {nodes}, {}: {} of {}", card.name, noticing.in_words(), sum.unsettled(), sum.held)
        });
        let unsettled: Vec<String> = unsettled.collect();
        if !unsettled.is_empty() {
            let unsettled = unsettled.join("; ");
            remarks.push(format!("Failovers after which not all agreed, and which do not count: {unsettled}."));
        }
        remarks.extend(tally(rows));
        remarks.extend(compared(rows));
        let mut told: Vec<&str> = Vec::new();
        for card in rows.iter().map(|row| &row.point.card) {
            if !told.contains(&card.name) {
                told.push(card.name);
                remarks.push(format!("The bound of {}: {}.", card.name, card.message_bound));
            }
        }
        remarks
    }
}

/// Whether the paper's N*N/2 stands by its own tally.
fn tally(rows: &[MessagesRow]) -> Option<String> {
    let of = |noticing: Noticing| {
        let of = rows.iter().filter(|row| row.point.noticing == noticing && row.sum.early.count > 0);
        let row = of.max_by_key(|row| row.point.nodes)?;
        Some((row.point.nodes, row.by_square(&row.sum.early)?, row.by_square(&row.sum.sent)?))
    };
    let told: Vec<_> =
        Noticing::ALL.into_iter().map(|noticing| Some((noticing, of(noticing)?))).collect::<Option<_>>()?;
    let n = told.first()?.1.0;
    let parts = told.iter().map(|(noticing, (_, early, all))| {
        format!("{early:.2} n*n by the tally and {all:.2} n*n in all where it is noticed {}", noticing.in_words())
    });
    Some(format!(
        "Stoller's section 7 has n*n/2 messages on average for the Asynchronous Bully, n*n at worst. At n = {n} it takes {}.",
        parts.collect::<Vec<_>>().join(", ")
    ))
}

/// How many times as many messages Invitation takes as the Asynchronous Bully; the paper says twice.
fn compared(rows: &[MessagesRow]) -> Option<String> {
    let estimate = |name: &str, nodes: u16, noticing: Noticing| {
        let is_meant =
            |row: &&MessagesRow| (row.point.card.name, row.point.nodes, row.point.noticing) == (name, nodes, noticing);
        rows.iter().find(is_meant)?.sent
    };
    let of = rows.iter().filter(|row| row.point.card.name == "invitation" && row.point.nodes >= COMPARED_FROM);
    let quotients = of.filter_map(|row| {
        let FailoverPoint { nodes, noticing, .. } = row.point;
        let Estimate { mean, half } = row.sent?.over(estimate("async-bully", nodes, noticing)?);
        Some(format!("{mean:.2} +- {half:.2} (n = {nodes}, {})", noticing.in_words()))
    });
    let quotients: Vec<String> = quotients.collect();
    (!quotients.is_empty()).then(|| {
        format!(
            "Invitation takes so many times the messages of the Asynchronous Bully, and the paper has twice: {}.",
            quotients.join(", ")
        )
    })
}

impl MessagesRow {
    /// The mean of this sample by n*n.
    fn by_square(&self, sample: &Sample) -> Option<f64> {
        sample.mean().map(|mean| mean / self.point.square())
    }
}

impl Noticing {
    /// All of them.
    pub const ALL: [Noticing; 3] = [Noticing::AtOnce, Noticing::WithinAMessage, Noticing::Within4n];

    /// The word for it in a table.
    fn word(self) -> &'static str {
        match self {
            Noticing::AtOnce => "once",
            Noticing::WithinAMessage => "T",
            Noticing::Within4n => "4n",
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Noticing::AtOnce => "at once",
            Noticing::WithinAMessage => "within T",
            Noticing::Within4n => "within 4n messages' time",
        }
    }
}

impl FailoverPoint {
    fn new(registry: Registry, card: Card, nodes: u16, noticing: Noticing) -> Result<FailoverPoint, LabErrors> {
        let n = u64::from(nodes);
        // Longer than the noticing takes, and than what the Cards ask for.
        let check = card.t_bounds.one_way(T) * 2 * n + T * 20;
        let silence = check + T * n + T * 20;
        let text = lab_text(("failover", "The leader crashes."), card.name, nodes, 0, &Timing { t: T, check, silence });
        Ok(FailoverPoint { card, nodes, noticing, lab: Arc::new(parse("failover", &text, registry)?) })
    }

    /// Whether messages of this kind are sent at every period whatever happens: questions whether somebody is alive.
    /// Invitation asks at every period too who coordinates, but that is how its groups find each other.
    fn is_periodic(&self, kind: &str) -> bool {
        self.card.periodic.contains(&kind) && !(self.card.name == "invitation" && FINDS_BY.contains(&kind))
    }

    /// Within how long the crash is noticed. A message takes half of its bound on average.
    fn noticed_within(&self) -> Span {
        let one_way = self.card.t_bounds.one_way(T);
        match self.noticing {
            Noticing::AtOnce => Span::ZERO,
            Noticing::WithinAMessage => one_way,
            Noticing::Within4n => one_way * 2 * u64::from(self.nodes),
        }
    }

    /// n*n.
    fn square(&self) -> f64 {
        f64::from(self.nodes).powi(2)
    }

    /// Lets the leader crash with this seed, and adds what it costs; nothing if the processes did not come to agree,
    /// before the crash or after it.
    fn fail_over(&self, seed: u64, sum: &mut MessagesSum) -> Option<()> {
        let by_election = (self.card.name == "async-bully").then(Vec::new);
        let trace = RefCell::new(FailoverTrace { by_election, ..FailoverTrace::default() });
        let plan = plan(&self.lab, seed, NetworkKind::Even);
        let mut simulated = sim::start(&plan, Box::new(|record| trace.borrow_mut().take(record)));
        let simulated = simulated.as_mut();
        let leader = self.settle(simulated, &trace)?;
        trace.borrow_mut().begin();
        simulated.advance_to(simulated.now() + nanos(self.lab.timing.check * STEADY));
        let steady = trace.borrow().sent.values().sum();
        trace.borrow_mut().begin();
        let crashed_at = simulated.now();
        simulated.inject(&format!("crash {leader}"));
        self.notice(simulated, &trace, leader, seed);
        self.agree(simulated, &trace)?;
        let trace = trace.borrow();
        let agreed_after = span(trace.agreed_since? - crashed_at);
        let (periodic, own): (Kinds, Kinds) =
            trace.sent_till_agreed.clone().into_iter().partition(|(kind, _)| self.is_periodic(kind));
        // What goes on by itself after that is not counted, and what still follows from the crash is.
        let later = trace.sent.iter().filter(|(kind, _)| !self.card.periodic.contains(&kind.as_ref()));
        let sent: Kinds = own.into_iter().chain(later.map(|(kind, count)| (kind.clone(), *count))).collect();
        sum.sent.add(sent.values().sum());
        add_kinds(&mut sum.kinds, &sent);
        sum.periodic.add(periodic.values().sum());
        sum.steady.add(steady);
        sum.agreed_after_us.add(agreed_after.nanos() / 1_000);
        if let Some(elections) = &trace.by_election {
            sum.early.add(early(elections, self.card.rank.first_of(&self.lab.roster.others(leader))));
        }
        Some(())
    }

    /// All come under one leader, and stay so for a check period; where nobody elects by itself, all are ordered to.
    fn settle(&self, simulated: &mut dyn Simulated, trace: &RefCell<FailoverTrace>) -> Option<NodeId> {
        simulated.advance_to(nanos(T * IDLE));
        if trace.borrow().states.is_idle() && trace.borrow().states.leader().is_none() {
            simulated.inject("elect *");
        }
        self.agree(simulated, trace)?;
        trace.borrow().states.leader()
    }

    /// Carries it on until all have agreed for two check periods, or for as long as its Card gives it twice.
    fn agree(&self, simulated: &mut dyn Simulated, trace: &RefCell<FailoverTrace>) -> Option<()> {
        let Lab { timing, settings, .. } = &*self.lab;
        let check = nanos(timing.check);
        let bound = (self.card.quiet_bound.value)(timing, self.nodes, settings);
        let until = simulated.now() + 2 * nanos(bound) + 4 * check;
        while simulated.now() < until {
            simulated.advance_to(simulated.now() + check / 4);
            let since = trace.borrow().agreed_since;
            if since.is_some_and(|since| since + 2 * check <= simulated.now()) {
                return Some(());
            }
        }
        None
    }

    /// Each process that still follows the leader notices its crash.
    fn notice(&self, simulated: &mut dyn Simulated, trace: &RefCell<FailoverTrace>, leader: NodeId, seed: u64) {
        let (within, mut dice) = (self.noticed_within().nanos().max(1), dice(seed));
        let others = self.lab.roster.others(leader);
        let moment = |node| (i64::try_from(dice.next_u64() % within).unwrap_or(0), node);
        let mut moments: Vec<(i64, NodeId)> = others.iter().map(moment).collect();
        moments.sort_unstable();
        let crashed_at = simulated.now();
        for (after, node) in moments {
            simulated.advance_to(crashed_at + after);
            if trace.borrow().states.under(node) == Some(leader) {
                simulated.inject(&format!("elect {node}"));
            }
        }
    }
}

/// The messages of the elections up to the first one of this node.
fn early(elections: &[(String, u64)], of: Option<NodeId>) -> u64 {
    let own = |(election, _): &&(String, u64)| of.is_some_and(|of| election.starts_with(&format!("{of}.")));
    let before = elections.iter().take_while(|election| !own(election));
    before.chain(elections.iter().find(own)).map(|(_, count)| count).sum()
}

impl MessagesSum {
    /// After how many failovers not all agreed.
    fn unsettled(&self) -> u64 {
        self.held - self.sent.count
    }
}

impl AddAssign for MessagesSum {
    fn add_assign(&mut self, other: MessagesSum) {
        self.held += other.held;
        self.sent += other.sent;
        add_kinds(&mut self.kinds, &other.kinds);
        self.periodic += other.periodic;
        self.early += other.early;
        self.steady += other.steady;
        self.agreed_after_us += other.agreed_after_us;
    }
}

fn add_kinds(sum: &mut Kinds, kinds: &Kinds) {
    for (kind, count) in kinds {
        *sum.entry(kind.clone()).or_default() += count;
    }
}

impl FailoverTrace {
    /// Takes in the next record.
    pub fn take(&mut self, record: &Record) {
        if let (Body::Step(step), Some(_)) = (&record.body, record.node) {
            for effect in &step.effects {
                let EffectText::Send { message, .. } = effect else { continue };
                *self.sent.entry(message.kind()).or_default() += 1;
                if let Some(elections) = &mut self.by_election
                    && COUNTED.contains(&message.kind().as_ref())
                    && let Some((_, election)) = message.fields.iter().find(|(name, _)| name == "election")
                {
                    count_in(elections, election);
                }
            }
        }
        if self.states.take(record) == RestChange::Nothing {
            return;
        }
        match (self.states.leader(), self.agreed_since) {
            (Some(_), None) => {
                self.agreed_since = Some(record.at);
                self.sent_till_agreed = self.sent.clone();
            }
            (None, Some(_)) => self.agreed_since = None,
            _ => {}
        }
    }

    /// The next part begins: what was sent counts no longer.
    pub fn begin(&mut self) {
        self.sent.clear();
        self.by_election.iter_mut().for_each(Vec::clear);
        self.sent_till_agreed.clear();
    }
}

/// One more message of this election.
fn count_in(elections: &mut Vec<(String, u64)>, election: &str) {
    match elections.iter_mut().find(|(other, _)| other == election) {
        Some((_, count)) => *count += 1,
        None => elections.push((election.to_owned(), 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::measurement::Exhibit;
    use super::super::measurement::tests::{shown, written};
    use super::*;
    use registry::BUILT_IN;

    fn failed_over(names: &[&str], nodes: &[u16], seeds: &str) -> (Vec<MessagesSum>, Exhibit) {
        let cards: Vec<Card> = BUILT_IN.cards().filter(|card| names.contains(&card.name)).copied().collect();
        shown(&MessagesMeasurement::new(BUILT_IN, &cards, nodes).unwrap(), seeds)
    }

    #[test]
    fn every_algorithm_has_its_points_as_far_as_its_card_takes_so_many_processes() {
        let all: Vec<Card> = BUILT_IN.cards().copied().collect();
        let measurement = MessagesMeasurement::new(BUILT_IN, &all, &[5, 64]).unwrap();
        // Algorithms over the ordered broadcast take fewer.
        let small = BUILT_IN.cards().filter(|card| card.nodes_max < 64).count();
        assert!(small >= 3);
        assert_eq!(measurement.points().len(), Noticing::ALL.len() * (2 * BUILT_IN.algorithms.len() - small));
    }

    #[test]
    fn no_failover_costs_more_than_the_cards_say() {
        for n in [5u64, 9] {
            let most = |name: &str| {
                let (sums, _) = failed_over(&[name], &[n as u16], "0..6");
                assert!(sums.iter().all(|sum| sum.held == sum.sent.count), "{name}: {sums:?}");
                sums.iter().filter_map(|sum| sum.sent.most()).max().unwrap()
            };
            assert!(most("bully") <= n * n + 5 * n - 12);
            // One election of those that are left.
            assert_eq!(most("bully-fd"), 3 * (n - 2));
            assert!(most("textbook-bully") <= 5 * n * n / 2);
            assert!(most("async-bully") <= 2 * n * n);
            // The inits and one announcement.
            assert_eq!(most("king-ni-c"), n);
        }
    }

    #[test]
    fn the_asynchronous_bully_sends_fewer_messages_than_invitation_and_by_the_tally_half_of_n_squared_or_less() {
        let (sums, exhibit) = failed_over(&["invitation", "async-bully"], &[17], "0..8");
        let mean = |point: usize| sums[point].sent.mean().unwrap();
        for (invitation, asynchronous) in [(0, 3), (1, 4), (2, 5)] {
            assert!(mean(invitation) > 2.0 * mean(asynchronous), "{} and {}", mean(invitation), mean(asynchronous));
        }
        let early = |point: usize| sums[point].early.mean().unwrap() / 289.0;
        assert!(early(3) < 0.5 && early(4) < 0.5 && early(5) < 1.0, "{} {} {}", early(3), early(4), early(5));
        assert!(exhibit.remarks.iter().any(|remark| remark.starts_with("Stoller's section 7")));
    }

    #[test]
    fn the_same_seeds_give_the_same_sheet() {
        let (_, exhibit) = failed_over(&["bully", "async-bully", "invitation"], &[5, 16], "3..6");
        insta::assert_snapshot!(written(&exhibit, " "));
        insta::assert_snapshot!("messages_plot", exhibit.plot.unwrap().svg().unwrap());
    }
}
