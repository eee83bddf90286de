//! Holds what was printed and what was sent against what is right.

use super::super::short;
use super::case::CaseText;
use crate::fake_agent::expect::{Expected, difference};
use serde_json::Value;

/// How many of the lines that came instead are told.
const TOLD: usize = 6;

/// How long a line may be that is told, in characters.
const WIDTH: usize = 300;

/// In what the lines that the adapter printed are not as they should be.
pub(super) fn printed(case: &CaseText, output: &str) -> Vec<String> {
    let mut departures = Vec::new();
    let mut lines = Vec::new();
    // Not `lines`: a carriage return is nothing that JSON has.
    for line in output.split('\n').filter(|line| !line.is_empty()) {
        match serde_json::from_str::<Value>(line) {
            Ok(seen) if seen["saw"].is_string() => lines.push(seen),
            _ => departures.push(format!(
                "the adapter printed what is no JSON object with a `saw`: {}",
                beginning(line)
            )),
        }
    }
    let mut rest = &lines[..];
    for wanted in &case.sees {
        let found = rest.iter().position(|seen| is_like(wanted, seen));
        let Some(found) = found else {
            departures.push(format!("its user did not see {wanted}, but {}", told(rest)));
            break;
        };
        rest = &rest[found + 1..];
    }
    for unwanted in &case.sees_not {
        if let Some(seen) = lines.iter().find(|seen| is_like(unwanted, seen)) {
            let seen = beginning(&seen.to_string());
            departures.push(format!("its user saw {seen}, and should not have"));
        }
    }
    departures
}

fn is_like(wanted: &Value, seen: &Value) -> bool {
    difference("", wanted, seen).is_none()
}

fn told(lines: &[Value]) -> String {
    let mut told: Vec<_> = (lines.iter().take(TOLD))
        .map(|line| beginning(&line.to_string()))
        .collect();
    match lines.len() {
        0 => return "nothing more".to_owned(),
        count if count > TOLD => told.push(format!("{} more", count - TOLD)),
        _ => {}
    }
    told.join(", ")
}

/// In what the agent's log is not as it should be.
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
    let heard = lines.try_for_each(|entry| {
        let line = format!("{}\n", entry["msg"]);
        expected.check_input(line.as_bytes())
    });
    if let Err(report) = heard.and_then(|()| expected.finish()) {
        let lines = report.lines().take(TOLD).map(beginning);
        let report = lines.collect::<Vec<_>>().join("\n");
        departures.push(report.replace("fake-agent: ", ""));
    }
    if let Some(status) = case.exit {
        let end = log.iter().rfind(|entry| entry["dir"] == "exit");
        match end.map(|entry| &entry["msg"]["code"]) {
            Some(code) if *code == status => {}
            Some(code) => departures.push(format!(
                "the agent exited with status {code}, instead of {status}"
            )),
            None => departures.push(format!(
                "the agent did not exit by itself with status {status}: it was killed"
            )),
        }
    }
    departures
}

/// A text that is short enough for a report.
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
    fn what_is_seen_comes_in_order_among_other_things() {
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
        assert!(departures[2].contains("should not"), "{departures:?}");
    }

    #[test]
    fn what_is_sent_and_the_exit_are_in_the_log() {
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
        assert!(departures[0].contains("not expected"), "{departures:?}");
        assert!(departures[1].contains("killed"), "{departures:?}");
        let raw = r#"{"t":0.1,"dir":"send_raw","msg":"{"}"#;
        let departures = sent(&case, &format!("{raw}\n{}", exit.replace('0', "3")));
        assert_eq!(departures.len(), 3, "{departures:?}");
        assert!(departures[0].contains("not JSON"), "{departures:?}");
        assert!(departures[2].ends_with("3, instead of 0"), "{departures:?}");
    }
}
