//! Decides permission requests by the rules of the command line. The user at the terminal
//! decides the remaining requests.

use super::screen::Screen;
use agentwire::callback::{BoxFuture, Handler, Response};
use agentwire::permission::{PermissionRequest, Policy, RulesError};
use agentwire::protocol::permission::CanUseTool;
use agentwire::terminal::{TerminalPrompt, TerminalPrompter};
use agentwire::{PermissionResult, Rules};
use tokio::sync::{mpsc, oneshot};

/// A permission request for the user.
pub(crate) struct Question {
    ask: PermissionRequest,
    reply: oneshot::Sender<PermissionResult>,
}

/// Sends requests to the task that prints the response, so that a request is shown after the
/// output that precedes it.
struct Ask(mpsc::UnboundedSender<Question>);

/// Prompts the user at the terminal, one request at a time.
pub(crate) struct TerminalUser {
    questions: mpsc::UnboundedReceiver<Question>,
    terminal: TerminalPrompter,
}

/// Parses the rules of the command line, and prompts for requests without a decision.
/// `stdin_is_free` is true if answers can be read from standard input.
pub(crate) fn permissions(
    allow: Vec<String>,
    deny: Vec<String>,
    stdin_is_free: bool,
) -> Result<(Rules, impl Handler<CanUseTool>, TerminalUser), RulesError> {
    let (sender, questions) = mpsc::unbounded_channel();
    let (stars, allow): (Vec<String>, Vec<String>) =
        allow.into_iter().partition(|rule| rule.trim() == "*");
    // `Rules` cannot express a rule that allows everything.
    let star = move |request: &CanUseTool| {
        let allows = !stars.is_empty() && !request.requires_human();
        allows.then(PermissionResult::allow)
    };
    let rules = Rules::builder().allow(allow).deny(deny).build()?;
    let terminal = if stdin_is_free {
        TerminalPrompter::new()
    } else {
        TerminalPrompter::nobody()
    };
    Ok((
        rules,
        star.or_ask(Ask(sender)),
        TerminalUser {
            questions,
            terminal,
        },
    ))
}

impl Handler<CanUseTool> for Ask {
    fn handle(&self, ask: PermissionRequest) -> BoxFuture<Response<PermissionResult>> {
        let (reply, answer) = oneshot::channel();
        // If the receiver is gone, `answer` fails.
        drop(self.0.send(Question { ask, reply }));
        Box::pin(async { answer.await.unwrap_or_else(|_| no_user()).into() })
    }
}

impl TerminalUser {
    /// Returns the next request.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe.
    pub(crate) async fn question(&mut self) -> Question {
        match self.questions.recv().await {
            Some(question) => question,
            None => std::future::pending().await,
        }
    }

    /// Prompts for a request. Returns `None` if the agent withdrew the request.
    pub(crate) async fn put(
        &self,
        Question { ask, .. }: &Question,
        screen: &mut Screen,
    ) -> Option<PermissionResult> {
        let show = |showing: TerminalPrompt<'_>| match showing {
            TerminalPrompt::Question(question) => screen.ask(question),
            TerminalPrompt::NoPendingRequest => screen.note("the agent withdrew the request"),
            TerminalPrompt::Nobody { request } => {
                let tool = &request.tool_name;
                screen.note(&format!(
                    "denied {tool}: no terminal to prompt on; --allow {tool} would allow it"
                ));
            }
            _ => {}
        };
        self.terminal.put(ask, show).await
    }
}

impl Question {
    /// Responds to the request. Without an answer, denies it.
    pub(crate) fn answer(self, answer: Option<PermissionResult>) {
        // The session may have ended before the answer.
        drop(self.reply.send(answer.unwrap_or_else(no_user)));
    }
}

fn no_user() -> PermissionResult {
    PermissionResult::deny("No user is available to allow this call.")
}
