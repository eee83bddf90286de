//! Where the agent works, and what it finds there.

use super::{Set, introduce, set};
use agentwire::Options;
use agentwire::mcp::Tools;
use agentwire::protocol::mcp::{McpHttpServer, McpServerConfig, McpSseServer, McpStdioServer};
use agentwire::protocol::plugin::{LocalPlugin, PluginConfig};
use serde_json::{Value, json};

fn official_servers() -> Value {
    json!({
        "files": {
            "type": "stdio",
            "command": "mcp-files",
            "args": ["--read-only"],
            "env": { "LANG": "C" },
        },
        "tickets": {
            "type": "http",
            "url": "https://example.org/mcp",
            "headers": { "Authorization": "Bearer secret" },
        },
        "news": { "type": "sse", "url": "https://example.org/news" },
    })
}

fn servers_in_initialize(options: Options) -> Options {
    let files = McpStdioServer::new("mcp-files", ["--read-only"]).env("LANG", "C");
    let tickets =
        McpHttpServer::new("https://example.org/mcp").header("Authorization", "Bearer secret");
    let news = McpSseServer::new("https://example.org/news");
    let servers: [(String, McpServerConfig); 3] = [
        ("files".to_owned(), files.into()),
        ("tickets".to_owned(), tickets.into()),
        ("news".to_owned(), news.into()),
    ];
    introduce(options, |request| {
        request.mcp_servers = Some(servers.into());
    })
    .flag("--await-initialize")
}

pub(super) fn sets() -> Vec<Set> {
    let mut sets = servers_and_plugins();
    sets.extend(settings());
    sets.extend(places());
    sets.extend(environment());
    sets
}

fn servers_and_plugins() -> Vec<Set> {
    vec![
        set(
            "servers as an argument",
            json!({ "mcpServers": official_servers(), "mcpServersDelivery": "argv" }),
            |options| {
                let config = json!({ "mcpServers": official_servers() });
                options.flag_value("--mcp-config", config.to_string())
            },
        ),
        set(
            "servers in initialize",
            json!({ "mcpServers": official_servers(), "mcpServersDelivery": "initialize" }),
            servers_in_initialize,
        ),
        set(
            "no other servers",
            json!({
                "mcpServers": official_servers(),
                "mcpServersDelivery": "initialize",
                "strictMcpConfig": true,
            }),
            |options| servers_in_initialize(options).flag("--strict-mcp-config"),
        ),
        set(
            "servers inside and outside",
            json!({
                "mcpServers": {
                    "calc": "$server",
                    "files": { "type": "stdio", "command": "mcp-files" },
                },
                "mcpServersDelivery": "argv",
            }),
            |options| {
                let config = json!({ "mcpServers": {
                    "files": { "type": "stdio", "command": "mcp-files" },
                } });
                options
                    .flag_value("--mcp-config", config.to_string())
                    .mcp_server("calc", Tools::new())
            },
        ),
        set("no servers", json!({ "mcpServers": {} }), |options| options),
        set(
            "plugins as arguments",
            json!({ "plugins": [
                { "type": "local", "path": "/plugins/one" },
                { "type": "local", "path": "/plugins/two", "skipMcpDiscovery": true },
            ] }),
            |options| {
                options
                    .flag_value("--plugin-dir", "/plugins/one")
                    .flag_value("--plugin-dir-no-mcp", "/plugins/two")
            },
        ),
        set(
            "plugins in initialize",
            json!({
                "plugins": [
                    { "type": "local", "path": "/plugins/one" },
                    { "type": "local", "path": "/plugins/two", "skipMcpDiscovery": true },
                ],
                "pluginDelivery": "initialize",
            }),
            |options| {
                let one = LocalPlugin::new("/plugins/one");
                let mut two = LocalPlugin::new("/plugins/two");
                two.skip_mcp_discovery = Some(true);
                let plugins = vec![PluginConfig::Local(one), PluginConfig::Local(two)];
                introduce(options, |request| request.plugins = Some(plugins))
                    .flag("--await-initialize")
            },
        ),
        set(
            "no plugins in initialize",
            json!({ "plugins": [], "pluginDelivery": "initialize" }),
            |options| options,
        ),
    ]
}

