//! Who decides about tools: the command line, and for the rest whoever sits
//! before it.

use super::screen::Screen;
use agentwire::protocol::permission::CanUseTool;
use agentwire::{
    BoxFuture, Handler, PermissionAsk, PermissionResult, Policy, Reply, Rules, RulesError,
    TerminalPrompt, TerminalPrompter,
};
use std::path::PathBuf;
use tokio::sync::{mpsc, oneshot};

/// A question for a person.
pub(crate) struct Question {
    ask: PermissionAsk,
    reply: oneshot::Sender<PermissionResult>,
}

/// Takes questions to where the answer is printed: a question comes behind what
/// was said before it.
struct Ask(mpsc::UnboundedSender<Question>);

/// Puts questions to the person at the terminal, one at a time.
pub(crate) struct Person {
    questions: mpsc::UnboundedReceiver<Question>,
    terminal: TerminalPrompter,
}

/// The rules of the command line, and the person for the rest. `stdin_is_free`
/// says whether standard input can be read for answers.
pub(crate) fn permissions(
    allow: Vec<String>,
    deny: Vec<String>,
    cwd: Option<PathBuf>,
    stdin_is_free: bool,
) -> Result<(impl Handler<CanUseTool>, Person), RulesError> {
    let (sender, questions) = mpsc::unbounded_channel();
    let (stars, allow): (Vec<String>, Vec<String>) =
        allow.into_iter().partition(|rule| rule.trim() == "*");
    // Rules cannot allow everything; the command line can.
    let star = move |request: &CanUseTool| {
        let allows = !stars.is_empty() && !request.requires_human();
        allows.then(PermissionResult::allow)
    };
    let mut rules = Rules::builder().allow(allow).deny(deny);
    if let Some(cwd) = cwd {
        rules = rules.working_directory(cwd);
    }
    let policy = rules.build()?.or(star);
    let terminal = if stdin_is_free {
        TerminalPrompter::new()
    } else {
        TerminalPrompter::nobody()
    };
    Ok((
        policy.or_ask(Ask(sender)),
        Person {
            questions,
            terminal,
        },
    ))
}

impl Handler<CanUseTool> for Ask {
    fn handle(&self, ask: PermissionAsk) -> BoxFuture<Reply<PermissionResult>> {
        let (reply, answer) = oneshot::channel();
        // Without anybody to take the question the answer does not come.
        drop(self.0.send(Question { ask, reply }));
        Box::pin(async { answer.await.unwrap_or_else(|_| nobody()).into() })
    }
}

impl Person {
    /// The next question. Cancel safe.
    pub(crate) async fn question(&mut self) -> Question {
        match self.questions.recv().await {
            Some(question) => question,
            None => std::future::pending().await,
        }
    }

    /// Puts a question. `None` when the agent does not wait for the answer any
    /// more.
    pub(crate) async fn put(
        &self,
        Question { ask, .. }: &Question,
        screen: &Screen,
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
    /// Passes an answer on.
    pub(crate) fn answer(self, answer: Option<PermissionResult>) {
        // The agent may have gone meanwhile.
        drop(self.reply.send(answer.unwrap_or_else(nobody)));
    }
}

fn nobody() -> PermissionResult {
    PermissionResult::deny("No user is available to allow this call.")
}
