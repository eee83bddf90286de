//! Tests of `agentwire-codex`.

#![allow(clippy::unwrap_used)]

mod wire;
