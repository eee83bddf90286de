//! Requests of the client, and their responses.

use super::{
    Account, AccountLogin, AccountRateLimits, ApprovalPolicy, ApprovalsReviewer, Item, ItemsView,
    LoginStarted, Model, SandboxPolicy, Thread, Turn, UserInput, enums, objects, read_tolerantly,
};
use agentwire_protocol::{Fault, Json, Members};
use serde::Serialize;
use std::collections::BTreeMap;

/// The parameters of a request of the client.
pub trait Request: Serialize {
    /// The method.
    const METHOD: &'static str;

    /// The type of the result.
    type Response;

    /// Reads the result of the request. An invalid member costs only that
    /// member, unless the response has no use without it.
    ///
    /// # Errors
    ///
    /// If the result is no object, or if a required member of the result itself
    /// is missing or invalid.
    fn response(result: &Json) -> Result<Self::Response, Vec<Fault>>;
}

macro_rules! requests {
    ($( $method:literal: $params:ident => $response:ident, )*) => {
        $(
            impl Request for $params {
                const METHOD: &'static str = $method;
                type Response = $response;

                fn response(result: &Json) -> Result<$response, Vec<Fault>> {
                    read_tolerantly(result)
                }
            }
        )*

        agentwire_protocol::if_schema! {
            /// Returns the methods, and the schemas of their parameters and
            /// results.
            #[doc(hidden)]
            pub fn request_schemas(
                generator: &mut agentwire_protocol::schema::schemars::SchemaGenerator,
            ) -> Vec<(
                &'static str,
                agentwire_protocol::schema::schemars::Schema,
                agentwire_protocol::schema::schemars::Schema,
            )> {
                vec![$( (
                    $method,
                    generator.subschema_for::<$params>(),
                    generator.subschema_for::<$response>(),
                ) ),*]
            }
        }
    };
}

requests! {
    "initialize": Initialize => Initialized,
    "thread/start": ThreadStart => ThreadOpened,
    "thread/resume": ThreadResume => ThreadOpened,
    "thread/fork": ThreadFork => ThreadOpened,
    "thread/list": ThreadList => ThreadPage,
    "thread/read": ThreadRead => ThreadState,
    "thread/turns/list": ThreadTurnsList => TurnPage,
    "thread/items/list": ThreadItemsList => ItemPage,
    "thread/archive": ThreadArchive => Empty,
    "thread/unarchive": ThreadUnarchive => ThreadState,
    "thread/delete": ThreadDelete => Empty,
    "thread/unsubscribe": ThreadUnsubscribe => Empty,
    "thread/name/set": ThreadNameSet => Empty,
    "thread/revert": ThreadRevert => ThreadState,
    "thread/compact/start": ThreadCompactStart => Empty,
    "thread/settings/update": ThreadSettingsUpdate => Empty,
    "thread/backgroundTerminals/list": BackgroundTerminalsList => BackgroundTerminals,
    "thread/backgroundTerminals/terminate": BackgroundTerminalsTerminate => TerminalTerminated,
    "thread/backgroundTerminals/clean": BackgroundTerminalsClean => Empty,
    "turn/start": TurnStart => TurnStarted,
    "turn/steer": TurnSteer => TurnSteered,
    "turn/interrupt": TurnInterrupt => Empty,
    "model/list": ModelList => ModelPage,
    "account/read": AccountRead => AccountState,
    "account/login/start": AccountLogin => LoginStarted,
    "account/logout": AccountLogout => Empty,
    "account/rateLimits/read": AccountRateLimitsRead => AccountRateLimits,
    "mcpServerStatus/list": McpServerStatusList => McpServerPage,
    "config/read": ConfigRead => ConfigState,
}

/// The notification that the client sends after the response to [`Initialize`].
/// It has no parameters.
pub const INITIALIZED: &str = "initialized";

