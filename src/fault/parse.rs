//! Reading fault lines.
//!
//! Invariant: an error says where the line goes wrong and shows the form it should have.

use std::str::FromStr;

use super::{BurstLength, Cast, FaultLine, FaultTextError, Loss, Percent, ReleaseOrder, Tampering, Target, Way, clock};
use crate::protocol::{NodeSet, Span};

/// A piece of the text with its place in it.
#[derive(Copy, Clone)]
struct Piece<'a> {
    text: &'a str,
    start: usize,
}

impl<'a> Piece<'a> {
    fn new(text: &'a str, start: usize) -> Piece<'a> {
        let trimmed = text.trim_start();
        Piece { start: start + (text.len() - trimmed.len()), text: trimmed.trim_end() }
    }

    fn split_once(self, separator: &str) -> Option<(Piece<'a>, Piece<'a>)> {
        let at = self.text.find(separator)?;
        let rest = at + separator.len();
        Some((Piece::new(&self.text[..at], self.start), Piece::new(&self.text[rest..], self.start + rest)))
    }

    fn wrong(self, what: impl Into<String>, form: &'static str) -> FaultTextError {
        FaultTextError { at: self.start..self.start + self.text.len(), what: what.into(), form }
    }

    fn target(self, form: &'static str) -> Result<Target, FaultTextError> {
        match self.text {
            "" => Err(self.wrong("a node is missing here", form)),
            "*" => Ok(Target::All),
            "coordinator" => Ok(Target::Coordinator),
            text => match text.strip_prefix("coordinator of ") {
                Some(node) => {
                    node.trim().parse().map(Target::CoordinatorOf).map_err(|e| self.wrong(e.to_string(), form))
                }
                None => match text.parse::<NodeSet>() {
                    Ok(nodes) if !nodes.is_empty() => Ok(Target::Nodes(nodes)),
                    Ok(_) => Err(self.wrong("a node is missing here", form)),
                    Err(e) => Err(self.wrong(e.to_string(), form)),
                },
            },
        }
    }

    /// A target, and the word that qualifies it if one follows: it begins with a letter, as no node after a space does.
    fn qualified(self) -> (Piece<'a>, Option<Piece<'a>>) {
        let Some(cut) = self.text.rfind(char::is_whitespace) else { return (self, None) };
        let last = Piece::new(&self.text[cut..], self.start + cut);
        match last.text.starts_with(char::is_alphabetic) {
            true => (Piece::new(&self.text[..cut], self.start), Some(last)),
            false => (self, None),
        }
    }

    /// `A->B`.
    fn link(self, form: &'static str) -> Result<(Target, Target), FaultTextError> {
        let (from, to) = self.sides(form)?;
        Ok((from.target(form)?, to.target(form)?))
    }

    /// What stands before the arrow, and what behind it.
    fn sides(self, form: &'static str) -> Result<(Piece<'a>, Piece<'a>), FaultTextError> {
        self.split_once("->").ok_or_else(|| self.wrong("an arrow `->` is missing here", form))
    }

    /// `N` up to the last word, which is the fault's measure.
    fn target_and_measure(self, form: &'static str) -> Result<(Target, Piece<'a>), FaultTextError> {
        let cut =
            self.text.rfind(char::is_whitespace).ok_or_else(|| self.wrong("the measure is missing here", form))?;
        let measure = Piece::new(&self.text[cut..], self.start + cut);
        Ok((Piece::new(&self.text[..cut], self.start).target(form)?, measure))
    }

    /// `A->B` up to the last word, which is the fault's measure.
    fn link_and_measure(self, form: &'static str) -> Result<(Target, Target, Piece<'a>), FaultTextError> {
        let (from, rest) = self.sides(form)?;
        let cut =
            rest.text.rfind(char::is_whitespace).ok_or_else(|| rest.wrong("the measure is missing here", form))?;
        let to = Piece::new(&rest.text[..cut], rest.start);
        let measure = Piece::new(&rest.text[cut..], rest.start + cut);
        Ok((from.target(form)?, to.target(form)?, measure))
    }

    /// `A->B P%`.
    fn link_and_share(self, form: &'static str) -> Result<(Target, Target, Percent), FaultTextError> {
        let (from, to, measure) = self.link_and_measure(form)?;
        let percent = measure.text.parse().map_err(|what: String| measure.wrong(what, form))?;
        Ok((from, to, percent))
    }
}

impl FromStr for FaultLine {
    type Err = FaultTextError;

