//! Tests that `agentwire-interop` reads the transcripts of the real CLI.

use crate::support::Live;
use agentwire::{Event, Message, Options, query};
use agentwire_interop::transcript::{
    Author, Conversation, Directory, Entry, Files, History, MessageSelection, Record, Standing,
    Tree, conversation, message, session_messages,
};
use agentwire_testkit::{Scenario, Step};
use serde_json::json;
use std::path::Path;

/// Sends one prompt. Returns the ID of the session, and the IDs of the model's messages.
pub(crate) async fn ask(prompt: &str, options: Options) -> (String, Vec<String>) {
    let mut answer = query(prompt, options).await.unwrap();
    let mut session = None;
    let mut said = Vec::new();
    while let Some(event) = answer.next().await {
        let Event::Frame(frame) = event.unwrap() else {
            continue;
        };
        match frame.message() {
            Message::Assistant(block) if block.parent_tool_use_id.is_none() => {
                said.extend(block.uuid);
            }
            Message::Result(result) => session = result.session_id,
            _ => {}
        }
    }
    (session.unwrap(), said)
}

fn add(directory: &mut Directory, folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add(directory, &path);
        } else {
            directory.add(
                path.to_str().unwrap(),
                &std::fs::read_to_string(&path).unwrap(),
            );
        }
    }
}

/// Returns a conversation as text, one line per message.
fn as_text(conversation: &Conversation) -> Vec<String> {
    let messages = conversation.messages.iter();
    let lines = messages.map(|message| {
        let blocks = message.blocks();
        let parts = blocks.iter().map(|block| match block.as_text() {
            Some(text) => text.to_owned(),
            None => block.tag().unwrap_or_default(),
        });
        let parts: Vec<String> = parts.collect();
        format!("{}: {}", message.tag().unwrap(), parts.join(", "))
    });
    lines.collect()
}

/// Returns the messages of this author to the main agent.
fn by(files: &Files, author: Author) -> Vec<String> {
    let records = files
        .main
        .iter()
        .filter(|record| matches!(record.entry(), Entry::User(entry) if entry.author() == author));
    let messages = records.filter_map(|record| message(record, None));
    let texts = messages.map(|message| message.blocks()[0].as_text().unwrap().to_owned());
    texts.collect()
}

/// Asserts that the official SDK lists the messages that the model has, except those that
/// the agent itself wrote for the model.
fn assert_same_branch(records: &[&Record]) {
    let mut tree = Tree::default();
    for record in records {
        tree.note(record);
    }
    let branch = tree.branch(History::SinceCompaction);
    let lines = records.iter().map(|it| format!("{}\n", it.json()));
    let listed = session_messages(
        lines.collect::<String>().as_bytes(),
        MessageSelection::new(),
    );
    let listed = listed.iter().map(|it| match it {
        Message::User(it) => it.uuid.as_deref().unwrap(),
        Message::Assistant(it) => it.uuid.as_deref().unwrap(),
        other => panic!("{other:?}"),
    });
    let listed: Vec<_> = listed.collect();
    let is_live =
        |it: &&&Record| branch.standing(it) == Standing::Live && it.message(None).is_some();
    let live: Vec<&&Record> = records.iter().filter(is_live).collect();
    let of_agent = live
        .iter()
        .filter(|it| !listed.contains(&it.uuid().unwrap()));
    for record in of_agent {
        let Entry::User(entry) = record.entry() else {
            panic!("not listed: {}", record.json());
        };
        let is_of_agent = matches!(
            entry.author(),
            Author::Agent | Author::Hook | Author::Summary
        );
        assert!(is_of_agent, "not listed: {}", record.json());
    }
    let live: Vec<_> = live.iter().filter_map(|it| it.uuid()).collect();
    let only_listed: Vec<_> = listed.iter().filter(|it| !live.contains(it)).collect();
    assert!(
        only_listed.is_empty(),
        "{only_listed:?} of {}",
        records.len()
    );
}

