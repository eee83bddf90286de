//! Where the agent works, and what it finds there.

use super::{Set, set};
use agentwire::mcp::Tools;
use agentwire::protocol::mcp::{McpHttpServer, McpServerConfig, McpSseServer, McpStdioServer};
use agentwire::protocol::plugin::LocalPlugin;
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

fn our_servers() -> [(&'static str, McpServerConfig); 3] {
    let files = McpStdioServer::new("mcp-files", ["--read-only"]).env("LANG", "C");
    let tickets =
        McpHttpServer::new("https://example.org/mcp").header("Authorization", "Bearer secret");
    let news = McpSseServer::new("https://example.org/news");
    [
        ("files", files.into()),
        ("tickets", tickets.into()),
        ("news", news.into()),
    ]
}

pub(super) fn sets() -> Vec<Set> {
    let mut sets = servers_and_plugins();
    sets.extend(settings());
    sets.extend(places());
    sets.extend(environment());
    sets
}

fn our_plugins() -> [LocalPlugin; 2] {
    let mut two = LocalPlugin::new("/plugins/two");
    two.skip_mcp_discovery = Some(true);
    [LocalPlugin::new("/plugins/one"), two]
}

fn servers_and_plugins() -> Vec<Set> {
    vec![
        set(
            "servers as an argument",
            json!({ "mcpServers": official_servers() }),
            |options| options.mcp_servers(our_servers()),
        ),
        set(
            "servers by hand",
            json!({ "mcpServers": official_servers(), "mcpServersDelivery": "argv" }),
            |options| {
                let config = json!({ "mcpServers": official_servers() });
                options.flag_value("--mcp-config", config.to_string())
            },
        ),
        set(
            "servers in initialize",
            json!({ "mcpServers": official_servers(), "mcpServersDelivery": "initialize" }),
            |options| options.mcp_servers(our_servers()),
        ),
        set(
            "no other servers",
            json!({
                "mcpServers": official_servers(),
                "mcpServersDelivery": "initialize",
                "strictMcpConfig": true,
            }),
            |options| options.mcp_servers(our_servers()).strict_mcp_config(true),
        ),
        set(
            "servers inside and outside",
            json!({
                "mcpServers": {
                    "calc": "$server",
                    "files": { "type": "stdio", "command": "mcp-files", "args": [] },
                },
                "mcpServersDelivery": "initialize",
            }),
            |options| {
                options
                    .mcp_servers([("files", McpStdioServer::new("mcp-files", [""; 0]))])
                    .mcp_server("calc", Tools::new())
            },
        ),
        set("no servers", json!({ "mcpServers": {} }), |options| {
            options.mcp_servers::<&str, McpServerConfig>([])
        }),
        set(
            "plugins as arguments",
            json!({ "plugins": [
                { "type": "local", "path": "/plugins/one" },
                { "type": "local", "path": "/plugins/two", "skipMcpDiscovery": true },
            ] }),
            |options| options.plugins(our_plugins()),
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
            |options| options.plugins(our_plugins()),
        ),
        set(
            "no plugins in initialize",
            json!({ "plugins": [], "pluginDelivery": "initialize" }),
            |options| options.plugins::<LocalPlugin>([]),
        ),
    ]
}

fn settings() -> Vec<Set> {
    vec![
        set(
            "settings",
            json!({ "settings": { "model": "haiku" }, "settingsDelivery": "initialize" }),
            |options| options.settings(json!({ "model": "haiku" })),
        ),
        set(
            "settings as text",
            json!({ "settings": r#"{ "model": "haiku" }"#, "settingsDelivery": "initialize" }),
            |options| options.settings(json!({ "model": "haiku" })),
        ),
        set(
            "settings as an argument",
            json!({ "settings": { "model": "haiku" } }),
            |options| options.settings(json!({ "model": "haiku" })),
        ),
        set(
            "settings by hand",
            json!({ "settings": { "model": "haiku" } }),
            |options| options.flag_value("--settings", r#"{ "model": "haiku" }"#),
        ),
        set(
            "managed settings, settings, servers, plugins",
            json!({
                "managedSettings": { "permissions": { "deny": ["WebFetch"] } },
                "managedSettingsDelivery": "initialize",
                "settings": { "model": "haiku" },
                "settingsDelivery": "initialize",
                "mcpServers": official_servers(),
                "mcpServersDelivery": "initialize",
                "plugins": [
                    { "type": "local", "path": "/plugins/one" },
                    { "type": "local", "path": "/plugins/two", "skipMcpDiscovery": true },
                ],
                "pluginDelivery": "initialize",
            }),
            |options| {
                options
                    .managed_settings(json!({ "permissions": { "deny": ["WebFetch"] } }))
                    .settings(json!({ "model": "haiku" }))
                    .mcp_servers(our_servers())
                    .plugins(our_plugins())
            },
        ),
        set(
            "settings in a file",
            json!({ "settings": "/etc/passwd" }),
            |options| options.settings_file("/etc/passwd"),
        ),
        set(
            "managed settings",
            json!({
                "managedSettings": { "permissions": { "deny": ["WebFetch"] } },
                "managedSettingsDelivery": "initialize",
            }),
            |options| options.managed_settings(json!({ "permissions": { "deny": ["WebFetch"] } })),
        ),
        set(
            "setting sources",
            json!({ "settingSources": ["user", "project", "local"] }),
            |options| options.setting_sources(["user", "project", "local"]),
        ),
        set(
            "no setting sources",
            json!({ "settingSources": [] }),
            |options| options.setting_sources([]),
        ),
        set(
            "setting sources, settings, model",
            json!({
                "settingSources": ["project"],
                "settings": { "outputStyle": "terse" },
                "settingsDelivery": "initialize",
                "model": "haiku",
            }),
            |options| {
                options
                    .setting_sources(["project"])
                    .settings(json!({ "outputStyle": "terse" }))
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
                    .additional_directories(["/usr", "/with a space"])
            },
        ),
        set(
            "no more directories",
            json!({ "additionalDirectories": [] }),
            |options| options.additional_directories::<&str>([]),
        ),
        set(
            "where the project is set up",
            json!({ "projectConfigRoot": "/usr" }),
            |options| options.project_config_root("/usr"),
        ),
        set("debug", json!({ "debug": true }), |options| {
            options.debug(true)
        }),
        set(
            "debug file",
            json!({ "debug": true, "debugFile": "/log/it" }),
            |options| options.debug_file("/log/it"),
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
            |options| options.env("LANG", "C").client_app("app/1"),
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
            |options| options.file_checkpointing(true).env("LANG", "C"),
        ),
    ]
}
