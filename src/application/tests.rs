//! What the tests of all applications share: one machine, one input, exactly what it wants done.

use protocol::{
    APPLICATION_LINES, Application, ApplicationEffect, ApplicationEffects, Incarnation, LineNumber, NodeId, NodeSet,
    Roster, Settings, Setup, Span, StateVector, Status, Timing,
};

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
