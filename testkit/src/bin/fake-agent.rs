//! An agent CLI that follows the script in `FAKE_AGENT_SCRIPT`.

fn main() {
    agentwire_testkit::fake_agent::main()
}
