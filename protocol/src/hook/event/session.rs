//! Events of sessions: their beginning and end, compacting, the model.

use crate::content::CacheTtl;
use crate::json::Number;
use crate::message::CompactTrigger;
use crate::open::{object, open_enum};

object! {
    /// A session begins. Hooks of `initialize` come too late for the first
    /// one of a process, and see those after a `/clear`.
    #[derive(Default)]
    pub struct SessionStart tags("hook_event_name" = "SessionStart") {
        /// How it begins.
        pub source: Option<SessionStartSource>,
        /// The name of the model.
        pub model: Option<String>,
        /// The session's title.
        pub session_title: Option<String>,
        /// Seconds since the model last answered, in a session that goes on.
        pub seconds_since_last_response: Option<Number>,
        /// Tokens that such a session already has.
        pub context_tokens: Option<u64>,
        /// Whether they have gone from the cache, most likely.
        pub prompt_cache_likely_expired: Option<bool>,
        /// What putting them there again would cost, in US dollars.
        pub estimated_cache_write_usd: Option<Number>,
    }
}

open_enum! {
    /// How a session begins.
    pub enum SessionStartSource {
        /// The agent was started.
        Startup = "startup",
        /// An old session goes on.
        Resume = "resume",
        /// The conversation was cleared.
        Clear = "clear",
        /// The conversation was compacted.
        Compact = "compact",
        /// A copy of an old session goes on.
        Fork = "fork",
    }
}

object! {
    /// A session ends.
    #[derive(Default)]
    pub struct SessionEnd tags("hook_event_name" = "SessionEnd") {
        /// Why.
        pub reason: Option<SessionEndReason>,
    }
}

open_enum! {
    /// Why a session ends.
    pub enum SessionEndReason {
        /// The conversation was cleared.
        Clear = "clear",
        /// Another session was taken up.
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
    /// The agent sets itself up.
    #[derive(Default)]
    pub struct Setup tags("hook_event_name" = "Setup") {
        /// What for.
        pub trigger: Option<SetupTrigger>,
    }
}

open_enum! {
    /// What the agent sets itself up for.
    pub enum SetupTrigger {
        /// For the first time.
        Init = "init",
        /// To keep things in order.
        Maintenance = "maintenance",
    }
}

object! {
    /// The conversation is about to be compacted.
    #[derive(Default)]
    pub struct PreCompact tags("hook_event_name" = "PreCompact") {
        /// What made it so.
        pub trigger: Option<CompactTrigger>,
        /// What the user wants of the summary.
        pub custom_instructions: Option<String>,
    }
}

object! {
    /// The conversation was compacted.
    #[derive(Default)]
    pub struct PostCompact tags("hook_event_name" = "PostCompact") {
        /// What made it so.
        pub trigger: Option<CompactTrigger>,
        /// The summary that takes its place.
        pub compact_summary: String,
    }
}

/// The events before and after a change of the model have the same members.
macro_rules! model_switch {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            #[derive(Default)]
            pub struct $name tags("hook_event_name" = $tag) {
                /// The model before it.
                pub from_model: String,
                /// The model after it.
                pub to_model: String,
                /// The model as it was asked for, an alias say; `null` asks
                /// for the default.
                pub requested_model: Option<String>,
                /// Who changes it.
                pub source: Option<ModelSwitchSource>,
                /// Tokens that the next request has to send again.
                pub context_tokens: Option<u64>,
                /// Whether they are still in the old model's cache, most
                /// likely.
                pub prompt_cache_warm: Option<bool>,
                /// How long they stay in a cache.
                pub cache_ttl: Option<CacheTtl>,
                /// What putting them into the new model's cache would cost,
                /// in US dollars.
                pub estimated_cache_write_usd: Option<Number>,
                /// Where the price was taken from.
                pub pricing: Option<PriceSource>,
            }
        }
    )*};
}

model_switch! {
    /// The model is about to be changed.
    PreModelSwitch = "PreModelSwitch",
    /// The model was changed.
    PostModelSwitch = "PostModelSwitch",
}

open_enum! {
    /// Who changes the model.
    pub enum ModelSwitchSource {
        /// A command of the user.
        Command = "command",
        /// The user, in a list of models.
        Picker = "picker",
        /// The host, with `set_model`.
        Sdk = "sdk",
        /// The agent itself. Only after the change.
        Auto = "auto",
        /// An old session that goes on. Only after the change.
        Resume = "resume",
    }
}

open_enum! {
    /// Where a price was taken from.
    pub enum PriceSource {
        /// From the settings.
        Configured = "configured",
        /// From the price list.
        Catalog = "catalog",
        /// From a guess: the model is not on the list.
        Default = "default",
    }
}
