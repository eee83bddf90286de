//! Accounts, models and MCP servers.

use super::core::Core;
use super::thread::Thread;
use serde_json::{Value, json};

/// The models. The first is the default.
pub(super) const MODELS: [&str; 2] = ["gpt-6.2-sol", "gpt-5.5"];

pub(super) fn models() -> Vec<Value> {
    let efforts = ["low", "medium", "high"]
        .map(|it| json!({ "reasoningEffort": it, "description": "An effort of the fake Codex." }));
    let model = |name: &&str| {
        json!({
            "id": name, "model": name, "displayName": name, "hidden": false,
            "description": "A model of the fake Codex.", "isDefault": *name == MODELS[0],
            "defaultReasoningEffort": "low", "supportedReasoningEfforts": efforts,
            "inputModalities": ["text", "image"], "supportsPersonality": false, "upgrade": null,
            "upgradeInfo": null, "availabilityNux": null, "additionalSpeedTiers": [],
            "serviceTiers": [], "defaultServiceTier": null, "availableAccessPrograms": null,
            "modelSpecialty": null, "multiAgentVersion": null,
        })
    };
    MODELS.iter().map(model).collect()
}

/// Returns the status of an MCP server.
pub(super) fn server(name: &str) -> Value {
    json!({
        "name": name, "tools": {}, "resources": [], "resourceTemplates": [],
        "authStatus": "unsupported", "serverInfo": null,
    })
}

pub(super) fn account(kind: Option<&str>) -> Value {
    let account = kind.map(|kind| json!({ "type": kind }));
    json!({
        "account": account, "requiresOpenaiAuth": true, "userId": null, "workspaceRouting": null,
    })
}

/// Reports a login with an API key.
pub(super) fn report_login(core: &mut Core) {
    let completed =
        json!({ "loginId": null, "success": true, "error": null, "onboardingEntrypoint": null });
    core.notify("account/login/completed", completed);
    let updated = json!({ "authMode": "apikey", "planType": null, "reason": null });
    core.notify("account/updated", updated);
}

impl Thread {
    /// Reports the start of the MCP servers.
    pub(super) fn report_servers(&self, core: &mut Core) {
        for status in ["starting", "ready"] {
            for name in self.servers.keys() {
                let params = json!({
                    "threadId": self.stored.id, "name": name, "environmentId": null,
                    "status": status, "error": null, "failureReason": null,
                });
                core.notify("mcpServer/startupStatus/updated", params);
            }
        }
    }

    /// Returns the marks of what the user has read.
    pub(super) fn read_state(&self) -> Value {
        let unread = self.stored.turns.first();
        let unread = unread.map(|turn| json!({ "type": "turn", "turnId": turn.id }));
        json!({ "firstUnread": unread, "revision": self.stored.id })
    }

    /// Returns the thread as lists have it.
    pub(super) fn json_unopened(&self, core: &Core) -> Value {
        let mut json = self.json(core, &[]);
        json["canAcceptDirectInput"] = Value::Null;
        json
    }
}
