use agentwire::{Error, Options, prompt};
use agentwire_testkit::{Scenario, Step, fake_agent};

pub async fn run(options: Options) -> Result<(), Error> {
    let script = Scenario::default()
        .reply([Step::error(529, "overloaded_error", "Overloaded")])
        .reply([Step::text("Here I am.")]);
    let options = options
        .env(fake_agent::SCRIPT, script.to_json())
        .env("FAKE_AGENT_RETRY_MS", "1");
    println!("{}", prompt("Hello", options).await?.text());
    Ok(())
}
