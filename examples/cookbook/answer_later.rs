use agentwire::{Client, Error, Later, Options, PermissionResult};
use tokio::sync::mpsc;

pub async fn run(options: Options) -> Result<(), Error> {
    let (to_user, mut inbox) = mpsc::unbounded_channel();
    let options = options.on_permission(move |ask| {
        // The ID can be stored in a database, and the callback returns.
        let pending = (ask.request_id.clone(), ask.request.tool_name.clone());
        to_user.send(pending).ok();
        async { Later }
    });
    let client = Client::connect(options).await?;
    let answer = client.prompt("Install it.");

    if let Some((id, tool)) = inbox.recv().await {
        println!("pending: {tool}");
        client.respond(&id, PermissionResult::allow()).await?;
    }
    println!("{}", answer.await?.text());
    Ok(())
}
