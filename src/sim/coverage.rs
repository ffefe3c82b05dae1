//! What runs have reached: which lines of the listing, in which state of the process, under which kind of fault.
//!
//! A cell is a line, the word of the state in which the process took the step through it, and a kind of fault that was
//! in force at that moment anywhere in the lab or had ended within the last 2T; without such a fault, no fault. A step
//! under several kinds counts for each of them.
//!
//! Invariant: sums do not depend on the order of the summands; a count depends only on the records.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::LazyLock;

use fault::{FaultId, FaultLine, breaking_verbs};
use lab::Lab;
use protocol::{Card, Line, LineNumber, LineTaker};
use record::{Body, Input, Record};

/// The kinds of faults, as their lines begin; the first stands for none, the second for all lines that only end others.
static KINDS: LazyLock<Vec<&str>> = LazyLock::new(|| ["none", "heal"].into_iter().chain(breaking_verbs()).collect());

/// The place of the lines that only end others.
const ENDS: usize = 1;

/// How often each cell of one algorithm was reached.
#[derive(Clone, PartialEq, Debug)]
pub struct Coverage {
    card: CellNames,
    /// By line.
    cited: Vec<u64>,
    /// By line, then by word, then by kind.
    cells: Vec<u64>,
}

/// The names of the cells.
#[derive(Copy, Clone, Debug)]
struct CellNames {
    listing: &'static [Line],
    words: &'static [&'static str],
}

impl PartialEq for CellNames {
    fn eq(&self, other: &CellNames) -> bool {
        self.words == other.words && self.listing.len() == other.listing.len()
    }
}

impl Coverage {
    /// Nothing was reached yet of this Card's listing.
    pub fn of(card: &Card) -> Coverage {
        let card = CellNames { listing: card.listing, words: card.words };
        let lines = card.listing.len();
        Coverage { card, cited: vec![0; lines], cells: vec![0; lines * card.words.len() * KINDS.len()] }
    }

    /// How many cells there are, and how many of them were reached.
    pub fn cells(&self) -> (usize, usize) {
        let lines = self.citable().count();
        let reached = self.cells.iter().filter(|count| **count > 0).count();
        (lines * self.card.words.len() * KINDS.len(), reached)
    }

    /// Each line that can be cited, and how often it was, the rarest first.
    pub fn lines(&self) -> Vec<(LineNumber, u64)> {
        let cited = |(place, line): (usize, &Line)| (line.number, self.cited[place]);
        let mut lines: Vec<(LineNumber, u64)> = self.citable().map(cited).collect();
        lines.sort_by_key(|(number, times)| (*times, *number));
        lines
    }

    /// How often each line was cited, and each cell reached.
    pub fn counts(&self) -> (&[u64], &[u64]) {
        (&self.cited, &self.cells)
    }

    /// The coverage of this Card's listing with these counts; nothing if it has not so many lines or cells.
    pub fn of_counts(card: &Card, cited: Vec<u64>, cells: Vec<u64>) -> Option<Coverage> {
        let none = Coverage::of(card);
        let fits = none.cited.len() == cited.len() && none.cells.len() == cells.len();
        fits.then_some(Coverage { cited, cells, ..none })
    }

    fn citable(&self) -> impl Iterator<Item = (usize, &Line)> {
        self.card.listing.iter().enumerate().filter(|(_, line)| line.taken_by == LineTaker::Running)
    }

    fn add(&mut self, line: LineNumber, word: usize, kinds: u64) {
        let Some(place) = self.card.listing.iter().position(|of| of.number == line) else { return };
        self.cited[place] += 1;
        let cells = (place * self.card.words.len() + word) * KINDS.len();
        for (kind, count) in self.cells[cells..][..KINDS.len()].iter_mut().enumerate() {
            *count += kinds >> kind & 1;
        }
    }
}

impl AddAssign for Coverage {
    fn add_assign(&mut self, other: Coverage) {
        assert!(self.card == other.card, "coverage is added up for each algorithm by itself");
        let counts = self.cited.iter_mut().chain(&mut self.cells);
        counts.zip(other.cited.into_iter().chain(other.cells)).for_each(|(sum, count)| *sum += count);
    }
}

/// Counts what the records of one run reach.
#[derive(Debug)]
pub struct Counting {
    coverage: Coverage,
    /// How long an ended fault still counts, in nanoseconds.
    lingers: i64,
    /// By node: the word of its state.
    words: Vec<usize>,
    /// The kinds of the faults that were ordered, and of those that are in force.
    ordered: BTreeMap<FaultId, usize>,
    in_force: BTreeMap<FaultId, usize>,
    /// By kind: when the last one ended.
    ended: Vec<i64>,
}

impl Counting {
    /// A run of this lab is about to begin.
    pub fn of(lab: &Lab) -> Counting {
        Counting {
            coverage: Coverage::of(&lab.card),
            lingers: i64::try_from(lab.timing.t.nanos() * 2).unwrap_or(i64::MAX),
            words: vec![0; usize::from(lab.roster.len())],
            ordered: BTreeMap::new(),
            in_force: BTreeMap::new(),
            ended: vec![i64::MIN; KINDS.len()],
        }
    }

