//! Logins: to Anthropic, and to MCP servers with OAuth.

use super::ResponseFuture;
use crate::handle::Handle;
use agentwire_protocol::control::{
    ClaudeAuthenticate, ClaudeAuthenticateAnswer, ClaudeLoginAnswer, ClaudeOauthCallback,
    ClaudeOauthWaitForCompletion, Empty, McpAuthenticate, McpAuthenticateAnswer, McpClearAuth,
    McpOauthCallbackUrl,
};
use std::time::Duration;

/// # Logins
///
/// The agent opens no browser: it returns an address, and the program shows it to the user. The
/// agent stores the login in its configuration folder, so that it applies to other sessions, too.
///
/// [`check`](crate::check()) reports whether the agent is logged in.
/// [`mcp_status`](Handle::mcp_status) reports MCP servers that need a login as
/// [`McpConnection::NeedsAuth`](agentwire_protocol::mcp::McpConnection::NeedsAuth).
///
/// These requests are not in the type declarations of the official SDK. CLI 2.1.332 supports
/// them.
impl Handle {
    /// Starts a login to Anthropic, and returns two addresses. The first shows a code, which the
    /// user copies to the program for [`Handle::claude_oauth_callback`]. The second redirects to
    /// a port of the agent's machine; await [`Handle::claude_oauth_wait_for_completion`].
    ///
    /// A running login of the same kind is joined, and its addresses are returned again. Another
    /// kind ends it. There is no request to end a login; until it is completed, it only occupies
    /// the port.
    ///
    /// ```no_run
    /// # async fn example(client: agentwire::Client) -> Result<(), agentwire::Error> {
    /// use agentwire::protocol::control::ClaudeAuthenticate;
    ///
    /// let login = client.claude_authenticate(&ClaudeAuthenticate::subscription()).await?;
    /// println!("Open {} and paste the code:", login.manual_url);
    /// let pasted = std::io::read_to_string(std::io::stdin()).unwrap_or_default();
    /// let (code, state) = pasted.trim().split_once('#').unwrap_or((&pasted, ""));
    /// let done = client.claude_oauth_callback(code, state).await?;
    /// println!("logged in as {:?}", done.account.and_then(|it| it.email));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "claudeAuthenticate")]
    pub fn claude_authenticate(
        &self,
        login: &ClaudeAuthenticate,
    ) -> ResponseFuture<ClaudeAuthenticateAnswer> {
        self.request(login)
    }

    /// Completes the running login with the code and the state that the page showed as
    /// `CODE#STATE`, and returns the account. Refused without a running login, and if the code is
    /// wrong. A wrong code ends the login.
    #[doc(alias = "claudeOAuthCallback")]
    pub fn claude_oauth_callback(
        &self,
        authorization_code: &str,
        state: &str,
    ) -> ResponseFuture<ClaudeLoginAnswer> {
        self.request(&ClaudeOauthCallback::new(authorization_code, state))
    }

    /// Awaits the end of the running login, and returns the account. Refused without a running
    /// login.
    ///
    /// `timeout` replaces [`Options::request_timeout`](crate::Options::request_timeout), because a
    /// user may take minutes. The session continues meanwhile, and after the timeout.
    #[doc(alias = "claudeOAuthWaitForCompletion")]
    pub fn claude_oauth_wait_for_completion(
        &self,
        timeout: Duration,
    ) -> ResponseFuture<ClaudeLoginAnswer> {
        let request = ClaudeOauthWaitForCompletion::default();
        ResponseFuture::request_within(self.link(), &request, timeout)
    }

    /// Starts a login to an MCP server over HTTP or SSE, and returns the address for the user's
    /// browser. The browser is then redirected:
    ///
    /// - to a port on which the agent listens. If the browser runs on the agent's machine, that
    ///   completes the login;
    /// - or to [`McpAuthenticate::redirect_uri`], if the authorization server accepts it.
    ///
    /// In both cases, [`Handle::mcp_oauth_callback_url`] passes the address on to the agent. The
    /// agent then connects to the server. A second call starts the login anew.
    ///
    /// Refused for unknown servers, for other kinds of servers, and if the server has no OAuth
    /// metadata or refuses to register the agent.
    #[doc(alias = "mcpAuthenticate")]
    pub fn mcp_authenticate(
        &self,
        login: &McpAuthenticate,
    ) -> ResponseFuture<McpAuthenticateAnswer> {
        self.request(login)
    }

    /// Completes the running login to an MCP server with the whole address that the browser was
    /// redirected to. Returns once the agent has exchanged the code. It reconnects to the server
    /// afterwards; [`Handle::mcp_reconnect`] awaits that.
    ///
    /// Refused without a running login. An address without a code, or of another login, is refused
    /// and does not end the login.
    #[doc(alias = "mcpSubmitOAuthCallbackUrl")]
    pub fn mcp_oauth_callback_url(
        &self,
        server_name: &str,
        callback_url: &str,
    ) -> ResponseFuture<Empty> {
        self.request(&McpOauthCallbackUrl::new(server_name, callback_url))
    }

    /// Removes the stored login to an MCP server, and reconnects to the server. Refused for
    /// unknown servers and for those that are not reached over HTTP or SSE.
    #[doc(alias = "mcpClearAuth")]
    pub fn mcp_clear_auth(&self, server_name: &str) -> ResponseFuture<Empty> {
        self.request(&McpClearAuth::new(server_name))
    }
}
