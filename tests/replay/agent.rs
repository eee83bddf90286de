//! The agent of the replay tests: plays the recording named by the environment.

fn main() {
    agentwire_testkit::replay::main()
}
