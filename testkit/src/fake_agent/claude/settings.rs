//! Settings files, and the flags that override them.

use crate::agent::{Config, Declared};
use agentwire_protocol::agent_definition::AgentDefinition;
use agentwire_protocol::permission::{PermissionBehavior, PermissionDestination, PermissionMode};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The sources of settings.
#[derive(Debug, Default)]
pub(in crate::fake_agent) struct Sources<'a> {
    /// The user's configuration directory.
    pub(in crate::fake_agent) user: Option<&'a Path>,
    /// The working directory.
    pub(in crate::fake_agent) project: PathBuf,
    /// The values of `--setting-sources`, a selection of `user`, `project` and
    /// `local`. Default: all.
    pub(in crate::fake_agent) names: Option<&'a [String]>,
    /// The value of `--settings`: a JSON object, or the path of a file that
    /// contains one.
    pub(in crate::fake_agent) flag: Option<&'a str>,
    /// The value of `--agents`: a JSON object, or the path of a file that
    /// contains one.
    pub(in crate::fake_agent) agents: Option<&'a str>,
    /// Whether the command line sets the permission mode.
    pub(in crate::fake_agent) sets_mode: bool,
}

/// The settings of a session.
#[derive(Debug, Default)]
pub(in crate::fake_agent) struct Settings {
    /// The settings of each source, in order of increasing precedence.
    sources: Vec<(PermissionDestination, Value)>,
    /// The sub-agents, by name.
    agents: BTreeMap<String, AgentDefinition>,
    /// Whether the command line sets the permission mode.
    flag_sets_mode: bool,
}

impl Settings {
    /// Reads the settings. Invalid files are ignored, as on the real CLI.
    pub(in crate::fake_agent) fn read(from: &Sources<'_>) -> Self {
        let is_read = |name: &str| from.names.is_none_or(|it| it.iter().any(|it| it == name));
        let project = from.project.join(".claude");
        let user = from.user.filter(|_| is_read("user"));
        let mut settings = Self {
            flag_sets_mode: from.sets_mode,
            ..Self::default()
        };
        if let Some(user) = user {
            settings.add_file(PermissionDestination::UserSettings, user, "settings.json");
            settings.agents.extend(agent_files(user));
        }
        if is_read("project") {
            let destination = PermissionDestination::ProjectSettings;
            settings.add_file(destination, &project, "settings.json");
            settings.agents.extend(agent_files(&project));
        }
        if is_read("local") {
            let destination = PermissionDestination::LocalSettings;
            settings.add_file(destination, &project, "settings.local.json");
        }
        let flag = from.flag.and_then(object_or_file);
        let flag = flag.map(|it| (PermissionDestination::from("flagSettings"), it));
        settings.sources.extend(flag);
        let agents = from.agents.and_then(object_or_file);
        settings
            .agents
            .extend(agents.into_iter().flat_map(agents_of));
        settings
    }

    /// Applies the settings. Returns a warning for the user.
    pub(in crate::fake_agent) fn apply(self, config: &mut Config) -> Option<String> {
        let mut warning = None;
        for (source, settings) in self.sources {
            if let Some(style) = settings["outputStyle"].as_str() {
                set_style(&mut config.declared, style);
            }
            let permissions = &settings["permissions"];
            let mode = permissions["defaultMode"].as_str();
            if let Some(mode) = mode.filter(|_| !self.flag_sets_mode) {
                config.permission_mode = PermissionMode::from(mode);
            }
            for behavior in [
                PermissionBehavior::Allow,
                PermissionBehavior::Deny,
                PermissionBehavior::Ask,
            ] {
                let rules = permissions[behavior.as_str()].as_array();
                let rules: Vec<_> = rules
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .collect();
                let is_untrusted = source == PermissionDestination::ProjectSettings;
                if is_untrusted && behavior == PermissionBehavior::Allow && !rules.is_empty() {
                    let count = rules.len();
                    warning = Some(format!(
                        ".claude/settings.json: {count} of permissions.allow have no effect: the workspace is not trusted"
                    ));
                    continue;
                }
                for rule in rules.iter().filter_map(|it| it.parse().ok()) {
                    config
                        .rules
                        .add_from(source.clone(), rule, behavior.clone());
                }
            }
        }
        let agents = self.agents.iter();
        let agents = agents.map(|(name, agent)| agent.info(name));
        config.declared.add_agents(agents);
        warning
    }

