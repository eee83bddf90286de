//! Tests of conversations from the recorded sessions.

use crate::conversation::said::*;
use crate::recorded::{self, Recorded};
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::conversation::{
    Assembler, BlockState, Change, Conversation, Entry, ReplyState,
};
use agentwire_protocol::message::Message;

/// Returns the messages that agents wrote, by session.
fn recorded() -> Vec<Vec<Message>> {
    let messages = |session: Vec<Recorded>| {
        let lines = session.into_iter().filter(|it| it.dir == "recv");
        lines
            .filter_map(|it| serde_json::from_str(&it.line).ok())
            .collect()
    };
    recorded::sessions().into_values().map(messages).collect()
}

/// Returns the conversation without data that only the stream has.
fn whole(conversation: &Conversation) -> Vec<(String, Vec<ContentBlock>)> {
    let entries = conversation.entries.iter();
    let inner = conversation.subagents.values().flat_map(|it| &it.entries);
    entries
        .chain(inner)
        .map(|entry| match entry {
            Entry::Reply(reply) => {
                let whole = reply.content().iter().zip(&reply.blocks);
                let whole = whole.filter(|(_, at)| at.state == BlockState::Whole);
                let id = reply.message.message.id.as_deref().unwrap();
                let name = format!("{id}, {}", reply.state);
                (name, whole.map(|(block, _)| block.clone()).collect())
            }
            entry => (serde_json::to_string(entry).unwrap(), vec![]),
        })
        .collect()
}

#[test]
fn recorded_sessions_give_the_same_conversation_with_and_without_streams() {
    for messages in recorded() {
        let streamed = conversation(&messages);
        let plain = conversation(
            messages
                .iter()
                .filter(|it| !matches!(it, Message::StreamEvent(_))),
        );
        assert_eq!(whole(&streamed), whole(&plain));
        for entry in &streamed.entries {
            if let Some(reply) = entry.reply() {
                assert_ne!(reply.state, ReplyState::Streaming);
                assert!(reply.blocks.iter().all(|it| it.state == BlockState::Whole));
            }
        }
    }
}

#[test]
fn streamed_texts_of_recordings_equal_the_final_ones() {
    let mut compared = 0;
    for messages in recorded() {
        let mut assembler = Assembler::default();
        let mut painted: std::collections::BTreeMap<(usize, usize), String> = Default::default();
        for message in &messages {
            match assembler.push(message) {
                Some(Change::Text { at, block, text }) if at.thread.is_none() => {
                    *painted.entry((at.entry, block)).or_default() += text;
                }
                Some(Change::Rebuilt) => panic!("nothing is taken away in the recordings"),
                _ => {}
            }
        }
        let conversation = assembler.into_conversation();
        for ((entry, block), text) in painted {
            let said = reply(&conversation, entry).content()[block]
                .as_text()
                .unwrap();
            // The recordings contain `text` in place of the agent's own words.
            if said != "text" {
                assert_eq!(said, text);
                compared += 1;
            }
        }
    }
    assert!(compared > 20);
}

#[test]
fn a_conversation_can_be_saved_and_continued_at_any_point() {
    for messages in recorded() {
        let all = whole(&conversation(&messages));
        for cut in (0..messages.len()).step_by(7) {
            let (before, behind) = messages.split_at(cut);
            let kept = serde_json::to_string(&conversation(before)).unwrap();
            let read: Conversation = serde_json::from_str(&kept).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), kept);
            let mut assembler = Assembler::from(read);
            for message in behind {
                assembler.push(message);
            }
            let again = whole(&assembler.into_conversation());
            assert_eq!(again, all, "cut at {cut}");
        }
    }
}
