use agentwire::{Error, Options, PermissionMode, PermissionResult, prompt};

pub async fn run(options: Options) -> Result<(), Error> {
    let options = options
        .permission_mode(PermissionMode::BypassPermissions)
        .allow_bypassing_permissions(true)
        .on_permission(|_| async { PermissionResult::deny("Never called.") })
        .on_notice(|notice| println!("{notice}"));
    println!("{}", prompt("Go on.", options).await?.text());
    Ok(())
}
