//! The agent's side of a session, as a state machine: what the fake agent
//! speaks.
//!
//! It holds what every agent CLI does of itself: the handshake, the queue of
//! prompts, the order of frames in a turn, permission asks, interrupts, the
//! end. What a model says and what tools answer comes from outside, by
//! commands ([`Agent::start_message`], [`Agent::say`], [`Agent::ask`], …).
//! Like the host's machine it does no I/O, and clock and ids are the
//! driver's. What it does was measured on Claude Code 2.1.329.

mod background;
mod queue;
mod turn;

pub use turn::Ending;

use crate::codec::{Line, LineDecoder, encode};
use crate::control::{
    self, AccountInfo, Answer, ControlResponse, Initialize, InitializeAnswer, Interrupt,
    InterruptReceipt, Refusal, SetModel, SetModelAnswer, SetPermissionMode,
    SetPermissionModeAnswer,
};
use crate::frame::Frame;
use crate::json::Json;
use crate::message::{
    ApiKeySource, BackgroundTask, CommandLifecycle, CommandState, Init, Priority, SessionState,
    SessionStateChanged, Status, UserMessage,
};
use crate::permission::{CanUseTool, PermissionMode, PermissionResult};
use bytes::Bytes;
use queue::Queue;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::time::Instant;
use turn::Turn;

/// What an agent was started with.
#[derive(Debug, Clone)]
pub struct Config {
    /// The model's name.
    pub model: String,
    /// The working directory.
    pub cwd: String,
    /// How permissions are decided.
    pub permission_mode: PermissionMode,
    /// Whether the host answers permission asks
    /// (`--permission-prompt-tool=stdio`). If not, what would be asked is
    /// denied.
    pub asks_host: bool,
    /// Whether partial messages are sent (`--include-partial-messages`).
    pub partial_messages: bool,
    /// Whether session states are sent
    /// (`CLAUDE_CODE_SDK_READS_SESSION_STATE=1`).
    pub session_states: bool,
    /// Whether it has a queue of its own: it minds priorities, reports what
    /// becomes of each message, and says which messages a turn answers. If
    /// not, it runs messages one by one, as they come.
    pub has_queue: bool,
    /// The process, as the handshake names it.
    pub pid: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            model: "fake-model".to_owned(),
            cwd: "/project".to_owned(),
            permission_mode: PermissionMode::Default,
            asks_host: true,
            partial_messages: true,
            session_states: true,
            has_queue: true,
            pid: 1,
        }
    }
}

/// What the agent needs its driver for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A turn began: the model is to answer these prompts.
    TurnStarted {
        /// The prompts, in order.
        prompts: Vec<UserMessage>,
    },
    /// Whether a tool may run has been decided.
    ToolDecided {
        /// The call.
        tool_use_id: String,
        /// How.
        decision: Decision,
    },
    /// The turn was cut off, and all that ends it has been sent.
    TurnAborted,
    /// The process is to exit.
    Exit {
        /// The exit status.
        code: i32,
        /// What it says on standard error.
        complaint: Option<String>,
    },
}

/// Whether a tool may run.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// It may, with this input.
    Allowed(Json),
    /// It may not, and this is what the model is told.
    Denied(String),
}

/// The agent's side of a session.
pub struct Agent {
    config: Config,
    ids: Box<dyn FnMut() -> String + Send>,
    session_id: String,
    decoder: LineDecoder,
    out: VecDeque<Bytes>,
    events: VecDeque<Event>,
    queue: Queue,
    turn: Option<Turn>,
    /// Permission asks of ours that are not answered, by request id.
    asks: BTreeMap<String, PendingAsk>,
    /// What runs in the background.
    tasks: Vec<BackgroundTask>,
    state: SessionState,
    input_ended: bool,
    exited: bool,
    last_turn_failed: bool,
    results: u64,
}

