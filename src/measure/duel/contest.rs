//! The labs of a duel: one script, played by several algorithms.
//!
//! Each has the nodes, the periods and the steps of the lab, the algorithm's own settings as its Card gives them, and
//! nothing that is expected. A step that waits for a moment of one algorithm, or for a node that the others would not
//! elect, suits not all of them, and is refused.
//!
//! Invariant: all labs of a duel have the same steps at the same times.

use std::sync::Arc;

use lab::{Lab, LabErrors, When, parse};
use protocol::{Card, Settings, Span};

/// The labs of a duel.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The name of the script's lab.
    pub name: String,
    /// One lab for each algorithm.
    pub labs: Vec<Arc<Lab>>,
    /// How long a lab goes on after its last step: as long as the slowest of the algorithms may need.
    pub tail: Span,
}

/// Why a lab's script is none for a duel.
#[derive(Debug, thiserror::Error)]
pub enum ContestError {
    /// A step waits for something that not all algorithms come to.
    #[error(
        "the step \"{step}\" of {lab} waits for `{when}`, to which not every algorithm comes; in a duel a step has a \
         time, or waits for `all normal` or `groups K`"
    )]
    Waits {
        /// The lab.
        lab: String,
        /// The step.
        step: String,
        /// What it waits for.
        when: String,
    },
    /// The lab has an application, which not every algorithm takes.
    #[error("{0} has an application, and a duel is of elections alone; take the [application] out of it")]
    HasApplication(String),
    /// An algorithm does not take the lab.
    #[error("{algorithm} does not take this lab:\n{errors}")]
    Refuses {
        /// The algorithm.
        algorithm: &'static str,
        /// Why.
        errors: LabErrors,
    },
}

impl Contest {
    /// The duel of these algorithms over the script of this lab.
    ///
    /// # Errors
    /// The script does not suit all of them.
    pub fn new(lab: &Lab, cards: &[Card]) -> Result<Contest, ContestError> {
        if lab.application().is_some() {
            return Err(ContestError::HasApplication(lab.name.clone()));
        }
        for step in &lab.steps {
            let when = match &step.when {
                When::Condition { condition, .. } if !condition.nodes().is_empty() => condition.to_string(),
                When::Moment(moment) => moment.to_string(),
                When::At(_) | When::Condition { .. } => continue,
            };
            return Err(ContestError::Waits { lab: lab.name.clone(), step: step.name.clone(), when });
        }
        let labs: Vec<Arc<Lab>> = cards.iter().map(|card| played_by(lab, card)).collect::<Result<_, _>>()?;
        let patience = |lab: &Arc<Lab>| (lab.card.quiet_bound.value)(&lab.timing, lab.roster.len(), &lab.settings);
        let tail = labs.iter().map(patience).max().unwrap_or(Span::ZERO);
        Ok(Contest { name: lab.name.clone(), labs, tail })
    }
}

/// The lab with another algorithm, checked as if a person had written it.
fn played_by(lab: &Lab, card: &Card) -> Result<Arc<Lab>, ContestError> {
    // The settings of the lab's own algorithm stay.
    let settings = if card.name == lab.card.name {
        lab.settings.clone()
    } else {
        Settings::defaults(card.settings, lab.roster.all())
    };
    let played = Lab { card: *card, settings, expectations: Vec::new(), ..lab.clone() };
    let parsed = parse(&lab.name, &played.written(), lab.registry);
    parsed.map(Arc::new).map_err(|errors| ContestError::Refuses { algorithm: card.name, errors })
}
