//! Configurations of MCP servers: one type for each transport.

use crate::json::{Members, Number};
use crate::open::{choice, object, open_enum, string_of};
use std::collections::BTreeMap;

/// The configuration of an MCP server.
///
/// The tag may be missing. A configuration with a `command` and without a
/// `type` is a stdio server.
///
/// ```
/// use agentwire_protocol::control::McpSetServers;
/// use agentwire_protocol::mcp::{McpHttpServer, McpServerConfig, McpStdioServer};
///
/// let servers: [(&str, McpServerConfig); 2] = [
///     ("files", McpStdioServer::new("mcp-files", ["--read-only"]).env("LANG", "C").into()),
///     ("tickets", McpHttpServer::new("https://example.com/mcp").header("X-Team", "crabs").into()),
/// ];
/// let request = McpSetServers::to(servers);
/// # drop(request);
/// ```
#[non_exhaustive]
pub enum McpServerConfig {
    /// A server process that the agent starts.
    Stdio(McpStdioServer),
    /// A server reached over HTTP and server-sent events.
    Sse(McpSseServer),
    /// A server reached over HTTP.
    Http(McpHttpServer),
    /// A server that runs inside the host.
    Sdk(McpSdkServer),
    /// A server reached through claude.ai. This kind occurs only in statuses.
    ClaudeAiProxy(McpClaudeAiProxyServer),
    /// A transport unknown to this version, with all its members.
    Unknown(Members),
}

object! {
    /// A server process that the agent spawns, with pipes for communication.
    pub struct McpStdioServer {
        /// The tag `stdio`, which may be absent.
        pub kind: Option<String> = "type",
        /// The program.
        pub command: String,
        /// The arguments of the program.
        pub args: Option<Vec<String>>,
        /// Environment variables, in addition to those of the agent.
        pub env: Option<BTreeMap<String, String>>,
        /// The timeout of a tool call in milliseconds. A value below 1000 is
        /// ignored.
        pub timeout: Option<Number>,
        /// Whether the server's tools are always in the prompt. The session
        /// then waits for the server at startup.
        pub always_load: Option<bool> = "alwaysLoad",
    }
}

