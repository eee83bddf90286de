//! Checks the host against the scenario's expectations.

use crate::scenario::{Expect, HasAndHasNot};
use agentwire_protocol::codec::{Line, LineDecoder};
use regex_lite::Regex;
use serde_json::Value;
use std::collections::VecDeque;
use std::fmt::Write;

/// The expectations that are not yet met.
#[derive(Debug)]
pub(crate) struct Expected {
    lines: VecDeque<Value>,
    no_others: Vec<Value>,
    /// The number of expected lines at the start.
    number: usize,
    input: LineDecoder,
    /// Lines that the host sent after the last expected line.
    since: Vec<Value>,
}

/// The maximum number of lines in the report of a missing line.
const MAX_REPORTED: usize = 100;

impl Expected {
    pub(crate) fn new(expect: &Expect) -> Self {
        Self {
            lines: expect.lines.clone().into(),
            no_others: expect.no_others.clone(),
            number: expect.lines.len(),
            input: LineDecoder::default(),
            since: Vec::new(),
        }
    }

    /// Checks bytes from the host. Returns a report if they violate an
    /// expectation.
    pub(crate) fn check_input(&mut self, bytes: &[u8]) -> Result<(), String> {
        if self.lines.is_empty() && self.no_others.is_empty() {
            return Ok(());
        }
        self.input.push(bytes);
        while let Some(line) = self.input.next_line() {
            if let Line::Whole(raw) = line
                && let Ok(sent) = serde_json::from_slice(&raw)
            {
                self.check_line(sent)?;
            }
        }
        Ok(())
    }

    fn check_line(&mut self, sent: Value) -> Result<(), String> {
        let expected = self.lines.front();
        let difference = expected.map(|expected| difference("", expected, &sent));
        if let Some(None) = difference {
            self.lines.pop_front();
            self.since.clear();
            return Ok(());
        }
        let is_of_kind = |kind: &Value| self::difference("", kind, &sent).is_none();
        if self.no_others.iter().any(is_of_kind) {
            let mut report = match (expected, difference.flatten()) {
                (Some(expected), Some(difference)) => {
                    let mut report = self.head(expected);
                    _ = writeln!(report, "  difference: {difference}");
                    report
                }
                _ => "fake-agent: the host sent an unexpected line\n".to_owned(),
            };
            _ = writeln!(report, "  it sent:    {sent}");
            return Err(report);
        }
        if self.since.len() < MAX_REPORTED {
            self.since.push(sent);
        }
        Ok(())
    }

    /// Checks at the end of the session that no expected line is missing.
    /// Returns a report if one is.
    pub(crate) fn finish(&mut self) -> Result<(), String> {
        let Some(expected) = self.lines.front() else {
            return Ok(());
        };
        let mut report = self.head(expected);
        let is_of_type = |sent: &&Value| sent["type"] == expected["type"];
        let alike: Vec<_> = self.since.iter().filter(is_of_type).collect();
        if alike.is_empty() {
            _ = writeln!(report, "  it sent nothing of this type");
        }
        for sent in alike {
            _ = writeln!(report, "  it sent:    {sent}");
            if let Some(difference) = difference("", expected, sent) {
                _ = writeln!(report, "  difference: {difference}");
            }
        }
        Err(report)
    }

    fn head(&self, expected: &Value) -> String {
        let line = self.number - self.lines.len() + 1;
        format!(
            "fake-agent: the host did not send what is expected\n  expected:   {expected} \
             (line {line} of {})\n",
            self.number
        )
    }
}

/// Checks the arguments and the environment. Returns a report if they violate
/// an expectation.
pub(super) fn check_start(
    expect: &Expect,
    argv: &[String],
    env: &[(String, String)],
) -> Result<(), String> {
    let argument = |wanted: &str| has_argument(argv, wanted);
    check(&expect.argv, "argument", argument, &|| {
        let argv: Vec<_> = argv.iter().map(|it| format!("{it:?}")).collect();
        format!("  the arguments are: {}\n", argv.join(" "))
    })?;
    let variable = |wanted: &str| match wanted.split_once('=') {
        None => env.iter().any(|(name, _)| name == wanted),
        Some((name, value)) => env.iter().any(|it| it.0 == name && it.1 == value),
    };
    check(&expect.env, "variable", variable, &|| {
        // The report names variables without their values, which may be
        // secrets.
        let mut names: Vec<_> = env.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        format!("  the variables are: {}\n", names.join(" "))
    })
}

fn check(
    wanted: &HasAndHasNot,
    what: &str,
    is_there: impl Fn(&str) -> bool,
    there_is: &dyn Fn() -> String,
) -> Result<(), String> {
    let mut report = String::new();
    for it in wanted.has.iter().filter(|it| !is_there(it)) {
        _ = writeln!(report, "  expected:   the {what} {it:?}, which is missing");
    }
    for it in wanted.has_not.iter().filter(|it| is_there(it)) {
        _ = writeln!(report, "  expected:   no {what} {it:?}, which is present");
    }
    if report.is_empty() {
        return Ok(());
    }
    let head = "fake-agent: the host started the agent with unexpected arguments or variables\n";
    Err(format!("{head}{report}{}", there_is()))
}

fn has_argument(argv: &[String], wanted: &str) -> bool {
    if argv.iter().any(|it| it == wanted) {
        return true;
    }
    if !wanted.starts_with("--") {
        return false;
    }
    match wanted.split_once('=') {
        None => argv.iter().any(|it| {
            it.strip_prefix(wanted)
                .is_some_and(|rest| rest.starts_with('='))
        }),
        Some((flag, value)) => argv
            .windows(2)
            .any(|pair| pair[0] == flag && pair[1] == value),
    }
}

