use agentwire::{Error, Options, PermissionResult, prompt};

pub async fn run(options: Options) -> Result<(), Error> {
    let options = options.on_permission(|ask| async move {
        println!("asked: {}", ask.request.input);
        PermissionResult::allow_always(&ask.request)
    });
    let result = prompt("Run the tests twice.", options).await?;
    println!("{}", result.text());
    Ok(())
}
