//! Converts a plan to a case: a scenario, and the steps of its host. Each step waits for
//! the line that the previous one caused, which makes most of the order deterministic.

use crate::plan::{Action, Episode, Plan, Stage, Tool, Turn};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const SCHEMA: &str =
    r#"{"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}"#;

/// Returns the case file of a plan.
pub(crate) fn case(plan: &Plan, seed: u64) -> Value {
    let mut writer = Writer {
        plan,
        replies: vec![],
        subagents: vec![],
        steps: vec![],
        decisions: BTreeMap::new(),
        prompts: 0,
        requests: 1,
        gates: 0,
        tools: 0,
    };
    if plan.has_server {
        writer.until(json!({"request": {"message": {"method": "tools/list"}}}));
    }
    for episode in &plan.episodes {
        writer.episode(episode);
    }
    writer.file(seed)
}

struct Writer<'a> {
    plan: &'a Plan,
    replies: Vec<Value>,
    subagents: Vec<Value>,
    steps: Vec<Value>,
    /// The answers of the host to permission requests, in order, by tool.
    decisions: BTreeMap<&'static str, Vec<Value>>,
    prompts: usize,
    requests: usize,
    gates: usize,
    tools: usize,
}

/// The model's replies to a prompt.
struct Replies {
    prompt: String,
    all: Vec<Vec<Value>>,
    say: Vec<Value>,
}

impl Replies {
    fn end(&mut self) {
        self.all.push(std::mem::take(&mut self.say));
    }
}