/// Declares requests without parameters, which are `null` on the wire.
macro_rules! without_parameters {
    ($( $(#[$meta:meta])* $name:ident, )*) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
        pub struct $name;

        agentwire_protocol::if_schema! {
            impl agentwire_protocol::schema::schemars::JsonSchema for $name {
                agentwire_protocol::schema::named!($name);

                fn json_schema(
                    _: &mut agentwire_protocol::schema::schemars::SchemaGenerator,
                ) -> agentwire_protocol::schema::schemars::Schema {
                    agentwire_protocol::schema::schemars::json_schema!({ "type": "null" })
                }
            }
        }
    )*};
}

without_parameters! {
    /// Removes the stored credentials.
    AccountLogout,
    /// Reads the usage of the plan.
    AccountRateLimitsRead,
}

/// Declares requests whose only parameter is a thread.
macro_rules! thread_requests {
    ($( $(#[$($meta:tt)*])* $name:ident, )*) => {
        objects! { $( $(#[$($meta)*])* #[derive(Default)] pub struct $name of(thread) {} )* }
    };
}

thread_requests! {
    /// Moves a thread to the archive. Archived threads cannot be resumed.
    ThreadArchive,
    /// Moves a thread back from the archive.
    ThreadUnarchive,
    /// Deletes a thread.
    ThreadDelete,
    /// Stops the notifications of a thread. Codex unloads it later.
    ThreadUnsubscribe,
    /// Starts a turn that compacts the conversation.
    ThreadCompactStart,
    /// Kills all commands that run although their turn is over. Experimental.
    BackgroundTerminalsClean,
}

/// Declares pages of lists.
macro_rules! pages {
    ($( $(#[$($meta:tt)*])* $name:ident of $item:ty, )*) => {
        objects! { $(
            $(#[$($meta)*])*
            pub struct $name {
                /// The items of the page.
                pub data: Vec<$item>,
                /// The cursor of the next page.
                pub next_cursor: Option<String> = "nextCursor",
            }
        )* }
    };
}

pages! {
    /// A page of [`ThreadList`].
    ThreadPage of Thread,
    /// A page of [`ThreadTurnsList`].
    TurnPage of Turn,
    /// A page of [`ThreadItemsList`].
    ItemPage of ItemEntry,
    /// A page of [`BackgroundTerminalsList`].
    BackgroundTerminals of BackgroundTerminal,
    /// A page of [`ModelList`].
    ModelPage of Model,
    /// A page of [`McpServerStatusList`].
    McpServerPage of McpServerStatus,
}

objects! {
    /// A response without members.
    #[derive(Default)]
    pub struct Empty {}

    /// Opens the connection. It is the first request, and is sent once.
    pub struct Initialize {
        /// The name and version of the client.
        pub client_info: ClientInfo = "clientInfo",
        /// The capabilities of the client.
        pub capabilities: Option<Capabilities>,
    }

    /// The name and version of a client.
    #[derive(Default)]
    pub struct ClientInfo {
        /// The name, which becomes a part of the user agent.
        pub name: String,
        /// The name for the user.
        pub title: Option<String>,
        /// The version.
        pub version: String,
    }

    /// The capabilities of a client.
    #[derive(Default)]
    pub struct Capabilities {
        /// Whether Codex accepts experimental methods and members.
        pub experimental_api: Option<bool> = "experimentalApi",
        /// Notifications that Codex does not send.
        pub opt_out_notification_methods: Option<Vec<String>> = "optOutNotificationMethods",
    }

    /// The response to [`Initialize`].
    pub struct Initialized {
        /// The user agent, which contains the version of Codex.
        pub user_agent: String = "userAgent",
        /// The directory of the configuration and the threads.
        pub codex_home: String = "codexHome",
    }

    /// Starts a thread.
    #[derive(Default)]
    pub struct ThreadStart of(opening) {
        /// Tools of the client. Experimental.
        pub dynamic_tools: Option<Vec<DynamicTool>> = "dynamicTools",
        /// Whether the thread is not stored.
        pub ephemeral: Option<bool>,
    }

    /// A tool of the client.
    #[derive(Default)]
    pub struct DynamicTool tags("type" = "function") {
        /// The name.
        pub name: String,
        /// The description for the model.
        pub description: String,
        /// The JSON Schema of the input.
        pub input_schema: Json = "inputSchema",
        /// Whether the model has to search for the tool.
        pub defer_loading: Option<bool> = "deferLoading",
    }

    /// The response to [`ThreadStart`], [`ThreadResume`] and [`ThreadFork`],
    /// with the settings in force.
    pub struct ThreadOpened {
        /// The thread.
        pub thread: Thread,
        /// The working directory.
        pub cwd: String,
        /// The model.
        pub model: String,
        /// The provider of the model.
        pub model_provider: String = "modelProvider",
        /// The reasoning effort.
        pub reasoning_effort: Option<String> = "reasoningEffort",
        /// The approval policy.
        pub approval_policy: ApprovalPolicy = "approvalPolicy",
        /// The reviewer of approvals.
        pub approvals_reviewer: ApprovalsReviewer = "approvalsReviewer",
        /// The sandbox.
        pub sandbox: SandboxPolicy,
        /// The files from which instructions were read.
        pub instruction_sources: Option<Vec<String>> = "instructionSources",
    }

    /// Loads a stored thread and subscribes to it. Pending requests of a loaded
    /// thread are sent again. Codex does not restore all settings.
    #[derive(Default)]
    pub struct ThreadResume of(thread, opening) {
        /// Whether the response has no turns. Experimental.
        pub exclude_turns: Option<bool> = "excludeTurns",
    }

    /// Copies a thread to a new one. Codex does not copy all settings.
    #[derive(Default)]
    pub struct ThreadFork of(thread, opening) {
        /// The last turn to copy.
        pub last_turn_id: Option<String> = "lastTurnId",
        /// The first turn not to copy. Experimental.
        pub before_turn_id: Option<String> = "beforeTurnId",
        /// Whether the new thread is not stored.
        pub ephemeral: Option<bool>,
        /// Whether the response has no turns. Experimental.
        pub exclude_turns: Option<bool> = "excludeTurns",
    }

    /// Lists stored threads.
    #[derive(Default)]
    pub struct ThreadList of(page) {
        /// The direction of the order.
        pub sort_direction: Option<SortDirection> = "sortDirection",
        /// The order, such as `created_at` or `recency_at`.
        pub sort_key: Option<String> = "sortKey",
        /// The programs that started the threads, such as `cli` or `appServer`.
        /// Default: those with a user interface.
        pub source_kinds: Option<Vec<String>> = "sourceKinds",
        /// Whether to list archived threads instead.
        pub archived: Option<bool>,
        /// A directory, or a list of directories, that the threads are in.
        pub cwd: Option<Json>,
        /// The providers of the threads' models.
        pub model_providers: Option<Vec<String>> = "modelProviders",
        /// A text in the titles.
        pub search_term: Option<String> = "searchTerm",
    }

    /// Reads a thread without loading it.
    #[derive(Default)]
    pub struct ThreadRead of(thread) {
        /// Whether to include the turns. Deprecated.
        pub include_turns: Option<bool> = "includeTurns",
    }

    /// A thread.
    pub struct ThreadState {
        /// The thread.
        pub thread: Thread,
    }

    /// Lists the turns of a thread.
    #[derive(Default)]
    pub struct ThreadTurnsList of(thread, page) {
        /// The direction of the order.
        pub sort_direction: Option<SortDirection> = "sortDirection",
        /// Which items the turns include.
        pub items_view: Option<ItemsView> = "itemsView",
    }

    /// Lists the items of a thread, which are those of `item/completed`.
    #[derive(Default)]
    pub struct ThreadItemsList of(thread, page) {
        /// The turn. Default: all turns.
        pub turn_id: Option<String> = "turnId",
        /// The direction of the order.
        pub sort_direction: Option<SortDirection> = "sortDirection",
    }

    /// An item of a thread.
    pub struct ItemEntry of(times) {
        /// The ID of the turn.
        pub turn_id: String = "turnId",
        /// The item.
        pub item: Item,
    }

    /// Sets the title of a thread.
    #[derive(Default)]
    pub struct ThreadNameSet of(thread) {
        /// The title.
        pub name: String,
    }

    /// Drops a turn and all later ones from the history. Files do not change.
    #[derive(Default)]
    pub struct ThreadRevert of(thread) {
        /// The first turn to drop.
        pub before_turn_id: String = "beforeTurnId",
    }

    /// Changes the settings of later turns. Experimental.
    #[derive(Default)]
    pub struct ThreadSettingsUpdate of(thread, settings) {
    }

    /// Lists commands that run although their turn is over. Experimental.
    #[derive(Default)]
    pub struct BackgroundTerminalsList of(thread, page) {
    }

    /// A command that runs although its turn is over.
    pub struct BackgroundTerminal {
        /// The ID of the item.
        pub item_id: String = "itemId",
        /// The ID of the process at Codex.
        pub process_id: String = "processId",
        /// The command line.
        pub command: String,
        /// The working directory.
        pub cwd: String,
        /// The ID of the process at the operating system.
        pub os_pid: Option<u32> = "osPid",
    }

    /// Kills a command that runs although its turn is over. Experimental.
    #[derive(Default)]
    pub struct BackgroundTerminalsTerminate of(thread) {
        /// The ID of the process at Codex.
        pub process_id: String = "processId",
    }

    /// The response to [`BackgroundTerminalsTerminate`].
    pub struct TerminalTerminated {
        /// Whether the command was running.
        pub terminated: bool,
    }

    /// Starts a turn. If a turn is running, the input is added to that one.
    /// The settings also apply to later turns.
    #[derive(Default)]
    pub struct TurnStart of(thread, settings) {
        /// The user message.
        pub input: Vec<UserInput>,
        /// An ID of the client, which the item of the message has as
        /// `clientId`.
        pub client_user_message_id: Option<String> = "clientUserMessageId",
        /// The JSON Schema of the last agent message of this turn.
        pub output_schema: Option<Json> = "outputSchema",
    }

    /// The response to [`TurnStart`].
    pub struct TurnStarted {
        /// The turn. If one was running, that turn.
        pub turn: Turn,
    }

    /// Adds input to the running turn.
    #[derive(Default)]
    pub struct TurnSteer of(thread) {
        /// The turn that must be running.
        pub expected_turn_id: String = "expectedTurnId",
        /// The user message.
        pub input: Vec<UserInput>,
        /// An ID of the client, which the item of the message has as
        /// `clientId`.
        pub client_user_message_id: Option<String> = "clientUserMessageId",
    }

    /// The response to [`TurnSteer`].
    pub struct TurnSteered {
        /// The ID of the turn.
        pub turn_id: String = "turnId",
    }

    /// Interrupts a turn that has started. Its commands can run on.
    #[derive(Default)]
    pub struct TurnInterrupt of(turn) {}

    /// Lists models.
    #[derive(Default)]
    pub struct ModelList of(page) {
        /// Whether to include models that pickers do not show.
        pub include_hidden: Option<bool> = "includeHidden",
    }

    /// Reads the login.
    #[derive(Default)]
    pub struct AccountRead {
        /// Whether to refresh the token first.
        pub refresh_token: Option<bool> = "refreshToken",
    }

    /// The response to [`AccountRead`].
    pub struct AccountState {
        /// The login. `None` if there is none.
        pub account: Option<Account>,
        /// Whether the provider of the model requires a login.
        pub requires_openai_auth: bool = "requiresOpenaiAuth",
    }

    /// Lists the MCP servers.
    #[derive(Default)]
    pub struct McpServerStatusList of(page) {
        /// The thread whose servers are listed.
        pub thread_id: Option<String> = "threadId",
    }

    /// An MCP server.
    pub struct McpServerStatus {
        /// The name.
        pub name: String,
        /// The state of the connection, such as `connected`.
        pub runtime_status: Option<String> = "runtimeStatus",
        /// The state of the login, such as `notLoggedIn`.
        pub auth_status: String = "authStatus",
        /// The tools by name.
        pub tools: BTreeMap<String, McpTool>,
        /// The reason why the tools are unknown.
        pub tools_error: Option<String> = "toolsError",
    }

    /// A tool of an MCP server.
    pub struct McpTool {
        /// The name.
        pub name: String,
        /// The description for the model.
        pub description: Option<String>,
        /// The JSON Schema of the input.
        pub input_schema: Json = "inputSchema",
        /// Hints about the behaviour of the tool. With `readOnlyHint`, the tool
        /// requires no approval.
        pub annotations: Option<Json>,
    }

    /// Reads the configuration.
    #[derive(Default)]
    pub struct ConfigRead {
        /// The directory whose configuration is included.
        pub cwd: Option<String>,
    }

    /// The response to [`ConfigRead`].
    pub struct ConfigState {
        /// The configuration, in the names of `config.toml`.
        pub config: Members,
    }
}

enums! {
    /// The direction of an order.
    pub enum SortDirection {
        /// The first one first.
        Ascending = "asc",
        /// The last one first.
        Descending = "desc",
    }
}
