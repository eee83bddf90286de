//! The client's requests.

use super::FakeCodex;
use super::core::{Client, TOO_LARGE};
use super::thread::{Settings, Stored, StoredTurn, Thread, Tokens};
use super::turn::{Turn, user_message};
use super::{VERSION, account};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The code of nearly every error.
const INVALID: i64 = -32600;

/// The requests that need `experimentalApi`.
const EXPERIMENTAL: [&str; 4] = [
    "thread/settings/update",
    "thread/backgroundTerminals/list",
    "thread/backgroundTerminals/terminate",
    "thread/backgroundTerminals/clean",
];

const NOT_STEERABLE: &str =
    "failed to submit turn input: ActiveTurnNotSteerable { turn_kind: Compact }";

/// The maximum length of a prompt, in characters.
const MAX_PROMPT: usize = 1 << 20;

/// An error response.
struct Refusal(i64, String);

/// A response, or `None` if it is sent already.
type Answer = Result<Option<Value>, Refusal>;

type Params = Map<String, Value>;

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Self(INVALID, message)
    }
}

fn refuse<T>(message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal(INVALID, message.into()))
}

fn member<'a>(params: &'a Params, name: &str) -> Result<&'a Value, Refusal> {
    match params.get(name) {
        Some(value) => Ok(value),
        None => refuse(format!("Invalid request: missing field `{name}`")),
    }
}

fn text<'a>(params: &'a Params, name: &str) -> Result<&'a str, Refusal> {
    match member(params, name)?.as_str() {
        Some(text) => Ok(text),
        None => refuse(format!("Invalid request: `{name}` is no string")),
    }
}

/// Checks optional members of a request that opens a thread or starts a turn.
fn check(params: &Params) -> Result<(), Refusal> {
    for name in [
        "cwd",
        "model",
        "modelProvider",
        "effort",
        "baseInstructions",
    ] {
        if params
            .get(name)
            .is_some_and(|it| !it.is_string() && !it.is_null())
        {
            return refuse(format!("Invalid request: `{name}` is no string"));
        }
    }
    let sandboxes = ["read-only", "workspace-write", "danger-full-access"];
    let policies = ["untrusted", "on-failure", "on-request", "never"];
    for (name, values) in [
        ("sandbox", &sandboxes[..]),
        ("approvalPolicy", &policies[..]),
    ] {
        let value = params.get(name).filter(|it| !it.is_null());
        if value.is_some_and(|it| {
            !it.as_str().is_some_and(|it| values.contains(&it)) && !it.is_object()
        }) {
            return refuse(format!("Invalid request: unknown variant of `{name}`"));
        }
    }
    Ok(())
}

fn page(data: Vec<Value>) -> Value {
    json!({ "data": data, "nextCursor": null })
}

impl FakeCodex {
    /// Handles a request.
    pub(super) fn request(&mut self, id: Value, method: &str, params: Option<Value>) {
        if self.core.client.is_none() && method != "initialize" {
            return self.core.refuse(&id, INVALID, "Not initialized");
        }
        let answer = self.answer(&id, method, params);
        match answer {
            Ok(Some(result)) => self.core.respond(&id, &result),
            Ok(None) => {}
            Err(Refusal(code, message)) => self.core.refuse(&id, code, &message),
        }
    }