/// Declares the two remote transports, which have the same members.
macro_rules! remote_server {
    ($($(#$meta:tt)* $name:ident = $tag:literal,)*) => {$(
        object! {
            $(#$meta)*
            pub struct $name tags("type" = $tag) {
                /// The URL of the server.
                pub url: String,
                /// Headers for every request.
                pub headers: Option<BTreeMap<String, String>>,
                /// Policies for the server's tools.
                pub tools: Option<Vec<McpToolPolicy>>,
                /// The timeout of a tool call in milliseconds. A value below
                /// 1000 is ignored.
                pub timeout: Option<Number>,
                /// Whether the server's tools are always in the prompt. The
                /// session then waits for the server at startup.
                pub always_load: Option<bool> = "alwaysLoad",
            }
        }

        impl $name {
            /// Creates a configuration for the server at this URL.
            pub fn new(url: impl Into<String>) -> Self {
                Self {
                    url: url.into(),
                    headers: None,
                    tools: None,
                    timeout: None,
                    always_load: None,
                    extra: Default::default(),
                }
            }

            /// Adds a header to every request.
            #[must_use]
            pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
                let headers = self.headers.get_or_insert_default();
                headers.insert(name.into(), value.into());
                self
            }

            /// Sets policies for the server's tools.
            #[must_use]
            pub fn tools(mut self, policies: impl IntoIterator<Item = McpToolPolicy>) -> Self {
                self.tools = Some(policies.into_iter().collect());
                self
            }

            /// Sets the timeout of a tool call in milliseconds.
            #[must_use]
            pub fn timeout(mut self, milliseconds: impl Into<Number>) -> Self {
                self.timeout = Some(milliseconds.into());
                self
            }

            /// Makes the server's tools part of every prompt. The session then
            /// waits for the server at startup.
            #[must_use]
            pub fn always_load(mut self) -> Self {
                self.always_load = Some(true);
                self
            }
        }
    )*};
}

remote_server! {
    /// A server reached over HTTP and server-sent events.
    McpSseServer = "sse",
    /// A server reached over HTTP.
    McpHttpServer = "http",
}

object! {
    /// A server that runs inside the host, reached with
    /// [`McpMessage`](super::McpMessage).
    pub struct McpSdkServer tags("type" = "sdk") {
        /// The server name used in messages.
        pub name: String,
        /// The timeout of a tool call in milliseconds. A value below 1000 is
        /// ignored. The first registration of a server wins.
        pub timeout: Option<Number>,
        /// Policies for the server's tools. Only `ask` and `deny` have an
        /// effect.
        pub tools: Option<Vec<McpToolPolicy>>,
    }
}

object! {
    /// A server reached through claude.ai.
    pub struct McpClaudeAiProxyServer tags("type" = "claudeai-proxy") {
        /// The URL of the server.
        pub url: String,
        /// The ID of the server at claude.ai.
        pub id: String,
        /// The timeout of a tool call in milliseconds. A value below 1000 is
        /// ignored.
        pub timeout: Option<Number>,
    }
}

object! {
    /// A policy for a tool of a server.
    pub struct McpToolPolicy {
        /// The tool's name on its server.
        pub name: String,
        /// The permission policy.
        pub permission_policy: Option<McpPermissionPolicy>,
        /// The upper limit set by the organization.
        pub org_max_permission: Option<McpPermissionCeiling>,
    }
}

open_enum! {
    /// The permission policy of a tool.
    pub enum McpPermissionPolicy {
        /// The tool always runs.
        AlwaysAllow = "always_allow",
        /// Every call needs a permission.
        AlwaysAsk = "always_ask",
        /// The tool never runs.
        AlwaysDeny = "always_deny",
    }
}

open_enum! {
    /// The upper limit that an organization sets for the permission of a tool.
    pub enum McpPermissionCeiling {
        /// The tool may be allowed permanently.
        Allow = "allow",
        /// Every call needs a permission.
        Ask = "ask",
        /// The tool must not run.
        Blocked = "blocked",
    }
}

impl McpStdioServer {
    /// Creates a configuration for this command.
    pub fn new<A: Into<String>>(
        command: impl Into<String>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            kind: Some("stdio".to_owned()),
            command: command.into(),
            args: Some(args.into_iter().map(Into::into).collect()),
            env: None,
            timeout: None,
            always_load: None,
            extra: Default::default(),
        }
    }

    /// Sets an environment variable. Other variables are inherited from the
    /// agent.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let env = self.env.get_or_insert_default();
        env.insert(name.into(), value.into());
        self
    }

    /// Sets the timeout of a tool call in milliseconds.
    #[must_use]
    pub fn timeout(mut self, milliseconds: impl Into<Number>) -> Self {
        self.timeout = Some(milliseconds.into());
        self
    }

    /// Makes the server's tools part of every prompt. The session then waits
    /// for the server at startup.
    #[must_use]
    pub fn always_load(mut self) -> Self {
        self.always_load = Some(true);
        self
    }
}

impl McpSdkServer {
    /// Creates a configuration for the host's server with this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            timeout: None,
            tools: None,
            extra: Default::default(),
        }
    }

    /// Sets the timeout of a tool call in milliseconds.
    #[must_use]
    pub fn timeout(mut self, milliseconds: impl Into<Number>) -> Self {
        self.timeout = Some(milliseconds.into());
        self
    }

    /// Sets policies for the server's tools.
    #[must_use]
    pub fn tools(mut self, policies: impl IntoIterator<Item = McpToolPolicy>) -> Self {
        self.tools = Some(policies.into_iter().collect());
        self
    }
}

