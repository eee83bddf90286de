//! Requests about the session as a whole.

use super::{InterruptFuture, ResponseFuture};
use crate::handle::Handle;
use agentwire_protocol::control::{
    Empty, EndSession, GenerateSessionTitle, Initialize, InitializeAnswer, Interrupt,
    RenameSession, SessionTitle, SetColor, SetCwd, SetCwdAnswer, SetHasSubscribers,
    SetMaxThinkingTokens, SetModel, SetModelAnswer, SetPermissionMode, SetPermissionModeAnswer,
    SideAnswer, SideQuestion,
};
use agentwire_protocol::model::ThinkingDisplay;
use agentwire_protocol::permission::PermissionMode;

/// # The session
///
/// The model, the permission mode, thinking, the title, the directory, and the
/// end of the session. Like all control requests, these are sent in call order,
/// after everything that was sent before. Interrupts are the exception: they
/// may overtake queued messages.
impl Handle {
    /// Sets the model for what is sent afterwards. The CLI accepts unknown
    /// names, and fails when it calls the model.
    ///
    /// The response of CLIs up to 2.1.197 does not name the model.
    pub fn set_model(&self, model: impl Into<String>) -> ResponseFuture<SetModelAnswer> {
        self.request(&SetModel::to(model))
    }

    /// Sets the CLI's default model for what is sent afterwards
    /// (`set_model` without a model).
    pub fn reset_model(&self) -> ResponseFuture<SetModelAnswer> {
        self.request(&SetModel::default())
    }

    /// Sets the permission mode for what is sent afterwards. The CLI refuses
    /// unknown modes with `invalid_mode`, and
    /// [`PermissionMode::BypassPermissions`] with `bypass_not_launched` unless
    /// it was started for it.
    pub fn set_permission_mode(
        &self,
        mode: PermissionMode,
    ) -> ResponseFuture<SetPermissionModeAnswer> {
        self.request(&SetPermissionMode::to(mode))
    }

    /// Sets how many tokens the model may think for what is sent afterwards. 0
    /// disables thinking; `None` sets the CLI's default.
    pub fn set_max_thinking_tokens(&self, tokens: Option<u32>) -> ResponseFuture<Empty> {
        let request = tokens.map(SetMaxThinkingTokens::to);
        self.request(&request.unwrap_or_else(SetMaxThinkingTokens::reset))
    }

    /// Sets how thinking is displayed, without changing the number of tokens.
    /// Refused if the session does not support the display.
    #[doc(alias = "set_max_thinking_tokens")]
    pub fn set_thinking_display(&self, display: ThinkingDisplay) -> ResponseFuture<Empty> {
        self.request(&SetMaxThinkingTokens::shown(display))
    }

    /// Sets the title of the session, as chosen by the user.
    pub fn rename_session(&self, title: &str) -> ResponseFuture<Empty> {
        self.request(&RenameSession::by_user(title))
    }

    /// Generates a title from a description, without setting it;
    /// [`GenerateSessionTitle::persisted`] also sets it. The title is `None` if
    /// the model found none.
    ///
    /// Not in the type declarations of the official SDK; CLI 2.1.329 supports it.
    pub fn generate_session_title(&self, description: &str) -> ResponseFuture<SessionTitle> {
        self.request(&GenerateSessionTitle::new(description))
    }

    /// Asks the model a question outside of the conversation. The CLI reports
    /// its progress from time to time, and each report restarts the request
    /// timeout.
    ///
    /// Not in the type declarations of the official SDK; CLI 2.1.329 supports it.
    pub fn side_question(&self, question: &str) -> ResponseFuture<SideAnswer> {
        self.request(&SideQuestion::new(question))
    }

    /// Sets the session's colour. CLI 2.1.329 declares the request, but fails
    /// it with [`Error::NotSupported`](crate::Error::NotSupported).
    pub fn set_color(&self, color: &str) -> ResponseFuture<Empty> {
        self.request(&SetColor::to(color))
    }

    /// Moves the session to another directory. Requires that no turn is
    /// running. If it was not moved, that is a response, not an error: the user
    /// may have to trust the directory first ([`SetCwd::trusting`]).
    ///
    /// Not in the type declarations of the official SDK; CLI 2.1.329 supports it.
    pub fn set_cwd(&self, path: &str) -> ResponseFuture<SetCwdAnswer> {
        self.request(&SetCwd::to(path))
    }

    /// Reports to the agent whether a user is watching the session.
    pub fn set_has_subscribers(&self, has_subscribers: bool) -> ResponseFuture<Empty> {
        self.request(&SetHasSubscribers::to(has_subscribers))
    }

    /// Sends `initialize` again, to an agent that is already initialized. Hooks
    /// in the request replace all earlier hooks, including those of
    /// [`Options`](crate::Options). Servers that it does not name remain. The
    /// agent repeats pending requests with its response; their callbacks are
    /// called only once.
    ///
    /// [`Client::connect`](crate::Client::connect) sends the first one.
    #[doc(alias = "reinitialize")]
    pub fn initialize(&self, request: &Initialize) -> ResponseFuture<InitializeAnswer> {
        let servers = request.sdk_mcp_servers.as_deref().unwrap_or_default();
        let configured = &self.link().declared().configured;
        configured.add_in_process_servers(servers);
        self.request(request)
    }

    /// Ends the session on the CLI's side, as if its input had been closed. The
    /// session then ends with [`EndReason::Exited`](crate::EndReason::Exited).
    /// Unlike [`Client::close`](crate::Client::close), this does not make sure
    /// that all processes exit.
    ///
    /// Not in the type declarations of the official SDK; CLI 2.1.329 supports it.
    pub fn end_session(&self) -> ResponseFuture<Empty> {
        self.request(&EndSession::default())
    }

    /// Interrupts the running turn. Queued messages stay queued; the receipt
    /// lists them.
    ///
    /// Agents without the capability `interrupt_receipt_v1`, such as CLIs up to
    /// 2.1.197, send no receipt: it then contains only what agentwire knows.
    pub fn interrupt(&self) -> InterruptFuture {
        let receipt = self.request(&Interrupt::default());
        InterruptFuture::new(receipt, self.link().clone())
    }

    /// Interrupts the running turn, and withdraws all queued messages, from the
    /// outbound queue and the agent's queue. The receipt lists them.
    ///
    /// Agents without the capability `interrupt_cancel_queued_v1` keep their
    /// own queue. They are interrupted all the same.
    pub fn interrupt_all(&self) -> InterruptFuture {
        let receipt = self.request(&Interrupt::and_cancel_queued());
        InterruptFuture::new(receipt, self.link().clone())
    }
}
