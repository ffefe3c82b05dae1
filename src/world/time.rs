//! Moments and durations in sentences.
//!
//! Invariant: each has one form in all outputs. A moment of a session has a blank before its unit and three decimals,
//! `19.015 s`; only where a record's own stamp is meant it has more. A duration is as short as it can be and has the form
//! that lab files and fault lines read, `200ms`, `1.1s`.

use crate::protocol::Span;

/// A moment of a session: `4.512 s`.
pub(crate) fn stamp(at: i64) -> String {
    format!("{:.3} s", at as f64 / 1e9)
}

/// A duration that was measured: `4s`, `1.4s`, `71ms`, to a tenth of a second, a millisecond or a microsecond.
pub(crate) fn length(nanos: i64) -> String {
    let nanos = u64::try_from(nanos).unwrap_or(0);
    let rounded = match nanos {
        1_000_000_000.. => (nanos + 50_000_000) / 100_000_000 * 100_000_000,
        1_000_000.. => nanos / 1_000_000 * 1_000_000,
        _ => nanos / 1_000 * 1_000,
    };
    Span::from_nanos(rounded).to_string()
}

/// A duration between two moments of a session: `1.602s`, to the millisecond that the moments show.
pub(crate) fn between(nanos: i64) -> String {
    Span::from_millis(u64::try_from(nanos).unwrap_or(0).saturating_add(500_000) / 1_000_000).to_string()
}
