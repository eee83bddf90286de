use agentwire::{Error, Options, prompt};

pub async fn run(options: Options) -> Result<(), Error> {
    match prompt("Hello", options).await {
        Ok(result) => println!("{}", result.text()),
        Err(Error::Ended(end)) => {
            println!("{:?}, {:?}", end.reason, end.exit.and_then(|it| it.code()));
            println!("{}", end.stderr.trim_end());
        }
        Err(error) => return Err(error),
    }
    Ok(())
}
