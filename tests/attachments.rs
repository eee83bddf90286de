//! Tests of the effects of an attachment on a session.

use crate::support::{ended, peer::connect, wait_for};
use agentwire::attachment::{Action, Attach, Attachment, Boxed, Gate, Opening};
use agentwire::protocol::host::Prompt;
use agentwire::protocol::message::UserMessage;
use agentwire::{
    EndReason, Error, Event, Frame, Notice, Options, PermissionResult, SubmissionState,
};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// An attachment that follows the commands of the test.
struct CommandedAttachment {
    actions: UnboundedReceiver<Action>,
    defers: Arc<AtomicBool>,
    is_lost: Arc<AtomicBool>,
    ended: UnboundedSender<()>,
}

impl CommandedAttachment {
    fn gate(&self) -> Gate {
        match self.defers.load(Ordering::SeqCst) {
            true => Gate::Wait,
            false => Gate::PassIfOwned,
        }
    }
}

impl Attachment for CommandedAttachment {
    fn may_act(&mut self) -> bool {
        !self.is_lost.load(Ordering::SeqCst)
    }

    fn before_message(&mut self, _: &Prompt) -> Gate {
        self.gate()
    }

    fn before_callback(&mut self, _: &Frame) -> Gate {
        self.gate()
    }

    fn intercept(&mut self, message: &Frame) -> bool {
        message.kind() == "mine"
    }

    fn before_result(&mut self, _: &Frame) -> Gate {
        self.gate()
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Action> {
        match ready!(self.actions.poll_recv(context)) {
            Some(action) => Poll::Ready(action),
            None => Poll::Pending,
        }
    }

    fn end(&mut self) -> Option<Boxed<'_, Vec<Notice>>> {
        let _ = self.ended.send(());
        let uuid = "at the end".into();
        Some(Box::pin(async { vec![Notice::Withdrawn { uuid }] }))
    }
}

/// Attaches the attachment once.
struct Once(Mutex<Option<CommandedAttachment>>);

impl Attach for Once {
    fn attach<'a>(
        &'a self,
        opening: &'a mut Opening<'_>,
    ) -> Boxed<'a, Result<Option<Box<dyn Attachment>>, Error>> {
        // The agent of these tests is started by the test, so the session has no ID.
        assert_eq!(opening.session_id(), None);
        let told = self.0.lock().unwrap().take();
        Box::pin(async { Ok(told.map(|it| Box::new(it) as Box<dyn Attachment>)) })
    }
}

/// The test's connection to the attachment.
struct AttachmentControl {
    actions: UnboundedSender<Action>,
    defers: Arc<AtomicBool>,
    is_lost: Arc<AtomicBool>,
    ended: UnboundedReceiver<()>,
}

fn attached(defers: bool) -> (Options, AttachmentControl) {
    let (actions, told) = unbounded_channel();
    let (end, ended) = unbounded_channel();
    let hand = AttachmentControl {
        actions,
        defers: Arc::new(AtomicBool::new(defers)),
        is_lost: Arc::default(),
        ended,
    };
    let told = CommandedAttachment {
        actions: told,
        defers: Arc::clone(&hand.defers),
        is_lost: Arc::clone(&hand.is_lost),
        ended: end,
    };
    let options = Options::new().attachment(Once(Mutex::new(Some(told))));
    (options, hand)
}

impl AttachmentControl {
    fn request_action(&self, action: Action) {
        self.actions.send(action).unwrap();
    }
}

fn message(uuid: &str) -> UserMessage {
    let mut message = UserMessage::new("Hello.");
    message.uuid = Some(uuid.to_owned());
    message
}

/// Returns a permission request.
fn permission_request() -> Value {
    json!({
        "subtype": "can_use_tool", "tool_name": "Bash", "input": { "command": "true" },
        "tool_use_id": "t",
    })
}

fn is_seen(event: &Event) -> Option<()> {
    matches!(event, Event::Frame(it) if it.kind() == "seen").then_some(())
}

#[tokio::test]
async fn a_held_message_holds_later_messages_until_it_is_released() {
    let (options, hand) = attached(true);
    let (client, mut agent) = connect(options).await;
    let first = client.send(message("a"));
    assert_eq!(client.handle().outbound_queue().await.unwrap().messages, 1);
    hand.defers.store(false, Ordering::SeqCst);
    // This message is behind the first one in the queue.
    let second = client.send(message("b"));
    assert_eq!(client.handle().outbound_queue().await.unwrap().messages, 2);
    assert_eq!(first.state(), SubmissionState::Waiting);
    hand.request_action(Action::Send("another".into()));
    hand.request_action(Action::Send("a".into()));
    assert_eq!(agent.hears().await["uuid"], "a");
    first.await.unwrap();
    // This agent has no queue, so it receives both messages as one.
    second.await.unwrap();
}

