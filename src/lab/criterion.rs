//! Compares a lab's criterion with the numbers that it gives, and with where the lab is to run.
//!
//! Invariant: a parsed lab has a number for each node exactly if its criterion is `fixed`; a lab that a simulator gets
//! measures nothing.

use super::reader::{PlacedTable, Reader, Value};
use super::{Lab, LabError, LabErrors, place_of};
use protocol::{CAPACITIES, CRITERION, Criterion, SettingValue, Settings};

/// Refuses numbers that no setting uses, and a criterion that lacks its numbers.
pub(super) fn criterion<'a>(reader: &mut Reader<'a>, given: &PlacedTable<'a>, settings: &Settings) {
    let Some(criterion) = Criterion::of(settings) else { return };
    let is_read = |chosen: &Value<'a>| chosen.get_ref().as_str() == Some(criterion.word());
    if !given.entries.get(CRITERION.name).is_none_or(is_read) {
        return;
    }
    let (key, fixed) = (CAPACITIES.name, Criterion::Fixed.word());
    match (criterion, given.entries.get(key), given.entries.get(CRITERION.name)) {
        (Criterion::Fixed, None, Some(chosen)) => {
            let what = format!("{} = \"{fixed}\" needs a number for each node", CRITERION.name);
            let remedy = format!("add a line such as `{key} = [3, 9, 4]`, with one number for each node");
            reader.wrong(chosen.span(), what, format!("`{key}` is missing"), remedy);
        }
        (Criterion::Fixed, ..) | (_, None, _) => {}
        (other, Some(numbers), _) => {
            let what = format!("`{key}` is not used with {} = \"{}\"", CRITERION.name, other.word());
            let remedy = format!("remove it, or write `{} = \"{fixed}\"`", CRITERION.name);
            reader.wrong(numbers.span(), what, "no setting uses these numbers", remedy);
        }
    }
}

impl Lab {
    /// Refuses the lab if it can only be run by real processes; `file` is what the error calls it.
    ///
    /// # Errors
    /// Its criterion is measured on real processes.
    pub fn check_simulable(&self, file: &str) -> Result<(), LabErrors> {
        let Some(criterion) = Criterion::of(&self.settings).filter(|criterion| criterion.is_measured()) else {
            return Ok(());
        };
        let others: Vec<&str> =
            Criterion::ALL.into_iter().filter(|other| !other.is_measured()).map(Criterion::word).collect();
        let error = LabError {
            at: place_of(&self.text, &["settings", CRITERION.name]),
            what: format!("{} = \"{}\" is measured on real processes", CRITERION.name, criterion.word()),
            expected: "a simulation has no processes to measure".to_owned(),
            remedy: format!(
                "run the lab with real processes (`hustings run` or `hustings up` without --sim), or write another \
                 {}: {}",
                CRITERION.name,
                others.join(", ")
            ),
        };
        Err(LabErrors { file: file.to_owned(), text: self.text.clone(), list: vec![error] })
    }
}

/// The value of a setting that is a number for each node.
pub(super) fn numbers<'a>(
    reader: &mut Reader<'a>,
    name: &str,
    value: &'a Value<'a>,
    nodes: Option<usize>,
) -> Option<SettingValue> {
    let expected = "a list with a whole number from 0 for each node, such as [3, 9, 4]";
    let numbers = reader.wholes(value, 0..1 << 32, expected)?;
    if let Some(nodes) = nodes.filter(|nodes| *nodes != numbers.len()) {
        let what = format!("`{name}` has {} numbers, and the lab has {nodes} nodes", numbers.len());
        reader.wrong(
            value.span(),
            what,
            format!("expected {nodes} numbers"),
            "write one number for each node, from \
            node 1 on",
        );
        return None;
    }
    let numbers = numbers.into_iter().map(u32::try_from).collect::<Result<_, _>>();
    Some(SettingValue::Numbers(numbers.expect("each number must be below 2^32")))
}
