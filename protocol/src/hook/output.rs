//! What a hook answers.

use super::specific::{SpecificOutput, every_specific_output};
use crate::json::Number;
use crate::open::{
    Error, Field, Form, Reader, Written, deserialize, object, open_enum, serialize_written,
};
#[cfg(feature = "audit")]
use crate::untyped::{Pointer, Untyped};
use serde::{Deserialize, Deserializer};

/// What a hook answers: what it decides, or that the agent need not wait.
///
/// ```
/// use agentwire_protocol::hook::{HookOutput, PreToolUseOutput};
///
/// let output = HookOutput::from(PreToolUseOutput::deny("not on a Sunday"));
/// assert_eq!(
///     serde_json::to_string(&output)?,
///     concat!(
///         r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","#,
///         r#""permissionDecision":"deny","permissionDecisionReason":"not on a Sunday"}}"#,
///     )
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// What every hook can say is set on a [`SyncOutput`]:
///
/// ```
/// use agentwire_protocol::hook::{HookOutput, PostToolUseOutput, SyncOutput};
///
/// let output = HookOutput::from(
///     SyncOutput::from(PostToolUseOutput::default().additional_context("The tests pass."))
///         .system_message("Tests were run."),
/// );
/// # drop(output);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[allow(
    clippy::large_enum_variant,
    reason = "made once, written once, dropped"
)]
pub enum HookOutput {
    /// What the hook decides.
    Sync(SyncOutput),
    /// The agent goes ahead without the hook.
    Async(AsyncOutput),
}

object! {
    /// What a hook decides. Empty, it changes nothing.
    #[derive(Default)]
    pub struct SyncOutput {
        /// `false` ends the turn.
        pub keep_going: Option<bool> = "continue",
        /// Why it ends, for the user.
        pub stop_reason: Option<String> = "stopReason",
        /// Whether what the hook printed is kept out of the transcript.
        pub suppress_output: Option<bool> = "suppressOutput",
        /// Whether the agent may do what the hook was about.
        pub decision: Option<HookDecision>,
        /// Why it may or may not. The model is told.
        pub reason: Option<String>,
        /// What the user is told.
        pub system_message: Option<String> = "systemMessage",
        /// A sequence for the user's terminal. The agent passes the bell on,
        /// and titles and notifications (OSC 0, 1, 2, 9, 99 and 777).
        pub terminal_sequence: Option<String> = "terminalSequence",
        /// What only hooks of this event can say.
        pub specific: Option<SpecificOutput> = "hookSpecificOutput",
    }
}

object! {
    /// The agent goes ahead without the hook.
    pub struct AsyncOutput {
        /// `true`.
        pub is_async: bool = "async",
        /// Milliseconds that the hook may still take.
        pub timeout: Option<Number> = "asyncTimeout",
    }
}

open_enum! {
    /// Whether the agent may do what a hook was about.
    pub enum HookDecision {
        /// It may.
        Approve = "approve",
        /// It may not. Of `Stop` and `SubagentStop` it means that the model
        /// has to go on.
        Block = "block",
    }
}

impl HookOutput {
    /// The hook has nothing to say, and the agent goes ahead.
    #[must_use]
    pub fn proceed() -> Self {
        Self::Sync(SyncOutput::default())
    }

    /// The agent may not do what the hook was about, and the model is told
    /// why. A `Stop` or `SubagentStop` that is blocked has the model go on.
    #[must_use]
    pub fn block(reason: impl Into<String>) -> Self {
        SyncOutput::block(reason).into()
    }

    /// The turn ends, and the user is told why. A tool that the hook is asked
    /// about before it runs is not kept from running by it (measured on Claude
    /// Code 2.1.329).
    #[must_use]
    pub fn end_turn(reason: impl Into<String>) -> Self {
        SyncOutput::end_turn(reason).into()
    }

    /// The agent goes ahead without the hook.
    #[must_use]
    pub fn detach() -> Self {
        AsyncOutput::new().into()
    }
}

impl SyncOutput {
    /// The agent may not do what the hook was about, and the model is told
    /// why; see [`HookOutput::block`].
    #[must_use]
    pub fn block(reason: impl Into<String>) -> Self {
        Self {
            decision: Some(HookDecision::Block),
            reason: Some(reason.into()),
            ..Self::default()
        }
    }

    /// The turn ends, and the user is told why; see [`HookOutput::end_turn`].
    #[must_use]
    pub fn end_turn(reason: impl Into<String>) -> Self {
        Self {
            keep_going: Some(false),
            stop_reason: Some(reason.into()),
            ..Self::default()
        }
    }

