//! Moments and durations in sentences.
//!
//! Invariant: each has one form.

use crate::protocol::Span;

/// A stamp as verdicts write it: `4.512 s`.
pub(crate) fn stamp(at: i64) -> String {
    format!("{:.3} s", at as f64 / 1e9)
}

/// A duration as verdicts write it: `4s`, `1.4s`, `71ms`, to a tenth of a second, a millisecond or a microsecond.
pub(crate) fn length(nanos: i64) -> String {
    let nanos = u64::try_from(nanos).unwrap_or(0);
    let rounded = match nanos {
        1_000_000_000.. => (nanos + 50_000_000) / 100_000_000 * 100_000_000,
        1_000_000.. => nanos / 1_000_000 * 1_000_000,
        _ => nanos / 1_000 * 1_000,
    };
    Span::from_nanos(rounded).to_string()
}
