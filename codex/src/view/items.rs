//! Items, notices and requests of Codex as updates of the Agent Client Protocol.

use crate::shell::script;
use serde_json::{Value, json};

pub(super) fn text<'a>(value: &'a Value, member: &str) -> Option<&'a str> {
    value.get(member)?.as_str()
}

pub(super) fn array<'a>(value: &'a Value, member: &str) -> &'a [Value] {
    value[member].as_array().map_or(&[], Vec::as_slice)
}

/// Returns the texts of a list of texts, or of objects with a text.
fn texts<'a>(value: &'a Value, member: &str) -> Vec<&'a str> {
    let texts = array(value, member).iter();
    texts
        .filter_map(|it| it.as_str().or(text(it, "text")))
        .collect()
}

/// Returns the text of a text item. Reasoning has several texts.
pub(super) fn whole_text(item: &Value) -> String {
    match text(item, "text") {
        Some(text) => text.to_owned(),
        None => [texts(item, "summary"), texts(item, "content")]
            .concat()
            .join("\n\n"),
    }
}

/// Returns the user message of an item.
pub(super) fn prompt(item: &Value) -> Value {
    let block = |input: &Value| {
        let file = text(input, "name").or(text(input, "path"));
        match (text(input, "type"), text(input, "url"), file) {
            (Some("text"), ..) => json!({"type": "text", "text": input["text"]}),
            (Some("image"), Some(url), _) => json!({"type": "image", "source": source(url)}),
            (Some("localImage"), _, Some(path)) => {
                json!({"type": "image", "source": {"type": "url", "url": path}})
            }
            (_, _, Some(name)) => json!({"type": "text", "text": format!("[{name}]")}),
            (kind, ..) => json!({"type": "text", "text": format!("[{}]", kind.unwrap_or("?"))}),
        }
    };
    let blocks: Vec<Value> = array(item, "content").iter().map(block).collect();
    json!({"type": "user", "message": {"role": "user", "content": blocks}})
}

fn source(url: &str) -> Value {
    match data_url(url) {
        Some((media_type, data)) => {
            json!({"type": "base64", "media_type": media_type, "data": data})
        }
        None => json!({"type": "url", "url": url}),
    }
}

fn data_url(url: &str) -> Option<(&str, &str)> {
    url.strip_prefix("data:")?.split_once(";base64,")
}

