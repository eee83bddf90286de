//! What the agent writes down of a session: the types of its records.

use crate::message::{AssistantBody, MessageOrigin, UserBody};
use crate::open::{object, union};
use crate::{Json, Members, Number};

/// Records that are told apart by `type`, and those of the tree, which have
/// many members in common.
macro_rules! entries {
    (
        tree {$(
            $(#$meta:tt)*
            $tag:literal => $variant:ident($name:ident) { $( $(#$field_meta:tt)* $field:ident: $type:ty $(= $wire:literal)?, )* }
        )*}
        beside {$(
            $(#$beside_meta:tt)*
            $beside_tag:literal => $beside_variant:ident($beside_name:ident) { $( $(#$beside_field_meta:tt)* $beside_field:ident: $beside_type:ty $(= $beside_wire:literal)?, )* }
        )*}
    ) => {
        $(
            object! {
                $(#$meta)*
                pub struct $name tags("type" = $tag) {
                    /// Its id.
                    pub uuid: Option<String>,
                    /// The record before it. Nothing, for the first one, and
                    /// for the first one after a compaction.
                    pub parent_uuid: Option<String> = "parentUuid",
                    /// Whether it belongs to a sub-agent.
                    pub is_sidechain: Option<bool> = "isSidechain",
                    /// The sub-agent it belongs to.
                    pub agent_id: Option<String> = "agentId",
                    /// The session.
                    pub session_id: Option<String> = "sessionId",
                    /// When it was written, as RFC 3339.
                    pub timestamp: Option<String>,
                    /// Where the agent worked.
                    pub cwd: Option<String>,
                    /// The branch of git, where there is one.
                    pub git_branch: Option<String> = "gitBranch",
                    /// The agent's version.
                    pub version: Option<String>,
                    /// How the agent was started, such as `sdk-cli`.
                    pub entrypoint: Option<String>,
                    /// Whose user it is, such as `external`.
                    pub user_type: Option<String> = "userType",
                    /// A name for people of the session's plan.
                    pub slug: Option<String>,
                    $( $(#$field_meta)* pub $field: $type $(= $wire)?, )*
                }
            }
        )*
        $(
            object! {
                $(#$beside_meta)*
                #[derive(Default)]
                pub struct $beside_name tags("type" = $beside_tag) {
                    /// The session.
                    pub session_id: Option<String> = "sessionId",
                    $( $(#$beside_field_meta)* pub $beside_field: $beside_type $(= $beside_wire)?, )*
                }
            }
        )*
        union! {
            /// What the agent wrote down.
            pub enum Entry by "type" {
                $( $(#$meta)* $tag => $variant(Box<$name>), )*
                $( $(#$beside_meta)* $beside_tag => $beside_variant($beside_name), )*
            }
        }
        impl Entry {
            /// What it has as a record of the tree.
            pub(super) fn node(&self) -> Option<Node<'_>> {
                match self {
                    $( Self::$variant(entry) => Some(Node {
                        uuid: entry.uuid.as_deref()?,
                        parent: entry.parent_uuid.as_deref(),
                        is_sidechain: entry.is_sidechain == Some(true),
                        agent: entry.agent_id.as_deref(),
                        timestamp: entry.timestamp.as_deref(),
                    }), )*
                    _ => None,
                }
            }
        }
    };
}

/// What records of the tree have in common, as far as the tree needs it.
pub(super) struct Node<'a> {
    pub(super) uuid: &'a str,
    pub(super) parent: Option<&'a str>,
    pub(super) is_sidechain: bool,
    pub(super) agent: Option<&'a str>,
    pub(super) timestamp: Option<&'a str>,
}

entries! {
    tree {
        /// What was said to the model: by a person, by a tool, by the agent
        /// itself.
        "user" => User(UserEntry) {
            /// What was said.
            message: UserBody,
            /// What made it, where it was not a person.
            origin: Option<MessageOrigin>,
            /// Whether the agent wrote it.
            is_meta: Option<bool> = "isMeta",
            /// Whether it is the summary that stands for what was said before.
            is_compact_summary: Option<bool> = "isCompactSummary",
            /// Whether it is not shown in a conversation.
            is_visible_in_transcript_only: Option<bool> = "isVisibleInTranscriptOnly",
            /// What a tool answered, as data of that tool.
            tool_use_result: Option<Json> = "toolUseResult",
            /// The record of the call that it answers.
            source_tool_assistant_uuid: Option<String> = "sourceToolAssistantUUID",
            /// How it was decided whether the tool may run.
            permission_decision: Option<Json> = "permissionDecision",
            /// Why the tool did not run, such as `user-rejected`.
            tool_denial_kind: Option<String> = "toolDenialKind",
            /// Whether the tool ran in a sandbox.
            sandboxed: Option<bool>,
            /// Whether the turn ends with the tool.
            tool_ends_turn: Option<bool> = "toolEndsTurn",
            /// Why the call of an MCP server's tool counts as one that writes.
            mcp_call_not_read_only: Option<String> = "mcpCallNotReadOnly",
            /// The prompt that it belongs to.
            prompt_id: Option<String> = "promptId",
            /// Where the prompt came from, such as `sdk` or `system`.
            prompt_source: Option<String> = "promptSource",
            /// What started the turn, such as `sdk` or `task_notification`.
            turn_origin: Option<String> = "turnOrigin",
            /// Which turn it is of which prompt.
            turn_position: Option<Json> = "turnPosition",
            /// Under what the turn is counted.
            turn_attribution_key: Option<String> = "turnAttributionKey",
            /// Whether it was added to a prompt, such as an image's path.
            turn_companion: Option<bool> = "turnCompanion",
            /// The permission mode of the turn.
            permission_mode: Option<String> = "permissionMode",
            /// Whether no attachments were made of it.
            queue_skip_attachments: Option<bool> = "queueSkipAttachments",
            /// The images that the user pasted.
            image_paste_ids: Option<Vec<Json>> = "imagePasteIds",
            /// Whether it has words of a person.
            holds_persons_words: Option<bool> = "holdsPersonsWords",
            /// The message of the model that was refused.
            refused_message_id: Option<String> = "refusedMessageId",
        }
        /// A block that the model said.
        "assistant" => Assistant(AssistantEntry) {
            /// What was said.
            message: AssistantBody,
            /// The API's id of the request.
            request_id: Option<String> = "requestId",
            /// The agent's own id of the request.
            request_ref: Option<String> = "requestRef",
            /// The session that the request was of.
            request_session_id: Option<String> = "requestSessionId",
            /// Which block of the message it is.
            api_block_index: Option<u64> = "apiBlockIndex",
            /// The model that was asked for.
            requested_model: Option<String> = "requestedModel",
            /// How long the API was to cache the prompt.
            prompt_cache_requested: Option<String> = "promptCacheRequested",
            /// How hard the model was to think.
            effort: Option<String>,
            /// The same, where it was set for the turn.
            per_turn_effort: Option<String> = "perTurnEffort",
            /// Who made it: `model` or `other`.
            made_by: Option<String> = "madeBy",
            /// Milliseconds that the model thought.
            thinking_duration_ms: Option<Number> = "thinkingDurationMs",
            /// What is shown of the thinking.
            thinking_display: Option<String> = "thinkingDisplay",
            /// Milliseconds in which the model wrote the tool's input.
            tool_input_stream_ms: Option<Number> = "toolInputStreamMs",
            /// The kind of sub-agent that said it.
            attribution_agent: Option<String> = "attributionAgent",
            /// The MCP server whose tool is called.
            attribution_mcp_server: Option<String> = "attributionMcpServer",
            /// That tool, as the server calls it.
            attribution_mcp_tool: Option<String> = "attributionMcpTool",
            /// The request that judged the call.
            server_classifier_request: Option<String> = "serverClassifierRequest",
            /// Whether it only tells of an error.
            is_api_error_message: Option<bool> = "isApiErrorMessage",
            /// Why the model could not answer.
            error: Option<String>,
            /// The API's words for it.
            error_details: Option<String> = "errorDetails",
            /// The agent's word for it.
            api_error: Option<String> = "apiError",
            /// The HTTP status.
            api_error_status: Option<u64> = "apiErrorStatus",
            /// The API's word for it.
            api_error_type: Option<String> = "apiErrorType",
            /// More about it.
            api_error_params: Option<Json> = "apiErrorParams",
            /// Whether what had come of the answer called no tool.
            failed_response_had_no_tool_call: Option<bool> = "failedResponseHadNoToolCall",
            /// Whether asking again is of no use.
            resend_cannot_cure: Option<bool> = "resendCannotCure",
            /// Whether another message takes the place of it.
            heals_distinct_carrier: Option<bool> = "healsDistinctCarrier",
            /// The message that the model refused to go on with.
            refused_message_id: Option<String> = "refusedMessageId",
            /// The model that refused.
            refusing_model: Option<String> = "refusingModel",
        }
        /// What the agent told the model beside what was said.
        "attachment" => Attachment(AttachmentEntry) {
            /// What it is: an object with a `type`.
            attachment: Json,
            /// What the model was told.
            rendered: Option<Json>,
            /// As whom it was told: `system` or `user`.
            rendered_role: Option<String> = "renderedRole",
            /// Whether it was told beside a tool's answer.
            rendered_beside_tool_result: Option<bool> = "renderedBesideToolResult",
        }
        /// Something that happened.
        "system" => System(SystemEntry) {
            /// What happened, such as `compact_boundary` or `api_error`.
            subtype: Option<String>,
            /// It, for people.
            content: Option<String>,
            /// How bad it is.
            level: Option<String>,
            /// Whether the agent wrote it.
            is_meta: Option<bool> = "isMeta",
            /// At a compaction: the last record before it.
            logical_parent_uuid: Option<String> = "logicalParentUuid",
            /// At a compaction: how it went.
            compact_metadata: Option<Json> = "compactMetadata",
            /// The error that happened.
            error: Option<Json>,
            /// The tool call that it is about.
            tool_use_id: Option<String> = "toolUseID",
            /// What is tried again: a request, or a connection.
            source: Option<String>,
            /// In how many milliseconds.
            retry_in_ms: Option<Number> = "retryInMs",
            /// For which time.
            retry_attempt: Option<u64> = "retryAttempt",
            /// How often at most.
            max_retries: Option<u64> = "maxRetries",
            /// How many hooks ran.
            hook_count: Option<u64> = "hookCount",
            /// Which.
            hook_infos: Option<Json> = "hookInfos",
            /// What went wrong with them.
            hook_errors: Option<Json> = "hookErrors",
            /// With which of them, by index.
            failed_hook_error_indexes: Option<Vec<Json>> = "failedHookErrorIndexes",
            /// What they tell the model.
            hook_additional_context: Option<Json> = "hookAdditionalContext",
            /// Whether a hook had the agent stop.
            prevented_continuation: Option<bool> = "preventedContinuation",
            /// Why.
            stop_reason: Option<String> = "stopReason",
            /// Whether a hook printed something.
            has_output: Option<bool> = "hasOutput",
            /// The model that may be asked instead of another.
            model_restriction: Option<Json> = "modelRestriction",
            /// The model that refused.
            original_model: Option<String> = "originalModel",
            /// The API's id of the request.
            request_id: Option<String> = "requestId",
            /// The API's word for why the model refused.
            api_refusal_category: Option<String> = "apiRefusalCategory",
            /// The API's words for it.
            api_refusal_explanation: Option<String> = "apiRefusalExplanation",
            /// The prompt that was refused.
            refused_user_message_uuid: Option<String> = "refusedUserMessageUuid",
        }
    }
    beside {
        /// The last prompt, and where the conversation was then.
        "last-prompt" => LastPrompt(LastPromptEntry) {
            /// The prompt.
            last_prompt: Option<String> = "lastPrompt",
            /// The last record then.
            leaf_uuid: Option<String> = "leafUuid",
            /// Whether the conversation was taken back to that record.
            explicit: Option<bool>,
            /// Whether a person took it back.
            rewound: Option<bool>,
        }
        /// What happened to a prompt in the agent's queue.
        "queue-operation" => QueueOperation(QueueOperationEntry) {
            /// What: `enqueue`, `dequeue`, `remove`.
            operation: Option<String>,
            /// When, as RFC 3339.
            timestamp: Option<String>,
            /// The prompt, when it is a text.
            content: Option<String>,
            /// Why.
            reason: Option<String>,
            /// The prompt's id.
            command_uuid: Option<String> = "commandUuid",
            /// The id of its delivery.
            delivery_id: Option<String> = "deliveryId",
        }
        /// The summary of an earlier conversation.
        "summary" => Summary(SummaryEntry) {
            /// The summary.
            summary: Option<String>,
            /// The last record of that conversation.
            leaf_uuid: Option<String> = "leafUuid",
        }
        /// The title that a person gave the session.
        "custom-title" => CustomTitle(CustomTitleEntry) {
            /// The title.
            custom_title: Option<String> = "customTitle",
        }
        /// The title that a model gave the session.
        "ai-title" => AiTitle(AiTitleEntry) {
            /// The title.
            ai_title: Option<String> = "aiTitle",
        }
        /// The session's tag.
        "tag" => Tag(TagEntry) {
            /// The tag.
            tag: Option<String>,
        }
        /// The mode that the session is in.
        "mode" => Mode(ModeEntry) {
            /// The mode, such as `normal`.
            mode: Option<String>,
        }
        /// The permission mode that the session is in.
        "permission-mode" => PermissionMode(PermissionModeEntry) {
            /// The mode.
            permission_mode: Option<String> = "permissionMode",
        }
        /// The agent that the session is of.
        "agent-setting" => AgentSetting(AgentSettingEntry) {
            /// The agent's name.
            agent_setting: Option<String> = "agentSetting",
        }
        /// The tools that were called so far.
        "tools-used" => ToolsUsed(ToolsUsedEntry) {
            /// Their names.
            tools: Option<Vec<String>>,
        }
        /// What the session cost so far.
        "cost-state" => CostState(CostStateEntry) {
            /// In dollars.
            total_cost_usd: Option<Number> = "totalCostUSD",
            /// Milliseconds in requests.
            total_api_duration: Option<Number> = "totalAPIDuration",
            /// Milliseconds in requests that were answered.
            total_api_duration_without_retries: Option<Number> = "totalAPIDurationWithoutRetries",
            /// Milliseconds in tools.
            total_tool_duration: Option<Number> = "totalToolDuration",
            /// Lines that were added to files.
            total_lines_added: Option<Number> = "totalLinesAdded",
            /// Lines that were taken away.
            total_lines_removed: Option<Number> = "totalLinesRemoved",
            /// Milliseconds of the session.
            total_duration: Option<Number> = "totalDuration",
            /// When it began, in milliseconds since 1970.
            start_time: Option<Number> = "startTime",
            /// What each model used.
            model_usage: Option<Members> = "modelUsage",
            /// Whether the price of a model is not known.
            has_unknown_model_cost: Option<bool> = "hasUnknownModelCost",
        }
        /// A setting of the session, which the API gave.
        "atis-latch" => AtisLatch(AtisLatchEntry) {
            /// Its value.
            atis: Option<String>,
        }
        /// A request to the API.
        "api-request" => ApiRequest(ApiRequestEntry) {
            /// The agent's own id of it.
            id: Option<String>,
            /// The sub-agent that asked.
            agent_id: Option<String> = "agentId",
            /// When, as RFC 3339.
            timestamp: Option<String>,
            /// The agent's version.
            version: Option<String>,
            /// For what, such as `sdk`.
            query_source: Option<String> = "querySource",
            /// The prompt and the tools, by their hash.
            shape_hash: Option<String> = "shapeHash",
            /// What else it had.
            params: Option<Json>,
            /// The request that it goes on from.
            base: Option<String>,
            /// How many messages of that it has.
            keep: Option<u64>,
            /// The messages after them, by their hashes.
            tail: Option<Vec<String>>,
            /// Where the prompt was to be cached.
            cache_control: Option<Json> = "cacheControl",
            /// The hash of the whole.
            request_digest: Option<String> = "requestDigest",
        }
        /// A message of a request.
        "api-request-blob" => ApiRequestBlob(ApiRequestBlobEntry) {
            /// The sub-agent that asked.
            agent_id: Option<String> = "agentId",
            /// Its hash.
            hash: Option<String>,
            /// The message.
            message: Option<Json>,
        }
        /// The prompt and the tools of a request.
        "api-request-shape" => ApiRequestShape(ApiRequestShapeEntry) {
            /// The sub-agent that asked.
            agent_id: Option<String> = "agentId",
            /// When, as RFC 3339.
            timestamp: Option<String>,
            /// The agent's version.
            version: Option<String>,
            /// Its hash.
            shape_hash: Option<String> = "shapeHash",
            /// The prompt and the tools.
            shape: Option<Json>,
        }
    }
}
