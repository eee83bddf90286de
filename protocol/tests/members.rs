//! Tests every member of every object in the JSON Schema of the types. Each
//! member is read into a field. An invalid value invalidates only the member
//! itself.

use agentwire_protocol::hook::{HookEvent, HookInput};
use agentwire_protocol::open::{Field, Form, Reader};
use agentwire_protocol::tool::{ToolInput, ToolOutput};
use agentwire_protocol::{Fault, Json, Untyped, is_same_value, schema};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The outcome of reading a text as a type.
struct Read {
    /// The pointers of members that the type does not know.
    untyped: Vec<String>,
    /// The values of an object's fields.
    fields: BTreeMap<&'static str, String>,
    /// The members that are not only in fields.
    extra: Vec<String>,
    written: String,
    faults: Vec<Fault>,
    /// Whether a strict reader accepts the text.
    is_valid: bool,
}

fn read<T: Field + Serialize + Untyped>(text: &str) -> Result<Read, String> {
    let (read, faults) = Reader::read_with_faults::<T>(text);
    let read = read.map_err(|error| format!("{error}: {text}"))?;
    let (mut fields, mut extra) = (BTreeMap::new(), vec![]);
    if let Form::Object(object) = read.form() {
        object.forms(&mut |declared, forms, members| {
            for (name, form) in declared.members.iter().zip(forms) {
                fields.insert(*name, text_of(*form));
            }
            extra = members.iter().map(|(name, _)| name.to_owned()).collect();
        });
    }
    Ok(Read {
        untyped: read.untyped(),
        fields,
        extra,
        written: serde_json::to_string(&read).unwrap(),
        faults,
        is_valid: Reader::read_strictly::<T>(text).is_ok(),
    })
}

fn text_of(form: Form<'_>) -> String {
    let mut text = vec![];
    let mut serializer = serde_json::Serializer::new(&mut text);
    agentwire_protocol::open::serialize(form, &mut serializer).unwrap();
    String::from_utf8(text).unwrap()
}

type ReadAs = fn(&str) -> Result<Read, String>;

macro_rules! types {
    ($( $module:ident { $( $name:ident )* } )*) => {
        /// The types of objects, and the enums of such types.
        const TYPES: &[(&str, ReadAs)] =
            &[$( $( (stringify!($name), read::<agentwire_protocol::$module::$name>) ),* ),*];
    };
}

