//! The agent's side of a session: a sans-I/O state machine.
//!
//! This module implements what an agent CLI does independently of its model and its tools: the
//! handshake, the prompt queue, the order of frames in a turn, permission requests, the host's
//! hooks and MCP servers, interrupts, limits and shutdown. The driver supplies the output of the
//! model and of the tools through methods such as [`Agent::start_message`], [`Agent::say`] and
//! [`Agent::call_tool`]. [`Declared`] has the capabilities of the agent; control requests that are
//! not about the session itself arrive as [`Event::Requested`], and commands of the agent as
//! [`Event::CommandCalled`].
//!
//! The fake agent is built on it, and so can an agent of your own be.
//!
//! Like the [host's state machine](agentwire_protocol::host) it performs no I/O.
//! The driver supplies the clock and the IDs. The behaviour was measured on
//! Claude Code 2.1.332.
//!
//! Host and agent in one thread, for one turn:
//!
//! ```
//! use agentwire_protocol::content::ContentBlock;
//! use agentwire_protocol::control::Initialize;
//! use agentwire_protocol::host::{self, Host, Prompt, Request, Transmit};
//! use agentwire_protocol::message::UserMessage;
//! use agentwire_testkit::agent::{self, Agent, Ending};
//! use std::time::{Duration, Instant};
//!
//! let now = Instant::now();
//! let mut host = Host::default();
//! host.request(now, Request::new("r1", &Initialize::default())?, Duration::from_secs(60))?;
//! host.submit(now, Prompt::new("m1", UserMessage::new("Say hello"))?)?;
//! host.finish(now, Duration::ZERO);
//!
//! let mut count = 0;
//! let config = agent::Config { partial_messages: false, ..agent::Config::default() };
//! let mut agent = Agent::new(config, move || {
//!     count += 1;
//!     format!("u{count}")
//! });
//!
//! let mut seen = Vec::new();
//! let code = loop {
//!     match host.poll_transmit() {
//!         Some(Transmit::Line(line)) => {
//!             agent.handle_input(now, &line);
//!             host.handle_written(now);
//!         }
//!         Some(Transmit::End) => agent.handle_input_end(now),
//!         None => {}
//!     }
//!     match agent.poll_event() {
//!         Some(agent::Event::TurnStarted { .. }) => {
//!             agent.start_message("msg_1");
//!             agent.start_block(ContentBlock::text(""));
//!             agent.say("Hello.");
//!             agent.stop_block();
//!             agent.stop_message();
//!             agent.finish_turn(now, &Ending::Completed);
//!         }
//!         Some(agent::Event::Exit { code, .. }) => break code,
//!         _ => {}
//!     }
//!     while let Some(line) = agent.poll_transmit() {
//!         host.handle_input(now, &line);
//!     }
//!     while let Some(event) = host.poll_event() {
//!         if let host::HostEvent::Frame(frame) = event {
//!             seen.push(frame.head().label());
//!         }
//!     }
//! };
//!
//! assert_eq!(code, 0);
//! assert_eq!(
//!     seen,
//!     [
//!         "system/session_state_changed",
//!         "command_lifecycle",
//!         "command_lifecycle",
//!         "system/init",
//!         "assistant",
//!         "result/success",
//!         "command_lifecycle",
//!         "system/session_state_changed",
//!     ]
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[macro_use]
mod wire;

// Modules with state. They do not refer to `Agent`, which contains the state.
mod account;
mod answer;
mod call;
mod config;
mod context;
mod declared;
mod event;
mod profile;
mod queue;
mod rules;
mod ruling;
mod stats;
mod task;
mod turn;
mod unfinished;

// Modules with methods of `Agent`. `hooks` and `mcp` store their state in
// `table` and `client`.
mod background;
mod commands;
mod compaction;
mod ending;
mod failure;
mod hooks;
mod limits;
mod mcp;
mod notice;
mod permission;
mod progress;
mod prompts;
mod requests;
mod resume;
mod script;
mod speech;
mod structured;
mod subagent;
mod tools;

pub use answer::ToolOutcome;
pub use call::ToolCall;
pub use commands::CommandOutput;
pub use config::{Config, MAX_RETRIES};
pub use declared::Declared;
pub use ending::Ending;
pub use event::{Decision, Event};
pub use profile::Profile;
pub use resume::Broken;
pub use rules::{Rules, SessionRule};
pub use task::Task;

