//! A fake agent CLI for your own project's tests.
//!
//! An integration test needs an executable that it can start in the agent's
//! place. This example is one: cargo builds a package's examples before it
//! runs its tests, so `target/debug/examples/fake_agent` is there. What it
//! says comes from the scenario in `FAKE_AGENT_SCRIPT`.
//!
//! ```text
//! FAKE_AGENT_SCRIPT='{"replies":[[{"text":"Hello."}]]}' cargo run --example fake_agent
//! ```

fn main() {
    agentwire_testkit::fake_agent::main()
}
