//! Tests of the records of transcripts.

use crate::support::tree;
use crate::transcript::{answer, attachment, call, model_record, node, prompt};
use agentwire_interop::transcript::{AgentMeta, Entry, Record, message};
use agentwire_protocol::Untyped;
use serde_json::{Value, json};

/// Returns all known kinds of records, with all members.
fn all() -> Vec<Value> {
    let mut user = answer("1", "0", "t-1");
    merge(
        &mut user,
        json!({
            "origin": {"kind": "human"}, "isMeta": false, "isCompactSummary": false,
            "isVisibleInTranscriptOnly": false, "permissionDecision": {"decision": "accept"},
            "toolDenialKind": "user-rejected", "sandboxed": false, "toolEndsTurn": true,
            "mcpCallNotReadOnly": "no_hint", "promptId": "p", "turnPosition": {"turnIndex": 1},
            "promptSource": "sdk", "turnOrigin": "sdk", "turnAttributionKey": "k",
            "turnCompanion": true, "permissionMode": "default", "queueSkipAttachments": true,
            "imagePasteIds": [1], "holdsPersonsWords": true, "refusedMessageId": "m", "slug": "x",
            "agentId": "a",
        }),
    );
    let mut assistant = model_record("2", "1", "m-1", call("t-1"));
    merge(
        &mut assistant,
        json!({
            "requestId": "r", "requestRef": "r", "requestSessionId": "s", "apiBlockIndex": 0,
            "requestedModel": "m", "promptCacheRequested": "5m", "effort": "medium",
            "perTurnEffort": null, "madeBy": "model", "thinkingDurationMs": 1,
            "thinkingDisplay": "omitted", "toolInputStreamMs": 2, "attributionAgent": "x",
            "attributionMcpServer": "x", "attributionMcpTool": "x", "serverClassifierRequest": "x",
            "isApiErrorMessage": true, "error": "unknown", "errorDetails": "x", "apiError": "x",
            "apiErrorStatus": 529, "apiErrorType": "overloaded_error", "apiErrorParams": {"cut": 1},
            "failedResponseHadNoToolCall": true, "resendCannotCure": true,
            "healsDistinctCarrier": true, "refusedMessageId": "m", "refusingModel": "m",
        }),
    );
    let mut attached = attachment("3", "2");
    merge(
        &mut attached,
        json!({
            "rendered": [{"role": "user", "content": "x"}], "renderedRole": "user",
            "renderedBesideToolResult": true,
        }),
    );
    vec![
        user,
        assistant,
        attached,
        node(
            "4",
            None,
            json!({
                "type": "system", "subtype": "compact_boundary", "content": "x", "level": "info",
                "isMeta": false, "logicalParentUuid": "3", "compactMetadata": {"trigger": "auto"},
                "error": {"status": 529}, "toolUseID": "t-1", "source": "request_retry", "retryInMs": 500.5,
                "retryAttempt": 1, "maxRetries": 10, "hookCount": 1, "hookInfos": [],
                "hookErrors": [], "failedHookErrorIndexes": [0], "hookAdditionalContext": [],
                "preventedContinuation": false, "stopReason": "", "hasOutput": true,
                "modelRestriction": {}, "originalModel": "m", "requestId": null,
                "apiRefusalCategory": null, "apiRefusalExplanation": null,
                "refusedUserMessageUuid": "1",
            }),
        ),
        json!({"type": "last-prompt", "lastPrompt": "x", "leafUuid": "3", "sessionId": "s",
            "explicit": true, "rewound": true}),
        json!({"type": "queue-operation", "operation": "remove", "timestamp": "x",
            "sessionId": "s", "content": "x", "reason": "absorbed_mid_turn", "commandUuid": "u",
            "deliveryId": "d"}),
        json!({"type": "summary", "summary": "x", "leafUuid": "3"}),
        json!({"type": "custom-title", "customTitle": "x", "sessionId": "s"}),
        json!({"type": "ai-title", "aiTitle": "x", "sessionId": "s"}),
        json!({"type": "tag", "tag": "x", "sessionId": "s"}),
        json!({"type": "mode", "mode": "normal", "sessionId": "s"}),
        json!({"type": "permission-mode", "permissionMode": "plan", "sessionId": "s"}),
        json!({"type": "agent-setting", "agentSetting": "x", "sessionId": "s"}),
        json!({"type": "tools-used", "tools": ["Bash"], "sessionId": "s"}),
        json!({"type": "cost-state", "sessionId": "s", "totalCostUSD": 0.5, "totalAPIDuration": 1,
            "totalAPIDurationWithoutRetries": 1, "totalToolDuration": 1, "totalLinesAdded": 1,
            "totalLinesRemoved": 1, "totalDuration": 1, "startTime": 1,
            "hasUnknownModelCost": false}),
        json!({"type": "atis-latch", "atis": "", "sessionId": "s"}),
        json!({"type": "api-request", "sessionId": "s", "agentId": "a", "id": "i",
            "timestamp": "x", "version": "x", "querySource": "sdk", "shapeHash": "h",
            "params": {}, "base": "i", "keep": 1, "tail": ["h"], "cacheControl": [],
            "requestDigest": "h"}),
        json!({"type": "api-request-blob", "sessionId": "s", "agentId": "a", "hash": "h",
            "message": {"role": "user"}}),
        json!({"type": "api-request-shape", "sessionId": "s", "agentId": "a", "timestamp": "x",
            "version": "x", "shapeHash": "h", "shape": {}}),
    ]
}

