//! Failpoints: places at which a process kills itself, so that a test sees what it leaves there.
//!
//! Invariant: without the feature `failpoints`, with which nothing but tests is built, they do nothing.

/// Kills this process if the file that `HUSTINGS_FAILPOINT` names says so: each of its lines is one passing of a point, by
/// the point's name, and whoever passes the last one dies there.
#[cfg(feature = "failpoints")]
pub fn failpoint(name: &str) {
    use nix::sys::signal::{Signal, kill};

    let Some(path) = std::env::var_os("HUSTINGS_FAILPOINT") else { return };
    let Ok(text) = std::fs::read_to_string(&path) else { return };
    match text.split_once('\n') {
        Some((point, "")) if point == name => {
            // Of two processes that pass it together one takes the file away, and that one dies.
            if std::fs::remove_file(&path).is_ok() {
                let _ = kill(nix::unistd::getpid(), Signal::SIGKILL);
            }
        }
        Some((point, rest)) if point == name => drop(std::fs::write(&path, rest)),
        _ => {}
    }
}

/// Does nothing: this is no build for tests.
#[cfg(not(feature = "failpoints"))]
pub fn failpoint(_: &str) {}
