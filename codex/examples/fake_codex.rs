//! A fake Codex that follows the script in `FAKE_AGENT_SCRIPT`.

fn main() {
    agentwire_testkit::codex::main()
}
