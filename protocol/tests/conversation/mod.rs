//! Conversations are put together from the messages of a session, whatever
//! came of them and in whichever pieces.
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
