//! The request that lists the hooks of a session.

use super::request::host_requests;
use super::settings::SettingsParseError;
use crate::hook::HookKind;
use crate::json::{Json, Number};
use crate::open::object;

host_requests! {
    GetHooksListing = "get_hooks_listing" => HooksListing,
}

object! {
    /// Asks for the hooks.
    #[derive(Default)]
    pub struct GetHooksListing tags("subtype" = "get_hooks_listing") {}
}

object! {
    /// The hooks of a session.
    pub struct HooksListing {
        /// The events that have hooks.
        pub events: Option<Vec<HookEventListing>>,
        /// The hooks.
        pub hooks: Vec<HookListing>,
        /// All events, with hooks or without.
        pub event_catalog: Option<Vec<HookEventListing>> = "eventCatalog",
        /// What the organisation says about hooks.
        pub policy: Option<HooksPolicy>,
        /// What safe mode leaves of them, in a session that runs in it.
        pub safe_mode: Option<HooksSafeMode> = "safeMode",
        /// That hooks of settings and users do not run, in a session in bare
        /// mode.
        pub bare_mode: Option<HooksBareMode> = "bareMode",
        /// Files that could not be read, and whose hooks are missing.
        pub errors: Option<Vec<SettingsParseError>>,
    }
}

object! {
    /// An event that can have hooks.
    pub struct HookEventListing {
        /// The event.
        pub name: HookKind,
        /// When it happens, in one line.
        pub summary: Option<String>,
        /// Whether its hooks can have a matcher.
        pub supports_matcher: Option<bool> = "supportsMatcher",
        /// How many hooks it has. Not in the catalog.
        pub hook_count: Option<u64> = "hookCount",
    }
}

object! {
    /// A hook.
    pub struct HookListing {
        /// The event.
        pub event: HookKind,
        /// What the event must match; empty for everything.
        pub matcher: Option<String>,
        /// Where it comes from, such as `userSettings`, `sessionHook` or
        /// `pluginHook`.
        pub source: Option<String>,
        /// The same, as people are to read it.
        pub source_label: Option<String> = "sourceLabel",
        /// The plugin it comes from.
        pub plugin_name: Option<String> = "pluginName",
        /// What kind of hook it is, such as `command`, `prompt` or `http`.
        pub kind: String = "type",
        /// The line that stands for it in a list.
        pub display_text: Option<String> = "displayText",
        /// What it runs: the command, the prompt or the URL.
        pub command_text: Option<String> = "commandText",
        /// What to call that.
        pub content_label: Option<String> = "contentLabel",
        /// The condition under which it runs.
        pub condition: Option<String>,
        /// Seconds that it may take.
        pub timeout: Option<Number>,
        /// What is shown while it runs.
        pub status_message: Option<String> = "statusMessage",
        /// Whether it runs only once.
        pub runs_once: Option<bool> = "runsOnce",
        /// Whether nobody waits for it.
        pub runs_in_background: Option<bool> = "runsInBackground",
        /// Whether something keeps it from running. Absent where nothing does.
        pub disabled: Option<bool>,
        /// The hook as its file has it, when that file may be written.
        pub editable: Option<EditableHook>,
    }
}

object! {
    /// A hook as its file has it.
    pub struct EditableHook {
        /// The matcher; empty for everything.
        pub matcher: Option<String>,
        /// The hook, an object.
        pub config: Json,
        /// Whether the values of its HTTP headers were left out.
        pub headers_redacted: Option<bool> = "headersRedacted",
    }
}

object! {
    /// What the organisation says about hooks.
    #[derive(Default)]
    pub struct HooksPolicy {
        /// Whether it switched all hooks off.
        pub disabled_by_policy: Option<bool> = "disabledByPolicy",
        /// Whether it lets only its own hooks run. They are not listed.
        pub managed_only: Option<bool> = "managedOnly",
        /// Whether it lets only plugins bring hooks.
        pub plugin_only: Option<bool> = "pluginOnly",
        /// Whether all hooks are off, whoever did it.
        pub all_disabled: Option<bool> = "allDisabled",
        /// How many hooks it has itself.
        pub policy_hook_count: Option<u64> = "policyHookCount",
        /// Whether its settings could not be read, so that none of this is
        /// certain.
        pub policy_unreadable: Option<bool> = "policyUnreadable",
    }
}

object! {
    /// What safe mode leaves of the hooks.
    #[derive(Default)]
    pub struct HooksSafeMode {
        /// Whether the organisation's hooks run.
        pub managed_hooks_still_apply: Option<bool> = "managedHooksStillApply",
        /// How to leave safe mode.
        pub exit_hint: Option<String> = "exitHint",
    }
}

object! {
    /// That a session runs in bare mode.
    #[derive(Default)]
    pub struct HooksBareMode {
        /// How to leave bare mode.
        pub exit_hint: Option<String> = "exitHint",
    }
}
