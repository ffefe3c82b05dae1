//! Tests of the census: it sees what breaks the layer's promises, and its odds are right.
//!
//! Invariant: each probability is compared with a formula or a sum that was found in another way.

use super::*;

fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

/// Broadcasts 1 to 3 among nodes 1 to 3, delivered like this.
fn census(delivered: [&[u32]; 3]) -> BroadcastCount<u32> {
    let mut census = BroadcastCount::new("1-3".parse().unwrap());
    (1..=3).for_each(|broadcast| census.send(broadcast));
    for (number, broadcasts) in (1..).zip(delivered) {
        broadcasts.iter().for_each(|broadcast| census.deliver(node(number), *broadcast));
    }
    census
}

#[test]
fn what_all_deliver_in_one_order_keeps_every_promise() {
    let census = census([&[2, 1, 3], &[2, 1, 3], &[2, 1, 3]]);
    assert_eq!(census.broadcasts(), 3);
    assert!(census.missed().is_empty() && census.twice().is_empty() && census.disordered().is_empty());
}

#[test]
fn what_is_missed_disturbs_no_order() {
    let census = census([&[1, 2, 3], &[1, 3], &[]]);
    assert_eq!(census.missed(), [(node(2), 2), (node(3), 1), (node(3), 2), (node(3), 3)]);
    assert!(census.disordered().is_empty());
}

#[test]
fn two_orders_are_seen_whoever_has_which() {
    assert_eq!(census([&[1, 2, 3], &[2, 1, 3], &[1, 2, 3]]).disordered().len(), 2);
    // 1 delivers another broadcast between the two, which 2 misses.
    assert_eq!(census([&[1, 2, 3], &[3, 1], &[]]).disordered(), [(node(1), node(2), 3)]);
}

#[test]
fn what_comes_again_is_seen_and_what_nobody_broadcast_is_left_aside() {
    let census = census([&[1, 2, 1, 3], &[1, 2, 3, 9], &[1, 2, 3]]);
    assert_eq!(census.twice(), [(node(1), 1)]);
    assert!(census.missed().is_empty() && !census.knows(9));
}

#[test]
fn the_odds_of_one_broadcast_are_a_distribution_with_the_papers_mean() {
    for (nodes, loss) in [(2, 0.3), (3, 0.5), (5, 0.05), (8, 0.2), (32, 0.4)] {
        let odds = MissChance::new(nodes, loss);
        let sum: f64 = odds.missing.iter().sum();
        let mean: f64 = odds.missing.iter().enumerate().map(|(miss, chance)| miss as f64 * chance).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{nodes} nodes, {loss}: {sum}");
        assert!((mean - odds.expected(1)).abs() < 1e-12, "{nodes} nodes, {loss}: {mean} is not {}", odds.expected(1));
    }
    let odds = MissChance::new(8, 0.2);
    assert!((odds.miss() - 4.354e-4).abs() < 1e-7, "{}", odds.miss());
    assert!((30.0..31.0).contains(&odds.expected(10_000)));
}

/// Whether one node misses a broadcast depends on whether another does. Two nodes both miss it if both direct copies to
/// them are lost, and each of the five other receivers has no direct copy to relay or loses both its relays to them.
#[test]
fn the_spread_of_one_broadcast_is_the_one_that_pairs_have() {
    let (p, odds) = (0.2_f64, MissChance::new(8, 0.2));
    let both = p * p * (p + (1.0 - p) * p * p).powi(5);
    let square: f64 = odds.missing.iter().enumerate().map(|(miss, chance)| (miss * miss) as f64 * chance).sum();
    assert!((square - (7.0 * odds.miss() + 7.0 * 6.0 * both)).abs() < 1e-12, "{square}");
}

#[test]
fn many_lie_about_where_the_normal_distribution_puts_them_and_few_where_poissons_does() {
    // Of 70,000 deliveries 30.5 are missed on average, with a standard deviation of 6.5. The normal distribution puts
    // 99 % of the counts into 30.5 ± 16.6; this distribution is somewhat skewed.
    assert_eq!(MissChance::new(8, 0.2).between(10_000, 0.99), (16, 49));
    assert_eq!(MissChance::new(8, 0.2).between(2_000, 0.99), (1, 16));
    // With two nodes nobody relays: each of 1,000 broadcasts is missed with a probability of 0.003. The Poisson
    // distribution of that mean puts 99 % of the counts into 0 to 8.
    assert_eq!(MissChance::new(2, 0.003).between(1_000, 0.99), (0, 8));
    assert_eq!(MissChance::new(8, 0.0).between(1_000, 0.99), (0, 0));
}
