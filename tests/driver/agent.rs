//! The agent at the far end: the fake agent, whom nothing keeps from saying
//! nonsense, or from ending as it likes.

use crate::log::Log;
use crate::pipe::{Pipe, pause};
use agentwire_testing::Random;
use agentwire_testkit::agent::Config;
use agentwire_testkit::fake_agent::{Output, Player};
use agentwire_testkit::{Fault, Scenario, Step};
use serde_json::json;
use std::future::pending;
use std::time::{Duration, Instant};
use tokio::time::{sleep, sleep_until};

/// How an agent ends that does not wait for the host to close.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fate {
    Vanishes,
    Hangs,
    ClosesItsInput,
    ClosesItsInputAndExits,
    ClosesItsOutput,
}

pub(crate) struct Agent {
    pub(crate) dice: Random,
    pub(crate) log: Log,
    pub(crate) input: Pipe,
    pub(crate) output: Pipe,
    /// What becomes of it once it has said so many bytes.
    pub(crate) fate: Option<(usize, Fate)>,
    /// How often it has talked nonsense.
    pub(crate) nonsense: usize,
}

impl Agent {
    /// Lives until its input ends, or its fate meets it.
    pub(crate) async fn live(mut self) {
        let mut count = 0;
        let ids = move || {
            count += 1;
            format!("agent-{count}")
        };
        let config = Config {
            partial_messages: self.dice.one_in(2),
            session_states: !self.dice.one_in(4),
            ..Config::default()
        };
        let scenario = scenario(&mut self.dice, self.fate.is_some());
        let mut player = Player::new(scenario, config, ids);
        let mut is_open = true;
        loop {
            while let Some(output) = player.poll_output() {
                match output {
                    Output::Stdout(line) => {
                        self.talk_nonsense().await;
                        self.say(&line).await;
                    }
                    Output::Exit(_) => return self.exit(),
                    Output::Hang => self.meet(Fate::Hangs).await,
                    _ => {}
                }
            }
            let due = player.poll_timeout();
            let limit = 1 + self.dice.below(2_000);
            tokio::select! {
                biased;
                bytes = self.input.read(limit), if is_open => if bytes.is_empty() {
                    self.log.note("the agent's input ends");
                    is_open = false;
                    player.handle_input_end(now());
                } else {
                    player.handle_input(now(), &bytes);
                },
                () = sleep_until(due.unwrap_or_else(now).into()), if due.is_some() => {
                    player.handle_timeout(now());
                }
                // It waits for something that can no longer come.
                else => return self.exit(),
            }
        }
    }

    /// Says this, slowly at times; half of it, when that is its fate.
    async fn say(&mut self, mut bytes: &[u8]) {
        if self.dice.one_in(8) {
            sleep(pause(&mut self.dice)).await;
        }
        let mut fate = None;
        if let Some((left, what)) = &mut self.fate {
            if *left < bytes.len() {
                bytes = &bytes[..*left];
                fate = Some(*what);
            }
            *left -= bytes.len();
        }
        if !self.output.write(bytes).await {
            // As the real one, it does not outlive whoever reads it.
            self.exit();
            pending::<()>().await;
        }
        if let Some(fate) = fate {
            self.meet(fate).await;
        }
    }

    async fn talk_nonsense(&mut self) {
        if !self.dice.one_in(12) {
            return;
        }
        self.nonsense += 1;
        let id = format!("odd-{}", self.nonsense);
        let ask = json!({"subtype": "can_use_tool", "tool_name": "Odd", "input": {}});
        let mut lines = match self.dice.below(9) {
            0 => vec!["no JSON".to_owned()],
            1 => vec!["{\"type\":\"half".to_owned()],
            2 => vec![String::new(), "[1, 2]".to_owned()],
            3 => vec![json!({"type": "news", "text": "x".repeat(3_000)}).to_string()],
            4 => vec![
                json!({"type": "control_response",
                    "response": {"subtype": "success", "request_id": id}})
                .to_string(),
            ],
            5 => vec![
                json!({"type": "control_request", "request_id": id,
                    "request": {"subtype": "make_coffee"}})
                .to_string(),
            ],
            6 => vec![json!({"type": "control_request", "request": ask}).to_string()],
            // An ask that nobody waits for any more, soon or at once.
            _ => vec![
                json!({"type": "control_request", "request_id": id, "request": ask}).to_string(),
                json!({"type": "control_cancel_request", "request_id": id}).to_string(),
            ],
        };
        for line in &mut lines {
            line.push('\n');
            self.say(line.as_bytes()).await;
        }
    }

    async fn meet(&mut self, fate: Fate) {
        self.log
            .note(format_args!("the agent meets its fate: {fate:?}"));
        match fate {
            Fate::Vanishes => self.exit(),
            Fate::Hangs => {}
            Fate::ClosesItsInput => self.input.stop_reading(),
            Fate::ClosesItsInputAndExits => {
                self.input.stop_reading();
                sleep(Duration::from_millis(self.dice.below(4_000) as u64)).await;
                self.exit();
            }
            Fate::ClosesItsOutput => {
                self.output.end();
                while !self.input.read(100).await.is_empty() {}
            }
        }
        pending::<()>().await;
    }

    fn exit(&self) {
        self.log.note("the agent is gone");
        self.output.end();
        self.input.stop_reading();
    }
}

fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// What the agent's model says.
fn scenario(dice: &mut Random, may_fail: bool) -> Scenario {
    let mut scenario = Scenario::default();
    for _ in 0..dice.below(8) {
        let mut steps = Vec::new();
        for _ in 0..1 + dice.below(4) {
            steps.push(match dice.below(10) {
                0 => Step::WaitMs(dice.below(20_000) as u64),
                1..=5 => Step::tool("Bash", json!({"command": "ls"}), "done"),
                6 if may_fail && dice.one_in(4) => Step::Fault(Fault::Exit(1)),
                7 if may_fail && dice.one_in(4) => Step::Fault(Fault::Hang),
                _ => Step::text("One word and another."),
            });
        }
        scenario = scenario.reply(steps);
    }
    scenario
}
