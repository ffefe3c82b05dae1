//! The progress of many simulated runs: a bar on a terminal, else a line now and then.
//!
//! Invariant: it writes only to stderr; a bar is one line, which is removed before anything else is printed.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use super::columns::grouped;
use super::output::{remark, remark_in_place};
use sim::campaign::Progress;

/// How wide the bar itself is.
const WIDTH: u64 = 24;
/// Without a terminal, this much time passes between two lines.
const LINES_APART: Duration = Duration::from_secs(10);

/// Shows progress.
pub struct ProgressBar {
    began: Instant,
    place: ProgressOutput,
}

enum ProgressOutput {
    Terminal,
    /// When the last line was written.
    Lines(Instant),
}

impl ProgressBar {
    /// Nothing is shown yet.
    pub fn new() -> ProgressBar {
        let began = Instant::now();
        ProgressBar {
            began,
            place: if stderr().is_terminal() { ProgressOutput::Terminal } else { ProgressOutput::Lines(began) },
        }
    }

    /// Shows the progress.
    pub fn show(&mut self, progress: &Progress) {
        match &mut self.place {
            // If the terminal is gone, nothing is shown, and the work goes on.
            ProgressOutput::Terminal => {
                remark_in_place(bar(progress, self.began.elapsed()));
            }
            ProgressOutput::Lines(last) if last.elapsed() >= LINES_APART => {
                *last = Instant::now();
                remark(words(progress, self.began.elapsed()));
            }
            ProgressOutput::Lines(_) => {}
        }
    }

    /// Removes the bar, so that something else can be printed.
    pub fn clear(&self) {
        if let ProgressOutput::Terminal = self.place {
            remark_in_place("");
        }
    }
}

fn bar(progress: &Progress, took: Duration) -> String {
    let full = u64::try_from(u128::from(WIDTH) * u128::from(progress.done) / u128::from(progress.seeds.max(1)))
        .unwrap_or(WIDTH);
    let (full, empty) = ("#".repeat(full as usize), ".".repeat((WIDTH - full) as usize));
    format!("[{full}{empty}] {}", words(progress, took))
}

/// `450 of 1,000 seeds, 12 s left`.
fn words(progress: &Progress, took: Duration) -> String {
    let mut words = format!("{} of {} seeds", grouped(progress.done), grouped(progress.seeds));
    if progress.done > 0 {
        let left = took.as_secs_f64() * (progress.seeds - progress.done) as f64 / progress.done as f64;
        words += &format!(", {left:.0} s left");
    }
    if progress.first_failed.is_some() {
        words += ", some failed";
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::campaign::Case;

    #[test]
    fn a_bar_fills_up_and_guesses_what_is_left() {
        let at = |done, first_failed| bar(&Progress { done, seeds: 4_000, first_failed }, Duration::from_secs(6));
        assert_eq!(at(0, None), "[........................] 0 of 4,000 seeds");
        assert_eq!(at(1_000, None), "[######..................] 1,000 of 4,000 seeds, 18 s left");
        let failed = Some(Case { seed: 7, lab: 0 });
        assert_eq!(at(4_000, failed), "[########################] 4,000 of 4,000 seeds, 0 s left, some failed");
    }
}
