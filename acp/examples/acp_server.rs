//! An agent CLI as an ACP agent, for an editor that starts this program.

use agentwire::Options;
use agentwire_acp::Server;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Server::new(Options::new()).serve_stdio().await?;
    Ok(())
}
