//! A trait over the SDK, so that the rest of a program can be tested without it.

use agentwire::{Client, Error, Options};

trait Agent {
    async fn ask(&self, prompt: &str) -> Result<String, Error>;
}

impl Agent for Client {
    async fn ask(&self, prompt: &str) -> Result<String, Error> {
        let result = self.prompt(prompt).await?.error_for_result()?;
        Ok(result.text().to_owned())
    }
}

/// Answers "yes" to everything.
struct Mock;

impl Agent for Mock {
    async fn ask(&self, _: &str) -> Result<String, Error> {
        Ok("yes".to_owned())
    }
}

async fn is_sure(agent: &impl Agent) -> Result<bool, Error> {
    Ok(agent.ask("Are you sure?").await? == "yes")
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let client = Client::connect(Options::new()).await?;
    println!("{} {}", is_sure(&Mock).await?, is_sure(&client).await?);
    Ok(())
}
