use agentwire::permission::{Policy, ReadOnly};
use agentwire::{Options, Rules, prompt};
use std::error::Error;

pub async fn run(options: Options) -> Result<(), Box<dyn Error>> {
    let rules = Rules::builder()
        .allow(["Bash(cargo *)", "Edit(src/**)"])
        .deny(["Read(.env)"])
        .build()?;
    let rest = ReadOnly.or_deny("This is not on the list.");
    let options = options.rules(rules).permission_handler(rest);
    let result = prompt("Build it.", options).await?;
    println!("{}", result.text());
    for denied in result.permission_denials.unwrap_or_default() {
        println!("denied: {} {}", denied.tool_name, denied.tool_input);
    }
    Ok(())
}
