//! The words about a fault, for every panel.
//!
//! Invariant: the counts are the records' own; nothing is counted twice.

use ratatui::style::Style;

use super::theme::Theme;
use crate::world::{FaultState, FaultView, Receipt};

/// The state of a fault: glyph, words and style.
pub fn state_words(fault: &FaultView, theme: &Theme) -> (&'static str, String, Style) {
    match &fault.state {
        FaultState::Ordered => (theme.glyphs.starting, "ordered".into(), theme.starting),
        FaultState::InForce => (theme.glyphs.running, "in force".into(), theme.fault),
        FaultState::NotInForce(why) => (theme.glyphs.doubt, format!("not in force: {why}"), theme.doubt),
        FaultState::Lifted => (theme.glyphs.absent, "over".into(), theme.dim),
    }
}

/// What a fault did on each link, a line each.
pub fn receipt_lines(fault: &FaultView) -> Vec<String> {
    if !fault.robbed.is_empty() {
        return vec![format!("The start of {} found its safe cells lost, or old.", fault.robbed)];
    }
    if fault.mistimed > 0 {
        let times =
            if fault.mistimed == 1 { "1 timer has".to_owned() } else { format!("{} timers have", fault.mistimed) };
        return vec![format!("{times} run out by a clock at this rate.")];
    }
    if fault.receipts.is_empty() {
        return vec!["It has had no effect yet.".into()];
    }
    let link = |receipt: &Receipt| {
        let tampered: String = receipt.tampered().iter().map(|(name, count)| format!("  {name} {count:>6}")).collect();
        let Receipt { from, to, dropped, held, released, .. } = receipt;
        let released = if *released == 0 { String::new() } else { format!("  released {released:>6}") };
        format!("{from:>3} -> {to:<3}  dropped {dropped:>6}  held {held:>6}{released}{tampered}")
    };
    fault.receipts.iter().map(link).collect()
}