/// Returns the update for an item that is a call. Returns `None` for other items.
pub(super) fn call(item: &Value, cwd: Option<&str>, is_done: bool) -> Option<Value> {
    let of = |member: &str| text(item, member).unwrap_or_default();
    let kind = text(item, "type")?;
    let mut call = json!({"sessionUpdate": "tool_call_update", "name": kind, "kind": "other",
        "status": status(item, is_done)});
    let title = match kind {
        "commandExecution" => command(item, cwd, &mut call),
        "fileChange" => file_change(item, cwd, &mut call),
        "mcpToolCall" => {
            let (server, tool) = (of("server"), of("tool"));
            call["name"] = format!("mcp__{server}__{tool}").into();
            call["rawInput"] = arguments(item);
            let result = &item["result"];
            let mut blocks = array(result, "content").to_vec();
            if blocks.is_empty() && !result["structuredContent"].is_null() {
                blocks.push(block(&result["structuredContent"].to_string()));
            }
            blocks.extend(text(&item["error"], "message").map(block));
            call["content"] = contents(blocks);
            format!("{tool} ({server})")
        }
        "dynamicToolCall" => {
            let tool = of("tool");
            call["name"] = tool.into();
            call["rawInput"] = arguments(item);
            let blocks = array(item, "contentItems").iter().map(|it| {
                let url = text(it, "imageUrl").or(text(it, "audioUrl"));
                match url.map(|url| (url, data_url(url))) {
                    Some((_, Some((media_type, data)))) => {
                        json!({"type": "image", "mimeType": media_type, "data": data})
                    }
                    Some((url, None)) => json!({"type": "resource_link", "uri": url}),
                    None => block(text(it, "text").unwrap_or_default()),
                }
            });
            call["content"] = contents(blocks.collect());
            match text(item, "namespace") {
                Some(namespace) => format!("{tool} ({namespace})"),
                None => tool.to_owned(),
            }
        }
        "webSearch" => {
            call["kind"] = "fetch".into();
            let links = array(item, "results").iter().filter_map(|it| {
                let url = text(it, "url")?;
                Some(json!({"type": "resource_link", "uri": url, "name": it["title"]}))
            });
            call["content"] = contents(links.collect());
            web_search(item)
        }
        "imageView" => {
            call["kind"] = "read".into();
            call["locations"] = json!([{"path": item["path"]}]);
            format!("View {}", short(of("path"), cwd))
        }
        "imageGeneration" => {
            let mut blocks: Vec<Value> =
                text(item, "revisedPrompt").map(block).into_iter().collect();
            if !of("result").is_empty() {
                blocks.push(
                    json!({"type": "image", "mimeType": "image/png", "data": item["result"],
                        "uri": item["savedPath"]}),
                );
            }
            call["content"] = contents(blocks);
            "Generate an image".to_owned()
        }
        "sleep" => match item["durationMs"].as_u64() {
            Some(ms) => format!("Wait {} s", ms.div_ceil(1000)),
            None => "Wait".to_owned(),
        },
        "collabAgentToolCall" => {
            call["name"] = of("tool").into();
            call["content"] = contents(text(item, "prompt").map(block).into_iter().collect());
            format!("Sub-agents: {}", words(of("tool")).to_lowercase())
        }
        "functionCallOutput" => {
            call["name"] = of("name").into();
            let output = text(item, "output").map(str::to_owned);
            let output = output.unwrap_or_else(|| texts(item, "output").join("\n"));
            call["content"] = contents(vec![block(&output)]);
            format!("Result of {}", of("name"))
        }
        _ => {
            text(item, "status")?;
            let mut input = item.as_object()?.clone();
            input.retain(|name, it| {
                !matches!(
                    &**name,
                    "type" | "id" | "status" | "startedAtMs" | "completedAtMs"
                ) && !it.is_null()
            });
            call["rawInput"] = input.into();
            words(kind)
        }
    };
    call["title"] = title.into();
    Some(call)
}

fn status(item: &Value, is_done: bool) -> &'static str {
    match text(item, "status") {
        Some("failed" | "declined" | "interrupted") => "failed",
        _ if is_done => "completed",
        _ => "in_progress",
    }
}

fn block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn contents(blocks: Vec<Value>) -> Value {
    let content = |it| json!({"type": "content", "content": it});
    blocks.into_iter().map(content).collect()
}

/// Returns the arguments of a tool. A member that a view would display as a shell command is nested
/// here.
fn arguments(item: &Value) -> Value {
    let arguments = &item["arguments"];
    match arguments.get("command").or(arguments.get("cmd")) {
        Some(_) => json!({"arguments": arguments}),
        None => arguments.clone(),
    }
}

/// Returns the words of a name in camel case, as the beginning of a sentence.
fn words(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        match words.is_empty() {
            true => words.extend(c.to_uppercase()),
            false if c.is_uppercase() => {
                words.push(' ');
                words.extend(c.to_lowercase());
            }
            false => words.push(c),
        }
    }
    words
}

/// Returns a path relative to the working directory.
fn short<'a>(path: &'a str, cwd: Option<&str>) -> &'a str {
    let inside = cwd.and_then(|cwd| path.strip_prefix(cwd)?.strip_prefix(['/', '\\']));
    inside.filter(|it| !it.is_empty()).unwrap_or(path)
}

