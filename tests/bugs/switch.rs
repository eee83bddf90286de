//! Switches the deliberate bugs on, and searches for them. Only the copy of the sources
//! that `cargo xtask bugs` makes contains this file.

use std::cell::Cell;

thread_local! {
    static ON: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Returns whether a bug is switched on in this thread.
#[must_use]
pub fn is_on(bug: &str) -> bool {
    ON.get() == Some(bug)
}

/// Runs a simulation with each bug until a seed finds it. `problem` returns the problem
/// of the session of a seed.
///
/// # Panics
///
/// If no seed up to the limit finds a bug.
#[allow(clippy::print_stdout, clippy::print_stderr, reason = "for tests")]
pub fn find(
    bugs: &[&'static str],
    seeds: u64,
    problem: impl Fn(u64) -> Option<String> + std::panic::RefUnwindSafe,
) {
    // A bug may cause a panic, which also counts as found.
    std::panic::set_hook(Box::new(|_| ()));
    let mut missed = vec![];
    for bug in bugs {
        ON.set(Some(bug));
        let found = (0..seeds).find_map(|seed| {
            let found = std::panic::catch_unwind(|| problem(seed));
            let found = found.unwrap_or_else(|_| Some("a panic".to_owned()));
            found.map(|problem| (seed, problem))
        });
        match found {
            Some((seed, problem)) => println!("{bug}: seed {seed}: {problem}"),
            None => missed.push(bug),
        }
    }
    ON.set(None);
    drop(std::panic::take_hook());
    eprintln!(
        "counted: {} bugs on purpose found",
        bugs.len() - missed.len()
    );
    assert!(
        missed.is_empty(),
        "not found within {seeds} seeds: {missed:?}"
    );
}
