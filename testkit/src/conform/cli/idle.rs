//! When a session is at rest: nothing comes from the CLI, and it does nothing.

use super::super::process::Mark;
use super::Case;
use std::time::Duration;

/// After how long without a line it is looked whether the CLI works at all.
const QUIET: Duration = Duration::from_secs(2);

/// The same before the first line: a CLI that starts may wait for a disk.
const STARTING: Duration = Duration::from_secs(8);

/// How long nothing may come in a session whose CLI does not work: as long as
/// the longest thing takes in its script, and then some.
pub(super) fn patience(case: &Case) -> Duration {
    QUIET + case.longest()
}

/// Returns when nothing happens any more, if it is not dropped before because
/// something did.
pub(super) async fn at_rest(cli: &Mark, patience: Duration, has_begun: bool) {
    let quiet = match has_begun {
        true => patience,
        false => patience.max(STARTING),
    };
    tokio::time::sleep(quiet).await;
    while cli.works().await {}
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn a_session_may_be_quiet_as_long_as_something_takes_in_it() {
        let more = |say: Value, hooks: Value| {
            let file = json!({"replies": [say], "host": {"hooks": hooks}});
            patience(&Case::from_json("quiet", &file.to_string()).unwrap()) - QUIET
        };
        let tool = |takes: u64| json!([{"tool": {"name": "Bash", "input": {}, "takes_ms": takes}}, {"wait_ms": 60_000}]);
        let hook = json!([{"event": "Stop", "timeout_ms": 1000, "answers": "hang"}]);
        assert_eq!(more(json!([{"text": "Hello."}]), json!([])), Duration::ZERO);
        assert_eq!(more(tool(4000), json!([])), Duration::from_secs(4));
        assert_eq!(more(tool(0), hook), Duration::from_secs(1));
    }
}
