//! Events of sessions: start, end, compaction and model changes.

use crate::content::CacheTtl;
use crate::json::Number;
use crate::message::CompactTrigger;
use crate::open::{object, open_enum};

object! {
    /// A session starts. Hooks registered with `initialize` miss the first
    /// start of a process. They are called for the starts after a `/clear`.
    #[derive(Default)]
    pub struct SessionStart tags("hook_event_name" = "SessionStart") {
        /// How the session starts.
        pub source: Option<SessionStartSource>,
        /// The name of the model.
        pub model: Option<String>,
        /// The session's title.
        pub session_title: Option<String>,
        /// Seconds since the last response of the model, in a resumed session.
        pub seconds_since_last_response: Option<Number>,
        /// Tokens in the context of a resumed session.
        pub context_tokens: Option<u64>,
        /// Whether the context's tokens are probably no longer cached.
        pub prompt_cache_likely_expired: Option<bool>,
        /// The estimated cost of caching the context again, in US dollars.
        pub estimated_cache_write_usd: Option<Number>,
    }
}

open_enum! {
    /// How a session starts.
    pub enum SessionStartSource {
        /// The agent was started.
        Startup = "startup",
        /// A session was resumed.
        Resume = "resume",
        /// The conversation was cleared.
        Clear = "clear",
        /// The conversation was compacted.
        Compact = "compact",
        /// A copy of a session was resumed.
        Fork = "fork",
    }
}

object! {
    /// A session ends.
    #[derive(Default)]
    pub struct SessionEnd tags("hook_event_name" = "SessionEnd") {
        /// The reason.
        pub reason: Option<SessionEndReason>,
    }
}

open_enum! {
    /// The reason why a session ends.
    pub enum SessionEndReason {
        /// The conversation was cleared.
        Clear = "clear",
        /// Another session was resumed.
        Resume = "resume",
        /// The user logged out.
        Logout = "logout",
        /// The user left the agent's own prompt.
        PromptInputExit = "prompt_input_exit",
        /// Another or unknown reason.
        Other = "other",
    }
}

object! {
    /// The agent runs its setup.
    #[derive(Default)]
    pub struct Setup tags("hook_event_name" = "Setup") {
        /// The reason.
        pub trigger: Option<SetupTrigger>,
    }
}

open_enum! {
    /// The reason why the agent runs its setup.
    pub enum SetupTrigger {
        /// The first setup.
        Init = "init",
        /// Maintenance.
        Maintenance = "maintenance",
    }
}

object! {
    /// The conversation is about to be compacted.
    #[derive(Default)]
    pub struct PreCompact tags("hook_event_name" = "PreCompact") {
        /// The trigger.
        pub trigger: Option<CompactTrigger>,
        /// The user's instructions for the summary.
        pub custom_instructions: Option<String>,
    }
}

object! {
    /// The conversation was compacted.
    #[derive(Default)]
    pub struct PostCompact tags("hook_event_name" = "PostCompact") {
        /// The trigger.
        pub trigger: Option<CompactTrigger>,
        /// The summary that replaces the conversation.
        pub compact_summary: String,
    }
}

/// Declares the events before and after a model change, which have the same
/// members.
macro_rules! model_switch {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name tags("hook_event_name" = $tag) {
                /// The old model.
                pub from_model: String,
                /// The new model.
                pub to_model: String,
                /// The model as requested, for example an alias. `None` if the
                /// default was requested.
                pub requested_model: Option<String>,
                /// The cause of the change.
                pub source: Option<ModelSwitchSource>,
                /// The number of tokens that the next request must send again.
                pub context_tokens: Option<u64>,
                /// Whether these tokens are probably still in the cache of the
                /// old model.
                pub prompt_cache_warm: Option<bool>,
                /// The lifetime of the cache.
                pub cache_ttl: Option<CacheTtl>,
                /// The estimated cost of caching these tokens for the new
                /// model, in US dollars.
                pub estimated_cache_write_usd: Option<Number>,
                /// The source of the price.
                pub pricing: Option<PriceSource>,
            }
        }
    )*};
}

model_switch! {
    /// The model is about to change.
    PreModelSwitch = "PreModelSwitch",
    /// The model has changed.
    PostModelSwitch = "PostModelSwitch",
}

open_enum! {
    /// The cause of a change of model.
    pub enum ModelSwitchSource {
        /// A command of the user.
        Command = "command",
        /// The user, in a list of models.
        Picker = "picker",
        /// The host, with `set_model`.
        Sdk = "sdk",
        /// The agent. Sent only after the change.
        Auto = "auto",
        /// A resumed session. Sent only after the change.
        Resume = "resume",
    }
}

open_enum! {
    /// The source of a price.
    pub enum PriceSource {
        /// The settings.
        Configured = "configured",
        /// The price list.
        Catalog = "catalog",
        /// An estimate, because the model is not in the price list.
        Default = "default",
    }
}
