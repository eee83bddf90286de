//! Tests of stored sessions that this program changed, on the real CLI.

use crate::support::Live;
use agentwire::{Client, Message, query};
use agentwire_history::{ForkSession, History, MessageSelection};
use agentwire_testkit::{Scenario, Step};
use serde_json::Value;

fn history(live: &Live) -> History {
    History::in_directory(live.home.path().join(".claude")).project(live.project())
}

/// Returns the texts that the model receives, without those of the CLI itself.
fn shown(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().unwrap().iter();
    let messages = messages.filter(|message| message["role"] != "system");
    let texts = messages.flat_map(|message| {
        let content = &message["content"];
        let blocks = content.as_array().cloned();
        let blocks = blocks.unwrap_or_else(|| vec![serde_json::json!({"text": content})]);
        let texts = blocks.into_iter();
        texts.filter_map(|block| Some(block["text"].as_str()?.trim().to_owned()))
    });
    texts
        .filter(|text| !text.contains("<system-reminder>"))
        .collect()
}

#[tokio::test]
async fn a_fork_goes_on_after_its_last_message() {
    let scenario = ["One.", "Two.", "Three.", "Other."]
        .into_iter()
        .fold(Scenario::default(), |scenario, text| {
            scenario.reply([Step::text(text)])
        });
    let live = Live::start(scenario).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    let mut session = None;
    for prompt in ["First", "Second", "Third"] {
        session = client.prompt(prompt).await.unwrap().session_id;
    }
    client.close().await;
    let session = session.unwrap();
    let history = history(&live);

    let messages = history
        .session_messages(&session, MessageSelection::new())
        .unwrap();
    let answers = messages.iter().filter_map(|message| match message {
        Message::Assistant(message) => message.uuid.clone(),
        _ => None,
    });
    let answers: Vec<String> = answers.collect();
    assert_eq!(answers.len(), 3);
    let fork = ForkSession::new().up_to(&*answers[1]).title("Elsewhere");
    let copy = history.fork_session(&session, &fork).unwrap();
    let info = history.session_info(&copy).unwrap().unwrap();
    assert_eq!(info.custom_title.as_deref(), Some("Elsewhere"));

    let mut answer = query("Go on", live.options().resume(&*copy)).await.unwrap();
    let mut resumed = None;
    while let Some(event) = answer.next().await {
        if let agentwire::Event::Frame(frame) = event.unwrap()
            && let Message::Result(result) = frame.message()
        {
            resumed.clone_from(&result.session_id);
        }
    }
    assert_eq!(resumed.as_ref(), Some(&copy));
    let asked = live.model.asked(3).await;
    let expected = ["First", "One.", "Second", "Two.", "Go on"];
    assert_eq!(shown(&asked.body.unwrap()), expected);
    // The fork did not change the first session.
    let messages = history.session_messages(&session, MessageSelection::new());
    assert_eq!(messages.unwrap().len(), 6);
}

#[tokio::test]
async fn a_title_that_was_given_stays_when_the_session_goes_on() {
    let scenario = Scenario::default()
        .reply([Step::text("One.")])
        .reply([Step::text("Two.")]);
    let live = Live::start(scenario).await;
    let mut client = Client::connect(live.options()).await.unwrap();
    let session = client.prompt("First").await.unwrap().session_id.unwrap();
    client.close().await;
    let history = history(&live);
    history.rename_session(&session, "Crabs").unwrap();
    history.tag_session(&session, Some("sea")).unwrap();
    history.archive_session(&session).unwrap();
    let archived = history.session_info(&session).unwrap().unwrap();
    assert_eq!(archived.archived, Some(true));

    let options = live.options().resume(&*session);
    let mut client = Client::connect(options).await.unwrap();
    client.prompt("Second").await.unwrap();
    client.close().await;
    let info = history.session_info(&session).unwrap().unwrap();
    assert_eq!(info.summary, "Crabs");
    assert_eq!(info.tag.as_deref(), Some("sea"));
    // A prompt unarchives the session.
    assert_eq!(info.archived, Some(false));

    history.delete_session(&session).unwrap();
    assert_eq!(history.session_info(&session).unwrap(), None);
}
