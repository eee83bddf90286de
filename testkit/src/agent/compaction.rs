//! Compaction of the conversation: by command, or automatically when the
//! context window is nearly full.

use super::commands::NOTHING_TO_COMPACT;
use super::context::Room;
use super::failure::Failure;
use super::hooks::{Occasion, Verdict};
use super::{Agent, Event};
use agentwire_protocol::codec::encode;
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::hook::{PostCompact, PreCompact, SessionStart, SessionStartSource};
use agentwire_protocol::json::{Json, Number};
use agentwire_protocol::message::{
    AssistantError, CommandState, CompactBoundary, CompactMetadata, CompactResult, CompactTrigger,
    PreservedMessages, PreservedSegment, ResultMessage, Status, StatusKind, TerminalReason,
    UserMessage,
};
use serde_json::json;
use std::time::Instant;

impl Agent {
    /// Emits `event`, which starts a model request. If the context window is
    /// nearly full, the conversation is compacted first. If the window is full
    /// and automatic compaction is disabled, the turn ends instead.
    pub(super) fn request_model(&mut self, now: Instant, event: Event) {
        let room = self.context.room(&self.config);
        if room == Room::Enough || room == Room::Little && !self.config.compacts {
            return self.events.push_back(event);
        }
        self.ask_model();
        if !self.config.compacts {
            return self.end_full(now);
        }
        let Some(turn) = &mut self.turn else { return };
        turn.waits_for_summary = Some(event);
        self.raise_pre_compact(now, CompactTrigger::Auto, None);
    }

    /// Ends the turn because the context window is full.
    fn end_full(&mut self, now: Instant) {
        let text = "The conversation is too long for the model.";
        let failure = Failure::new(AssistantError::InvalidRequest, text.to_owned());
        self.send_failure(&failure);
        let result = wire!(ResultMessage {
            is_error: true,
            terminal_reason: Some(TerminalReason::BlockingLimit),
            stop_reason: Some(failure.stop_reason.as_str().to_owned()),
            result: Some(failure.text),
            ..ResultMessage::default()
        });
        self.end_turn(now, result, CommandState::Cancelled);
    }

    /// Handles `/compact`.
    pub(super) fn compact_on_command(&mut self, now: Instant, instructions: Option<String>) {
        self.send_status(wire!(Status {
            status: Some(StatusKind::Compacting),
        }));
        self.raise_pre_compact(now, CompactTrigger::Manual, instructions);
    }

    fn raise_pre_compact(
        &mut self,
        now: Instant,
        trigger: CompactTrigger,
        custom_instructions: Option<String>,
    ) {
        let mut event = wire!(PreCompact {
            trigger: Some(trigger.clone()),
            custom_instructions,
        });
        if event.custom_instructions.is_none() {
            event.extra.set("custom_instructions", Json::null());
        }
        self.raise(now, Occasion::Compact, Some(trigger.as_str()), event, None);
    }

    /// Returns the trigger of the current compaction.
    fn trigger(&self) -> CompactTrigger {
        let turn = self.turn.as_ref();
        if turn.is_some_and(|turn| turn.waits_for_summary.is_some()) {
            CompactTrigger::Auto
        } else {
            CompactTrigger::Manual
        }
    }

    /// Continues after the `PreCompact` hooks.
    pub(super) fn compact(&mut self, now: Instant, verdict: &Verdict) {
        let is_automatic = self.trigger() == CompactTrigger::Auto;
        if is_automatic {
            let mut status = wire!(Status {
                status: Some(StatusKind::Compacting),
            });
            status.extra.set("compact_output_chars", json!(0));
            self.send_status(status);
        }
        if let Some(reason) = verdict.blocks.first() {
            if is_automatic {
                self.send_status(Status::default());
                return self.continue_without_summary(now);
            }
            let why = if verdict.failed { reason } else { "[callback]" };
            let why = format!("Compaction blocked by PreCompact hook: {why}");
            self.send_status(wire!(Status {
                compact_result: Some(CompactResult::Failed),
                compact_error: Some(format!("skipped: {why}")),
            }));
            return self.end_command(now, Some("compact"), &why);
        }
        // The last reply is preserved, so there must be another reply before it.
        if is_automatic && self.preserves_reply() && self.context.replies < 2 {
            self.send_status(wire!(Status {
                compact_result: Some(CompactResult::Failed),
                compact_error: Some("too_few_groups".to_owned()),
            }));
            return self.continue_without_summary(now);
        }
        if !is_automatic && self.context.replies == 0 {
            self.send_status(wire!(Status {
                compact_result: Some(CompactResult::Failed),
                compact_error: Some(NOTHING_TO_COMPACT.to_owned()),
            }));
            return self.report_nothing_to_compact(now, false);
        }
        let event = wire!(SessionStart {
            source: Some(SessionStartSource::Compact),
            model: Some(self.config.model.clone()),
            session_title: self.title.clone(),
        });
        self.raise(now, Occasion::Compacted, Some("compact"), event, None);
    }

