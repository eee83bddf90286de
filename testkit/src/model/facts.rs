//! What a request says of the prompt and of what tools answered, as the fake
//! agent knows it of itself.

use crate::asked::Asked;
use serde_json::Value;

/// How the CLI begins what it tells the model beside the prompt.
const REMINDER: &str = "<system-reminder>";

/// What is known of a request for a message.
pub(super) fn asked(body: &Value, is_subagent: bool, is_retry: bool) -> Asked {
    let messages = body.get("messages").and_then(Value::as_array);
    let messages = messages.map(Vec::as_slice).unwrap_or_default();
    // What the user's side said, from one answer of the model to the next; the
    // CLI's own words have another role.
    let rounds = messages.rsplit(|message| message["role"] == "assistant");
    let mut rounds = rounds.map(|round| {
        let users = round.iter().filter(|message| message["role"] == "user");
        users.flat_map(blocks).collect::<Vec<_>>()
    });
    let news = rounds.next().unwrap_or_default();
    let after_tools = has_results(&news);
    let results = news.iter().filter(|block| is_result(block));
    let prompt = if after_tools {
        rounds.find_map(|round| prompt(&round)).unwrap_or_default()
    } else {
        prompt(&news).unwrap_or_default()
    };
    Asked {
        results: results.map(|block| text(&block["content"])).collect(),
        prompt,
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        after_tools,
        is_subagent,
        is_retry,
        ..Asked::default()
    }
}

/// What the user wrote in a round that brings no results of tools.
fn prompt(round: &[Value]) -> Option<String> {
    if has_results(round) {
        return None;
    }
    let texts = round.iter().filter_map(|block| block["text"].as_str());
    let texts: Vec<&str> = texts.filter(|text| !text.starts_with(REMINDER)).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn has_results(round: &[Value]) -> bool {
    round.iter().any(is_result)
}

fn is_result(block: &Value) -> bool {
    block["type"] == "tool_result"
}

/// The blocks of a message, whose content can be a text.
fn blocks(message: &Value) -> Vec<Value> {
    match &message["content"] {
        Value::Array(blocks) => blocks.clone(),
        text => vec![serde_json::json!({ "type": "text", "text": text })],
    }
}

/// The text of a tool's answer.
fn text(content: &Value) -> String {
    match content {
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        text => text.as_str().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_prompt_is_what_the_user_wrote_last_whatever_tools_answered_since() {
        let reminder = json!({ "type": "text", "text": "<system-reminder>\nBe brief." });
        let say = |text| json!({ "type": "text", "text": text });
        let result = |content| json!({ "type": "tool_result", "content": content });
        let user = |content| json!({ "role": "user", "content": content });
        let model = json!({ "role": "assistant", "content": [] });
        let system = json!({ "role": "system", "content": "Environment" });
        let mut messages = vec![user(json!([reminder, say("First")])), system.clone()];
        let asked_now = |messages: &[Value]| {
            let body = json!({ "model": "m", "messages": messages });
            let asked = asked(&body, false, false);
            (asked.prompt, asked.after_tools, asked.results)
        };
        assert_eq!(asked_now(&messages), ("First".into(), false, vec![]));

        messages.extend([model.clone(), user(json!([result(json!("one"))])), system]);
        let results = vec!["one".to_owned()];
        assert_eq!(asked_now(&messages), ("First".into(), true, results));

        let blocks = json!([say("two"), say("three")]);
        messages.extend([model.clone(), user(json!([result(blocks)]))]);
        let results = vec!["two\nthree".to_owned()];
        assert_eq!(asked_now(&messages), ("First".into(), true, results));

        messages.extend([model, user(json!("Second"))]);
        assert_eq!(asked_now(&messages), ("Second".into(), false, vec![]));
    }
}
