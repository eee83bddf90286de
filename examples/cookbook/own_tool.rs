// Requires the feature `mcp`.
use agentwire::mcp::Tools;
use agentwire::schemars::{self, JsonSchema};
use agentwire::{Error, Options, prompt};
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

pub async fn run(options: Options) -> Result<(), Error> {
    let calc = Tools::new().read_only_tool("add", "Adds two numbers.", |input: Add| async move {
        println!("adding {} and {}", input.a, input.b);
        Ok::<_, String>(input.a + input.b)
    });
    let options = options
        .mcp_server("calc", calc)
        .allowed_tools(["mcp__calc__add"]);
    println!("{}", prompt("What is 1.5 + 2?", options).await?.text());
    Ok(())
}
