//! Checks that every name of the official SDKs finds an item of this library. If the
//! names differ, our item has theirs as `#[doc(alias)]`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

// Each line has a name of theirs, and the file of our function below `src` without `.rs`
// and its name; or the reason why we have no counterpart.

/// Methods of `Query`, in TypeScript.
const QUERY: &str = "\
interrupt: control/session interrupt
setPermissionMode: control/session set_permission_mode
setMcpPermissionModeOverride: control/mcp set_mcp_permission_mode_override
setModel: control/session set_model
setMaxThinkingTokens: control/session set_max_thinking_tokens
applyFlagSettings: control/settings apply_flag_settings
updateSettings: control/settings update_settings
initializationResult: client/mod initialized
reinitialize: control/session initialize
supportedCommands: client/introspection commands
supportedModels: client/introspection models
supportedAgents: client/introspection agents
mcpServerStatus: control/mcp mcp_status
getContextUsage: control/introspection context_usage
usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET: control/introspection usage
readFile: control/files read_file
reloadPlugins: control/plugins reload_plugins
reloadSkills: control/plugins reload_skills
reloadOutputStyles: control/plugins reload_output_styles
accountInfo: client/introspection account
rewindFiles: control/files rewind_files
seedReadState: control/files seed_read_state
reconnectMcpServer: control/mcp mcp_reconnect
toggleMcpServer: control/mcp mcp_toggle
readMcpResource: control/mcp mcp_read_resource
setMcpServers: control/mcp mcp_set_servers
streamInput: handle/mod send
stopTask: control/tasks stop_task
backgroundTasks: control/tasks background_all
close: client/mod close";

/// Methods of `ClaudeSDKClient`, in Python.
const CLIENT: &str = "\
connect: client/mod connect
receive_messages: client/views messages
query: handle/mod send
interrupt: control/session interrupt
set_permission_mode: control/session set_permission_mode
set_model: control/session set_model
rewind_files: control/files rewind_files
reconnect_mcp_server: control/mcp mcp_reconnect
toggle_mcp_server: control/mcp mcp_toggle
stop_task: control/tasks stop_task
get_mcp_status: control/mcp mcp_status
get_context_usage: control/introspection context_usage
get_server_info: client/mod initialized
receive_response: handle/turn turn
disconnect: client/mod close";

/// Fields of `ClaudeAgentOptions`, in Python, whose name differs from our option.
const FIELDS: &str = "\
continue_conversation: options continue_latest
fallback_model: options fallback_models
permission_prompt_tool_name: options permission_prompt_tool
cli_path: options cli
add_dirs: options additional_directories
extra_args: options flag_value
max_buffer_size: options line_limit
debug_stderr: none, deprecated in favour of `stderr`
stderr: options on_stderr
can_use_tool: options on_permission
hooks: options hook
user: none, a `Transport` can start the CLI as another user
include_partial_messages: options partial_messages
include_hook_events: options hook_events
resume_session_at: options resume_at
max_thinking_tokens: options thinking
enable_file_checkpointing: options file_checkpointing
load_timeout_ms: options load_timeout";

/// Returns the differences from the tables. `options` maps the names of their options to
/// ours.
pub(crate) fn differences<'a>(
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
            // The documentation also contains lines with colons.
            let line = line.strip_prefix("    ")?;
            let is_field = |name: &String| {
                name.starts_with(|first: char| first.is_ascii_lowercase())
                    && line[name.len()..].starts_with(": ")
            };
            name_before(line, ':').filter(is_field)
        },
    );
    // Fields with the name of our option need no line.
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
    table: &str,
    functions: &Functions,
    complaints: &mut Vec<String>,
) {
    assert!(declared.len() > 10, "`{of}` is read wrongly: {declared:?}");
    let rows = table.lines().filter_map(|line| line.split_once(": "));
    let rows: BTreeMap<&str, &str> = rows.collect();
    assert_eq!(
        rows.len(),
        table.lines().count(),
        "a name of `{of}` stands there twice"
    );
    for name in declared {
        if !rows.contains_key(name.as_str()) {
            complaints.push(format!("`{of}.{name}` is theirs, and not in the table"));
        }
    }
    for (name, ours) in rows {
        if !declared.contains(name) {
            complaints.push(format!("`{of}.{name}` is in the table, and not theirs"));
        }
        if !ours.starts_with("none, ") {
            let (file, function) = ours.split_once(' ').unwrap();
            check(of, name, file, function, functions, complaints);
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

/// Returns the public functions below a folder. All options count as one file, because
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

/// Returns the names in the block that begins with this line.
fn members(text: &str, begins: &str, name: impl Fn(&str) -> Option<String>) -> BTreeSet<String> {
    let lines = text.lines().skip_while(|line| !line.starts_with(begins));
    let inside = lines
        .skip(1)
        .take_while(|line| line.is_empty() || line.starts_with(' '));
    inside.filter_map(name).collect()
}

/// Returns the name at the start of a line, if `behind` follows it.
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
