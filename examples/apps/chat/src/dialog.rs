//! Requests of the agent that the user responds to with a line.

use crate::transcript::{StyledLine, diff, dim, long, shortened};
use agentwire::PermissionResult;
use agentwire::permission::Answers;
use agentwire::protocol::permission::CanUseTool;
use agentwire::view::entry::{Approval, Content, QuestionItem};
use agentwire::view::{Body, Entry, View};
use ratatui::style::Style;

/// A request that waits for the user.
#[derive(Debug, Clone, Copy)]
pub struct Dialog<'a> {
    /// The ID of the request.
    pub id: &'a str,
    kind: Kind<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Kind<'a> {
    Approval(&'a Approval),
    /// Questions of the model, answered one after the other.
    Questions(&'a [QuestionItem]),
}

impl<'a> Dialog<'a> {
    /// Returns the first request that waits for the user, of the agent or of a sub-agent.
    pub fn first(view: &'a View) -> Option<Self> {
        fn first<'a>(view: &'a View, entry: &'a Entry) -> Option<Dialog<'a>> {
            Dialog::of(entry).or_else(|| view.children(&entry.id).find_map(|it| first(view, it)))
        }
        view.entries().find_map(|it| first(view, it))
    }

    fn of(entry: &'a Entry) -> Option<Self> {
        let (id, kind) = match &entry.body {
            Body::Approval(it) => (it.request_id.as_str(), Kind::Approval(it)),
            Body::Question(it) => (it.request_id.as_deref()?, Kind::Questions(&it.questions)),
            _ => return None,
        };
        Some(Self { id, kind })
    }

    /// Returns what to show: a title, and lines. `given` are the answers so far.
    pub fn text(&self, given: &[String]) -> (&'a str, Vec<StyledLine>) {
        match self.kind {
            Kind::Approval(approval) => (&approval.title, lines(approval)),
            Kind::Questions(questions) => match questions.get(given.len()) {
                Some(it) => (&it.question, question(it)),
                None => ("", vec![]),
            },
        }
    }

    /// Returns the response, or `None` if the line is none, or if another question follows.
    pub fn answer(
        &self,
        request: &CanUseTool,
        given: &mut Vec<String>,
        line: &str,
    ) -> Option<PermissionResult> {
        let line = line.trim();
        match self.kind {
            Kind::Approval(approval) => {
                let (word, feedback) = line.split_once(' ').unwrap_or((line, ""));
                match (word.to_lowercase().as_str(), feedback) {
                    ("y" | "yes", "") => Some(PermissionResult::allow()),
                    ("n" | "no", "") => Some(PermissionResult::deny("The user denied this call.")),
                    ("n" | "no", feedback) => Some(PermissionResult::deny(feedback)),
                    ("a" | "always", "") if !approval.always.is_empty() => {
                        Some(PermissionResult::allow_always(request))
                    }
                    _ => None,
                }
            }
            Kind::Questions(questions) => {
                given.push(chosen(questions.get(given.len())?, line));
                (given.len() == questions.len()).then(|| answers(request, given))
            }
        }
    }
}

fn answers(request: &CanUseTool, given: &[String]) -> PermissionResult {
    let empty = match Answers::to(request) {
        Ok(empty) => empty,
        Err(error) => return PermissionResult::deny(error.to_string()),
    };
    let questions = empty.questions().to_vec();
    let given = questions.iter().zip(given);
    given
        .filter(|(_, answer)| !answer.is_empty())
        .fold(empty, |all, (it, answer)| all.say(&it.question, answer))
        .into()
}

fn lines(approval: &Approval) -> Vec<StyledLine> {
    let style = Style::new();
    let mut lines = vec![];
    for content in &approval.content {
        match content {
            Content::Command(it) => {
                lines.extend(shortened(style, &format!("$ {}", long(&it.command))));
            }
            Content::Text(it) | Content::Json(it) => lines.extend(shortened(style, &long(it))),
            Content::Diff(it) => {
                lines.push((style, it.path.clone()));
                lines.extend(diff(it));
            }
            Content::Links(it) => lines.extend(it.links.iter().map(|it| (style, it.url.clone()))),
            _ => {}
        }
    }
    lines.extend(approval.reason.iter().map(|it| (dim(), it.clone())));
    let always = match approval.always.as_slice() {
        [] => String::new(),
        rules => format!(", [a]lways: {}", rules.join("; ")),
    };
    lines.push((style, format!("[y]es, [n]o, no and why{always}")));
    lines
}

fn question(question: &QuestionItem) -> Vec<StyledLine> {
    let choices = question.choices.iter().enumerate();
    let choices = choices.map(|(at, it)| {
        let about = it.description.as_deref().unwrap_or_default();
        (Style::new(), format!("{}. {}: {about}", at + 1, it.label))
    });
    let hint = match question.multiple {
        true => "Numbers, such as 1,2, or your own words",
        false => "A number, or your own words",
    };
    choices.chain([(dim(), hint.to_owned())]).collect()
}

/// Returns the labels of the choices with these numbers. If the line has no numbers, returns the
/// line itself.
fn chosen(question: &QuestionItem, line: &str) -> String {
    let choice = |number: &str| {
        let number: usize = number.trim().parse().ok()?;
        let choice = question.choices.get(number.checked_sub(1)?)?;
        Some(choice.label.as_str())
    };
    let labels: Option<Vec<&str>> = match question.multiple {
        true => line.split(',').map(choice).collect(),
        false => choice(line).map(|label| vec![label]),
    };
    labels.map_or_else(|| line.to_owned(), |labels| labels.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agentwire::protocol::Json;
    use agentwire::protocol::message::Message;
    use agentwire::view::Input;
    use serde_json::{Value, json};

    /// Returns a view with a request, and the request.
    fn view_with_request(tool: &str, input: Value) -> (View, CanUseTool) {
        let mut view = View::new();
        let call = json!({ "type": "tool_use", "id": "t", "name": tool, "input": input });
        let message =
            json!({ "id": "m", "type": "message", "role": "assistant", "content": [call] });
        let message = json!({ "type": "assistant", "message": message });
        view.push(&Json::from(message).read::<Message>().unwrap());
        let mut request = CanUseTool::new(tool, input);
        request.tool_use_id = Some("t".to_owned());
        view.push(Input::Permission {
            request_id: "1",
            request: &request,
        });
        (view, request)
    }

    #[test]
    fn only_yes_allows_and_other_lines_leave_the_dialog_open() {
        let (view, request) = view_with_request("Bash", json!({ "command": "make" }));
        let dialog = Dialog::first(&view).unwrap();
        let answer = |line| dialog.answer(&request, &mut vec![], line);
        for line in ["", "yep", "a", "1", "y not", "yes no"] {
            assert!(answer(line).is_none(), "{line}");
        }
        for (line, allows) in [("y", true), (" Yes ", true), ("n", false), ("NO", false)] {
            let result = answer(line).expect(line);
            assert_eq!(
                matches!(result, PermissionResult::Allow(_)),
                allows,
                "{line}"
            );
        }
        let Some(PermissionResult::Deny(deny)) = answer("n use just") else {
            panic!("it is denied");
        };
        assert_eq!(deny.message, "use just");
    }

    #[test]
    fn questions_are_answered_by_numbers_or_in_words() {
        let question = |question: &str, multi: bool| {
            json!({ "question": question, "header": "H", "multiSelect": multi, "options": [
                { "label": "A", "description": "a" }, { "label": "B", "description": "b" } ] })
        };
        let questions = [
            question("One?", false),
            question("Some?", true),
            question("Other?", true),
        ];
        let (view, request) = view_with_request("AskUserQuestion", json!({ "questions": questions }));
        let dialog = Dialog::first(&view).unwrap();
        let mut given = vec![];
        assert!(dialog.answer(&request, &mut given, "2").is_none());
        assert_eq!(dialog.text(&given).0, "Some?");
        assert!(dialog.answer(&request, &mut given, "1, 2").is_none());
        let result = dialog.answer(&request, &mut given, "3 of them");
        let Some(PermissionResult::Allow(allow)) = result else {
            panic!("all are answered");
        };
        let input: Value = allow.updated_input.unwrap().read().unwrap();
        let answers = json!({ "One?": "B", "Some?": "A, B", "Other?": "3 of them" });
        assert_eq!(input["answers"], answers);
    }
}
