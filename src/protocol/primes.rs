//! How many primes a range of numbers holds: the real work of a shard (`application/shards`).
//!
//! Invariant: the same range always has the same count, so a result can be checked by counting again.

use std::ops::Range;

/// How many primes these numbers hold. It takes time and memory in proportion to the range's length and to the square
/// root of its end.
pub fn prime_count(numbers: Range<u64>) -> u32 {
    let Range { start, end } = numbers;
    let start = start.max(2);
    if end <= start {
        return 0;
    }
    let mut composite = vec![false; usize::try_from(end - start).expect("a range of a shard fits memory")];
    for divisor in small_primes((end - 1).isqrt()) {
        let first = (divisor * divisor).max(start.next_multiple_of(divisor));
        for multiple in (first..end).step_by(divisor as usize) {
            composite[(multiple - start) as usize] = true;
        }
    }
    composite.iter().filter(|is_composite| !**is_composite).count() as u32
}

/// The primes up to this number.
fn small_primes(last: u64) -> Vec<u64> {
    let mut primes: Vec<u64> = Vec::new();
    for number in 2..=last {
        if primes.iter().take_while(|prime| **prime * **prime <= number).all(|prime| number % prime != 0) {
            primes.push(number);
        }
    }
    primes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_are_those_of_the_tables() {
        for (below, count) in [(0, 0), (2, 0), (3, 1), (10, 4), (100, 25), (1_000, 168), (100_000, 9_592)] {
            assert_eq!(prime_count(0..below), count, "below {below}");
        }
        assert_eq!(prime_count(100_000_000..100_001_000), 54);
    }

    #[test]
    fn ranges_side_by_side_count_as_one() {
        let parts: u32 = (0..100).map(|part| prime_count(part * 77..(part + 1) * 77)).sum();
        assert_eq!(parts, prime_count(0..7_700));
    }
}
