//! Sessions with the fake agent.

#![allow(clippy::unwrap_used)]

mod support;

mod asks;
mod attachments;
mod callbacks;
#[cfg(feature = "check")]
mod check;
mod closing;
mod controls;
#[cfg(all(feature = "mcp", feature = "view"))]
mod cookbook;
mod elsewhere;
mod ending;
mod flow;
mod hooks;
mod invalid_requests;
mod logins;
#[cfg(feature = "mcp")]
mod mcp;
mod mistakes;
mod older;
mod orphans;
mod policies;
mod replay;
mod requests;
mod scenarios;
mod session;
mod silence;
mod stopping;
mod store;
mod submissions;
#[cfg(feature = "telemetry")]
mod telemetry;
mod turns;
#[cfg(feature = "view")]
mod view;
#[cfg(feature = "view")]
#[path = "support/view.rs"]
mod viewed;
mod views;