    fn answer(&mut self, id: &Value, method: &str, params: Option<Value>) -> Answer {
        let params = match params {
            Some(Value::Object(params)) => params,
            None if matches!(method, "account/rateLimits/read") => Params::new(),
            None => return refuse("Invalid request: missing field `params`"),
            Some(_) => return refuse("Invalid request: `params` is no object"),
        };
        let is_experimental = self
            .core
            .client
            .as_ref()
            .is_some_and(|it| it.is_experimental);
        if EXPERIMENTAL.contains(&method) && !is_experimental {
            return refuse(format!("{method} requires experimentalApi capability"));
        }
        match method {
            "initialize" => self.initialize(&params).map(Some),
            "thread/start" => self.start(id, &params, is_experimental),
            "thread/resume" => self.resume(id, &params),
            "thread/fork" => self.fork(id, &params),
            "thread/list" => Ok(Some(self.list(&params))),
            "thread/loaded/list" => {
                let loaded = self.threads.values().filter(|it| it.is_loaded);
                Ok(Some(page(
                    loaded.map(|it| it.stored.id.as_str().into()).collect(),
                )))
            }
            "thread/read" => self.read(&params).map(Some),
            "thread/turns/list" => {
                let thread = self.loaded_thread(&params)?;
                let turns = thread.stored.turns.iter().map(StoredTurn::summary);
                Ok(Some(cursored(sorted(turns.collect(), &params, "desc"))))
            }
            "thread/items/list" => {
                let thread = self.loaded_thread(&params)?;
                if thread.stored.is_ephemeral {
                    return Err(Refusal(-32601, format!("{method} is not supported yet")));
                }
                let wanted = params.get("turnId").and_then(Value::as_str);
                let turns = thread.stored.turns.iter();
                let turns = turns.filter(|turn| wanted.is_none_or(|it| it == turn.id));
                let items = turns.flat_map(|turn| {
                    let entry = |item: &Value| {
                        json!({
                            "item": item, "turnId": turn.id, "startedAtMs": item["startedAtMs"],
                            "completedAtMs": item["completedAtMs"],
                        })
                    };
                    turn.items.iter().map(entry)
                });
                Ok(Some(cursored(sorted(items.collect(), &params, "asc"))))
            }
            "thread/archive" => self.archive(id, &params),
            "thread/delete" => {
                let name = thread_id(&params)?;
                let Some(mut thread) = self.threads.remove(name) else {
                    return refuse(format!("no rollout found for thread id {name}"));
                };
                let core = &mut self.core;
                thread.interrupt(core, None);
                if thread.is_loaded {
                    thread.set_status(core, "notLoaded");
                }
                thread.remove(core);
                core.respond(id, &json!({}));
                core.notify("thread/deleted", json!({ "threadId": name }));
                Ok(None)
            }
            "config/read" => Ok(Some(json!({ "config": {}, "origins": {}, "layers": null }))),
            "thread/unarchive" => self.unarchive(id, &params),
            "thread/name/set" => {
                let name = text(&params, "name")?.to_owned();
                let thread = self.loaded_thread(&params)?.stored.id.clone();
                self.change(&thread, |it| it.stored.name = Some(name.clone()));
                self.core.respond(id, &json!({}));
                let params = json!({ "threadId": thread, "threadName": name });
                self.core.notify("thread/name/updated", params);
                Ok(None)
            }
            "thread/revert" => self.revert(id, &params),
            "thread/compact/start" => {
                self.core.respond(id, &json!({}));
                let (core, thread) = (&mut self.core, loaded(&mut self.threads, &params)?);
                if thread.turn.is_none() {
                    let turn = Turn::new(core, vec![], true);
                    thread.stored.turns.push(turn.stored(thread.tokens()));
                    thread.turn = Some(turn);
                }
                Ok(None)
            }
            "thread/settings/update" => {
                check(&params)?;
                let thread = loaded(&mut self.threads, &params)?;
                thread.set(&params);
                Ok(Some(json!({})))
            }
            "turn/start" => self.start_turn(id, &params),
            "turn/steer" => self.steer(&params).map(Some),
            "turn/interrupt" => self.interrupt(id, &params),
            "thread/backgroundTerminals/list" => {
                let thread = loaded(&mut self.threads, &params)?;
                let running = thread.turn.iter().flat_map(|turn| &turn.calls);
                let running = running.filter(|call| call.is_running_command());
                let all = thread.background.iter().chain(running).map(|call| {
                    json!({
                        "itemId": call.item["id"], "processId": call.process(),
                        "command": call.command(), "cwd": call.item["cwd"], "osPid": null,
                        "cpuPercent": null, "rssKb": null,
                    })
                });
                Ok(Some(page(all.collect())))
            }
            "thread/backgroundTerminals/terminate" => {
                let process = text(&params, "processId")?.to_owned();
                let (core, thread) = (&mut self.core, loaded(&mut self.threads, &params)?);
                let mut calls = thread.background.iter();
                let index = calls.position(|call| call.process() == process.as_str());
                core.respond(id, &json!({ "terminated": index.is_some() }));
                if let Some(index) = index {
                    let call = thread.background.remove(index);
                    thread.terminate(core, call);
                }
                Ok(None)
            }
            "thread/backgroundTerminals/clean" => {
                let (core, thread) = (&mut self.core, loaded(&mut self.threads, &params)?);
                core.respond(id, &json!({}));
                for call in std::mem::take(&mut thread.background) {
                    thread.terminate(core, call);
                }
                Ok(None)
            }
            "model/list" => Ok(Some(page(account::models()))),
            "mcpServerStatus/list" => {
                let thread = params.get("threadId").and_then(Value::as_str);
                let thread = thread.and_then(|id| self.threads.get(id));
                let servers = thread
                    .iter()
                    .flat_map(|it| it.servers.keys())
                    .map(|name| account::server(name));
                Ok(Some(page(servers.collect())))
            }
            "account/read" => Ok(Some(account::account(self.account))),
            "account/rateLimits/read" => {
                refuse("codex account authentication required to read rate limits")
            }
            "account/login/start" => {
                if text(&params, "type")? != "apiKey" {
                    return refuse("the fake Codex only logs in with an API key");
                }
                text(&params, "apiKey")?;
                self.account = Some("apiKey");
                self.core.respond(id, &json!({ "type": "apiKey" }));
                account::report_login(&mut self.core);
                Ok(None)
            }
            method => refuse(format!("Invalid request: the fake Codex has no `{method}`")),
        }
    }