#[derive(Debug)]
struct PendingAsk {
    tool_use_id: String,
    input: Json,
    /// The request as it was sent; `null` before.
    request: Json,
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("session_id", &self.session_id)
            .field("turn", &self.turn)
            .field("queue", &self.queue)
            .field("asks", &self.asks)
            .finish_non_exhaustive()
    }
}

impl Agent {
    /// An agent that was just started. `ids` makes the ids of its messages.
    pub fn new(config: Config, mut ids: impl FnMut() -> String + Send + 'static) -> Self {
        let queue = Queue::new(config.has_queue);
        Self {
            session_id: ids(),
            config,
            ids: Box::new(ids),
            decoder: LineDecoder::default(),
            out: VecDeque::new(),
            events: VecDeque::new(),
            queue,
            turn: None,
            asks: BTreeMap::new(),
            tasks: vec![],
            state: SessionState::Idle,
            input_ended: false,
            exited: false,
            last_turn_failed: false,
            results: 0,
        }
    }

    // What happened.

    /// Bytes arrived from the host.
    pub fn handle_input(&mut self, now: Instant, bytes: &[u8]) {
        self.decoder.push(bytes);
        while let Some(line) = self.decoder.next_line() {
            self.handle_line(now, line);
        }
    }

    /// The host closed the pipe. What runs goes on to its end, but an ask
    /// that is open has lost whoever could have answered.
    pub fn handle_input_end(&mut self, now: Instant) {
        if let Some(line) = self.decoder.finish() {
            self.handle_line(now, line);
        }
        self.input_ended = true;
        for (_, ask) in std::mem::take(&mut self.asks) {
            self.set_state(SessionState::Running);
            self.decide(
                ask,
                Decision::Denied("The host closed the session.".to_owned()),
            );
        }
        self.exit_when_done();
    }

    // What to do next.

    /// A line that is to be written.
    pub fn poll_transmit(&mut self) -> Option<Bytes> {
        self.out.pop_front()
    }

    /// What the driver is needed for.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    // What the model and the tools do.

    /// Writes bytes that are no message of the agent's.
    pub fn write_raw(&mut self, bytes: impl Into<Bytes>) {
        self.out.push_back(bytes.into());
    }

    /// A tool is about to be run: asks the host, where that is needed. The
    /// answer comes as [`Event::ToolDecided`].
    pub fn ask(&mut self, tool_use_id: &str, name: &str, input: Json) {
        let ask = PendingAsk {
            tool_use_id: tool_use_id.to_owned(),
            input,
            request: Json::null(),
        };
        match (
            &self.config.permission_mode,
            self.config.asks_host && !self.input_ended,
        ) {
            (PermissionMode::BypassPermissions, _) => {
                let input = ask.input.clone();
                self.decide(ask, Decision::Allowed(input));
            }
            (PermissionMode::DontAsk, _) | (_, false) => {
                let why = format!("Permission to use {name} was not given.");
                self.decide(ask, Decision::Denied(why));
            }
            (_, true) => {
                let request_id = (self.ids)();
                let question = CanUseTool {
                    display_name: Some(name.to_owned()),
                    tool_use_id: Some(tool_use_id.to_owned()),
                    ..CanUseTool::new(name, ask.input.clone())
                };
                self.set_state(SessionState::RequiresAction);
                let line = control::request(&request_id, &question);
                let request = (line.as_ref().ok())
                    .and_then(|line| serde_json::from_slice(line).ok())
                    .unwrap_or_else(Json::null);
                self.send(line);
                self.asks.insert(request_id, PendingAsk { request, ..ask });
            }
        }
    }

    // Inside: input.

