//! A fake ACP agent for tests of programs that drive ACP agents: a scenario, no network.
//!
//! With `--acp` it is this crate's server, which starts this program again as the agent of
//! agentwire-testkit; with `app-server` it is a fake Codex. The scenario in `FAKE_AGENT_SCRIPT` is
//! what the agent does.

use agentwire::Options;
use agentwire_acp::Server;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("--acp") => {}
        Some("app-server") => agentwire_testkit::codex::main(),
        _ => agentwire_testkit::fake_agent::main(),
    }
    let options = Options::new().cli(std::env::current_exe()?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(Server::new(options).serve_stdio())?;
    Ok(())
}
