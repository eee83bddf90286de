//! Tests of the messages and the summary of a transcript.

#![allow(clippy::unwrap_used)]

mod any_bytes;
mod fork;
mod messages;
mod summary;
