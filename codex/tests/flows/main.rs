//! Tests of programs with the fake Codex. With `AGENTWIRE_LIVE_CODEX` on the real one
//! (`scripts/real codex`).
#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

mod agent;
mod approvals;
mod failures;
mod processes;
mod threads;
mod turns;
mod world;
