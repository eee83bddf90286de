//! Chat Completions, Responses and OpenHands, held against OpenHands' library
//! and the types of `litellm` and `openai` that it carries.
#![allow(clippy::unwrap_used)]

mod behaviour;
mod checklist;
mod events;
mod faults;
mod library;
mod systems;
mod theirs;
