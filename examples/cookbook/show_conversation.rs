// Requires the feature `view`.
use agentwire::view::{Body, Input, View};
use agentwire::{Activity, Client, Event, Options, UserMessage};
use std::error::Error;

pub async fn run(options: Options) -> Result<(), Box<dyn Error>> {
    let mut view = View::new();
    let mut client = Client::connect(options).await?;
    let message = UserMessage::text("Write a poem.");
    let submission = client.send(message.clone());
    let (uuid, message) = (submission.uuid(), &message);
    view.push(Input::Sent { uuid, message });
    while let Some(event) = client.next().await {
        let event = event?;
        view.push(&event);
        if matches!(event, Event::Activity(Activity::Idle)) {
            break;
        }
    }

    for entry in view.entries() {
        match &entry.body {
            Body::Prompt(prompt) => println!("you: {}", prompt.text.text),
            Body::Text(text) => println!("model: {}", text.text.text),
            _ => {}
        }
    }
    Ok(())
}
