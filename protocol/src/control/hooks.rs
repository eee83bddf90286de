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
    /// Requests the list of hooks.
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
        /// All events, including those without hooks.
        pub event_catalog: Option<Vec<HookEventListing>> = "eventCatalog",
        /// The organization's policy about hooks.
        pub policy: Option<HooksPolicy>,
        /// The hooks that run, if the session is in safe mode.
        pub safe_mode: Option<HooksSafeMode> = "safeMode",
        /// The state of hooks, if the session is in bare mode, where hooks of
        /// settings and users do not run.
        pub bare_mode: Option<HooksBareMode> = "bareMode",
        /// Invalid files, whose hooks are missing from the list.
        pub errors: Option<Vec<SettingsParseError>>,
    }
}

object! {
    /// An event that can have hooks.
    pub struct HookEventListing {
        /// The kind of event.
        pub name: HookKind,
        /// A description in one line.
        pub summary: Option<String>,
        /// Whether hooks of the event can have a matcher.
        pub supports_matcher: Option<bool> = "supportsMatcher",
        /// The number of hooks of the event. Not set in the catalog.
        pub hook_count: Option<u64> = "hookCount",
    }
}

object! {
    /// A hook.
    pub struct HookListing {
        /// The event that the hook is called for.
        pub event: HookKind,
        /// The matcher. Empty if the hook matches every event.
        pub matcher: Option<String>,
        /// The source of the hook, such as `userSettings`, `sessionHook` or
        /// `pluginHook`.
        pub source: Option<String>,
        /// The display name of the source.
        pub source_label: Option<String> = "sourceLabel",
        /// The plugin that provides the hook.
        pub plugin_name: Option<String> = "pluginName",
        /// The kind of hook, such as `command`, `prompt` or `http`.
        pub kind: String = "type",
        /// The text to display in a list.
        pub display_text: Option<String> = "displayText",
        /// The command, the prompt or the URL.
        pub command_text: Option<String> = "commandText",
        /// The label of `command_text`.
        pub content_label: Option<String> = "contentLabel",
        /// The condition under which the hook runs.
        pub condition: Option<String>,
        /// The timeout in seconds.
        pub timeout: Option<Number>,
        /// The message displayed while the hook runs.
        pub status_message: Option<String> = "statusMessage",
        /// Whether the hook runs only once.
        pub runs_once: Option<bool> = "runsOnce",
        /// Whether the agent continues without waiting for the hook.
        pub runs_in_background: Option<bool> = "runsInBackground",
        /// Whether the hook is disabled. `None` if it is not.
        pub disabled: Option<bool>,
        /// The hook as written in its file, if that file can be edited.
        pub editable: Option<EditableHook>,
    }
}

object! {
    /// A hook as written in its file.
    pub struct EditableHook {
        /// The matcher. Empty if the hook matches every event.
        pub matcher: Option<String>,
        /// The configuration of the hook, an object.
        pub config: Json,
        /// Whether the values of the hook's HTTP headers were redacted.
        pub headers_redacted: Option<bool> = "headersRedacted",
    }
}

object! {
    /// An organization's policy about hooks.
    #[derive(Default)]
    pub struct HooksPolicy {
        /// Whether the policy disables all hooks.
        pub disabled_by_policy: Option<bool> = "disabledByPolicy",
        /// Whether only managed hooks run. They are not listed.
        pub managed_only: Option<bool> = "managedOnly",
        /// Whether only plugins may provide hooks.
        pub plugin_only: Option<bool> = "pluginOnly",
        /// Whether all hooks are disabled, for any reason.
        pub all_disabled: Option<bool> = "allDisabled",
        /// The number of managed hooks.
        pub policy_hook_count: Option<u64> = "policyHookCount",
        /// Whether the policy settings could not be read. The other members are
        /// then uncertain.
        pub policy_unreadable: Option<bool> = "policyUnreadable",
    }
}

object! {
    /// The hooks that run in safe mode.
    #[derive(Default)]
    pub struct HooksSafeMode {
        /// Whether managed hooks run.
        pub managed_hooks_still_apply: Option<bool> = "managedHooksStillApply",
        /// How the user leaves safe mode.
        pub exit_hint: Option<String> = "exitHint",
    }
}

object! {
    /// The state of hooks in bare mode.
    #[derive(Default)]
    pub struct HooksBareMode {
        /// How the user leaves bare mode.
        pub exit_hint: Option<String> = "exitHint",
    }
}