fn command(item: &Value, cwd: Option<&str>, call: &mut Value) -> String {
    let command = text(item, "command").unwrap_or_default();
    let command = script(command).unwrap_or_else(|| command.to_owned());
    let actions = array(item, "commandActions");
    let kinds: Vec<&str> = actions.iter().filter_map(|it| text(it, "type")).collect();
    let is_known = |it: &&str| matches!(*it, "read" | "listFiles" | "search");
    call["rawInput"] = json!({"command": command});
    if let Some(output) = text(item, "aggregatedOutput").filter(|it| !it.is_empty()) {
        call["_meta"]["terminal_output"]["data"] = output.into();
    }
    call["_meta"]["terminal_exit"]["exit_code"] = item["exitCode"].clone();
    let place = text(item, "cwd").filter(|it| cwd.is_some_and(|cwd| cwd != *it));
    let place = place.map(|it| format!(" (in {})", short(it, cwd)));
    let place = place.unwrap_or_default();
    if kinds.is_empty() || kinds.len() < actions.len() || !kinds.iter().all(is_known) {
        call["kind"] = "execute".into();
        return format!("Run {command}{place}");
    }
    call["kind"] = match kinds.iter().all(|it| *it == "read") {
        true => "read".into(),
        false => "search".into(),
    };
    let paths = actions.iter().filter(|it| it["path"].is_string());
    call["locations"] = paths.map(|it| json!({"path": it["path"]})).collect();
    let titles = actions.iter().map(|it| {
        let path = text(it, "path").map(|path| short(path, cwd));
        let inside = path.map(|path| format!(" in {path}")).unwrap_or_default();
        match (text(it, "type"), text(it, "query")) {
            (Some("read"), _) => format!("Read {}", path.or(text(it, "name")).unwrap_or("a file")),
            (Some("search"), Some(query)) => format!("Search for {query:?}{inside}"),
            (Some("search"), None) => format!("Search{inside}"),
            _ => format!("List the files{inside}"),
        }
    });
    titles.collect::<Vec<_>>().join("; ") + &place
}

fn file_change(item: &Value, cwd: Option<&str>, call: &mut Value) -> String {
    let changes = array(item, "changes");
    let verb = |change: &Value| match text(&change["kind"], "type") {
        Some("add") => "Create",
        Some("delete") => "Delete",
        _ if change["kind"]["move_path"].is_string() => "Move",
        _ => "Edit",
    };
    let path = |it: &Value| short(text(it, "path").unwrap_or("a file"), cwd).to_owned();
    call["content"] = change_contents(&item["changes"]);
    let paths = changes
        .iter()
        .flat_map(|it| [&it["path"], &it["kind"]["move_path"]]);
    let paths = paths.filter(|it| it.is_string());
    call["locations"] = paths.map(|it| json!({"path": it})).collect();
    let Some(first) = changes.first().map(verb) else {
        call["kind"] = "edit".into();
        return "Change files".to_owned();
    };
    let is_same = changes.iter().all(|it| verb(it) == first);
    call["kind"] = match first {
        "Delete" if is_same => "delete".into(),
        "Move" if is_same => "move".into(),
        _ => "edit".into(),
    };
    let verb = if is_same { first } else { "Edit" };
    let mut paths: Vec<String> = changes.iter().map(path).take(3).collect();
    if let ([_], Some(to)) = (changes, text(&changes[0]["kind"], "move_path")) {
        paths.push(format!("to {}", short(to, cwd)));
        return format!("{verb} {}", paths.join(" "));
    }
    if changes.len() > paths.len() {
        paths.push(format!("and {} more", changes.len() - paths.len()));
    }
    format!("{verb} {}", paths.join(", "))
}

/// Returns the diffs of changed files.
pub(super) fn change_contents(changes: &Value) -> Value {
    let content = |change: &Value| {
        let kind = &change["kind"];
        let path = text(kind, "move_path").or(text(change, "path"));
        let diff = &change["diff"];
        match text(kind, "type") {
            Some("add") => json!({"type": "diff", "path": path, "newText": diff}),
            Some("delete") => {
                json!({"type": "diff", "path": path, "oldText": diff, "newText": ""})
            }
            _ => json!({"type": "diff", "path": path, "patch": {"text": diff}}),
        }
    };
    changes
        .as_array()
        .into_iter()
        .flatten()
        .map(content)
        .collect()
}

fn web_search(item: &Value) -> String {
    let action = &item["action"];
    let query = text(action, "query").or(text(item, "query"));
    match (text(action, "type"), text(action, "url")) {
        (Some("openPage"), Some(url)) => format!("Open {url}"),
        (Some("findInPage"), Some(url)) => {
            let pattern = text(action, "pattern").unwrap_or_default();
            format!("Search for {pattern:?} in {url}")
        }
        _ => match query.filter(|it| !it.is_empty()) {
            Some(query) => format!("Search the web for {query:?}"),
            None => "Search the web".to_owned(),
        },
    }
}