impl Writer<'_> {
    fn file(self, seed: u64) -> Value {
        let plan = self.plan;
        let mut replies = self.replies;
        replies.push(json!({"say": [self.plan.final_text()], "times": "always"}));
        let mut args = vec![];
        if plan.replays_prompts {
            args.push("--replay-user-messages".to_owned());
        }
        if plan.is_structured {
            args.push(format!("--json-schema={SCHEMA}"));
        }
        let hooks = plan.hooks.iter();
        let hooks: Vec<_> = hooks
            .map(|(event, answers)| json!({"event": event, "answers": answers}))
            .collect();
        let mut host = json!({
            "args": args, "decisions": self.decisions, "hooks": hooks, "steps": self.steps,
        });
        if !plan.partial_messages {
            host["takes_whole_messages"] = true.into();
        }
        if plan.has_server {
            let schema = json!({"type": "object", "properties": {"a": {"type": "number"}}});
            host["servers"] = json!({"calc": [{
                "name": "add", "description": "Adds", "inputSchema": schema,
                "result": {"content": [{"type": "text", "text": "3"}]},
            }]});
        }
        let mut file = json!({
            "about": format!("The random session {seed}."), "replies": replies, "host": host,
        });
        if !self.subagents.is_empty() {
            file["subagents"] = self.subagents.into();
        }
        file
    }

    fn episode(&mut self, episode: &Episode) {
        match episode {
            Episode::Turn(turn) => self.turn(turn),
            Episode::Command(command) => {
                self.prompt(&json!(command));
                self.idle();
            }
            Episode::Idle(action) => self.action(action, false),
            Episode::Mode(mode, turn) => {
                self.request(&json!({"subtype": "set_permission_mode", "mode": mode}));
                self.turn(turn);
                self.request(&json!({"subtype": "set_permission_mode", "mode": "default"}));
            }
            Episode::Shell(actions) => self.shell(actions),
            Episode::Subagent {
                is_awaited,
                uses_tool,
                actions,
            } => self.subagent(*is_awaited, *uses_tool, actions),
        }
    }

    fn begin(&mut self) -> Replies {
        let prompt = format!("Task {}.", self.prompts + 1);
        self.prompt(&json!(prompt));
        Replies {
            prompt,
            all: vec![],
            say: vec![],
        }
    }

    fn finish(&mut self, mut replies: Replies) {
        replies.say.push(self.plan.final_text());
        replies.end();
        let when = json!({"prompt": {"contains": replies.prompt}});
        let of_prompt = replies.all.into_iter();
        self.replies
            .extend(of_prompt.map(|say| json!({"when": when, "say": say})));
    }

    fn turn(&mut self, turn: &Turn) {
        let mut replies = self.begin();
        for stage in &turn.stages {
            match stage {
                Stage::Thinking => replies.say.push(json!({"thinking": "Let me think."})),
                Stage::Text => replies.say.push(json!({"text": "Let me see."})),
                Stage::Gate(actions) => self.gate(&mut replies, actions),
                Stage::Tool {
                    tool,
                    denied,
                    while_pending,
                    gate,
                } => self.tool(
                    &mut replies,
                    *tool,
                    *denied,
                    while_pending.as_deref(),
                    gate.as_deref(),
                ),
                Stage::Two { denied } => {
                    for (number, denied) in [false, *denied].into_iter().enumerate() {
                        let command = format!("touch t{number}; echo out{number}");
                        let result = format!("out{number}");
                        replies.say.push(bash(&command, &result));
                        self.decide("Bash", verdict(denied));
                        self.await_permission_request();
                    }
                    replies.end();
                }
            }
        }
        self.finish(replies);
        self.idle();
    }

    fn gate(&mut self, replies: &mut Replies, actions: &[Action]) {
        let gate = self.new_gate();
        if self.plan.partial_messages && replies.all.is_empty() && replies.say.is_empty() {
            self.until(json!({"type": "stream_event", "event": {"type": "message_start"}}));
        } else {
            let text = format!("I am at {gate}.");
            replies.say.push(json!({ "text": text }));
            self.until(json!({"type": "assistant", "message": {"content": [{"text": text}]}}));
        }
        replies.say.push(json!({ "gate": gate }));
        self.actions(actions);
        if !actions.iter().any(Action::ends_the_turn) {
            self.steps.push(json!({ "open": gate }));
        }
    }

    fn tool(
        &mut self,
        replies: &mut Replies,
        tool: Tool,
        denied: bool,
        while_pending: Option<&[Action]>,
        gate: Option<&[Action]>,
    ) {
        self.tools += 1;
        let number = self.tools;
        let gate = gate.map(|actions| (self.new_gate(), actions));
        let questions = json!([{
            "question": "Which colour?", "header": "Colour", "multiSelect": false,
            "options": [
                {"label": "Red", "description": "It is red."},
                {"label": "Blue", "description": "It is blue."},
            ],
        }]);
        let mut answer = verdict(denied);
        let (name, call) = match tool {
            Tool::Bash => {
                let result = format!("out{number}");
                let call = match &gate {
                    Some((gate, _)) => {
                        let command = format!("{}; echo {result}", waits_for(gate));
                        let mut call = bash(&command, &result);
                        call["tool"]["gate"] = gate.as_str().into();
                        call
                    }
                    None => bash(&format!("touch t{number}; echo {result}"), &result),
                };
                ("Bash", call)
            }
            Tool::Failing => {
                let command = format!("touch t{number}; echo broken >&2; exit 3");
                let mut call = bash(&command, "Exit code 3\nbroken");
                call["tool"]["is_error"] = true.into();
                ("Bash", call)
            }
            Tool::Question => {
                if !denied {
                    let answers = json!({"Which colour?": "Blue"});
                    answer = json!({"allow_with": {"questions": &questions, "answers": answers}});
                }
                let input = json!({ "questions": questions });
                let call =
                    json!({"tool": {"name": "AskUserQuestion", "input": input, "result": ""}});
                ("AskUserQuestion", call)
            }
            Tool::Mcp => {
                let call = json!({"name": "mcp__calc__add", "input": {"a": number}, "result": ""});
                ("mcp__calc__add", json!({ "tool": call }))
            }
        };
        replies.say.push(call);
        replies.end();
        self.await_permission_request();
        match while_pending {
            Some(actions) => {
                self.decide(name, json!("hold"));
                self.actions(actions);
                if actions.iter().any(Action::ends_the_turn) {
                    return;
                }
                self.steps.push(json!({ "answer": answer }));
            }
            None => self.decide(name, answer),
        }
        if let Some((gate, actions)) = gate {
            self.steps.push(json!({ "reached": gate }));
            self.actions(actions);
            // An interrupt ends the tool, or comes too late.
            if !actions.iter().any(Action::is_interrupt) {
                self.steps.push(json!({ "open": gate }));
            }
        }
    }

    fn shell(&mut self, actions: &[Action]) {
        let mut replies = self.begin();
        let gate = self.new_gate();
        let mut call = bash(&format!("{}; echo over", waits_for(&gate)), "started");
        call["tool"]["gate"] = gate.as_str().into();
        call["tool"]["input"]["run_in_background"] = true.into();
        replies.say.push(call);
        replies.end();
        self.decide("Bash", json!("allow"));
        self.finish(replies);
        self.idle();
        for action in actions {
            self.action(action, false);
        }
        self.steps.push(json!({ "open": gate }));
        self.idle();
    }

    fn subagent(&mut self, is_awaited: bool, uses_tool: bool, actions: &[Action]) {
        let mut replies = self.begin();
        let gate = self.new_gate();
        let prompt = format!("Look at {gate}.");
        let input = json!({
            "description": "Look", "prompt": prompt, "subagent_type": "general-purpose",
            "run_in_background": !is_awaited,
        });
        let call = json!({"name": "Agent", "input": input, "result": "", "ask": false});
        replies.say.push(json!({ "tool": call }));
        replies.end();
        self.finish(replies);
        let when = json!({"prompt": {"contains": prompt}});
        let mut say = vec![json!({ "gate": gate })];
        if uses_tool {
            say.push(bash("touch looked; echo seen", "seen"));
            self.subagents.push(json!({"when": when, "say": say}));
            self.decide("Bash", json!("allow"));
            say = vec![];
        }
        say.push(json!({"text": "I looked."}));
        self.subagents.push(json!({"when": when, "say": say}));
        if is_awaited {
            self.until(json!({"type": "system", "subtype": "task_started"}));
        } else {
            let uuid = self.latest();
            self.lifecycle(&uuid, "completed");
        }
        self.actions(actions);
        self.steps.push(json!({ "open": gate }));
        self.idle();
    }

    fn actions(&mut self, actions: &[Action]) {
        for action in actions {
            self.action(action, true);
        }
    }

    fn action(&mut self, action: &Action, is_running: bool) {
        match action {
            Action::Prompt(priority) => {
                let text = format!("More {}.", self.prompts + 1);
                self.queue(&text, *priority);
            }
            Action::Command(command, priority) => self.queue(command, *priority),
            Action::Cancel { is_there } => {
                let uuid = if *is_there { self.latest() } else { uuid(900) };
                self.request(&json!({"subtype": "cancel_async_message", "message_uuid": uuid}));
            }
            Action::Request(request) => self.request(request),
            Action::Interrupt { cancels_queued } => {
                let mut request = json!({"subtype": "interrupt"});
                if *cancels_queued {
                    request["cancel_queued"] = true.into();
                }
                if is_running {
                    // The host waits for the effect of the request.
                    self.requests += 1;
                    self.steps.push(json!({ "request": request }));
                } else {
                    self.request(&request);
                }
            }
        }
    }

    fn queue(&mut self, text: &str, priority: Option<&str>) {
        let mut prompt = json!({ "content": text });
        if let Some(priority) = priority {
            prompt["priority"] = priority.into();
        }
        self.prompt(&prompt);
        let uuid = self.latest();
        self.lifecycle(&uuid, "queued");
    }

    fn prompt(&mut self, prompt: &Value) {
        self.prompts += 1;
        self.steps.push(json!({ "prompt": prompt }));
    }

    fn request(&mut self, request: &Value) {
        self.requests += 1;
        self.steps.push(json!({ "request": request }));
        let response = json!({"request_id": format!("host-{}", self.requests)});
        self.until(json!({"type": "control_response", "response": response}));
    }

    fn lifecycle(&mut self, uuid: &str, state: &str) {
        self.until(json!({"type": "command_lifecycle", "command_uuid": uuid, "state": state}));
    }

    /// Waits for a permission request of the tool, if it requires one.
    fn await_permission_request(&mut self) {
        if !self.plan.decides() {
            self.until(json!({"request": {"subtype": "can_use_tool"}}));
        }
    }

    fn decide(&mut self, tool: &'static str, decision: Value) {
        self.decisions.entry(tool).or_default().push(decision);
    }

    fn until(&mut self, pattern: Value) {
        self.steps.push(json!({ "until": pattern }));
    }

    fn idle(&mut self) {
        self.steps.push(json!("idle"));
    }

    fn latest(&self) -> String {
        uuid(self.prompts)
    }

    fn new_gate(&mut self) -> String {
        self.gates += 1;
        format!("gate{}", self.gates)
    }
}

impl Plan {
    /// Returns the last text of the model.
    fn final_text(&self) -> Value {
        if self.is_structured {
            json!({"tool": {"name": "StructuredOutput", "input": {"n": 1}, "ask": false}})
        } else {
            json!({"text": "Well then."})
        }
    }
}

fn bash(command: &str, result: &str) -> Value {
    let input = json!({ "command": command });
    json!({"tool": {"name": "Bash", "input": input, "result": result}})
}

fn waits_for(gate: &str) -> String {
    format!("touch {gate}.reached; while [ ! -e {gate} ]; do sleep 0.02; done")
}

fn verdict(denied: bool) -> Value {
    if denied {
        json!({"deny": "Not today."})
    } else {
        json!("allow")
    }
}

/// Returns the UUID that the host gives to prompt number `n`.
fn uuid(n: usize) -> String {
    format!("11111111-0000-4000-8000-{n:012}")
}
