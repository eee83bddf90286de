use agentwire::{Error, Options, prompt};

pub async fn run(options: Options) -> Result<(), Error> {
    match prompt("Hello", options.cli("/nowhere/claude")).await {
        Err(error @ Error::CliNotFound(_)) => println!("{error}"),
        other => println!("{}", other?.text()),
    }
    Ok(())
}
