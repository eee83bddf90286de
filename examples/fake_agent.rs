//! A fake agent CLI for your own project's tests.
//!
//! An integration test requires an executable to start in place of the agent.
//! This example is one. `cargo test` builds a package's examples, as
//! `target/debug/examples/fake_agent`; `cargo test --test NAME` alone does not,
//! so run `cargo build --examples` first. The scenario in `FAKE_AGENT_SCRIPT`
//! is what the agent does.
//!
//! ```text
//! FAKE_AGENT_SCRIPT='{"replies":[[{"text":"Hello."}]]}' cargo run --example fake_agent
//! ```

fn main() {
    agentwire_testkit::fake_agent::main()
}
