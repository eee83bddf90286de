//! What a request says of the prompt and of what tools answered, as the fake
//! agent knows it of itself.

use super::said::SIDE_ANSWER;
use super::said::Said;
use crate::asked::Asked;
use serde_json::Value;

/// How the CLI marks where the user interrupted a turn.
const INTERRUPTED: &str = "[Request interrupted by user";

/// How the names of the elements begin in which the CLI tells the model of a
/// command that the user ran beside the conversation, such as `/model`.
const OF_COMMANDS: [&str; 3] = ["local-command-", "command-", "bash-"];

/// A request that was answered from the script, for what it tells of the next.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) said: Said,
    pub(super) asked: Asked,
    /// Whether the answer was an error.
    pub(super) is_failed: bool,
}

/// What is known of a request for a message. `last` is the last one of the same
/// kind.
pub(super) fn asked(model: &str, said: &Said, is_subagent: bool, last: Option<&Answered>) -> Asked {
    let model = model.to_owned();
    let last = last.and_then(|last| Some((last, said.since(&last.said)?)));
    let mut rounds = said.rounds();
    let mut news = rounds.next().unwrap_or_default();
    match last {
        Some((last, _)) if last.said == *said => {
            return Asked {
                model,
                is_retry: true,
                ..last.asked.clone()
            };
        }
        // The turn of that prompt is over.
        Some((last, more)) if last.is_failed && more.len() < news.len() => news = more,
        _ => {}
    }
    let news = since_tools(since_interrupt(news));
    let after_tools = has_results(news);
    let same = || last.map(|(last, _)| last.asked.prompt.clone());
    let earlier = || rounds.find_map(|round| prompt(since_interrupt(round)));
    let prompt = match after_tools {
        true => same().or_else(earlier),
        false => prompt(news).or_else(same),
    };
    let results = news.iter().filter(|block| is_result(block));
    Asked {
        prompt: prompt.unwrap_or_default(),
        results: results.map(|block| text(&block["content"])).collect(),
        model,
        after_tools,
        is_subagent,
        ..Asked::default()
    }
}

/// What came after the last interrupt. What came before belongs to a turn that
/// is over.
fn since_interrupt(round: &[Value]) -> &[Value] {
    let is_interrupt = |block: &Value| {
        let text = block["text"].as_str();
        text.is_some_and(|text| text.starts_with(INTERRUPTED))
    };
    let place = round.iter().rposition(is_interrupt);
    &round[place.map_or(0, |place| place + 1)..]
}

/// What came after the results of tools, if the user wrote some of it: it is a
/// new prompt, and the turn of the tools is over. (What is said into a running
/// turn comes as a reminder.)
fn since_tools(round: &[Value]) -> &[Value] {
    let place = round.iter().rposition(is_result);
    let after = &round[place.map_or(0, |place| place + 1)..];
    match texts(after).any(|text| !is_of_cli(text, false)) {
        true => after,
        false => round,
    }
}

/// What the user wrote in a round that brings no results of tools. If all of it
/// could be the CLI's, the end of it is the user's.
fn prompt(round: &[Value]) -> Option<String> {
    if has_results(round) {
        return None;
    }
    let has_media = round.iter().any(|block| block["type"] != "text");
    let is_of_user = |text: &&str| !is_of_cli(text, has_media);
    let prompt: Vec<&str> = texts(round).filter(is_of_user).collect();
    if prompt.is_empty() && !has_media {
        return texts(round).last().map(str::to_owned);
    }
    Some(prompt.join("\n"))
}

/// Whether the CLI has put a text beside the prompt: a command and what it
/// printed, where an image came from, or a summary, which has in it what the
/// model said when it was asked for one.
fn is_of_cli(text: &str, has_media: bool) -> bool {
    let is_of_image = || has_media && text.starts_with("[Image: ") && text.ends_with(']');
    let is_summary = || text.contains(SIDE_ANSWER);
    is_of_command(text) || is_of_image() || is_summary()
}

