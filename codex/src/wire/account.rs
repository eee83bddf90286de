//! Login, usage of the plan, and models.

use super::objects;
use agentwire_protocol::open::union;

union! {
    /// A login.
    pub enum Account by "type" {
        /// An API key of OpenAI.
        "apiKey" => ApiKey(ApiKeyAccount),
        /// An account of ChatGPT.
        "chatgpt" => ChatGpt(ChatGptAccount),
    }
}

union! {
    /// A way to log in.
    pub enum AccountLogin by "type" {
        /// With an API key of OpenAI.
        "apiKey" => ApiKey(ApiKeyLogin),
        /// With a browser on this machine.
        "chatgpt" => ChatGpt(ChatGptLogin),
        /// With a code that the user enters in a browser elsewhere.
        "chatgptDeviceCode" => DeviceCode(DeviceCodeLogin),
    }
}

union! {
    /// A login that has started. [`AccountLoginCompleted`] reports its outcome.
    pub enum LoginStarted by "type" {
        /// The API key is stored.
        "apiKey" => ApiKey(ApiKeyAccount),
        /// The user has to open a page.
        "chatgpt" => ChatGpt(ChatGptLoginStarted),
        /// The user has to enter a code.
        "chatgptDeviceCode" => DeviceCode(DeviceCodeLoginStarted),
    }
}

objects! {
    /// An API key of OpenAI.
    pub struct ApiKeyAccount tags("type" = "apiKey") {}

    /// An account of ChatGPT.
    pub struct ChatGptAccount tags("type" = "chatgpt") {
        /// The e-mail address.
        pub email: Option<String>,
        /// The plan, such as `plus`.
        pub plan_type: String = "planType",
    }

    /// The new login.
    pub struct AccountUpdated {
        /// The kind of login, such as `apikey`. `None` after a logout.
        pub auth_mode: Option<String> = "authMode",
        /// The plan, such as `plus`.
        pub plan_type: Option<String> = "planType",
    }

    /// Logs in with an API key of OpenAI.
    #[derive(Default)]
    pub struct ApiKeyLogin tags("type" = "apiKey") {
        /// The key.
        pub api_key: String = "apiKey",
    }

    /// Logs in with a browser on this machine.
    #[derive(Default)]
    pub struct ChatGptLogin tags("type" = "chatgpt") {}

    /// Logs in with a code that the user enters in a browser elsewhere.
    #[derive(Default)]
    pub struct DeviceCodeLogin tags("type" = "chatgptDeviceCode") {}

    /// A page that the user has to open.
    pub struct ChatGptLoginStarted tags("type" = "chatgpt") {
        /// The ID of the login.
        pub login_id: String = "loginId",
        /// The URL of the page.
        pub auth_url: String = "authUrl",
    }

    /// A code that the user has to enter.
    pub struct DeviceCodeLoginStarted tags("type" = "chatgptDeviceCode") {
        /// The ID of the login.
        pub login_id: String = "loginId",
        /// The code.
        pub user_code: String = "userCode",
        /// The URL of the page.
        pub verification_url: String = "verificationUrl",
    }

    /// The outcome of a login.
    pub struct AccountLoginCompleted {
        /// The ID of the login.
        pub login_id: Option<String> = "loginId",
        /// Whether the login succeeded.
        pub success: bool,
        /// The reason why the login failed.
        pub error: Option<String>,
    }

    /// The usage of the plan.
    pub struct AccountRateLimits {
        /// The limits.
        pub rate_limits: RateLimits = "rateLimits",
    }

    /// The limits of a plan, and their usage.
    pub struct RateLimits {
        /// The ID of these limits.
        pub limit_id: Option<String> = "limitId",
        /// The limit of the shorter window.
        pub primary: Option<RateLimitWindow>,
        /// The limit of the longer window.
        pub secondary: Option<RateLimitWindow>,
        /// The plan, such as `plus`.
        pub plan_type: Option<String> = "planType",
        /// The limit that is reached, such as `rate_limit_reached`.
        pub reached: Option<String> = "rateLimitReachedType",
    }

    /// A limit of a time window.
    pub struct RateLimitWindow {
        /// The usage in percent.
        pub used_percent: i64 = "usedPercent",
        /// The length of the window in minutes.
        pub window_minutes: Option<i64> = "windowDurationMins",
        /// The time when the usage is reset, as a Unix time in seconds.
        pub resets_at: Option<i64> = "resetsAt",
    }

    /// A model.
    pub struct Model {
        /// The ID of the model in this list.
        pub id: String,
        /// The value for [`ThreadStart::model`](super::ThreadStart::model).
        pub model: String,
        /// The name for the user.
        pub display_name: String = "displayName",
        /// The description for the user.
        pub description: String,
        /// Whether pickers do not show the model.
        pub hidden: bool,
        /// Whether this is the default model.
        pub is_default: bool = "isDefault",
        /// The reasoning efforts that the model supports.
        pub supported_efforts: Vec<ReasoningEffortOption> = "supportedReasoningEfforts",
        /// The default reasoning effort.
        pub default_effort: String = "defaultReasoningEffort",
        /// The kinds of input, such as `text` and `image`.
        pub input_modalities: Option<Vec<String>> = "inputModalities",
    }

    /// A reasoning effort that a model supports.
    pub struct ReasoningEffortOption {
        /// The effort, such as `high`.
        pub effort: String = "reasoningEffort",
        /// The description for the user.
        pub description: String,
    }
}
