//! One prompt on several agents, side by side in one terminal.
//!
//! ```text
//! cargo run -p agentwire-acp --example side_by_side -- 'Say hello' claude codex 'gemini --acp'
//! ```
//!
//! `claude` is Claude Code and `codex` Codex; others are command lines of agents that speak ACP.
//! Tool calls that need permission are denied.

#![allow(clippy::print_stdout, reason = "it is a program for a terminal")]

use agentwire::view::agent::{Agent, Decision};
use agentwire::view::{Body, View};
use agentwire::{ClientAgent, Options};
use agentwire_acp::{Agent as AcpAgent, AgentOptions};
use agentwire_codex::wire::NamedPolicy;
use agentwire_codex::{CodexAgent, CodexOptions, ThreadOptions};
use std::error::Error;
use std::fmt::Write;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let prompt = arguments
        .next()
        .ok_or("usage: side_by_side PROMPT AGENT...")?;
    let (changed, mut changes) = mpsc::channel(1);
    let mut agents: Vec<(String, Arc<dyn Agent>)> = Vec::new();
    let mut turns = JoinSet::new();
    for command in arguments {
        let agent: Arc<dyn Agent> = match command.as_str() {
            "claude" => Arc::new(ClientAgent::connect(Options::new()).await?),
            "codex" => {
                let options = ThreadOptions::new().approval_policy(NamedPolicy::Untrusted);
                Arc::new(CodexAgent::start(CodexOptions::new(), options).await?)
            }
            command => {
                let options = AgentOptions::new(command.split_whitespace());
                Arc::new(AcpAgent::connect(options).await?)
            }
        };
        turns.spawn(agent.prompt(&prompt));
        tokio::spawn(watch(Arc::clone(&agent), changed.clone()));
        agents.push((command, agent));
    }
    drop(changed);
    while !turns.is_empty() {
        tokio::select! {
            _ = turns.join_next() => {}
            _ = changes.recv() => {}
        }
        draw(&agents);
    }
    for (_, agent) in &agents {
        agent.close().await?;
    }
    Ok(())
}

/// Reports each change of a view, and denies what needs permission.
async fn watch(agent: Arc<dyn Agent>, changed: mpsc::Sender<()>) {
    let mut number = 0;
    while agent.changed(number).await.is_ok() {
        let mut requests = Vec::new();
        agent.read(&mut |view: &View| {
            number = view.number();
            for entry in view.entries() {
                if let Body::Approval(approval) = &entry.body {
                    requests.push(approval.request_id.clone());
                }
            }
        });
        for request in requests {
            // It may have been withdrawn meanwhile.
            let _ = agent.respond(&request, Decision::Deny(String::new())).await;
        }
        if changed.send(()).await.is_err() {
            return;
        }
    }
}

/// Draws the agents in columns.
fn draw(agents: &[(String, Arc<dyn Agent>)]) {
    const WIDTH: usize = 38;
    let columns = agents.iter().map(|(name, agent)| {
        let mut lines = vec![name.clone(), "─".repeat(WIDTH - 2)];
        agent.read(&mut |view| {
            for entry in view.entries() {
                lines.extend(wrapped(&shown(&entry.body), WIDTH - 2));
            }
        });
        lines
    });
    let columns: Vec<Vec<String>> = columns.collect();
    let mut screen = "\x1b[2J\x1b[H".to_owned();
    for row in 0..columns.iter().map(Vec::len).max().unwrap_or_default() {
        for column in &columns {
            let line = column.get(row).map_or("", String::as_str);
            let _ = write!(screen, "{line:<WIDTH$}");
        }
        screen.push('\n');
    }
    print!("{screen}");
}

fn shown(body: &Body) -> String {
    match body {
        Body::Prompt(it) => format!("> {}", it.text.text),
        Body::Text(it) => it.text.text.clone(),
        Body::Thought(it) => format!("({})", it.text.text),
        Body::ToolCall(it) => format!("· {} ({:?})", it.title, it.status),
        Body::TurnEnd(it) => format!("{:?}", it.outcome),
        _ => String::new(),
    }
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let characters: Vec<char> = line.chars().collect();
        lines.extend(characters.chunks(width).map(|it| it.iter().collect()));
    }
    lines
}
