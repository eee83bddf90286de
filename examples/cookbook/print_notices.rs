use agentwire::protocol::permission::PermissionMode;
use agentwire::{Error, Event, Options, PermissionResult, query};

pub async fn run(options: Options) -> Result<(), Error> {
    let options = options
        .permission_mode(PermissionMode::BypassPermissions)
        .allow_bypassing_permissions(true)
        .on_permission(|_| async { PermissionResult::deny("Never called.") });
    let mut answer = query("Go on.", options).await?;
    while let Some(event) = answer.next().await {
        if let Event::Notice(notice) = event? {
            println!("{notice}");
        }
    }
    Ok(())
}
