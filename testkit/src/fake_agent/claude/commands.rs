//! Commands that the CLI runs itself, without its model.

use super::{Claude, reports};
use agentwire_protocol::agent::{Agent, CommandOutput};
use serde_json::json;
use std::time::Instant;

impl Claude {
    /// Runs a command.
    pub(in crate::fake_agent) fn run(
        &mut self,
        now: Instant,
        agent: &mut Agent,
        name: &str,
        args: &str,
    ) {
        let output = match name {
            "cost" | "stats" | "usage" => CommandOutput::new("usage", reports::cost(agent)),
            "context" => {
                let usage = reports::context_of_command(agent);
                CommandOutput::new("context", reports::context_text(agent))
                    .member("context_usage", usage)
            }
            "model" if args.is_empty() => {
                let text = format!("The model is {}. Set it with /model NAME.", agent.model());
                CommandOutput::new("model", text)
            }
            "model" => {
                let model = self.model(Some(args));
                agent.change_model(&model);
                CommandOutput::new("model", format!("The model is {model} now."))
            }
            "rename" if !args.is_empty() => {
                self.rename(agent, args);
                CommandOutput::new("rename", format!("The title is {args} now."))
            }
            _ => {
                let text = format!("/{name} is not available here.");
                CommandOutput::unavailable(text)
            }
        };
        agent.finish_command(now, output);
    }

    /// Changes the title of the session, and tells the host.
    pub(super) fn rename(&mut self, agent: &mut Agent, title: &str) {
        agent.set_title(title);
        let message = json!({
            "type": "system",
            "subtype": "session_title_changed",
            "title": title,
        });
        if let serde_json::Value::Object(message) = message {
            agent.send_message(message);
        }
    }
}
