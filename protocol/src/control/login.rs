//! Requests that log the agent in: to its provider, and to MCP servers with OAuth.
//!
//! The official SDK sends them; its type declarations do not contain them. All members were
//! measured.

use super::initialize::AccountInfo;
use super::request::{Empty, host_requests};
use crate::json::Json;
use crate::open::object;

host_requests! {
    ClaudeAuthenticate = "claude_authenticate" => ClaudeAuthenticateAnswer,
    ClaudeOauthCallback = "claude_oauth_callback" => ClaudeLoginAnswer,
    ClaudeOauthWaitForCompletion = "claude_oauth_wait_for_completion" => ClaudeLoginAnswer,
    McpAuthenticate = "mcp_authenticate" => McpAuthenticateAnswer,
    McpOauthCallbackUrl = "mcp_oauth_callback_url" => Empty,
    McpClearAuth = "mcp_clear_auth" => Empty,
}

object! {
    /// Starts a login to Anthropic. The agent opens no browser. A login that is already running
    /// is joined if it is of the same kind, and ended otherwise.
    #[derive(Default)]
    pub struct ClaudeAuthenticate tags("subtype" = "claude_authenticate") {
        /// Whether to log in with a subscription (claude.ai) instead of the API console. Default:
        /// `true`.
        pub login_with_claude_ai: Option<bool> = "loginWithClaudeAi",
        /// Whether to store the login as a profile of the API console.
        pub console_profile: Option<bool> = "consoleProfile",
    }
}

object! {
    /// The addresses of a login.
    pub struct ClaudeAuthenticateAnswer {
        /// The address whose page shows a code, to pass to [`ClaudeOauthCallback`].
        pub manual_url: String = "manualUrl",
        /// The address that redirects to a port on which the agent listens. It completes the
        /// login if the browser runs on the agent's machine.
        pub automatic_url: String = "automaticUrl",
        /// Whether the login is stored as a profile of the API console.
        pub console_profile: Option<bool> = "consoleProfile",
    }
}

object! {
    /// Completes the running login with the code that the page showed. The response arrives once
    /// the agent has exchanged the code.
    #[derive(Default)]
    pub struct ClaudeOauthCallback tags("subtype" = "claude_oauth_callback") {
        /// The code: the part of the shown text before `#`.
        pub authorization_code: String = "authorizationCode",
        /// The state: the part after `#`.
        pub state: String,
    }
}

object! {
    /// Awaits the end of the running login.
    #[derive(Default)]
    pub struct ClaudeOauthWaitForCompletion
        tags("subtype" = "claude_oauth_wait_for_completion") {}
}

object! {
    /// The account of a completed login.
    #[derive(Default)]
    pub struct ClaudeLoginAnswer {
        /// The account.
        pub account: Option<AccountInfo>,
        /// A login that does not apply to this process.
        pub hybrid_sign_in: Option<Json> = "hybridSignIn",
    }
}

object! {
    /// Starts a login to an MCP server with OAuth, over HTTP or SSE. The agent opens no browser.
    #[derive(Default)]
    pub struct McpAuthenticate tags("subtype" = "mcp_authenticate") {
        /// The name of the server.
        pub server_name: String = "serverName",
        /// The address to redirect the browser to. Default: a port on which the agent listens. If
        /// the authorization server refuses the address, the agent uses the default.
        pub redirect_uri: Option<String> = "redirectUri",
        /// Whether to fail instead if the address is refused.
        pub redirect_uri_only: Option<bool> = "redirectUriOnly",
        /// Whether only current listeners receive the response, which is then not stored. This
        /// has no effect on stdio.
        pub live_reply: Option<bool> = "liveReply",
    }
}

object! {
    /// A started login to an MCP server.
    #[derive(Default)]
    pub struct McpAuthenticateAnswer {
        /// The address to open in a browser. `None` if none is needed.
        pub auth_url: Option<String> = "authUrl",
        /// Whether a user must open the address.
        pub requires_user_action: Option<bool> = "requiresUserAction",
        /// Whether the agent awaits the redirect: on its port, or by [`McpOauthCallbackUrl`].
        pub callback_expected: Option<bool> = "callbackExpected",
        /// The kind of the redirect: `localhost`, or `custom` for the address of the request.
        pub redirect_scheme: Option<String> = "redirectScheme",
        /// The OAuth state of this login.
        pub state: Option<String>,
        /// The port on which the agent listens. `None` for the address of the request.
        pub callback_port: Option<u16> = "callbackPort",
    }
}

object! {
    /// Completes the running login to an MCP server with the address that the browser was
    /// redirected to. The response arrives once the agent has exchanged the code.
    #[derive(Default)]
    pub struct McpOauthCallbackUrl tags("subtype" = "mcp_oauth_callback_url") {
        /// The name of the server.
        pub server_name: String = "serverName",
        /// The whole address, with `code` and `state`.
        pub callback_url: String = "callbackUrl",
    }
}

object! {
    /// Removes the stored login to an MCP server, and reconnects.
    #[derive(Default)]
    pub struct McpClearAuth tags("subtype" = "mcp_clear_auth") {
        /// The name of the server.
        pub server_name: String = "serverName",
    }
}

impl ClaudeAuthenticate {
    /// Logs in with a subscription (claude.ai).
    pub fn subscription() -> Self {
        Self {
            login_with_claude_ai: Some(true),
            ..Self::default()
        }
    }

    /// Logs in to the API console.
    pub fn console() -> Self {
        Self {
            login_with_claude_ai: Some(false),
            ..Self::default()
        }
    }
}

impl ClaudeOauthCallback {
    /// Completes the login with this code and state.
    pub fn new(authorization_code: impl Into<String>, state: impl Into<String>) -> Self {
        Self {
            authorization_code: authorization_code.into(),
            state: state.into(),
            ..Self::default()
        }
    }
}

impl McpAuthenticate {
    /// Logs in to this server.
    pub fn new(server_name: impl Into<String>) -> Self {
        Self {
            server_name: server_name.into(),
            ..Self::default()
        }
    }

    /// Redirects the browser to this address.
    #[must_use]
    pub fn redirect_uri(mut self, uri: impl Into<String>) -> Self {
        self.redirect_uri = Some(uri.into());
        self
    }
}

impl McpOauthCallbackUrl {
    /// Completes the login to this server.
    pub fn new(server_name: impl Into<String>, callback_url: impl Into<String>) -> Self {
        Self {
            server_name: server_name.into(),
            callback_url: callback_url.into(),
            ..Self::default()
        }
    }
}

impl McpClearAuth {
    /// Removes the login to this server.
    pub fn new(server_name: impl Into<String>) -> Self {
        Self {
            server_name: server_name.into(),
            ..Self::default()
        }
    }
}