/// Returns the first difference between an expected and a sent line.
pub(crate) fn difference(path: &str, expected: &Value, sent: &Value) -> Option<String> {
    let here = || if path.is_empty() { "it" } else { path };
    match (expected, sent) {
        (Value::Object(members), _) if members.contains_key("$matches") => {
            let pattern = members["$matches"].as_str().unwrap_or_default();
            let matches = |text: &str| Regex::new(pattern).is_ok_and(|it| it.is_match(text));
            if sent.as_str().is_some_and(matches) {
                return None;
            }
            Some(format!(
                "`{}` is {sent}, which does not match {pattern:?}",
                here()
            ))
        }
        (Value::Object(expected), Value::Object(sent)) => {
            expected.iter().find_map(|(name, expected)| {
                let path = match path {
                    "" => name.clone(),
                    path => format!("{path}.{name}"),
                };
                match sent.get(name) {
                    None => Some(format!("`{path}` is missing, expected {expected}")),
                    Some(sent) => difference(&path, expected, sent),
                }
            })
        }
        (Value::Array(expected), Value::Array(sent)) if expected.len() == sent.len() => {
            let pairs = expected.iter().zip(sent).enumerate();
            let mut places = pairs
                .map(|(at, (expected, sent))| difference(&format!("{path}[{at}]"), expected, sent));
            places.find_map(|it| it)
        }
        _ if expected == sent => None,
        _ => Some(format!("`{}` is {sent}, expected {expected}", here())),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use serde_json::json;

    fn expects() -> Expect {
        Expect::default()
            .line(json!({"request": {"subtype": "set_model"}, "type": "control_request"}))
            .line(json!({"type": "user", "message": {"content": {"$matches": "^Go"}}}))
            .no_others(json!({"type": "user"}))
    }

    fn check_input(expected: &mut Expected, line: &Value) -> Result<(), String> {
        expected.check_input(format!("{line}\n").as_bytes())
    }

    #[test]
    fn a_host_that_meets_all_expectations_gets_no_report() {
        let mut expected = Expected::new(&expects());
        for line in [
            json!({"type": "control_request", "request": {"subtype": "interrupt"}}),
            json!({"type": "control_request", "request": {"subtype": "set_model", "model": "x"}}),
            json!({"type": "user", "message": {"content": "Go on"}, "uuid": "1"}),
        ] {
            check_input(&mut expected, &line).unwrap();
        }
        expected.finish().unwrap();
        // `no_others` forbids a second line of this kind.
        let more = json!({"type": "user", "message": {"content": "Go"}});
        let report = check_input(&mut expected, &more).unwrap_err();
        assert!(report.contains("unexpected line"), "{report}");
    }

    #[test]
    fn the_report_has_the_missing_line_and_the_sent_lines() {
        let mut expected = Expected::new(&expects());
        let line = json!({"type": "control_request", "request": {"subtype": "interrupt"}});
        check_input(&mut expected, &line).unwrap();
        let report = expected.finish().unwrap_err();
        let lines: Vec<_> = report.lines().collect();
        assert_eq!(lines.len(), 4, "{report}");
        assert!(lines[1].ends_with("(line 1 of 2)"), "{report}");
        let sent: Value = serde_json::from_str(lines[2].trim_start_matches("  it sent:")).unwrap();
        assert_eq!(sent, line);
        let difference = "`request.subtype` is \"interrupt\", expected \"set_model\"";
        assert_eq!(lines[3], format!("  difference: {difference}"));
    }

    #[test]
    fn an_early_line_is_reported_on_arrival() {
        let mut expected = Expected::new(&expects());
        let early = json!({"type": "user", "message": {"content": "Go on"}});
        let report = check_input(&mut expected, &early).unwrap_err();
        assert!(report.contains("line 1 of 2"), "{report}");
        assert!(report.contains("`request` is missing"), "{report}");
    }

    #[test]
    fn flag_values_match_in_both_forms() {
        let argv = ["--model", "opus", "--effort=high", "-p"].map(str::to_owned);
        for wanted in [
            "--model=opus",
            "--model",
            "--effort=high",
            "--effort",
            "-p",
            "opus",
        ] {
            assert!(has_argument(&argv, wanted), "{wanted}");
        }
        for wanted in ["--model=high", "--mod", "--effort=low", "--resume"] {
            assert!(!has_argument(&argv, wanted), "{wanted}");
        }
    }

    #[test]
    fn a_start_that_differs_is_reported_without_values_of_variables() {
        let expect = Expect::default()
            .argument("--model=opus")
            .no_argument("--resume")
            .variable("TOKEN=other")
            .no_variable("NODE_OPTIONS");
        let env = [("TOKEN".to_owned(), "secret".to_owned())];
        let argv = ["--model=opus".to_owned()];
        let report = check_start(&expect, &argv, &env).unwrap_err();
        assert!(
            report.contains("TOKEN=other") && !report.contains("secret"),
            "{report}"
        );
        let report = check_start(&expect, &["--resume".to_owned()], &env).unwrap_err();
        for text in [
            "the argument \"--model=opus\", which is missing",
            "no argument \"--resume\"",
        ] {
            assert!(report.contains(text), "{report}");
        }
        let env = [("TOKEN".to_owned(), "other".to_owned())];
        check_start(&expect, &argv, &env).unwrap();
    }

    #[test]
    fn differences_in_arrays_have_an_index() {
        let expected = json!({"a": [{"b": 1}, {"b": 2}]});
        let sent = json!({"a": [{"b": 1, "c": 0}, {"b": 3}]});
        let found = difference("", &expected, &sent).unwrap();
        assert_eq!(found, "`a[1].b` is 3, expected 2");
        assert!(difference("", &expected, &json!({"a": [{"b": 1}]})).is_some());
    }
}
