//! Conversations there and back, and back and there.

use crate::openhands::theirs::{self, object};
use crate::support::oracle::{Oracle, samples};
use crate::support::{ours, properties, tree};
use agentwire_interop::chat::{self, Chat};
use agentwire_interop::conversion::{System, export};
use agentwire_interop::openhands::{self, OpenHands};
use agentwire_interop::responses::{self, Responses};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::Value;

fn items<T: DeserializeOwned>(values: Vec<Value>) -> Vec<T> {
    values
        .into_iter()
        .map(|value| serde_json::from_str(&value.to_string()).unwrap())
        .collect()
}

fn openhands() -> impl Strategy<Value = Vec<openhands::Message>> {
    prop::collection::vec(theirs::message(), 0..6).prop_map(items)
}

fn chat() -> impl Strategy<Value = Vec<chat::Message>> {
    let message = prop_oneof![theirs::chat_message(), theirs::chat_answer()];
    prop::collection::vec(message, 0..6).prop_map(items)
}

fn responses() -> impl Strategy<Value = Vec<responses::Item>> {
    let item = prop_oneof![theirs::input_item(), theirs::output_item(false)];
    prop::collection::vec(item, 0..8).prop_map(items)
}

/// The properties that every system has.
macro_rules! properties {
    ($($name:ident: $system:expr, $theirs:expr;)*) => {$(
        mod $name {
            use super::*;

            proptest! {
                #[test]
                fn there_and_back_is_the_original(messages in ours::conversation()) {
                    properties::there_and_back($system, &messages)?;
                }

                #[test]
                fn back_and_there_is_the_original(items in $theirs) {
                    properties::back_and_there($system, &items)?;
                }

                #[test]
                fn an_edit_costs_only_what_was_edited(
                    messages in ours::conversation(),
                    at in any::<usize>(),
                    by in prop::option::of($theirs),
                ) {
                    let by = by.and_then(|items| items.into_iter().next());
                    properties::edits_cost_only_what_was_edited($system, &messages, at, by)?;
                }
            }
        }
    )*};
}

properties! {
    of_openhands: OpenHands, super::openhands();
    of_chat: Chat, super::chat();
    of_responses: Responses, super::responses();
}

/// Two thousand things at least that conversations of ours became are what the
/// library takes.
fn all_are_accepted<S: System + Copy>(system: S, op: &str, member: &str, record: &'static str) {
    let mut requests: Vec<Value> = Vec::new();
    for conversation in samples(&ours::conversation(), 300) {
        let made = export(system, conversation).made;
        requests.extend(
            made.iter()
                .map(|item| object([("op", op.into()), (member, tree(item))])),
        );
    }
    assert!(requests.len() > 2000, "{}", requests.len());
    let oracle = Oracle {
        library: "openhands",
        record,
    };
    oracle.accepts(&requests);
}

#[test]
fn the_library_takes_what_is_written_for_openhands() {
    all_are_accepted(OpenHands, "validate", "message", "accepts_openhands");
}

#[test]
fn litellm_takes_what_is_written_for_chat() {
    all_are_accepted(Chat, "validate_chat", "message", "accepts_chat");
}

#[test]
fn openai_takes_what_is_written_for_responses() {
    all_are_accepted(Responses, "validate_responses", "item", "accepts_responses");
}
