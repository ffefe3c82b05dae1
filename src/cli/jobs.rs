//! The number of threads on which a command simulates.
//!
//! Invariant: no result depends on it.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

/// A larger number of threads is surely a mistake.
const JOBS_MAX: usize = 256;

/// The number of threads that a person gives.
///
/// # Errors
/// What to write instead.
pub fn parse(text: &str) -> Result<NonZeroUsize, String> {
    match text.parse::<usize>().map(NonZeroUsize::new) {
        Ok(Some(jobs)) if jobs.get() <= JOBS_MAX => Ok(jobs),
        Ok(Some(_)) => Err(format!("at most {JOBS_MAX} threads are allowed; write a smaller number")),
        Ok(None) => Err("0 threads play nothing; write 1 or more".to_owned()),
        Err(_) => Err("write a number of threads, 1 or more".to_owned()),
    }
}

/// As many threads as a person wants, or one for each processor.
pub fn or_all(wanted: Option<NonZeroUsize>) -> NonZeroUsize {
    wanted.or_else(|| available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_jobs_are_refused_with_the_reason() {
        assert_eq!(parse("3").unwrap().get(), 3);
        assert!(parse("0").unwrap_err().contains("0 threads"));
        assert!(parse("1000000").unwrap_err().contains("at most 256"));
        assert!(parse("many").unwrap_err().contains("1 or more"));
    }
}
