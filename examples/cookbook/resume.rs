use agentwire::{Error, Options, prompt};

pub async fn run(options: Options) -> Result<(), Error> {
    let first = prompt("My name is Ferris.", options.clone()).await?;
    // Store this ID, for example with the user's account.
    let id = first.session_id.unwrap_or_default();

    let again = options.resume(&id);
    let second = prompt("What is my name?", again).await?;
    println!("{}", second.text());
    println!("the same session: {}", second.session_id == Some(id));
    Ok(())
}