    fn from_str(text: &str) -> Result<FaultLine, FaultTextError> {
        let whole = Piece::new(text, 0);
        let end = whole.text.find(char::is_whitespace).unwrap_or(whole.text.len());
        let verb = Piece::new(&whole.text[..end], whole.start);
        let rest = Piece::new(&whole.text[end..], whole.start + end);
        let nothing_more = |form: &'static str, line: FaultLine| match rest.text {
            "" => Ok(line),
            _ => Err(rest.wrong("nothing may follow here", form)),
        };
        match verb.text {
            "crash" => rest.target("crash N").map(FaultLine::Crash),
            "recover" => rest.target("recover N").map(FaultLine::Recover),
            "pause" => rest.target("pause N").map(FaultLine::Pause),
            "resume" => rest.target("resume N").map(FaultLine::Resume),
            "elect" => rest.target("elect N").map(FaultLine::Elect),
            "start-over" => rest.target("start-over N").map(FaultLine::StartOver),
            "isolate" => rest.target("isolate N").map(FaultLine::Isolate),
            "cut" => {
                let form = "cut A->B`, `cut A<->B` or `cut A->B multicast";
                let (way, sides) = match rest.split_once("<->") {
                    Some(sides) => (Way::Both, Some(sides)),
                    None => (Way::OneWay, rest.split_once("->")),
                };
                let (from, to) = sides.ok_or_else(|| rest.wrong("an arrow is missing here", form))?;
                let (to, cast) = to.qualified();
                let (from, to) = (from.target(form)?, to.target(form)?);
                match cast {
                    None => Ok(FaultLine::Cut(from, way, to)),
                    Some(word) => match Cast::named(word.text) {
                        Some(cast) => Ok(FaultLine::CutChannel(from, way, to, cast)),
                        None => {
                            let what = format!("`{}` is no channel; there are unicast and multicast", word.text);
                            Err(word.wrong(what, form))
                        }
                    },
                }
            }
            "slow" => {
                let (target, measure) = rest.target_and_measure("slow N P%")?;
                match measure.text.parse::<Percent>() {
                    Ok(share) if (Percent::whole(1)..=Percent::whole(99)).contains(&share) => {
                        Ok(FaultLine::Slow(target, share))
                    }
                    Ok(_) => Err(measure.wrong("a slow process runs from 1% to 99% of the time", "slow N P%")),
                    Err(what) => Err(measure.wrong(what, "slow N P%")),
                }
            }
            "clock" => {
                let (target, measure) = rest.target_and_measure(clock::FORM)?;
                let rate = measure.text.parse().map_err(|what: String| measure.wrong(what, clock::FORM))?;
                Ok(FaultLine::Clock(target, rate))
            }
            "partition" => partition(rest),
            "loss" if rest.text.contains(BURSTS) => burst_loss(rest),
            "partial" => {
                let form = "partial A->B K";
                let (from, to, measure) = rest.link_and_measure(form)?;
                match measure.text.parse() {
                    Ok(hear @ 1..) => Ok(FaultLine::Partial(from, to, hear)),
                    _ => {
                        let what = format!("`{}` is no number of those that hear; write one from 1", measure.text);
                        Err(measure.wrong(what, form))
                    }
                }
            }
            "loss" => {
                let (from, to, percent) = rest.link_and_share("loss A->B P%")?;
                Ok(FaultLine::Loss(from, to, percent))
            }
            "delay" => {
                let form = "delay A->B D` or `delay A->B D..D";
                let (from, to, measure) = rest.link_and_measure(form)?;
                let span = |piece: Piece<'_>| -> Result<Span, FaultTextError> {
                    piece.text.parse().map_err(|e: crate::protocol::SpanTextError| piece.wrong(e.to_string(), form))
                };
                let (shortest, longest) = match measure.split_once("..") {
                    None => (span(measure)?, span(measure)?),
                    Some((low, high)) => (span(low)?, span(high)?),
                };
                if longest < shortest {
                    return Err(measure.wrong("the range runs backwards", form));
                }
                Ok(FaultLine::Delay(from, to, shortest, longest))
            }
            "hold" => rest.link("hold A->B").map(|(from, to)| FaultLine::Hold(from, to)),
            "release" => release(rest),
            "lift" => rest.text.parse().map(FaultLine::Lift).map_err(|what: String| rest.wrong(what, "lift F")),
            "heal" if rest.text == "all" => Ok(FaultLine::HealAll),
            "heal" => nothing_more("heal` or `heal all", FaultLine::Heal),
            "undo" => nothing_more("undo", FaultLine::Undo),
            "" => Err(verb.wrong("nothing is ordered here", "crash N")),
            other => match (Tampering::named(other), Loss::named(other)) {
                (Some(how), _) => {
                    let (from, to, percent) = rest.link_and_share(how.form())?;
                    Ok(FaultLine::Tamper(how, from, to, percent))
                }
                (_, Some(loss)) => rest.target(loss.form()).map(|target| FaultLine::Lose(loss, target)),
                (None, None) => {
                    let verbs = "crash, recover, pause, resume, elect, start-over, wipe, rollback, slow, clock, cut, isolate, \
                                 partition, loss, partial, delay, hold, release, corrupt, duplicate, reorder, garble, \
                                 lift, heal, undo";
                    Err(verb.wrong(format!("there is no fault `{other}`; there are {verbs}"), "crash N"))
                }
            },
        }
    }
}

/// What stands between a loss and the length of its bursts.
const BURSTS: &str = " bursts";

