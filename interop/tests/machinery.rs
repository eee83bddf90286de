//! The conversions' own machinery.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire_interop::Message;
use agentwire_interop::conversion::{Lost, export};
use agentwire_protocol::content::ContentBlock;
use proptest::prelude::*;
use support::lines::{Line, Lines};
use support::{ours, properties};

fn lines() -> impl Strategy<Value = Vec<Line>> {
    let line = ("user|assistant", ours::text()).prop_map(|(who, text)| Line { who, text });
    prop::collection::vec(line, 0..8)
}

proptest! {
    #[test]
    fn there_and_back_is_the_original(messages in ours::conversation()) {
        properties::there_and_back(Lines, &messages)?;
    }

    #[test]
    fn back_and_there_is_the_original(items in lines()) {
        properties::back_and_there(Lines, &items)?;
    }

    #[test]
    fn an_edit_costs_only_what_was_edited(
        messages in ours::conversation(),
        at in any::<usize>(),
        by in proptest::option::of(lines()),
    ) {
        let by = by.and_then(|lines| lines.into_iter().next());
        properties::edits_cost_only_what_was_edited(Lines, &messages, at, by)?;
    }
}

#[test]
fn a_message_may_become_any_number_of_items() {
    let blocks = (0..200).map(|number| ContentBlock::text(number.to_string()));
    let messages = [Message::user("first"), Message::assistant(blocks.collect())];
    properties::there_and_back(Lines, &messages).unwrap();
}

#[test]
fn everything_that_has_no_place_is_a_loss() {
    let message = ours::message(serde_json::json!({
        "type": "user", "uuid": "u-1", "message": {"role": "user", "content": [
            {"type": "text", "text": "look", "cache_control": {"type": "ephemeral"}},
            {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
        ]},
    }));
    let losses = export(Lines, vec![message]).losses;
    let told: Vec<String> = losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "0/message/content/0/cache_control: `cache_control`: there is no place for it",
            "0/message/content/1: image: there is no place for it",
            "0/uuid: `uuid`: it is about how the message travelled",
        ]
    );
    assert_eq!(losses[1].what, Lost::Item("image".to_owned()));
}
