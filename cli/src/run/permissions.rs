//! Who decides about tools: the command line, or whoever sits before it.

use super::screen::Screen;
use agentwire::{PermissionAsk, PermissionHandler, PermissionResult};
use std::collections::HashSet;
use std::future::Future;
use std::io::{self, BufRead, IsTerminal};
use std::pin::Pin;
use std::sync::{Arc, Mutex};

/// Rules from the command line, and a person for the rest.
#[derive(Clone)]
pub(crate) struct Permissions(Arc<Inner>);

struct Inner {
    allow: HashSet<String>,
    deny: HashSet<String>,
    /// Tools that the person allowed for good.
    always: Mutex<HashSet<String>>,
    /// Whether there is a person who can be asked.
    person: bool,
    /// One question at a time.
    asking: Mutex<()>,
    screen: Screen,
}

impl Permissions {
    pub(crate) fn new(
        allow: Vec<String>,
        deny: Vec<String>,
        stdin_is_free: bool,
        screen: Screen,
    ) -> Self {
        Self(Arc::new(Inner {
            allow: allow.into_iter().collect(),
            deny: deny.into_iter().collect(),
            always: Mutex::default(),
            person: stdin_is_free && io::stdin().is_terminal() && io::stderr().is_terminal(),
            asking: Mutex::default(),
            screen,
        }))
    }
}

impl PermissionHandler for Permissions {
    fn decide(&self, ask: PermissionAsk) -> Pin<Box<dyn Future<Output = PermissionResult> + Send>> {
        let inner = Arc::clone(&self.0);
        Box::pin(async move {
            let tool = &ask.request.tool_name;
            if inner.lists(&inner.deny, tool) {
                return PermissionResult::deny(format!("{tool} is denied on the command line."));
            }
            if inner.lists(&inner.allow, tool) {
                return PermissionResult::allow();
            }
            if !inner.person {
                inner.screen.note(&format!(
                    "denied {tool}: nobody can be asked here; --allow {tool} would allow it"
                ));
                return PermissionResult::deny(format!("Nobody was there to allow {tool}."));
            }
            // Reading a terminal blocks, so it has a thread of its own.
            let answer = tokio::task::spawn_blocking(move || inner.ask_person(&ask));
            answer
                .await
                .unwrap_or_else(|_| PermissionResult::deny("Nobody answered."))
        })
    }
}

impl Inner {
    fn lists(&self, list: &HashSet<String>, tool: &str) -> bool {
        list.contains(tool) || list.contains("*")
    }

    fn ask_person(&self, ask: &PermissionAsk) -> PermissionResult {
        let request = &ask.request;
        let tool = &request.tool_name;
        let Ok(_turn) = self.asking.lock() else {
            return PermissionResult::deny("Nobody answered.");
        };
        let Ok(mut always) = self.always.lock() else {
            return PermissionResult::deny("Nobody answered.");
        };
        if always.contains(tool) {
            return PermissionResult::allow();
        }
        let title = request
            .title
            .clone()
            .unwrap_or_else(|| format!("May {tool} run?"));
        let why = request.decision_reason.as_deref();
        self.screen.ask(&title, &request.input.to_string(), why);
        let mut line = String::new();
        if !matches!(io::stdin().lock().read_line(&mut line), Ok(1..)) {
            return PermissionResult::deny("Nobody answered.");
        }
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => PermissionResult::allow(),
            "a" | "always" => {
                always.insert(tool.clone());
                PermissionResult::allow()
            }
            _ => PermissionResult::deny("The user said no."),
        }
    }
}
