//! What the tests of all applications share: one machine, one input, exactly what it wants done; a drawn lab with the
//! judge of its application; and the words about a lab.

use crate::RowPart;
use judge::trial::Trace;
use protocol::{
    APPLICATION_LINES, Application, ApplicationEffect, ApplicationEffects, ApplicationFacts, Incarnation, LineNumber,
    NodeId, NodeSet, OrderId, Roster, Settings, Setup, Span, StateVector, Status, Timing, Work,
};
use record::{Body, EffectText, Head, Input, MessageId, MessageText, Record, Step, Words};
use world::World;

/// A lab whose application its own judge judges.
pub fn judged(head: &Head) -> Trace {
    Trace::of(head, crate::judge_of(head))
}

/// A lab of five with an application, of which its row tells, and what its steps did.
pub struct ToldLab {
    world: World,
    facts: ApplicationFacts,
    /// What the steps did, in order.
    pub did: Vec<String>,
}

impl ToldLab {
    /// Nothing has happened yet in this application's lab.
    pub fn new(facts: ApplicationFacts) -> ToldLab {
        ToldLab { world: World::new(Roster::new(5).unwrap()), facts, did: Vec::new() }
    }

    /// The process takes this step; returns the row after it.
    pub fn takes(&mut self, of: u16, step: Step) -> String {
        self.did.extend(crate::did(&step).map(|did| format!("{of} {did}")));
        self.happens(of, Body::Step(step))
    }

    /// The same, of a step that goes through these lines and leaves the process at work so under 5.
    pub fn works(&mut self, of: u16, work: Work, lines: &[LineNumber]) -> String {
        self.takes(of, Step { lines: lines.to_vec(), ..at_work(StateVector { election: None, ..normal(5, 1) }, work) })
    }

    /// The same, of anything.
    pub fn happens(&mut self, of: u16, body: Body) -> String {
        self.world.fold(&Record::of_node(self.world.now + 1, node(of), body));
        self.row()
    }

    /// The row. A bar is told by its numbers.
    pub fn row(&self) -> String {
        let told = |part: &RowPart| match part {
            RowPart::Words(text, _) => text.clone(),
            RowPart::Bar { done, all } => format!(" [{done}/{all}]"),
        };
        let row: String = crate::row(&self.world, &self.facts).iter().map(told).collect();
        row.trim_end().to_owned()
    }
}

/// A first step that leaves a process so, with this work.
pub fn at_work(state: StateVector, work: Work) -> Step {
    let state = Some(StateVector { work: Some(Box::new(work)), ..state });
    Step { state, ..Step::first(Input::Start { saved: false }) }
}

/// A message of this kind from that process.
pub fn given(from: u16, kind: &'static str) -> Input {
    Input::Message { id: message_id(from, None), message: worded(kind) }
}

/// A message of this kind to that process.
pub fn sent(from: u16, to: u16, kind: &'static str) -> EffectText {
    EffectText::Send { id: message_id(from, Some(node(to))), message: worded(kind) }
}

fn message_id(from: u16, to: Option<NodeId>) -> MessageId {
    MessageId { from: node(from), incarnation: Incarnation(1), to, sequence: 1 }
}

fn worded(kind: &'static str) -> MessageText {
    Words { kind: kind.into(), fields: Vec::new(), body: String::new() }.into()
}

/// The fields of this work, a line each.
pub fn fields(work: &Work) -> String {
    let fields = crate::fields(work).into_iter().map(|(name, value)| format!("{name}: {value}"));
    fields.collect::<Vec<String>>().join("\n")
}

/// The order of this serial that this process took.
pub fn order(of: u16, serial: u32) -> OrderId {
    OrderId { node: node(of), incarnation: Incarnation(1), serial }
}

/// T in all these tests.
pub const T: Span = Span::from_millis(200);

pub fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

pub fn nodes(text: &str) -> NodeSet {
    text.parse().unwrap()
}

/// Node `me` at its first start, with these periods of check and silence.
pub fn setup(me: u16, roster: Roster, check: Span, silence: Span) -> Setup {
    let timing = Timing { t: T, check, silence };
    let settings = Settings::default();
    Setup { me: node(me), roster, timing, settings, incarnation: Incarnation(1), keyring: None }
}

/// A process of this status, in this election.
pub fn state(status: Status, master: Option<u16>, election: u64) -> StateVector {
    StateVector { election: Some(election), ..StateVector::new(status, "", master.map(node)) }
}

/// A process that follows this master since this election.
pub fn normal(master: u16, election: u64) -> StateVector {
    state(Status::Normal, Some(master), election)
}

/// The effects, the lines that were cited, and what is kept.
pub type Done<P> = (Vec<ApplicationEffect<P>>, Vec<LineNumber>, Option<<P as Application>::Saved>);

/// What these inputs bring about. The lines are numbered as in the application's own listing.
pub fn did<P: Application>(run: impl FnOnce(&mut ApplicationEffects<P>)) -> Done<P> {
    let mut fx = ApplicationEffects::default();
    run(&mut fx);
    let (effects, lines, saved) = fx.into_parts();
    (effects, lines.into_iter().map(|line| line - APPLICATION_LINES).collect(), saved)
}

/// What this brings about at the machine, with the lines as they are cited.
pub fn done<P: Application>(machine: &mut P, run: impl FnOnce(&mut P, &mut ApplicationEffects<P>)) -> Done<P> {
    let mut fx = ApplicationEffects::default();
    run(machine, &mut fx);
    fx.into_parts()
}

pub fn told<P: Application>(machine: &mut P, state: &StateVector) -> Done<P> {
    done(machine, |machine, fx| machine.on_state(state, fx))
}

pub fn hears<P: Application>(machine: &mut P, from: u16, message: P::Message) -> Done<P> {
    done(machine, |machine, fx| machine.on_message(node(from), message, fx))
}

pub fn timer<P: Application>(machine: &mut P, timer: P::Timer) -> Done<P> {
    done(machine, |machine, fx| machine.on_timer(timer, fx))
}

pub fn requested<P: Application>(machine: &mut P) -> Done<P> {
    done(machine, P::on_request)
}

pub fn ordered<P: Application>(machine: &mut P, value: i32) -> Done<P> {
    done(machine, |machine, fx| machine.on_update(value, fx))
}

pub fn sends<P: Application>(to: u16, message: P::Message) -> ApplicationEffect<P> {
    ApplicationEffect::Send { to: node(to), message }
}

pub fn sets<P: Application>(timer: P::Timer, span: Span) -> ApplicationEffect<P> {
    ApplicationEffect::SetTimer { timer, span }
}

pub fn cancels<P: Application>(timer: P::Timer) -> ApplicationEffect<P> {
    ApplicationEffect::CancelTimer { timer }
}

/// Nothing at all.
pub fn nothing<P: Application>() -> Done<P> {
    (vec![], vec![], None)
}
