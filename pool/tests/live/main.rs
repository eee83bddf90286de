//! Tests with the real CLI, on loopback with the scripted model.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../outside.rs"]
mod outside;
#[path = "../../../tests/support/mod.rs"]
mod support;

mod accounts;
mod home;
mod ledger;
mod sessions;