fn burst_loss(rest: Piece<'_>) -> Result<FaultLine, FaultTextError> {
    let form = "loss A->B P% bursts L";
    let (loss, length) = rest.split_once(BURSTS).ok_or_else(|| rest.wrong("the bursts are missing here", form))?;
    let (from, to, percent) = loss.link_and_share(form)?;
    let bursts = length.text.parse().and_then(|length: BurstLength| length.for_share(percent));
    Ok(FaultLine::BurstLoss(from, to, percent, bursts.map_err(|what| length.wrong(what, form))?))
}

fn release(rest: Piece<'_>) -> Result<FaultLine, FaultTextError> {
    let form = "release A->B` or `release A->B reversed";
    let (from, to) = rest.sides(form)?;
    let (to, order) = to.qualified();
    let order = match order {
        None => ReleaseOrder::InOrder,
        Some(word) if word.text == "reversed" => ReleaseOrder::Reversed,
        Some(word) => {
            return Err(
                word.wrong(format!("`{}` is no order; what is held comes in order or reversed", word.text), form)
            );
        }
    };
    Ok(FaultLine::Release(from.target(form)?, to.target(form)?, order))
}

fn partition(rest: Piece<'_>) -> Result<FaultLine, FaultTextError> {
    let form = "partition 1,2|3,4,5";
    let mut parts = Vec::new();
    let mut named = NodeSet::EMPTY;
    let mut left = Some(rest);
    while let Some(piece) = left {
        let (part, more) = match piece.split_once("|") {
            Some((part, more)) => (part, Some(more)),
            None => (piece, None),
        };
        let target = part.target(form)?;
        if let Target::Nodes(nodes) = &target {
            let twice = named.intersection(nodes);
            if !twice.is_empty() {
                return Err(part.wrong(format!("{twice} stands in two parts"), form));
            }
            named = named.union(nodes);
        }
        parts.push(target);
        left = more;
    }
    if parts.len() < 2 {
        Err(rest.wrong("a second part is missing here", form))
    } else {
        Ok(FaultLine::Partition(parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_where_and_shows_the_form() {
        for (text, place, what) in [
            ("crush 5", "crush", "there is no fault `crush`"),
            ("crash", "", "a node is missing here"),
            ("crash five", "five", "`five` is no node id"),
            ("crash 900", "900", "there is no node 900"),
            ("start-over", "", "a node is missing here"),
            ("wipe", "", "a node is missing here"),
            ("rollback five", "five", "`five` is no node id"),
            ("slow 3", "3", "the measure is missing here"),
            ("slow 3 fast", "fast", "`fast` is no share"),
            ("slow 3 100%", "100%", "a slow process runs from 1% to 99% of the time"),
            ("clock 3", "3", "the measure is missing here"),
            ("clock 3 1.5", "1.5", "`1.5` is no rate; write"),
            ("clock 3 20x", "20x", "`20x` is no rate of a clock"),
            ("clock 3 1x", "1x", "a clock at 1x runs as all do"),
            ("cut 1 2", "1 2", "an arrow is missing here"),
            ("loss 1->2", "2", "the measure is missing here"),
            ("loss 1->2 130%", "130%", "`130%` is no share"),
            ("garble 1->2", "2", "the measure is missing here"),
            ("reorder 1->2 often", "often", "`often` is no share"),
            ("delay 1->2 9..5ms", "9", "`9` is no length of time"),
            ("delay 1->2 9ms..5ms", "9ms..5ms", "the range runs backwards"),
            ("partition 1,2", "1,2", "a second part is missing here"),
            ("partition 1,2|2,3", "2,3", "2 stands in two parts"),
            ("cut 1->2 broadcast", "broadcast", "`broadcast` is no channel"),
            ("cut 1<->2 multicast 3", "2 multicast 3", "`2 multicast 3` is no node id"),
            ("cut 1 2 multicast", "1 2 multicast", "an arrow is missing here"),
            ("loss 1->2 30% bursts", "", "`` is no length of bursts"),
            ("loss 1->2 30% bursts 1001", "1001", "`1001` is no length of bursts"),
            ("loss 1->2 30% bursts 1", "1", "with 30% lost, losses come in runs that long"),
            ("loss 1->2 100% bursts 5", "5", "what loses everything has no bursts"),
            ("loss 1->2 often bursts 5", "often", "`often` is no share"),
            ("partial 1->*", "*", "the measure is missing here"),
            ("partial 1->* 0", "0", "`0` is no number of those that hear"),
            ("partial 1->* some", "some", "`some` is no number"),
            ("hold 1 2", "1 2", "an arrow `->` is missing here"),
            ("hold 1->", "", "a node is missing here"),
            ("release 1->2 backwards", "backwards", "`backwards` is no order"),
            ("release 1 reversed", "1 reversed", "an arrow `->` is missing here"),
            ("undo 3", "3", "nothing may follow here"),
        ] {
            let error = text.parse::<FaultLine>().unwrap_err();
            assert_eq!(&text[error.at.clone()], place, "{text}");
            assert!(error.to_string().starts_with(what), "{error}");
            assert!(error.to_string().contains("the form is `"), "{error}");
        }
    }
}