    fn handle_line(&mut self, now: Instant, line: Line) {
        if self.exited {
            return;
        }
        let raw = match line {
            Line::Whole(raw) | Line::Unfinished(raw) => raw,
            Line::TooLong { .. } => return,
        };
        let Ok(frame) = Frame::new(raw.clone()) else {
            // JSON that is no message is passed over; what is no JSON ends it.
            if serde_json::from_slice::<serde::de::IgnoredAny>(&raw).is_err() {
                self.exit(1, Some("The input is not JSON.".to_owned()));
            }
            return;
        };
        match frame.kind() {
            "user" => self.handle_user(now, &frame),
            "control_request" => self.handle_request(now, &frame),
            "control_response" => self.handle_answer(now, &frame),
            _ => {}
        }
    }

    fn handle_user(&mut self, now: Instant, frame: &Frame) {
        let message = match frame.read::<UserMessage>() {
            Ok(message) if message.message.role.as_deref() == Some("user") => message,
            _ => {
                return self.exit(
                    1,
                    Some("A user message without the role `user`.".to_owned()),
                );
            }
        };
        let preempts = self.config.has_queue && message.priority == Some(Priority::Now);
        if self.turn.is_none() {
            self.set_state(SessionState::Running);
        }
        if let Some(uuid) = message.uuid.clone() {
            self.lifecycle(&uuid, CommandState::Queued);
        }
        self.queue.push(message);
        if self.turn.is_none() {
            self.start_turn(now);
        } else if preempts {
            self.preempt(now);
        }
    }

    fn handle_request(&mut self, now: Instant, frame: &Frame) {
        let Some(request_id) = frame.head().request_id.clone() else {
            return;
        };
        #[derive(serde::Deserialize)]
        struct Envelope {
            request: Json,
        }
        let Ok(Envelope { request }) = frame.read::<Envelope>() else {
            return self.exit(1, Some("A control_request without a request.".to_owned()));
        };
        match frame.subtype().unwrap_or_default() {
            "initialize" => match request.read::<Initialize>() {
                Ok(_) => self.greet(&request_id),
                Err(error) => self.refuse_invalid(&request_id, &error),
            },
            "interrupt" => match request.read::<Interrupt>() {
                Ok(interrupt) => self.interrupt(now, &request_id, &interrupt),
                Err(error) => self.refuse_invalid(&request_id, &error),
            },
            "set_model" => {
                let answer = request.read().map(|request| self.set_model(request));
                self.answer(&request_id, answer);
            }
            "set_permission_mode" => {
                let answer = request.read().map(|request| self.set_mode(request));
                self.answer(&request_id, answer);
            }
            "cancel_async_message" if self.config.has_queue => {
                let cancelled = request
                    .member("message_uuid")
                    .and_then(|uuid| uuid.read::<String>().ok())
                    .is_some_and(|uuid| self.withdraw(&uuid));
                let answer = BTreeMap::from([("cancelled", cancelled)]);
                self.answer(&request_id, Ok(answer));
            }
            "mcp_status" => {
                let answer = BTreeMap::from([("mcpServers", Vec::<Json>::new())]);
                self.answer(&request_id, Ok(answer));
            }
            "set_max_thinking_tokens" => self.send(control::success::<Json>(&request_id, None)),
            subtype => {
                let refusal = Refusal::new(format!("Unsupported control request: {subtype}"))
                    .code("unsupported_request");
                self.write_raw(control::failure(&request_id, &refusal));
            }
        }
    }

    fn handle_answer(&mut self, now: Instant, frame: &Frame) {
        let asked = frame
            .head()
            .request_id
            .as_deref()
            .and_then(|id| self.asks.remove(id));
        let Some(ask) = asked else { return };
        self.set_state(SessionState::Running);
        let result = frame
            .read::<ControlResponse>()
            .map_err(|error| error.to_string())
            .and_then(|envelope| {
                envelope
                    .response
                    .into_result()
                    .map_err(|refusal| refusal.to_string())
            })
            .and_then(|answer| read_strictly(answer.response.as_ref()));
        match result {
            Ok(PermissionResult::Allow(allow)) => {
                let input = allow.updated_input.unwrap_or_else(|| ask.input.clone());
                self.decide(ask, Decision::Allowed(input));
            }
            Ok(PermissionResult::Deny(deny)) if deny.interrupt == Some(true) => {
                self.note_denial(&ask);
                self.abort(now, true);
            }
            Ok(PermissionResult::Deny(deny)) => {
                self.note_denial(&ask);
                self.decide(ask, Decision::Denied(deny.message));
            }
            Ok(_) => {
                self.note_denial(&ask);
                self.decide(
                    ask,
                    Decision::Denied("The permission answer is not valid.".to_owned()),
                );
            }
            Err(why) => {
                self.note_denial(&ask);
                let why = format!("The permission answer is not valid: {why}");
                self.decide(ask, Decision::Denied(why));
            }
        }
    }