impl McpToolPolicy {
    /// Creates a policy for this tool.
    pub fn new(name: impl Into<String>, policy: McpPermissionPolicy) -> Self {
        Self {
            name: name.into(),
            permission_policy: Some(policy),
            org_max_permission: None,
            extra: Default::default(),
        }
    }
}

impl McpServerConfig {
    /// Returns the name of the transport. Returns `None` for a value with
    /// neither a `type` nor a `command`.
    #[must_use]
    pub fn tag(&self) -> Option<String> {
        let tag = match self {
            Self::Stdio(_) => "stdio",
            Self::Sse(_) => "sse",
            Self::Http(_) => "http",
            Self::Sdk(_) => "sdk",
            Self::ClaudeAiProxy(_) => "claudeai-proxy",
            Self::Unknown(members) => return members.get_str("type"),
        };
        Some(tag.to_owned())
    }
}

macro_rules! transports {
    ($($variant:ident($type:ty),)*) => {
        $(
            impl From<$type> for McpServerConfig {
                fn from(server: $type) -> Self {
                    Self::$variant(server)
                }
            }
        )*
    };
}

transports! {
    Stdio(McpStdioServer),
    Sse(McpSseServer),
    Http(McpHttpServer),
    Sdk(McpSdkServer),
    ClaudeAiProxy(McpClaudeAiProxyServer),
}

choice! {
    McpServerConfig by |reader| {
        let tag = match reader.look_for("type")? {
            Some(tag) => string_of(Some(tag)),
            None => reader.look_for("command")?.map(|_| "stdio".into()),
        };
        Ok(match tag.as_deref() {
            Some("stdio") => 1,
            Some("sse") => 2,
            Some("http") => 3,
            Some("sdk") => 4,
            Some("claudeai-proxy") => 5,
            _ => 0,
        })
    };
    untyped None;
    Unknown(Members),
    Stdio(McpStdioServer),
    Sse(McpSseServer),
    Http(McpHttpServer),
    Sdk(McpSdkServer),
    ClaudeAiProxy(McpClaudeAiProxyServer),
}

#[cfg(feature = "schema")]
crate::schema::one_of!(McpServerConfig = "The configuration of an MCP server.": McpStdioServer, McpSseServer, McpHttpServer, McpSdkServer, McpClaudeAiProxyServer, Members);

#[cfg(test)]
mod tests {
    use super::*;

    fn through(text: &str) -> McpServerConfig {
        let config: McpServerConfig = serde_json::from_str(text).expect(text);
        assert_eq!(serde_json::to_string(&config).expect(text), text);
        config
    }

    #[test]
    fn a_stdio_server_is_read_and_written_without_a_tag() {
        assert!(matches!(
            through(r#"{"command":"x"}"#),
            McpServerConfig::Stdio(_)
        ));
        assert!(matches!(
            through(r#"{"type":"stdio","command":"x","args":[]}"#),
            McpServerConfig::Stdio(_)
        ));
    }

    #[test]
    fn other_transports_are_read_by_their_tag() {
        for (text, tag) in [
            (r#"{"type":"http","url":"u","alwaysLoad":true}"#, "http"),
            (r#"{"type":"sse","url":"u","headers":{"a":"b"}}"#, "sse"),
            (r#"{"type":"sdk","name":"n","timeout":1e3}"#, "sdk"),
            (
                r#"{"type":"claudeai-proxy","url":"u","id":"i"}"#,
                "claudeai-proxy",
            ),
        ] {
            let config = through(text);
            assert_eq!(config.tag().as_deref(), Some(tag));
            assert!(!matches!(config, McpServerConfig::Unknown(_)), "{text}");
        }
    }

    #[test]
    fn an_unknown_transport_is_preserved() {
        for text in [
            r#"{"type":"weird","command":"x"}"#,
            r#"{"type":null,"command":"x"}"#,
            r#"{"httpUrl":"u"}"#,
            "{}",
        ] {
            assert!(
                matches!(through(text), McpServerConfig::Unknown(_)),
                "{text}"
            );
        }
    }
}