    /// Returns the summary of the conversation, which names the tools that were
    /// used.
    fn summary(&self) -> String {
        let tools: Vec<_> = self.used_tools().collect();
        let used = if tools.is_empty() {
            "none"
        } else {
            &tools.join(", ")
        };
        format!("A summary of the conversation. Tools used: {used}.")
    }

    /// Returns whether compaction preserves the last reply. Compaction on
    /// command preserves it if there is an earlier reply. Automatic compaction
    /// preserves it only the first time in a turn, and only if the window is
    /// not full.
    fn preserves_reply(&self) -> bool {
        if self.trigger() == CompactTrigger::Manual {
            return self.context.replies > 1;
        }
        let turn = self.turn.as_ref();
        self.context.room(&self.config) == Room::Little
            && turn.is_some_and(|turn| !turn.is_summarized)
    }

    fn continue_without_summary(&mut self, now: Instant) {
        let turn = self.turn.as_mut();
        let event = turn.and_then(|turn| turn.waits_for_summary.take());
        if self.context.room(&self.config) == Room::None {
            return self.end_full(now);
        }
        self.events.extend(event);
    }

    pub(super) fn summarize(&mut self, now: Instant) {
        let trigger = self.trigger();
        let about = trigger.as_str().to_owned();
        let event = wire!(PostCompact {
            trigger: Some(trigger),
            compact_summary: self.summary(),
        });
        self.raise(now, Occasion::Summarized, Some(&about), event, None);
    }

    pub(super) fn end_compact(&mut self, now: Instant) {
        self.send_status(wire!(Status {
            compact_result: Some(CompactResult::Success),
        }));
        if self.trigger() == CompactTrigger::Auto {
            self.replace_with_summary(UserMessage::new(vec![ContentBlock::text(self.summary())]));
            let turn = self.turn.as_mut();
            let event = turn.and_then(|turn| turn.waits_for_summary.take());
            return self.events.extend(event);
        }
        let uuids = self.turn.as_ref().map(|turn| turn.uuids.clone());
        self.send_init(&uuids.unwrap_or_default());
        let mut summary = UserMessage::new(self.summary());
        summary.is_replay = Some(false);
        self.replace_with_summary(summary);
        // The output of commands is preserved and sent again.
        for mut output in self.context.outputs.clone() {
            output.message.id = Some((self.ids)());
            self.send(encode(&output));
        }
        let done = "<local-command-stdout>It is compacted.</local-command-stdout>";
        let mut done = UserMessage::new(done);
        done.is_replay = Some(true);
        self.send_user_message(done);
        self.context.is_followed = true;
        self.replay_command("compact", "");
        self.end_without_model(now, Some("compact"), "");
    }

    /// Replaces the conversation with this summary. Preserves the last reply
    /// and everything after it if `preserves_reply` returns `true`, otherwise
    /// only the prompts after it.
    fn replace_with_summary(&mut self, summary: UserMessage) {
        let preserves_reply = self.preserves_reply();
        let trigger = self.trigger();
        if let Some(turn) = &mut self.turn {
            turn.is_summarized = true;
        }
        let mut context = std::mem::take(&mut self.context);
        let mut last = context.summarize(preserves_reply);
        if trigger == CompactTrigger::Manual && !preserves_reply && context.is_followed {
            // The summary follows the agent's internal note.
            last = Some((self.ids)());
        }
        let anchor = (self.ids)();
        let mut metadata = wire!(CompactMetadata {
            trigger: Some(trigger),
        });
        if let (Some(head), Some(tail)) = (context.latest.first(), context.latest.last()) {
            metadata.preserved_segment = Some(wire!(PreservedSegment {
                head_uuid: head.clone(),
                anchor_uuid: anchor.clone(),
                tail_uuid: tail.clone(),
            }));
            let mut preserved = wire!(PreservedMessages {
                anchor_uuid: anchor.clone(),
                uuids: context.latest.clone(),
            });
            preserved.extra.set("all_uuids", json!(context.latest));
            metadata.preserved_messages = Some(preserved);
        }
        self.send_boundary(metadata, last);
        let mut summary = summary.synthetic();
        summary.uuid = Some(anchor);
        self.send_user_message(summary);
        self.context = context;
    }

    /// Sends the compaction boundary. `last` is the UUID of the message that
    /// the summary follows.
    fn send_boundary(&mut self, mut compact_metadata: CompactMetadata, last: Option<String>) {
        let tokens = self.context.tokens();
        compact_metadata.pre_tokens = Some(tokens);
        compact_metadata.post_tokens = Some(0);
        compact_metadata.duration_ms = Some(Number::from(0));
        let extra = &mut compact_metadata.extra;
        extra.set("cumulative_dropped_tokens", json!(tokens));
        let mut boundary = wire!(CompactBoundary {
            compact_metadata,
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
        });
        if let Some(last) = last {
            boundary.extra.set("logical_parent_uuid", last.as_str());
        }
        self.send(encode(&boundary));
    }
}
