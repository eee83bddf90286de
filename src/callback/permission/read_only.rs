//! Reading without asking.

use super::policy::{Decision, Policy};
use agentwire_protocol::permission::{CanUseTool, PermissionResult};

/// Lets the agent read files, wherever they are, and has no decision about
/// anything else.
///
/// It allows `Read`, `Glob`, `Grep`, `LS` and `NotebookRead`, unless a person is
/// meant to decide ([`CanUseTool::requires_human`]). What goes to the web is none
/// of it: an address or a query can carry away what was read. Nor are tools of
/// MCP servers, which alone say that they only read, nor the shell. For some
/// folders only, [`Rules`](crate::Rules) such as `Read(//srv/docs/**)` are
/// there.
///
/// ```
/// use agentwire::{Options, Policy, ReadOnly};
///
/// let options = Options::new().permission_handler(ReadOnly.or_deny("Only reading, please."));
/// # drop(options);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadOnly;

impl Policy for ReadOnly {
    fn decide(&self, request: &CanUseTool) -> Decision {
        let reads = matches!(
            &*request.tool_name,
            "Read" | "Glob" | "Grep" | "LS" | "NotebookRead"
        );
        (reads && !request.requires_human())
            .then(PermissionResult::allow)
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_reads_is_allowed_and_nothing_else_is_decided() {
        let decide = |tool: &str| ReadOnly.decide(&CanUseTool::new(tool, json!({})));
        for tool in ["Read", "Glob", "Grep", "LS", "NotebookRead"] {
            assert_eq!(decide(tool), PermissionResult::allow().into(), "{tool}");
        }
        for tool in [
            "Write",
            "Bash",
            "WebFetch",
            "WebSearch",
            "mcp__files__read",
            "read",
        ] {
            assert_eq!(decide(tool), Decision::None, "{tool}");
        }
        let mut guarded = CanUseTool::new("Read", json!({}));
        guarded.requires_user_interaction = Some(true);
        assert_eq!(ReadOnly.decide(&guarded), Decision::None);
    }
}
