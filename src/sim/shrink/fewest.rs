//! Delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002, figure 3): of many
//! things, few that still show something.
//!
//! Invariant: the result shows it, if all together do, and without any single one of its things it is not shown.

/// The places, out of so many, that are left: the fewest that this search finds. All together show it.
pub(super) fn fewest(count: usize, mut shows: impl FnMut(&[usize]) -> bool) -> Vec<usize> {
    let mut left: Vec<usize> = (0..count).collect();
    if !left.is_empty() && shows(&[]) {
        return Vec::new();
    }
    let mut parts = 2;
    while left.len() > 1 {
        match smaller(&left, parts, &mut shows) {
            Some((smaller, next)) => (left, parts) = (smaller, next),
            None if parts < left.len() => parts = (parts * 2).min(left.len()),
            None => break,
        }
    }
    left
}

/// Fewer of these that still show it: one of so many parts of them, or all but one part; and into how many parts they
/// are divided next.
fn smaller(left: &[usize], parts: usize, shows: &mut impl FnMut(&[usize]) -> bool) -> Option<(Vec<usize>, usize)> {
    let divided: Vec<&[usize]> =
        (0..parts).map(|part| &left[part * left.len() / parts..(part + 1) * left.len() / parts]).collect();
    if let Some(part) = divided.iter().find(|part| part.len() < left.len() && shows(part)) {
        return Some((part.to_vec(), 2));
    }
    if parts == 2 {
        // All but one part is the other part, which was looked at.
        return None;
    }
    let without = |gone: usize| {
        let kept = divided.iter().enumerate().filter(|(place, _)| *place != gone);
        kept.flat_map(|(_, part)| part.iter().copied()).collect::<Vec<usize>>()
    };
    let rest = (0..parts).map(without).find(|rest| shows(rest))?;
    let next = (parts - 1).max(2).min(rest.len());
    Some((rest, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of so many where these are needed, and how often it was tried.
    fn left(count: usize, needed: &[usize]) -> (Vec<usize>, usize) {
        let mut tries = 0;
        let left = fewest(count, |kept| {
            tries += 1;
            needed.iter().all(|place| kept.contains(place))
        });
        (left, tries)
    }

    #[test]
    fn exactly_what_is_needed_is_left() {
        for needed in [&[][..], &[0], &[7], &[3, 4], &[0, 19], &[1, 8, 9, 17], &[5, 6, 7, 8, 9]] {
            assert_eq!(left(20, needed).0, needed);
        }
        assert_eq!((left(0, &[]).0, left(1, &[0]).0), (vec![], vec![0]));
        assert!(left(1_000, &[400]).1 < 30, "one of many is found by halves");
    }

    #[test]
    fn of_either_of_two_one_is_left() {
        assert_eq!(fewest(9, |kept| kept.contains(&2) || kept.contains(&7)), [2]);
    }

    #[test]
    fn none_of_what_is_left_can_go() {
        // An odd number of these, and the last one: what shows it does not always show it with more.
        let shows =
            |kept: &[usize]| kept.contains(&11) && kept.iter().filter(|place| **place % 3 == 0).count() % 2 == 1;
        let left = fewest(13, shows);
        assert!(shows(&left));
        for gone in &left {
            let rest: Vec<usize> = left.iter().copied().filter(|place| place != gone).collect();
            assert!(!shows(&rest), "{left:?} without {gone}");
        }
    }
}
