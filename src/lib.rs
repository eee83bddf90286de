//! Spawn an agent CLI and drive it over newline-delimited JSON.
//!
//! [`query`] sends one prompt and streams the answer; a [`Client`] holds a
//! conversation, with a CLI that it starts or, by [`Client::connect_over`], with
//! one that runs elsewhere. Both deliver [`Event`]s: mostly [`Frame`]s, which keep the
//! bytes as they came and give a typed [`Message`] when asked.
//!
//! ```no_run
//! # async fn example() -> Result<(), agentwire::Error> {
//! use agentwire::{Event, Options, PermissionResult, query};
//!
//! let options = Options::new()
//!     .partial_messages(true)
//!     .on_permission(|ask| async move {
//!         println!("{} wants to run with {}", ask.request.tool_name, ask.request.input);
//!         PermissionResult::allow()
//!     });
//! let mut answer = query("What day is it?", options).await?;
//! while let Some(event) = answer.next().await {
//!     if let Event::Frame(frame) = event? {
//!         print!("{}", frame.message().text_delta().unwrap_or_default());
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Order
//!
//! The order of calls is the order on the wire, with two exceptions: answers
//! and interrupts may pass user messages that still wait here, and user
//! messages are ordered by [priority](protocol::message::Priority) among
//! themselves, up to the nearest control request. What MCP servers inside the
//! host begin goes as answers do, so that nothing of theirs passes anything
//! else of theirs. See [`protocol::outbox`].
//!
//! For a CLI that knows no priorities the host keeps the queue ([`Queueing`]):
//! one turn runs at a time, and messages that wait for theirs do not hold
//! control requests back. A [`Handle::set_model`] then also counts for messages
//! that were sent before it and still wait.
//!
//! # Turns
//!
//! A message is not a turn: the agent may put several into one, and begins
//! turns of its own, for a task that ended in the background. [`Event::Turn`]
//! tells them; [`Submission::turn`] and [`Submission::turn_ended`] give the one
//! that a message went into. Results are never counted, and nothing is taken
//! for an answer to a message that the agent does not say it answers. Of a CLI
//! that says nothing of the kind it is inferred, from one turn at a time.
//!
//! # Control
//!
//! Every control request of the wire is a method of [`Handle`], which a
//! [`Client`] has as well; [`Handle::request`] makes one as it is. What the
//! agent does not know fails with [`Error::NotSupported`].
//!
//! # Waiting and cancelling
//!
//! What [`Handle::send`] and [`Handle::request`] return is on its way when
//! they return; awaiting it waits for the outcome, dropping it undoes
//! nothing. [`Client::next`] is cancel safe, and so is every other `next`.
//! Every wait has an end: requests have a deadline, and when the CLI dies
//! everything that waits for it fails with [`Error::Ended`], which has the exit
//! status and the end of standard error.
//!
//! # Reading
//!
//! A session can be read in more places than one, each at its own pace:
//! [`Handle::subscribe`], [`Handle::texts`], [`Submission::turn`].
//!
//! A slow consumer loses nothing by default. Reading the agent's output pauses
//! when a stream in use has more unread than [`Options::unread_limit`], and goes
//! on while the program waits for something that only input can bring, such as
//! the response to a control request. Only beyond
//! [`Options::unread_hard_limit`] events are dropped, with a [`Notice::Lagged`]
//! in front of what is left. [`Backpressure`] has the details,
//! [`Handle::unread`] says what is unread.
//!
//! Everything comes through one pipe: behind one huge message an answer has to
//! wait until all of that has come.
//!
//! # Callbacks
//!
//! What the agent asks is answered by callbacks: permissions, questions and
//! plans of the model's, hooks ([`Hook`]), elicitations, dialogs. Each call runs
//! in a task of its own, may take as long as it likes, and may call every
//! control method of its `session`. One that panics, fails or drops its
//! [`Responder`] denies, and a [`Notice::CallbackFailed`] says so; a hook is
//! passed over then, unless it is a [gate](Hook::gate). What has no callback is
//! denied. An answer can come long after the callback's end ([`Later`]).
//!
//! # Transcripts elsewhere
//!
//! What the agent writes down of a session is a file of its own. A
//! [`SessionStore`] gets a copy of it while it is written, and a session can be
//! resumed from there on a machine that has never seen it
//! ([`Options::session_store`]). It runs beside the session, and never holds it
//! up.
//!
//! # The end
//!
//! When a [`Client`] or a [`Query`] is dropped, inside a runtime or outside,
//! everything that the session started goes; [`ClosePolicy`] says how. A
//! program that is about to exit awaits [`Client::close`] or
//! [`Client::abort`] instead, since what a drop has begun ends with the
//! process; or it holds an [`ExitGuard`] in `main`, and calls [`close_all`] when
//! a signal ends it.
//!
//! # What may go wrong
//!
//! An error result of the agent is data
//! ([`ResultMessage::is_error`](protocol::message::ResultMessage)). What is
//! not as the protocol has it is a [`Notice`], and the session goes on. An
//! [`Error`] is the end of the session, or of the one call that it came from.