/// Whether a text is elements about a command, and nothing else.
fn is_of_command(text: &str) -> bool {
    let is_name = |text: &str| OF_COMMANDS.iter().any(|name| text.starts_with(name));
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

    fn said(messages: &[Value]) -> Said {
        Said::of(&json!({ "messages": messages }))
    }

    /// The prompt, whether results of tools come with it, and these.
    fn asked_now(messages: &[Value]) -> (String, bool, Vec<String>) {
        let asked = asked("m", &said(messages), false, None);
        (asked.prompt, asked.after_tools, asked.results)
    }

    #[test]
    fn the_prompt_is_what_the_user_wrote_last_whatever_tools_answered_since() {
        let reminder = say("<system-reminder>\nBe brief.");
        let system = json!({ "role": "system", "content": "Environment" });
        let mut messages = vec![user([reminder, say("First")].to_vec()), system.clone()];
        assert_eq!(asked_now(&messages), ("First".into(), false, vec![]));

        messages.extend([model(), user(vec![result(json!("one"))]), system]);
        let results = vec!["one".to_owned()];
        assert_eq!(asked_now(&messages), ("First".into(), true, results));

        let blocks = json!([say("two"), say("three")]);
        messages.extend([model(), user(vec![result(blocks)])]);
        let results = vec!["two\nthree".to_owned()];
        assert_eq!(asked_now(&messages), ("First".into(), true, results));

        messages.extend([model(), user("Second")]);
        assert_eq!(asked_now(&messages), ("Second".into(), false, vec![]));
    }

    #[test]
    fn what_the_cli_puts_beside_the_prompt_is_no_part_of_it() {
        let caveat = say("<local-command-caveat>It ran.</local-command-caveat>\n");
        let command = say("<command-name>/model</command-name>\n<command-args>o</command-args>\n");
        let output = say("<local-command-stdout>Done.</local-command-stdout>\n");
        let from = |number: usize| say(&format!("[Image: source: /tmp/{number}.png]"));
        let summary = say(&format!("It went on. {SIDE_ANSWER} It ended.\n"));
        for (round, prompt) in [
            (vec![caveat, command, output.clone(), say("Go")], "Go"),
            (vec![image(), say("Look\n"), from(1)], "Look"),
            (vec![output, image(), from(1)], ""),
            (
                vec![image(), image(), say("a\n"), say("b\n"), from(1), from(2)],
                "a\nb",
            ),
            (vec![summary, say("Go")], "Go"),
            // These are the user's.
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
            assert_eq!(asked_now(&messages), (prompt.into(), false, vec![]));
            messages.extend([model(), user(vec![result(json!("one"))])]);
            assert_eq!(asked_now(&messages).0, prompt);
        }
    }

    #[test]
    fn what_came_before_an_interrupt_is_of_another_turn() {
        let mark = say("[Request interrupted by user for tool use]\n");
        let stopped = result(json!("stopped"));
        let mut messages = vec![user("First"), model()];
        messages.push(user(vec![stopped, say("Old\n"), mark, say("New")]));
        assert_eq!(asked_now(&messages), ("New".into(), false, vec![]));
        messages.extend([model(), user(vec![result(json!("one"))])]);
        let results = vec!["one".to_owned()];
        assert_eq!(asked_now(&messages), ("New".into(), true, results));
    }

    #[test]
    fn what_the_user_wrote_after_results_is_a_new_prompt() {
        let output = say("<local-command-stdout>Done.</local-command-stdout>");
        let mut messages = vec![user("First"), model()];
        messages.push(user(vec![result(json!("taken back")), output.clone()]));
        let results = vec!["taken back".to_owned()];
        assert_eq!(asked_now(&messages), ("First".into(), true, results));
        let output = say("<local-command-stdout>Done.</local-command-stdout>\n");
        let blocks = vec![result(json!("taken back")), output, say("Second")];
        messages[2] = user(blocks);
        assert_eq!(asked_now(&messages), ("Second".into(), false, vec![]));
    }

    #[test]
    fn a_prompt_that_failed_is_no_part_of_the_next() {
        let mut messages = vec![user("First")];
        let mut last: Option<Answered> = None;
        let mut ask = |messages: &[Value], is_failed: bool| {
            let said = said(messages);
            let asked = asked("m", &said, false, last.as_ref());
            let told = (asked.prompt.clone(), asked.after_tools, asked.is_retry);
            last = Some(Answered {
                said,
                asked,
                is_failed,
            });
            told
        };
        assert_eq!(ask(&messages, true), ("First".into(), false, false));
        messages[0] = user(vec![say("First\n"), say("Second")]);
        assert_eq!(ask(&messages, true), ("Second".into(), false, false));
        // Another try, with what the system said before.
        let reminder = say("<system-reminder>It is late.</system-reminder>\n");
        messages[0] = user(vec![reminder, say("First\n"), say("Second")]);
        assert_eq!(ask(&messages, false), ("Second".into(), false, true));
        messages.push(model());
        assert_eq!(ask(&messages, false), ("Second".into(), false, false));
        messages.pop();
        messages.extend([model(), user(vec![result(json!("one"))])]);
        assert_eq!(ask(&messages, true), ("Second".into(), true, false));
        // A prompt that was folded into the turn belongs to it.
        let folded = say("The user sent a new message while you were working:\nMore.");
        messages[2] = user(vec![result(json!("one")), folded]);
        assert_eq!(ask(&messages, true), ("Second".into(), true, true));
        messages[2] = user(vec![result(json!("one")), say("Third")]);
        assert_eq!(ask(&messages, false), ("Third".into(), false, false));
    }
}
