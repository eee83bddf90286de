//! The modes and models of an agent. The protocol has three forms for them.

use agentwire::view::agent::AgentError;
use serde_json::{Value, json};

/// The modes and models that the host can choose.
#[derive(Debug, Clone, Default)]
pub(super) struct Choices {
    pub(super) modes: Vec<String>,
    pub(super) models: Vec<String>,
    /// The IDs of the configuration options for modes and models, if the agent
    /// has them as options.
    mode_option: Option<String>,
    model_option: Option<String>,
}

type Request = (&'static str, Value);

impl Choices {
    /// Reads the response that opened a session.
    pub(super) fn of(opened: &Value) -> Self {
        let mut choices = Self {
            modes: ids(&opened["modes"]["availableModes"], "id"),
            models: ids(&opened["models"]["availableModels"], "modelId"),
            ..Self::default()
        };
        choices.update(opened);
        choices
    }

    /// Updates the choices from the options of a response or an update, if
    /// there are any.
    pub(super) fn update(&mut self, response: &Value) {
        for option in response["configOptions"].as_array().into_iter().flatten() {
            let (id, category) = (option["id"].as_str(), option["category"].as_str());
            let Some(id) = id.map(str::to_owned) else {
                continue;
            };
            let mut values = ids(&option["options"], "value");
            for group in option["options"].as_array().into_iter().flatten() {
                values.extend(ids(&group["options"], "value"));
            }
            match category.unwrap_or(&id) {
                "mode" => (self.modes, self.mode_option) = (values, Some(id)),
                "model" => (self.models, self.model_option) = (values, Some(id)),
                _ => {}
            }
        }
    }

    pub(super) fn mode(&self, mode: &str, session_id: &str) -> Result<Request, AgentError> {
        check_known("mode", mode, &self.modes)?;
        Ok(match &self.mode_option {
            Some(option) => set_option(session_id, option, mode),
            None => (
                "session/set_mode",
                json!({"sessionId": session_id, "modeId": mode}),
            ),
        })
    }

    pub(super) fn model(&self, model: &str, session_id: &str) -> Result<Request, AgentError> {
        check_known("model", model, &self.models)?;
        Ok(match &self.model_option {
            Some(option) => set_option(session_id, option, model),
            None => (
                "session/set_model",
                json!({"sessionId": session_id, "modelId": model}),
            ),
        })
    }
}

fn set_option(session_id: &str, option: &str, value: &str) -> Request {
    (
        "session/set_config_option",
        json!({"sessionId": session_id, "configId": option, "value": value}),
    )
}

fn check_known(what: &str, wanted: &str, all: &[String]) -> Result<(), AgentError> {
    if all.is_empty() {
        return Err(AgentError::Unsupported(format!("choosing the {what}")));
    }
    match all.iter().any(|it| it == wanted) {
        true => Ok(()),
        false => Err(AgentError::Failed(format!(
            "there is no {what} {wanted}; there are: {}",
            all.join(", ")
        ))),
    }
}

fn ids(list: &Value, member: &str) -> Vec<String> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(|it| it[member].as_str())
        .map(str::to_owned)
        .collect()
}