/// What is on the wire: messages, control requests, and the state machines.
pub use agentwire_protocol as protocol;

mod callback;
mod client;
mod command;
mod event;
mod handle;
#[cfg(feature = "mcp")]
pub mod mcp;
mod options;
mod process;
mod session;
mod store;

pub use agentwire_protocol::host::{
    Activity, AuthUpdate, Queueing, SessionUpdate, SubmissionState, TurnEnd, TurnEvent, TurnOutcome,
};
pub use agentwire_protocol::message::UserMessage;
pub use agentwire_protocol::permission::PermissionResult;
pub use agentwire_protocol::{Fault, Frame, Message};
pub use callback::visible;
pub use callback::{
    Always, Answers, Ask, AskAnswer, Askable, Audited, BoxFuture, Decision, DialogAsk, Either,
    ElicitationAsk, Handler, Hook, HookAnswer, HookCall, Later, OrAsk, OrDeny, PendingAnswer,
    PermissionAsk, PlanAsk, Policy, QuestionAsk, ReadOnly, Reply, Responder, Rules, RulesBuilder,
    RulesError, RulesVerdict, TerminalPrompt, TerminalPrompter, TerminalQuestion, Undecided,
};
pub use client::{Client, Query, attach, attach_up_to, prompt, query};
pub use command::OutboundQueue;
pub use event::{
    Asked, AttachError, CallbackFailure, EndReason, Error, Event, IgnoredOption, Notice,
    SessionEnd, StreamKind, Unread, UnreadStream,
};
pub use handle::{
    Handle, Interrupted, McpReadiness, Messages, Pending, PendingInterrupt, StopPolicy, Stopped,
    Submission, Subscription, TextStream, Turn,
};
pub use options::{
    Backpressure, CommandLine, DYNAMIC_BOUNDARY, Options, PermissionPrompts, QuestionPreview,
    Thinking,
};
pub use process::{
    CliNotFound, CliVersion, ClosePolicy, CloseReport, CloseStep, Environment, ExitGuard,
    InvalidVersion, OUTER_SESSION, PassedEnvironment, close_all,
};
pub use session::{CloseInput, Connection, LocalCli, Peer, PeerFuture, Pipes, Transport};
pub use store::{
    MemoryStore, SessionStore, StoreError, StoreFailure, StoreFlush, StoredSession, TranscriptKey,
};

/// What [`Options::output_type`] takes.
#[cfg(feature = "schema")]
pub use schemars;

// The code in the README and in the pages beside it compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
#[cfg(doctest)]
#[doc = include_str!("../docs/permissions.md")]
struct Permissions;
#[cfg(doctest)]
#[doc = include_str!("../docs/tools.md")]
struct Tools;
#[cfg(doctest)]
#[doc = include_str!("../docs/control.md")]
struct Control;
