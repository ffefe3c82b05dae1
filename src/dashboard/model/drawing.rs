//! When the next drawing is due, and what the last one left: the why line, and what stands where.
//!
//! Invariant: what has changed is drawn; what no row shows is drawn a little later at the most.

use std::time::Duration;

use crate::view::mouse_targets::MouseTargets;
use crate::view::why_line::WhyLine;

/// What no row shows is drawn so much later at the most: heartbeats come more often than a person looks.
const UNSEEN_WAIT: Duration = Duration::from_millis(100);

/// When the next drawing is due, and what the last one left.
#[derive(Debug)]
pub struct Drawing {
    is_needed: bool,
    /// When it is drawn anyway, for what has changed only a little: a heartbeat came.
    due: Option<Duration>,
    /// The why line of the last drawing.
    pub why_line: WhyLine,
    /// What stands where in the last drawing.
    pub targets: MouseTargets,
}

impl Default for Drawing {
    /// A screen that has never been drawn.
    fn default() -> Drawing {
        Drawing { is_needed: true, due: None, why_line: WhyLine::default(), targets: MouseTargets::default() }
    }
}

impl Drawing {
    /// Something on the screen has changed.
    pub fn need(&mut self) {
        self.is_needed = true;
    }

    /// Something on the screen has changed, if this is so.
    pub fn need_if(&mut self, has_changed: bool) {
        self.is_needed |= has_changed;
    }

    /// Something has changed that no row shows: it is drawn with the next drawing, or by itself a little later than this
    /// time of the screen's clock.
    pub fn need_soon(&mut self, clock: Duration) {
        self.due.get_or_insert(clock + UNSEEN_WAIT);
    }

    /// The screen's clock shows this.
    pub fn tick(&mut self, clock: Duration) {
        self.is_needed |= self.due.is_some_and(|due| clock >= due);
    }

    /// Whether something on the screen has changed since the last drawing.
    pub fn is_needed(&self) -> bool {
        self.is_needed
    }

    /// The same, for another screen that draws this one too.
    pub fn take_need(&mut self) -> bool {
        std::mem::take(&mut self.is_needed)
    }

    /// All that has changed is drawn.
    pub fn done(&mut self) {
        (self.is_needed, self.due) = (false, None);
    }

    /// The why line has to be found anew.
    pub fn forget_why(&mut self) {
        self.why_line = WhyLine::default();
    }
}
