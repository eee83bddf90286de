//! Tests of the fake agent and of the formats of scripts and recordings.

#![allow(clippy::unwrap_used)]

mod agent;
#[cfg(feature = "conform")]
mod conform_page;
mod documentation;
mod gates;
mod log;
mod not_modelled;
mod print;
mod profiles;
mod program;
#[cfg(feature = "schema")]
mod schema;
mod scrub;
mod sessions;
mod settings;
mod signals;
mod start;
mod transcripts;