    fn initialize(&mut self, params: &Params) -> Result<Value, Refusal> {
        if self.core.client.is_some() {
            return refuse("Already initialized");
        }
        let Some(info) = member(params, "clientInfo")?.as_object() else {
            return refuse("Invalid request: `clientInfo` is no object");
        };
        let (name, version) = (text(info, "name")?, text(info, "version")?);
        let capabilities = params.get("capabilities").unwrap_or(&Value::Null);
        let muted = capabilities["optOutNotificationMethods"].as_array();
        let muted = muted.into_iter().flatten().filter_map(Value::as_str);
        self.core.client = Some(Client {
            name: name.to_owned(),
            is_experimental: capabilities["experimentalApi"] == true,
            muted: muted.map(str::to_owned).collect(),
        });
        Ok(json!({
            "userAgent": format!("{name}/{VERSION} (fake) dumb ({name}; {version})"),
            "codexHome": self.core.config.home, "platformFamily": "unix", "platformOs": "linux",
        }))
    }

    /// Returns the new state of a thread without settings.
    fn new_stored(&mut self) -> Stored {
        let time = self.core.time();
        Stored {
            id: self.core.uuid(),
            forked_from: None,
            preview: String::new(),
            originator: self
                .core
                .client
                .as_ref()
                .map(|it| it.name.clone())
                .unwrap_or_default(),
            is_ephemeral: false,
            is_archived: false,
            name: None,
            created: time,
            updated: time,
            settings: Settings {
                cwd: self.core.config.cwd.clone(),
                model: account::MODELS[0].to_owned(),
                provider: "openai".to_owned(),
                effort: Value::Null,
                approval: "on-request".to_owned(),
                sandbox: json!({ "type": "readOnly", "networkAccess": false }),
                profile: json!({ "id": ":read-only", "extends": null }),
            },
            turns: vec![],
            total: Tokens::default(),
            last: None,
            dynamic_tools: BTreeSet::new(),
        }
    }

    fn start(&mut self, id: &Value, params: &Params, is_experimental: bool) -> Answer {
        check(params)?;
        let tools = params.get("dynamicTools").and_then(Value::as_array);
        if tools.is_some() && !is_experimental {
            return refuse("thread/start.dynamicTools requires experimentalApi capability");
        }
        let mut stored = self.new_stored();
        let names = tools
            .into_iter()
            .flatten()
            .filter_map(|it| it["name"].as_str());
        stored.dynamic_tools = names.map(str::to_owned).collect();
        stored.is_ephemeral = params.get("ephemeral") == Some(&Value::Bool(true));
        let mut thread = Thread::new(stored);
        thread.load(params);
        self.open(id, thread, false);
        Ok(None)
    }

