//! The output of sub-agents. Their messages refer to the tool call that started
//! them, and are not streamed.

use super::Agent;
use super::account::usage_at_start;
use super::answer::ToolAnswer;
use super::call::ToolCall;
use super::hooks::Occasion;
use super::task::Task;
use agentwire_protocol::codec::encode;
use agentwire_protocol::content::{ContentBlock, ToolUseBlock};
use agentwire_protocol::hook::{HookKind, PostToolBatch};
use agentwire_protocol::json::Json;
use agentwire_protocol::message::{
    AssistantMessage, TaskProgress, ToolResultMeta, Usage, UserMessage,
};
use serde_json::json;
use std::time::Instant;

impl Agent {
    /// Sends a block of a sub-agent's model to the host. `message_id` is the
    /// API's ID of the message that contains the block. Returns whether the
    /// host receives the block.
    pub fn subagent_says(&mut self, task_id: &str, message_id: &str, block: ContentBlock) -> bool {
        let Some(task) = self.task(task_id) else {
            return false;
        };
        if let ContentBlock::Text(text) = &block {
            task.last_text.clone_from(&text.text);
        }
        let call = block.as_tool_use().cloned();
        if let Some(call) = &call
            && !task.tools.contains(&call.name)
        {
            task.tools.push(call.name.clone());
        }
        let task = task.clone();
        let Some(agent) = &task.agent else {
            return false;
        };
        // The host receives only the tool calls of an awaited sub-agent, unless
        // it requests the text, too.
        if task.is_awaited && call.is_none() && !self.config.forwards_subagent_text {
            return false;
        }
        let mut body = self.body(message_id.to_owned(), vec![block]);
        body.usage = Some(usage_at_start(&task.reply));
        body.extra.set("context_management", Json::null());
        let message = wire!(AssistantMessage {
            message: body.into(),
            parent_tool_use_id: task.tool_use_id.clone(),
            agent_id: Some(task.id.clone()),
            subagent_type: Some(agent.kind.clone()),
            task_description: Some(task.description.clone()),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            timestamp: (self.config.timestamp)(),
        });
        // For an awaited sub-agent, the progress is sent first. A tool call is
        // sent after its hooks.
        if task.is_awaited {
            let is_call = call.is_some();
            self.send_progress(&task, call);
            let before = self.out.len();
            self.send(encode(&message));
            if is_call && self.hooks.has(&HookKind::PreToolUse) {
                self.late.extend(self.out.drain(before..));
            }
        } else {
            self.send(encode(&message));
            self.send_progress(&task, call);
        }
        true
    }

    /// Adds the usage and the cost in dollars of the next reply of a sub-agent's
    /// model.
    pub fn charge_subagent(&mut self, task_id: &str, usage: &Usage, cost_usd: f64) {
        if let Some(task) = self.task(task_id) {
            task.reply = usage.clone();
        }
        self.account.spend(&self.config.model, usage, cost_usd);
    }

    fn send_progress(&mut self, task: &Task, call: Option<ToolUseBlock>) {
        let (Some(call), Some(agent)) = (call, &task.agent) else {
            return;
        };
        let progress = wire!(TaskProgress {
            task_id: task.id.clone(),
            run_id: Some(task.run_id.clone()),
            tool_use_id: task.tool_use_id.clone(),
            description: Some(format!("It runs {}.", call.name)),
            subagent_type: Some(agent.kind.clone()),
            usage: Some(task.usage()),
            last_tool_name: Some(call.name),
            summary: None,
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
        });
        self.send(encode(&progress));
    }

    /// Starts a tool call of a sub-agent, as [`Agent::call_tool`] does for the
    /// model.
    pub fn call_subagent_tool(&mut self, now: Instant, task_id: &str, call: ToolCall) {
        if self.task(task_id).is_some() {
            self.begin_call(now, call, Some(task_id.to_owned()));
        }
    }

    /// Calls the hooks for the tool calls of a sub-agent's reply, after all of
    /// them have results. Continue when [`Agent::waits_for_hooks`] returns
    /// `false`.
    pub fn finish_subagent_tools(&mut self, now: Instant, task_id: &str) {
        let Some(task) = self.task(task_id) else {
            return;
        };
        let batch = wire!(PostToolBatch {
            tool_calls: std::mem::take(&mut task.batch),
        });
        let id = format!("hook-{}", (self.ids)());
        let occasion = Occasion::AfterSubagentBatch(task_id.to_owned());
        self.raise(now, occasion, None, batch, Some(&id));
    }

    /// Returns whether hooks of a sub-agent are pending.
    #[must_use]
    pub fn waits_for_hooks(&self, task_id: &str) -> bool {
        let is_for_task =
            |it: &Occasion| matches!(it, Occasion::AfterSubagentBatch(id) if id == task_id);
        self.hooks.is_pending(is_for_task)
    }

