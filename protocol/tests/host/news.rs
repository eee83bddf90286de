//! Tests of the metadata of the session, and of background tasks.

use crate::host::session::{MINUTE, Session, assert_events, init, result, state};
use crate::recorded;
use agentwire_protocol::control::SetModel;
use agentwire_protocol::host::{AuthUpdate, HostEvent, SessionUpdate};
use serde_json::{Value, json};

/// Returns the session updates for these lines.
fn session_updates(session: &mut Session, lines: &[Value]) -> Vec<String> {
    session.receive_all(lines);
    std::iter::from_fn(|| session.host.poll_event())
        .filter_map(|event| match event {
            HostEvent::Session(news) => Some(match news {
                SessionUpdate::Began(init) => format!("began {}", init.model.unwrap_or_default()),
                SessionUpdate::Changed(init) => {
                    format!("changed {}", init.model.unwrap_or_default())
                }
                SessionUpdate::Renumbered { session_id, before } => {
                    format!("{before} is {session_id}")
                }
                SessionUpdate::PermissionMode(mode) => format!("mode {}", mode.as_str()),
                SessionUpdate::Titled(title) => format!("titled {title}"),
                SessionUpdate::Auth(news) => login(&news),
                other => panic!("{other:?}"),
            }),
            HostEvent::Background(tasks) => Some(format!(
                "background {}",
                tasks
                    .iter()
                    .map(|it| &*it.task_id)
                    .collect::<Vec<_>>()
                    .join(" ")
            )),
            _ => None,
        })
        .collect()
}

fn login(news: &AuthUpdate) -> String {
    match news {
        AuthUpdate::Status(status) => {
            let output = status.output.as_deref().unwrap_or_default().join("; ");
            let error = status.error.as_deref().unwrap_or("no error");
            format!("login {:?}: {output}: {error}", status.is_authenticating)
        }
        AuthUpdate::Retrying {
            error,
            attempt,
            max_retries,
        } => format!("login {error} {attempt:?} of {max_retries:?}"),
        AuthUpdate::Failed { error, message } => format!("login {error}: {message}"),
        other => panic!("{other:?}"),
    }
}

fn init_of(session_id: &str, model: &str, uuid: &str) -> Value {
    let mut init = init();
    init["session_id"] = json!(session_id);
    init["model"] = json!(model);
    init["uuid"] = json!(uuid);
    init["user_message_uuids"] = json!([format!("message {uuid}")]);
    init["permissionMode"] = json!("default");
    init
}

#[test]
fn the_first_init_and_later_changes_are_reported() {
    let mut session = Session::connected();
    assert_eq!(session.host.session_id(), None);
    let told = session_updates(
        &mut session,
        &[
            init_of("s", "m", "1"),
            result(),
            init_of("s", "m", "2"),
            result(),
            init_of("s", "n", "3"),
        ],
    );
    assert_eq!(told, ["began m", "changed n"]);
    assert_eq!(session.host.session_id(), Some("s"));
}

#[test]
fn a_change_of_the_session_id_is_reported_once() {
    let mut session = Session::connected();
    let reset = json!({"type": "conversation_reset", "new_conversation_id": "c", "uuid": "c", "session_id": "s"});
    let told = session_updates(&mut session, &[init_of("s", "m", "1"), reset]);
    assert_eq!(told, ["began m"]);
    let mut over = result();
    over["session_id"] = json!("t");
    let told = session_updates(&mut session, &[init_of("t", "m", "2"), over]);
    assert_eq!(told, ["s is t", "changed m"]);
    assert_eq!(session.host.session_id(), Some("t"));
}

#[test]
fn a_change_of_the_session_id_within_a_turn_is_reported() {
    let mut session = Session::connected();
    let mut over = result();
    over["session_id"] = json!("t");
    let told = session_updates(&mut session, &[init_of("s", "m", "1"), over]);
    assert_eq!(told, ["began m", "s is t"]);
}

#[test]
fn a_new_permission_mode_or_title_is_reported() {
    let mut session = Session::connected();
    let mode = |mode| json!({"type": "system", "subtype": "status", "status": null, "permissionMode": mode});
    let title = json!({"type": "system", "subtype": "session_title_changed", "title": "Hi"});
    let told = session_updates(
        &mut session,
        &[
            init_of("s", "m", "1"),
            mode("default"),
            mode("plan"),
            mode("plan"),
            title,
        ],
    );
    assert_eq!(told, ["began m", "mode plan", "titled Hi"]);
}

#[test]
fn the_login_status_is_reported() {
    let mut session = Session::connected();
    let status = |going_on| {
        json!({"type": "auth_status", "isAuthenticating": going_on,
            "output": ["Open this page", "Wait"], "uuid": "u", "session_id": "s"})
    };
    let mut failed = status(false);
    failed["error"] = json!("nobody came");
    let told = session_updates(&mut session, &[status(true), failed]);
    assert_eq!(
        told,
        [
            "login Some(true): Open this page; Wait: no error",
            "login Some(false): Open this page; Wait: nobody came"
        ]
    );
}

