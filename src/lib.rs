//! agentwire spawns an agent CLI (Claude Code's `claude`) and drives it over
//! newline-delimited JSON. It streams responses, handles permission requests
//! and control requests, and leaves no processes behind.
//!
//! - [`prompt`] sends one prompt and returns the result.
//! - [`query`] sends one prompt and streams the response.
//! - A [`Client`] holds a conversation: several turns, and control requests
//!   between them. [`Client::connect`] spawns the CLI; [`Client::connect_over`]
//!   connects to a CLI that runs elsewhere.
//!
//! ```no_run
//! use agentwire::{Error, Options, prompt};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Error> {
//!     let result = prompt("What day is it?", Options::new()).await?.error_for_result()?;
//!     println!("{}", result.text());
//!     Ok(())
//! }
//! ```
//!
//! The [guide] has the concepts, a cookbook of short programs, and a chapter for
//! each question that is not about one item: why it is quiet, retries, costs,
//! security, deployment, migration from the official SDKs.
//!
//! | you want to | start with |
//! |---|---|
//! | configure a session | [`Options`] |
//! | send messages, track and cancel them | [`Handle::send`], [`Submission`] |
//! | read events, messages, text | [`Event`], [`Messages`], [`TextStream`], [`Turn`] |
//! | decide about tool calls | [`Options::on_permission`], [`Rules`], the module [`permission`] |
//! | observe and change what the agent does | [`Hook`], the module [`hook`] |
//! | give the agent tools | `mcp::Tools`, with the feature `mcp` |
//! | send control requests | the methods of [`Handle`], the module [`control`] |
//! | keep transcripts in a database | [`SessionStore`], the module [`store`] |
//! | list and change the sessions that the agent has stored | the crate `agentwire-history` |
//! | add an optional part to a session | the module [`attachment`] |
//! | connect to an agent elsewhere | [`Client::connect_over`], the module [`transport`] |
//! | shut down | [`Client::close`], [`SessionGroup`], [`ExitGuard`], [`close_all`], the module [`process`] |
//! | test without a network | the crate `agentwire-testkit` |
//!
//! A client and a query are streams of [`Event`]s, mostly [`Frame`]s: one
//! message each, with the bytes as received ([`Frame::raw`]) and as a typed
//! [`Message`] ([`Frame::message`]). `messages()` and `texts()` narrow a stream
//! to messages or text:
//!
//! ```no_run
//! # async fn example() -> Result<(), agentwire::Error> {
//! use agentwire::{Client, Options, PermissionResult};
//!
//! let options = Options::new()
//!     .partial_messages(true)
//!     .on_permission(|call| async move {
//!         println!("{} requests {}", call.request.tool_name, call.request.input);
//!         PermissionResult::allow()
//!     });
//! let mut client = Client::connect(options).await?;
//! let mut texts = client.send("Summarise the README.").turn().texts();
//! while let Some(text) = texts.next().await {
//!     print!("{}", text?);
//! }
//! let result = client.prompt("Now in one sentence.").await?;
//! println!("{}", result.text());
//! client.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Order
//!
//! Messages and requests are sent in call order, with two exceptions. Responses
//! and interrupts may overtake queued user messages. User messages are sorted
//! by [priority](protocol::message::Priority) among themselves, up to the
//! nearest control request. Messages that in-process MCP servers initiate are
//! queued with the responses, so all output of these servers keeps its order.
//! See [`protocol::outbox`].
//!
//! For a CLI without support for priorities, agentwire keeps the queue
//! ([`Queueing`](protocol::host::Queueing)): one turn runs at a time, and queued messages do not delay
//! control requests. A [`Handle::set_model`] then also applies to messages that
//! were sent before it and are still queued.
//!
//! Streams are independent: each delivers the events in the order of the wire,
//! at its reader's pace. What resolves elsewhere never precedes them: when
//! [`Submission::turn_ended`], [`Submission::final_state`] or the response to a
//! control request resolves, or [`Handle::status`] changes, all earlier events
//! are in the streams and can be read without waiting.
//!
//! # Turns
//!
//! A message is not a turn: the agent may fold several messages into one turn,
//! and starts turns of its own, for example when a background task has ended.
//! [`Event::Turn`] reports every turn. [`Submission::turn`] and
//! [`Submission::turn_ended`] return the turn that picked up a message.
//! agentwire matches turns to messages by what the agent reports, never by
//! counting results. For a CLI that does not report it, the match is inferred,
//! with one turn running at a time.
//!
//! # Control requests
//!
//! Every control request of the protocol is a method of [`Handle`], which
//! [`Client`] dereferences to. [`Handle::request`] sends one with all its
//! fields. Unsupported requests fail with [`Error::NotSupported`].
//!
//! # Cancellation and timeouts
//!
//! [`Handle::send`] and [`Handle::request`] send when they are called. Awaiting
//! the returned value waits for the outcome; dropping it does not undo the
//! call. [`Client::next`] is cancel safe, as is every other `next`.
//!
//! Every wait ends. Requests time out, and when the CLI exits, everything that
//! waits for it fails with [`Error::Ended`], which has the exit status and the
//! end of standard error.
//!
//! # Reading a session
//!
//! A session can be read in several places, each at its own pace:
//! [`Handle::subscribe`], [`Handle::texts`], [`Submission::turn`].
//!
//! A slow consumer loses nothing by default. Reading the agent's output pauses
//! when a stream has more unread than [`Options::unread_limit`], and continues
//! while the program waits for something that only input can bring, such as the
//! response to a control request. Beyond [`Options::unread_hard_limit`], events
//! are dropped, and a [`Notice::Lagged`] precedes the remaining ones. See
//! [`Backpressure`](options::Backpressure); [`Handle::unread`] returns the sizes of the buffers.
//!
//! A session has a single pipe: a response that follows a huge message arrives
//! after all of that message.
//!
//! # Callbacks
//!
//! Callbacks answer the agent's requests: permissions, questions and plans of
//! the model, hooks ([`Hook`]), elicitations, dialogs. Each call runs in its
//! own task, may take as long as it needs, and may call every control method of
//! its `session`. If a callback panics, returns an error or drops its
//! [`Responder`](callback::Responder), the request is denied and a [`Notice::CallbackFailed`]
//! reports it; a hook that fails is skipped, unless it is a [gate](Hook::gate).
//! Requests without a callback are denied. A response can also be sent long
//! after the callback has returned ([`Later`]).
//!
//! # Session stores
//!
//! The agent keeps the transcript of a session in a local file. A
//! [`SessionStore`] receives a copy as it is written, and a session can be
//! resumed from the store on another machine ([`Options::session_store`]). The
//! store runs in the background and never delays the session.
//!
//! # Shutdown
//!
//! Dropping a [`Client`] or a [`Query`], inside a runtime or outside, ends the
//! session and every process that it started; [`ClosePolicy`] configures how. A
//! program that is about to exit awaits [`Client::close`] or [`Client::abort`]
//! instead, because the clean-up that a drop starts stops with the process.
//! Alternatively, hold an [`ExitGuard`] in `main`, and call [`close_all`] in
//! signal handlers. [`Handle::close`] closes a session while others still use
//! it; a [`SessionGroup`] closes several within a deadline.
//!
//! # Errors
//!
//! A failed turn is not an [`Error`] but a result: see
//! [`ResultMessage::is_error`](ResultMessage) and [`ResultMessage::error_for_result`].
//! Invalid input from the agent is reported as a [`Notice`], and the session
//! continues. An [`Error`] ends either the session or only the call that
//! returned it.
//!
//! # Names
//!
//! The root has what most programs use. Everything else is in a module, by subject. Names follow
//! these rules:
//!
//! - `…Future`: returned by a call that has already sent something. Await it for the outcome.
//!   [`ResponseFuture`](control::ResponseFuture), [`InterruptFuture`](control::InterruptFuture),
//!   [`RespondFuture`](callback::RespondFuture).
//! - `…Request`: a request of the agent, as data. A callback gets a [`Request`](callback::Request),
//!   such as a [`PermissionRequest`](permission::PermissionRequest), and returns a
//!   [`Response`](callback::Response). A [`PendingRequest`](event::PendingRequest) is in the
//!   client's stream.
//! - `…End`: how something ended: [`TurnEnd`], [`SessionEnd`]. A method that waits is named after
//!   what it waits for: [`Submission::final_state`], [`Submission::turn_ended`],
//!   [`InterruptFuture::outcome`](control::InterruptFuture::outcome).
//! - `…Error` is an error. `…Failure` is the cause in an error or a notice.
//! - [`protocol::host`] is the state machine below a session. Its
//!   [`HostEvent`](protocol::host::HostEvent) becomes an [`Event`], its
//!   [`WireNotice`](protocol::host::WireNotice) a [`Notice`].
//!
//! # Features
//!
//! - `mcp`: tools and MCP servers inside your program. Enables `schema`.
//! - `schema`: structured output from Rust types ([`Options::output_format`]
//!   works without it).
//! - `check`: whether sessions can start, and what to do if not.
//! - `telemetry`: `tracing` spans of turns, tool calls and requests by OpenTelemetry's conventions,
//!   and its trace context for the CLI: see `docs/telemetry.md`.
//! - `view`: the module `view`, which makes entries for user interfaces from the
//!   events of a session, and `ClientAgent`.

