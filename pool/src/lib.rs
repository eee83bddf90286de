//! Many agent sessions on one machine.

pub mod home;
pub mod ledger;
