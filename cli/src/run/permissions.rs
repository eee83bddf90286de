//! Who decides about tools: the command line, and for the rest whoever sits
//! before it.

use super::screen::Screen;
use agentwire::protocol::permission::CanUseTool;
use agentwire::{BoxFuture, Handler, PermissionAsk, PermissionResult, Reply};
use std::collections::HashSet;
use std::io::{self, BufRead, IsTerminal};
use tokio::sync::{mpsc, oneshot};

/// Rules from the command line; what they do not decide becomes a question.
pub(crate) struct Rules {
    allow: HashSet<String>,
    deny: HashSet<String>,
    questions: mpsc::UnboundedSender<Question>,
}

/// A question for a person.
pub(crate) struct Question {
    ask: PermissionAsk,
    reply: oneshot::Sender<PermissionResult>,
}

/// Puts questions to the person at the terminal, one at a time.
pub(crate) struct Person {
    questions: mpsc::UnboundedReceiver<Question>,
    /// Lines from standard input, once somebody was asked; `None` when nobody
    /// can be.
    lines: Option<Lines>,
    /// Tools that the person allowed for good.
    always: HashSet<String>,
}

enum Lines {
    NotReadYet,
    Read(mpsc::UnboundedReceiver<String>),
}

/// The rules of the command line, and the person for the rest. `stdin_is_free`
/// says whether standard input can be read for answers.
pub(crate) fn permissions(
    allow: Vec<String>,
    deny: Vec<String>,
    stdin_is_free: bool,
) -> (Rules, Person) {
    let (sender, questions) = mpsc::unbounded_channel();
    let rules = Rules {
        allow: allow.into_iter().collect(),
        deny: deny.into_iter().collect(),
        questions: sender,
    };
    let person = stdin_is_free && io::stdin().is_terminal() && io::stderr().is_terminal();
    let lines = person.then_some(Lines::NotReadYet);
    (
        rules,
        Person {
            questions,
            lines,
            always: HashSet::new(),
        },
    )
}

impl Handler<CanUseTool> for Rules {
    fn handle(&self, ask: PermissionAsk) -> BoxFuture<Reply<PermissionResult>> {
        let tool = &ask.request.tool_name;
        let lists = |list: &HashSet<String>| list.contains(tool) || list.contains("*");
        if lists(&self.deny) {
            let why = format!("{tool} is denied on the command line.");
            return Box::pin(async { PermissionResult::deny(why).into() });
        }
        if lists(&self.allow) {
            return Box::pin(async { PermissionResult::allow().into() });
        }
        let (reply, answer) = oneshot::channel();
        // Without anybody to take the question the answer does not come.
        drop(self.questions.send(Question { ask, reply }));
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
        &mut self,
        Question { ask, .. }: &Question,
        screen: &Screen,
    ) -> Option<PermissionResult> {
        let tool = &ask.request.tool_name;
        if self.always.contains(tool) {
            return Some(PermissionResult::allow());
        }
        let Some(lines) = &mut self.lines else {
            screen.note(&format!(
                "denied {tool}: nobody can be asked here; --allow {tool} would allow it"
            ));
            return Some(nobody());
        };
        // What was typed before the question is no answer to it.
        lines.forget();
        screen.ask(&ask.request);
        let line = tokio::select! {
            line = lines.next() => line,
            () = ask.cancelled.cancelled() => {
                screen.note("not asked any more");
                return None;
            }
        };
        let Some(line) = line else {
            return Some(nobody());
        };
        Some(match line.trim().to_lowercase().as_str() {
            "y" | "yes" => PermissionResult::allow(),
            "a" | "always" => {
                self.always.insert(tool.clone());
                PermissionResult::allow()
            }
            _ => PermissionResult::deny("The user said no."),
        })
    }
}

impl Question {
    /// Passes an answer on.
    pub(crate) fn answer(self, answer: Option<PermissionResult>) {
        // The agent may have gone meanwhile.
        drop(self.reply.send(answer.unwrap_or_else(nobody)));
    }
}

impl Lines {
    /// Forgets what was typed so far.
    fn forget(&mut self) {
        if let Self::Read(lines) = self {
            while lines.try_recv().is_ok() {}
        }
    }

    /// The next line; `None` at the end of the input.
    async fn next(&mut self) -> Option<String> {
        if let Self::NotReadYet = self {
            let (sender, lines) = mpsc::unbounded_channel();
            // Reading a terminal blocks, and cannot be called off.
            std::thread::spawn(move || {
                for line in io::stdin().lock().lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            });
            *self = Self::Read(lines);
        }
        match self {
            Self::Read(lines) => lines.recv().await,
            Self::NotReadYet => None,
        }
    }
}

fn nobody() -> PermissionResult {
    PermissionResult::deny("Nobody was there to allow it.")
}