#[tokio::test]
async fn a_held_request_waits_for_a_retry() {
    let (options, hand) = attached(true);
    let options = options.on_permission(|_| async { PermissionResult::allow() });
    let (client, mut agent) = connect(options).await;
    agent.asks("r1", &permission_request()).await;
    agent.asks("r2", &permission_request()).await;
    agent.cancels("r2").await;
    // The agent's earlier lines were read before this message.
    agent.says(r#"{"type":"seen"}"#).await;
    let mut client = client;
    wait_for(&mut client, is_seen).await;
    // The request is still deferred.
    hand.request_action(Action::Retry);
    hand.defers.store(false, Ordering::SeqCst);
    hand.request_action(Action::Retry);
    let (request_id, answer) = agent.is_answered().await;
    assert_eq!((&*request_id, &answer["behavior"]), ("r1", &json!("allow")));
    // A cancelled request is not answered.
    let pending = tokio::spawn(async move { client.set_model("m").await });
    assert_eq!(agent.answers(&json!({})).await["subtype"], "set_model");
    pending.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_held_result_holds_later_events_and_intercepted_messages_are_not_delivered() {
    let (options, hand) = attached(true);
    let (mut client, mut agent) = connect(options).await;
    for line in [
        r#"{"type":"mine"}"#,
        r#"{"type":"before"}"#,
        r#"{"type":"result","subtype":"success","result":"Done."}"#,
        r#"{"type":"behind"}"#,
    ] {
        agent.says(line).await;
    }
    let frame = |event: &Event| match event {
        Event::Frame(frame) => Some(frame.kind().to_owned()),
        Event::Notice(Notice::Withdrawn { uuid }) => Some(format!("notice {uuid}")),
        _ => None,
    };
    assert_eq!(wait_for(&mut client, frame).await, "before");
    hand.request_action(Action::Notify(Notice::Withdrawn { uuid: "x".into() }));
    assert_eq!(wait_for(&mut client, frame).await, "notice x");
    hand.defers.store(false, Ordering::SeqCst);
    hand.request_action(Action::Retry);
    assert_eq!(wait_for(&mut client, frame).await, "result");
    assert_eq!(wait_for(&mut client, frame).await, "behind");
}

#[tokio::test]
async fn a_session_that_may_not_act_ends_silently() {
    let (options, mut hand) = attached(true);
    let is_asked = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&is_asked);
    let options = options.on_permission(move |_| {
        asked.store(true, Ordering::SeqCst);
        async { PermissionResult::allow() }
    });
    let (mut client, mut agent) = connect(options).await;
    agent.asks("r1", &permission_request()).await;
    agent.says(r#"{"type":"seen"}"#).await;
    wait_for(&mut client, is_seen).await;
    let submission = client.send(message("a"));
    agent
        .says(r#"{"type":"result","subtype":"success","result":"Done."}"#)
        .await;
    assert_eq!(client.handle().outbound_queue().await.unwrap().messages, 1);
    hand.is_lost.store(true, Ordering::SeqCst);
    hand.defers.store(false, Ordering::SeqCst);
    hand.request_action(Action::Check);
    hand.request_action(Action::Retry);
    assert!(agent.input.next_line().await.unwrap().is_none());
    drop(agent);
    let mut seen = vec![];
    let error = loop {
        match client.next().await {
            Some(Ok(Event::Frame(frame))) => seen.push(frame.kind().to_owned()),
            Some(Ok(Event::Notice(Notice::Withdrawn { uuid }))) => seen.push(uuid.to_string()),
            Some(Ok(_)) => {}
            Some(Err(error)) => break error,
            None => panic!("it ended without an error"),
        }
    };
    assert_eq!(ended(error).reason, EndReason::OwnershipLost);
    // The pending request is not delivered, and the notices of the attachment come last.
    assert!(!is_asked.load(Ordering::SeqCst));
    assert_eq!(seen, ["at the end"]);
    assert!(submission.await.is_err());
    hand.ended.recv().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_lost_session_reads_on_while_a_result_waits() {
    let (options, hand) = attached(true);
    let (client, mut agent) = connect(options).await;
    agent
        .says(r#"{"type":"result","subtype":"success","result":"Done."}"#)
        .await;
    hand.is_lost.store(true, Ordering::SeqCst);
    hand.request_action(Action::Check);
    assert!(agent.input.next_line().await.unwrap().is_none());
    // The lines are longer than the capacity of the pipe.
    let line = json!({"type": "behind", "text": "x".repeat(64 * 1024)}).to_string();
    let written = tokio::time::timeout(Duration::from_secs(1), agent.says(&line)).await;
    assert!(written.is_ok(), "the output is not read");
    drop(client);
}
