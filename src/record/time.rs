//! Moments and durations in sentences.
//!
//! Invariant: each has one form in all outputs. A moment of a session has a blank before its unit and three decimals,
//! `19.015 s`; only where a record's own stamp is meant it has more. A duration is as short as it can be and has the form
//! that lab files and fault lines read, `200ms`, `1.1s`.

use protocol::Span;

/// A moment of a session: `4.512 s`.
pub fn stamp(at: i64) -> String {
    format!("{} s", seconds(at, 3))
}

/// A stamp in seconds with this many digits after the point, rounded to the nearest: so an event has one time in all
/// outputs.
pub fn seconds(at: i64, digits: u32) -> String {
    let digits = digits.min(9);
    let unit = 10_u64.pow(9 - digits);
    let count = at.unsigned_abs().saturating_add(unit / 2) / unit;
    let sign = if at < 0 && count > 0 { "-" } else { "" };
    let per_second = 10_u64.pow(digits);
    match digits {
        0 => format!("{sign}{count}"),
        _ => format!("{sign}{}.{:0width$}", count / per_second, count % per_second, width = digits as usize),
    }
}

/// A duration that was measured: `4s`, `1.4s`, `71ms`, to a tenth of a second, a millisecond or a microsecond.
pub fn length(nanos: i64) -> String {
    let nanos = u64::try_from(nanos).unwrap_or(0);
    let rounded = match nanos {
        1_000_000_000.. => (nanos + 50_000_000) / 100_000_000 * 100_000_000,
        1_000_000.. => nanos / 1_000_000 * 1_000_000,
        _ => nanos / 1_000 * 1_000,
    };
    Span::from_nanos(rounded).to_string()
}

/// A duration between two moments of a session: `1.602s`, to the millisecond that the moments show.
pub fn between(nanos: i64) -> String {
    Span::from_millis(u64::try_from(nanos).unwrap_or(0).saturating_add(500_000) / 1_000_000).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_rounded_to_the_nearest_and_is_the_same_everywhere() {
        for (at, told) in
            [(15_344_700_000, "15.345"), (15_344_499_999, "15.344"), (-50_000_000, "-0.050"), (-1, "0.000")]
        {
            assert_eq!(seconds(at, 3), told);
            assert_eq!(stamp(at), format!("{told} s"));
        }
        assert_eq!(seconds(199_900_000, 1), "0.2");
        assert_eq!(seconds(i64::MAX, 0), "9223372037");
    }
}
