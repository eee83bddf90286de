//! The types of `agentwire_protocol::mcp`.

use crate::fields::table::{either, enums, objects};

objects! { mcp:
    McpClaudeAiProxyServer { url, id, timeout }
    McpElicitation {
        mcp_server_name, message, mode, url, elicitation_id, requested_schema, property_order,
        title, display_name, description,
    }
    McpElicitationResult { action, content, meta = "_meta" }
    McpHttpServer { url, headers, tools, timeout, always_load = "alwaysLoad" }
    McpMessage { server_name, message }
    McpReply { mcp_response }
    McpSdkServer { name, timeout, tools }
    McpServerInfo { name, version }
    McpServerProvenance { name, source }
    McpServerStatus {
        name, status, server_info = "serverInfo", error, config, transport, scope, source, tools,
    }
    McpSseServer { url, headers, tools, timeout, always_load = "alwaysLoad" }
    McpStdioServer { kind = "type", command, args, env, timeout, always_load = "alwaysLoad" }
    McpTool { name, description, annotations, meta = "_meta" }
    McpToolAnnotations { read_only = "readOnly", destructive, open_world = "openWorld" }
    McpToolPolicy { name, permission_policy, org_max_permission }
}

either! { mcp:
    McpServerConfig { Stdio, Sse, Http, Sdk, ClaudeAiProxy, Unknown }
}

enums! { mcp:
    ElicitationAction { Accept = "accept", Decline = "decline", Cancel = "cancel" }
    ElicitationMode { Form = "form", Url = "url" }
    McpConnection {
        Connected = "connected", Failed = "failed", NeedsAuth = "needs-auth", Pending = "pending",
        Disabled = "disabled",
    }
    McpPermissionCeiling { Allow = "allow", Ask = "ask", Blocked = "blocked" }
    McpPermissionPolicy {
        AlwaysAllow = "always_allow", AlwaysAsk = "always_ask", AlwaysDeny = "always_deny",
    }
    McpServerSource {
        Sdk = "sdk", Plugin = "plugin", User = "user", Project = "project", Local = "local",
        Dynamic = "dynamic", Managed = "managed", Enterprise = "enterprise", ClaudeAi = "claudeai",
        Agent = "agent",
    }
}