use account::Account;
use agentwire_protocol::codec::{Line, LineDecoder, encode};
use agentwire_protocol::control::{self, ControlResponse};
use agentwire_protocol::frame::Frame;
use agentwire_protocol::json::Json;
use agentwire_protocol::message::{
    CommandLifecycle, CommandState, Init, ModelUsage, Priority, SessionState, SessionStateChanged,
    Usage, UserMessage,
};
use agentwire_protocol::open::Reader;
use bytes::Bytes;
use call::{OpenCall, PendingPermission};
use context::Context;
use hooks::HookTable;
use mcp::McpClient;
use queue::Queue;
use stats::Stats;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::time::Instant;
use task::Report;
use turn::Turn;

/// The number of message UUIDs that the agent remembers, so that no message
/// runs twice.
const MAX_KNOWN_UUIDS: usize = 1000;

/// The capabilities of an agent with a prompt queue.
const CAPABILITIES: [&str; 3] = [
    "interrupt_receipt_v1",
    "interrupt_cancel_queued_v1",
    "msg_lifecycle_v1",
];

/// The agent's side of a session.
///
/// The driver passes input to the `handle_*` methods, reports what the model
/// and the tools do, and then drains [`poll_transmit`](Self::poll_transmit) and
/// [`poll_event`](Self::poll_event).
pub struct Agent {
    config: Config,
    ids: Box<dyn FnMut() -> String + Send>,
    session_id: String,
    title: Option<String>,
    /// The names of the tools that the model or a finished sub-agent has called.
    used_tools: BTreeSet<String>,
    decoder: LineDecoder,
    out: VecDeque<Bytes>,
    /// Lines that are deferred until the next tool call has begun: the result
    /// of the previous call, or the message of a sub-agent that calls it.
    late: VecDeque<Bytes>,
    events: VecDeque<Event>,
    queue: Queue,
    /// The UUIDs of the latest user messages.
    known: VecDeque<String>,
    turn: Option<Turn>,
    hooks: HookTable,
    mcp: McpClient,
    /// Tool calls that have no result yet.
    calls: BTreeMap<String, OpenCall>,
    /// Pending permission requests, by request ID.
    permission_requests: BTreeMap<String, PendingPermission>,
    /// Other pending requests, sent by a script, by request ID.
    scripted: BTreeMap<String, Json>,
    /// The IDs of cancelled requests, whose responses are not echoed.
    cancelled: BTreeSet<String>,
    /// Running tasks.
    tasks: Vec<Task>,
    /// Finished tasks that are not yet reported to the model.
    unreported: Vec<Report>,
    stats: Stats,
    account: Account,
    context: Context,
    /// Whether the model or a command has produced output.
    has_history: bool,
    state: SessionState,
    is_initialized: bool,
    /// Whether a request, and the lines after it, wait for the driver.
    awaits_driver: bool,
    /// Whether the end of the input is deferred until the driver has taken the
    /// request.
    end_is_deferred: bool,
    input_ended: bool,
    exited: bool,
    last_turn_failed: bool,
    results: u64,
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("session_id", &self.session_id)
            .field("turn", &self.turn)
            .field("queue", &self.queue)
            .field("asks", &self.permission_requests)
            .finish_non_exhaustive()
    }
}

impl Agent {
    /// Creates an agent in the state after its start. `ids` generates the IDs
    /// of its messages.
    pub fn new(config: Config, mut ids: impl FnMut() -> String + Send + 'static) -> Self {
        let queue = Queue::new(config.has_queue);
        let mut agent = Self {
            session_id: ids(),
            account: Account::resumed(&config.model_usage),
            config,
            ids: Box::new(ids),
            decoder: LineDecoder::default(),
            out: VecDeque::new(),
            late: VecDeque::new(),
            title: None,
            used_tools: BTreeSet::new(),
            events: VecDeque::new(),
            queue,
            known: VecDeque::new(),
            turn: None,
            hooks: HookTable::default(),
            mcp: McpClient::default(),
            calls: BTreeMap::new(),
            permission_requests: BTreeMap::new(),
            scripted: BTreeMap::new(),
            cancelled: BTreeSet::new(),
            tasks: vec![],
            unreported: vec![],
            stats: Stats::default(),
            context: Context::default(),
            has_history: false,
            state: SessionState::Idle,
            is_initialized: false,
            awaits_driver: false,
            end_is_deferred: false,
            input_ended: false,
            exited: false,
            last_turn_failed: false,
            results: 0,
        };
        agent.connect_configured_servers();
        agent
    }

