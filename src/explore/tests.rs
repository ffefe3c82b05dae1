//! What is found in small labs, and how many states they have.

use std::sync::Arc;
use std::time::Instant;

use super::{ExploreTerms, ExploreWish, Heed, LabModel, Limits, search};
use crate::election::bully::Bully;
use crate::lab;

fn terms(settings: &str, asked: &ExploreWish) -> ExploreTerms {
    let text = format!(
        "name = \"x\"\nabout = \"x\"\nalgorithm = \"bully\"\nnodes = 3\nseed = 1\nT = \"300ms\"\ncheck = \"300ms\"\n\
         silence = \"1300ms\"\n{settings}"
    );
    let lab = lab::parse("x", &text, crate::election::CARDS).expect("a lab");
    ExploreTerms::new(Arc::new(lab), "x", asked).expect("a lab that can be explored")
}

#[test]
#[ignore]
fn trial() {
    for horizon in [4, 6, 8, 12, 16, 20, 24] {
        for crashes in [0, 1] {
            let asked = ExploreWish {
                faults: [crashes, crashes, 0, 0, 0, 0],
                horizon: Some(horizon),
                ..ExploreWish::default()
            };
            let model = LabModel::<Bully>::new(terms("", &asked));
            let began = Instant::now();
            let limits = Limits { states: 3_000_000, resident: 3 << 30 };
            let found = search(&model, limits, &mut |_| Heed::GoOn);
            eprintln!(
                "horizon {horizon} crashes {crashes}: {:?} {:?} {:?} machines {} {:?} {}",
                found.tally,
                found.exhaustion,
                found.found.iter().map(|(name, way)| (*name, way.places.len())).collect::<Vec<_>>(),
                model.tables().machines().len(),
                began.elapsed(),
                found.resident >> 20,
            );
        }
    }
}