    /// Responds with a new thread.
    fn open(&mut self, id: &Value, thread: Thread, has_turns: bool) {
        let core = &mut self.core;
        let turns = if has_turns {
            thread.full_turns()
        } else {
            vec![]
        };
        core.respond(id, &thread.opened(core, &turns));
        if has_turns {
            let last = thread.stored.turns.last().map(|it| it.id.clone());
            thread.report_tokens(core, &last.unwrap_or_default());
        }
        let json = thread.json(core, &[]);
        core.notify("thread/started", json!({ "thread": json }));
        thread.report_servers(core);
        thread.store(core);
        self.threads.insert(thread.stored.id.clone(), thread);
    }

    fn resume(&mut self, id: &Value, params: &Params) -> Answer {
        check(params)?;
        let (core, thread) = (&mut self.core, self.threads.get_mut(thread_id(params)?));
        let Some(thread) = thread.filter(|it| it.is_loaded || !it.stored.turns.is_empty()) else {
            return refuse(format!(
                "no rollout found for thread id {}",
                thread_id(params)?
            ));
        };
        let name = thread.stored.id.clone();
        if thread.stored.is_archived {
            return refuse(format!(
                "session {name} is archived. Run `codex unarchive {name}` to unarchive it first."
            ));
        }
        let was_loaded = thread.is_loaded;
        if !was_loaded {
            // The real one restores these sandboxes only.
            if thread.stored.settings.sandbox["type"] == "workspaceWrite" {
                let read_only = json!({ "sandbox": "read-only" });
                thread
                    .stored
                    .settings
                    .apply(read_only.as_object().unwrap_or(&Params::new()));
                thread.stored.settings.profile = json!({ "id": ":read-only", "extends": null });
            }
            thread.load(params);
            thread.report_status(core);
        }
        let has_turns = params.get("excludeTurns") != Some(&Value::Bool(true));
        let turns = if has_turns {
            thread.full_turns()
        } else {
            vec![]
        };
        let mut opened = thread.opened(core, &turns);
        opened["collaborationMode"] = thread.collaboration();
        opened["initialTurnsPage"] = Value::Null;
        for name in ["turnsBackwardsCursor", "itemsBackwardsCursor"] {
            opened[name] = "0".into();
        }
        core.respond(id, &opened);
        match was_loaded {
            true => thread.repeat_request(core),
            false => {
                let last = thread.stored.turns.last().map(|it| it.id.clone());
                thread.report_tokens(core, &last.unwrap_or_default());
            }
        }
        Ok(None)
    }

    fn fork(&mut self, id: &Value, params: &Params) -> Answer {
        check(params)?;
        let mut stored = self.new_stored();
        let source = &self.loaded_thread(params)?.stored;
        stored.forked_from = Some(source.id.clone());
        stored.preview.clone_from(&source.preview);
        stored.settings = Settings {
            // The real one drops these.
            model: stored.settings.model,
            provider: stored.settings.provider,
            effort: Value::Null,
            ..source.settings.clone()
        };
        stored.turns.clone_from(&source.turns);
        (stored.total, stored.last) = (source.total, source.last);
        stored.dynamic_tools.clone_from(&source.dynamic_tools);
        let mut thread = Thread::new(stored);
        if let Some(last) = params.get("lastTurnId").and_then(Value::as_str) {
            let end = thread.stored.turns.iter().position(|it| it.id == last);
            let Some(end) = end else {
                return refuse(format!("turn not found: {last}"));
            };
            thread.truncate(end + 1);
        }
        thread.load(params);
        let has_turns = params.get("excludeTurns") != Some(&Value::Bool(true));
        self.open(id, thread, has_turns);
        Ok(None)
    }

