use agentwire::event::RequestKind;
use agentwire::{Client, Error, Event, Message, Options, PermissionResult};

pub async fn run(options: Options) -> Result<(), Error> {
    let mut client = Client::connect(options.requests_in_stream(true)).await?;
    client.send("Clean up.");
    while let Some(event) = client.next().await {
        match event? {
            Event::Frame(frame) => match frame.message() {
                Message::Assistant(said) => {
                    let texts = said.message.content.iter().filter_map(|it| it.as_text());
                    texts.for_each(|text| println!("{text}"));
                }
                Message::Result(_) => break,
                _ => {}
            },
            Event::Request(pending) => {
                if let RequestKind::Permission(request) = &pending.request {
                    println!("[allow {} {}? yes]", request.tool_name, request.input);
                    let allow = PermissionResult::allow();
                    client.respond(&pending.request_id, allow).await?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
