//! The policy for reading.

use super::policy::{Decision, Policy};
use agentwire_protocol::permission::{CanUseTool, PermissionResult};

/// A policy that allows reading any file, and has no decision about other calls.
///
/// It allows `Read`, `Glob`, `Grep`, `LS` and `NotebookRead`, unless the
/// request requires a human ([`CanUseTool::requires_human`]). It does not allow
/// web requests, whose address or query could leak what was read; tools of MCP
/// servers, whose read-only hint is unverified; or the shell. To limit reading
/// to certain directories, use [`Rules`](crate::Rules) such as
/// `Read(//srv/docs/**)`; to limit every file tool to one, use [`Within`](super::Within).
///
/// ```
/// use agentwire::Options;
/// use agentwire::permission::{Policy, ReadOnly};
///
/// let options = Options::new().permission_handler(ReadOnly.or_deny("Only reading."));
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
    fn only_reading_is_allowed() {
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
