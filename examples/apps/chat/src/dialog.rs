//! Requests of the agent that the user responds to with a line.

use agentwire::PermissionResult;
use agentwire::permission::{Answers, visible};
use agentwire::protocol::permission::{CanUseTool, Question};

/// A request that waits for the user.
#[derive(Debug)]
pub struct Dialog {
    /// The ID of the request.
    pub id: Box<str>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Permission(Box<CanUseTool>),
    /// Questions of the model, answered one after the other.
    Questions {
        answers: Answers,
        at: usize,
    },
}

/// The effect of a line that the user entered.
pub enum Outcome {
    /// The line is the response. The text describes it.
    Respond(PermissionResult, &'static str),
    /// The line is no response, or another question follows.
    Continue,
}

impl Dialog {
    pub fn new(id: Box<str>, request: Box<CanUseTool>) -> Self {
        let answers = (request.tool_name == "AskUserQuestion").then(|| Answers::to(&request));
        let kind = match answers {
            Some(Ok(answers)) if !answers.questions().is_empty() => {
                Kind::Questions { answers, at: 0 }
            }
            _ => Kind::Permission(request),
        };
        Self { id, kind }
    }

    /// Returns what to show: a title, and lines.
    pub fn text(&self) -> (String, Vec<String>) {
        match &self.kind {
            Kind::Permission(request) => permission(request),
            Kind::Questions { answers, at } => question(&answers.questions()[*at]),
        }
    }

    pub fn answer(&mut self, line: &str) -> Outcome {
        let line = line.trim();
        match &mut self.kind {
            Kind::Permission(request) => match line.to_lowercase().as_str() {
                "y" | "yes" => Outcome::Respond(PermissionResult::allow(), "allowed"),
                "n" | "no" => Outcome::Respond(denied(), "denied"),
                "a" | "always" if !always(request).is_empty() => {
                    Outcome::Respond(PermissionResult::allow_always(request), "always allowed")
                }
                _ => Outcome::Continue,
            },
            Kind::Questions { answers, at } => {
                let question = answers.questions()[*at].clone();
                let answer = chosen(&question, line);
                if !answer.is_empty() {
                    *answers = answers.clone().say(&question.question, answer);
                }
                *at += 1;
                if *at < answers.questions().len() {
                    return Outcome::Continue;
                }
                Outcome::Respond(answers.clone().into(), "answered")
            }
        }
    }
}

fn denied() -> PermissionResult {
    PermissionResult::deny("The user denied this call.")
}

fn permission(request: &CanUseTool) -> (String, Vec<String>) {
    let title = match &request.title {
        Some(title) => shown(title, 200),
        None => format!("Allow {}?", shown(&request.tool_name, 80)),
    };
    let mut lines = vec![shown(request.input.get(), 400)];
    lines.extend(request.decision_reason.as_deref().map(|it| shown(it, 200)));
    let always = match always(request).as_slice() {
        [] => String::new(),
        updates => format!(", [a]lways: {}", updates.join("; ")),
    };
    lines.push(format!("[y]es, [n]o{always}"));
    (title, lines)
}

/// Returns the rules that "always" allows. The list is empty if "always" is not offered.
fn always(request: &CanUseTool) -> Vec<String> {
    if request.requires_human() || request.suppress_always_allow_rule == Some(true) {
        return vec![];
    }
    let suggestions = request.permission_suggestions.iter().flatten();
    suggestions.map(|it| shown(&it.to_string(), 200)).collect()
}

fn question(question: &Question) -> (String, Vec<String>) {
    let options = question.options.iter().enumerate();
    let mut lines: Vec<String> = options
        .map(|(at, it)| {
            shown(
                &format!("{}. {}: {}", at + 1, it.label, it.description),
                200,
            )
        })
        .collect();
    lines.push(match question.multi_select {
        Some(true) => "Numbers, such as 1,2, or your own words".to_owned(),
        _ => "A number, or your own words".to_owned(),
    });
    (shown(&question.question, 200), lines)
}

/// Returns the labels of the options with these numbers. If the line has no numbers,
/// returns the line itself.
fn chosen(question: &Question, line: &str) -> String {
    let option = |number: &str| {
        let number: usize = number.trim().parse().ok()?;
        let option = question.options.get(number.checked_sub(1)?)?;
        Some(option.label.as_str())
    };
    let labels: Option<Vec<&str>> = match question.multi_select {
        Some(true) => line.split(',').map(option).collect(),
        _ => option(line).map(|label| vec![label]),
    };
    labels.map_or_else(|| line.to_owned(), |labels| labels.join(", "))
}

fn shown(text: &str, most: usize) -> String {
    visible::line(&visible::shortened(text, most)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn dialog(tool: &str, input: Value) -> Dialog {
        Dialog::new("1".into(), Box::new(CanUseTool::new(tool, input)))
    }

    #[test]
    fn only_yes_allows_and_other_lines_leave_the_dialog_open() {
        let mut dialog = dialog("Bash", json!({ "command": "make" }));
        for line in ["", "yep", "a", "1"] {
            assert!(matches!(dialog.answer(line), Outcome::Continue), "{line}");
        }
        for (line, allows) in [("y", true), (" Yes ", true), ("n", false), ("NO", false)] {
            let Outcome::Respond(result, _) = dialog.answer(line) else {
                panic!("{line}");
            };
            assert_eq!(
                matches!(result, PermissionResult::Allow(_)),
                allows,
                "{line}"
            );
        }
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
        let mut dialog = dialog("AskUserQuestion", json!({ "questions": questions }));
        assert!(matches!(dialog.answer("2"), Outcome::Continue));
        assert!(matches!(dialog.answer("1, 2"), Outcome::Continue));
        let Outcome::Respond(PermissionResult::Allow(allow), _) = dialog.answer("3 of them") else {
            panic!("all are answered");
        };
        let input: Value = allow.updated_input.unwrap().read().unwrap();
        let answers = json!({ "One?": "B", "Some?": "A, B", "Other?": "3 of them" });
        assert_eq!(input["answers"], answers);
    }
}
