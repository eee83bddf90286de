//! Tests of an assembled conversation of the real CLI: streams, tools, sub-agents and
//! interrupts.

use crate::support::{Live, wait_for};
use agentwire::protocol::content::ContentBlock;
use agentwire::protocol::control::Initialize;
use agentwire::protocol::conversation::{Assembler, BlockState, Change, Conversation};
use agentwire::protocol::message::StopReason;
use agentwire::{Activity, Client, Event, PermissionResult, UserMessage};
use agentwire_testkit::{Scenario, Step};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// A user interface that displays the conversation.
#[derive(Default)]
struct Screen {
    assembler: Assembler,
    /// The displayed texts of the main agent's replies, by entry and block.
    painted: BTreeMap<(usize, usize), String>,
    /// The inputs of tools, as they could be read while they streamed.
    inputs: Vec<Value>,
}

impl Screen {
    /// Displays what an event changes. Returns whether the event is the end of a turn.
    fn show(&mut self, event: &Event) -> bool {
        let Event::Frame(frame) = event else {
            return matches!(event, Event::Activity(Activity::Idle));
        };
        let message = frame.message();
        match self.assembler.push(&message) {
            Some(Change::Text { at, block, text }) => {
                assert_eq!(at.thread, None, "sub-agents do not stream");
                *self.painted.entry((at.entry, block)).or_default() += text;
            }
            Some(Change::ToolInput { at, block, .. }) => {
                let conversation = self.assembler.conversation();
                let reply = conversation.thread(at.thread)[at.entry].reply().unwrap();
                let ContentBlock::ToolUse(call) = &reply.content()[block] else {
                    panic!("{:?}", reply.content());
                };
                assert_eq!(reply.blocks[block].state, BlockState::Streaming);
                self.inputs.push(call.input.to_value().unwrap());
            }
            Some(Change::Rebuilt) => panic!("nothing is taken away"),
            _ => {}
        }
        false
    }

    /// Sends a message, and displays it before the agent echoes it.
    async fn say(&mut self, client: &Client, text: &str, uuid: &str) {
        let prompt = UserMessage::text(text).uuid(uuid);
        self.assembler.push(&prompt.clone().into());
        client.send(prompt).await.unwrap();
    }