// docs.rs builds with a nightly compiler, which marks what needs a feature.
#![cfg_attr(docsrs, feature(doc_cfg))]

/// The protocol: messages, control requests, and the state machines behind a
/// session.
pub use agentwire_protocol as protocol;
#[cfg(feature = "view")]
pub use agentwire_view as view;

pub mod attachment;
pub mod callback;
#[cfg(feature = "check")]
pub mod check;
mod client;
#[cfg(feature = "view")]
mod client_agent;
mod command;
pub mod control;
pub mod event;
#[cfg(any(doc, doctest))]
pub mod guide;
mod handle;
pub mod hook;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod options;
pub mod ownership;
pub mod permission;
pub mod process;
mod session;
pub mod store;
mod telemetry;
pub mod terminal;
pub mod transport;
#[cfg(feature = "view")]
mod view_input;

pub use agentwire_protocol::host::{
    Activity, SessionUpdate, SubmissionState, TurnEnd, TurnEvent, TurnOutcome,
};
pub use agentwire_protocol::message::{ResultMessage, UserMessage};
pub use agentwire_protocol::permission::{PermissionMode, PermissionResult};
pub use agentwire_protocol::{Frame, Json, Message};
#[doc(inline)]
pub use callback::Later;
#[doc(inline)]
#[cfg(feature = "check")]
pub use check::{Check, check, check_with_turn};
pub use client::{Client, Query, attach, attach_up_to, prompt, query};
#[cfg(feature = "view")]
pub use client_agent::ClientAgent;
#[doc(inline)]
pub use event::{EndReason, Error, Event, Notice, SessionEnd};
pub use handle::{Handle, Messages, Submission, Subscription, TextStream, Turn};
#[doc(inline)]
pub use hook::Hook;
#[doc(inline)]
pub use options::{Options, RestartPolicy, Thinking};
#[doc(inline)]
pub use permission::Rules;
#[doc(inline)]
pub use process::{ClosePolicy, CloseReport, ExitGuard, close_all};
pub use session::SessionGroup;
#[doc(inline)]
pub use store::SessionStore;

