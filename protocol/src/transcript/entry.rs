//! The types of a transcript's records.

use crate::message::{AssistantBody, MessageOrigin, UserBody};
use crate::open::{object, union};
use crate::{Json, Members, Number};

/// Declares the records by their `type`. Records in the tree have common
/// members.
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
                    /// The ID of the record.
                    pub uuid: Option<String>,
                    /// The ID of the previous record. `None` for the first
                    /// record, and for the first one after a compaction.
                    pub parent_uuid: Option<String> = "parentUuid",
                    /// Whether the record belongs to a sub-agent.
                    pub is_sidechain: Option<bool> = "isSidechain",
                    /// The ID of the sub-agent to which the record belongs.
                    pub agent_id: Option<String> = "agentId",
                    /// The ID of the session.
                    pub session_id: Option<String> = "sessionId",
                    /// The time when the record was written, as RFC 3339.
                    pub timestamp: Option<String>,
                    /// The working directory.
                    pub cwd: Option<String>,
                    /// The git branch, if there is one.
                    pub git_branch: Option<String> = "gitBranch",
                    /// The agent's version.
                    pub version: Option<String>,
                    /// The entry point of the agent, such as `sdk-cli`.
                    pub entrypoint: Option<String>,
                    /// The type of the user, such as `external`.
                    pub user_type: Option<String> = "userType",
                    /// A readable name of the session's plan.
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
                    /// The ID of the session.
                    pub session_id: Option<String> = "sessionId",
                    $( $(#$beside_field_meta)* pub $beside_field: $beside_type $(= $beside_wire)?, )*
                }
            }
        )*
        union! {
            /// The typed content of a record.
            pub enum Entry by "type" {
                $( $(#$meta)* $tag => $variant(Box<$name>), )*
                $( $(#$beside_meta)* $beside_tag => $beside_variant($beside_name), )*
            }
        }
        impl Entry {
            /// Returns the common members, if the record is in the tree.
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

/// The common members that [`Tree`](super::Tree) needs of records in the tree.
pub(super) struct Node<'a> {
    pub(super) uuid: &'a str,
    pub(super) parent: Option<&'a str>,
    pub(super) is_sidechain: bool,
    pub(super) agent: Option<&'a str>,
    pub(super) timestamp: Option<&'a str>,
}

entries! {
    tree {
        /// A message to the model from the user, a tool or the agent itself.
        "user" => User(UserEntry) {
            /// The message.
            message: UserBody,
            /// The origin of the message, if it is not the user.
            origin: Option<MessageOrigin>,
            /// Whether the agent wrote the message.
            is_meta: Option<bool> = "isMeta",
            /// Whether the message is the summary of the compacted
            /// conversation.
            is_compact_summary: Option<bool> = "isCompactSummary",
            /// Whether the message is hidden when the conversation is displayed.
            is_visible_in_transcript_only: Option<bool> = "isVisibleInTranscriptOnly",
            /// The result of the tool as data.
            tool_use_result: Option<Json> = "toolUseResult",
            /// The ID of the record with the tool call of this result.
            source_tool_assistant_uuid: Option<String> = "sourceToolAssistantUUID",
            /// The permission decision for the tool call.
            permission_decision: Option<Json> = "permissionDecision",
            /// The reason why the tool did not run, such as `user-rejected`.
            tool_denial_kind: Option<String> = "toolDenialKind",
            /// Whether the tool ran in a sandbox.
            sandboxed: Option<bool>,
            /// Whether the turn ends with the tool.
            tool_ends_turn: Option<bool> = "toolEndsTurn",
            /// The reason why the call of an MCP tool does not count as read-only.
            mcp_call_not_read_only: Option<String> = "mcpCallNotReadOnly",
            /// The ID of the prompt to which the message belongs.
            prompt_id: Option<String> = "promptId",
            /// The source of the prompt, such as `sdk` or `system`.
            prompt_source: Option<String> = "promptSource",
            /// The origin of the turn, such as `sdk` or `task_notification`.
            turn_origin: Option<String> = "turnOrigin",
            /// The position of the turn in its prompt.
            turn_position: Option<Json> = "turnPosition",
            /// The key to which the turn is attributed.
            turn_attribution_key: Option<String> = "turnAttributionKey",
            /// Whether the message was added to a prompt, such as the path of
            /// an image.
            turn_companion: Option<bool> = "turnCompanion",
            /// The permission mode of the turn.
            permission_mode: Option<String> = "permissionMode",
            /// Whether the agent added no attachments for the message.
            queue_skip_attachments: Option<bool> = "queueSkipAttachments",
            /// The IDs of the images that the user pasted.
            image_paste_ids: Option<Vec<Json>> = "imagePasteIds",
            /// Whether the message contains text that a person wrote.
            holds_persons_words: Option<bool> = "holdsPersonsWords",
            /// The ID of the model's message that was refused.
            refused_message_id: Option<String> = "refusedMessageId",
        }
        /// A block of the model's reply.
        "assistant" => Assistant(AssistantEntry) {
            /// The message of which the record contains one block.
            message: AssistantBody,
            /// The API's ID of the request.
            request_id: Option<String> = "requestId",
            /// The agent's ID of the request.
            request_ref: Option<String> = "requestRef",
            /// The ID of the session that made the request.
            request_session_id: Option<String> = "requestSessionId",
            /// The index of the block in the message.
            api_block_index: Option<u64> = "apiBlockIndex",
            /// The requested model.
            requested_model: Option<String> = "requestedModel",
            /// The requested lifetime of the prompt in the API's cache.
            prompt_cache_requested: Option<String> = "promptCacheRequested",
            /// The effort of the model.
            effort: Option<String>,
            /// The effort, if it was set for the turn.
            per_turn_effort: Option<String> = "perTurnEffort",
            /// The author of the message: `model` or `other`.
            made_by: Option<String> = "madeBy",
            /// The duration of the thinking in milliseconds.
            thinking_duration_ms: Option<Number> = "thinkingDurationMs",
            /// How much of the thinking is displayed.
            thinking_display: Option<String> = "thinkingDisplay",
            /// The time in milliseconds that the model took to write the tool's
            /// input.
            tool_input_stream_ms: Option<Number> = "toolInputStreamMs",
            /// The type of the sub-agent that wrote the message.
            attribution_agent: Option<String> = "attributionAgent",
            /// The MCP server whose tool is called.
            attribution_mcp_server: Option<String> = "attributionMcpServer",
            /// The name of the called tool at its MCP server.
            attribution_mcp_tool: Option<String> = "attributionMcpTool",
            /// The request to the classifier that judged the call.
            server_classifier_request: Option<String> = "serverClassifierRequest",
            /// Whether the record reports an error of the API in place of a
            /// reply.
            is_api_error_message: Option<bool> = "isApiErrorMessage",
            /// The reason why the model request failed.
            error: Option<String>,
            /// The API's error message.
            error_details: Option<String> = "errorDetails",
            /// The agent's name of the error.
            api_error: Option<String> = "apiError",
            /// The HTTP status of the response.
            api_error_status: Option<u64> = "apiErrorStatus",
            /// The API's error type.
            api_error_type: Option<String> = "apiErrorType",
            /// Parameters of the error.
            api_error_params: Option<Json> = "apiErrorParams",
            /// Whether the received part of the reply had no tool call.
            failed_response_had_no_tool_call: Option<bool> = "failedResponseHadNoToolCall",
            /// Whether sending the request again cannot succeed.
            resend_cannot_cure: Option<bool> = "resendCannotCure",
            /// Whether another message replaces this one.
            heals_distinct_carrier: Option<bool> = "healsDistinctCarrier",
            /// The ID of the message that the model refused to continue.
            refused_message_id: Option<String> = "refusedMessageId",
            /// The model that refused.
            refusing_model: Option<String> = "refusingModel",
        }
        /// Context that the agent added for the model.
        "attachment" => Attachment(AttachmentEntry) {
            /// The attachment: an object with a `type`.
            attachment: Json,
            /// The text that the model received for the attachment.
            rendered: Option<Json>,
            /// The role under which the model received the attachment: `system`
            /// or `user`.
            rendered_role: Option<String> = "renderedRole",
            /// Whether the model received the attachment together with a tool
            /// result.
            rendered_beside_tool_result: Option<bool> = "renderedBesideToolResult",
        }
        /// A system event.
        "system" => System(SystemEntry) {
        /// The kind of event, such as `compact_boundary` or `api_error`.
        subtype: Option<String>,
        /// The event as text.
        content: Option<String>,
        /// The severity.
            level: Option<String>,
            /// Whether the agent wrote the event.
            is_meta: Option<bool> = "isMeta",
            /// The last record before a compaction.
            logical_parent_uuid: Option<String> = "logicalParentUuid",
            /// The metadata of a compaction.
            compact_metadata: Option<Json> = "compactMetadata",
            /// The error.
            error: Option<Json>,
            /// The ID of the tool call to which the event refers.
            tool_use_id: Option<String> = "toolUseID",
            /// The operation that is retried, which is a request or a
            /// connection.
            source: Option<String>,
            /// The delay before the retry in milliseconds.
            retry_in_ms: Option<Number> = "retryInMs",
            /// The number of the retry.
            retry_attempt: Option<u64> = "retryAttempt",
            /// The maximum number of retries.
            max_retries: Option<u64> = "maxRetries",
            /// The number of hooks that ran.
            hook_count: Option<u64> = "hookCount",
            /// The hooks that ran.
            hook_infos: Option<Json> = "hookInfos",
            /// The errors of the hooks.
            hook_errors: Option<Json> = "hookErrors",
            /// The indexes of the errors of failed hooks.
            failed_hook_error_indexes: Option<Vec<Json>> = "failedHookErrorIndexes",
            /// The hooks' context for the model.
            hook_additional_context: Option<Json> = "hookAdditionalContext",
            /// Whether a hook stopped the agent.
            prevented_continuation: Option<bool> = "preventedContinuation",
            /// The reason why a hook stopped the agent.
            stop_reason: Option<String> = "stopReason",
            /// Whether a hook printed output.
            has_output: Option<bool> = "hasOutput",
            /// A restriction of the model.
            model_restriction: Option<Json> = "modelRestriction",
            /// The model that refused.
            original_model: Option<String> = "originalModel",
            /// The API's ID of the request.
            request_id: Option<String> = "requestId",
            /// The API's category of the refusal.
            api_refusal_category: Option<String> = "apiRefusalCategory",
            /// The API's explanation of the refusal.
            api_refusal_explanation: Option<String> = "apiRefusalExplanation",
            /// The ID of the prompt that was refused.
            refused_user_message_uuid: Option<String> = "refusedUserMessageUuid",
        }
    }
    beside {
        /// The last prompt, and the position of the conversation when it was
        /// sent.
        "last-prompt" => LastPrompt(LastPromptEntry) {
            /// The prompt.
            last_prompt: Option<String> = "lastPrompt",
            /// The ID of the last record of the conversation when the prompt
            /// was sent.
            leaf_uuid: Option<String> = "leafUuid",
            /// Whether the conversation was rewound to this record.
            explicit: Option<bool>,
            /// Whether a person rewound the conversation.
            rewound: Option<bool>,
        }
        /// An operation on the agent's queue of prompts.
        "queue-operation" => QueueOperation(QueueOperationEntry) {
        /// The operation: `enqueue`, `dequeue`, `remove`.
        operation: Option<String>,
        /// The time, as RFC 3339.
        timestamp: Option<String>,
        /// The prompt, if it is a text.
        content: Option<String>,
        /// The reason.
        reason: Option<String>,
        /// The ID of the prompt.
        command_uuid: Option<String> = "commandUuid",
        /// The ID of the prompt's delivery.
            delivery_id: Option<String> = "deliveryId",
        }
        /// The summary of an earlier conversation.
        "summary" => Summary(SummaryEntry) {
            /// The summary.
            summary: Option<String>,
            /// The ID of the last record of the earlier conversation.
            leaf_uuid: Option<String> = "leafUuid",
        }
        /// The session's title, set by the user.
        "custom-title" => CustomTitle(CustomTitleEntry) {
            /// The title.
            custom_title: Option<String> = "customTitle",
        }
        /// The session's title, generated by a model.
        "ai-title" => AiTitle(AiTitleEntry) {
            /// The title.
            ai_title: Option<String> = "aiTitle",
        }
        /// The session's tag.
        "tag" => Tag(TagEntry) {
            /// The tag.
            tag: Option<String>,
        }
        /// The mode of the session.
        "mode" => Mode(ModeEntry) {
            /// The mode, such as `normal`.
            mode: Option<String>,
        }
        /// The permission mode of the session.
        "permission-mode" => PermissionMode(PermissionModeEntry) {
            /// The mode.
            permission_mode: Option<String> = "permissionMode",
        }
        /// The session's agent.
        "agent-setting" => AgentSetting(AgentSettingEntry) {
            /// The agent's name.
            agent_setting: Option<String> = "agentSetting",
        }
        /// The tools called so far.
        "tools-used" => ToolsUsed(ToolsUsedEntry) {
            /// The names of the tools.
            tools: Option<Vec<String>>,
        }
        /// The cost of the session so far.
        "cost-state" => CostState(CostStateEntry) {
            /// The cost in US dollars.
            total_cost_usd: Option<Number> = "totalCostUSD",
            /// The duration of API requests in milliseconds.
            total_api_duration: Option<Number> = "totalAPIDuration",
            /// The duration of API requests in milliseconds, without failed attempts.
            total_api_duration_without_retries: Option<Number> = "totalAPIDurationWithoutRetries",
            /// The duration of tool calls in milliseconds.
            total_tool_duration: Option<Number> = "totalToolDuration",
            /// The number of lines added to files.
            total_lines_added: Option<Number> = "totalLinesAdded",
            /// The number of lines removed from files.
            total_lines_removed: Option<Number> = "totalLinesRemoved",
            /// The duration of the session in milliseconds.
            total_duration: Option<Number> = "totalDuration",
            /// The start of the session, in milliseconds since 1970.
            start_time: Option<Number> = "startTime",
            /// The usage by model.
            model_usage: Option<Members> = "modelUsage",
            /// Whether the price of a model is unknown.
            has_unknown_model_cost: Option<bool> = "hasUnknownModelCost",
        }
        /// A setting of the session, provided by the API.
        "atis-latch" => AtisLatch(AtisLatchEntry) {
            /// The value of the setting.
            atis: Option<String>,
        }
        /// A request to the API.
        "api-request" => ApiRequest(ApiRequestEntry) {
            /// The agent's ID of the request.
            id: Option<String>,
            /// The ID of the sub-agent that made the request.
            agent_id: Option<String> = "agentId",
            /// The time, as RFC 3339.
            timestamp: Option<String>,
            /// The agent's version.
            version: Option<String>,
            /// The source of the request, such as `sdk`.
            query_source: Option<String> = "querySource",
            /// The hash of the prompt and the tools.
            shape_hash: Option<String> = "shapeHash",
            /// The other parameters of the request.
            params: Option<Json>,
            /// The ID of the request that this one extends.
            base: Option<String>,
            /// The number of messages that the request shares with `base`.
            keep: Option<u64>,
            /// The hashes of the messages after the shared ones.
            tail: Option<Vec<String>>,
            /// The cache breakpoints of the prompt.
            cache_control: Option<Json> = "cacheControl",
            /// The hash of the whole request.
            request_digest: Option<String> = "requestDigest",
        }
        /// A message of a request.
        "api-request-blob" => ApiRequestBlob(ApiRequestBlobEntry) {
            /// The ID of the sub-agent that made the request.
            agent_id: Option<String> = "agentId",
            /// The hash of the message.
            hash: Option<String>,
            /// The message.
            message: Option<Json>,
        }
        /// The prompt and the tools of a request.
        "api-request-shape" => ApiRequestShape(ApiRequestShapeEntry) {
            /// The ID of the sub-agent that made the request.
            agent_id: Option<String> = "agentId",
            /// The time, as RFC 3339.
            timestamp: Option<String>,
            /// The agent's version.
            version: Option<String>,
            /// The hash of the prompt and the tools.
            shape_hash: Option<String> = "shapeHash",
            /// The prompt and the tools.
            shape: Option<Json>,
        }
    }
}
