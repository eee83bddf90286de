//! Tests with the real CLI, on loopback with the scripted model.

mod home;
mod ledger;