/// Returns an agent's report that the model request failed.
fn failed(error: &str, content: Value) -> Value {
    json!({"type": "assistant", "error": error, "message": {"role": "assistant", "content": content}})
}

#[test]
fn each_login_or_account_failure_is_reported_with_the_agents_text() {
    let about_login = [
        "authentication_failed",
        "oauth_org_not_allowed",
        "account_on_hold",
        "verification_required",
        "billing_error",
        "cloud_credential_error",
    ];
    for error in about_login {
        let mut session = Session::connected();
        let content = json!([{"type": "text", "text": "Not "}, {"type": "weird"},
            {"type": "text", "text": "you"}]);
        let told = session_updates(
            &mut session,
            &[failed(error, content), failed(error, json!(7))],
        );
        // The updates do not depend on the text of the agent.
        assert_eq!(
            told,
            [
                format!("login {error}: Not you"),
                format!("login {error}: ")
            ]
        );
    }
}

#[test]
fn a_retry_after_a_login_failure_is_reported() {
    let retry = |error| {
        json!({"type": "system", "subtype": "api_retry", "attempt": 2, "max_retries": 10,
            "retry_delay_ms": 619, "error_status": 401, "error": error})
    };
    let mut session = Session::connected();
    let lines = [retry("authentication_failed"), retry("server_error")];
    let told = session_updates(&mut session, &lines);
    assert_eq!(told, ["login authentication_failed Some(2) of Some(10)"]);
}

#[test]
fn login_updates_have_the_size_of_their_content() {
    let mut session = Session::connected();
    let status = json!({"type": "auth_status", "output": ["12", "345"], "error": "6", "more": 78});
    let said = json!([{"type": "text", "text": "1234"}]);
    session.receive_all(&[status, failed("billing_error", said)]);
    let events = std::iter::from_fn(|| session.host.poll_event());
    let sizes: Vec<usize> = (events)
        .filter_map(|event| match event {
            HostEvent::Session(SessionUpdate::Auth(news)) => Some(news.size()),
            _ => None,
        })
        .collect();
    assert_eq!(sizes, [8, 4]);
}

#[test]
fn other_failures_and_replies_do_not_update_the_login() {
    let mut session = Session::connected();
    let mut retry_without_a_reason = json!({"type": "system", "subtype": "api_retry"});
    retry_without_a_reason["attempt"] = json!(1);
    let others = [
        failed("rate_limit", json!([])),
        failed("unknown", json!([])),
        failed("something_new", json!([])),
        json!({"type": "assistant", "error": null, "message": {"content": []}}),
        json!({"type": "assistant", "message": {"content": []}}),
        json!({"type": "assistant", "error": {"authentication_failed": 1}}),
        retry_without_a_reason,
    ];
    assert_eq!(session_updates(&mut session, &others), [""; 0]);
}

fn running(ids: &[&str]) -> Value {
    let tasks: Vec<Value> = ids.iter().map(|id| json!({"task_id": id})).collect();
    json!({"type": "system", "subtype": "background_tasks_changed", "tasks": tasks})
}

fn task_over(id: &str) -> Value {
    json!({"type": "system", "subtype": "task_notification", "task_id": id,
        "status": "completed", "output_file": "", "summary": ""})
}

#[test]
fn background_tasks_are_reported() {
    let mut session = Session::connected();
    let told = session_updates(
        &mut session,
        &[
            running(&["a"]),
            running(&["a"]),
            task_over("a"),
            running(&[]),
        ],
    );
    assert_eq!(told, ["background a", "background "]);
}

#[test]
fn background_tasks_of_an_agent_without_lists_are_reported() {
    let mut session = Session::connected();
    let started = |id, aside| json!({"type": "system", "subtype": "task_started", "task_id": id, "is_backgrounded": aside});
    let updated = |id, patch| json!({"type": "system", "subtype": "task_updated", "task_id": id, "patch": patch});
    let told = session_updates(
        &mut session,
        &[
            started("a", true),
            started("a", true),
            started("b", false),
            // This task stays in the foreground.
            started("c", false),
            updated("c", json!({"description": "x"})),
            updated("b", json!({"is_backgrounded": true})),
            task_over("a"),
            task_over("b"),
        ],
    );
    assert_events(
        told,
        "background a; background a b; background b; background ",
    );
}

#[test]
fn the_agents_list_of_background_tasks_takes_precedence() {
    let mut session = Session::connected();
    let started = json!({"type": "system", "subtype": "task_started", "task_id": "b",
        "is_backgrounded": true});
    let told = session_updates(&mut session, &[running(&["a"]), started]);
    assert_eq!(told, ["background a"]);
}

