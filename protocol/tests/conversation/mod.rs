//! Conversations are assembled from the messages of a session, in any pieces.
#![allow(clippy::unwrap_used)]

mod any;
mod blocks;
mod cut_off;
mod joined;
mod limits;
mod recordings;
mod said;
mod stream;
mod taken_away;
