//! Homes: what of the host user an agent sees.
