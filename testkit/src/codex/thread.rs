//! Threads: their settings, their history and their JSON.

use super::VERSION;
use super::call::Call;
use super::core::Core;
use super::turn::Turn;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The context window of the models, in tokens.
pub(super) const WINDOW: u64 = 258_400;

/// The part of a thread that is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) id: String,
    pub(super) forked_from: Option<String>,
    pub(super) preview: String,
    pub(super) originator: String,
    pub(super) is_ephemeral: bool,
    pub(super) is_archived: bool,
    pub(super) name: Option<String>,
    pub(super) created: u64,
    pub(super) updated: u64,
    pub(super) settings: Settings,
    pub(super) turns: Vec<StoredTurn>,
    pub(super) total: Tokens,
    pub(super) last: Option<Tokens>,
    pub(super) dynamic_tools: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Settings {
    pub(super) cwd: String,
    pub(super) model: String,
    pub(super) provider: String,
    pub(super) effort: Value,
    pub(super) approval: String,
    /// The sandbox's policy in wire format.
    pub(super) sandbox: Value,
    pub(super) profile: Value,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredTurn {
    pub(super) id: String,
    pub(super) items: Vec<Value>,
    pub(super) status: String,
    pub(super) error: Value,
    pub(super) started_ms: Option<u64>,
    pub(super) completed_ms: Option<u64>,
    /// The total of tokens before the turn, and those of the last request.
    pub(super) tokens: (Tokens, Option<Tokens>),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tokens {
    pub(super) total: u64,
    pub(super) input: u64,
    pub(super) cached: u64,
    pub(super) output: u64,
}

/// A thread in memory.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) stored: Stored,
    pub(super) is_loaded: bool,
    pub(super) status: &'static str,
    /// Whether an approval is pending.
    pub(super) is_approval_pending: bool,
    /// Whether the client does not know the settings.
    pub(super) has_new_settings: bool,
    pub(super) base_url: String,
    pub(super) request_retries: u64,
    pub(super) stream_retries: u64,
    /// The MCP servers of the configuration, and whether all their tools are
    /// asked about.
    pub(super) servers: BTreeMap<String, bool>,
    /// Whether the model can ask questions, outside of plan mode.
    pub(super) has_questions: bool,
    /// Whether a question is pending.
    pub(super) is_asking: bool,
    pub(super) turn: Option<Turn>,
    /// Commands that run on after an interrupt.
    pub(super) background: Vec<Call>,
    /// The actions that are accepted for the session.
    pub(super) accepted: BTreeSet<String>,
    /// The user's texts since the model's last item, and tool results.
    pub(super) texts: Vec<String>,
    pub(super) results: Vec<String>,
    pub(super) prompt: String,
}

/// Reads the stored threads.
pub(super) fn stored(core: &Core) -> BTreeMap<String, Thread> {
    let files = core.disk.list(&folder(core));
    let texts = files.iter().filter_map(|path| core.disk.read(path));
    let stored = texts.filter_map(|text| {
        let mut stored = serde_json::from_str::<Stored>(&text).ok()?;
        // The process was killed during a turn.
        for turn in stored
            .turns
            .iter_mut()
            .filter(|it| it.status == "inProgress")
        {
            "interrupted".clone_into(&mut turn.status);
        }
        Some(stored)
    });
    let entry = |stored: Stored| (stored.id.clone(), Thread::new(stored));
    stored.map(entry).collect()
}

fn folder(core: &Core) -> String {
    format!("{}/fake-threads", core.config.home)
}

impl Settings {
    /// Applies members of `thread/start`, `turn/start` and similar requests.
    pub(super) fn apply(&mut self, params: &Map<String, Value>) {
        let text = |name: &str| params.get(name).and_then(Value::as_str).map(str::to_owned);
        for (name, setting) in [
            ("cwd", &mut self.cwd),
            ("model", &mut self.model),
            ("modelProvider", &mut self.provider),
            ("approvalPolicy", &mut self.approval),
        ] {
            if let Some(value) = text(name) {
                *setting = value;
            }
        }
        if let Some(effort) = text("effort") {
            self.effort = effort.into();
        }
        if let Some(sandbox) = text("sandbox") {
            self.set_sandbox(&sandbox);
        }
        let policy = params
            .get("sandboxPolicy")
            .and_then(|it| it["type"].as_str());
        if let Some(policy) = policy {
            self.set_sandbox(policy);
        }
    }

    fn set_sandbox(&mut self, name: &str) {
        self.profile = Value::Null;
        self.sandbox = match name {
            "danger-full-access" | "dangerFullAccess" => json!({ "type": "dangerFullAccess" }),
            "workspace-write" | "workspaceWrite" => json!({
                "type": "workspaceWrite", "writableRoots": [], "networkAccess": false,
                "excludeTmpdirEnvVar": false, "excludeSlashTmp": false,
            }),
            _ => json!({ "type": "readOnly", "networkAccess": false }),
        };
    }

    pub(super) fn is_read_only(&self) -> bool {
        self.sandbox["type"] == "readOnly"
    }
}

impl Tokens {
    pub(super) fn add(&mut self, more: &Self) {
        self.total = self.total.saturating_add(more.total);
        self.input = self.input.saturating_add(more.input);
        self.cached = self.cached.saturating_add(more.cached);
        self.output = self.output.saturating_add(more.output);
    }

    fn json(&self) -> Value {
        json!({
            "totalTokens": self.total, "inputTokens": self.input, "cachedInputTokens": self.cached,
            "cacheWriteInputTokens": 0, "outputTokens": self.output,
            "reasoningOutputTokens": 0,
        })
    }
}

impl StoredTurn {
    /// Returns the turn with these items.
    pub(super) fn json(&self, items: &[Value], view: &str) -> Value {
        let time = |ms: Option<u64>| ms.map(|it| it / 1000);
        let took = self
            .completed_ms
            .zip(self.started_ms)
            .map(|(to, from)| to.saturating_sub(from));
        json!({
            "id": self.id, "rootTurnId": self.id, "items": items, "itemsView": view,
            "status": self.status, "error": self.error, "startedAt": time(self.started_ms),
            "completedAt": time(self.completed_ms), "durationMs": took,
        })
    }

    /// Returns the turn with the user's first message and the last answer.
    pub(super) fn summary(&self) -> Value {
        let is = |kind: &'static str| move |item: &&Value| item["type"] == kind;
        let user = self.items.iter().find(is("userMessage"));
        let answer = self.items.iter().rfind(is("agentMessage"));
        let items: Vec<_> = user.into_iter().chain(answer).cloned().collect();
        self.json(&items, "summary")
    }
}

impl Thread {
    pub(super) fn new(stored: Stored) -> Self {
        Self {
            stored,
            is_loaded: false,
            status: "notLoaded",
            is_approval_pending: false,
            has_new_settings: false,
            base_url: String::new(),
            request_retries: 4,
            stream_retries: 5,
            servers: BTreeMap::new(),
            has_questions: false,
            is_asking: false,
            turn: None,
            background: vec![],
            accepted: BTreeSet::new(),
            texts: vec![],
            results: vec![],
            prompt: String::new(),
        }
    }

    /// Loads the thread, with the configuration of a request.
    pub(super) fn load(&mut self, params: &Map<String, Value>) {
        self.is_loaded = true;
        self.status = "idle";
        self.stored.settings.apply(params);
        let config = params.get("config").and_then(Value::as_object);
        let config = config.cloned().unwrap_or_default();
        // Names may have dots: `model_providers.NAME`.
        let section = |section: &str| {
            let mut members = config.get(section).and_then(Value::as_object).cloned();
            for (name, value) in &config {
                let rest = name
                    .strip_prefix(section)
                    .and_then(|it| it.strip_prefix('.'));
                if let Some(name) = rest.filter(|it| !it.contains('.')) {
                    members
                        .get_or_insert_default()
                        .insert(name.to_owned(), value.clone());
                }
            }
            members.unwrap_or_default()
        };
        let providers = section("model_providers");
        let provider = providers.get(&self.stored.settings.provider);
        let provider = provider.unwrap_or(&Value::Null);
        if let Some(url) = provider["base_url"].as_str() {
            self.base_url = url.to_owned();
        }
        for (name, retries) in [
            ("request_max_retries", &mut self.request_retries),
            ("stream_max_retries", &mut self.stream_retries),
        ] {
            *retries = provider[name].as_u64().unwrap_or(*retries);
        }
        let servers = section("mcp_servers").into_iter();
        let asks = |server: Value| server["default_tools_approval_mode"] == "prompt";
        self.servers = servers.map(|(name, server)| (name, asks(server))).collect();
        self.has_questions =
            section("features").get("default_mode_request_user_input") == Some(&true.into());
    }

    /// Returns the total of tokens and those of the last request.
    pub(super) fn tokens(&self) -> (Tokens, Option<Tokens>) {
        (self.stored.total, self.stored.last)
    }

    /// Drops turns from this index on.
    pub(super) fn truncate(&mut self, index: usize) {
        if let Some(turn) = self.stored.turns.get(index) {
            (self.stored.total, self.stored.last) = turn.tokens;
        }
        self.stored.turns.truncate(index);
    }

    /// Returns the turns with all items.
    pub(super) fn full_turns(&self) -> Vec<Value> {
        let turns = self.stored.turns.iter();
        turns.map(|it| it.json(&it.items, "full")).collect()
    }

    /// Stores the thread. A thread without turns is not stored.
    pub(super) fn store(&self, core: &mut Core) {
        if self.stored.is_ephemeral || self.stored.turns.is_empty() {
            return;
        }
        let path = format!("{}/{}.json", folder(core), self.stored.id);
        if let Ok(text) = serde_json::to_string(&self.stored) {
            core.disk.write(&path, &text);
        }
    }

    /// Removes the stored thread.
    pub(super) fn remove(&self, core: &mut Core) {
        let path = format!("{}/{}.json", folder(core), self.stored.id);
        core.disk.remove(&path);
    }

    /// Returns the thread in wire format.
    pub(super) fn json(&self, core: &Core, turns: &[Value]) -> Value {
        let Stored { id, settings, .. } = &self.stored;
        let environments = json!([{
            "environmentId": "local", "cwd": settings.cwd, "runtimeWorkspaceRoots": [settings.cwd],
        }]);
        let path = format!("{}/{id}.json", folder(core));
        json!({
            "id": id, "sessionId": id, "forkedFromId": self.stored.forked_from,
            "environments": self.is_loaded.then_some(environments),
            "canAcceptDirectInput": self.is_loaded.then_some(true),
            "path": (!self.stored.is_ephemeral).then_some(path),
            "extra": null, "attachedToThreadId": null, "parentThreadId": null,
            "preview": self.stored.preview, "ephemeral": self.stored.is_ephemeral,
            "section": null, "sectionEnteredAt": null, "projectId": null,
            "historyMode": "paginated", "modelProvider": settings.provider,
            "model": settings.model, "reasoningEffort": settings.effort,
            "createdAt": self.stored.created, "updatedAt": self.stored.updated,
            "recencyAt": self.stored.updated, "status": self.status_json(), "cwd": settings.cwd,
            "cliVersion": VERSION, "originator": self.stored.originator, "source": "vscode",
            "threadSource": null, "agentNickname": null, "agentRole": null, "gitInfo": null,
            "name": self.stored.name, "daybreakEnabled": null, "turns": turns,
        })
    }

    /// Returns the response to `thread/start`, `thread/resume` and `thread/fork`.
    pub(super) fn opened(&self, core: &Core, turns: &[Value]) -> Value {
        let settings = &self.stored.settings;
        json!({
            "thread": self.json(core, turns), "model": settings.model,
            "modelProvider": settings.provider, "serviceTier": null, "disabledPluginIds": [],
            "cwd": settings.cwd, "runtimeWorkspaceRoots": [settings.cwd], "instructionSources": [],
            "approvalPolicy": settings.approval, "approvalsReviewer": "user",
            "sandbox": settings.sandbox, "activePermissionProfile": settings.profile,
            "reasoningEffort": settings.effort, "multiAgentMode": "explicitRequestOnly",
        })
    }

    pub(super) fn collaboration(&self) -> Value {
        let Settings { model, effort, .. } = &self.stored.settings;
        let settings =
            json!({ "model": model, "reasoning_effort": effort, "developer_instructions": null });
        json!({ "mode": "default", "settings": settings })
    }

    /// Reports the settings, if the client does not know them.
    pub(super) fn report_settings(&mut self, core: &mut Core) {
        if !std::mem::take(&mut self.has_new_settings) {
            return;
        }
        let settings = &self.stored.settings;
        let environments = json!([{
            "environmentId": "local", "cwd": settings.cwd, "runtimeWorkspaceRoots": [settings.cwd],
        }]);
        let reported = json!({
            "disabledPluginIds": [], "cwd": settings.cwd, "environments": environments,
            "approvalPolicy": settings.approval, "approvalsReviewer": "user",
            "sandboxPolicy": settings.sandbox, "activePermissionProfile": settings.profile,
            "model": settings.model, "modelProvider": settings.provider, "serviceTier": null,
            "effort": settings.effort, "summary": null, "collaborationMode": self.collaboration(),
            "multiAgentMode": "explicitRequestOnly", "personality": null,
        });
        let params = json!({ "threadId": self.stored.id, "threadSettings": reported });
        core.notify("thread/settings/updated", params);
    }

    fn status_json(&self) -> Value {
        if self.status != "active" {
            return json!({ "type": self.status });
        }
        let flags = [
            (self.is_approval_pending, "waitingOnApproval"),
            (self.is_asking, "waitingOnUserInput"),
        ];
        let flags: Vec<_> = flags.iter().filter(|it| it.0).map(|it| it.1).collect();
        json!({ "type": "active", "activeFlags": flags })
    }

    pub(super) fn set_status(&mut self, core: &mut Core, status: &'static str) {
        self.status = status;
        self.report_status(core);
    }

    pub(super) fn report_status(&self, core: &mut Core) {
        let params = json!({ "threadId": self.stored.id, "status": self.status_json() });
        core.notify("thread/status/changed", params);
    }

    /// Reports the tokens, if a model request has had some.
    pub(super) fn report_tokens(&self, core: &mut Core, turn: &str) {
        if let Some(last) = &self.stored.last {
            let tokens = json!({
                "total": self.stored.total.json(), "last": last.json(), "modelContextWindow": WINDOW,
            });
            let params =
                json!({ "threadId": self.stored.id, "turnId": turn, "tokenUsage": tokens });
            core.notify("thread/tokenUsage/updated", params);
        }
    }

    /// Sends a notification about an item that begins.
    pub(super) fn item_started(&self, core: &mut Core, turn: &str, item: &Value) {
        let params = json!({
            "item": item, "threadId": self.stored.id, "turnId": turn,
            "startedAtMs": item["startedAtMs"],
        });
        core.notify("item/started", params);
    }

    /// Completes an item, which becomes part of the history.
    pub(super) fn item_completed(&mut self, core: &mut Core, turn: &str, item: &mut Value) {
        item["completedAtMs"] = core.time_ms().into();
        let params = json!({
            "item": item, "threadId": self.stored.id, "turnId": turn, "contentTokenCount": null,
            "completedAtMs": item["completedAtMs"],
        });
        core.notify("item/completed", params);
        // A command that was rejected is in no history.
        if item["type"] == "commandExecution" && item["source"] == "agent" {
            return;
        }
        let mut turns = self.stored.turns.iter_mut();
        if let Some(turn) = turns.find(|it| it.id == turn) {
            turn.items.push(item.clone());
            self.store(core);
        }
    }

    pub(super) fn notify_delta(
        &self,
        core: &mut Core,
        method: &str,
        turn: &str,
        item: &str,
        delta: Value,
    ) {
        let mut params = json!({ "threadId": self.stored.id, "turnId": turn, "itemId": item });
        if let (Value::Object(params), Value::Object(delta)) = (&mut params, delta) {
            params.extend(delta);
        }
        core.notify(method, params);
    }
}
