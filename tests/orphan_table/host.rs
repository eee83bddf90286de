//! The host of a session, compiled with `panic = "abort"`, which tests cannot use.
//! `scripts/real orphans` passes it to the table.

#![allow(clippy::unwrap_used, clippy::print_stdout)]
// The table uses the rest.
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
