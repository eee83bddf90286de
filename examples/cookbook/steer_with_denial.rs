use agentwire::{Error, Options, PermissionResult, prompt};

pub async fn run(options: Options) -> Result<(), Error> {
    let options = options.on_permission(|ask| async move {
        let input = ask.request.input.to_string();
        println!("asked: {input}");
        match input.contains("make") {
            true => PermissionResult::deny("There is no make here. Use cargo."),
            false => PermissionResult::allow(),
        }
    });
    let result = prompt("Build it.", options).await?;
    println!("{}", result.text());
    Ok(())
}
