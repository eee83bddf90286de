//! Frames of `codex app-server`, as method and parameters, or method and
//! result.

pub(crate) const NOTIFICATIONS: &[(&str, &str)] = &[
    (
        "error",
        r#"{"error":{"message":"Reconnecting... 1/5","codexErrorInfo":{"responseStreamDisconnected":{"httpStatusCode":401}},"additionalDetails":"401","misalignment":null},"willRetry":true,"threadId":"t","turnId":"u"}"#,
    ),
    (
        "thread/started",
        r#"{"thread":{"id":"t","extra":null,"sessionId":"t","forkedFromId":null,"preview":"","ephemeral":false,"modelProvider":"fake","model":"m","reasoningEffort":null,"createdAt":1,"updatedAt":2,"status":{"type":"idle"},"path":"/h/r.jsonl","cwd":"/w","cliVersion":"0.171.0","source":"vscode","gitInfo":null,"name":null,"turns":[]}}"#,
    ),
    (
        "thread/status/changed",
        r#"{"threadId":"t","status":{"type":"active","activeFlags":["waitingOnApproval"]}}"#,
    ),
    ("thread/archived", r#"{"threadId":"t"}"#),
    (
        "thread/name/updated",
        r#"{"threadId":"t","threadName":"A name"}"#,
    ),
    (
        "thread/settings/updated",
        r#"{"threadId":"t","threadSettings":{"cwd":"/w","approvalPolicy":{"granular":{"mcp_elicitations":true,"rules":true,"sandbox_approval":false}},"approvalsReviewer":"user","sandboxPolicy":{"type":"workspaceWrite","writableRoots":["/x"],"networkAccess":false},"model":"m","modelProvider":"fake","effort":"high","summary":"detailed","collaborationMode":{"mode":"plan","settings":{"model":"m","reasoning_effort":"high","developer_instructions":null}},"personality":null}}"#,
    ),
    (
        "thread/tokenUsage/updated",
        r#"{"threadId":"t","turnId":"u","tokenUsage":{"total":{"totalTokens":15,"inputTokens":10,"cachedInputTokens":0,"cacheWriteInputTokens":0,"outputTokens":5,"reasoningOutputTokens":0},"last":{"totalTokens":15,"inputTokens":10,"cachedInputTokens":0,"outputTokens":5,"reasoningOutputTokens":0},"modelContextWindow":475000}}"#,
    ),
    (
        "turn/started",
        r#"{"threadId":"t","turn":{"id":"u","items":[],"itemsView":"notLoaded","status":"inProgress","error":null,"startedAt":3,"completedAt":null,"durationMs":null}}"#,
    ),
    (
        "turn/completed",
        r#"{"threadId":"t","turn":{"id":"u","items":[{"type":"agentMessage","id":"i","text":"ok","phase":"final_answer","memoryCitation":null}],"itemsView":"summary","status":"failed","error":{"message":"no","codexErrorInfo":"usageLimitExceeded","additionalDetails":null},"startedAt":3,"completedAt":4,"durationMs":429}}"#,
    ),
    (
        "turn/diff/updated",
        r#"{"threadId":"t","turnId":"u","diff":"-a\n+b\n"}"#,
    ),
    (
        "turn/plan/updated",
        r#"{"threadId":"t","turnId":"u","explanation":null,"plan":[{"step":"Look","status":"completed"}]}"#,
    ),
    (
        "item/started",
        r#"{"threadId":"t","turnId":"u","startedAtMs":5,"item":{"type":"commandExecution","id":"i","command":"ls","cwd":"/w","processId":"7","source":"agent","status":"inProgress","commandActions":[{"type":"listFiles","command":"ls","path":null}],"aggregatedOutput":null,"exitCode":null,"durationMs":null}}"#,
    ),
    (
        "item/completed",
        r#"{"threadId":"t","turnId":"u","completedAtMs":6,"item":{"type":"fileChange","id":"i","changes":[{"path":"/w/a","kind":{"type":"update","move_path":null},"diff":"-a\n+b\n"}],"status":"completed"}}"#,
    ),
    (
        "item/completed",
        r#"{"threadId":"t","turnId":"u","completedAtMs":6,"item":{"type":"mcpToolCall","id":"i","server":"s","tool":"ask","status":"failed","arguments":{"n":1.50},"readOnlyHint":null,"result":{"content":[{"type":"text","text":"x"}],"structuredContent":null},"error":{"message":"no"},"durationMs":7,"startedAtMs":5,"completedAtMs":6}}"#,
    ),
    (
        "item/completed",
        r#"{"threadId":"t","turnId":"u","completedAtMs":6,"item":{"type":"hologram","id":"i","frames":9}}"#,
    ),
    (
        "item/agentMessage/delta",
        r#"{"threadId":"t","turnId":"u","itemId":"i","delta":"Hel\u006co"}"#,
    ),
    (
        "item/reasoning/summaryTextDelta",
        r#"{"threadId":"t","turnId":"u","itemId":"i","delta":"x","summaryIndex":0}"#,
    ),
    (
        "item/fileChange/patchUpdated",
        r#"{"threadId":"t","turnId":"u","itemId":"i","changes":[{"path":"a","kind":{"type":"add"},"diff":"x"},{"path":"b","kind":{"type":"delete"},"diff":""}]}"#,
    ),
    (
        "serverRequest/resolved",
        r#"{"threadId":"t","requestId":0}"#,
    ),
    (
        "hook/completed",
        r#"{"threadId":"t","turnId":"u","run":{"id":"h","eventName":"userPromptSubmit","status":"completed","statusMessage":null,"durationMs":5,"entries":[{"kind":"context","text":"x"}]}}"#,
    ),
    (
        "mcpServer/startupStatus/updated",
        r#"{"threadId":"t","name":"s","status":"failed","error":"no such file"}"#,
    ),
    (
        "account/rateLimits/updated",
        r#"{"rateLimits":{"limitId":"codex","primary":{"usedPercent":13,"windowDurationMins":300,"resetsAt":9},"secondary":null,"planType":"plus"}}"#,
    ),
    ("warning", r#"{"threadId":null,"message":"x"}"#),
    ("configWarning", r#"{"summary":"x","details":null}"#),
];

pub(crate) const REQUESTS: &[(&str, &str)] = &[
    (
        "item/commandExecution/requestApproval",
        r#"{"kind":"command","threadId":"t","turnId":"u","itemId":"i","startedAtMs":5,"environmentId":"local","command":"touch made","cwd":"/w","commandActions":[{"type":"unknown","command":"touch made"}],"proposedExecpolicyAmendment":["touch"],"availableDecisions":["accept",{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["touch"]}},"cancel"]}"#,
    ),
    (
        "item/commandExecution/requestApproval",
        r#"{"kind":"command","threadId":"t","turnId":"u","itemId":"i","startedAtMs":5,"command":null,"networkApprovalContext":{"host":"example.com","protocol":"https"},"proposedNetworkPolicyAmendments":[{"action":"allow","host":"example.com"}],"additionalPermissions":{"network":{"enabled":true}}}"#,
    ),
    (
        "item/fileChange/requestApproval",
        r#"{"threadId":"t","turnId":"u","itemId":"i","startedAtMs":5,"reason":null,"grantRoot":"/x"}"#,
    ),
    (
        "item/tool/requestUserInput",
        r#"{"threadId":"t","turnId":"u","itemId":"i","questions":[{"id":"colour","header":"Colour","question":"Which colour?","isOther":true,"isSecret":false,"options":[{"label":"Red","description":"warm"}]}],"isBlocking":true,"autoResolutionMs":null}"#,
    ),
    (
        "mcpServer/elicitation/request",
        r#"{"threadId":"t","turnId":"u","serverName":"s","mode":"form","_meta":{"codex_approval_kind":"mcp_tool_call","persist":["session"]},"message":"Allow it?","requestedSchema":{"type":"object","properties":{}}}"#,
    ),
    (
        "mcpServer/elicitation/request",
        r#"{"threadId":"t","turnId":null,"serverName":"s","mode":"url","_meta":null,"message":"Log in","url":"https://example.com","elicitationId":"e"}"#,
    ),
    (
        "item/tool/call",
        r#"{"threadId":"t","turnId":"u","callId":"c","namespace":null,"tool":"lookup","arguments":{"q":"x"}}"#,
    ),
    (
        "item/permissions/requestApproval",
        r#"{"threadId":"t","turnId":"u","itemId":"i","startedAtMs":5,"cwd":"/w","reason":null,"permissions":{"network":{"enabled":true},"fileSystem":null}}"#,
    ),
];

pub(crate) const RESULTS: &[(&str, &str)] = &[
    (
        "initialize",
        r#"{"userAgent":"probe/0.171.0 (OS)","codexHome":"/h/.codex","platformFamily":"unix","platformOs":"linux"}"#,
    ),
    (
        "thread/start",
        r#"{"thread":{"id":"t","preview":"","ephemeral":false,"modelProvider":"fake","createdAt":1,"updatedAt":2,"status":{"type":"idle"},"cwd":"/w","turns":[]},"model":"m","modelProvider":"fake","cwd":"/w","approvalPolicy":"untrusted","approvalsReviewer":"user","sandbox":{"type":"readOnly","networkAccess":false},"reasoningEffort":null,"instructionSources":[]}"#,
    ),
    (
        "thread/items/list",
        r#"{"data":[{"turnId":"u","item":{"type":"userMessage","id":"i","clientId":null,"content":[{"type":"text","text":"x","text_elements":[]},{"type":"localImage","path":"/w/a.png"}]},"startedAtMs":5,"completedAtMs":null}],"nextCursor":null,"backwardsCursor":"b"}"#,
    ),
    (
        "model/list",
        r#"{"data":[{"id":"m","model":"m","displayName":"M","description":"","hidden":false,"isDefault":true,"supportedReasoningEfforts":[{"reasoningEffort":"high","description":""}],"defaultReasoningEffort":"high","inputModalities":["text"]}],"nextCursor":"n"}"#,
    ),
    (
        "account/read",
        r#"{"account":{"type":"chatgpt","email":null,"planType":"plus"},"requiresOpenaiAuth":true}"#,
    ),
    (
        "account/login/start",
        r#"{"type":"chatgpt","loginId":"l","authUrl":"https://example.com"}"#,
    ),
    (
        "mcpServerStatus/list",
        r#"{"data":[{"name":"s","runtimeStatus":"connected","tools":{"ask":{"name":"ask","inputSchema":{"type":"object"}}},"toolsError":null,"authStatus":"unsupported"}],"nextCursor":null}"#,
    ),
    (
        "config/read",
        r#"{"config":{"model":"m"},"origins":{},"layers":null}"#,
    ),
    ("turn/steer", r#"{"turnId":"u"}"#),
    ("turn/interrupt", "{}"),
];