    fn list(&self, params: &Params) -> Value {
        let is_archived = params.get("archived") == Some(&Value::Bool(true));
        let providers = params.get("modelProviders").and_then(Value::as_array);
        let is_listed = |thread: &&Thread| {
            let provider = &thread.stored.settings.provider;
            let fits = match providers.map(Vec::as_slice) {
                None => provider == "openai",
                Some([]) => true,
                Some(names) => names.iter().any(|it| it == provider),
            };
            fits && thread.stored.is_archived == is_archived
                && !thread.stored.turns.is_empty()
                && !thread.stored.is_ephemeral
        };
        let mut threads: Vec<_> = self.threads.values().filter(is_listed).collect();
        threads.sort_by_key(|it| std::cmp::Reverse((it.stored.updated, it.stored.id.clone())));
        let data: Vec<_> = threads
            .iter()
            .map(|it| it.json_unopened(&self.core))
            .collect();
        let states: Map<_, _> = threads
            .iter()
            .map(|it| (it.stored.id.clone(), it.read_state()))
            .collect();
        let cursor = (!data.is_empty()).then_some("0");
        json!({ "data": data, "readStates": states, "nextCursor": null, "backwardsCursor": cursor })
    }

    fn read(&self, params: &Params) -> Result<Value, Refusal> {
        let thread = self.loaded_thread(params)?;
        let has_turns = params.get("includeTurns") == Some(&Value::Bool(true));
        let turns = if has_turns {
            thread.full_turns()
        } else {
            vec![]
        };
        Ok(json!({ "thread": thread.json(&self.core, &turns), "readState": thread.read_state() }))
    }

    fn archive(&mut self, id: &Value, params: &Params) -> Answer {
        let name = thread_id(params)?;
        let (core, thread) = (&mut self.core, self.threads.get_mut(name));
        let Some(thread) = thread.filter(|it| !it.stored.turns.is_empty()) else {
            return refuse(format!("no rollout found for thread id {name}"));
        };
        thread.interrupt(core, None);
        thread.stored.is_archived = true;
        if std::mem::take(&mut thread.is_loaded) {
            thread.set_status(core, "notLoaded");
        }
        thread.store(core);
        core.respond(id, &json!({}));
        core.notify("thread/archived", json!({ "threadId": name }));
        Ok(None)
    }

    fn unarchive(&mut self, id: &Value, params: &Params) -> Answer {
        let name = thread_id(params)?;
        let (core, thread) = (&mut self.core, self.threads.get_mut(name));
        let Some(thread) = thread.filter(|it| it.stored.is_archived) else {
            return refuse(format!("no archived rollout found for thread id {name}"));
        };
        thread.stored.is_archived = false;
        thread.store(core);
        core.respond(id, &json!({ "thread": thread.json(core, &[]) }));
        core.notify("thread/unarchived", json!({ "threadId": name }));
        Ok(None)
    }

    fn revert(&mut self, id: &Value, params: &Params) -> Answer {
        let before = text(params, "beforeTurnId")?;
        let (core, thread) = (&mut self.core, loaded(&mut self.threads, params)?);
        let index = thread.stored.turns.iter().position(|it| it.id == before);
        let Some(index) = index else {
            return refuse(format!("turn not found: {before}"));
        };
        thread.interrupt(core, None);
        thread.truncate(index);
        thread.set_status(core, "notLoaded");
        thread.set_status(core, "idle");
        thread.store(core);
        let cursor = (index > 0).then_some("0");
        let result = json!({
            "thread": thread.json(core, &[]), "turnsBackwardsCursor": cursor,
            "itemsBackwardsCursor": cursor,
        });
        core.respond(id, &result);
        core.notify("thread/reverted", json!({ "threadId": thread.stored.id }));
        Ok(None)
    }

    fn start_turn(&mut self, id: &Value, params: &Params) -> Answer {
        check(params)?;
        let message = self.input(params)?;
        let (core, thread) = (&mut self.core, loaded(&mut self.threads, params)?);
        if thread.turn.as_ref().is_some_and(Turn::is_compaction) {
            return Err(Refusal(-32603, NOT_STEERABLE.to_owned()));
        }
        thread.set(params);
        thread.report_settings(core);
        let stored = match &mut thread.turn {
            // A running turn gets the input.
            Some(turn) => {
                turn.input.push_back(message);
                turn.stored((Tokens::default(), None))
            }
            None => {
                let turn = Turn::new(core, vec![message], false);
                let stored = turn.stored(thread.tokens());
                thread.stored.turns.push(stored.clone());
                thread.turn = Some(turn);
                stored
            }
        };
        core.respond(id, &json!({ "turn": stored.json(&[], "notLoaded") }));
        Ok(None)
    }

