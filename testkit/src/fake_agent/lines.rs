//! Conversions between scenarios and lines of the protocol.

use crate::agent::Agent;
use crate::scenario::{Reply, Thinking};
use agentwire_protocol::content::{Content, ContentBlock};
use agentwire_protocol::message::{StopReason, Usage, UserMessage};

/// Returns the text of the prompts of a turn.
pub(super) fn prompt(prompts: &[UserMessage]) -> String {
    let contents = prompts.iter().filter_map(|it| it.message.content.as_ref());
    contents.map(Content::text).collect::<Vec<_>>().join("\n")
}

/// Returns the tool results in a line of the agent. Only these lines contain
/// all results, because the agent runs some tools itself.
pub(super) fn results(line: &[u8]) -> Vec<String> {
    let Ok(message) = serde_json::from_slice::<UserMessage>(line) else {
        return Vec::new();
    };
    let contents = message
        .tool_results()
        .filter_map(|result| result.content.as_ref());
    contents.map(Content::text).collect()
}

/// Passes the token usage and cost of the next reply to the agent.
pub(super) fn charge(agent: &mut Agent, reply: &Reply) {
    let stop_reason = match reply.stop_reason.as_deref() {
        Some(reason) => StopReason::from(reason),
        None if reply.tool_count() > 0 => StopReason::ToolUse,
        None => StopReason::EndTurn,
    };
    agent.charge(
        usage(reply),
        reply.cost_usd.unwrap_or(0.0),
        Some(stop_reason),
    );
}

/// Passes the token usage and cost of a sub-agent's reply to the agent.
pub(super) fn charge_subagent(agent: &mut Agent, task_id: &str, reply: &Reply) {
    agent.charge_subagent(task_id, &usage(reply), reply.cost_usd.unwrap_or(0.0));
}

fn usage(reply: &Reply) -> Usage {
    let tokens = reply.usage.unwrap_or_default();
    let mut usage = Usage::default();
    usage.input_tokens = tokens.input_tokens;
    usage.output_tokens = tokens.output_tokens;
    usage.cache_creation_input_tokens = tokens.cache_creation_input_tokens;
    usage.cache_read_input_tokens = tokens.cache_read_input_tokens;
    usage
}

/// Returns a complete thinking block.
pub(super) fn thinking_block(thinking: &Thinking) -> ContentBlock {
    match ContentBlock::thinking(thinking.text.whole()) {
        ContentBlock::Thinking(mut block) => {
            let signature = thinking.signature.clone();
            block.signature = Some(signature.unwrap_or_else(|| "c2NyaXB0ZWQ=".to_owned()));
            block.into()
        }
        block => block,
    }
}

/// Returns an empty thinking block with a signature.
pub(super) fn empty_thinking_block(signature: Option<String>) -> ContentBlock {
    match ContentBlock::thinking("") {
        ContentBlock::Thinking(mut thinking) => {
            thinking.signature = signature;
            thinking.into()
        }
        block => block,
    }
}

/// Returns the type of a line of the agent. `type` is its first member.
pub(super) fn kind(line: &[u8]) -> Option<&str> {
    let rest = line.strip_prefix(br#"{"type":""#)?;
    let kind = rest.split(|byte| *byte == b'"').next()?;
    std::str::from_utf8(kind).ok()
}

/// Returns whether a `system` line of the agent reports the start or end of a
/// task.
pub(super) fn is_task_event(line: &[u8]) -> bool {
    let rest = line.strip_prefix(br#"{"type":"system","subtype":"task_"#);
    rest.is_some_and(|rest| rest.starts_with(b"started") || rest.starts_with(b"notification"))
}
