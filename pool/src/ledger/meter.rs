//! Reads the usage that the processes of a session report.

use super::sums::{Cost, Models, SubAgent, Tokens, Turn};
use agentwire::Frame;
use agentwire_protocol::message::{
    ConversationReset, ModelUsage, ResetTrigger, ResultMessage, Usage,
};
use memchr::memmem;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Reads the messages of a session.
///
/// `total_cost_usd` is not used: it continues in a resumed session and a fork, begins again at
/// `/clear`, and falls back after a kill.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// The last session ID.
    session: String,
    /// The session that `/clear` has ended, until the next result.
    cleared: Option<String>,
    /// Whether the results have `model_usage_since_last_result`.
    reports_increments: bool,
    /// The usage at the last result, for agents without increments. `None` if it is unknown,
    /// because the process may continue the sum of an earlier one.
    baseline: Option<Models>,
    /// The usage at the last result of the process before this one.
    earlier: Option<Models>,
    /// Whether the process has had results.
    has_result: bool,
    /// Whether the process has had messages of the model or results.
    has_spoken: bool,
    /// Replies since the last result, by the tool call of the sub-agent; empty for the main
    /// conversation.
    replies: BTreeMap<String, Replies>,
}

/// The replies of the main conversation or of a sub-agent since the last result.
#[derive(Debug, Default)]
struct Replies {
    agent_id: Option<String>,
    /// The API's ID of the current reply. Each block of it is a message of its own.
    id: String,
    /// Whether the last result includes the current reply.
    is_reported: bool,
    /// The current reply. Its messages repeat the usage.
    current: Tokens,
    earlier: Tokens,
}

/// The members of `assistant` and `stream_event` that are read here. Content is skipped.
#[derive(Deserialize)]
struct CountedMembers {
    message: Option<Reply>,
    event: Option<StreamEvent>,
    parent_tool_use_id: Option<String>,
    agent_id: Option<String>,
}

#[derive(Deserialize)]
struct StreamEvent {
    message: Option<Reply>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Reply {
    id: Option<String>,
    usage: Option<Usage>,
}

impl Meter {
    /// Returns whether a response to `get_usage` can still be the baseline of this process, and
    /// is needed.
    pub(super) fn needs_baseline(&self) -> bool {
        !self.reports_increments && !self.has_spoken && self.baseline.is_none()
    }

    /// Sets the usage before the first turn of the process. Ignored after its first message:
    /// the response may include that.
    pub(super) fn set_baseline(&mut self, usage: &BTreeMap<String, ModelUsage>) {
        if self.needs_baseline() {
            self.baseline = Some(costs(usage));
        }
    }

    pub(super) fn set_session(&mut self, id: &str) {
        if self.session != id {
            id.clone_into(&mut self.session);
        }
    }

    /// Reads a message. Returns an entry if it is a result.
    pub(super) fn read(&mut self, frame: &Frame) -> Option<Turn> {
        match frame.kind() {
            "stream_event" if is_about_usage(frame.raw()) => self.read_reply(frame),
            "assistant" => self.read_reply(frame),
            "conversation_reset" => {
                let reset = frame.read::<ConversationReset>().ok()?;
                if reset.trigger == Some(ResetTrigger::Clear) {
                    self.cleared = reset.session_id;
                }
            }
            "result" => return Some(self.end_turn(frame.read().ok()?)),
            _ => {}
        }
        None
    }

    fn read_reply(&mut self, frame: &Frame) {
        let Ok(spoken) = frame.read::<CountedMembers>() else {
            return;
        };
        self.has_spoken = true;
        let parent = spoken.parent_tool_use_id.unwrap_or_default();
        let replies = self.replies.entry(parent).or_default();
        replies.agent_id = spoken.agent_id.or(replies.agent_id.take());
        let (reply, delta) = match spoken.event {
            Some(event) => (event.message, event.usage),
            None => (spoken.message, None),
        };
        if let Some(reply) = reply {
            replies.add(reply.id.unwrap_or_default(), reply.usage.as_ref());
        }
        if let Some(usage) = delta {
            replies.update_usage(&usage);
        }
    }

    fn end_turn(&mut self, result: ResultMessage) -> Turn {
        let before = self.baseline.take();
        let now = result.model_usage.as_ref().map(costs);
        let mut turn = Turn {
            result: Some(result.uuid.unwrap_or_default()),
            messages: result.user_message_uuids.unwrap_or_default(),
            is_error: result.is_error,
            ..Turn::default()
        };
        if let Some(increment) = &result.model_usage_since_last_result {
            self.reports_increments = true;
            turn.models = costs(increment);
        } else if let Some(now) = &now {
            let of_turn = result.usage.as_ref().map(Tokens::from).unwrap_or_default();
            match self.difference(before.as_ref(), now, of_turn) {
                Some((models, has_restarted)) => {
                    turn.models = models;
                    // The work before `/clear` is in no later result.
                    if has_restarted {
                        turn.unreported = self.seen();
                    }
                }
                None => turn.unreported = self.seen().zip(of_turn, u64::max),
            }
        }
        turn.models.retain(|_, cost| !cost.is_zero());
        for cost in turn.models.values() {
            turn.cost += *cost;
        }
        turn.subagents = self.subagents();
        (self.has_spoken, self.has_result) = (true, true);
        self.baseline = now.or(before);
        if let Some(id) = result.session_id {
            self.session = id;
        }
        turn.session = self.cleared.take().unwrap_or_else(|| self.session.clone());
        // Later messages of these replies add nothing.
        self.replies.retain(|_, it| !it.id.is_empty());
        for replies in self.replies.values_mut() {
            // Forgotten at the next result, if the sub-agent is silent until then.
            let id = if replies.is_reported {
                String::new()
            } else {
                std::mem::take(&mut replies.id)
            };
            *replies = Replies {
                id,
                is_reported: true,
                ..Replies::default()
            };
        }
        turn
    }

