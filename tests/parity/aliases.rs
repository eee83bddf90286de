//! Every name of the official SDKs finds ours: where the two differ, ours has
//! theirs as `#[doc(alias)]`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What we have for a name of theirs.
enum Ours {
    /// This function: its file below `src`, without `.rs`, and its name.
    Function(&'static str, &'static str),
    /// Nothing, for this reason.
    None(&'static str),
}
use Ours::{Function, None};

/// Methods of `Query`, in TypeScript.
const QUERY: &[(&str, Ours)] = &[
    ("interrupt", Function("handle/control/session", "interrupt")),
    (
        "setPermissionMode",
        Function("handle/control/session", "set_permission_mode"),
    ),
    (
        "setMcpPermissionModeOverride",
        Function("handle/control/mcp", "set_mcp_permission_mode_override"),
    ),
    ("setModel", Function("handle/control/session", "set_model")),
    (
        "setMaxThinkingTokens",
        Function("handle/control/session", "set_max_thinking_tokens"),
    ),
    (
        "applyFlagSettings",
        Function("handle/control/settings", "apply_flag_settings"),
    ),
    (
        "updateSettings",
        Function("handle/control/settings", "update_settings"),
    ),
    (
        "initializationResult",
        Function("client/mod", "initialized"),
    ),
    (
        "reinitialize",
        Function("handle/control/session", "initialize"),
    ),
    (
        "supportedCommands",
        Function("client/introspection", "commands"),
    ),
    (
        "supportedModels",
        Function("client/introspection", "models"),
    ),
    (
        "supportedAgents",
        Function("client/introspection", "agents"),
    ),
    (
        "mcpServerStatus",
        Function("handle/control/mcp", "mcp_status"),
    ),
    (
        "getContextUsage",
        Function("handle/control/introspection", "context_usage"),
    ),
    (
        "usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET",
        Function("handle/control/introspection", "usage"),
    ),
    ("readFile", Function("handle/control/files", "read_file")),
    (
        "reloadPlugins",
        Function("handle/control/plugins", "reload_plugins"),
    ),
    (
        "reloadSkills",
        Function("handle/control/plugins", "reload_skills"),
    ),
    (
        "reloadOutputStyles",
        Function("handle/control/plugins", "reload_output_styles"),
    ),
    ("accountInfo", Function("client/introspection", "account")),
    (
        "rewindFiles",
        Function("handle/control/files", "rewind_files"),
    ),
    (
        "seedReadState",
        Function("handle/control/files", "seed_read_state"),
    ),
    (
        "reconnectMcpServer",
        Function("handle/control/mcp", "mcp_reconnect"),
    ),
    (
        "toggleMcpServer",
        Function("handle/control/mcp", "mcp_toggle"),
    ),
    (
        "readMcpResource",
        Function("handle/control/mcp", "mcp_read_resource"),
    ),
    (
        "setMcpServers",
        Function("handle/control/mcp", "mcp_set_servers"),
    ),
    ("streamInput", Function("handle/mod", "send")),
    ("stopTask", Function("handle/control/tasks", "stop_task")),
    (
        "backgroundTasks",
        Function("handle/control/tasks", "background_all"),
    ),
    ("close", Function("client/mod", "close")),
];

/// Methods of `ClaudeSDKClient`, in Python.
const CLIENT: &[(&str, Ours)] = &[
    ("connect", Function("client/mod", "connect")),
    ("receive_messages", Function("client/views", "messages")),
    ("query", Function("handle/mod", "send")),
    ("interrupt", Function("handle/control/session", "interrupt")),
    (
        "set_permission_mode",
        Function("handle/control/session", "set_permission_mode"),
    ),
    ("set_model", Function("handle/control/session", "set_model")),
    (
        "rewind_files",
        Function("handle/control/files", "rewind_files"),
    ),
    (
        "reconnect_mcp_server",
        Function("handle/control/mcp", "mcp_reconnect"),
    ),
    (
        "toggle_mcp_server",
        Function("handle/control/mcp", "mcp_toggle"),
    ),
    ("stop_task", Function("handle/control/tasks", "stop_task")),
    (
        "get_mcp_status",
        Function("handle/control/mcp", "mcp_status"),
    ),
    (
        "get_context_usage",
        Function("handle/control/introspection", "context_usage"),
    ),
    ("get_server_info", Function("client/mod", "initialized")),
    ("receive_response", Function("handle/turn", "turn")),
    ("disconnect", Function("client/mod", "close")),
];

/// Fields of `ClaudeAgentOptions`, in Python, that are not named as an option
/// of ours.
const FIELDS: &[(&str, Ours)] = &[
    (
        "continue_conversation",
        Function("options", "continue_latest"),
    ),
    ("fallback_model", Function("options", "fallback_models")),
    (
        "permission_prompt_tool_name",
        Function("options", "permission_prompt_tool"),
    ),
    ("cli_path", Function("options", "cli")),
    ("add_dirs", Function("options", "additional_directories")),
    ("extra_args", Function("options", "flag_value")),
    ("max_buffer_size", Function("options", "line_limit")),
    ("debug_stderr", None("deprecated in favour of `stderr`")),
    ("stderr", Function("options", "on_stderr")),
    ("can_use_tool", Function("options", "on_permission")),
    ("hooks", Function("options", "hook")),
    (
        "user",
        None("a `Transport` can start the CLI as another user"),
    ),
    (
        "include_partial_messages",
        Function("options", "partial_messages"),
    ),
    ("include_hook_events", Function("options", "hook_events")),
    ("resume_session_at", Function("options", "resume_at")),
    ("max_thinking_tokens", Function("options", "thinking")),
    (
        "enable_file_checkpointing",
        Function("options", "file_checkpointing"),
    ),
    ("load_timeout_ms", Function("options", "load_timeout")),
];

/// What is not as the tables have it. `options`: the names of their options, and
/// ours.
pub(crate) fn complaints<'a>(
    typescript: &Path,
    python: &Path,
    options: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let ours = functions(&source, "");
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    let mut complaints = vec![];