    // Input.

    /// Handles bytes from the host.
    ///
    /// Lines after a request for the driver are deferred until the driver has
    /// taken [`Event::Requested`], so that lines take effect in order. Then
    /// call this method again, with or without further bytes.
    pub fn handle_input(&mut self, now: Instant, bytes: &[u8]) {
        self.decoder.push(bytes);
        while !self.awaits_driver {
            let Some(line) = self.decoder.next_line() else {
                break;
            };
            self.handle_line(now, line);
        }
        if !self.awaits_driver && std::mem::take(&mut self.end_is_deferred) {
            self.end_input(now);
        }
    }

    /// Handles the end of the host's input. Running work continues to its end.
    /// Pending permission requests are denied, because no response can arrive.
    pub fn handle_input_end(&mut self, now: Instant) {
        self.end_is_deferred = true;
        self.handle_input(now, &[]);
    }

    fn end_input(&mut self, now: Instant) {
        if let Some(line) = self.decoder.finish() {
            self.handle_line(now, line);
        }
        self.input_ended = true;
        for (_, ask) in std::mem::take(&mut self.permission_requests) {
            if !self.calls.contains_key(&ask.tool_use_id) {
                continue;
            }
            self.set_state(SessionState::Running);
            self.deny_without_response(now, &ask.tool_use_id);
        }
        self.end_hooks_without_host(now);
        self.end_servers(now);
        self.end_scripted_requests();
        self.exit_when_done();
    }

