//! Adaptation to older CLIs.

use super::since::{FLAGS, IGNORED};
use super::{TAKES_MANAGED, unsupported_option};
use crate::event::Error;
use crate::options::prompt::DYNAMIC_BOUNDARY;
use crate::options::{CommandLine, Options};
use crate::process::CliVersion;
use crate::{Hook, PermissionResult};
use agentwire_protocol::agent_definition::AgentDefinition;
use agentwire_protocol::mcp::McpHttpServer;
use agentwire_protocol::plugin::LocalPlugin;
use serde_json::{Value, json};
use std::path::PathBuf;

fn version(text: &str) -> CliVersion {
    text.parse().unwrap()
}

/// Returns the command line for a CLI of this version, and the omitted options.
fn fit(options: Options, text: &str) -> Result<(CommandLine, Vec<&'static str>), Error> {
    let mut line = options.assemble()?;
    assert!(line.depends_on_version());
    let without = line.fit(version(text))?;
    Ok((line, without))
}

#[test]
fn options_without_version_dependence_need_no_version() {
    let options = Options::new()
        .model("haiku")
        .resume("id")
        .on_permission(|_| async { PermissionResult::allow() });
    assert!(!options.assemble().unwrap().depends_on_version());
}

#[test]
fn the_current_version_gets_everything_over_the_pipe() {
    let options = configured();
    let before = options.assemble().unwrap();
    let (line, without) = fit(options, "2.1.332").unwrap();
    assert_eq!(line.arguments, before.arguments);
    assert_eq!(line.initialize, before.initialize);
    assert!(line.private.folder.is_none() && without.is_empty());
}

fn configured() -> Options {
    Options::new()
        .system_prompt_blocks(["One.", "Two."])
        .append_system_prompt("Three.")
        .agents([("reviewer", AgentDefinition::new("Reviews.", "You review."))])
        .settings(json!({ "apiKeyHelper": "secret-helper" }))
        .mcp_servers([(
            "wiki",
            McpHttpServer::new("https://wiki").header("X-Key", "secret"),
        )])
        .plugins([LocalPlugin::new("/")])
}

