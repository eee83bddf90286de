//! Detects an idle session: no output, and no CPU use.

use super::super::process::Mark;
use super::Case;
use std::time::Duration;

/// The time without output before CPU use is checked.
const QUIET_TIME: Duration = Duration::from_secs(2);

/// The time without output before the first line. It is longer, because a CLI
/// may wait for the disk at its start.
const START_QUIET_TIME: Duration = Duration::from_secs(8);

/// Returns the time without output after which a CLI without CPU use is idle.
/// This time is longer than every step of its script.
pub(super) fn idle_timeout(case: &Case) -> Duration {
    QUIET_TIME + case.longest()
}

/// Completes when the session is idle. The caller drops the future when there
/// is output.
pub(super) async fn until_idle(cli: &Mark, idle_timeout: Duration, has_begun: bool) {
    let quiet = match has_begun {
        true => idle_timeout,
        false => idle_timeout.max(START_QUIET_TIME),
    };
    tokio::time::sleep(quiet).await;
    while cli.is_busy().await {}
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn the_idle_timeout_covers_the_longest_step() {
        let more = |say: Value, hooks: Value| {
            let file = json!({"replies": [say], "host": {"hooks": hooks}});
            idle_timeout(&Case::from_json("quiet", &file.to_string()).unwrap()) - QUIET_TIME
        };
        let tool = |takes: u64| json!([{"tool": {"name": "Bash", "input": {}, "takes_ms": takes}}, {"wait_ms": 60_000}]);
        let hook = json!([{"event": "Stop", "timeout_ms": 1000, "answers": "hang"}]);
        assert_eq!(more(json!([{"text": "Hello."}]), json!([])), Duration::ZERO);
        assert_eq!(more(tool(4000), json!([])), Duration::from_secs(4));
        assert_eq!(more(tool(0), hook), Duration::from_secs(1));
    }
}