    /// Handles the passing of time. Call it when [`Agent::poll_timeout`] is
    /// due.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.send_progress_reports(now);
        self.expire_hooks(now);
        self.continue_with_prompts(now);
    }

    /// Returns the model of the next request: the fallback model of this turn,
    /// otherwise the model that the host set last.
    #[must_use]
    pub fn model(&self) -> &str {
        let turn = self.turn.as_ref();
        let fallback = turn.and_then(|turn| turn.fallback.as_deref());
        fallback.unwrap_or(&self.config.model)
    }

    /// Returns the configuration, including changes by the host.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the tokens of the last reply and of its input.
    #[must_use]
    pub fn context_tokens(&self) -> u64 {
        self.context.tokens()
    }

    /// Returns the usage of the last reply of the conversation, if there is one.
    #[must_use]
    pub fn last_usage(&self) -> Option<Usage> {
        (self.context.replies > 0).then(|| self.account.reply())
    }

    /// Returns the names of the tools that the model or a finished sub-agent has
    /// called.
    pub fn used_tools(&self) -> impl Iterator<Item = &str> {
        self.used_tools.iter().map(String::as_str)
    }

    /// Returns the cost of the session so far, in US dollars.
    #[must_use]
    pub fn cost_usd(&self) -> f64 {
        self.account.total_usd()
    }

    /// Returns the usage of the session so far, by model.
    #[must_use]
    pub fn model_usage(&self) -> BTreeMap<String, ModelUsage> {
        self.account.models(&self.model_template())
    }

    /// Returns the session ID.
    #[must_use]
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    // Output.

    /// Returns the next line to write to the host.
    pub fn poll_transmit(&mut self) -> Option<Bytes> {
        self.out.pop_front()
    }

    /// Returns when to call [`Agent::handle_timeout`].
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        let turn = self.turn.as_ref().and_then(|turn| turn.waits_until);
        let progress = self.progress_due().map(|(due, _)| due);
        let due = [self.hooks.due(), turn, progress];
        due.into_iter().flatten().min()
    }

    /// Returns the next event that the driver must handle.
    pub fn poll_event(&mut self) -> Option<Event> {
        let event = self.events.pop_front()?;
        if matches!(event, Event::Requested { .. }) {
            self.awaits_driver = false;
        }
        Some(event)
    }

    // The model and the tools.

    /// Writes raw bytes to the host, such as output that is not a message.
    pub fn write_raw(&mut self, bytes: impl Into<Bytes>) {
        self.out.push_back(bytes.into());
    }

    // Internal: input.

    fn handle_line(&mut self, now: Instant, line: Line) {
        if self.exited {
            return;
        }
        let raw = match line {
            Line::Whole(raw) | Line::Unfinished(raw) => raw,
            Line::TooLong { .. } => return,
        };
        let Some(raw) = decode(raw) else {
            return;
        };
        let Ok(frame) = Frame::new(raw.clone()) else {
            // JSON that is not a message is ignored. Input that is not JSON
            // ends the process. So does `null`, because the CLI reads the type
            // of the value.
            match serde_json::from_slice::<Option<serde::de::IgnoredAny>>(&raw) {
                Ok(Some(_)) => {}
                Ok(None) => self.exit(1, Some("The input is `null`.".to_owned())),
                Err(_) => self.exit(1, Some("The input is not JSON.".to_owned())),
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
        // An invalid member is an error, as on the real CLI.
        let message = match Reader::read_strictly(&String::from_utf8_lossy(frame.raw())) {
            Ok::<UserMessage, _>(message) if message.message.role.as_deref() == Some("user") => {
                message
            }
            _ => {
                return self.exit(
                    1,
                    Some("A user message without the role `user`.".to_owned()),
                );
            }
        };
        if self.is_known(&message) {
            // A repeated message is ignored. Between turns the state is
            // reported again.
            self.replay(&message, true);
            if self.turn.is_none() {
                self.send_state();
            }
            return;
        }
        let preempts = self.config.has_queue && message.priority == Some(Priority::Now);
        let is_idle = self.turn.is_none();
        if is_idle {
            self.set_state(SessionState::Running);
        }
        let report = |agent: &mut Self| {
            if let Some(uuid) = message.uuid.clone() {
                agent.lifecycle(&uuid, CommandState::Queued);
            }
            agent.queue.push(message);
        };
        if preempts && !is_idle {
            return self.preempt(now, report);
        }
        report(self);
        if is_idle {
            self.start_turn(now);
        }
    }

    /// Returns whether an earlier message had the same UUID. Remembers the UUID
    /// if not.
    fn is_known(&mut self, message: &UserMessage) -> bool {
        let Some(uuid) = message.uuid.as_ref().filter(|_| self.config.has_queue) else {
            return false;
        };
        if self.known.contains(uuid) {
            return true;
        }
        if self.known.len() == MAX_KNOWN_UUIDS {
            self.known.pop_front();
        }
        self.known.push_back(uuid.clone());
        false
    }

    fn handle_answer(&mut self, now: Instant, frame: &Frame) {
        let Some(request_id) = frame.request_id() else {
            return;
        };
        let answer = || {
            let envelope = frame.read::<ControlResponse>();
            let envelope = envelope.map_err(|error| error.to_string())?;
            let answer = envelope.response.into_result();
            let answer = answer.map_err(|refusal| refusal.to_string())?;
            Ok(answer.response)
        };
        if self.cancelled.remove(request_id) {
            return;
        }
        if self.config.replays_prompts {
            // Responses are echoed unchanged.
            let mut echo = frame.raw().trim_ascii_end().to_vec();
            echo.push(b'\n');
            self.write_raw(echo);
        }
        if let Some(ask) = self.permission_requests.remove(request_id) {
            self.permission_answered(now, &ask, answer());
        } else if self.scripted.remove(request_id).is_some() {
            self.host_answered(answer());
        } else if !self.hook_answered(now, request_id, answer()) {
            self.server_answered(now, request_id, answer());
        }
    }

    // Internal: output.

    /// Cancels a request to the host.
    fn cancel(&mut self, request_id: &str) {
        self.out.push_back(control::cancel(request_id));
        if self.config.replays_prompts {
            self.cancelled.insert(request_id.to_owned());
        }
    }

    fn send(&mut self, line: serde_json::Result<Bytes>) {
        self.out
            .push_back(line.expect("the agent's own messages are always JSON"));
    }

    fn lifecycle(&mut self, uuid: &str, state: CommandState) {
        if !self.config.has_queue {
            return;
        }
        let message = wire!(CommandLifecycle {
            command_uuid: uuid.to_owned(),
            state,
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
        });
        self.send(encode(&message));
    }

    fn set_state(&mut self, state: SessionState) {
        if self.state == state || self.has_stale_permission_request() {
            return;
        }
        self.state = state;
        self.send_state();
    }

    /// Returns whether a permission request is pending whose tool call has
    /// ended.
    fn has_stale_permission_request(&self) -> bool {
        let mut permission_requests = self.permission_requests.values();
        permission_requests.any(|ask| !self.calls.contains_key(&ask.tool_use_id))
    }

    fn send_state(&mut self) {
        if self.config.session_states {
            let message = wire!(SessionStateChanged {
                state: self.state.clone(),
                sdk_host_only: self.config.states_are_for_host.then_some(true),
                uuid: Some((self.ids)()),
                session_id: Some(self.session_id.clone()),
            });
            self.send(encode(&message));
        }
    }

    fn send_init(&mut self, uuids: &[String]) {
        let declared = &self.config.declared.init;
        let mut tools = declared.tools.clone().unwrap_or_default();
        if self.config.has_output_schema {
            tools.push(declared::STRUCTURED_OUTPUT.to_owned());
        }
        tools.extend(self.mcp.tool_names());
        tools.retain(|tool| !self.is_disabled(tool));
        let init = wire!(Init {
            cwd: Some(self.config.cwd.clone()),
            session_id: Some(self.session_id.clone()),
            tools: Some(tools),
            mcp_servers: Some(self.mcp.states()),
            model: Some(self.config.model.clone()),
            permission_mode: Some(self.config.permission_mode.clone()),
            claude_code_version: Some(self.config.version.clone()),
            capabilities: self.config.has_queue.then(|| self.capabilities()),
            uuid: Some((self.ids)()),
            user_message_uuids: (!uuids.is_empty()).then(|| uuids.to_vec()),
            ..declared.clone()
        });
        self.send(encode(&init));
    }

    /// Returns the capabilities: those of an agent with a queue, and the declared
    /// ones.
    fn capabilities(&self) -> Vec<String> {
        let declared = self.config.declared.init.capabilities.iter().flatten();
        let own = CAPABILITIES.map(str::to_owned);
        let others = declared
            .filter(|it| !CAPABILITIES.contains(&&***it))
            .cloned();
        own.into_iter().chain(others).collect()
    }

    /// Sends a message with the role `user`, such as a tool result.
    fn send_user_message(&mut self, mut message: UserMessage) {
        if let Some(turn) = &mut self.turn {
            turn.user_messages += 1;
        }
        let uuid = message.uuid.take().unwrap_or_else(|| (self.ids)());
        self.context.add(&uuid);
        message.uuid = Some(uuid);
        message.session_id = Some(self.session_id.clone());
        message.timestamp = (self.config.timestamp)();
        self.send(encode(&message));
    }

    fn exit_when_done(&mut self) {
        if self.input_ended && self.turn.is_none() && self.queue.is_empty() {
            self.exit(i32::from(self.last_turn_failed), None);
        }
    }

    fn exit(&mut self, code: i32, message: Option<String>) {
        if !self.exited {
            self.exited = true;
            self.events.push_back(Event::Exit { code, message });
        }
    }
}

/// Decodes a line as the CLI does: invalid UTF-8 is replaced, and a BOM at its
/// start is removed. Returns `None` for a blank line.
fn decode(raw: Bytes) -> Option<Bytes> {
    let text = String::from_utf8_lossy(&raw);
    // The characters that JavaScript's `trim` removes.
    let is_space = |it: char| it == BOM || it.is_whitespace() && it != '\u{85}';
    if text.trim_matches(is_space).is_empty() {
        return None;
    }
    if let Some(rest) = text.strip_prefix(BOM) {
        return Some(Bytes::copy_from_slice(rest.as_bytes()));
    }
    Some(match text {
        Cow::Owned(text) => text.into(),
        Cow::Borrowed(_) => raw,
    })
}

const BOM: char = '\u{feff}';