    /// Returns the item of a request's input.
    fn input(&mut self, params: &Params) -> Result<Value, Refusal> {
        thread_id(params)?;
        let input = member(params, "input")?;
        let Some(parts) = input.as_array() else {
            return refuse("Invalid request: `input` is no array");
        };
        let texts = parts.iter().filter_map(|it| it["text"].as_str());
        if texts.map(|it| it.chars().count()).sum::<usize>() > MAX_PROMPT {
            return Err(Refusal(
                TOO_LARGE,
                "Input exceeds the maximum length".to_owned(),
            ));
        }
        let client_id = params.get("clientUserMessageId").unwrap_or(&Value::Null);
        Ok(user_message(&mut self.core, input, client_id))
    }

    fn steer(&mut self, params: &Params) -> Result<Value, Refusal> {
        let expected = text(params, "expectedTurnId")?;
        let message = self.input(params)?;
        let thread = loaded(&mut self.threads, params)?;
        match &mut thread.turn {
            None => refuse("no active turn to steer"),
            Some(turn) if turn.id != expected => refuse(format!(
                "expected active turn id `{expected}` but found `{}`",
                turn.id
            )),
            Some(turn) if turn.is_compaction() => Err(Refusal(-32603, NOT_STEERABLE.to_owned())),
            Some(turn) => {
                turn.input.push_back(message);
                Ok(json!({ "turnId": turn.id }))
            }
        }
    }

    fn interrupt(&mut self, id: &Value, params: &Params) -> Answer {
        let expected = text(params, "turnId")?;
        let (core, thread) = (&mut self.core, loaded(&mut self.threads, params)?);
        match &thread.turn {
            Some(turn) if turn.is_started => {
                if turn.id != expected {
                    return refuse(format!(
                        "expected active turn id {expected} but found {}",
                        turn.id
                    ));
                }
                thread.interrupt(core, Some(id));
                Ok(None)
            }
            _ => refuse("no active turn to interrupt"),
        }
    }

    /// Handles a response of the client.
    pub(super) fn answered(&mut self, id: &Value, result: Option<Value>) {
        let Some(id) = id.as_u64() else { return };
        for thread in self.threads.values_mut() {
            if thread.answered(&mut self.core, id, result.as_ref()) {
                return;
            }
        }
    }

    fn loaded_thread(&self, params: &Params) -> Result<&Thread, Refusal> {
        let id = thread_id(params)?;
        let thread = self.threads.get(id);
        thread.map_or_else(|| refuse(format!("thread not loaded: {id}")), Ok)
    }

    fn change(&mut self, id: &str, change: impl FnOnce(&mut Thread)) {
        if let Some(thread) = self.threads.get_mut(id) {
            change(thread);
            thread.store(&mut self.core);
        }
    }
}

fn thread_id(params: &Params) -> Result<&str, Refusal> {
    let id = text(params, "threadId")?;
    let is_hex = |it: u8| it.is_ascii_hexdigit() || it == b'-';
    match id.len() == 36 && id.bytes().all(is_hex) {
        true => Ok(id),
        false => refuse(format!("invalid thread id: {id}")),
    }
}

type Threads = std::collections::BTreeMap<String, Thread>;

fn loaded<'a>(threads: &'a mut Threads, params: &Params) -> Result<&'a mut Thread, Refusal> {
    let id = thread_id(params)?;
    let thread = threads.get_mut(id).filter(|it| it.is_loaded);
    thread.map_or_else(|| refuse(format!("thread not found: {id}")), Ok)
}

/// Sorts a list whose items are in order of time.
fn sorted(mut data: Vec<Value>, params: &Params, default: &str) -> Vec<Value> {
    let direction = params.get("sortDirection").and_then(Value::as_str);
    if direction.unwrap_or(default) == "desc" {
        data.reverse();
    }
    data
}

fn cursored(data: Vec<Value>) -> Value {
    json!({ "data": data, "nextCursor": null, "backwardsCursor": "0" })
}

impl Thread {
    /// Applies settings of a request.
    fn set(&mut self, params: &Params) {
        let before = self.stored.settings.clone();
        self.stored.settings.apply(params);
        self.has_new_settings |= before != self.stored.settings;
    }
}
