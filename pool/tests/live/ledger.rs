//! The ledger beside what the scripted model charged.