#[test]
fn an_unclassified_task_that_outlives_its_turn_is_a_background_task() {
    let started = |id| json!({"type": "system", "subtype": "task_started", "task_id": id});
    let mut session = Session::connected();
    session.host.finish(session.now, MINUTE);
    let told = session_updates(
        &mut session,
        &[
            state("running"),
            init(),
            started("foreground"),
            task_over("foreground"),
            started("b"),
        ],
    );
    assert!(
        !told.iter().any(|it| it.starts_with("background")),
        "{told:?}"
    );
    let told = session_updates(&mut session, &[result(), state("idle")]);
    assert!(told.contains(&"background b".to_owned()), "{told:?}");
    assert!(
        !session.polls_end(),
        "the agent tells of it in another turn"
    );
    session.receive_all(&[
        state("running"),
        task_over("b"),
        init(),
        result(),
        state("idle"),
    ]);
    assert!(session.polls_end());
}

#[test]
fn at_most_128_tasks_of_an_agent_without_lists_are_tracked() {
    let mut session = Session::connected();
    let tasks: Vec<Value> = (0..129)
        .map(|number| {
            json!({"type": "system", "subtype": "task_started",
                "task_id": number.to_string(), "is_backgrounded": true})
        })
        .collect();
    assert_eq!(session_updates(&mut session, &tasks).len(), 128);
}

#[test]
fn finishing_waits_for_background_tasks_and_the_turns_after_them() {
    let mut session = Session::connected();
    session.receive_all(&[state("running"), init(), running(&["a"]), result()]);
    session.host.finish(session.now, MINUTE);
    session.receive(state("idle"));
    assert!(!session.polls_end());
    assert!(session.host.poll_timeout().is_some());
    session.receive_all(&[task_over("a"), running(&[])]);
    assert!(
        !session.polls_end(),
        "the agent has not said yet what comes of it"
    );
    session.receive_script("running, init");
    assert!(!session.polls_end());
    assert_eq!(session.host.poll_timeout(), None);
    session.receive_script("result, idle");
    assert!(session.polls_end());
}

#[test]
fn finishing_does_not_wait_after_a_task_without_a_turn() {
    let mut session = Session::connected();
    session.receive_all(&[
        state("running"),
        init(),
        running(&["a"]),
        result(),
        state("idle"),
    ]);
    session.host.finish(session.now, MINUTE);
    session.receive_all(&[task_over("a"), running(&[])]);
    assert!(!session.polls_end());
    session.receive(state("idle"));
    assert!(session.polls_end());
}

#[test]
fn the_timeout_for_background_tasks_restarts_after_each_turn() {
    let mut session = Session::connected();
    session.receive_all(&[
        state("running"),
        init(),
        running(&["a", "b"]),
        result(),
        state("idle"),
    ]);
    session.host.finish(session.now, MINUTE);
    session.advance(MINUTE / 2);
    session.receive_all(&[task_over("a"), running(&["b"]), state("running"), init()]);
    session.advance(MINUTE);
    assert!(!session.polls_end());
    session.receive_script("result, idle");
    session.advance(MINUTE / 2);
    assert!(!session.polls_end());
    session.advance(MINUTE / 2);
    assert!(session.polls_end());
    assert_eq!(session.host.poll_timeout(), None);
}

#[test]
fn the_timeout_for_background_tasks_starts_when_the_queue_is_empty() {
    let mut session = Session::connected();
    session.receive_all(&[state("running"), running(&["a"]), state("idle")]);
    session.request("r1", &SetModel::to("m"));
    session.lines();
    session.host.finish(session.now, MINUTE);
    session.host.cancel("r1");
    session.advance(MINUTE);
    assert_eq!(session.host.poll_timeout(), None);
    assert_eq!(session.lines(), ["cancel r1"]);
    assert_eq!(session.host.poll_timeout(), Some(session.now + MINUTE));
}

#[test]
fn finishing_does_not_wait_for_an_ambient_task() {
    let mut session = Session::connected();
    let mut watching = running(&["a"]);
    watching["tasks"][0]["ambient"] = json!(true);
    session.receive(watching);
    session.host.finish(session.now, MINUTE);
    assert!(session.polls_end());
}

#[test]
fn background_tasks_of_a_recording_are_reported() {
    let mut session = Session::connected();
    let lines = recorded::sessions()
        .remove("10_background_stop_task")
        .unwrap();
    let heard: Vec<Value> = (lines.iter().filter(|line| line.dir == "recv"))
        .map(|line| serde_json::from_str(&line.line).unwrap())
        .collect();
    let told = session_updates(&mut session, &heard);
    let background: Vec<bool> = (told.iter().filter_map(|it| it.strip_prefix("background ")))
        .map(str::is_empty)
        .collect();
    assert_eq!(background, [false, true].repeat(5));
    assert_eq!(told.iter().filter(|it| it.starts_with("began")).count(), 1);
}
