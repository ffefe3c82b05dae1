//! Holds labs on real processes for a measurement, one after the other, with a bar.
//!
//! Invariant: if a signal ends one, no other one begins, and nothing of them is shown.

use super::super::bar::Bar;
use super::super::code;
use super::super::tell::remark;
use host::HostError;
use measure::RealProgress;
use sim::campaign::Progress;

/// Holds a lab of each of these points with each of this many seeds.
///
/// # Errors
/// One did not start, or a signal came; stderr has the reason, and this is the exit code.
pub fn hold_real(
    seeds: u32,
    points: &[usize],
    hold: &mut dyn FnMut(usize, u64) -> Result<RealProgress, HostError>,
) -> Result<(), u8> {
    let all = u64::from(seeds) * points.len() as u64;
    let mut bar = Bar::new();
    for seed in 0..seeds {
        for (done, &point) in points.iter().enumerate() {
            let done = u64::from(seed) * points.len() as u64 + done as u64;
            bar.show(&Progress { done, seeds: all, first_failed: None });
            let held = hold(point, seed.into()).inspect_err(|error| {
                bar.clear();
                remark(code::why_not_started(error));
            });
            if let RealProgress::Signalled(signal) = held.map_err(|error| code::not_started(&error))? {
                bar.clear();
                remark("broken off: nothing real is shown");
                return Err(code::signal(signal));
            }
        }
    }
    bar.clear();
    Ok(())
}
