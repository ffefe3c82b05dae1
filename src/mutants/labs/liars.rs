//! The labs in which bugs are hunted that liars make harmful.
//!
//! The first candidate whose list counts decides by it. So a liar here is the first candidate, or the best one: what is
//! made of its list, or of its init, is then seen in who is elected.
//!
//! Invariant: that of `labs`; no lab has more faulty processes than its algorithm bears.

use super::Text;

/// B.2 with the fewest processes that bear a liar, for liars that the seed draws.
pub const B2_LIARS: Text = (
    "b2-liars",
    r#"
    algorithm = "king-ni-b2"
    nodes = 4
    check = "500ms"
    silence = "2s"
    settings = { t = 1, lists = "full" }
    "#,
);

/// B.2: 3 returns, and 1 and 2 tell it that 2 was elected.
pub const B2_FALSE_ANSWERS: Text = (
    "b2-false-answers",
    r#"
    algorithm = "king-ni-b2"
    nodes = 7
    check = "500ms"
    silence = "2s"
    settings = { t = 3, lists = "full" }
    step = [
        { at = "1s", do = ["liar 1,2 collude"] },
        { at = "2s", do = ["elect 4"] },
        { at = "5s", do = ["crash 3"] },
        { at = "8s", do = ["recover 3"] },
        { at = "11s", do = ["crash 3"] },
        { at = "14s", do = ["recover 3"] },
        { at = "17s", do = ["crash 3"] },
        { at = "20s", do = ["recover 3"] },
        { at = "23s", do = [] },
    ]
    "#,
);

/// Section 5.3: 1 has a list for each.
pub const AGREEMENT_TWO_LISTS: Text = (
    "agreement-two-lists",
    r#"
    algorithm = "king-ni-5-3"
    nodes = 4
    check = "60s"
    silence = "61s"
    settings = { t = 1 }
    step = [
        { at = "1s", do = ["liar 1 equivocate"] },
        { at = "2s", do = ["elect 2"] },
        { at = "5s", do = ["elect 3"] },
        { at = "8s", do = ["elect 4"] },
        { at = "11s", do = [] },
    ]
    "#,
);
