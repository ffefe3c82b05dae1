//! What can happen to a process: its form, what it does, the assumption that it breaks, and how its line reads.
//!
//! Invariant: each fault of a process has one form, and its line begins with the first word of that form.

use std::fmt;

use super::text::TextPiece;
use super::{CellLoss, ClockRate, ClockRateTextError, FaultTextError, Form, Percent, PercentTextError, Target};
use protocol::{Assumption, Lie, LieTextError, Order};

/// The forms of all faults of processes.
pub(super) const FORMS: &[Form] = &[
    ("crash N", "kill the process (SIGKILL)"),
    ("recover N", "start a new process on the same store and address"),
    ("pause N", "stop the process where it stands (SIGSTOP)"),
    ("resume N", "let it go on (SIGCONT)"),
    ("elect N", "order it to hold an election"),
    (
        "start-over N",
        "order it to call Recovery without a crash (Bully): it forgets which node halted it, and holds an election",
    ),
    ("update N V", "order it to add the number V to the replicated counter (the application `updates`)"),
    ("request N", "hand it a user's request (an application that serves some)"),
    ("wipe N", "its next start finds nothing saved, unless it saves first"),
    ("rollback N", "its next start finds what the save before its last one kept, unless it saves first"),
    ("slow N P%", "let it run for this share of every 2T, and stop it for the rest (SIGSTOP, SIGCONT)"),
    ("clock N Rx", "run its timers at another rate, from 0.1x to 10x, until the fault ends; 1.5x is 50% faster"),
    ("liar N LIE", "let it tell this lie until the fault ends: `claim`, `equivocate`, `late` and others"),
    ("honest N", "end all its lies"),
];

/// A fault of a process.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum ProcessFault {
    /// `crash N`.
    Crash,
    /// `recover N`.
    Recover,
    /// `pause N`.
    Pause,
    /// `resume N`.
    Resume,
    /// `elect N`.
    Elect,
    /// `start-over N`.
    StartOver,
    /// `update N V`.
    Update(i32),
    /// `request N`.
    Request,
    /// `wipe N`, `rollback N`.
    Lose(CellLoss),
    /// `slow N P%`, from 1% to 99%.
    Slow(Percent),
    /// `clock N 1.5x`.
    Clock(ClockRate),
    /// `liar N claim`.
    Liar(Lie),
    /// `honest N`.
    Honest,
}

impl ProcessFault {
    /// Reads what follows this verb, if it is one of a process.
    pub(super) fn read(verb: &str, rest: TextPiece<'_>) -> Option<Result<(ProcessFault, Target), FaultTextError>> {
        let (form, _) = FORMS.iter().find(|(form, _)| form.split(' ').next() == Some(verb))?;
        let plain = |fault| rest.target(form).map(|target| (fault, target));
        Some(match verb {
            "crash" => plain(ProcessFault::Crash),
            "recover" => plain(ProcessFault::Recover),
            "pause" => plain(ProcessFault::Pause),
            "resume" => plain(ProcessFault::Resume),
            "elect" => plain(ProcessFault::Elect),
            "start-over" => plain(ProcessFault::StartOver),
            "update" => read_update(rest, form),
            "request" => plain(ProcessFault::Request),
            "slow" => read_slow(rest, form),
            "clock" => read_clock(rest, form),
            "liar" => read_liar(rest, form),
            "honest" => plain(ProcessFault::Honest),
            loss => plain(ProcessFault::Lose(CellLoss::named(loss)?)),
        })
    }

