//! Derives [`RequestInfo`] from the body of a request.

use super::user_content::{SIDE_REPLY, UserContent};
use crate::request_info::RequestInfo;
use serde_json::Value;

/// The prefixes of the texts with which the Claude CLI and Codex mark an
/// interrupt.
const INTERRUPT_MARKS: [&str; 2] = ["[Request interrupted by user", "<turn_aborted>"];

/// Prefixes of the XML elements with which the CLI reports commands of the
/// user, such as `/model`.
const COMMAND_ELEMENTS: [&str; 3] = ["local-command-", "command-", "bash-"];

/// The previous request of an agent that got a scripted reply.
#[derive(Debug)]
pub(super) struct PreviousRequest {
    pub(super) content: UserContent,
    pub(super) info: RequestInfo,
    /// Whether the reply was an error.
    pub(super) is_failed: bool,
}

/// Returns the facts of a request for a message. `last` is the previous request
/// of the same agent.
pub(super) fn request_info(
    model: &str,
    content: &UserContent,
    is_subagent: bool,
    last: Option<&PreviousRequest>,
) -> RequestInfo {
    let model = model.to_owned();
    let last = last.and_then(|last| Some((last, content.since(&last.content)?)));
    let mut rounds = content.rounds();
    let mut new_blocks = rounds.next().unwrap_or_default();
    match last {
        Some((last, _)) if last.content == *content => {
            return RequestInfo {
                model,
                is_retry: true,
                ..last.info.clone()
            };
        }
        // The blocks of the failed prompt belong to a turn that has ended.
        Some((last, more)) if last.is_failed && more.len() < new_blocks.len() => new_blocks = more,
        _ => {}
    }
    let new_blocks = since_tools(since_interrupt(new_blocks));
    let after_tools = has_results(new_blocks);
    let same = || last.map(|(last, _)| last.info.prompt.clone());
    let earlier = || rounds.find_map(|round| prompt(since_interrupt(round)));
    let prompt = match after_tools {
        true => same().or_else(earlier),
        false => prompt(new_blocks).or_else(same),
    };
    let results = new_blocks.iter().filter(|block| is_result(block));
    RequestInfo {
        prompt: prompt.unwrap_or_default(),
        results: results.map(|block| text(&block["content"])).collect(),
        model,
        after_tools,
        is_subagent,
        ..RequestInfo::default()
    }
}

/// Returns the blocks after the last interrupt. Earlier blocks belong to a turn
/// that has ended.
fn since_interrupt(round: &[Value]) -> &[Value] {
    let is_interrupt = |block: &Value| {
        let text = block["text"].as_str();
        text.is_some_and(|text| INTERRUPT_MARKS.iter().any(|mark| text.starts_with(mark)))
    };
    let index = round.iter().rposition(is_interrupt);
    &round[index.map_or(0, |index| index + 1)..]
}

/// Returns the blocks after the tool results if the user wrote one of them,
/// which makes them a new prompt. (Prompts that are folded into a running turn
/// are reminders.)
fn since_tools(round: &[Value]) -> &[Value] {
    let index = round.iter().rposition(is_result);
    let after = &round[index.map_or(0, |index| index + 1)..];
    match texts(after).any(|text| !is_added_by_cli(text, false)) {
        true => after,
        false => round,
    }
}

/// Returns the user's text in a round without tool results. If the CLI may have
/// written every text, the last text is the user's.
fn prompt(round: &[Value]) -> Option<String> {
    if has_results(round) {
        return None;
    }
    let has_media = round.iter().any(|block| block["type"] != "text");
    let is_users = |text: &&str| !is_added_by_cli(text, has_media);
    let prompt: Vec<&str> = texts(round).filter(is_users).collect();
    if prompt.is_empty() && !has_media {
        return texts(round).last().map(str::to_owned);
    }
    Some(prompt.join("\n"))
}

