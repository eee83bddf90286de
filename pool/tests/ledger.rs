//! The ledger beside what the fake agent charged.
