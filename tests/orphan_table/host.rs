//! The host of a session, compiled with `panic = "abort"`, which tests cannot use.
//! `scripts/real orphans` passes it to the table.

#![allow(clippy::unwrap_used, clippy::print_stdout)]
// Only the table uses the other functions.
#![allow(dead_code)]

#[path = "../support/mod.rs"]
mod support;

mod agents;
mod ways;

fn main() {
    if cfg!(panic = "unwind") {
        panic!("scripts/real orphans builds this, with panics that abort");
    }
    let end = std::env::var(ways::HOST).unwrap();
    let start = std::env::var(ways::START).unwrap();
    ways::host(&end, &agents::Start::from_json(&start));
}
