//! A home for each tenant or session.