types! {
    agent_definition {
        AgentDefinition AgentInfo AgentMcpServers
    }
    content {
        AddedTool AdvisorContent AdvisorError AdvisorRedactedResult AdvisorResult AdvisorTool
        AdvisorToolResultBlock Base64Source BashCodeExecutionContent BashCodeExecutionError
        BashCodeExecutionFile BashCodeExecutionOutput BashCodeExecutionResult
        BashCodeExecutionToolResultBlock BashTool BrowserStateBlock BrowserStateChange BrowserTab
        BrowserToolConfigs BrowserToolset CacheControl Caller ChangedMcpTool ChangedMcpToolset
        ChangedTool CharLocation Citation CitationsConfig CodeExecutionCaller20250825
        CodeExecutionCaller20260120 CodeExecutionContent CodeExecutionError CodeExecutionFile
        CodeExecutionOutput CodeExecutionResult CodeExecutionTool CodeExecutionToolResultBlock
        CompactionBlock ComputerTool ComputerToolConfigs ComputerToolset ContainerUploadBlock
        Content ContentBlock ContentBlockLocation ContentSource CustomTool DirectCaller
        DocumentBlock DownloadCompleted DownloadFailed DownloadStarted EncryptedCodeExecutionResult
        FallbackBlock FallbackCause FallbackModel FallbackRefusal FetchableFrom FetchableFromAll
        FetchableFromExcept FetchableFromNone FetchableFromOnly FetchableUrls FileSource ImageBlock
        ImageTransformations ListedMcpTool McpToolListingBlock McpToolResultBlock McpToolUseBlock
        McpToolset MemoryTool NamedTool PageLocation RedactedThinkingBlock SearchResultBlock
        SearchResultLocation ServerToolUseBlock Source TabOpened TextBlock
        TextEditorCodeExecutionToolResultBlock TextEditorContent TextEditorCreateResult
        TextEditorError TextEditorStrReplaceResult TextEditorTool TextEditorViewResult TextSource
        ThinkingBlock ToolAdditionBlock ToolConfig ToolDefinition ToolReferenceBlock
        ToolRemovalBlock ToolResultBlock ToolSearchBm25Tool ToolSearchContent ToolSearchError
        ToolSearchRegexTool ToolSearchResult ToolSearchToolResultBlock ToolUseBlock UrlSource
        UserLocation WebFetchContent WebFetchError WebFetchResult WebFetchTool
        WebFetchToolResultBlock WebSearchContent WebSearchError WebSearchFinding WebSearchResult
        WebSearchResultLocation WebSearchTool WebSearchToolResultBlock
    }
    control {
        AccountInfo AgentRequest Answer AppliedSettings ApplyFlagSettings BackgroundTasks
        BackgroundTasksAnswer BinaryVersion CacheImpact CancelAsyncMessage CancelAsyncMessageAnswer
        ClaudeAuthenticate ClaudeAuthenticateAnswer ClaudeLoginAnswer ClaudeOauthCallback
        ClaudeOauthWaitForCompletion
        ContextAgent ContextApiUsage ContextCategory ContextCommands ContextDeferredTool ContextItem
        ContextMcpInstructions ContextMcpTool ContextMemoryFile ContextMessages ContextSkill
        ContextSkills ContextSquare ContextToolCalls ContextUsage ControlCancel ControlRequest
        ControlResponse EditableHook Empty EndSession FeedbackMode FileSuggestions
        FileSuggestionsAnswer GenerateSessionTitle GetBinaryVersion GetContextUsage GetHooksListing
        GetPlan GetSessionCost GetSettings GetSettingsAnswer GetStatus GetTaskOutput GetUsage
        GetUsageAnswer HookEventListing HookListing HooksBareMode HooksListing HooksPolicy
        HooksSafeMode Initialize InitializeAnswer Interrupt InterruptReceipt ListModels
        ListModelsAnswer ListPermissionRules ListPermissionRulesAnswer McpCall McpCallAnswer
        McpAuthenticate McpAuthenticateAnswer McpClearAuth McpOauthCallbackUrl
        McpInputFile McpOutputFile McpReadResource McpReadResourceAnswer McpReconnect
        McpResourceContents McpSetServers McpSetServersAnswer McpStatus McpStatusAnswer McpToggle
        ModelPlanLimit PermissionRuleDescription PermissionRuleEntry PermissionRulesState PlanLimits
        PlanReport PlanWindow ReadFile ReadFileAnswer RegisterRepoRoot RegisterRepoRootAnswer
        ReloadOutputStyles ReloadOutputStylesAnswer ReloadPlugins ReloadPluginsAnswer ReloadSkills
        ReloadSkillsAnswer RenameSession RewindFiles RewindFilesAnswer SdkMcpServerConfig
        SdkMcpServerManifest SeedReadState SessionCost SessionTitle SetColor SetCwd SetCwdAnswer
        SetHasSubscribers SetMaxThinkingTokens SetMcpPermissionModeOverride
        SetMcpPermissionModeOverrideAnswer SetModel SetModelAnswer SetPermissionMode
        SetPermissionModeAnswer SettingsParseError SideAnswer SideQuestion SlashCommand StatusReport
        StatusRow StatusSection StopTask TaskOutput UpdateSettings UsageBehavior UsageBehaviors
        UsageFix UsagePeriod UsageRecommendation UsageShare WorkspaceDirectory
    }
    dialog {
        DialogCancelled DialogCompleted RequestUserDialog UserDialogResult
    }
    hook {
        AsyncOutput BackgroundTaskSummary BatchToolCall ConfigChange CwdChanged CwdChangedOutput
        DirectoryAdded Elicitation ElicitationOutput ElicitationResult ElicitationResultOutput
        FileChanged FileChangedOutput HookCallback HookContext HookEffort HookEvent HookMatcher
        HookOutput InstructionsLoaded MessageDisplay MessageDisplayOutput Notification
        NotificationOutput PermissionDenied PermissionDeniedOutput PermissionRequest
        PermissionRequestAllow PermissionRequestDecision PermissionRequestDeny
        PermissionRequestOutput PostCompact PostModelSwitch PostModelSwitchOutput PostToolBatch
        PostToolBatchOutput PostToolUse PostToolUseFailure PostToolUseFailureOutput
        PostToolUseOutput PreCompact PreModelSwitch PreModelSwitchOutput PreSkillShellCommand
        PreSkillShellCommandOutput PreToolUse PreToolUseOutput SessionCronSummary SessionEnd
        SessionStart SessionStartOutput Setup SetupOutput SpecificOutput Stop StopFailure StopOutput
        SubagentStart SubagentStartOutput SubagentStop SubagentStopOutput SyncOutput TaskCompleted
        TaskCreated TeammateIdle UserPromptExpansion UserPromptExpansionOutput UserPromptSubmit
        UserPromptSubmitOutput WorktreeCreate WorktreeCreateOutput WorktreeRemove
    }
    mcp {
        McpClaudeAiProxyServer McpElicitation McpElicitationResult McpHttpServer McpMessage McpReply
        McpSdkServer McpServerConfig McpServerInfo McpServerProvenance McpServerStatus McpSseServer
        McpStdioServer McpTool McpToolAnnotations McpToolPolicy
    }
    message {
        AbandonedBlocks ActiveGoal AdvisorIteration ApiError ApiRetry AppliedEdit AssistantBody
        AssistantMessage AuthStatus AutoContinuationOrigin BackgroundTask BackgroundTasksChanged
        BlockDelta CacheCreation CacheMissMessagesChanged CacheMissModelChanged
        CacheMissPreviousMessageNotFound CacheMissReason CacheMissSystemChanged
        CacheMissToolsChanged CacheMissUnavailable ChannelOrigin CitationsDelta ClearedThinking
        ClearedToolUses CommandLifecycle CommandsChanged CompactBoundary CompactMetadata
        CompactionDelta CompactionIteration Container ContainerSkill ContentBlockDelta
        ContentBlockStart ContentBlockStop ContextManagement ContextReport ContextReportAgent
        ContextReportCategory ContextReportMcpTool ContextReportMemoryFile ContextReportSkill
        ControlRequestProgress ConversationReset CoordinatorOrigin DeferredToolUse Diagnostics
        DisplayName ElicitationComplete ExtraUsage FailedFile FallbackCredit
        FallbackCreditNotApplied FallbackCreditRedeemed FallbackCreditStatus FallbackIteration
        FilesPersisted Goal HookProgress HookResponse HookStarted HumanOrigin Informational Init
        InputJsonDelta InputTransformation InvalidConfigFile IterationUsage KeepAlive LimitSubject
        LocalCommandOutput ManagedLock McpServerState MemoryPaths MemoryRecall Message MessageChange
        MessageDelta MessageIteration MessageOrigin MessageStart MessageStop MirrorError
        ModelRefusalFallback ModelRefusalNoFallback ModelUsage NoResponse NotificationMessage
        ObserverActivityOrigin ObserverOrigin OutputTokensDetails OverLimit PeerOrigin
        PermissionDecision PermissionDenial PermissionDeniedMessage PersistedFile Ping PlanLimit
        PlanUsage PluginError PluginInstall PreservedMessages PreservedSegment PromptSubmitOutcome
        PromptSuggestion RateLimitEvent RateLimitInfo RecalledMemory RefusalDetails ResourceLink
        ResultMessage ServerToolUse SessionKey SessionStateChanged SessionTitleChanged SessionUsage
        SessionWritesLost SignatureDelta Status StopDetails StreamError StreamEvent
        StreamEventMessage SubagentRequests SubagentRetry SubagentStats SubagentsKilled
        SubagentsRefused SystemMessage TaskNotification TaskNotificationOrigin TaskPatch
        TaskProgress TaskStarted TaskUpdated TaskUsage TextDelta ThinkingDelta ThinkingDropped
        ThinkingMismatchAllowed ThinkingTokens ToolProgress ToolResultMeta ToolUseMeta
        ToolUseSummary TranscriptMirror UnclassifiedOrigin Usage UsageReport UserBody UserMessage
        WorkerShuttingDown
    }
    model {
        Effort ModelInfo
    }
    permission {
        AddDirectories AddRules Allow CanUseTool Deny MatchedAskRule PermissionResult PermissionRule
        PermissionUpdate RemoveDirectories RemoveRules ReplaceRules SetMode
    }
    plugin {
        LoadedPlugin LocalPlugin PluginConfig
    }
    tool {
        AgentCompleted AgentInput AgentLaunched AgentOutput AgentToolStats AllowedPrompt ArtifactArm
        ArtifactInput ArtifactLink ArtifactOutput ArtifactPage ArtifactPin ArtifactRead
        ArtifactStored ArtifactUnwatched ArtifactWatch ArtifactWatchReceipt AskUserQuestionInput
        AskUserQuestionOutput Asset AssetDeleted AssetList AssetRead AssetStoreUsage AssetUpload
        AssetUploadResult AssetUploads BashInput BashOutput ClaudeDesignInput ClaudeDesignOutput
        CreatedTask CronCreateInput CronCreateOutput CronDeleteInput CronDeleteOutput CronJob
        CronListOutput CronOneShot DiffHunk EnterPlanModeOutput EnterWorktreeInput
        EnterWorktreeOutput ExitPlanModeInput ExitPlanModeOutput ExitWorktreeInput
        ExitWorktreeOutput FileEditInput FileEditOutput FileReadInput FileReadOutput FileWriteInput
        FileWriteOutput Finding GitBranchChange GitCommit GitDiff GitOperation GitPullRequest
        GitPush GlobInput GlobOutput GrepInput GrepOutput ImageDimensions ImageFileContent
        ImageFileRead ListMcpResourcesInput ListedArtifact ListedMcpResource ListedTask McpDirEntry
        MonitorInput MonitorOutput MonitorSocket NoInput NotebookEditInput NotebookEditOutput
        NotebookFileContent NotebookFileRead OfferChromeSetupInput OfferChromeSetupOutput PageImage
        PartsFileContent PartsFileRead PdfFileContent PdfFileRead ProjectDeleted ProjectDoc
        ProjectDocument ProjectFile ProjectHit ProjectInfo ProjectKnowledge ProjectMemoryEntry
        ProjectMemoryFile ProjectMemoryList ProjectSearch ProjectSyncSource ProjectWritten
        ProjectsInput ProjectsOutput ProposeGoalInput ProposeGoalOutput ProposeSkillsInput
        ProposeSkillsOutput PushNotificationInput PushNotificationOutput Question QuestionAnnotation
        QuestionMetadata QuestionOption QueuedNotification ReadMcpResourceContent
        ReadMcpResourceDirInput ReadMcpResourceDirOutput ReadMcpResourceInput ReadMcpResourceOutput
        ReadNotificationsOutput RefreshMcpToolsInput RefreshedMcpTools RemoteAgentLaunched
        RemoteTriggerInput RemoteTriggerOutput ReportFindingsInput ReportFindingsOutput
        ScheduleWakeupInput ScheduleWakeupOutput SendFeedbackInput SendFeedbackOutput
        ShowOnboardingRolePickerOutput SkillEdit SkillProposal TaskCreateInput TaskCreateOutput
        TaskDetails TaskGetInput TaskGetOutput TaskListOutput TaskStatusChange TaskStopInput
        TaskStopOutput TaskUpdateInput TaskUpdateOutput TextFileContent TextFileRead TodoItem
        TodoWriteInput TodoWriteOutput WebFetchInput WebFetchOutput WebSearchHit WebSearchHits
        WebSearchInput WebSearchItem WebSearchOutput WorkflowInput WorkflowOutput
    }
}