/// Returns turns with parallel calls and a sub-agent, and enough turns to rewind.
pub(crate) fn branched() -> Scenario {
    let bash = |command: &str| Step::tool("Bash", json!({ "command": command }), "");
    let call = json!({
        "description": "Count", "prompt": "Count the crabs.",
        "subagent_type": "general-purpose", "run_in_background": false,
    });
    let mut scenario = Scenario::default()
        .reply([Step::text("First.")])
        .reply([
            bash("sleep 1; echo slow"),
            bash("echo quick"),
            Step::tool("Agent", call, ""),
        ])
        .reply([Step::text("Second.")])
        .reply([Step::text("Dead.")])
        .reply([Step::text("Third.")])
        .reply([Step::text("Fourth.")]);
    scenario.subagents = vec![vec![Step::text("Three crabs.")].into()];
    scenario
}

#[tokio::test]
async fn a_transcript_is_read_as_the_conversation_that_it_is() {
    let live = Live::start(branched()).await;
    let options = || live.options().allowed_tools(["Agent", "Bash"]);
    let (session, _) = ask("One", options()).await;
    let on = || options().resume(&session);
    let (_, said) = ask("Two", on()).await;
    ask("Dead", on()).await;
    ask("Three", on().resume_at(said.last().unwrap())).await;
    ask("/compact", on()).await;
    ask("Four", on()).await;

    let mut directory = Directory::default();
    add(&mut directory, &live.home.path().join(".claude/projects"));
    assert_eq!(directory.0.len(), 1);
    let files = directory.0.values().next().unwrap();
    assert_eq!(files.unread, []);
    let mut tree = Tree::default();
    let agents = files.agents.values().flat_map(|agent| &agent.records);
    for record in files.main.iter().chain(agents) {
        let is_known = !matches!(record.entry(), Entry::Unknown(_));
        assert!(is_known, "{}", record.json());
    }
    for record in &files.main {
        tree.note(record);
    }
    let branch = tree.branch(History::All);
    let standing = |record: &&Record| branch.standing(record) == Standing::Dead;
    let dead: Vec<_> = files.main.iter().filter(standing).collect();
    let texts = dead.iter().filter_map(|record| message(record, None));
    let texts: Vec<String> = texts
        .map(|message| message.blocks()[0].as_text().unwrap().to_owned())
        .collect();
    assert_eq!(texts, ["Dead", "Dead."]);

    // Ignore additions of the agent between the messages.
    let is_ours = |line: &String| !line.contains("<command-") && !line.contains("<local-command-");
    let whole = conversation(files, History::All);
    let lines: Vec<String> = as_text(&whole).into_iter().filter(is_ours).collect();
    assert_eq!(
        lines,
        [
            "user: One",
            "assistant: First.",
            "user: Two",
            "assistant: tool_use, tool_use, tool_use",
            "user: tool_result, tool_result, tool_result",
            "assistant: Second.",
            "user: Three",
            "assistant: Third.",
            "user: Four",
            "assistant: Fourth.",
        ]
    );
    let [agent] = &whole.agents[..] else {
        panic!("{:?}", whole.agents)
    };
    assert_eq!(
        as_text(&agent.conversation),
        ["user: Count the crabs.", "assistant: Three crabs."]
    );
    let calls: Vec<_> = whole.messages[3]
        .blocks()
        .iter()
        .filter_map(|it| it.as_tool_use().cloned())
        .collect();
    assert_eq!(agent.call.as_deref(), Some(&*calls[2].id));

    let lines: Vec<&Record> = files.main.iter().collect();
    // Compare only at the end of a turn. Within the first turn of a new branch, the CLI
    // still resumes the old branch.
    for (end, record) in lines.iter().enumerate() {
        if matches!(record.entry(), Entry::LastPrompt(_)) {
            assert_same_branch(&lines[..=end]);
        }
    }
    assert_same_branch(&lines);

    let since = as_text(&conversation(files, History::SinceCompaction));
    let since: Vec<String> = since.into_iter().filter(is_ours).collect();
    assert!(
        since[0].starts_with("user: This session is being continued"),
        "{since:?}"
    );
    assert_eq!(since.last().unwrap(), "assistant: Fourth.");
    assert!(
        !since.iter().any(|line| line.contains("First.")),
        "{since:?}"
    );
    assert_eq!(
        by(files, Author::Person),
        ["One", "Two", "Dead", "Three", "Four"]
    );
}
