//! Records the screens of a session that are in the guide.
//!
//! `AGENTWIRE_WRITE_RECORDING=1 cargo test -p chat recording` writes the recording.

use crate::CHAT;
use serde_json::json;
use support::{Agent, Terminal};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/guide/chat.txt");

struct Recording {
    chat: Terminal,
    /// The recorded steps, or `None` to record new ones.
    expected: Option<std::vec::IntoIter<String>>,
    steps: Vec<String>,
}

impl Recording {
    /// Waits for this text, and records or compares the screen.
    fn step(&mut self, about: &str, text: &str) {
        self.chat.shows(text);
        let heading = format!("=== {about}\n");
        let screen = match &mut self.expected {
            None => self.chat.settled(),
            Some(expected) => {
                let step = expected.next().expect("a step");
                let screen = step
                    .strip_prefix(&heading)
                    .expect("the same step")
                    .to_owned();
                self.chat.is(&screen);
                screen
            }
        };
        self.steps.push(heading + &screen);
    }
}

#[test]
fn the_recording_in_the_guide_is_what_the_chat_shows() {
    let agent = Agent::new(json!([
        [
            { "text": "I will run the tests first." },
            { "tool": { "name": "Bash", "input": { "command": "cargo test" },
                "result": "test result: ok. 12 passed; 0 failed",
                "question": { "permission_suggestions": [{
                    "type": "addRules", "behavior": "allow", "destination": "session",
                    "rules": [{ "toolName": "Bash", "ruleContent": "cargo test:*" }] }] } } },
        ],
        { "say": [{ "text": "All 12 tests pass." }], "cost_usd": 0.0125 },
        [{ "text": "The design has four parts. The first is the store, which" }, { "gate": "never" }],
        { "say": [{ "text": "Store, queue, workers, page." }], "cost_usd": 0.005 },
    ]));
    let write = std::env::var_os("AGENTWIRE_WRITE_RECORDING").is_some();
    let expected = (!write).then(|| {
        let text = std::fs::read_to_string(FILE).expect("the recording");
        let steps: Vec<String> = text
            .split("\n\n=== ")
            .map(|it| {
                let heading = if it.starts_with("=== ") { "" } else { "=== " };
                format!("{heading}{}", it.trim_end())
            })
            .collect();
        steps.into_iter()
    });
    let arguments = [agent.flag(), "--model=opus".to_owned()];
    let chat = Terminal::run(CHAT, &arguments, agent.work(), agent.environment());
    let mut recording = Recording {
        chat,
        expected,
        steps: vec![],
    };

    recording.chat.shows("/help");
    recording.chat.keys("Do the tests pass?\r");
    recording.step("The agent asks for permission", "waiting for you");
    recording.chat.keys("a\r");
    recording.step("The turn has ended", "0.0125 USD");
    recording.chat.keys("Explain the design.\r");
    recording.chat.shows("store, which");
    recording.chat.keys("\tIn one line, please.\r");
    recording.step("A message for later is queued", "(later, queued)");
    recording.chat.keys("\x03");
    recording.step(
        "Ctrl-C ends the turn, and the message has its own",
        "0.0175 USD",
    );

    if write {
        std::fs::write(FILE, recording.steps.join("\n\n") + "\n").unwrap();
    }
}
