//! Tests of the command `agentwire`.

#![allow(clippy::unwrap_used)]

mod support;

#[cfg(feature = "acp")]
mod acp;
mod check;
mod conform_cli;
mod conform_sdk;
mod conform_store;
mod convert;
mod convert_input;
mod convert_media;
mod inspect;
mod model;
mod recordings;
mod replay;
mod rules;
mod run;
mod sessions;
mod tap;
mod terminal;
