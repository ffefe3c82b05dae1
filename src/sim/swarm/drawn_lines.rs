//! The lines of a drawn lab at their times, in the order in which they will be ordered.
//!
//! Invariant: times never fall; a line that lifts a fault names the fault's ordinal, even if lines come in between
//! later.

use fault::{FaultId, FaultLine, Moment};
use lab::{LabStep, When};
use protocol::Span;

/// The lines so far.
#[derive(Clone, Debug, Default)]
pub(super) struct DrawnLines(Vec<LineGroup>);

/// Lines that are ordered together.
#[derive(Clone, Debug)]
struct LineGroup {
    at: Span,
    /// The protocol moment at that time, if the lines wait for one.
    moment: Option<Moment>,
    lines: Vec<FaultLine>,
}

impl DrawnLines {
    /// Orders a line at this time, after all earlier orders; returns the id that its fault will have.
    pub fn order(&mut self, at: Span, line: FaultLine) -> FaultId {
        let place = self.0.partition_point(|scene| scene.at <= at);
        let is_then = |scene: &LineGroup| scene.at == at && scene.moment.is_none();
        let id = FaultId(self.0[..place].iter().map(|scene| scene.lines.len() as u32).sum::<u32>() + 1);
        self.make_room(id);
        match place.checked_sub(1).map(|last| &mut self.0[last]) {
            Some(scene) if is_then(scene) => scene.lines.push(line),
            _ => self.0.insert(place, LineGroup { at, moment: None, lines: vec![line] }),
        }
        id
    }

    /// Orders a line at a protocol moment that will come at this time: the wait begins just before that.
    pub fn order_at_moment(&mut self, at: Span, moment: Moment, line: FaultLine) {
        let just_before = at.saturating_sub(Span::from_nanos(1));
        let place = self.0.partition_point(|scene| scene.at < at);
        self.make_room(FaultId(self.0[..place].iter().map(|scene| scene.lines.len() as u32).sum::<u32>() + 1));
        let scenes = [
            LineGroup { at: just_before, moment: None, lines: Vec::new() },
            LineGroup { at, moment: Some(moment), lines: vec![line] },
        ];
        self.0.splice(place..place, scenes);
    }

    /// A line is inserted whose fault has this id.
    fn make_room(&mut self, id: FaultId) {
        for line in self.0.iter_mut().flat_map(|scene| &mut scene.lines) {
            if let FaultLine::Lift(other) = line
                && *other >= id
            {
                other.0 += 1;
            }
        }
    }

    /// Whether anything is ordered at this time.
    pub fn has_lines_at(&self, at: Span) -> bool {
        self.0.iter().any(|scene| scene.at == at)
    }

    /// The time of the last line.
    pub fn end(&self) -> Span {
        self.0.last().map_or(Span::ZERO, |scene| scene.at)
    }

    /// The steps of a lab that does all this.
    pub fn steps(&self) -> Vec<LabStep> {
        let step = |(index, LineGroup { at, moment, lines }): (usize, &LineGroup)| {
            let when = moment.clone().map_or(When::At(*at), When::Moment);
            LabStep::silent(LabStep::name_of(index), when, lines.clone())
        };
        self.0.iter().enumerate().map(step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> FaultLine {
        text.parse().unwrap()
    }

    fn told(plot: &DrawnLines) -> Vec<String> {
        let told = |step: LabStep| {
            let lines: Vec<String> = step.lines.iter().map(ToString::to_string).collect();
            match step.when {
                When::At(at) => format!("{at}: {}", lines.join(", ")),
                When::Moment(moment) => format!("{moment}: {}", lines.join(", ")),
                When::Condition { .. } => panic!("{step:?}"),
            }
        };
        plot.steps().into_iter().map(told).collect()
    }

    #[test]
    fn lines_stand_in_order_of_time() {
        let (mut plot, second) = (DrawnLines::default(), Span::from_millis(1_000));
        let cut = plot.order(second, line("cut 1->2"));
        let crash = plot.order(second * 2, line("crash 3"));
        plot.order(second * 3, FaultLine::Lift(crash));
        plot.order(second * 3, FaultLine::Lift(cut));
        assert_eq!(plot.order(second * 2, line("elect 1")), FaultId(3));
        assert_eq!(plot.order(Span::ZERO, line("elect 2")), FaultId(1));
        plot.order_at_moment(second * 2, "first Ready sent".parse().unwrap(), line("crash 2"));
        plot.order(second * 2, line("elect 4"));
        let expected = [
            "0ms: elect 2",
            "1s: cut 1->2",
            "1.999999999s: ",
            "first Ready sent: crash 2",
            "2s: crash 3, elect 1, elect 4",
            "3s: lift f4, lift f2",
        ];
        assert_eq!((told(&plot), plot.end()), (expected.map(str::to_owned).into(), second * 3));
    }
}