    let declared = members(
        &read(&typescript.join("sdk.d.ts")),
        "export declare interface Query ",
        |line| name_before(line.strip_prefix("    ")?, '('),
    );
    compare("Query", &declared, QUERY, &ours, &mut complaints);
    let declared = members(
        &read(&python.join("client.py")),
        "class ClaudeSDKClient",
        |line| {
            let line = line.strip_prefix("    ")?;
            let line = line.strip_prefix("async ").unwrap_or(line);
            name_before(line.strip_prefix("def ")?, '(').filter(|name| !name.starts_with('_'))
        },
    );
    compare("ClaudeSDKClient", &declared, CLIENT, &ours, &mut complaints);
    let mut declared = members(
        &read(&python.join("types.py")),
        "class ClaudeAgentOptions",
        |line| {
            // Its documentation has lines with colons as well.
            let line = line.strip_prefix("    ")?;
            let is_field = |name: &String| {
                name.starts_with(|first: char| first.is_ascii_lowercase())
                    && line[name.len()..].starts_with(": ")
            };
            name_before(line, ':').filter(is_field)
        },
    );
    // Those that have our names need no line.
    declared.retain(|name| !ours.contains_key(&("options".to_owned(), name.clone())));
    compare(
        "ClaudeAgentOptions",
        &declared,
        FIELDS,
        &ours,
        &mut complaints,
    );
    for (theirs, name) in options {
        check("Options", theirs, "options", name, &ours, &mut complaints);
    }
    complaints
}

fn compare(
    of: &str,
    declared: &BTreeSet<String>,
    table: &[(&str, Ours)],
    functions: &Functions,
    complaints: &mut Vec<String>,
) {
    assert!(declared.len() > 10, "`{of}` is read wrongly: {declared:?}");
    let listed: BTreeSet<&str> = table.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        listed.len(),
        table.len(),
        "a name of `{of}` stands there twice"
    );
    for name in declared {
        if !listed.contains(name.as_str()) {
            complaints.push(format!("`{of}.{name}` is theirs, and not in the table"));
        }
    }
    for (name, ours) in table {
        if !declared.contains(*name) {
            complaints.push(format!("`{of}.{name}` is in the table, and not theirs"));
        }
        match ours {
            Function(file, function) => check(of, name, file, function, functions, complaints),
            None(reason) => assert!(!reason.is_empty(), "{name}"),
        }
    }
}

fn check(
    of: &str,
    theirs: &str,
    file: &str,
    ours: &str,
    functions: &Functions,
    complaints: &mut Vec<String>,
) {
    let Some(aliases) = functions.get(&(file.to_owned(), ours.to_owned())) else {
        complaints.push(format!("`{of}.{theirs}`: there is no `{ours}` in {file}"));
        return;
    };
    if snake(theirs) != ours && !aliases.contains(theirs) {
        complaints.push(format!(
            "`{of}.{theirs}`: `{ours}` in {file} has no `#[doc(alias = \"{theirs}\")]`"
        ));
    }
}

/// The aliases of public functions, by file and name.
type Functions = BTreeMap<(String, String), BTreeSet<String>>;

/// The public functions below a folder. Those of options have one file, since
/// they are methods of one type.
fn functions(folder: &Path, at: &str) -> Functions {
    let mut found = Functions::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let file = match at {
            "" => name.to_owned(),
            "options" => at.to_owned(),
            at => format!("{at}/{name}"),
        };
        if path.is_dir() {
            found.extend(functions(&path, &file));
            continue;
        }
        let mut aliases = BTreeSet::new();
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let line = line.trim_start();
            if let Some(alias) = line.strip_prefix("#[doc(alias = \"") {
                aliases.extend(alias.split('"').next().map(str::to_owned));
                continue;
            }
            let function = line
                .strip_prefix("pub fn ")
                .or_else(|| line.strip_prefix("pub async fn "));
            if let Some(function) = function {
                let name = function.split(['(', '<']).next().unwrap().to_owned();
                let all: &mut BTreeSet<String> = found.entry((file.clone(), name)).or_default();
                all.append(&mut aliases);
            }
        }
    }
    found
}

/// The names of what is declared in a block that begins with this line.
fn members(text: &str, begins: &str, name: impl Fn(&str) -> Option<String>) -> BTreeSet<String> {
    let lines = text.lines().skip_while(|line| !line.starts_with(begins));
    let inside = lines
        .skip(1)
        .take_while(|line| line.is_empty() || line.starts_with(' '));
    inside.filter_map(name).collect()
}

/// The name that a line begins with, where this follows it.
fn name_before(line: &str, behind: char) -> Option<String> {
    let (name, _) = line.split_once(behind)?;
    let name = name.strip_suffix('?').unwrap_or(name);
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_owned())
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
