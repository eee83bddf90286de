//! Homes, without an agent.
