//! Tools of a calculator, with tests.

use agentwire::Options;
use agentwire::mcp::Tools;
use agentwire::schemars::{self, JsonSchema};
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
pub struct Division {
    pub a: f64,
    pub b: f64,
}

pub async fn divide(Division { a, b }: Division) -> Result<f64, &'static str> {
    (b != 0.0).then(|| a / b).ok_or("Division by zero.")
}

pub fn options() -> Options {
    let tools = Tools::new().read_only_tool("divide", "Divides two numbers.", divide);
    Options::new().mcp_server("calculator", tools)
}
