//! Tests with the real CLI and a scripted model.

use crate::CHAT;
use serde_json::json;
use support::{Live, Terminal, processes_with};

#[tokio::test(flavor = "multi_thread")]
async fn the_real_cli_asks_is_interrupted_and_resumed() {
    let touch = json!({ "command": "echo made > made.txt" });
    let live = Live::start(json!([
        { "when": { "prompt": { "is": "Make it" }, "after_tools": false },
          "say": [{ "text": "I make it." }, { "tool": { "name": "Bash", "input": touch } }] },
        { "when": { "prompt": { "is": "Make it" }, "after_tools": true }, "say": [{ "text": "It is made." }] },
        { "when": { "prompt": { "is": "Talk" } }, "say": [{ "text": "A long story." }, { "gate": "never" }] },
        { "when": { "prompt": { "is": "And now" } }, "say": [{ "text": "Here again." }], "times": "always" },
    ]))
    .await;
    let run = |arguments: &[String]| {
        let mut chat = Terminal::run(CHAT, arguments, live.project(), live.environment());
        chat.shows("/help lists the keys.");
        chat
    };
    let id = tokio::task::block_in_place(|| {
        let mut chat = run(&[]);
        chat.keys("Make it\r");
        chat.shows("[y]es, [n]o");
        chat.keys("y\r");
        chat.shows("✓ Run echo made > made.txt");
        chat.shows("It is made.");
        chat.shows("idle |");
        chat.keys("Talk\r");
        chat.shows("A long story.");
        chat.keys("\x03");
        chat.shows("Turn interrupted");
        chat.shows("idle |");
        chat.keys("\x03");
        let screen = chat.shows("To go on: chat --resume ");
        let id = screen.rsplit("--resume ").next().unwrap().trim().to_owned();
        assert!(chat.exit().success());

        let mut chat = run(&["--resume".to_owned(), id.clone()]);
        chat.keys("And now\r");
        chat.shows("Here again.");
        chat.shows("idle |");
        chat.keys("/quit\r");
        assert!(chat.exit().success());
        id
    });
    assert_eq!(
        std::fs::read_to_string(live.project().join("made.txt")).unwrap(),
        "made\n"
    );
    // The model received the earlier conversation.
    let last = live.model.requests().pop().expect("a request");
    assert!(
        format!("{:?}", last.body).contains("It is made."),
        "session {id}"
    );
    assert_eq!(processes_with(&live.mark()), Vec::<u32>::new());
}
