//! Commands that the CLI runs itself, without its model.

use super::{Claude, models, reports};
use crate::agent::{Agent, CommandOutput};
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
                let model = models::display_name(agent.model());
                let text = format!("The model is {model}. Set it with /model NAME.");
                CommandOutput::new("model", text)
            }
            "model" => {
                let model = self.model(Some(args));
                agent.change_model(&model);
                let model = models::display_name(&model);
                CommandOutput::new("model", format!("The model is {model} now."))
            }
            "rename" if !args.is_empty() => {
                agent.set_title(args);
                CommandOutput::new("rename", format!("The title is {args} now."))
            }
            _ => {
                let text = format!("/{name} is not available here.");
                CommandOutput::unavailable(text)
            }
        };
        agent.finish_command(now, output);
    }
}
