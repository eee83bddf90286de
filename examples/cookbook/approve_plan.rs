use agentwire::{Error, Options, PermissionMode, prompt};

pub async fn run(options: Options) -> Result<(), Error> {
    let options = options
        .permission_mode(PermissionMode::Plan)
        .on_plan(|plan| async move {
            println!("plan: {}", plan.text().unwrap_or_default());
            plan.approve_in(PermissionMode::AcceptEdits)
        });
    println!("{}", prompt("Plan a refactoring.", options).await?.text());
    Ok(())
}
