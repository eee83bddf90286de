use agentwire::{Error, Options, PermissionResult, prompt};
use agentwire_testkit::{Scenario, Step, fake_agent};
use serde_json::json;

/// The code under test.
async fn count_files(options: Options) -> Result<String, Error> {
    let options = options.on_permission(|_| async { PermissionResult::allow() });
    let result = prompt("How many files are here?", options).await?;
    Ok(result.error_for_result()?.text().to_owned())
}

/// A test. `options` has the fake agent as its CLI.
pub async fn run(options: Options) -> Result<(), Error> {
    let script = Scenario::default()
        .reply([Step::tool("Bash", json!({ "command": "ls | wc -l" }), "3")])
        .reply([Step::text("There are 3.")]);
    let options = options.env(fake_agent::SCRIPT, script.to_json());
    assert_eq!(count_files(options).await?, "There are 3.");
    println!("passed");
    Ok(())
}