#[test]
fn older_clis_read_configuration_from_private_files() {
    let (line, without) = fit(configured(), "2.1.197").unwrap();
    assert_eq!(without, Vec::<&str>::new());
    assert!(line.initialize.mcp_servers.is_none() && line.initialize.plugins.is_none());
    assert!(line.initialize.extra.get("settings").is_none());
    let arguments = line.arguments.join(" ");
    assert!(!arguments.contains("secret"), "{arguments}");
    assert!(!arguments.contains("initialize"), "{arguments}");
    assert!(line.arguments.contains(&"--plugin-dir=/".to_owned()));
    for (flag, text) in [
        ("--settings=", r#"{"apiKeyHelper":"secret-helper"}"#),
        (
            "--mcp-config=",
            r#"{"mcpServers":{"wiki":{"type":"http","url":"https://wiki","headers":{"X-Key":"secret"}}}}"#,
        ),
    ] {
        let path = line.arguments.iter().find_map(|it| it.strip_prefix(flag));
        let path = PathBuf::from(path.unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode();
            assert_eq!(mode(&path) & 0o777, 0o600);
            assert_eq!(mode(path.parent().unwrap()) & 0o777, 0o700);
        }
    }
    let folder = line.private.folder.clone().unwrap().path().to_owned();
    drop(line);
    assert!(!folder.exists());
}

#[test]
fn older_clis_get_no_boundary_in_the_system_prompt() {
    let blocks = ["One.", DYNAMIC_BOUNDARY, "Two."];
    let options = Options::new().system_prompt_blocks(blocks);
    let of = |text: &str| {
        fit(options.clone(), text)
            .unwrap()
            .0
            .initialize
            .system_prompt
    };
    assert_eq!(of("2.1.329").unwrap(), ["One.", "Two."]);
    assert_eq!(of("2.1.332").unwrap(), blocks);
}

#[test]
fn older_clis_get_schemas_without_formats() {
    let legs = json!({ "properties": { "legs": { "format": "uint8" } }, "type": "object" });
    let options = Options::new().output_format(legs);
    let (line, _) = fit(options.clone(), "2.1.204").unwrap();
    let stripped = r#"{"properties":{"legs":{}},"type":"object"}"#;
    let argument = format!("--json-schema={stripped}");
    assert!(line.arguments.contains(&argument), "{line}");
    assert_eq!(line.initialize.json_schema.unwrap().get(), stripped);
    let (line, _) = fit(options, "2.1.205").unwrap();
    assert!(line.initialize.json_schema.unwrap().get().contains("uint8"));
}

#[test]
fn each_version_gets_each_option_where_it_reads_it() {
    let (line, _) = fit(configured(), "2.1.300").unwrap();
    assert!(line.initialize.mcp_servers.is_some() && line.initialize.plugins.is_some());
    assert!(line.initialize.extra.get("settings").is_none());
    assert!(line.arguments.contains(&"--await-initialize".to_owned()));
    assert!(
        !line
            .arguments
            .contains(&"--initialize-fields=settings".to_owned())
    );
    assert!(
        line.arguments
            .iter()
            .any(|it| it.starts_with("--settings="))
    );
}

#[test]
fn the_oldest_clis_get_prompts_and_agents_as_arguments() {
    let (line, _) = fit(configured(), "2.0.77").unwrap();
    assert!(
        line.arguments
            .contains(&"--system-prompt=One.\n\nTwo.".to_owned())
    );
    assert_eq!(
        line.initialize.append_system_prompt.as_deref(),
        Some("Three.")
    );
    assert!(line.initialize.system_prompt.is_none() && line.initialize.agents.is_some());
    let (line, _) = fit(configured(), "2.0.0").unwrap();
    assert!(
        line.arguments
            .contains(&"--append-system-prompt=Three.".to_owned())
    );
    let agents = line
        .arguments
        .iter()
        .find_map(|it| it.strip_prefix("--agents="));
    let agents: Value = serde_json::from_str(agents.unwrap()).unwrap();
    assert_eq!(agents["reviewer"]["prompt"], "You review.");
    assert!(line.initialize.agents.is_none());
}

#[test]
fn the_oldest_clis_get_settings_flags_as_two_arguments() {
    let options = Options::new().setting_sources([]).settings_file("a=b.json");
    let of = |text: &str| fit(options.clone(), text).unwrap().0.arguments.join(" ");
    let joined = "--setting-sources= --settings=a=b.json";
    assert!(of("2.0.72").ends_with(joined), "{}", of("2.0.72"));
    let split = "--setting-sources  --settings a=b.json";
    assert!(of("2.0.71").ends_with(split), "{}", of("2.0.71"));
}

#[test]
fn unsupported_options_are_errors_or_reported() {
    let too_old = |options: Options, text: &str| match fit(options, text) {
        Err(Error::TooOld {
            option,
            needs,
            version,
        }) => {
            assert_eq!(version, Some(text.parse().unwrap()));
            format!("{} {}", option.unwrap(), needs.unwrap())
        }
        other => panic!("{other:?}"),
    };
    let verbatim = Options::new().verbatim_prompts(true);
    assert_eq!(too_old(verbatim, "2.1.247"), "verbatim_prompts 2.1.248");
    let aliases = Options::new().tool_aliases([("Bash", "mcp__a__b")]);
    assert_eq!(too_old(aliases, "2.1.141"), "tool_aliases 2.1.142");
    let managed = Options::new().managed_settings(json!({}));
    assert_eq!(too_old(managed, "2.0.77"), "managed_settings 2.1.197");
    let (_, without) = fit(Options::new().prompt_suggestions(true), "2.1.47").unwrap();
    assert_eq!(without, ["prompt_suggestions"]);
    let (_, without) = fit(Options::new().prompt_suggestions(true), "2.1.48").unwrap();
    assert!(without.is_empty());
    let sandbox = |it| Options::new().sandbox(it);
    let closed = sandbox(json!({ "enabled": true }));
    assert_eq!(too_old(closed, "2.1.82"), "sandbox 2.1.83");
    let open = sandbox(json!({ "enabled": true, "failIfUnavailable": false }));
    assert!(fit(open, "2.1.82").is_ok());
    assert!(fit(sandbox(json!({ "enabled": false })), "2.0.0").is_ok());
    let gone = Options::new().plugins([LocalPlugin::new("/no/such/plugin")]);
    assert_eq!(fit(gone, "2.1.197").unwrap().1, ["plugins"]);
}

#[test]
fn hooks_for_unsupported_events_are_reported_and_gates_are_errors() {
    let hook = |it: fn(Hook) -> Hook| {
        Options::new().hook(it(Hook::named("PermissionRequest", |_| async {})))
    };
    let (_, without) = fit(hook(|it| it), "2.0.44").unwrap();
    assert_eq!(without, ["hook(PermissionRequest)"]);
    assert!(fit(hook(|it| it), "2.0.45").unwrap().1.is_empty());
    let gate = fit(hook(Hook::gate), "2.0.44").map(drop).unwrap_err();
    assert_eq!(
        gate.to_string(),
        "Claude Code 2.0.44 does not support the option `hook(PermissionRequest)`; it requires \
         2.0.45 or later"
    );
}

#[test]
fn restrictions_of_sub_agents_are_required_and_other_members_reported() {
    let agents = |it| Options::new().agents([("a", it)]);
    let agent = || AgentDefinition::new("Digs.", "You dig.");
    let limited = agents(agent().disallowed_tools(["Bash"]));
    assert!(fit(limited.clone(), "2.0.29").is_err() && fit(limited, "2.0.30").is_ok());
    let model = |name| agents(agent().model(name));
    assert!(fit(model("claude-haiku-4-5"), "2.1.73").is_err());
    assert!(fit(model("haiku"), "2.1.73").is_ok());
    let (_, without) = fit(agents(agent().background()), "2.0.77").unwrap();
    assert_eq!(without, ["agents(background)"]);
}

#[test]
fn errors_for_refused_flags_name_the_method() {
    let needs = |text| Some(version(text));
    for (stderr, expected) in [
        (
            "error: unknown option '--effort=low'\n",
            Some(("effort".to_owned(), needs("2.1.38"))),
        ),
        (
            "warning\nerror: unknown option '--zork'",
            Some(("--zork".to_owned(), None)),
        ),
        (
            "error: option '--permission-mode <mode>' argument 'dontAsk' is invalid. Allowed",
            Some(("permission_mode(dontAsk)".to_owned(), None)),
        ),
        (
            "error: option '--effort <level>' argument 'xhigh' is invalid. It must",
            Some(("effort(xhigh)".to_owned(), None)),
        ),
        ("error: something else", None),
        ("", None),
    ] {
        assert_eq!(unsupported_option(stderr), expected, "{stderr}");
    }
}

#[test]
fn versions_md_has_the_table_of_the_sources() {
    let ignored = IGNORED.iter().map(|it| (it.option, it.since));
    let flags = FLAGS.iter().map(|(_, option, since)| (*option, *since));
    let managed = ("managed_settings", TAKES_MANAGED.1);
    let mut rows: Vec<_> = ignored.chain(flags).chain([managed]).collect();
    rows.sort_unstable();
    let rows = rows.iter();
    let rows: String = rows
        .map(|(option, since)| format!("| `{option}` | {since} |\n"))
        .collect();
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/VERSIONS.md"));
    let table = "| option | requires |\n|---|---|\n";
    let text = text.unwrap();
    assert_eq!(text.split_once(table).unwrap().1, rows);
}
