//! Allows a tool permanently.

use super::{Allow, CanUseTool, PermissionResult};

impl PermissionResult {
    /// Allows the call, and applies the rule changes that the agent suggests with
    /// the request
    /// ([`permission_suggestions`](CanUseTool::permission_suggestions)), so that
    /// similar calls are allowed without a request. Without suggestions only this
    /// call is allowed.
    ///
    /// ```
    /// use agentwire_protocol::permission::{CanUseTool, PermissionResult};
    /// use serde_json::json;
    ///
    /// let request = CanUseTool::new("Bash", json!({"command": "make"}));
    /// assert_eq!(PermissionResult::allow_always(&request), PermissionResult::allow());
    /// ```
    #[must_use]
    pub fn allow_always(request: &CanUseTool) -> Self {
        Self::Allow(Allow {
            updated_permissions: request.permission_suggestions.clone(),
            ..Allow::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allow_always_applies_the_suggestions() {
        let request: CanUseTool = serde_json::from_str(
            r#"{"subtype":"can_use_tool","tool_name":"Bash","input":{},"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"make:*"}],"behavior":"allow","destination":"localSettings"}]}"#,
        )
        .expect("a request");
        let PermissionResult::Allow(allow) = PermissionResult::allow_always(&request) else {
            panic!("it is allowed")
        };
        assert_eq!(allow.updated_permissions, request.permission_suggestions);
    }
}