    /// Sends the result of a sub-agent's tool call.
    pub(super) fn send_subagent_result(
        &mut self,
        task: &Task,
        id: &str,
        answer: ToolAnswer,
        meta: Option<ToolResultMeta>,
    ) {
        let (result, _) = answer.into_block(id);
        let mut message = UserMessage::new(vec![result.into()]);
        message.tool_result_meta = meta.map(|meta| vec![meta]);
        self.send_to_subagent(task, message);
    }

    /// Sends the prompt of a sub-agent.
    pub(super) fn send_subagent_prompt(&mut self, task: &Task) {
        let Some(agent) = &task.agent else { return };
        let text = ContentBlock::text(&*agent.prompt);
        self.send_to_subagent(task, UserMessage::new(vec![text]));
    }

    fn send_to_subagent(&mut self, task: &Task, mut message: UserMessage) {
        message.parent_tool_use_id.clone_from(&task.tool_use_id);
        message.agent_id = Some(task.id.clone());
        message.subagent_type = task.agent.as_ref().map(|agent| agent.kind.clone());
        message.task_description = Some(task.description.clone());
        message.uuid = Some((self.ids)());
        message.session_id = Some(self.session_id.clone());
        message.timestamp = (self.config.timestamp)();
        self.send(encode(&message));
    }

    /// Ends an awaited sub-agent. Its output becomes the result of the tool
    /// call that started it.
    pub(super) fn finish_awaited(&mut self, now: Instant, task: &Task) {
        let (Some(agent), Some(id)) = (&task.agent, &task.tool_use_id) else {
            return;
        };
        let mut content = vec![ContentBlock::text(&*task.last_text)];
        // Selects tools that were not used before.
        let is_new = |tool: &&String| !self.used_tools.contains(*tool);
        let new: Vec<_> = task.tools.iter().filter(is_new).cloned().collect();
        if !new.is_empty() {
            let note = format!("It used {}.", new.join(", "));
            content.insert(0, ContentBlock::text(note));
        }
        self.used_tools.extend(task.tools.iter().cloned());
        let mut data = json!({
            "status": "completed",
            "agentId": task.id,
            "agentType": agent.kind,
            "prompt": agent.prompt,
            "content": content,
            "canContinueAgent": true,
            "resolvedModel": self.model(),
            "harnessNoteCount": u64::from(!new.is_empty()),
            "harnessTailCount": 0,
            "harnessSectionHash": "",
            "totalDurationMs": 0,
            "totalTokens": 0,
            "totalToolUseCount": task.tools.len(),
            "usage": self.config.declared.usage,
        });
        if !task.tools.is_empty() {
            data["toolsUsed"] = json!(task.tools);
            data["toolStats"] = json!({
                "bashCount": 0, "editFileCount": 0, "linesAdded": 0, "linesRemoved": 0,
                "otherToolCount": task.tools.len(), "readCount": 0, "searchCount": 0,
            });
        }
        let text = format!(
            "{}\n\nThe sub-agent {} is done.\n<usage></usage>",
            task.last_text, task.id
        );
        let answer = ToolAnswer {
            content: vec![ContentBlock::text(text)].into(),
            data: data.into(),
            is_error: None,
        };
        self.end_tool(now, id, answer);
    }

    /// Returns the result of the tool call that started this task in the
    /// background.
    pub(super) fn launched(task: &Task) -> ToolAnswer {
        let Some(agent) = &task.agent else {
            let text = format!("It runs in the background as {}.", task.id);
            let mut answer = ToolAnswer::text("", Some(false));
            answer.content = text.as_str().into();
            answer.data = Json::from(json!({
                "stdout": "", "stderr": "", "interrupted": false, "isImage": false,
                "noOutputExpected": false, "backgroundTaskId": task.id,
            }));
            return answer;
        };
        let text = format!("The sub-agent {} works in the background.", task.id);
        ToolAnswer {
            content: vec![ContentBlock::text(text)].into(),
            data: Json::from(json!({
                "isAsync": true,
                "status": "async_launched",
                "agentId": task.id,
                "description": task.description,
                "prompt": agent.prompt,
                "outputFile": format!("/{}.output", task.id),
                "canReadOutputFile": true,
                "canContinueAgent": true,
                "resolvedModel": "fake-model",
            })),
            is_error: None,
        }
    }

    /// Starts this task for a tool call of the turn. The call's result is that
    /// the task runs in the background, unless the task is
    /// [awaited](Task::awaited).
    pub fn launch_tool(&mut self, now: Instant, tool_use_id: &str, task: Task) {
        let task = task.of_tool(tool_use_id);
        if task.is_awaited {
            return self.start_task(now, task);
        }
        let answer = Self::launched(&task);
        self.start_task(now, task);
        self.end_tool(now, tool_use_id, answer);
    }
}
