//! Tests with the fake agent.

mod home;
mod ledger;
