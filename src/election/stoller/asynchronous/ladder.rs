//! The ladder: links on which a stable system takes more than linearly long to come to rest, against appendix B of
//! Stoller 1997, which has O((n-1) max(tau + 2 delta, tau_FD)) and says that this is easy to show.
//!
//! Invariant: a node's links do not depend on how many rungs follow.

/// The links of so many rungs, each pair with its lower node first, and how many nodes there are.
///
/// A rung is five nodes, x < z < j < a < b, behind a node p, which is 1 or the previous rung's b. The links are p with x
/// and a, x with z, z with b, and j with a and b. When p ceases to lead x and a, j finds a, and passes over b, which is
/// under z. A moment later x halts z, and b is free. But j must finish its election before it can find and take b: it
/// waits tau_FD for each node below it, and only two of them are linked with it. Then b ceases to lead the x and the a
/// of the next rung. So the rungs come to rest one after the other, each after an election over all nodes below it.
pub fn ladder(rungs: u16) -> (u16, Vec<(u16, u16)>) {
    let links = (0..rungs).flat_map(|rung| {
        let [p, x, z, j, a, b] = [1, 2, 3, 4, 5, 6].map(|place| 5 * rung + place);
        [(p, x), (p, a), (x, z), (z, b), (j, a), (j, b)]
    });
    (1 + 5 * rungs, links.collect())
}
