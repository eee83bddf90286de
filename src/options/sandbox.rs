//! Merging the sandbox of the settings with the sandbox option.

use serde_json::{Map, Value};

type Object = Map<String, Value>;

/// Deny lists. They are joined, so that neither source allows what the other denies.
const JOINED: [&str; 5] = [
    "filesystem.denyRead",
    "filesystem.denyWrite",
    "network.deniedDomains",
    "credentials.files",
    "credentials.envVars",
];

/// Objects that are replaced as a whole.
const WHOLE: [&str; 2] = ["ripgrep", "network.tlsTerminate"];

/// Merges the option's sandbox into that of the settings. The option takes precedence.
pub(super) fn merge(settings: Option<Value>, option: Object) -> Object {
    let settings = match settings {
        Some(Value::Object(settings)) => settings,
        _ => Object::new(),
    };
    let mut merged = merge_objects(settings, &option, "");
    let restricts_files = option.contains_key("filesystem")
        || list(&option, "credentials", "files")
            .iter()
            .any(|file| file["mode"] == "deny");
    if restricts_files && !has(&option, "filesystem", "disabled") {
        // This would disable the option's restriction.
        if let Some(Value::Object(files)) = merged.get_mut("filesystem")
            && files.get("disabled") == Some(&Value::Bool(true))
        {
            files.remove("disabled");
        }
    }
    let restricts_hosts = has(&option, "network", "allowedDomains")
        || !list(&option, "network", "deniedDomains").is_empty()
        || option.get("network").map(|it| &it["strictAllowlist"]) == Some(&Value::Bool(true));
    if restricts_hosts && let Some(Value::Object(network)) = merged.get_mut("network") {
        // These lists do not apply to traffic through a user's proxy.
        for port in ["httpProxyPort", "socksProxyPort"] {
            if !has(&option, "network", port) {
                network.remove(port);
            }
        }
    }
    if option.get("enabled") == Some(&Value::Bool(true)) {
        merged
            .entry("failIfUnavailable")
            .or_insert(Value::Bool(true));
    }
    merged
}

fn merge_objects(mut below: Object, above: &Object, path: &str) -> Object {
    for (key, value) in above {
        let path = match path {
            "" => key.clone(),
            path => format!("{path}.{key}"),
        };
        let merged = match (below.remove(key), value) {
            (Some(Value::Array(mut old)), Value::Array(new)) if JOINED.contains(&&*path) => {
                for item in new {
                    if !old.contains(item) {
                        old.push(item.clone());
                    }
                }
                Value::Array(old)
            }
            (Some(Value::Object(old)), Value::Object(new)) if !WHOLE.contains(&&*path) => {
                Value::Object(merge_objects(old, new, &path))
            }
            (_, value) => value.clone(),
        };
        below.insert(key.clone(), merged);
    }
    below
}

fn has(object: &Object, group: &str, key: &str) -> bool {
    object.get(group).is_some_and(|it| it.get(key).is_some())
}

fn list<'a>(object: &'a Object, group: &str, key: &str) -> &'a [Value] {
    let list = object.get(group).and_then(|it| it.get(key)?.as_array());
    list.map_or(&[], |it| it)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn merged(settings: Value, option: Value) -> Value {
        let Value::Object(option) = option else {
            panic!()
        };
        Value::Object(merge(Some(settings), option))
    }

    #[test]
    fn one_source_cannot_allow_what_the_other_denies() {
        let settings = json!({
            "network": { "deniedDomains": ["a"], "allowedDomains": ["b"] },
            "filesystem": { "denyRead": ["x"] },
        });
        let option = json!({
            "network": { "deniedDomains": ["a", "c"], "allowedDomains": ["d"] },
        });
        let wanted = json!({
            "network": { "deniedDomains": ["a", "c"], "allowedDomains": ["d"] },
            "filesystem": { "denyRead": ["x"] },
        });
        assert_eq!(merged(settings, option), wanted);
    }

    #[test]
    fn settings_that_disable_a_restriction_are_removed() {
        let settings = json!({
            "network": { "httpProxyPort": 1, "socksProxyPort": 2 },
            "filesystem": { "disabled": true },
        });
        let option = json!({
            "network": { "strictAllowlist": true, "socksProxyPort": 3 },
            "filesystem": { "denyRead": ["x"] },
        });
        let wanted = json!({
            "network": { "strictAllowlist": true, "socksProxyPort": 3 },
            "filesystem": { "denyRead": ["x"] },
        });
        assert_eq!(merged(settings.clone(), option), wanted);
        assert_eq!(merged(settings.clone(), json!({})), settings);
    }

    #[test]
    fn a_requested_sandbox_is_required() {
        let wanted = json!({ "enabled": true, "failIfUnavailable": true });
        assert_eq!(merged(json!({}), json!({ "enabled": true })), wanted);
        let may_fail = json!({ "failIfUnavailable": false });
        let wanted = json!({ "enabled": true, "failIfUnavailable": false });
        assert_eq!(merged(may_fail, json!({ "enabled": true })), wanted);
    }
}