/// Returns a notice. Long lines and further lines become its detail.
fn notice_value(kind: &str, title: &str, detail: Option<&str>) -> Value {
    const LONGEST: usize = 200;
    let is_long = title.len() > LONGEST || title.contains('\n');
    let detail = detail.or(is_long.then_some(title));
    json!({"sessionUpdate": "notice", "title": title, "description": detail,
        "_meta": {"kind": kind}})
}

/// Returns the notice for an item, if it is shown as one.
pub(super) fn item_notice(item: &Value) -> Option<Value> {
    let review = text(item, "review");
    Some(match text(item, "type")? {
        "contextCompaction" => notice_value("compacted", "The conversation was compacted", None),
        "hookPrompt" => {
            let said = texts(item, "fragments").join("\n");
            notice_value("hook", "A hook continued the turn", Some(&said))
        }
        "enteredReviewMode" => {
            let title = format!("Review: {}", review.unwrap_or("the changes"));
            notice_value("info", &title, None)
        }
        "exitedReviewMode" => notice_value("info", "The review is done", review),
        "subAgentActivity" => {
            let path = text(item, "agentPath").unwrap_or_default();
            let what = text(item, "kind").unwrap_or("changed");
            notice_value("info", &format!("Sub-agent {path}: {what}"), None)
        }
        _ => return None,
    })
}

/// Returns the notice for a notification, if it is shown as one.
pub(super) fn notice(method: &str, params: &Value) -> Option<Value> {
    let of = |member: &str| text(params, member);
    Some(match method {
        "warning" | "guardianWarning" => notice_value("warning", of("message")?, None),
        "configWarning" => notice_value("warning", of("summary")?, of("details")),
        "deprecationNotice" => notice_value("info", of("summary")?, of("details")),
        "model/rerouted" => {
            let (from, to) = (of("fromModel")?, of("toModel")?);
            let title = format!("{to} responds instead of {from}");
            let why = of("reason").map(words);
            notice_value("model_changed", &title, why.as_deref())
        }
        "mcpServer/startupStatus/updated" if of("status") == Some("failed") => {
            let title = format!("The MCP server {} did not start", of("name")?);
            notice_value("warning", &title, of("error"))
        }
        "hook/completed" => {
            let run = &params["run"];
            let said = texts(run, "entries").join("\n");
            let outcome = text(run, "status").unwrap_or_default();
            if said.is_empty() && outcome == "completed" {
                return None;
            }
            let event = text(run, "eventName").map(words).unwrap_or_default();
            notice_value("hook", &format!("Hook {event:?}: {outcome}"), Some(&said))
        }
        "thread/reverted" => {
            notice_value("info", "The thread was set back to an earlier turn", None)
        }
        _ => return None,
    })
}

/// Returns the notice for a rate limit that is close or reached.
pub(super) fn rate_limit(window: &Value, used: f64) -> Value {
    let name = match window["windowDurationMins"].as_u64() {
        Some(minutes) if minutes % 1440 == 0 => format!("{}-day", minutes / 1440),
        Some(minutes) if minutes % 60 == 0 => format!("{}-hour", minutes / 60),
        Some(minutes) => format!("{minutes}-minute"),
        None => "rate".to_owned(),
    };
    let title = match used >= 100.0 {
        true => format!("The {name} limit is reached"),
        false => format!("{used:.0} % of the {name} limit is used"),
    };
    let at = window["resetsAt"].as_u64();
    let at = at.map(|at| format!("It resets at the Unix time {at}."));
    notice_value("rate_limit", &title, at.as_deref())
}

