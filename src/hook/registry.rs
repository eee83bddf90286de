//! The hooks of a session: maps the IDs of the protocol to closures.

use super::Hook;
use agentwire_protocol::hook::{HookMatcher, Hooks};

/// The hooks of a session. A hook's ID is its index.
#[derive(Debug, Clone, Default)]
pub(crate) struct Registry(Vec<Hook>);

/// The prefix of an ID, followed by the index.
const PREFIX: &str = "hook_";

impl Registry {
    pub(crate) fn add(&mut self, hook: Hook) {
        self.0.push(hook);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the hook with this ID.
    pub(crate) fn get(&self, id: &str) -> Option<&Hook> {
        self.0.get(id.strip_prefix(PREFIX)?.parse::<usize>().ok()?)
    }

    /// Returns whether a hook is a gate.
    pub(crate) fn has_gates(&self) -> bool {
        self.0.iter().any(|hook| hook.is_gate)
    }

    /// Adds the hooks to those in `initialize`. Hooks with equal settings share a matcher.
    pub(crate) fn register(&self, hooks: &mut Option<Hooks>) {
        for (place, hook) in self.0.iter().enumerate() {
            let id = format!("{PREFIX}{place}");
            let all = hooks.get_or_insert_default();
            let matchers = all.entry(hook.kind.clone()).or_default();
            let is_alike =
                |it: &&mut HookMatcher| **it == hook.registration(it.hook_callback_ids.clone());
            match matchers.iter_mut().find(is_alike) {
                Some(matcher) => matcher.hook_callback_ids.push(id),
                None => matchers.push(hook.registration(vec![id])),
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::hook::HookCall;
    use agentwire_protocol::hook::{PostToolUse, PreToolUse};
    use std::time::Duration;

    #[test]
    fn hooks_with_equal_settings_share_a_matcher() {
        let before = || Hook::new(|_: HookCall<PreToolUse>| async {}).matcher("Bash");
        let mut registry = Registry::default();
        registry.add(before());
        registry.add(Hook::new(|_: HookCall<PostToolUse>| async {}));
        registry.add(before().gate().timeout(Duration::from_millis(2500)));
        registry.add(before());
        assert!(registry.has_gates());
        let mut hooks = None;
        registry.register(&mut hooks);
        assert_eq!(
            serde_json::to_value(&hooks).unwrap(),
            serde_json::json!({
                "PreToolUse": [
                    { "matcher": "Bash", "hookCallbackIds": ["hook_0", "hook_3"] },
                    { "matcher": "Bash", "hookCallbackIds": ["hook_2"], "timeout": 2.5,
                      "onFailure": "block" },
                ],
                "PostToolUse": [{ "hookCallbackIds": ["hook_1"] }],
            })
        );
        assert!(registry.get("hook_2").unwrap().is_gate);
        assert!(registry.get("hook_4").is_none() && registry.get("4").is_none());
    }

    #[test]
    fn hooks_of_the_initialize_request_remain() {
        let mut hooks = Some(Hooks::from([(
            "PreToolUse".into(),
            vec![HookMatcher::new(["own"])],
        )]));
        let mut registry = Registry::default();
        registry.add(Hook::new(|_: HookCall<PreToolUse>| async {}));
        registry.register(&mut hooks);
        let ids = &hooks.unwrap()[&"PreToolUse".into()][0].hook_callback_ids;
        assert_eq!(ids, &["own", "hook_0"]);
    }
}
