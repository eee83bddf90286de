//! The host's configuration, compared with the agent's report.

use crate::event::Notice;
use agentwire_protocol::message::Init;
use agentwire_protocol::permission::{PermissionMode, closest_tool};
use agentwire_protocol::sorted::SortedMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A set of names.
pub(crate) type Names = SortedMap<String, ()>;

/// The part of the host's configuration that agents report.
#[derive(Debug, Default)]
pub(crate) struct Configured(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    in_process: Names,
    /// The servers of [`Options`](crate::Options) that the agent runs.
    external: Names,
    /// The servers of the last `mcp_set_servers`.
    set: Names,
    /// Whether a request has replaced the servers by unknown ones.
    are_servers_unknown: bool,
    /// `None` after the first turn, and after the host has changed it.
    model: Option<String>,
    permission_mode: Option<PermissionMode>,
    /// The unknown tools that options name, with the option. Empty after the first turn.
    unknown_tools: Vec<(&'static str, String)>,
    /// The unavailable servers with their last status.
    unavailable: SortedMap<String, Option<String>>,
}

impl Configured {
    /// Sets what the options configured.
    pub(crate) fn start(
        &self,
        servers: impl IntoIterator<Item = String>,
        model: Option<String>,
        permission_mode: Option<PermissionMode>,
    ) {
        let mut state = self.lock();
        state
            .external
            .extend(servers.into_iter().map(|name| (name, ())));
        state.model = model;
        state.permission_mode = permission_mode;
    }

    /// Sets the unknown tools that options name.
    pub(crate) fn set_unknown_tools(&self, tools: Vec<(&'static str, String)>) {
        self.lock().unknown_tools = tools;
    }

    /// Adds in-process MCP servers. They are never removed, because the agent retains them.
    pub(crate) fn add_in_process_servers(&self, names: &[String]) {
        let names = names.iter().map(|name| (name.clone(), ()));
        self.lock().in_process.extend(names);
    }

    pub(crate) fn in_process_servers(&self) -> Names {
        self.lock().in_process.clone()
    }

    /// Handles a request that is about to change the configuration.
    pub(crate) fn changes(&self, subtype: &str) {
        match subtype {
            "set_model" => self.lock().model = None,
            "set_permission_mode" => self.lock().permission_mode = None,
            "apply_flag_settings" => {
                let mut state = self.lock();
                state.model = None;
                state.permission_mode = None;
            }
            "mcp_set_servers" => self.lock().are_servers_unknown = true,
            _ => {}
        }
    }

    /// Replaces the servers of the last `mcp_set_servers`. Its request included all in-process
    /// servers.
    pub(crate) fn set_servers(&self, names: Names) {
        let mut state = self.lock();
        state.set = names;
        state.are_servers_unknown = false;
    }

    /// Returns the known names of the configured MCP servers.
    pub(crate) fn servers(&self) -> Names {
        self.lock().servers()
    }

    /// Compares the configuration with the metadata at the start of a turn.
    pub(crate) fn compare(&self, init: &Init) -> Vec<Notice> {
        let mut state = self.lock();
        let mut notices = vec![];
        let model = state.model.take().zip(init.model.as_deref());
        if let Some((configured, reported)) = model
            && is_other_model(&configured, reported)
        {
            notices.push(Notice::NotAsConfigured {
                option: "model",
                configured: configured.into(),
                reported: reported.into(),
            });
        }
        let mode = state.permission_mode.take();
        if let Some((configured, reported)) = mode.zip(init.permission_mode.as_ref())
            && configured != *reported
            // An alias of the default mode.
            && configured.as_str() != "manual"
        {
            notices.push(Notice::NotAsConfigured {
                option: "permission_mode",
                configured: configured.as_str().into(),
                reported: reported.as_str().into(),
            });
        }
        for (option, name) in std::mem::take(&mut state.unknown_tools) {
            if init.tools.iter().flatten().any(|tool| *tool == name) {
                continue;
            }
            notices.push(Notice::UnknownTool {
                option,
                closest: closest_tool(&name),
                name: name.into(),
            });
        }
        let Some(reported) = &init.mcp_servers else {
            return notices;
        };
        for (name, ()) in state.servers().into_entries() {
            let server = reported.iter().find(|it| it.name == name);
            let status = server.map(|it| it.status.clone());
            if matches!(
                status.as_deref(),
                Some("connected" | "pending" | "disabled")
            ) {
                state.unavailable.remove(&name);
            } else if state.unavailable.get(&name) != Some(&status) {
                notices.push(Notice::McpServerUnavailable {
                    server: name.as_str().into(),
                    status: status.as_deref().map(Into::into),
                });
                state.unavailable.insert(name, status);
            }
        }
        notices
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn servers(&self) -> Names {
        if self.are_servers_unknown {
            return Names::new();
        }
        let mut all = self.in_process.clone();
        for set in [&self.external, &self.set] {
            all.extend(set.entries().iter().cloned());
        }
        all
    }
}

/// Returns whether the agent uses another model. Aliases such as `opus`, and the names of other
/// providers, are not compared. A date may follow a name.
fn is_other_model(configured: &str, reported: &str) -> bool {
    // The size of the context window is not reported.
    let configured = configured.split_once('[').map_or(configured, |it| it.0);
    configured.starts_with("claude-") && !reported.starts_with(configured)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn init(members: Value) -> Init {
        serde_json::from_value(members).unwrap()
    }

    fn compare(configured: &Configured, members: Value) -> Vec<String> {
        let notices = configured.compare(&init(members));
        notices.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn another_model_or_mode_is_reported_once() {
        let reported = json!({ "model": "claude-opus-5-5", "permissionMode": "default" });
        let configured = Configured::default();
        let start = |model: &str, mode| {
            configured.start([], Some(model.to_owned()), Some(mode));
        };
        start("claude-opus-4-20250514", PermissionMode::Plan);
        let expected = [
            "`Options::model` is `claude-opus-4-20250514`, but the agent reports \
             `claude-opus-5-5`",
            "`Options::permission_mode` is `plan`, but the agent reports `default`",
        ];
        assert_eq!(compare(&configured, reported.clone()), expected);
        assert_eq!(compare(&configured, reported.clone()), [""; 0]);
        for model in [
            "opus",
            "claude-opus-5",
            "claude-opus-5-5[1m]",
            "gateway/model",
        ] {
            start(model, PermissionMode::from("manual"));
            assert_eq!(compare(&configured, reported.clone()), [""; 0], "{model}");
        }
        // Values that the host has changed are not compared.
        for requests in [
            &["set_model", "set_permission_mode"][..],
            &["apply_flag_settings"],
        ] {
            start("claude-opus-4-20250514", PermissionMode::Plan);
            requests.iter().for_each(|it| configured.changes(it));
            assert_eq!(compare(&configured, reported.clone()), [""; 0]);
        }
    }

    #[test]
    fn unknown_tools_are_reported_once_unless_the_agent_has_them() {
        let configured = Configured::default();
        let names = [
            ("tools", "Bsh"),
            ("rules", "New"),
            ("disallowed_tools", "Teleport"),
        ];
        configured.set_unknown_tools(names.map(|(it, name)| (it, name.to_owned())).into());
        let reported = json!({ "tools": ["Bash", "New"] });
        let expected = [
            "`Options::tools` names the unknown tool `Bsh`, which has no effect; the closest name \
             is `Bash`",
            "`Options::disallowed_tools` names the unknown tool `Teleport`, which has no effect",
        ];
        assert_eq!(compare(&configured, reported.clone()), expected);
        assert_eq!(compare(&configured, reported), [""; 0]);
    }

    #[test]
    fn missing_and_failed_servers_are_reported_on_changes() {
        let configured = Configured::default();
        configured.start(["a".to_owned()], None, None);
        configured.add_in_process_servers(&["b".to_owned()]);
        let reported = |servers: &[(&str, &str)]| {
            let servers = servers.iter();
            let servers = servers.map(|(name, status)| json!({ "name": name, "status": status }));
            json!({ "mcp_servers": servers.collect::<Value>() })
        };
        let missing = "the agent does not have the MCP server `b`";
        let failed = "the MCP server `a` is unavailable: its status is `failed`";
        let both = reported(&[("a", "failed"), ("other", "failed")]);
        assert_eq!(compare(&configured, both.clone()), [failed, missing]);
        assert_eq!(compare(&configured, both.clone()), [""; 0]);
        let fine = reported(&[("a", "connected"), ("b", "pending")]);
        assert_eq!(compare(&configured, fine), [""; 0]);
        assert_eq!(compare(&configured, both.clone()), [failed, missing]);
        // An agent that reports no servers.
        assert_eq!(compare(&configured, json!({})), [""; 0]);

        configured.changes("mcp_set_servers");
        assert_eq!(compare(&configured, reported(&[])), [""; 0]);
        configured.set_servers(Names::from_iter([("c".to_owned(), ())]));
        let missing = "the agent does not have the MCP server `c`";
        let rest = reported(&[("a", "disabled"), ("b", "connected")]);
        assert_eq!(compare(&configured, rest), [missing]);
    }
}
