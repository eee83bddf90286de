//! Requests about the session as a whole.

use crate::handle::{Handle, Pending, PendingInterrupt};
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
/// The model, the permissions, the thinking, the title, the directory, and the
/// end. Like all control requests they are in the order of the calls, so that
/// what is sent before one of them goes before it; but interrupts may pass
/// messages that still wait here.
impl Handle {
    /// Sets the model for what is sent after it; the CLI's default, for
    /// `None`. A name that the CLI does not know is taken as well, and fails
    /// when the model is asked.
    ///
    /// CLIs up to 2.1.197 answer without saying which model it is.
    pub fn set_model(&self, model: Option<&str>) -> Pending<SetModelAnswer> {
        self.request(&model.map(SetModel::to).unwrap_or_default())
    }

    /// Sets how permissions are decided for what is sent after it. A mode that
    /// the CLI does not know is refused with `invalid_mode`, and
    /// [`PermissionMode::BypassPermissions`] with `bypass_not_launched` unless
    /// the CLI was started for it.
    pub fn set_permission_mode(&self, mode: PermissionMode) -> Pending<SetPermissionModeAnswer> {
        self.request(&SetPermissionMode::to(mode))
    }

    /// Sets how many tokens the model may think for what is sent after it: 0
    /// is none, `None` the CLI's default.
    pub fn set_max_thinking_tokens(&self, tokens: Option<u32>) -> Pending<Empty> {
        let request = tokens.map(SetMaxThinkingTokens::to);
        self.request(&request.unwrap_or_else(SetMaxThinkingTokens::reset))
    }

    /// Sets how thinking is shown, and leaves the number of tokens as it is.
    /// Refused where the session cannot have it so.
    #[doc(alias = "set_max_thinking_tokens")]
    pub fn set_thinking_display(&self, display: ThinkingDisplay) -> Pending<Empty> {
        self.request(&SetMaxThinkingTokens::shown(display))
    }

    /// Gives the session this title, as its user's choice.
    pub fn rename_session(&self, title: &str) -> Pending<Empty> {
        self.request(&RenameSession::by_user(title))
    }

    /// Asks the model for a title for this, which the session does not get;
    /// [`GenerateSessionTitle::persisted`] gives it to it. `None` when the
    /// model found none.
    ///
    /// No declaration has it; CLI 2.1.329 does.
    pub fn generate_session_title(&self, description: &str) -> Pending<SessionTitle> {
        self.request(&GenerateSessionTitle::new(description))
    }

    /// Asks the model something that stays out of the conversation. The CLI
    /// says from time to time that it is at work on it, and each time the
    /// deadline begins anew.
    ///
    /// No declaration has it; CLI 2.1.329 does.
    pub fn side_question(&self, question: &str) -> Pending<SideAnswer> {
        self.request(&SideQuestion::new(question))
    }

    /// Sets the session's colour. CLI 2.1.329 declares the request and fails
    /// it with [`Error::NotSupported`](crate::Error::NotSupported).
    pub fn set_color(&self, color: &str) -> Pending<Empty> {
        self.request(&SetColor::to(color))
    }

    /// Moves the session to another directory, while no turn runs. That it was
    /// not moved is an answer and no error: the user may have to trust the
    /// directory first ([`SetCwd::trusting`]).
    ///
    /// No declaration has it; CLI 2.1.329 does.
    pub fn set_cwd(&self, path: &str) -> Pending<SetCwdAnswer> {
        self.request(&SetCwd::to(path))
    }

    /// Says whether anybody watches the session.
    pub fn set_has_subscribers(&self, has_subscribers: bool) -> Pending<Empty> {
        self.request(&SetHasSubscribers::to(has_subscribers))
    }

    /// Introduces the host again, to an agent that knows it already. Hooks of
    /// the request take the place of all before, those of
    /// [`Options`](crate::Options) too, if it has any; servers that it does
    /// not name stay. Asks that are open come again with the answer, and are
    /// asked only once.
    ///
    /// [`Client::connect`](crate::Client::connect) makes the first one.
    #[doc(alias = "reinitialize")]
    pub fn initialize(&self, request: &Initialize) -> Pending<InitializeAnswer> {
        let servers = request.sdk_mcp_servers.as_deref().unwrap_or_default();
        self.link().declared().add_in_process_servers(servers);
        self.request(request)
    }

    /// Has the CLI end the session, as if its input had been closed.
    /// [`Client::close`](crate::Client::close) sees to it that everything has
    /// gone; this only asks for it, and the session ends with
    /// [`EndReason::Exited`](crate::EndReason::Exited).
    ///
    /// No declaration has it; CLI 2.1.329 does.
    pub fn end_session(&self) -> Pending<Empty> {
        self.request(&EndSession::default())
    }

    /// Stops the turn that runs. Messages that wait stay where they are; the
    /// receipt lists them.
    ///
    /// Agents without the capability `interrupt_receipt_v1`, such as CLIs up
    /// to 2.1.197, give no receipt: it then has only what agentwire knows.
    pub fn interrupt(&self) -> PendingInterrupt {
        let receipt = self.request(&Interrupt::default());
        PendingInterrupt::new(receipt, self.link().clone())
    }

    /// Stops the turn that runs, and takes back what waits, here and in the
    /// agent's queue; the receipt lists it.
    ///
    /// Agents without the capability `interrupt_cancel_queued_v1` leave what
    /// is in their queue. They are interrupted all the same.
    pub fn interrupt_all(&self) -> PendingInterrupt {
        let receipt = self.request(&Interrupt::and_cancel_queued());
        PendingInterrupt::new(receipt, self.link().clone())
    }
}
