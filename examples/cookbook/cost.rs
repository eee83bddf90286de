use agentwire::{Client, Error, Options};

pub async fn run(options: Options) -> Result<(), Error> {
    // A turn that exceeds the budget ends with `error_max_budget_usd`.
    let client = Client::connect(options.max_budget_usd(1.0)).await?;
    for question in ["One?", "Two?"] {
        let result = client.prompt(question).await?;
        let tokens = result.usage.as_ref().and_then(|usage| usage.output_tokens);
        let session = result.cost_usd().unwrap_or_default();
        println!("{} tokens; the session: {session:.2} USD", tokens.unwrap_or_default());
    }
    Ok(())
}
