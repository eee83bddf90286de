use agentwire::{Error, Options, PermissionResult, prompt};
use serde_json::json;

pub async fn run(options: Options) -> Result<(), Error> {
    let options = options.on_permission(|ask| async move {
        match ask.request.input.member("command") {
            Some(command) if command.get().contains("rm ") => {
                PermissionResult::allow_with(json!({ "command": "ls target" }))
            }
            _ => PermissionResult::allow(),
        }
    });
    let result = prompt("Clean up.", options).await?;
    println!("{}", result.text());
    Ok(())
}