    fn add_file(&mut self, source: PermissionDestination, folder: &Path, name: &str) {
        let settings = fs::read_to_string(folder.join(name)).ok();
        let settings = settings.and_then(|it| serde_json::from_str(&it).ok());
        self.sources.extend(settings.map(|it| (source, it)));
    }
}

fn set_style(declared: &mut Declared, style: &str) {
    declared.init.output_style = Some(style.to_owned());
    declared.initialize.output_style = Some(style.to_owned());
}

fn object_or_file(value: &str) -> Option<Value> {
    serde_json::from_str(value).ok().or_else(|| {
        let text = fs::read_to_string(value).ok()?;
        serde_json::from_str(&text).ok()
    })
}

fn agents_of(agents: Value) -> BTreeMap<String, AgentDefinition> {
    serde_json::from_value(agents).unwrap_or_default()
}

/// Reads the sub-agents of the Markdown files below `agents`.
fn agent_files(folder: &Path) -> Vec<(String, AgentDefinition)> {
    let mut folders = vec![folder.join("agents")];
    let mut agents = vec![];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|it| it.is_dir()) {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "md") {
                let text = fs::read_to_string(path).unwrap_or_default();
                agents.extend(agent_of(&text));
            }
        }
    }
    agents
}

/// Parses the sub-agent of a Markdown file. The front matter has its name and
/// description, and the rest is its prompt.
fn agent_of(text: &str) -> Option<(String, AgentDefinition)> {
    let (head, prompt) = text.strip_prefix("---")?.split_once("\n---")?;
    let member = |name: &str| {
        let lines = head.lines().filter_map(|line| line.split_once(':'));
        let value = lines.filter(|it| it.0 == name).map(|it| it.1.trim()).next();
        value.map(|it| it.trim_matches(['"', '\'']).to_owned())
    };
    let mut agent = AgentDefinition::new(member("description")?, prompt.trim());
    agent.model = member("model");
    Some((member("name")?, agent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn settings(sources: &[(PermissionDestination, Value)]) -> Settings {
        Settings {
            sources: sources.to_vec(),
            ..Settings::default()
        }
    }

    #[test]
    fn a_sub_agent_file_has_a_name_and_a_description() {
        let text =
            "---\nname: greeter\ndescription: \"Greets: kindly\"\nmodel: haiku\n---\n\nHi.\n";
        let (name, agent) = agent_of(text).expect("a sub-agent");
        assert_eq!(name, "greeter");
        assert_eq!(agent.description, "Greets: kindly");
        assert_eq!(agent.model.as_deref(), Some("haiku"));
        assert_eq!(agent.prompt, "Hi.");
        for text in [
            "Hi.",
            "---\nname: greeter\n---\n",
            "---\ndescription: d\n---\n",
        ] {
            assert_eq!(agent_of(text), None, "{text}");
        }
    }

    #[test]
    fn allow_rules_of_the_project_need_trust_and_others_do_not() {
        let rules = json!({"permissions": {"allow": ["Bash(ls:*)"], "deny": ["WebFetch"]}});
        let mut config = Config::default();
        let project = (PermissionDestination::ProjectSettings, rules.clone());
        assert!(settings(&[project]).apply(&mut config).is_some());
        let names = |config: &Config| -> Vec<_> {
            config.rules.iter().map(|it| it.rule.to_string()).collect()
        };
        assert_eq!(names(&config), ["WebFetch"]);
        let local = (PermissionDestination::LocalSettings, rules);
        assert_eq!(settings(&[local]).apply(&mut config), None);
        assert_eq!(names(&config), ["WebFetch", "Bash(ls:*)", "WebFetch"]);
    }

    #[test]
    fn the_last_source_sets_the_output_style() {
        let style = |name: &str| json!({ "outputStyle": name });
        let mut config = Config::default();
        settings(&[
            (PermissionDestination::UserSettings, style("Concise")),
            (PermissionDestination::LocalSettings, style("Learning")),
            (PermissionDestination::Session, json!({"outputStyle": 5})),
        ])
        .apply(&mut config);
        assert_eq!(
            config.declared.init.output_style.as_deref(),
            Some("Learning")
        );
    }
}
