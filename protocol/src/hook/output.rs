//! Outputs of hooks.

use super::specific::{SpecificOutput, every_specific_output};
use crate::json::Number;
use crate::open::{choice, object, open_enum};

/// The output of a hook: a decision, or a signal that the agent need not wait.
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
/// Fields that all hooks have are set on a [`SyncOutput`]:
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
#[non_exhaustive]
#[allow(
    clippy::large_enum_variant,
    reason = "made once, written once, dropped"
)]
pub enum HookOutput {
    /// The decision of the hook.
    Sync(SyncOutput),
    /// The agent proceeds without waiting for the hook.
    Async(AsyncOutput),
}

object! {
    /// The decision of a hook. An empty decision changes nothing.
    #[derive(Default)]
    pub struct SyncOutput {
        /// Whether the turn continues. `false` ends the turn.
        pub keep_going: Option<bool> = "continue",
        /// The reason why the turn ends. Displayed to the user.
        pub stop_reason: Option<String> = "stopReason",
        /// Whether the hook's output is omitted from the transcript.
        pub suppress_output: Option<bool> = "suppressOutput",
        /// Whether the agent may proceed with the action.
        pub decision: Option<HookDecision>,
        /// The reason for the decision. Sent to the model.
        pub reason: Option<String>,
        /// A message for the user.
        pub system_message: Option<String> = "systemMessage",
        /// An escape sequence for the user's terminal. The agent forwards the
        /// bell, titles and notifications (OSC 0, 1, 2, 9, 99 and 777).
        pub terminal_sequence: Option<String> = "terminalSequence",
        /// The output specific to the event.
        pub specific: Option<SpecificOutput> = "hookSpecificOutput",
    }
}

object! {
    /// The agent proceeds without waiting for the hook.
    pub struct AsyncOutput {
        /// Always `true`.
        pub is_async: bool = "async",
        /// The maximum remaining running time of the hook, in milliseconds.
        pub timeout: Option<Number> = "asyncTimeout",
    }
}

open_enum! {
    /// Whether the agent may proceed with the action of a hook event.
    pub enum HookDecision {
        /// The agent may proceed.
        Approve = "approve",
        /// The agent may not proceed. For `Stop` and `SubagentStop`, the model
        /// must continue.
        Block = "block",
    }
}

impl HookOutput {
    /// Makes no decision, so that the agent proceeds.
    #[must_use]
    pub fn proceed() -> Self {
        Self::Sync(SyncOutput::default())
    }

    /// Blocks the action of the event and sends the reason to the model.
    /// Blocking `Stop` or `SubagentStop` makes the model continue.
    #[must_use]
    pub fn block(reason: impl Into<String>) -> Self {
        SyncOutput::block(reason).into()
    }

    /// Ends the turn and shows the reason to the user. As the output of
    /// `PreToolUse`, this does not prevent the tool from running (measured on
    /// Claude Code 2.1.329).
    #[must_use]
    pub fn end_turn(reason: impl Into<String>) -> Self {
        SyncOutput::end_turn(reason).into()
    }

    /// Lets the agent proceed without waiting for the hook.
    #[must_use]
    pub fn detach() -> Self {
        AsyncOutput::new().into()
    }
}

impl SyncOutput {
    /// Blocks the action of the event and sends the reason to the model. See
    /// [`HookOutput::block`].
    #[must_use]
    pub fn block(reason: impl Into<String>) -> Self {
        Self {
            decision: Some(HookDecision::Block),
            reason: Some(reason.into()),
            ..Self::default()
        }
    }

    /// Ends the turn and shows the reason to the user. See
    /// [`HookOutput::end_turn`].
    #[must_use]
    pub fn end_turn(reason: impl Into<String>) -> Self {
        Self {
            keep_going: Some(false),
            stop_reason: Some(reason.into()),
            ..Self::default()
        }
    }

    /// Sets a message for the user.
    #[must_use]
    pub fn system_message(mut self, message: impl Into<String>) -> Self {
        self.system_message = Some(message.into());
        self
    }

    /// Leaves the hook's output out of the transcript.
    #[must_use]
    pub fn suppress_output(mut self) -> Self {
        self.suppress_output = Some(true);
        self
    }

    /// Sets the output specific to the event.
    #[must_use]
    pub fn specific(mut self, specific: impl Into<SpecificOutput>) -> Self {
        self.specific = Some(specific.into());
        self
    }
}

impl AsyncOutput {
    /// Lets the agent proceed without waiting for the hook.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "an answer is given on purpose")]
    pub fn new() -> Self {
        Self {
            is_async: true,
            timeout: None,
            extra: Default::default(),
        }
    }

    /// Sets the maximum remaining running time of the hook, in milliseconds.
    #[must_use]
    pub fn timeout(mut self, milliseconds: impl Into<Number>) -> Self {
        self.timeout = Some(milliseconds.into());
        self
    }
}

impl Default for HookOutput {
    /// Returns [`HookOutput::proceed`].
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

/// Converts the specific output of an event into a whole output.
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

choice! {
    HookOutput by |reader| {
        let is_async = reader.look_for("async")? == Some("true");
        Ok(usize::from(is_async))
    };
    untyped None;
    Sync(SyncOutput), Async(AsyncOutput),
}

#[cfg(feature = "schema")]
crate::schema::one_of!(HookOutput = "The output of a hook.": AsyncOutput, SyncOutput);

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
    fn the_member_async_distinguishes_the_two_kinds_of_output() {
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
    fn the_specific_output_is_read_by_the_name_of_its_event() {
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
