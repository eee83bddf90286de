//! Property tests of conversations: arbitrary messages in any order.

use crate::conversation::said::*;
use agentwire_protocol::conversation::{Assembler, Conversation, PartialJson};
use agentwire_protocol::message::Message;
use proptest::prelude::*;
use serde_json::{Value, json};

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".{0,3}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Returns whether one value is a prefix of the other.
fn begins(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::String(part), Value::String(whole)) => whole.starts_with(part.as_str()),
        (Value::Array(part), Value::Array(whole)) => {
            part.len() <= whole.len()
                && part
                    .iter()
                    .zip(whole)
                    .all(|(part, whole)| begins(part, whole))
        }
        (Value::Object(part), Value::Object(whole)) => part
            .iter()
            .all(|(key, part)| whole.get(key).is_some_and(|whole| begins(part, whole))),
        _ => part == whole,
    }
}

/// The number of kinds of messages, including removals.
const KINDS: usize = 16;

/// Returns a message of this kind, or `None` for a removal.
fn any_message(kind: usize, n: u64) -> Option<Message> {
    let id = format!("m{n}");
    let uuid = format!("u{n}");
    Some(match kind {
        0 => start(&id),
        1 => text_start(n),
        2 => text(n, "x"),
        3 => block_stop(n),
        4 => end("end_turn", n)[1].clone(),
        5 => said_text(&id, &uuid, "x"),
        6 => user(&format!("p{n}"), json!("x")),
        7 => result("z"),
        8 => block_start(n, tool_use("t", json!({}))),
        9 => input(n, "{\"a\":"),
        10 => end("end_turn", n)[0].clone(),
        11 => abandoned(&id, n),
        12 => said(&id, &format!("t{n}"), tool_use("t", json!({}))),
        // Replaces an earlier block, in this reply or in another one.
        13 => superseding(said_text(&id, &format!("v{n}"), "y"), &uuid),
        14 => superseding(said_text("m0", &format!("w{n}"), "z"), &format!("v{n}")),
        _ => return None,
    })
}

fn superseding(mut message: Message, uuid: &str) -> Message {
    if let Message::Assistant(said) = &mut message {
        said.supersedes = Some(vec![uuid.to_owned()]);
    }
    message
}

fn removed_uuids(n: u64) -> [String; 2] {
    [format!("u{n}"), format!("p{n}")]
}

proptest! {
    #[test]
    fn every_beginning_of_a_json_text_is_read_as_a_beginning_of_its_value(value in any_json()) {
        let text = value.to_string();
        let mut partial = PartialJson::default();
        for piece in text.chars() {
            partial.push(piece.encode_utf8(&mut [0; 4]));
            if let Some(so_far) = partial.value() {
                let so_far: Value = so_far.read().unwrap();
                prop_assert!(begins(&so_far, &value), "{} of {value}", partial.text());
            }
        }
        prop_assert_eq!(partial.whole().unwrap().read::<Value>().unwrap(), value);
    }

    #[test]
    fn messages_in_any_order_do_not_panic(
        picks in prop::collection::vec((0..KINDS, 0..3u64), 0..40)
    ) {
        let mut assembler = Assembler::default();
        for (kind, n) in picks {
            let Some(message) = any_message(kind, n) else {
                let mut anew = Assembler::from(assembler.conversation().clone());
                let gone = removed_uuids(n);
                prop_assert_eq!(anew.remove(&gone), assembler.remove(&gone));
                prop_assert_eq!(anew.conversation(), assembler.conversation());
                continue;
            };
            // An assembler that starts from the conversation finds the same
            // entries as the assembler that built it.
            let is_whole = !matches!(message, Message::StreamEvent(_));
            let mut anew = is_whole.then(|| Assembler::from(assembler.conversation().clone()));
            let change = assembler.push(&message);
            if let Some(anew) = &mut anew {
                prop_assert_eq!(anew.push(&message), change);
                prop_assert_eq!(anew.conversation(), assembler.conversation());
            }
            for entry in &assembler.conversation().entries {
                if let Some(reply) = entry.reply() {
                    prop_assert_eq!(reply.blocks.len(), reply.content().len());
                }
            }
            let kept = serde_json::to_string(assembler.conversation()).unwrap();
            let read: Conversation = serde_json::from_str(&kept).unwrap();
            prop_assert_eq!(&read, assembler.conversation());
        }
    }
    /// Removals are applied when the conversation is read. Earlier reads do not
    /// change the result.
    #[test]
    fn reading_the_conversation_does_not_change_it(
        picks in prop::collection::vec((0..KINDS, 0..5u64, any::<bool>()), 0..80)
    ) {
        let (mut seen, mut unseen) = (Assembler::default(), Assembler::default());
        for (kind, n, looks) in picks {
            match any_message(kind, n) {
                Some(message) => prop_assert_eq!(seen.push(&message), unseen.push(&message)),
                None => prop_assert_eq!(seen.remove(&removed_uuids(n)), unseen.remove(&removed_uuids(n))),
            }
            seen.conversation();
            if looks && n == 0 {
                unseen.conversation();
            }
        }
        prop_assert_eq!(seen.into_conversation(), unseen.into_conversation());
    }
}
