//! Tests that exported messages have the types of `async-openai`.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire_interop::async_openai::ConvertError;
use agentwire_interop::conversion::export;
use agentwire_interop::{chat, responses, session};
use async_openai::types::chat::ChatCompletionRequestMessage;
use async_openai::types::responses::InputItem;
use support::tree;

fn real() -> Vec<agentwire_interop::Message> {
    session::messages(&support::lines(support::REAL), None)
}

#[test]
fn messages_of_a_real_session_round_trip() {
    let (mut there, mut refused) = (0, 0);
    for message in export(chat::Chat, real()).made {
        match ChatCompletionRequestMessage::try_from(message.clone()) {
            Ok(theirs) => {
                assert_eq!(
                    tree(&chat::Message::try_from(theirs).unwrap()),
                    tree(&message)
                );
                there += 1;
            }
            // The crate refuses thinking, and images in results of tools.
            Err(_) => refused += 1,
        }
    }
    assert_eq!((there, refused), (7, 3));
}

#[test]
fn items_of_a_real_session_round_trip() {
    let (mut there, mut refused) = (0, 0);
    for item in export(responses::Responses, real()).made {
        match InputItem::try_from(item.clone()) {
            Ok(theirs) => {
                // The crate writes some members as `null`.
                let back = responses::Item::try_from(theirs.clone()).unwrap();
                assert_eq!(tree(&InputItem::try_from(back).unwrap()), tree(&theirs));
                there += 1;
            }
            // The crate requires an ID and a status in messages of the model.
            Err(ConvertError::Refused(_)) if tree(&item)["role"] == "assistant" => refused += 1,
            Err(other) => panic!("{item:?}: {other}"),
        }
    }
    assert_eq!((there, refused), (11, 4));
}
