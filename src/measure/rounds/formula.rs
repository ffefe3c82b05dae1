//! How many rounds King, Gendreau and Ni expect of Algorithm C: equation 1 of section 6 and its appendix.
//!
//! The formula counts one broadcast a round, `elected`; it leaves `dup` out, and it cannot fail. Each of i announcers
//! misses each other one's broadcast with the chance p, and gives way to the larger ones that it hears; P(i,j) is the
//! chance that j of i are left.
//!
//! Invariant: it is a function of p and of the number of candidates alone; with one candidate it is 1, and with p = 0
//! and more candidates 2.

/// The rounds expected with 1, 2, ... candidates, up to this many; p is below 1.
pub fn expected_rounds(p: f64, most: usize) -> Vec<f64> {
    let left = left_of(p, most);
    let mut expected = vec![1.0];
    for (a, of_a) in left.iter().enumerate().skip(2) {
        let none_gives_way = of_a[a];
        let fewer = (1..a).map(|i| (expected[i - 1] + 1.0) * of_a[i]).sum::<f64>();
        expected.push((none_gives_way + fewer) / (1.0 - none_gives_way));
    }
    expected.truncate(most);
    expected
}

/// `P(i,j)`, by i and j from 0.
fn left_of(p: f64, most: usize) -> Vec<Vec<f64>> {
    let mut left = vec![vec![0.0; most + 1]; most + 1];
    for i in 1..=most {
        // The i-th in rank stays if it misses the i-1 that outrank it.
        let stays = p.powi(i as i32 - 1);
        for j in 1..=i {
            left[i][j] = if i == 1 { 1.0 } else { left[i - 1][j] * (1.0 - stays) + left[i - 1][j - 1] * stays };
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_are_those_of_figure_1() {
        for (p, five, hundred) in [(0.1, 2.122, 2.122), (0.2, 2.300, 2.300), (0.3, 2.554, 2.557), (0.5, 3.450, 3.498)] {
            let expected = expected_rounds(p, 100);
            assert!((expected[4] - five).abs() < 6e-4, "p = {p}: {}", expected[4]);
            assert!((expected[99] - hundred).abs() < 6e-4, "p = {p}: {}", expected[99]);
        }
    }

    #[test]
    fn one_candidate_takes_one_round_and_two_take_one_more_until_one_of_them_hears() {
        for p in [0.0, 0.05, 0.5, 0.8] {
            let expected = expected_rounds(p, 2);
            assert_eq!(expected[0], 1.0);
            assert!((expected[1] - (1.0 + 1.0 / (1.0 - p))).abs() < 1e-12, "p = {p}: {}", expected[1]);
        }
        assert!(expected_rounds(0.0, 20)[1..].iter().all(|rounds| *rounds == 2.0));
    }

    #[test]
    fn three_rounds_are_crossed_where_the_notes_say() {
        assert!((expected_rounds(0.5, 2)[1] - 3.0).abs() < 1e-12);
        assert!(expected_rounds(0.413, 100)[99] < 3.0 && expected_rounds(0.415, 100)[99] > 3.0);
    }
}