/// Returns the reason why a turn failed, and a remedy.
pub(super) fn failure(error: &Value) -> String {
    let message = text(error, "message").unwrap_or("The turn failed.");
    let info = &error["codexErrorInfo"];
    let details = info.as_object().and_then(|it| it.iter().next());
    let kind = info.as_str().or(details.map(|it| it.0.as_str()));
    let code = details.and_then(|it| it.1["httpStatusCode"].as_u64());
    let advice = match (kind.unwrap_or_default(), code) {
        ("unauthorized", _) | (_, Some(401 | 403)) => {
            "Log in to Codex again, or check the API key of the model provider."
        }
        ("usageLimitExceeded", _) => "Wait until the limit resets, or use another account.",
        ("rateLimitExceeded" | "serverOverloaded", _) | (_, Some(429)) => {
            "Send the prompt again later."
        }
        ("modelNotFound", _) => "Choose another model.",
        ("sessionBudgetExceeded", _) => "Start a new thread, or raise its budget.",
        ("internalServerError" | "responseTooManyFailedAttempts", _) => {
            "Send the prompt again. The model provider has a problem."
        }
        (
            "httpConnectionFailed"
            | "responseStreamConnectionFailed"
            | "responseStreamDisconnected",
            _,
        ) => "Check the network, and send the prompt again.",
        _ => "",
    };
    let details = text(error, "additionalDetails").unwrap_or_default();
    let parts = [message, details, advice].into_iter();
    parts
        .filter(|it| !it.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns the parameters of a permission request, and its item.
pub(super) fn approval(method: &str, params: &Value, cwd: Option<&str>) -> Option<(Value, Value)> {
    let of = |member: &str| text(params, member);
    let mut title = None;
    let mut reason = of("reason").map(str::to_owned);
    let mut always = Some("Allow this for the session");
    let item = match method {
        "item/commandExecution/requestApproval" => {
            let item = json!({"type": "commandExecution", "status": "inProgress",
                "command": params["command"], "cwd": params["cwd"],
                "commandActions": params["commandActions"]});
            let network = &params["networkApprovalContext"];
            let command = of("command").unwrap_or("a command");
            let command = script(command).unwrap_or_else(|| command.to_owned());
            title = Some(match (of("kind"), text(network, "host")) {
                (_, Some(host)) => format!("Connect to {host}"),
                (Some("writeStdin"), _) => format!("Write to a running command: {command}"),
                _ => {
                    let place = of("cwd").filter(|it| cwd.is_some_and(|cwd| cwd != *it));
                    let place = place.map(|it| format!(" (in {it})"));
                    format!("Run {command}{}", place.unwrap_or_default())
                }
            });
            if !params["additionalPermissions"].is_null() {
                let more = format!("With more permissions: {}", params["additionalPermissions"]);
                reason = Some(reason.map_or(more.clone(), |it| format!("{it} {more}")));
            }
            item
        }
        "item/fileChange/requestApproval" => {
            if let Some(root) = of("grantRoot") {
                let grant = format!("Allows changes below {root} for the session.");
                reason = Some(reason.map_or(grant.clone(), |it| format!("{it} {grant}")));
            }
            json!({"type": "fileChange", "status": "inProgress"})
        }
        "mcpServer/elicitation/request" => {
            let meta = &params["_meta"];
            let persist = &meta["persist"];
            let persists = |it: &Value| it == "session" || it == "always";
            let is_offered = persists(persist) || array(meta, "persist").iter().any(persists);
            always = always.filter(|_| is_offered);
            json!({"type": "mcpToolCall", "status": "inProgress", "server": params["serverName"],
                "tool": meta["tool_name"], "arguments": meta["tool_params"]})
        }
        "item/permissions/requestApproval" => {
            json!({"type": "grantPermissions", "status": "inProgress", "cwd": params["cwd"],
                "permissions": params["permissions"]})
        }
        _ => return None,
    };
    let options: Vec<Value> = always
        .map(|it| json!({"kind": "allow_always", "name": it}))
        .into_iter()
        .collect();
    let approval = json!({"title": title, "description": reason, "options": options,
        "toolCall": {}});
    Some((approval, item))
}

/// Returns the question of an MCP server.
pub(super) fn elicitation(params: &Value) -> Value {
    let message = text(params, "message").or(text(params, "description"));
    json!({"subtype": "elicitation", "mcp_server_name": text(params, "serverName"),
        "message": message.unwrap_or_default(), "mode": params["mode"],
        "url": text(params, "url"), "title": text(params, "title"),
        "requested_schema": params["requestedSchema"]})
}

/// Returns questions of the model, as the input of Claude Code's tool.
pub(super) fn questions(params: &Value) -> Value {
    let question = |it: &Value| {
        let option = |it: &Value| json!({"label": it["label"], "description": it["description"]});
        let options: Vec<Value> = array(it, "options").iter().map(option).collect();
        json!({"question": it["question"], "header": it["header"], "multiSelect": false,
            "options": options})
    };
    let questions: Vec<Value> = array(params, "questions").iter().map(question).collect();
    json!({"questions": questions})
}