#[test]
fn metadata_of_sub_agents_is_typed() {
    let value = json!({
        "agentType": "general-purpose", "isBuiltIn": true, "description": "Count",
        "toolUseId": "t-1", "spawnDepth": 1, "requestShape": "background",
        "requestNonInteractive": true, "launchedWithDefaults": true, "model": "m",
        "pickedEffortModel": "m", "finished": true, "stoppedByUser": false,
    });
    let meta: AgentMeta = serde_json::from_str(&value.to_string()).unwrap();
    assert_eq!(meta.untyped(), Vec::<String>::new());
    assert_eq!(tree(&meta), value);
}

fn merge(record: &mut Value, more: Value) {
    let Value::Object(more) = more else { panic!() };
    record.as_object_mut().unwrap().extend(more);
}

fn read(value: &Value) -> Record {
    Record::read(&value.to_string()).unwrap()
}

#[test]
fn every_record_is_typed_and_preserved() {
    for value in all() {
        let record = read(&value);
        assert!(!matches!(record.entry(), Entry::Unknown(_)), "{value}");
        assert_eq!(record.entry().untyped(), Vec::<String>::new(), "{value}");
        assert_eq!(tree(record.entry()), value);
        assert_eq!(tree(&record), value);
    }
}

#[test]
fn unknown_records_and_members_are_preserved() {
    for value in [
        json!({"type": "hologram", "depth": 3}),
        json!({"no": "type"}),
        // The member `message` has a value of another type.
        json!({"type": "user", "uuid": "1", "message": "hello"}),
        json!([1]),
        json!(null),
    ] {
        let record = read(&value);
        assert!(matches!(record.entry(), Entry::Unknown(_)), "{value}");
        assert_eq!(tree(&record), value);
        assert_eq!(record.uuid(), None);
    }
    assert!(Record::read("{\"type\":\"us").is_err());
}

/// Authors of records. Each line has a text and the other members of the record.
const AUTHORS: &str = r#"
Person "hello" {}
Person "hello" {"origin": {"kind": "human"}}
Person "what is <task-notification>?" {}
Notification "<task-notification>1</task-notification>" {"origin": {"kind": "task-notification"}, "promptSource": "system"}
Notification "x" {"origin": {"kind": "peer", "from": "y"}}
Notification "<task-notification>1</task-notification>" {"promptSource": null}
Person "<task-notification>1</task-notification>" {}
Person "<task-notification>1</task-notification>" {"promptSource": null, "origin": {"kind": "human"}}
Hook "Stop hook feedback:\nNo." {"isMeta": true}
Summary "It was about…" {"isCompactSummary": true}
Command "<command-name>/compact</command-name>" {"promptSource": null}
Command "<local-command-stdout>x</local-command-stdout>" {"promptSource": null}
Agent "[Image: source: /a.png]" {"isMeta": true, "turnCompanion": true}
Parent "Count." {"isSidechain": true, "agentId": "a", "parentUuid": null}
"#;

#[test]
fn authors_of_records_are_distinguished() {
    let mut records = vec![("Tool".to_owned(), answer("1", "0", "t-1"))];
    for line in AUTHORS.trim().lines() {
        let (author, rest) = line.split_once(' ').unwrap();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let text = values.next().unwrap().unwrap();
        let mut record = prompt("1", Some("0"), text.as_str().unwrap());
        merge(&mut record, values.next().unwrap().unwrap());
        records.push((author.to_owned(), record));
    }
    for (author, record) in records {
        let read = read(&record);
        let Entry::User(entry) = read.entry() else {
            panic!()
        };
        assert_eq!(format!("{:?}", entry.author()), author, "{record}");
    }
}

#[test]
fn records_become_messages() {
    let record = prompt("1", None, "hello");
    let told = tree(&message(&read(&record), Some("t-1")).unwrap());
    assert_eq!(
        told,
        json!({
            "type": "user", "message": {"role": "user", "content": "hello"}, "uuid": "1",
            "session_id": "s", "timestamp": "2026-01-01T00:00:00.000Z",
            "parent_tool_use_id": "t-1",
        })
    );
    assert!(message(&read(&attachment("2", "1")), None).is_none());
}
