//! What people in front of the screen have predicted of elections, and the score that they have.
//!
//! Invariant: a prediction is about the first election that begins after it, and is compared with what the screen shows
//! of that one; so nobody learns from it how an election ends that is not seen yet.

use std::fmt;

use protocol::{NodeId, NodeSet, visible};
use world::{ElectionView, Elections};

/// The predictions, oldest first.
#[derive(Clone, Default, Debug)]
pub struct Predictions(Vec<Prediction>);

/// A prediction of an election.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Prediction {
    /// Who is to win.
    pub winner: NodeId,
    /// With how many messages.
    pub messages: u64,
    /// How many elections there had been before.
    after: u64,
    /// What came of it, once that is seen.
    pub outcome: Option<PredictionOutcome>,
}

/// The election that was predicted.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct PredictionOutcome {
    /// Which of the lab's elections it was.
    pub ordinal: u64,
    /// Who was elected.
    pub elected: NodeSet,
    /// With how many messages.
    pub messages: u64,
    /// How many they were of each kind.
    kinds: Vec<(String, u64)>,
}

/// Why a prediction is not taken.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum NoPrediction {
    /// The text is no prediction.
    #[error("`{0}` is no prediction; write the winner and the number of messages, such as `predict 4 12`")]
    NotOne(String),
    /// The node does not take part.
    #[error("there is no node {0} in this lab; write one that is on screen 1")]
    NoSuchNode(NodeId),
    /// An election goes on.
    #[error("an election is under way already; wait until it is over, and predict the next one")]
    TooLate,
    /// What is on the screen is over already.
    #[error("this is the past, in which all is decided; {0} returns to the lab, and there you can predict")]
    InThePast(String),
}

impl Predictions {
    /// Takes a prediction, the text after `predict`, before the elections of this screen go on.
    ///
    /// # Errors
    /// It is no prediction, or comes too late; nothing is changed.
    pub fn take(&mut self, text: &str, nodes: NodeSet, elections: &Elections) -> Result<&Prediction, NoPrediction> {
        let not_one = || NoPrediction::NotOne(visible(text).into_owned());
        let mut words = text.split_whitespace();
        let (Some(winner), Some(messages), None) = (words.next(), words.next(), words.next()) else {
            return Err(not_one());
        };
        let (winner, messages) = (winner.parse().map_err(|_| not_one())?, messages.parse().map_err(|_| not_one())?);
        if !nodes.contains(winner) {
            return Err(NoPrediction::NoSuchNode(winner));
        }
        if elections.present().is_some() {
            return Err(NoPrediction::TooLate);
        }
        // Another one about the same election takes its place.
        self.0.retain(|prediction| prediction.outcome.is_some());
        self.0.push(Prediction { winner, messages, after: elections.count, outcome: None });
        Ok(self.0.last().expect("it has just been added"))
    }

    /// Compares the last one with these elections, if its own is over. Messages of these kinds do not count. Returns it
    /// if this has decided it.
    pub fn judge(&mut self, elections: &Elections, without: &[String]) -> Option<&Prediction> {
        let last = self.0.last_mut().filter(|prediction| prediction.outcome.is_none())?;
        let is_it = |election: &&ElectionView| election.ordinal > last.after && election.ended.is_some();
        let election = elections.latest.iter().find(is_it)?;
        last.outcome = Some(PredictionOutcome {
            ordinal: election.ordinal,
            elected: election.elected,
            messages: election.messages(without),
            kinds: election.kinds(without).map(|(kind, count)| (kind.to_owned(), count)).collect(),
        });
        Some(last)
    }

    /// All of them, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Prediction> {
        self.0.iter()
    }

    /// The score in a line; nothing while no prediction is decided.
    pub fn score(&self) -> Option<String> {
        let decided: Vec<(&Prediction, &PredictionOutcome)> =
            self.0.iter().filter_map(|prediction| Some((prediction, prediction.outcome.as_ref()?))).collect();
        let count = decided.len() as u64;
        let right = decided.iter().filter(|(prediction, outcome)| prediction.is_winner(outcome)).count();
        let off: u64 = decided.iter().map(|(prediction, outcome)| prediction.off(outcome)).sum();
        // Rounded to the nearest whole message.
        let mean = (count > 0).then(|| (2 * off + count) / (2 * count))?;
        Some(format!("{right} of {count} winners right; the messages are off by {mean} on average"))
    }
}

impl PredictionOutcome {
    /// The messages by their kinds, as a sentence.
    pub fn kinds_told(&self) -> String {
        let kinds: Vec<String> = self.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        if kinds.is_empty() {
            "None of its messages counts.".to_owned()
        } else {
            format!("Counted: {}.", kinds.join(", "))
        }
    }
}

impl Prediction {
    fn is_winner(&self, outcome: &PredictionOutcome) -> bool {
        outcome.elected == NodeSet::of(self.winner)
    }

    fn off(&self, outcome: &PredictionOutcome) -> u64 {
        self.messages.abs_diff(outcome.messages)
    }

    /// How it came out, as a sentence; nothing while that is open.
    pub fn told(&self) -> Option<String> {
        let outcome = self.outcome.as_ref()?;
        let elected = if outcome.elected.is_empty() { "nobody".to_owned() } else { outcome.elected.to_string() };
        let winner = if self.is_winner(outcome) { "right" } else { "wrong" };
        let messages = match self.off(outcome) {
            0 => "the number of messages is right".to_owned(),
            off => format!("the messages are {off} off"),
        };
        Some(format!(
            "Election {}: {elected} was elected, with {}. {self}: the winner is {winner}, and {messages}.",
            outcome.ordinal,
            counted(outcome.messages)
        ))
    }
}

fn counted(messages: u64) -> String {
    if messages == 1 { "1 message".to_owned() } else { format!("{messages} messages") }
}

impl fmt::Display for Prediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Predicted: {}, with {}", self.winner, counted(self.messages))
    }
}
