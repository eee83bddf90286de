//! What the replay tests start in the agent's place: a recording, named by the
//! environment.

fn main() {
    agentwire_testkit::replay::main()
}
