//! The types of `agentwire_protocol::permission`.

use crate::fields::table::{enums, objects, unions};

objects! { permission:
    AddDirectories { directories, destination }
    AddRules { rules, behavior, destination }
    Allow {
        updated_input = "updatedInput", updated_permissions = "updatedPermissions",
        tool_use_id = "toolUseID", decision_classification = "decisionClassification",
    }
    CanUseTool {
        tool_name, input, tool_use_id, permission_suggestions, blocked_path, decision_reason,
        decision_reason_type, title, display_name, description, agent_id, mcp_server,
        matched_ask_rule, default_to_no, suppress_always_allow_rule, classifier_approvable,
        requires_user_interaction, server_policy_ask_only,
    }
    Deny {
        message, interrupt, tool_use_id = "toolUseID",
        decision_classification = "decisionClassification",
    }
    MatchedAskRule { source, tool_name, rule_content }
    PermissionRule { tool_name = "toolName", rule_content = "ruleContent" }
    RemoveDirectories { directories, destination }
    RemoveRules { rules, behavior, destination }
    ReplaceRules { rules, behavior, destination }
    SetMode { mode, destination }
}

unions! { permission:
    PermissionResult by "behavior" { Allow = "allow", Deny = "deny" }
    PermissionUpdate by "type" {
        AddRules = "addRules", ReplaceRules = "replaceRules", RemoveRules = "removeRules",
        SetMode = "setMode", AddDirectories = "addDirectories",
        RemoveDirectories = "removeDirectories",
    }
}

enums! { permission:
    DecisionClassification {
        UserTemporary = "user_temporary", UserPermanent = "user_permanent",
        UserReject = "user_reject",
    }
    DecisionReason {
        Rule = "rule", Mode = "mode", SubcommandResults = "subcommandResults",
        PermissionPromptTool = "permissionPromptTool", Hook = "hook", AsyncAgent = "asyncAgent",
        SandboxOverride = "sandboxOverride", WorkingDir = "workingDir", SafetyCheck = "safetyCheck",
        Classifier = "classifier", Other = "other",
    }
    PermissionBehavior { Allow = "allow", Deny = "deny", Ask = "ask" }
    PermissionDestination {
        UserSettings = "userSettings", ProjectSettings = "projectSettings",
        LocalSettings = "localSettings", Session = "session", CliArg = "cliArg",
    }
    PermissionMode {
        Default = "default", AcceptEdits = "acceptEdits", BypassPermissions = "bypassPermissions",
        Plan = "plan", DontAsk = "dontAsk", Auto = "auto",
    }
}