/// The crate with the trait and the derive macro `JsonSchema`, for the types of
/// [`Options::output_type`] and of the tools of `mcp::Tools`. Requires the feature
/// `schema`, which `mcp` enables.
///
/// The macro refers to `schemars` by name, so import both. A dependency on `schemars`
/// is not needed.
///
/// ```
/// use agentwire::schemars::{self, JsonSchema};
///
/// #[derive(JsonSchema)]
/// struct Rating {
///     score: f64,
/// }
/// ```
///
/// Without the import of `schemars`, name the crate on the type:
///
/// ```
/// #[derive(agentwire::schemars::JsonSchema)]
/// #[schemars(crate = "agentwire::schemars")]
/// struct Rating {
///     score: f64,
/// }
/// ```
#[cfg(feature = "schema")]
pub use schemars;

// Compiles the code in the README and the guides, with the features that it uses.
#[cfg(all(doctest, feature = "mcp"))]
#[doc = include_str!("../README.md")]
struct Readme;
#[cfg(doctest)]
#[doc = include_str!("../docs/permissions.md")]
struct Permissions;
#[cfg(all(doctest, feature = "mcp"))]
#[doc = include_str!("../docs/tools.md")]
struct Tools;
#[cfg(doctest)]
#[doc = include_str!("../docs/control.md")]
struct Control;
#[cfg(doctest)]
#[doc = include_str!("../docs/telemetry.md")]
struct Telemetry;