    /// Returns the usage since the last result, and whether the sum has begun again. Returns
    /// `None` if the baseline of the process is unknown.
    fn difference(
        &self,
        before: Option<&Models>,
        now: &Models,
        of_turn: Tokens,
    ) -> Option<(Models, bool)> {
        if let Some(before) = before {
            let (since, has_restarted) = difference(before, now);
            // A response may include a part of the turn if the turn began before the request.
            let is_whole = tokens(&since).zip(of_turn, u64::min) == of_turn;
            if self.has_result || is_whole {
                return Some((since, has_restarted));
            }
        }
        if self.has_result {
            return None;
        }
        // It began with 0, or with the sum of the process before it, if only the turn is new.
        let none = Models::new();
        let mut known = [Some(&none), self.earlier.as_ref()].into_iter().flatten();
        known.find_map(|before| {
            let (since, has_restarted) = difference(before, now);
            let is_turn = !has_restarted && tokens(&since) == of_turn;
            is_turn.then_some((since, false))
        })
    }

    /// Handles the end of the process. Returns an entry if there were replies after its last
    /// result.
    pub(super) fn end_process(&mut self) -> Option<Turn> {
        let turn = Turn {
            session: self.cleared.take().unwrap_or_else(|| self.session.clone()),
            subagents: self.subagents(),
            unreported: self.seen(),
            ..Turn::default()
        };
        *self = Self {
            session: std::mem::take(&mut self.session),
            reports_increments: self.reports_increments,
            earlier: self.baseline.take(),
            ..Self::default()
        };
        (!turn.unreported.is_empty()).then_some(turn)
    }

    /// Returns the tokens of all replies since the last result.
    fn seen(&self) -> Tokens {
        let mut seen = Tokens::default();
        for replies in self.replies.values() {
            seen += replies.sum();
        }
        seen
    }

    fn subagents(&self) -> Vec<SubAgent> {
        let subagents = self
            .replies
            .iter()
            .filter(|(parent, it)| !parent.is_empty() && !it.sum().is_empty());
        let subagent = |(parent, it): (&String, &Replies)| SubAgent {
            tool_use_id: parent.clone(),
            agent_id: it.agent_id.clone(),
            tokens: it.sum(),
        };
        subagents.map(subagent).collect()
    }
}

impl Replies {
    fn add(&mut self, id: String, usage: Option<&Usage>) {
        if id != self.id || id.is_empty() {
            self.earlier += std::mem::take(&mut self.current);
            self.id = id;
            self.is_reported = false;
        }
        if let Some(usage) = usage {
            self.update_usage(usage);
        }
    }

    /// Updates the usage of the current reply, which counts up.
    fn update_usage(&mut self, usage: &Usage) {
        if !self.is_reported {
            self.current = self.current.zip(Tokens::from(usage), u64::max);
        }
    }

    fn sum(&self) -> Tokens {
        let mut sum = self.earlier;
        sum += self.current;
        sum
    }
}

/// Returns whether a `stream_event` has usage. Most have none, and are not parsed.
fn is_about_usage(line: &[u8]) -> bool {
    let has = |name: &str| memmem::find(line, name.as_bytes()).is_some();
    has("\"message_start\"") || has("\"message_delta\"")
}

fn costs(usage: &BTreeMap<String, ModelUsage>) -> Models {
    let costs = usage
        .iter()
        .map(|(name, it)| (name.clone(), Cost::from(it)));
    costs.collect()
}

/// Returns the difference between two sums of an agent, and whether the sum has begun again in
/// between, as it does at `/clear`.
fn difference(before: &Models, now: &Models) -> (Models, bool) {
    let falls = |(model, was): (&String, &Cost)| {
        let is = now.get(model).copied().unwrap_or_default().tokens;
        is.zip(was.tokens, u64::min) != was.tokens
    };
    if before.iter().any(falls) {
        return (now.clone(), true);
    }
    let since = now.iter().map(|(model, is)| {
        let was = before.get(model).copied().unwrap_or_default();
        let cost = Cost {
            usd: (is.usd - was.usd).max(0.0),
            tokens: is.tokens.zip(was.tokens, u64::saturating_sub),
        };
        (model.clone(), cost)
    });
    (since.collect(), false)
}

fn tokens(models: &Models) -> Tokens {
    let mut sum = Tokens::default();
    models.values().for_each(|it| sum += it.tokens);
    sum
}