    /// Takes in the next record.
    pub fn take(&mut self, record: &Record) {
        match &record.body {
            Body::FaultOrdered { id, line, .. } => {
                self.ordered.insert(*id, kind_of(line));
            }
            Body::FaultInForce { id } => self.in_force.extend(self.ordered.remove_entry(id)),
            Body::FaultLifted { id } => {
                if let Some(kind) = self.in_force.remove(id) {
                    self.ended[kind] = record.at;
                }
            }
            Body::Step(step) => {
                let Some(node) = record.node else { return };
                let place = usize::from(node.get() - 1);
                let word = step.state.as_ref().and_then(|state| self.place_of(&state.word));
                // A process that starts had no state before.
                if let (Input::Start { .. }, Some(word)) = (&step.input, word) {
                    self.words[place] = word;
                }
                if !step.lines.is_empty() {
                    let kinds = self.kinds(record.at);
                    step.lines.iter().for_each(|line| self.coverage.add(*line, self.words[place], kinds));
                }
                if let Some(word) = word {
                    self.words[place] = word;
                }
            }
            _ => {}
        }
    }

    /// The result.
    pub fn finished(self) -> Coverage {
        self.coverage
    }

    fn place_of(&self, word: &str) -> Option<usize> {
        self.coverage.card.words.iter().position(|of| *of == word)
    }

    /// The kinds that count at this moment, a bit each.
    fn kinds(&self, at: i64) -> u64 {
        let since = at.saturating_sub(self.lingers);
        let ended = (1..KINDS.len()).filter(|kind| self.ended[*kind] > since);
        let kinds = ended.chain(self.in_force.values().copied()).fold(0, |kinds, kind| kinds | 1 << kind);
        if kinds == 0 { 1 } else { kinds }
    }
}

/// The place of the line's kind.
fn kind_of(line: &FaultLine) -> usize {
    KINDS.iter().position(|kind| *kind == line.verb()).unwrap_or(ENDS)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::Arc;

    use super::*;
    use crate::{Plan, run};
    use lab::parse;
    use registry::BUILT_IN;

    /// What a run of five Bully processes reaches in which this happens, and the lines that its steps cite.
    fn reached(steps: &str) -> (Coverage, BTreeMap<LineNumber, u64>) {
        let text = format!(
            "name = \"lab\"\nabout = \"Five.\"\nalgorithm = \"bully\"\nnodes = 5\nseed = 1\nT = \"200ms\"\ncheck = \"200ms\"\n\
             silence = \"1s\"\n{steps}\n[[step]]\nat = \"9s\"\ndo = []\n"
        );
        let lab = Arc::new(parse("lab", &text, BUILT_IN).unwrap_or_else(|errors| panic!("{errors}")));
        let counting = RefCell::new((Counting::of(&lab), BTreeMap::new()));
        let listener = |record: &Record| {
            let (counting, cited) = &mut *counting.borrow_mut();
            counting.take(record);
            if let Body::Step(step) = &record.body {
                step.lines.iter().for_each(|line| *cited.entry(*line).or_default() += 1);
            }
        };
        run(&Plan::of(lab), Box::new(listener));
        let (counting, cited) = counting.into_inner();
        (counting.finished(), cited)
    }

    /// How often a line was cited in a state under a kind of fault.
    fn times(coverage: &Coverage, line: LineNumber, word: &str, kind: &str) -> u64 {
        let CellNames { listing, words } = coverage.card;
        let place = listing.iter().position(|of| of.number == line).unwrap();
        let word = words.iter().position(|of| *of == word).unwrap();
        coverage.cells[(place * words.len() + word) * KINDS.len() + kind_of_name(kind)]
    }

    fn kind_of_name(kind: &str) -> usize {
        KINDS.iter().position(|of| *of == kind).unwrap()
    }

    #[test]
    fn a_line_counts_under_what_stands() {
        let (calm, cited) = reached("");
        // Every line that a step cited is counted once.
        assert_eq!(calm.lines().into_iter().filter(|(_, times)| *times > 0).collect::<BTreeMap<_, _>>(), cited);
        // A process starts in no state: the lines of its start count for the state that it is then in.
        assert_eq!(times(&calm, 20, "Down", "none") + times(&calm, 20, "Election", "none"), 5);
        // 5 takes the point of its one election in Election, and the others are halted in Down.
        assert_eq!((times(&calm, 15, "Election", "none"), times(&calm, 15, "Normal", "none")), (1, 0));
        assert_eq!(cited[&3], times(&calm, 3, "Down", "none") + times(&calm, 3, "Election", "none"));

        let (faulty, _) =
            reached("[[step]]\nat = \"4s\"\ndo = [\"crash 5\"]\n[[step]]\nat = \"7s\"\ndo = [\"recover 5\"]\n");
        // 4 elects itself while 5 is dead; 5 is back, and elects itself within 2T of its return.
        assert_eq!(times(&faulty, 15, "Election", "crash"), 2);
        assert_eq!((times(&faulty, 15, "Election", "none"), times(&faulty, 15, "Election", "recover")), (1, 1));
        assert!(times(&faulty, 21, "Normal", "none") > 0 && times(&faulty, 21, "Normal", "pause") == 0);
        assert!(faulty.cells().1 > calm.cells().1);
        // Bully has four words.
        assert_eq!(faulty.cells().0, faulty.lines().len() * 4 * KINDS.len());
    }

    #[test]
    fn the_rarest_line_comes_first() {
        let (one, cited) = reached("");
        let mut both = one.clone();
        both += one.clone();
        let doubled: Vec<_> = one.lines().into_iter().map(|(line, times)| (line, 2 * times)).collect();
        assert_eq!((both.lines(), both.cells()), (doubled, one.cells()));
        let (line, rarest) = both.lines().into_iter().find(|(_, times)| *times > 0).unwrap();
        assert_eq!(
            (rarest, Some(&rarest)),
            (2 * cited[&line], both.lines().iter().map(|(_, times)| times).find(|t| **t > 0))
        );
    }
}
