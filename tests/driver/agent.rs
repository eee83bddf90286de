//! The agent at the other end: the fake agent, which may also write invalid lines or exit
//! at any point.

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

/// The way in which an agent exits without waiting for the host.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AgentEnd {
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
    /// The number of written bytes after which the agent exits, and the way in which it
    /// exits.
    pub(crate) agent_end: Option<(usize, AgentEnd)>,
    /// The number of invalid lines that the agent has written.
    pub(crate) invalid_lines: usize,
}

impl Agent {
    /// Runs until the input ends, or until the agent exits by itself.
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
        let scenario = scenario(&mut self.dice, self.agent_end.is_some());
        let mut player = Player::new(scenario, config, ids);
        let mut is_open = true;
        loop {
            while let Some(output) = player.poll_output() {
                match output {
                    Output::Stdout(line) => {
                        self.write_invalid_line().await;
                        self.say(&line).await;
                    }
                    Output::Exit(_) => return self.exit(),
                    Output::Hang => self.end_with(AgentEnd::Hangs).await,
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
                // The input has ended, so nothing more can arrive.
                else => return self.exit(),
            }
        }
    }

    /// Writes bytes, sometimes slowly. If the agent exits within these bytes, writes only half.
    async fn say(&mut self, mut bytes: &[u8]) {
        if self.dice.one_in(8) {
            sleep(pause(&mut self.dice)).await;
        }
        let mut agent_end = None;
        if let Some((left, what)) = &mut self.agent_end {
            if *left < bytes.len() {
                bytes = &bytes[..*left];
                agent_end = Some(*what);
            }
            *left -= bytes.len();
        }
        if !self.output.write(bytes).await {
            // Like the real agent, this agent exits when its output is closed.
            self.exit();
            pending::<()>().await;
        }
        if let Some(agent_end) = agent_end {
            self.end_with(agent_end).await;
        }
    }

    async fn write_invalid_line(&mut self) {
        if !self.dice.one_in(12) {
            return;
        }
        self.invalid_lines += 1;
        let id = format!("odd-{}", self.invalid_lines);
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
            // A request that is cancelled at once or soon.
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

    async fn end_with(&mut self, agent_end: AgentEnd) {
        self.log.note(format_args!("the agent ends: {agent_end:?}"));
        match agent_end {
            AgentEnd::Vanishes => self.exit(),
            AgentEnd::Hangs => {}
            AgentEnd::ClosesItsInput => self.input.stop_reading(),
            AgentEnd::ClosesItsInputAndExits => {
                self.input.stop_reading();
                sleep(Duration::from_millis(self.dice.below(4_000) as u64)).await;
                self.exit();
            }
            AgentEnd::ClosesItsOutput => {
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

/// Returns the script of the agent's model.
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
