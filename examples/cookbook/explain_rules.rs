use agentwire::protocol::permission::CanUseTool;
use agentwire::{Options, Rules};
use serde_json::json;
use std::error::Error;

pub async fn run(_: Options) -> Result<(), Box<dyn Error>> {
    let rules = Rules::builder()
        .allow(["Bash(git *)"])
        .deny(["Bash(git push *)"])
        .build()?;
    for command in ["git status", "git status && git push origin", "git log | sh"] {
        let call = CanUseTool::new("Bash", json!({ "command": command }));
        println!("{command}: {}", rules.verdict(&call));
    }
    Ok(())
}