/// The definitions of the schemas that are not in `TYPES`.
const OTHERS: [&str; 2] = [
    // The host writes this type from the request, so it has no reader.
    "HostControlRequest",
    // Two types share this object; see
    // [`hook_inputs_have_common_and_event_specific_fields`].
    "HookInput",
];

/// Values that are invalid for most members.
const INVALID: &[&str] = &[
    "1.5",
    "-0",
    "1e400",
    "1e3",
    "-1",
    "18446744073709551616",
    "\"invalid\"",
    "\"\\ud800\"",
    "true",
    "null",
    "{}",
    "[]",
    r#"{"type":7}"#,
    r#"[7,"invalid",{},null,[[]]]"#,
];

/// Calls `check` with each type and its definition. Panics with all problems
/// that `check` returns.
#[track_caller]
fn for_each_type(mut check: impl FnMut(ReadAs, &Value, &Map<String, Value>) -> Vec<String>) {
    let definitions = definitions();
    let mut problems = Vec::new();
    for (name, read) in TYPES {
        for problem in check(*read, &definitions[*name], &definitions) {
            problems.push(format!("{name}: {problem}"));
        }
    }
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

#[test]
fn every_type_of_the_schemas_is_checked_here() {
    let definitions = definitions();
    let is_enumeration = |schema: &Value| schema["anyOf"][0].get("enum").is_some();
    let types = TYPES.iter().map(|(name, _)| *name).chain(OTHERS);
    assert_eq!(
        types.collect::<BTreeSet<&str>>(),
        (definitions
            .iter()
            .filter(|(_, schema)| !is_enumeration(schema)))
        .map(|(name, _)| name.as_str())
        .collect()
    );
}

#[test]
fn every_member_and_every_kind_of_the_schema_is_read() {
    for_each_type(|read, definition, definitions| {
        let kinds = definition["anyOf"].as_array().into_iter().flatten();
        // The schema of the variant for unknown kinds.
        let is_unknown = |kind: &Value| {
            let mut members = ["$ref", "properties", "additionalProperties"].iter();
            kind["type"] == "object" && members.all(|name| kind.get(name).is_none())
        };
        let kinds = kinds.map(|kind| (Sampler::new(definitions).value(kind), is_unknown(kind)));
        // Each case adds one member, so that exchanged members show even if
        // their values are alike.
        let members = members(definition)
            .map(|(name, _)| Some(name))
            .chain([None]);
        let objects = members
            .filter(|_| definition.get("anyOf").is_none())
            .map(|with| {
                (
                    Value::Object(Sampler::new(definitions).object(definition, with)),
                    false,
                )
            });
        let samples: Vec<_> = kinds.chain(objects).collect();
        samples
            .into_iter()
            .filter_map(|(sample, is_unknown)| {
                problem_of_a_valid_value(read, &sample.to_string(), is_unknown)
            })
            .collect()
    });
}

/// Returns the problem of reading a value that fits the schema.
fn problem_of_a_valid_value(read: ReadAs, text: &str, is_unknown: bool) -> Option<String> {
    let read = match read(text) {
        Ok(read) => read,
        Err(error) => return Some(error),
    };
    let untyped: &[&str] = if is_unknown { &[""] } else { &[] };
    if read.untyped != untyped || !read.faults.is_empty() || !read.is_valid {
        let (untyped, faults) = (&read.untyped, &read.faults);
        return Some(format!("untyped {untyped:?}, faults {faults:?}: {text}"));
    }
    if !is_same_value(&read.written, text).unwrap() {
        return Some(format!("{} is written of {text}", read.written));
    }
    None
}

/// The members of an object, as they are written.
type Members<'a> = BTreeMap<&'a str, Box<RawValue>>;

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

#[test]
fn an_invalid_member_is_a_fault_and_preserved_without_effect_on_others() {
    let mut tried = 0;
    for_each_type(|read, definition, definitions| {
        let mut all = Members::new();
        for (name, _) in members(definition) {
            let value = Sampler::new(definitions).object(definition, Some(name))[name].to_string();
            all.insert(name, raw(&value));
        }
        if all.is_empty() {
            return vec![];
        }
        let whole = read(&serde_json::to_string(&all).unwrap()).unwrap();
        let mut problems = Vec::new();
        let names = members(definition).filter(|(_, schema)| !is_tag(schema));
        for (name, _) in names {
            for invalid in INVALID.iter().copied().map(Some).chain([None]) {
                tried += 1;
                let mut members = all.clone();
                match invalid {
                    Some(invalid) => drop(members.insert(name, raw(invalid))),
                    None => drop(members.remove(name)),
                }
                let text = serde_json::to_string(&members).unwrap();
                assert!(whole.fields.contains_key(name), "{name} of {definition}");
                if let Some(problem) = problem_of_an_invalid_member(&whole, read, name, &text) {
                    problems.push(format!("`{name}` as {invalid:?}: {problem}"));
                }
            }
        }
        problems
    });
    agentwire_testing::counted(tried, "members replaced by invalid values");
}

/// Returns the problem of reading an object with one invalid member.
fn problem_of_an_invalid_member(
    all: &Read,
    read: ReadAs,
    member: &str,
    text: &str,
) -> Option<String> {
    let read = match read(text) {
        Ok(read) => read,
        Err(error) => return Some(error),
    };
    let is_other = |fault: &&Fault| {
        let rest = fault.path.strip_prefix(member);
        !rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    if let Some(fault) = read.faults.iter().find(is_other) {
        return Some(format!("another fault: {fault:?}"));
    }
    if read.faults.is_empty() != read.is_valid {
        let (is_valid, faults) = (read.is_valid, &read.faults);
        return Some(format!("strictly valid: {is_valid}, faults: {faults:?}"));
    }
    let expected = all.fields.iter().filter(|(name, _)| **name != member);
    for (name, expected) in expected {
        let held = &read.fields[name];
        if held != expected {
            return Some(format!("`{name}` holds {held}"));
        }
    }
    if let Some(name) = read.extra.iter().find(|name| *name != member) {
        return Some(format!("`{name}` is not in its field"));
    }
    if !is_same_value(&read.written, text).unwrap() {
        return Some(format!("{} is written of {text}", read.written));
    }
    None
}

/// Reads `text`, whose members are invalid, and copies a field from `valid`.
/// Expects that the result is written as `valid`.
#[track_caller]
fn assert_replaces<T: Field + Serialize>(text: &str, valid: &str, set: fn(&mut T, T)) {
    let mut read: T = Reader::read_tolerantly(text).unwrap();
    set(&mut read, Reader::read_strictly(valid).unwrap());
    let written = serde_json::to_string(&read).unwrap();
    assert!(
        is_same_value(&written, valid).unwrap(),
        "{written} of {text}"
    );
}

#[test]
fn a_field_that_is_set_replaces_the_invalid_member() {
    use agentwire_protocol::content::TextBlock;
    use agentwire_protocol::message::{AssistantMessage, ResultMessage, UserMessage};
    use agentwire_protocol::permission::CanUseTool;

    let result = |member: &str| {
        format!(r#"{{"type":"result","subtype":"success","is_error":false,{member}}}"#)
    };
    for invalid in ["1.5", "\"one\"", "null", "[]"] {
        let text = |member: &str| result(&format!("{member}:{invalid}"));
        assert_replaces::<ResultMessage>(
            &text(r#""num_turns""#),
            &result(r#""num_turns":3"#),
            |read, valid| read.num_turns = valid.num_turns,
        );
        assert_replaces::<ResultMessage>(
            &result(&format!(
                r#""modelUsage":{{"m":{{"costUSD":{{}},"inputTokens":{invalid}}}}}"#
            )),
            &result(r#""modelUsage":{"m":{"inputTokens":3}}"#),
            |read, valid| read.model_usage = valid.model_usage,
        );
    }
    assert_replaces::<AssistantMessage>(
        r#"{"type":"assistant","message":{"content":7},"error":{},"user_message_uuids":[7]}"#,
        r#"{"type":"assistant","message":{"content":[{"type":"text","text":"x"}]},"error":"unknown","user_message_uuids":["u"]}"#,
        |read, valid| {
            read.message.content = valid.message.content;
            (read.error, read.user_message_uuids) = (valid.error, valid.user_message_uuids);
        },
    );
    assert_replaces::<UserMessage>(
        r#"{"type":"user","message":[],"uuid":true}"#,
        r#"{"type":"user","message":{"content":"x"},"uuid":"u"}"#,
        |read, valid| (read.message, read.uuid) = (valid.message, valid.uuid),
    );
    assert_replaces::<TextBlock>(
        r#"{"type":"text","text":7,"cache_control":7}"#,
        r#"{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}"#,
        |read, valid| (read.text, read.cache_control) = (valid.text, valid.cache_control),
    );
    assert_replaces::<CanUseTool>(
        r#"{"subtype":"can_use_tool","tool_name":7,"permission_suggestions":7,"input":{}}"#,
        r#"{"subtype":"can_use_tool","tool_name":"Bash","permission_suggestions":[],"input":{}}"#,
        |read, valid| {
            read.tool_name = valid.tool_name;
            read.permission_suggestions = valid.permission_suggestions;
        },
    );
}

#[test]
fn every_tool_is_found_by_its_name() {
    let (tools, definitions) = (schema::tools(), definitions());
    let tools = tools.get("properties").and_then(Value::as_object).unwrap();
    assert!(tools.len() > 40, "{}", tools.len());
    for (name, sides) in tools {
        let sample = |side: &str| {
            let schema = &sides["properties"][side];
            Json::from(Sampler::new(&definitions).value(schema))
        };
        let (takes, gives) = (sample("input"), sample("output"));
        let input = ToolInput::read(name, &takes).unwrap();
        assert_eq!(
            (input.name(), input.untyped()),
            (&**name, vec![]),
            "{takes}"
        );
        assert!(is_same_value(&serde_json::to_string(&input).unwrap(), takes.get()).unwrap());
        let output = ToolOutput::read(name, &gives).unwrap();
        assert_eq!(
            (output.name(), output.untyped()),
            (&**name, vec![]),
            "{gives}"
        );
        assert!(is_same_value(&serde_json::to_string(&output).unwrap(), gives.get()).unwrap());
    }
}

#[test]
fn hook_inputs_have_common_and_event_specific_fields() {
    let definitions = definitions();
    let sample = Sampler::new(&definitions).value(&definitions["HookInput"]);
    let context =
        Sampler::new(&definitions).object(&definitions["HookContext"], Some("session_id"));
    let mut whole = context.clone();
    whole.extend(sample.as_object().unwrap().clone());
    let input: HookInput = serde_json::from_value(Value::Object(whole)).unwrap();
    assert_eq!(json!(input.context), Value::Object(context));
    assert!(matches!(input.event, HookEvent::PreToolUse(_)));
    assert_eq!(json!(input.event), sample);
}

/// A count that is not a whole number is read as the nearest one.
#[test]
fn a_count_is_the_nearest_whole_number_or_absent() {
    use agentwire_protocol::open::Reader;

    for (text, nearest) in [
        ("1.5", Some(2)),
        ("1.4", Some(1)),
        ("-0", Some(0)),
        ("-0.4", Some(0)),
        ("1e3", Some(1000)),
        ("1.8e19", Some(18_000_000_000_000_000_000)),
        ("1e400", None),
        ("-1", None),
        ("18446744073709551616", None),
        ("\"1\"", None),
        ("true", None),
    ] {
        let spoilt = format!(
            r#"{{"type":"result","subtype":"success","is_error":false,"num_turns":{text}}}"#
        );
        let (read, faults) = Reader::read_with_faults(&spoilt);
        let read: agentwire_protocol::message::ResultMessage = read.unwrap();
        assert_eq!(read.num_turns, nearest, "{text}");
        assert_eq!(faults.len(), 1, "{faults:?}");
    }
}

/// Returns the definitions of all schemas, by the names of their types.
fn definitions() -> Map<String, Value> {
    let mut all = Map::new();
    for schema in [schema::lines(), schema::answers(), schema::tools()] {
        let definitions = schema.get("$defs").and_then(Value::as_object);
        for (name, definition) in definitions.expect("definitions") {
            let before = all.insert(name.clone(), definition.clone());
            assert!(before.is_none_or(|before| &before == definition), "{name}");
        }
    }
    all
}

/// Returns the members that an object can have.
fn members(definition: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members = definition["properties"].as_object().into_iter().flatten();
    members.map(|(name, schema)| (name.as_str(), schema))
}

/// Returns whether a member is the tag of the object. A tag is not a field.
fn is_tag(member: &Value) -> bool {
    member.get("const").is_some()
}

/// Makes values. Each text and number is different.
struct Sampler<'a> {
    definitions: &'a Map<String, Value>,
    /// The number of texts and numbers so far.
    made: u64,
    /// The nesting depth of objects.
    depth: usize,
}

impl<'a> Sampler<'a> {
    fn new(definitions: &'a Map<String, Value>) -> Self {
        Self {
            definitions,
            made: 0,
            depth: 0,
        }
    }

    /// Returns an object with the required members and this member.
    fn object(&mut self, definition: &Value, with: Option<&str>) -> Map<String, Value> {
        let required: Vec<&str> = (definition["required"].as_array().into_iter().flatten())
            .filter_map(Value::as_str)
            .collect();
        self.depth += 1;
        let object = members(definition)
            .filter(|(name, _)| required.contains(name) || with == Some(*name))
            .map(|(name, schema)| (name.to_owned(), self.value(schema)))
            .collect();
        self.depth -= 1;
        object
    }

    /// Returns a value that is not `null`. It is the first of alternatives.
    /// Objects inside have only required members, and lists and maps in those
    /// are empty, so that recursive types end.
    fn value(&mut self, schema: &Value) -> Value {
        if let Some(name) = reference(schema) {
            let definition = &self.definitions[name];
            // The object may have no members.
            if definition["type"] == "object" && definition.get("additionalProperties").is_none() {
                return Value::Object(self.object(definition, None));
            }
            return self.value(definition);
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(alternatives) = schema["anyOf"].as_array() {
            let first = alternatives.iter().find(|one| one["type"] != "null");
            return self.value(first.expect("an alternative"));
        }
        if let Some(parts) = schema["allOf"].as_array() {
            let parts = parts.iter().map(|part| self.value(part));
            let members = parts.filter_map(|part| part.as_object().cloned());
            return Value::Object(members.flatten().collect());
        }
        if schema.get("properties").is_some() {
            return Value::Object(self.object(schema, None));
        }
        self.made += 1;
        let made = self.made;
        if let Some(values) = schema["enum"].as_array() {
            return values[made as usize % values.len()].clone();
        }
        match kind(schema) {
            None => json!({ "untyped": made }),
            Some("string") => json!(format!("text {made}")),
            Some("integer") => json!(made),
            Some("number") => json!(made as f64 + 0.5),
            Some("boolean") => json!(made % 2 == 1),
            Some("array") if self.depth > 1 => json!([]),
            Some("object") if self.depth > 1 => json!({}),
            Some("array") => json!([self.value(&schema["items"])]),
            Some("object") => match schema.get("additionalProperties") {
                Some(values) => json!({ format!("key {made}"): self.value(values) }),
                None => json!({ "type": format!("of no kind {made}") }),
            },
            Some(other) => panic!("no value of the type `{other}`: {schema}"),
        }
    }
}

/// Returns the type to which a schema refers.
fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// Returns the kind of JSON value that a schema requires, besides `null`.
fn kind(schema: &Value) -> Option<&str> {
    match &schema["type"] {
        Value::Array(kinds) => kinds
            .iter()
            .filter_map(Value::as_str)
            .find(|k| *k != "null"),
        kind => kind.as_str(),
    }
}
