//! Compares the printed and sent lines with the expected ones.

use super::super::short;
use super::case::CaseText;
use crate::fake_agent::expect::{Expected, difference};
use serde_json::Value;

/// The maximum number of lines in a report.
const MAX_LINES: usize = 6;

/// The maximum length of a line in a report, in characters.
const WIDTH: usize = 300;

/// Returns the departures of the adapter's output from the expected lines.
pub(super) fn printed(case: &CaseText, output: &str) -> Vec<String> {
    let mut departures = Vec::new();
    let mut lines = Vec::new();
    // `lines` would remove carriage returns.
    for line in output.split('\n').filter(|line| !line.is_empty()) {
        match serde_json::from_str::<Value>(line) {
            Ok(seen) if seen["saw"].is_string() => lines.push(seen),
            _ => departures.push(format!(
                "the adapter printed a line that is not a JSON object with `saw`: {}",
                beginning(line)
            )),
        }
    }
    let mut rest = &lines[..];
    for wanted in &case.sees {
        let found = rest.iter().position(|seen| is_like(wanted, seen));
        let Some(found) = found else {
            departures.push(format!(
                "the user did not see {wanted}, but {}",
                summary(rest)
            ));
            break;
        };
        rest = &rest[found + 1..];
    }
    for unwanted in &case.sees_not {
        if let Some(seen) = lines.iter().find(|seen| is_like(unwanted, seen)) {
            let seen = beginning(&seen.to_string());
            departures.push(format!("the user saw {seen}, which is not expected"));
        }
    }
    departures
}

fn is_like(wanted: &Value, seen: &Value) -> bool {
    difference("", wanted, seen).is_none()
}

fn summary(lines: &[Value]) -> String {
    let mut shown: Vec<_> = (lines.iter().take(MAX_LINES))
        .map(|line| beginning(&line.to_string()))
        .collect();
    match lines.len() {
        0 => return "nothing more".to_owned(),
        count if count > MAX_LINES => shown.push(format!("{} more", count - MAX_LINES)),
        _ => {}
    }
    shown.join(", ")
}

/// Returns the departures of the agent's log from the expected lines.
pub(super) fn sent(case: &CaseText, log: &str) -> Vec<String> {
    let log: Vec<Value> = (log.split('\n'))
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    if log.is_empty() {
        return vec!["the agent was not started".to_owned()];
    }
    let mut departures: Vec<_> = (log.iter().filter(|entry| entry["dir"] == "send_raw"))
        .map(|entry| {
            let line = beginning(&entry["msg"].to_string());
            format!("the host sent a line that is not JSON: {line}")
        })
        .collect();
    let mut expected = Expected::new(&case.sends);
    let mut lines = log.iter().filter(|entry| entry["dir"] == "send");
    let checked = lines.try_for_each(|entry| {
        let line = format!("{}\n", entry["msg"]);
        expected.check_input(line.as_bytes())
    });
    if let Err(report) = checked.and_then(|()| expected.finish()) {
        let lines = report.lines().take(MAX_LINES).map(beginning);
        let report = lines.collect::<Vec<_>>().join("\n");
        departures.push(report.replace("fake-agent: ", ""));
    }
    if let Some(status) = case.exit {
        let end = log.iter().rfind(|entry| entry["dir"] == "exit");
        match end.map(|entry| &entry["msg"]["code"]) {
            Some(code) if *code == status => {}
            Some(code) => departures.push(format!(
                "the agent exited with status {code}, expected {status}"
            )),
            None => departures.push(format!(
                "the agent was killed, expected exit status {status}"
            )),
        }
    }
    departures
}

/// Shortens a text for a report.
pub(super) fn beginning(text: &str) -> String {
    short(text.trim_end(), WIDTH)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use serde_json::json;

    fn case(members: Value) -> CaseText {
        let mut case = json!({
            "about": "", "agent": {"replies": []}, "program": {},
        });
        case.as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        serde_json::from_value(case).unwrap()
    }

    #[test]
    fn expected_lines_come_in_order_among_others() {
        let case = case(json!({
            "sees": [{"saw": "text", "text": "One."}, {"saw": "result"}],
            "sees_not": [{"saw": "error"}],
        }));
        let right = concat!(
            r#"{"saw":"piece","text":"One"}"#,
            "\n",
            r#"{"saw":"text","text":"One."}"#,
            "\n",
            r#"{"saw":"result","is_error":false}"#,
            "\n",
        );
        assert_eq!(printed(&case, right), [""; 0]);
        let wrong = concat!(
            r#"{"saw":"result"}"#,
            "\n",
            r#"{"saw":"text","text":"One."}"#,
            "\n",
            r#"{"saw":"error"}"#,
            "\nDone.\n",
        );
        let departures = printed(&case, wrong);
        assert_eq!(departures.len(), 3, "{departures:?}");
        assert!(departures[0].contains("Done."), "{departures:?}");
        let missing = r#"did not see {"saw":"result"}, but {"saw":"error"}"#;
        assert!(departures[1].ends_with(missing), "{departures:?}");
        assert!(departures[2].contains("not expected"), "{departures:?}");
    }

    #[test]
    fn sent_lines_and_the_exit_are_checked() {
        let case = case(json!({
            "sends": {"lines": [{"type": "user", "message": {"content": "Go"}}],
                "no_others": [{"type": "user"}]},
            "exit": 0,
        }));
        let user = r#"{"t":0.1,"dir":"send","msg":{"type":"user","message":{"content":"Go"}}}"#;
        let exit = r#"{"t":0.2,"dir":"exit","msg":{"code":0}}"#;
        assert_eq!(sent(&case, &format!("{user}\n{exit}\n")), [""; 0]);
        assert_eq!(sent(&case, ""), ["the agent was not started"]);
        let departures = sent(&case, &format!("{user}\n{user}\n"));
        assert_eq!(departures.len(), 2, "{departures:?}");
        assert!(departures[0].contains("unexpected"), "{departures:?}");
        assert!(departures[1].contains("killed"), "{departures:?}");
        let raw = r#"{"t":0.1,"dir":"send_raw","msg":"{"}"#;
        let departures = sent(&case, &format!("{raw}\n{}", exit.replace('0', "3")));
        assert_eq!(departures.len(), 3, "{departures:?}");
        assert!(departures[0].contains("not JSON"), "{departures:?}");
        assert!(departures[2].ends_with("3, expected 0"), "{departures:?}");
    }
}
