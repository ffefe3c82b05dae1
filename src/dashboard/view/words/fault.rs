//! The words about a fault, for every panel.
//!
//! Invariant: the counts are the records' own; nothing is counted twice.

use ratatui::style::Style;

use crate::view::paint;
use crate::view::theme::Theme;
use fault::{FaultLine, ProcessFault};
use world::{FaultState, FaultView, ProcessDeed, Receipt};

/// The state of a fault: glyph, words and style.
pub fn state_words(fault: &FaultView, theme: &Theme) -> (&'static str, String, Style) {
    match &fault.state {
        FaultState::Ordered => (theme.glyphs.starting, "ordered".into(), theme.starting),
        FaultState::InForce
            if matches!(fault.line, FaultLine::Lift(_) | FaultLine::Heal | FaultLine::HealAll | FaultLine::Undo) =>
        {
            (theme.glyphs.running, "done".into(), theme.fault)
        }
        FaultState::InForce => (theme.glyphs.running, "in force".into(), theme.fault),
        FaultState::NotInForce(why) => (theme.glyphs.doubt, format!("not in force: {why}"), theme.doubt),
        FaultState::Lifted => (theme.glyphs.absent, "over".into(), theme.dim),
    }
}

/// What a fault did, a line each: on each link, or to processes, to lab time or to other faults.
pub fn receipt_lines(fault: &FaultView, all: &[FaultView]) -> Vec<String> {
    if !fault.robbed.is_empty() {
        return vec![format!("The start of {} found its safe cells lost, or old.", fault.robbed)];
    }
    if fault.mistimed > 0 {
        let times =
            if fault.mistimed == 1 { "1 timer has".to_owned() } else { format!("{} timers have", fault.mistimed) };
        return vec![format!("{times} run out by a clock at this rate.")];
    }
    if !fault.deeds.is_empty() {
        return fault.deeds.iter().map(|deed| deed_words(fault, deed)).collect();
    }
    if fault.receipts.is_empty() {
        return effect_words(fault, all);
    }
    let link = |receipt: &Receipt| {
        let tampered: String = receipt.tampered().iter().map(|(name, count)| format!("  {name} {count:>6}")).collect();
        let Receipt { from, to, dropped, held, released, .. } = receipt;
        let released = if *released == 0 { String::new() } else { format!("  released {released:>6}") };
        format!("{from:>3} -> {to:<3}  dropped {dropped:>6}  held {held:>6}{released}{tampered}")
    };
    fault.receipts.iter().map(link).collect()
}

/// What it did to a process.
fn deed_words(fault: &FaultView, deed: &ProcessDeed) -> String {
    let ProcessDeed { node, at, until, times } = *deed;
    let (at, until) = (paint::seconds(at, 3), until.map(|until| paint::seconds(until, 3)));
    let died = matches!(fault.line, FaultLine::Process(ProcessFault::Crash, _));
    match (died, until) {
        (true, None) => format!("{node} died at {at} s."),
        (true, Some(until)) => {
            format!("{node} died at {at} s, and got a new process at {until} s.")
        }
        (false, None) if times > 1 => format!("{node} has stood still {times} times since {at} s."),
        (false, Some(until)) if times > 1 => {
            format!("{node} stood still {times} times, from {at} to {until} s.")
        }
        (false, None) => format!("{node} stands still since {at} s."),
        (false, Some(until)) => format!("{node} stood still from {at} to {until} s."),
    }
}

/// What it did that no link and no process of its own tells.
fn effect_words(fault: &FaultView, all: &[FaultView]) -> Vec<String> {
    let nodes = &fault.nodes;
    let (one, from) = (nodes.len() == 1, paint::seconds(fault.in_force.unwrap_or(fault.ordered), 3));
    let (was, has) = if one { ("was", "has") } else { ("were", "have") };
    let said = match (&fault.state, &fault.line) {
        (FaultState::Ordered, _) => "It is not in force yet.".to_owned(),
        (FaultState::NotInForce(why), _) => format!("It did not come into force: {why}."),
        (state, FaultLine::Link(_)) => {
            let yet = if *state == FaultState::Lifted { "" } else { " yet" };
            format!("It has hit no datagram{yet}.")
        }
        (_, FaultLine::Speed(speed)) => match fault.lifted {
            None => format!("Lab time runs at {speed} since {from} s."),
            Some(to) => format!("Lab time ran at {speed} from {from} to {} s.", paint::seconds(to, 3)),
        },
        (_, FaultLine::Lift(_) | FaultLine::Heal | FaultLine::HealAll | FaultLine::Undo) => ended(fault, all),
        (_, FaultLine::Process(of_process, _)) => match of_process {
            ProcessFault::Recover => format!("{nodes} {has} a new process since {from} s. {}", ended(fault, all)),
            ProcessFault::Resume => format!("{nodes} went on by {from} s. {}", ended(fault, all)),
            ProcessFault::Elect => {
                format!("{nodes} {was} ordered at {from} s to hold an election.")
            }
            ProcessFault::StartOver => format!("{nodes} {was} ordered at {from} s to start over."),
            ProcessFault::Update(value) => {
                format!("{nodes} {was} ordered at {from} s to add {value} to the counter.")
            }
            ProcessFault::Request => format!("{nodes} {was} handed a user's request at {from} s."),
            ProcessFault::Lose(_) => {
                format!("{nodes} {has} not started since: it waits for the next start.")
            }
            ProcessFault::Clock(_) => "No timer has run out yet by a clock at this rate.".to_owned(),
            ProcessFault::Liar(lie) => {
                let [told, tried] = fault.told;
                let until = fault.lifted.map_or_else(String::new, |to| format!(" to {}", paint::seconds(to, 3)));
                format!("A liar {}: told {told} times from {from}{until} s, and tried {tried} times.", lie.says())
            }
            ProcessFault::Honest => format!("{nodes} {was} ordered at {from} s to be honest. {}", ended(fault, all)),
            ProcessFault::Crash => format!("No process of {nodes} has died of it."),
            ProcessFault::Pause | ProcessFault::Slow(_) => {
                format!("No process of {nodes} has stood still by it.")
            }
        },
    };
    vec![said]
}

/// The faults that ended while it was carried out.
fn ended(fault: &FaultView, all: &[FaultView]) -> String {
    let until = fault.lifted.or(fault.in_force).unwrap_or(fault.ordered);
    let is_ended = |other: &&FaultView| {
        other.id != fault.id && other.lifted.is_some_and(|lifted| (fault.ordered..=until).contains(&lifted))
    };
    let ids: Vec<String> = all.iter().filter(is_ended).map(|other| other.id.to_string()).collect();
    match &ids[..] {
        [] => "It ended no other fault.".to_owned(),
        [one] => format!("It ended {one}."),
        [first @ .., last] => format!("It ended {} and {last}.", first.join(", ")),
    }
}