    fn decide(&mut self, ask: PendingAsk, decision: Decision) {
        self.events.push_back(Event::ToolDecided {
            tool_use_id: ask.tool_use_id,
            decision,
        });
    }

    // Inside: control requests.

    /// Answers `initialize`. Asks that are open come along, for a host that
    /// connects a second time.
    fn greet(&mut self, request_id: &str) {
        let mut answer = Answer::success(request_id, Json::from_value(&self.initialize()).ok());
        if !self.asks.is_empty() {
            let open = self.asks.values().map(|ask| ask.request.clone());
            answer.pending_permission_requests = Some(open.collect());
        }
        self.send(encode(&ControlResponse {
            response: answer,
            extra: Default::default(),
        }));
    }

    fn initialize(&self) -> InitializeAnswer {
        InitializeAnswer {
            commands: Some(vec![]),
            agents: Some(vec![]),
            output_style: Some("default".to_owned()),
            available_output_styles: Some(vec!["default".to_owned()]),
            models: Some(vec![]),
            account: Some(AccountInfo::default()),
            capabilities: self.config.has_queue.then(Vec::new),
            pid: Some(self.config.pid),
            session_state: Some(self.state.clone()),
            ..InitializeAnswer::default()
        }
    }

    fn set_model(&mut self, request: SetModel) -> SetModelAnswer {
        if let Some(model) = request.model {
            self.config.model = model;
        }
        SetModelAnswer {
            model: Some(self.config.model.clone()),
            ..SetModelAnswer::default()
        }
    }

    fn set_mode(&mut self, request: SetPermissionMode) -> SetPermissionModeAnswer {
        self.config.permission_mode = request.mode.clone();
        let mut status = Status {
            permission_mode: Some(request.mode.clone()),
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            ..Status::default()
        };
        status.extra.set("status", Json::null());
        self.send(encode(&status));
        SetPermissionModeAnswer {
            mode: Some(request.mode),
            ..SetPermissionModeAnswer::default()
        }
    }

    fn interrupt(&mut self, now: Instant, request_id: &str, interrupt: &Interrupt) {
        // An open ask is taken back before the interrupt is answered.
        let asks_were_open = self.take_asks_back();
        let mut receipt = InterruptReceipt {
            still_queued: Some(vec![]),
            ..Default::default()
        };
        if interrupt.cancel_queued == Some(true) {
            let withdrawn: Vec<String> = self.queue.drain().filter_map(|m| m.uuid).collect();
            for uuid in &withdrawn {
                self.lifecycle(uuid, CommandState::Cancelled);
            }
            receipt.cancelled = Some(withdrawn);
        } else {
            receipt.still_queued = Some(self.queue.uuids());
        }
        self.answer(request_id, Ok(receipt));
        if asks_were_open {
            self.set_state(SessionState::Running);
        }
        if self.turn.is_some() {
            self.abort(now, true);
        }
    }

    /// Whether any asks were open, which are not any more.
    fn take_asks_back(&mut self) -> bool {
        let asks = std::mem::take(&mut self.asks);
        for (request_id, ask) in &asks {
            self.out.push_back(control::cancel(request_id));
            self.note_denial(ask);
        }
        !asks.is_empty()
    }

