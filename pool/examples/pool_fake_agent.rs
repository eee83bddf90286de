//! The fake agent, for the tests of this package.

fn main() {
    agentwire_testkit::fake_agent::main();
}
