//! Sets of options about the agent's environment.

use super::Set;
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
    sets! {
        "servers as an argument": { "mcpServers": official_servers() }
            => |it| it.mcp_servers(our_servers());
        "servers by hand": { "mcpServers": official_servers(), "mcpServersDelivery": "argv" }
            => |it| {
                let config = json!({ "mcpServers": official_servers() });
                it.flag_value("--mcp-config", config.to_string())
            };
        "servers in initialize": { "mcpServers": official_servers(), "mcpServersDelivery": "initialize" }
            => |it| it.mcp_servers(our_servers());
        "no other servers": {
            "mcpServers": official_servers(),
            "mcpServersDelivery": "initialize",
            "strictMcpConfig": true,
        } => |it| it.mcp_servers(our_servers()).strict_mcp_config(true);
        "servers inside and outside": {
            "mcpServers": {
                "calc": "$server",
                "files": { "type": "stdio", "command": "mcp-files", "args": [] },
            },
            "mcpServersDelivery": "initialize",
        } => |it| {
            it
                .mcp_servers([("files", McpStdioServer::new("mcp-files", [""; 0]))])
                .mcp_server("calc", Tools::new())
        };
        "no servers": { "mcpServers": {} } => |it| it.mcp_servers::<&str, McpServerConfig>([]);
        "plugins as arguments": { "plugins": [
            { "type": "local", "path": "/plugins/one" },
            { "type": "local", "path": "/plugins/two", "skipMcpDiscovery": true },
        ] } => |it| it.plugins(our_plugins());
        "plugins in initialize": {
            "plugins": [
                { "type": "local", "path": "/plugins/one" },
                { "type": "local", "path": "/plugins/two", "skipMcpDiscovery": true },
            ],
            "pluginDelivery": "initialize",
        } => |it| it.plugins(our_plugins());
        "no plugins in initialize": { "plugins": [], "pluginDelivery": "initialize" }
            => |it| it.plugins::<LocalPlugin>([]);
    }
}

fn settings() -> Vec<Set> {
    sets! {
        "settings": { "settings": { "model": "haiku" }, "settingsDelivery": "initialize" }
            => |it| it.settings(json!({ "model": "haiku" }));
        "settings as text": { "settings": r#"{ "model": "haiku" }"#, "settingsDelivery": "initialize" }
            => |it| it.settings(json!({ "model": "haiku" }));
        "settings as an argument": { "settings": { "model": "haiku" } }
            => |it| it.settings(json!({ "model": "haiku" }));
        "settings by hand": { "settings": { "model": "haiku" } }
            => |it| it.flag_value("--settings", r#"{ "model": "haiku" }"#);
        "managed settings, settings, servers, plugins": {
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
        } => |it| it.managed_settings(json!({ "permissions": { "deny": ["WebFetch"] } }))
            .settings(json!({ "model": "haiku" }))
            .mcp_servers(our_servers())
            .plugins(our_plugins());
        "settings in a file": { "settings": "/etc/passwd" } => |it| it.settings_file("/etc/passwd");
        "managed settings": {
            "managedSettings": { "permissions": { "deny": ["WebFetch"] } },
            "managedSettingsDelivery": "initialize",
        } => |it| it.managed_settings(json!({ "permissions": { "deny": ["WebFetch"] } }));
        "setting sources": { "settingSources": ["user", "project", "local"] }
            => |it| it.setting_sources(["user", "project", "local"]);
        "no setting sources": { "settingSources": [] } => |it| it.setting_sources([]);
        "setting sources, settings, model": {
            "settingSources": ["project"],
            "settings": { "outputStyle": "terse" },
            "settingsDelivery": "initialize",
            "model": "haiku",
        } => |it| it.setting_sources(["project"])
            .settings(json!({ "outputStyle": "terse" }))
            .model("haiku");
    }
}

fn places() -> Vec<Set> {
    sets! {
        "directory": { "cwd": "/usr" } => |it| it.cwd("/usr");
        "directories": { "cwd": "/", "additionalDirectories": ["/usr", "/with a space"] }
            => |it| it.cwd("/").additional_directories(["/usr", "/with a space"]);
        "no more directories": { "additionalDirectories": [] }
            => |it| it.additional_directories::<&str>([]);
        "where the project is set up": { "projectConfigRoot": "/usr" }
            => |it| it.project_config_root("/usr");
        "debug": { "debug": true } => |it| it.debug(true);
        "debug file": { "debug": true, "debugFile": "/log/it" } => |it| it.debug_file("/log/it");
        "other flags": { "extraArgs": { "brief": null, "name": "a b", "odd": "--x=\"1\"\n2" } }
            => |it| it.flag("--brief")
                .flag_value("--name", "a b")
                .flag_value("--odd", "--x=\"1\"\n2");
    }
}

fn environment() -> Vec<Set> {
    sets! {
        "environment": { "env": { "LANG": "C", "CLAUDE_AGENT_SDK_CLIENT_APP": "app/1" } }
            => |it| it.env("LANG", "C").client_app("app/1");
        "markers of the program's own": { "env": {
            "CLAUDE_CODE_ENTRYPOINT": "app",
            "CLAUDE_AGENT_SDK_VERSION": "9",
            "CLAUDE_CODE_SDK_READS_SESSION_STATE": "0",
        } } => |it| it.env("CLAUDE_CODE_ENTRYPOINT", "app")
            .env("CLAUDE_AGENT_SDK_VERSION", "9")
            .env("CLAUDE_CODE_SDK_READS_SESSION_STATE", "0");
        "markers of an outer session": { "env": { "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "outer" } }
            => |it| it.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", "outer");
        "variables of JavaScript's": { "env": { "NODE_OPTIONS": "--inspect", "DEBUG": "app" } }
            => |it| it.env("NODE_OPTIONS", "--inspect").env("DEBUG", "app");
        "checkpoints, environment": { "enableFileCheckpointing": true, "env": { "LANG": "C" } }
            => |it| it.file_checkpointing(true).env("LANG", "C");
    }
}