    /// Sets what the user is told.
    #[must_use]
    pub fn system_message(mut self, message: impl Into<String>) -> Self {
        self.system_message = Some(message.into());
        self
    }

    /// Keeps what the hook printed out of the transcript.
    #[must_use]
    pub fn suppress_output(mut self) -> Self {
        self.suppress_output = Some(true);
        self
    }

    /// Sets what only hooks of this event can say.
    #[must_use]
    pub fn specific(mut self, specific: impl Into<SpecificOutput>) -> Self {
        self.specific = Some(specific.into());
        self
    }
}

impl AsyncOutput {
    /// The agent goes ahead without the hook.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "an answer is given on purpose")]
    pub fn new() -> Self {
        Self {
            is_async: true,
            timeout: None,
            extra: Default::default(),
        }
    }

    /// Sets how many milliseconds the hook may still take.
    #[must_use]
    pub fn timeout(mut self, milliseconds: impl Into<Number>) -> Self {
        self.timeout = Some(milliseconds.into());
        self
    }
}

impl Default for HookOutput {
    /// [`HookOutput::proceed`].
    fn default() -> Self {
        Self::proceed()
    }
}

impl From<SyncOutput> for HookOutput {
    fn from(output: SyncOutput) -> Self {
        Self::Sync(output)
    }
}

impl From<AsyncOutput> for HookOutput {
    fn from(output: AsyncOutput) -> Self {
        Self::Async(output)
    }
}

impl From<SpecificOutput> for HookOutput {
    fn from(specific: SpecificOutput) -> Self {
        Self::Sync(specific.into())
    }
}

/// What the hooks of one event can answer makes a whole answer.
macro_rules! whole_answers {
    ($( $(#[$meta:meta])* $event:ident = $value:literal: $name:ident, )*) => {$(
        impl From<crate::hook::$name> for HookOutput {
            fn from(specific: crate::hook::$name) -> Self {
                Self::Sync(SyncOutput::from(specific))
            }
        }
    )*};
}

every_specific_output!(whole_answers);

impl<T: Into<SpecificOutput>> From<T> for SyncOutput {
    fn from(specific: T) -> Self {
        Self {
            specific: Some(specific.into()),
            ..Self::default()
        }
    }
}

impl Field for HookOutput {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        *self = if reader.look_for("async")? == Some("true") {
            Self::Async(reader.value()?)
        } else {
            Self::Sync(reader.value()?)
        };
        Ok(())
    }

    fn empty() -> Self {
        Self::Sync(Field::empty())
    }
}

#[cfg(feature = "schema")]
crate::schema::one_of!(HookOutput = "What a hook answers.": AsyncOutput, SyncOutput);

#[cfg(feature = "audit")]
impl Untyped for HookOutput {
    fn collect_untyped(&self, at: &mut Pointer, found: &mut Vec<String>) {
        match self {
            Self::Sync(output) => output.collect_untyped(at, found),
            Self::Async(output) => output.collect_untyped(at, found),
        }
    }
}

impl Written for HookOutput {
    fn form(&self) -> Form<'_> {
        match self {
            Self::Sync(output) => output.form(),
            Self::Async(output) => output.form(),
        }
    }
}

serialize_written!(HookOutput);

impl<'de> Deserialize<'de> for HookOutput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::PreToolUseOutput;

    fn output(text: &str) -> HookOutput {
        let output: HookOutput = serde_json::from_str(text).expect("a hook's output");
        assert_eq!(serde_json::to_string(&output).expect("JSON"), text);
        output
    }

    #[test]
    fn async_tells_the_two_apart() {
        assert_eq!(output("{}"), HookOutput::proceed());
        assert_eq!(output(r#"{"async":true}"#), HookOutput::detach());
        assert!(matches!(
            output(r#"{"async":true,"asyncTimeout":1500,"new":[1]}"#),
            HookOutput::Async(_)
        ));
        assert!(matches!(output(r#"{"async":false}"#), HookOutput::Sync(_)));
        assert_eq!(
            output(r#"{"decision":"block","reason":"no"}"#),
            HookOutput::block("no")
        );
        assert_eq!(
            output(r#"{"continue":false,"stopReason":"enough"}"#),
            HookOutput::end_turn("enough")
        );
    }

    #[test]
    fn what_an_event_can_say_is_read_by_its_name() {
        let HookOutput::Sync(read) = output(
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"n":1.0}}}"#,
        ) else {
            panic!("it waits");
        };
        let Some(SpecificOutput::PreToolUse(PreToolUseOutput {
            updated_input: Some(input),
            ..
        })) = read.specific
        else {
            panic!("something else: {read:?}");
        };
        assert_eq!(input.get(), r#"{"n":1.0}"#);
    }
}
