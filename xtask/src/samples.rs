//! Generates samples of everything that is declared to be on the wire, as the
//! lines of a recording.

use crate::declarations::{Alternative, Declarations, Error, Literal, Type};
use crate::sample::Sampler;
use serde_json::{Value, json};

/// A line of a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Whether the host sends the line. Otherwise, the agent sends it.
    pub is_sent: bool,
    /// The declared type of the message.
    pub name: String,
    /// The message.
    pub message: Value,
}

impl Sample {
    /// Returns the line, without its line end.
    #[must_use]
    pub fn line(&self) -> String {
        let direction = if self.is_sent { "send" } else { "recv" };
        format!(
            r#"{{"dir":"{direction}","name":{},"msg":{}}}"#,
            json!(self.name),
            self.message
        )
    }
}

/// Samples of the inputs and outputs of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSamples {
    /// The name of the tool on the wire.
    pub name: String,
    /// The inputs of the tool.
    pub inputs: Vec<Value>,
    /// The outputs of the tool.
    pub outputs: Vec<Value>,
}

/// Returns samples of the inputs and outputs of the built-in tools. Lines
/// contain them in members without a type.
pub fn tool_samples(declarations: &Declarations) -> Result<Vec<ToolSamples>, Error> {
    let tools = declarations.members(&declarations.root("Tools")?);
    let tools = tools.into_iter().map(|tool| {
        let parts = declarations.members(&tool.value);
        let values = |part: &str| {
            parts
                .iter()
                .find(|member| member.name == part)
                .map(|member| Sampler::new(declarations).values(&member.value))
                .unwrap_or_default()
        };
        ToolSamples {
            inputs: values("input"),
            outputs: values("output"),
            name: tool.name,
        }
    });
    Ok(tools.collect())
}

/// The side that responds to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Agent,
    Host,
}

/// Returns samples of everything on the wire. Fails if the list does not say
/// which side responds to a declared request.
pub fn samples(declarations: &Declarations) -> Result<Vec<Sample>, Error> {
    let mut found = Collector {
        declarations,
        samples: Vec::new(),
        requests: 0,
    };
    found.messages("FromAgent", false)?;
    found.messages("FromHost", true)?;
    let requests = declarations.alternatives(&declarations.root("Requests")?);
    for request in &requests {
        found.exchange(request)?;
    }
    found.envelopes(&requests)?;
    Ok(found.samples)
}

struct Collector<'a> {
    declarations: &'a Declarations,
    samples: Vec<Sample>,
    /// The number of requests with an ID.
    requests: usize,
}

impl Collector<'_> {
    /// Adds samples of messages that are neither requests nor responses.
    fn messages(&mut self, root: &str, is_sent: bool) -> Result<(), Error> {
        let root = self.declarations.root(root)?;
        for alternative in self.declarations.alternatives(&root) {
            let name = named(&alternative);
            for message in self.values(&alternative) {
                self.push(is_sent, &name, message);
            }
        }
        Ok(())
    }

    /// Adds samples of one kind of request, each followed by its responses.
    fn exchange(&mut self, request: &Alternative) -> Result<(), Error> {
        let subtype = subtype(request).ok_or_else(|| Error::Missing("a subtype".to_owned()))?;
        let sides = [
            (Side::Agent, self.answer("AgentAnswers", &subtype)?),
            (Side::Host, self.answer("HostAnswers", &subtype)?),
        ];
        let mut is_known = false;
        for (side, answer) in sides {
            let Some(answer) = answer else { continue };
            is_known = true;
            let requests = self.values(request);
            let answers: Vec<Option<Value>> = match answer {
                // Nothing is declared, or the response has no payload.
                Type::Any | Type::Absent => vec![None],
                answer => Sampler::new(self.declarations)
                    .values(&answer)
                    .into_iter()
                    .map(Some)
                    .collect(),
            };
            for round in 0..requests.len().max(answers.len()) {
                let of_round = requests.get(round).unwrap_or(&requests[0]);
                let id = self.request(side, &named(request), of_round);
                let mut response = json!({ "subtype": "success", "request_id": id });
                if let Some(payload) = answers.get(round).unwrap_or(&answers[0]) {
                    response["response"] = payload.clone();
                }
                let name = format!("answer to {subtype}");
                let message = json!({ "type": "control_response", "response": response });
                self.push(side == Side::Host, &name, message);
            }
        }
        match is_known {
            true => Ok(()),
            false => Err(Error::Missing(format!(
                "an answer to `{subtype}`: xtask/src/wire.d.ts has to say who answers it"
            ))),
        }
    }

    /// Adds samples of the envelopes of responses, after requests with small
    /// responses.
    fn envelopes(&mut self, requests: &[Alternative]) -> Result<(), Error> {
        const SUBTYPE: &str = "interrupt";
        let missing = || Error::Missing(SUBTYPE.to_owned());
        let request = requests
            .iter()
            .find(|request| subtype(request).as_deref() == Some(SUBTYPE))
            .ok_or_else(missing)?;
        let small = self.values(request).swap_remove(0);
        let answer = self.answer("AgentAnswers", SUBTYPE)?.ok_or_else(missing)?;
        let payload = Sampler::new(self.declarations)
            .values(&answer)
            .swap_remove(0);
        let envelope = self.declarations.root("Answer")?;
        for mut message in Sampler::new(self.declarations).values(&envelope) {
            let id = self.request(Side::Agent, &named(request), &small);
            message["response"]["request_id"] = json!(id);
            if message["response"].get("response").is_some() {
                message["response"]["response"] = payload.clone();
            }
            self.push(false, "SDKControlResponse", message);
        }
        Ok(())
    }

    /// Adds a request. Returns its ID.
    fn request(&mut self, answered_by: Side, name: &str, request: &Value) -> String {
        self.requests += 1;
        let id = format!("request-{}", self.requests);
        let message = json!({ "type": "control_request", "request_id": id, "request": request });
        self.push(answered_by == Side::Agent, name, message);
        id
    }

    /// Returns the type of a side's response to a request, or `None` if the
    /// side does not receive the request.
    fn answer(&self, side: &str, subtype: &str) -> Result<Option<Type>, Error> {
        let answers = self.declarations.root(side)?;
        Ok(self
            .declarations
            .members(&answers)
            .into_iter()
            .find(|member| member.name == subtype)
            .map(|member| member.value))
    }

    fn values(&self, alternative: &Alternative) -> Vec<Value> {
        let ty = match &alternative.name {
            Some(name) => Type::Named(name.clone(), vec![]),
            None => alternative.ty.clone(),
        };
        let mut values = Sampler::new(self.declarations).values(&ty);
        // A name may have several alternatives, each of which is sampled.
        if let Some(subtype) = subtype(alternative) {
            values.retain(|value| value["subtype"] == subtype);
        }
        values
    }

    fn push(&mut self, is_sent: bool, name: &str, message: Value) {
        self.samples.push(Sample {
            is_sent,
            name: name.to_owned(),
            message,
        });
    }
}

fn named(alternative: &Alternative) -> String {
    match &alternative.name {
        Some(name) => name.name.clone(),
        None => "unnamed".to_owned(),
    }
}

/// Returns the only text that the member `subtype` can have.
fn subtype(alternative: &Alternative) -> Option<String> {
    let Type::Object(object) = &alternative.ty else {
        return None;
    };
    object
        .members
        .iter()
        .find_map(|member| match (member.name.as_str(), &member.value) {
            ("subtype", Type::Literal(Literal::String(text))) => Some(text.clone()),
            _ => None,
        })
}