fn settings() -> Vec<Set> {
    vec![
        set(
            "settings",
            json!({ "settings": { "model": "haiku" } }),
            |options| options.flag_value("--settings", r#"{ "model": "haiku" }"#),
        ),
        set(
            "settings as text",
            json!({ "settings": r#"{"model":"haiku"}"# }),
            |options| options.flag_value("--settings", r#"{ "model": "haiku" }"#),
        ),
        set(
            "settings in a file",
            json!({ "settings": "/some/settings.json" }),
            |options| options.flag_value("--settings", "/some/settings.json"),
        ),
        set(
            "managed settings",
            json!({ "managedSettings": { "permissions": { "deny": ["WebFetch"] } } }),
            |options| {
                let settings = json!({ "permissions": { "deny": ["WebFetch"] } });
                options.flag_value("--managed-settings", settings.to_string())
            },
        ),
        set(
            "setting sources",
            json!({ "settingSources": ["user", "project", "local"] }),
            |options| options.setting_sources(["user", "project", "local"]),
        ),
        set(
            "no setting sources",
            json!({ "settingSources": [] }),
            |options| options.setting_sources::<&str>([]),
        ),
        set(
            "setting sources, settings, model",
            json!({
                "settingSources": ["project"],
                "settings": { "outputStyle": "terse" },
                "model": "haiku",
            }),
            |options| {
                options
                    .setting_sources(["project"])
                    .flag_value("--settings", r#"{"outputStyle":"terse"}"#)
                    .model("haiku")
            },
        ),
    ]
}

fn places() -> Vec<Set> {
    vec![
        set("directory", json!({ "cwd": "/usr" }), |options| {
            options.cwd("/usr")
        }),
        set(
            "directories",
            json!({ "cwd": "/", "additionalDirectories": ["/usr", "/with a space"] }),
            |options| {
                options
                    .cwd("/")
                    .flag_value("--add-dir", "/usr")
                    .flag_value("--add-dir", "/with a space")
            },
        ),
        set(
            "no more directories",
            json!({ "additionalDirectories": [] }),
            |options| options,
        ),
        set(
            "where the project is set up",
            json!({ "projectConfigRoot": "/usr" }),
            |options| options.flag_value("--project-config-root", "/usr"),
        ),
        set("debug", json!({ "debug": true }), |options| {
            options.flag("--debug")
        }),
        set(
            "debug file",
            json!({ "debug": true, "debugFile": "/log/it" }),
            |options| options.flag_value("--debug-file", "/log/it"),
        ),
        set(
            "other flags",
            json!({ "extraArgs": { "brief": null, "name": "a b", "odd": "--x=\"1\"\n2" } }),
            |options| {
                options
                    .flag("--brief")
                    .flag_value("--name", "a b")
                    .flag_value("--odd", "--x=\"1\"\n2")
            },
        ),
    ]
}

fn environment() -> Vec<Set> {
    vec![
        set(
            "environment",
            json!({ "env": { "LANG": "C", "CLAUDE_AGENT_SDK_CLIENT_APP": "app/1" } }),
            |options| {
                options
                    .env("LANG", "C")
                    .env("CLAUDE_AGENT_SDK_CLIENT_APP", "app/1")
            },
        ),
        set(
            "markers of the program's own",
            json!({ "env": {
                "CLAUDE_CODE_ENTRYPOINT": "app",
                "CLAUDE_AGENT_SDK_VERSION": "9",
                "CLAUDE_CODE_SDK_READS_SESSION_STATE": "0",
            } }),
            |options| {
                options
                    .env("CLAUDE_CODE_ENTRYPOINT", "app")
                    .env("CLAUDE_AGENT_SDK_VERSION", "9")
                    .env("CLAUDE_CODE_SDK_READS_SESSION_STATE", "0")
            },
        ),
        set(
            "markers of an outer session",
            json!({ "env": { "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "outer" } }),
            |options| {
                options
                    .env("CLAUDECODE", "1")
                    .env("CLAUDE_CODE_SESSION_ID", "outer")
            },
        ),
        set(
            "variables of JavaScript's",
            json!({ "env": { "NODE_OPTIONS": "--inspect", "DEBUG": "app" } }),
            |options| options.env("NODE_OPTIONS", "--inspect").env("DEBUG", "app"),
        ),
        set(
            "checkpoints, environment",
            json!({ "enableFileCheckpointing": true, "env": { "LANG": "C" } }),
            |options| {
                options
                    .env("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "true")
                    .env("LANG", "C")
            },
        ),
    ]
}