    async fn until(&mut self, client: &mut Client, wanted: impl Fn(&mut Self) -> bool) {
        wait_for(client, |event| {
            let is_idle = self.show(event);
            (is_idle || wanted(self)).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_conversation_is_put_together_while_it_is_said() {
    let poem = "Sideways, sideways, goes the crab.\n".repeat(20);
    let write = json!({ "file_path": "poem.txt", "content": poem });
    let ask = json!({
        "description": "Read the poem",
        "prompt": "Read it.",
        "subagent_type": "general-purpose",
        "run_in_background": false,
    });
    let scenario = Scenario::default()
        .reply([
            Step::thinking("What rhymes with crab?"),
            // The CLI streams this text, but sends no message with it.
            Step::text("\n\n"),
            Step::text("I write it down."),
            Step::tool("Write", write.clone(), ""),
        ])
        .reply([
            Step::text("Now somebody reads it."),
            Step::tool("Agent", ask, ""),
        ])
        .reply([Step::text("It was read.")])
        .reply([Step::chunks(["word "; 600], Duration::from_millis(100))])
        .subagent([
            Step::thinking("How?"),
            Step::text("I read it."),
            Step::tool("Bash", json!({ "command": "head -n 1 poem.txt" }), ""),
        ])
        .subagent([Step::text("It is about a crab.")]);
    let live = Live::start(scenario).await;
    let mut initialize = Initialize::default();
    initialize.forward_subagent_text = Some(true);
    let options = live
        .options()
        .initialize(initialize)
        .flag("--replay-user-messages")
        .on_permission(|_| async { PermissionResult::allow() });
    let mut client = Client::connect(options).await.unwrap();
    let mut screen = Screen::default();

    let [first, second] = [
        "11111111-1111-4111-8111-111111111111",
        "22222222-2222-4222-8222-222222222222",
    ];
    screen.say(&client, "Write a poem", first).await;
    screen.until(&mut client, |_| false).await;
    screen.say(&client, "Go on", second).await;
    let words = |screen: &mut Screen| screen.painted.values().any(|text| text == "word word ");
    screen.until(&mut client, words).await;

    // A conversation that is displayed from here on has the same contents.
    let so_far = screen.assembler.conversation();
    assert_eq!(written_and_read(so_far), *so_far);
    client.interrupt().await.unwrap();
    screen.until(&mut client, |_| false).await;
    client.close().await;

    let mut growing = screen.inputs.iter().filter_map(|it| it["content"].as_str());
    assert!(
        growing.any(|content| !content.is_empty() && content != poem && poem.starts_with(content)),
        "{:?}",
        screen.inputs
    );
    let conversation = screen.assembler.into_conversation();
    assert_eq!(written_and_read(&conversation), conversation);

    let kinds: Vec<_> = conversation
        .entries
        .iter()
        .map(|it| it.tag().unwrap())
        .collect();
    assert_eq!(
        kinds,
        [
            "user", "reply", "user", "reply", "user", "reply", "result", // the first turn
            "user", "reply", "user", "result", // the interrupted one
        ]
    );
    for (&(entry, block), text) in &screen.painted {
        let reply = conversation.entries[entry].reply().unwrap();
        assert_eq!(reply.content()[block].as_text(), Some(text.as_str()));
    }
    let replies = || conversation.entries.iter().filter_map(|it| it.reply());
    let states: Vec<_> = replies().map(|it| it.state.as_str()).collect();
    assert_eq!(states, ["done", "done", "done", "aborted"]);
    let stopped: Vec<_> = replies()
        .map(|it| &it.message.message.stop_reason)
        .collect();
    let [calls, ended] = [StopReason::ToolUse, StopReason::EndTurn].map(Some);
    assert_eq!(stopped, [&calls, &calls, &ended, &None]);

    let written = replies().next().unwrap();
    let [
        ContentBlock::Thinking(thought),
        ContentBlock::Text(_),
        ContentBlock::Text(_),
        ContentBlock::ToolUse(call),
    ] = written.content()
    else {
        panic!("{written:?}");
    };
    assert_eq!(thought.thinking, "What rhymes with crab?");
    assert_eq!(call.input.to_value().unwrap(), write);
    assert_eq!(screen.painted[&(1, 2)], "I write it down.");
    for (entry, block) in replies().flat_map(|it| it.content().iter().zip(&it.blocks)) {
        let is_said = entry.as_text() != Some("\n\n");
        assert_eq!(block.state == BlockState::Whole, is_said, "{entry:?}");
    }
    assert!(conversation.tool_result(&call.id).is_some());
    let cut_off = replies().next_back().unwrap().text();
    assert!(cut_off.starts_with("word word "), "{cut_off}");

    let [(call, subagent)] = Vec::from_iter(&conversation.subagents)[..] else {
        panic!("{:?}", conversation.subagents);
    };
    assert!(conversation.tool_result(call).is_some());
    assert!(subagent.agent_id.is_some());
    assert_eq!(subagent.subagent_type.as_deref(), Some("general-purpose"));
    assert_eq!(subagent.task_description.as_deref(), Some("Read the poem"));
    let kinds: Vec<_> = subagent
        .entries
        .iter()
        .map(|it| it.tag().unwrap())
        .collect();
    assert_eq!(kinds, ["user", "reply", "user", "reply"]);
    let said: Vec<_> = subagent
        .entries
        .iter()
        .filter_map(|it| it.reply())
        .collect();
    assert_eq!(said[0].text(), "I read it.");
    assert_eq!(said[0].content().len(), 3);
    assert_eq!(said[1].text(), "It is about a crab.");
}

fn written_and_read(conversation: &Conversation) -> Conversation {
    serde_json::from_str(&serde_json::to_string(conversation).unwrap()).unwrap()
}
