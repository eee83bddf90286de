//! How the CLI is logged in.

use agentwire_protocol::control::{AccountInfo, ApiProvider};
use serde::Serialize;
use std::fmt;

/// How the CLI is logged in, as it reports in its response to `initialize`. The credentials are
/// not verified.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Login {
    /// The CLI did not start, or does not report it.
    #[default]
    Unknown,
    /// There are no credentials.
    Missing,
    /// An API key.
    ApiKey {
        /// Where the key is from: a variable such as `ANTHROPIC_API_KEY`, `apiKeyHelper`, …
        source: String,
    },
    /// A token, for OAuth or a gateway.
    Token {
        /// Where the token is from: a variable such as `CLAUDE_CODE_OAUTH_TOKEN`, `claude.ai`, …
        source: String,
    },
    /// A login with OAuth that the CLI has stored.
    Account {
        /// The subscription.
        plan: Option<String>,
        /// The user's email address.
        email: Option<String>,
    },
    /// Another provider, such as Amazon Bedrock, whose credentials the CLI does not report.
    Provider {
        /// The provider.
        name: String,
    },
}

impl Login {
    pub(super) fn of(account: Option<&AccountInfo>) -> Self {
        let Some(account) = account else {
            return Self::Unknown;
        };
        let is_first_party = match &account.api_provider {
            Some(ApiProvider::FirstParty) => true,
            Some(provider) => {
                return Self::Provider {
                    name: provider.to_string(),
                };
            }
            None => false,
        };
        let set = |source: &Option<String>| source.clone().filter(|it| it != "none");
        if let Some(source) = set(&account.api_key_source) {
            return Self::ApiKey { source };
        }
        if let Some(source) = set(&account.token_source) {
            return Self::Token { source };
        }
        let (plan, email) = (account.subscription_type.clone(), account.email.clone());
        if plan.is_some() || email.is_some() {
            return Self::Account { plan, email };
        }
        // Older CLIs report nothing for other providers.
        match is_first_party || account.token_source.is_some() {
            true => Self::Missing,
            false => Self::Unknown,
        }
    }
}

impl fmt::Display for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("unknown"),
            Self::Missing => f.write_str("none"),
            Self::ApiKey { source } => write!(f, "API key ({source})"),
            Self::Token { source } => write!(f, "token ({source})"),
            Self::Account { plan, email } => {
                f.write_str(plan.as_deref().unwrap_or("account"))?;
                email.as_ref().map_or(Ok(()), |it| write!(f, " ({it})"))
            }
            Self::Provider { name } => write!(f, "provider {name}"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn login(account: Value) -> String {
        let account = serde_json::from_value(account).unwrap();
        Login::of(Some(&account)).to_string()
    }

    #[test]
    fn the_login_is_derived_from_the_reported_account() {
        // Measured on CLI 2.1.332.
        for (account, said) in [
            (
                json!({"tokenSource": "none", "apiProvider": "firstParty"}),
                "none",
            ),
            (
                json!({"tokenSource": "none", "apiKeySource": "ANTHROPIC_API_KEY", "apiProvider": "firstParty"}),
                "API key (ANTHROPIC_API_KEY)",
            ),
            (
                json!({"tokenSource": "apiKeyHelper", "apiKeySource": "apiKeyHelper", "apiProvider": "firstParty"}),
                "API key (apiKeyHelper)",
            ),
            (
                json!({"tokenSource": "CLAUDE_CODE_OAUTH_TOKEN", "apiProvider": "firstParty"}),
                "token (CLAUDE_CODE_OAUTH_TOKEN)",
            ),
            (
                json!({"subscriptionType": "Claude Max", "apiProvider": "firstParty"}),
                "Claude Max",
            ),
            (json!({"apiProvider": "bedrock"}), "provider bedrock"),
            (json!({}), "unknown"),
        ] {
            assert_eq!(login(account.clone()), said, "{account}");
        }
        assert_eq!(Login::of(None), Login::Unknown);
    }
}