    /// The word that its line begins with.
    pub fn verb(self) -> &'static str {
        match self {
            ProcessFault::Crash => "crash",
            ProcessFault::Recover => "recover",
            ProcessFault::Pause => "pause",
            ProcessFault::Resume => "resume",
            ProcessFault::Elect => "elect",
            ProcessFault::StartOver => "start-over",
            ProcessFault::Update(_) => "update",
            ProcessFault::Request => "request",
            ProcessFault::Lose(loss) => loss.word(),
            ProcessFault::Slow(_) => "slow",
            ProcessFault::Clock(_) => "clock",
            ProcessFault::Liar(_) => "liar",
            ProcessFault::Honest => "honest",
        }
    }

    /// The assumption that it is meant to break. A crash breaks none, and a repair breaks none.
    pub fn breaks(self) -> Option<Assumption> {
        match self {
            ProcessFault::Pause | ProcessFault::Slow(_) => Some(Assumption::NoPauses),
            ProcessFault::Lose(_) => Some(Assumption::SafeCells),
            ProcessFault::Clock(_) => Some(Assumption::OneClockRate),
            ProcessFault::Liar(lie) => Some(lie.breaks()),
            ProcessFault::Crash | ProcessFault::Recover | ProcessFault::Resume | ProcessFault::Honest => None,
            ProcessFault::Elect | ProcessFault::StartOver | ProcessFault::Update(_) | ProcessFault::Request => None,
        }
    }

    /// Whether it breaks nothing: it repairs, or is an order to machines.
    pub fn only_repairs(self) -> bool {
        matches!(self, ProcessFault::Recover | ProcessFault::Resume | ProcessFault::Honest) || self.order().is_some()
    }

    /// The order that it gives to machines, if it gives one.
    pub fn order(self) -> Option<Order> {
        match self {
            ProcessFault::Elect => Some(Order::Elect),
            ProcessFault::StartOver => Some(Order::StartOver),
            ProcessFault::Update(value) => Some(Order::Update(value)),
            ProcessFault::Request => Some(Order::Request),
            _ => None,
        }
    }

    /// Writes the line about these targets.
    pub(super) fn write(self, f: &mut fmt::Formatter<'_>, target: &Target) -> fmt::Result {
        write!(f, "{} {target}", self.verb())?;
        match self {
            ProcessFault::Update(value) => write!(f, " {value}"),
            ProcessFault::Slow(share) => write!(f, " {share}"),
            ProcessFault::Clock(rate) => write!(f, " {rate}"),
            ProcessFault::Liar(lie) => write!(f, " {lie}"),
            _ => Ok(()),
        }
    }
}

fn read_update(rest: TextPiece<'_>, form: &'static str) -> Result<(ProcessFault, Target), FaultTextError> {
    let (target, measure) = rest.target_and_measure(form)?;
    match measure.text.parse() {
        Ok(value) => Ok((ProcessFault::Update(value), target)),
        Err(_) => {
            let what = format!("a whole number belongs here, from {} to {}", i32::MIN, i32::MAX);
            Err(measure.wrong(what, form))
        }
    }
}

fn read_slow(rest: TextPiece<'_>, form: &'static str) -> Result<(ProcessFault, Target), FaultTextError> {
    let (target, measure) = rest.target_and_measure(form)?;
    match measure.text.parse::<Percent>() {
        Ok(share) if (Percent::whole(1)..=Percent::whole(99)).contains(&share) => {
            Ok((ProcessFault::Slow(share), target))
        }
        Ok(_) => Err(measure.wrong("a slow process runs from 1% to 99% of the time", form)),
        Err(error) => {
            let error: PercentTextError = error;
            Err(measure.wrong(error, form))
        }
    }
}

fn read_liar(rest: TextPiece<'_>, form: &'static str) -> Result<(ProcessFault, Target), FaultTextError> {
    let (target, measure) = rest.target_and_measure(form)?;
    let lie = measure.text.parse().map_err(|error: LieTextError| measure.wrong(error, form))?;
    Ok((ProcessFault::Liar(lie), target))
}

fn read_clock(rest: TextPiece<'_>, form: &'static str) -> Result<(ProcessFault, Target), FaultTextError> {
    let (target, measure) = rest.target_and_measure(form)?;
    let rate = measure.text.parse().map_err(|error: ClockRateTextError| measure.wrong(error, form))?;
    Ok((ProcessFault::Clock(rate), target))
}