    fn withdraw(&mut self, uuid: &str) -> bool {
        let withdrawn = self.queue.withdraw(uuid);
        if withdrawn {
            self.lifecycle(uuid, CommandState::Cancelled);
        }
        withdrawn
    }

    fn answer<T: Serialize>(&mut self, request_id: &str, answer: serde_json::Result<T>) {
        match answer {
            Ok(answer) => self.send(control::success(request_id, Some(&answer))),
            Err(error) => self.refuse_invalid(request_id, &error),
        }
    }

    fn refuse_invalid(&mut self, request_id: &str, error: &serde_json::Error) {
        let refusal = Refusal::new(error.to_string()).code("invalid_request");
        self.write_raw(control::failure(request_id, &refusal));
    }

    // Inside: output.

    fn send(&mut self, line: serde_json::Result<Bytes>) {
        self.out
            .push_back(line.expect("the agent's own messages are always JSON"));
    }

    fn lifecycle(&mut self, uuid: &str, state: CommandState) {
        if !self.config.has_queue {
            return;
        }
        let message = CommandLifecycle {
            command_uuid: uuid.to_owned(),
            state,
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            extra: Default::default(),
        };
        self.send(encode(&message));
    }

    fn set_state(&mut self, state: SessionState) {
        if self.state == state {
            return;
        }
        self.state = state;
        if self.config.session_states {
            let message = SessionStateChanged {
                state: self.state.clone(),
                sdk_host_only: None,
                uuid: Some((self.ids)()),
                session_id: Some(self.session_id.clone()),
                extra: Default::default(),
            };
            self.send(encode(&message));
        }
    }

    fn send_init(&mut self, uuids: &[String]) {
        let init = Init {
            cwd: Some(self.config.cwd.clone()),
            session_id: Some(self.session_id.clone()),
            tools: Some(
                ["Bash", "Edit", "Read", "Write"]
                    .map(str::to_owned)
                    .to_vec(),
            ),
            mcp_servers: Some(vec![]),
            model: Some(self.config.model.clone()),
            permission_mode: Some(self.config.permission_mode.clone()),
            slash_commands: Some(vec![]),
            api_key_source: Some(ApiKeySource::None),
            output_style: Some("default".to_owned()),
            agents: Some(vec![]),
            skills: Some(vec![]),
            plugins: Some(vec![]),
            capabilities: self.config.has_queue.then(|| {
                [
                    "interrupt_receipt_v1",
                    "interrupt_cancel_queued_v1",
                    "msg_lifecycle_v1",
                ]
                .map(str::to_owned)
                .to_vec()
            }),
            uuid: Some((self.ids)()),
            user_message_uuids: (!uuids.is_empty()).then(|| uuids.to_vec()),
            ..Init::default()
        };
        self.send(encode(&init));
    }

    fn exit_when_done(&mut self) {
        if self.input_ended && self.turn.is_none() && self.queue.is_empty() {
            self.exit(i32::from(self.last_turn_failed), None);
        }
    }

    fn exit(&mut self, code: i32, complaint: Option<String>) {
        if !self.exited {
            self.exited = true;
            self.events.push_back(Event::Exit { code, complaint });
        }
    }

    fn note_denial(&mut self, ask: &PendingAsk) {
        if let Some(turn) = &mut self.turn {
            turn.note_denial(&ask.tool_use_id, &ask.input);
        }
    }
}

/// Reads a permission answer as strictly as the real agent does: an
/// `updatedInput` that is `null` makes all of it invalid.
fn read_strictly<T: DeserializeOwned>(answer: Option<&Json>) -> Result<T, String> {
    let answer = answer.ok_or("there is none")?;
    if answer
        .member("updatedInput")
        .is_some_and(|input| input.is_null())
    {
        return Err("`updatedInput` is null".to_owned());
    }
    answer.read().map_err(|error| error.to_string())
}