/// Returns whether the CLI added a text to the prompt. Such a text is a command
/// or its output, the source of an image, or a summary, which contains the
/// fixed reply to a side request.
fn is_added_by_cli(text: &str, has_media: bool) -> bool {
    let is_image_source = || has_media && text.starts_with("[Image: ") && text.ends_with(']');
    let is_summary = || text.contains(SIDE_REPLY);
    is_about_command(text) || is_image_source() || is_summary()
}

/// Returns whether a text consists of elements about a command.
fn is_about_command(text: &str) -> bool {
    let is_name = |text: &str| COMMAND_ELEMENTS.iter().any(|name| text.starts_with(name));
    let begin = text.strip_prefix('<');
    let end = text.strip_suffix('>').and_then(|it| it.rsplit_once("</"));
    begin.is_some_and(is_name) && end.is_some_and(|(_, name)| is_name(name))
}

fn texts(round: &[Value]) -> impl Iterator<Item = &str> {
    round.iter().filter_map(|block| block["text"].as_str())
}

fn has_results(round: &[Value]) -> bool {
    round.iter().any(is_result)
}

fn is_result(block: &Value) -> bool {
    block["type"] == "tool_result"
}

/// Returns the text of a tool result.
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

    fn say(text: &str) -> Value {
        json!({ "type": "text", "text": text })
    }

    fn result(content: Value) -> Value {
        json!({ "type": "tool_result", "content": content })
    }

    fn user(content: impl Into<Value>) -> Value {
        json!({ "role": "user", "content": content.into() })
    }

    fn model() -> Value {
        json!({ "role": "assistant", "content": [] })
    }

    fn image() -> Value {
        json!({ "type": "image" })
    }

    fn content(messages: &[Value]) -> UserContent {
        UserContent::parse(&json!({ "messages": messages }))
    }

    /// Returns the prompt, whether there are tool results, and the texts of the
    /// results.
    fn prompt_and_results(messages: &[Value]) -> (String, bool, Vec<String>) {
        let info = request_info("m", &content(messages), false, None);
        (info.prompt, info.after_tools, info.results)
    }

    #[test]
    fn the_prompt_is_the_last_user_text_also_after_tool_results() {
        let reminder = say("<system-reminder>\nBe brief.");
        let system = json!({ "role": "system", "content": "Environment" });
        let mut messages = vec![user([reminder, say("First")].to_vec()), system.clone()];
        assert_eq!(
            prompt_and_results(&messages),
            ("First".into(), false, vec![])
        );

        messages.extend([model(), user(vec![result(json!("one"))]), system]);
        let results = vec!["one".to_owned()];
        assert_eq!(
            prompt_and_results(&messages),
            ("First".into(), true, results)
        );

        let blocks = json!([say("two"), say("three")]);
        messages.extend([model(), user(vec![result(blocks)])]);
        let results = vec!["two\nthree".to_owned()];
        assert_eq!(
            prompt_and_results(&messages),
            ("First".into(), true, results)
        );

        messages.extend([model(), user("Second")]);
        assert_eq!(
            prompt_and_results(&messages),
            ("Second".into(), false, vec![])
        );
    }

    #[test]
    fn text_that_the_cli_adds_is_not_part_of_the_prompt() {
        let caveat = say("<local-command-caveat>It ran.</local-command-caveat>\n");
        let command = say("<command-name>/model</command-name>\n<command-args>o</command-args>\n");
        let output = say("<local-command-stdout>Done.</local-command-stdout>\n");
        let from = |number: usize| say(&format!("[Image: source: /tmp/{number}.png]"));
        let summary = say(&format!("It went on. {SIDE_REPLY} It ended.\n"));
        for (round, prompt) in [
            (vec![caveat, command, output.clone(), say("Go")], "Go"),
            (vec![image(), say("Look\n"), from(1)], "Look"),
            (vec![output, image(), from(1)], ""),
            (
                vec![image(), image(), say("a\n"), say("b\n"), from(1), from(2)],
                "a\nb",
            ),
            (vec![summary, say("Go")], "Go"),
            // The user wrote these texts.
            (vec![say("one\n"), say("two\n")], "one\ntwo\n"),
            (vec![say("[Image: none]")], "[Image: none]"),
            (
                vec![say("<command-name> is an element")],
                "<command-name> is an element",
            ),
            (
                vec![say("<command-name>a</command-name>")],
                "<command-name>a</command-name>",
            ),
        ] {
            let earlier = [user("Earlier"), model()];
            let mut messages = [&earlier[..], &[user(round)]].concat();
            assert_eq!(
                prompt_and_results(&messages),
                (prompt.into(), false, vec![])
            );
            messages.extend([model(), user(vec![result(json!("one"))])]);
            assert_eq!(prompt_and_results(&messages).0, prompt);
        }
    }

    #[test]
    fn blocks_before_an_interrupt_belong_to_another_turn() {
        let mark = say("[Request interrupted by user for tool use]\n");
        let stopped = result(json!("stopped"));
        let mut messages = vec![user("First"), model()];
        messages.push(user(vec![stopped, say("Old\n"), mark, say("New")]));
        assert_eq!(prompt_and_results(&messages), ("New".into(), false, vec![]));
        messages.extend([model(), user(vec![result(json!("one"))])]);
        let results = vec!["one".to_owned()];
        assert_eq!(prompt_and_results(&messages), ("New".into(), true, results));
    }

    #[test]
    fn user_text_after_tool_results_is_a_new_prompt() {
        let output = say("<local-command-stdout>Done.</local-command-stdout>");
        let mut messages = vec![user("First"), model()];
        messages.push(user(vec![result(json!("taken back")), output.clone()]));
        let results = vec!["taken back".to_owned()];
        assert_eq!(
            prompt_and_results(&messages),
            ("First".into(), true, results)
        );
        let output = say("<local-command-stdout>Done.</local-command-stdout>\n");
        let blocks = vec![result(json!("taken back")), output, say("Second")];
        messages[2] = user(blocks);
        assert_eq!(
            prompt_and_results(&messages),
            ("Second".into(), false, vec![])
        );
    }

    #[test]
    fn a_failed_prompt_is_not_part_of_the_next_one() {
        let mut messages = vec![user("First")];
        let mut last: Option<PreviousRequest> = None;
        let mut ask = |messages: &[Value], is_failed: bool| {
            let content = content(messages);
            let info = request_info("m", &content, false, last.as_ref());
            let facts = (info.prompt.clone(), info.after_tools, info.is_retry);
            last = Some(PreviousRequest {
                content,
                info,
                is_failed,
            });
            facts
        };
        assert_eq!(ask(&messages, true), ("First".into(), false, false));
        messages[0] = user(vec![say("First\n"), say("Second")]);
        assert_eq!(ask(&messages, true), ("Second".into(), false, false));
        // The retry contains another reminder.
        let reminder = say("<system-reminder>It is late.</system-reminder>\n");
        messages[0] = user(vec![reminder, say("First\n"), say("Second")]);
        assert_eq!(ask(&messages, false), ("Second".into(), false, true));
        messages.push(model());
        assert_eq!(ask(&messages, false), ("Second".into(), false, false));
        messages.pop();
        messages.extend([model(), user(vec![result(json!("one"))])]);
        assert_eq!(ask(&messages, true), ("Second".into(), true, false));
        // A folded prompt belongs to the turn.
        let folded = say("The user sent a new message while you were working:\nMore.");
        messages[2] = user(vec![result(json!("one")), folded]);
        assert_eq!(ask(&messages, true), ("Second".into(), true, true));
        messages[2] = user(vec![result(json!("one")), say("Third")]);
        assert_eq!(ask(&messages, false), ("Third".into(), false, false));
    }
}
