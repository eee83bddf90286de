//! The places where the CLI and its tools look for files and variables of a user.

use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A user in whose places marks are planted: the user that runs the program, or a tenant.
pub(crate) struct User {
    /// A hexadecimal digit, which differs between users.
    pub(crate) code: char,
    pub(crate) home: PathBuf,
    /// The folder of settings.
    pub(crate) config: PathBuf,
    /// The folder of `.claude.json`.
    pub(crate) account: PathBuf,
    pub(crate) tmp: PathBuf,
    /// The working directory of the session.
    pub(crate) cwd: PathBuf,
    /// Programs that run write their working directories into files of this folder, which are
    /// named by their marks.
    pub(crate) ran: PathBuf,
}

impl User {
    /// Returns the mark of a place. It is hexadecimal, because some values have to be.
    pub(crate) fn mark(&self, place: &Place) -> String {
        let index = PLACES.iter().position(|it| it.name == place.name).unwrap();
        format!("{}{index:03}e", self.marks())
    }

    /// Returns the beginning of the user's marks.
    pub(crate) fn marks(&self) -> String {
        format!("c0dec0dec0de{}", self.code)
    }

    pub(crate) fn write_marks(&self, wanted: impl Fn(&Place) -> bool) {
        for place in PLACES.iter().filter(|place| wanted(place)) {
            (place.plant)(self, &self.mark(place));
        }
    }

    /// Returns a command that writes that it ran.
    pub(crate) fn command(&self, mark: &str) -> String {
        format!("pwd >> '{}'", self.ran.join(mark).display())
    }

    fn hooks(&self, mark: &str) -> Value {
        let command = json!({ "type": "command", "command": self.command(mark) });
        json!({ "hooks": { "UserPromptSubmit": [{ "hooks": [command] }] } })
    }

    fn servers(&self, mark: &str) -> Value {
        let script = format!("{}; exec cat", self.command(mark));
        json!({ "mcpServers": { mark: { "command": "sh", "args": ["-c", script] } } })
    }

    fn settings(&self, settings: Value) {
        merge(self.config.join("settings.json"), settings);
    }

    fn account(&self, account: Value) {
        merge(self.account.join(".claude.json"), account);
    }
}

/// To whom the contents of a place belong.
#[derive(Debug, PartialEq)]
pub(crate) enum ContentOwner {
    /// The user's.
    User,
    /// The user's, for the working directory. Belongs to the settings `local`.
    Local,
    /// The parents of the working directory, one of which is the home of the program's user.
    Parents,
    /// An inherited variable, with this value.
    Variable(&'static str),
    /// A login of the user. The first one that exists is used.
    Login,
}

/// How a mark becomes visible. `{}` stands for it.
#[derive(Debug)]
pub(crate) enum Visibility {
    /// In what the CLI sends to the model.
    Sent(&'static str),
    /// In the CLI's messages to the program.
    Reported(&'static str),
    /// A program runs.
    Ran,
}

pub(crate) struct Place {
    pub(crate) name: &'static str,
    pub(crate) owner: ContentOwner,
    pub(crate) visibility: Visibility,
    plant: fn(&User, &str),
}

const fn place(
    owner: ContentOwner,
    name: &'static str,
    visibility: Visibility,
    plant: fn(&User, &str),
) -> Place {
    Place {
        name,
        owner,
        visibility,
        plant,
    }
}

/// The model's first tool call runs this command if the settings allow it.
pub(crate) const PERMISSIONS: &str = "settings.json: permissions.allow";

pub(crate) const KEY: &str = "ANTHROPIC_API_KEY";
pub(crate) const STORED: &str = ".credentials.json";

const TEXT: Visibility = Visibility::Sent("{}");

#[rustfmt::skip]
pub(crate) const PLACES: &[Place] = &[
    place(ContentOwner::User, "CLAUDE.md", TEXT, |user, mark| write(user.config.join("CLAUDE.md"), mark)),
    place(ContentOwner::User, "rules", TEXT, |user, mark| write(user.config.join("rules/x.md"), mark)),
    place(ContentOwner::User, "memory of the project", TEXT, |user, mark| {
        let dashed = |it: char| if it.is_ascii_alphanumeric() { it } else { '-' };
        let project: String = user.cwd.to_str().unwrap().chars().map(dashed).collect();
        write(user.config.join("projects").join(project).join("memory/MEMORY.md"), mark);
    }),
    place(ContentOwner::User, "memory of a sub-agent", TEXT, |user, mark| {
        write(user.config.join("agent-memory/keeper/MEMORY.md"), mark);
    }),
    place(ContentOwner::User, "settings.json: hooks", Visibility::Ran, |user, mark| user.settings(user.hooks(mark))),
    place(ContentOwner::User, "settings.json: env", Visibility::Sent("TRACE_SETTINGS={}"), |user, mark| {
        user.settings(json!({ "env": { "TRACE_SETTINGS": mark } }));
    }),
    place(ContentOwner::User, "settings.json: model", Visibility::Sent(r#""model":"{}""#), |user, mark| {
        user.settings(json!({ "model": mark }));
    }),
    place(ContentOwner::User, "settings.json: language", TEXT, |user, mark| user.settings(json!({ "language": mark }))),
    place(ContentOwner::User, "settings.json: permissions.additionalDirectories", TEXT, |user, mark| {
        let folder = user.home.join("code").join(mark);
        fs::create_dir_all(&folder).unwrap();
        user.settings(json!({ "permissions": { "additionalDirectories": [folder] } }));
    }),
    place(ContentOwner::User, PERMISSIONS, Visibility::Ran, |user, _| {
        user.settings(json!({ "permissions": { "allow": ["Bash(sh *)"] } }));
    }),
    place(ContentOwner::User, "output-styles", TEXT, |user, mark| {
        let style = format!("---\nname: traced\ndescription: d\n---\n{mark}\n");
        write(user.config.join("output-styles/traced.md"), style);
        user.settings(json!({ "outputStyle": "traced" }));
    }),
    place(ContentOwner::User, "agents", Visibility::Reported(r#""{}""#), |user, mark| write(user.config.join("agents/x.md"), named(mark))),
    place(ContentOwner::User, "commands", Visibility::Reported(r#""{}""#), |user, mark| {
        write(user.config.join(format!("commands/{mark}.md")), "Hello.");
    }),
    place(ContentOwner::User, "skills", Visibility::Reported(r#""{}""#), |user, mark| {
        write(user.config.join(format!("skills/{mark}/SKILL.md")), named(mark));
    }),
    place(ContentOwner::User, "workflows", Visibility::Reported(r#""{}""#), |user, mark| {
        let meta = format!("export const meta = {{ name: '{mark}', description: 'd' }};\n");
        write(user.config.join(format!("workflows/{mark}.js")), meta + "export default async () => {};\n");
    }),
    place(ContentOwner::User, "plugins: commands", Visibility::Reported(r#""crabs:{}""#), |user, mark| {
        install_plugin(user);
        write(plugin(user).join(format!("commands/{mark}.md")), "Hello.");
    }),
    place(ContentOwner::User, "plugins: hooks", Visibility::Ran, |user, mark| {
        write(plugin(user).join("hooks/hooks.json"), user.hooks(mark).to_string());
    }),
    place(ContentOwner::User, ".claude.json: mcpServers", Visibility::Ran, |user, mark| user.account(user.servers(mark))),
    place(ContentOwner::Local, ".claude.json: mcpServers of the project", Visibility::Ran, |user, mark| {
        user.account(json!({ "projects": { user.cwd.to_str().unwrap(): user.servers(mark) } }));
    }),
    place(ContentOwner::User, ".claude.json: env", Visibility::Sent("TRACE_ACCOUNT={}"), |user, mark| {
        user.account(json!({ "env": { "TRACE_ACCOUNT": mark } }));
    }),
    place(ContentOwner::User, ".claude.json: userID", Visibility::Sent(r#"device_id\":\"{}"#), |user, mark| {
        user.account(json!({ "userID": format!("{mark:0<64}") }));
    }),
    place(ContentOwner::User, "~/.bashrc", Visibility::Sent("TRACE_BASHRC={}"), |user, mark| {
        write(user.home.join(".bashrc"), format!("export TRACE_BASHRC={mark}\n"));
    }),
    place(ContentOwner::User, "~/.gitconfig", Visibility::Sent("user.name={}"), |user, mark| {
        write(user.home.join(".gitconfig"), format!("[user]\nname = {mark}\n"));
    }),
    place(ContentOwner::User, "~/.config", Visibility::Sent("trace.config={}"), |user, mark| {
        write(user.home.join(".config/git/config"), format!("[trace]\nconfig = {mark}\n"));
    }),
    place(ContentOwner::User, "$TMPDIR", TEXT, |user, mark| write(user.tmp.join(mark), "")),
    place(ContentOwner::Parents, "~/CLAUDE.md", TEXT, |user, mark| write(user.home.join("CLAUDE.md"), mark)),
    place(ContentOwner::Parents, "~/CLAUDE.local.md", TEXT, |user, mark| write(user.home.join("CLAUDE.local.md"), mark)),
    place(ContentOwner::Parents, "~/.mcp.json", Visibility::Ran, |user, mark| {
        write(user.home.join(".mcp.json"), user.servers(mark).to_string());
    }),
    place(ContentOwner::Parents, "~/code/.claude/skills", Visibility::Reported(r#""{}""#), |user, mark| {
        write(user.home.join(format!("code/.claude/skills/{mark}/SKILL.md")), named(mark));
    }),
    place(ContentOwner::Variable("{}"), "HOST_SECRET", Visibility::Sent("HOST_SECRET={}"), |_, _| {}),
    place(ContentOwner::Variable("X-Trace: {}"), "ANTHROPIC_CUSTOM_HEADERS", Visibility::Sent("X-Trace: {}\r\n"), |_, _| {}),
    place(ContentOwner::Variable(r#"{"trace":"{}"}"#), "CLAUDE_CODE_EXTRA_BODY", Visibility::Sent(r#""trace":"{}""#), |_, _| {}),
    place(ContentOwner::Variable("trace={}"), "OTEL_RESOURCE_ATTRIBUTES", Visibility::Sent(r#""stringValue":"{}""#), |_, _| {}),
    place(ContentOwner::Login, KEY, Visibility::Sent("x-api-key: {}\r\n"), |_, _| {}),
    place(ContentOwner::Login, "settings.json: apiKeyHelper", Visibility::Ran, |user, mark| {
        user.settings(json!({ "apiKeyHelper": format!("{}; echo key", user.command(mark)) }));
    }),
    place(ContentOwner::Login, STORED, Visibility::Sent("uthorization: Bearer {}\r\n"), |user, mark| {
        let login = json!({ "accessToken": mark, "refreshToken": "r", "expiresAt": 4_102_444_800_000_u64,
            "scopes": ["user:inference", "user:profile"], "subscriptionType": "max" });
        write(user.config.join(STORED), json!({ "claudeAiOauth": login }).to_string());
        let account = json!({ "accountUuid": "u", "organizationUuid": "o", "emailAddress": format!("{mark}@x.org") });
        user.account(json!({ "oauthAccount": account }));
    }),
    place(ContentOwner::Login, "~/.config/anthropic", Visibility::Sent("uthorization: Bearer {}\r\n"), |user, mark| {
        let folder = user.home.join(".config/anthropic");
        let config = json!({ "version": "1.0", "organization_id": "o", "authentication": { "type": "user_oauth" } });
        write(folder.join("configs/default.json"), config.to_string());
        let token = json!({ "version": "1.0", "type": "oauth_token", "access_token": mark,
            "refresh_token": "r", "expires_at": 4_102_444_800_u64 });
        write(folder.join("credentials/default.json"), token.to_string());
        write(folder.join("active_config"), "default");
        // The CLI ignores credentials that others can read.
        let private = fs::Permissions::from_mode(0o600);
        fs::set_permissions(folder.join("credentials/default.json"), private).unwrap();
    }),
];

fn named(name: &str) -> String {
    format!("---\nname: {name}\ndescription: d\n---\nHello.\n")
}

fn plugin(user: &User) -> PathBuf {
    user.config.join("plugins/market/crabs")
}

/// Writes what `claude plugin install` writes for a marketplace in a folder.
fn install_plugin(user: &User) {
    let market = user.config.join("plugins/market");
    let time = "2026-01-01T00:00:00.000Z";
    let about = json!({ "name": "crabs", "description": "d", "version": "1.0.0" });
    let mut listed = about.clone();
    listed["source"] = json!("./crabs");
    let listed = json!({ "name": "market", "owner": { "name": "x" }, "plugins": [listed] });
    let source = json!({ "source": "directory", "path": market });
    let known =
        json!({ "market": { "source": source, "installLocation": market, "lastUpdated": time } });
    let installed = json!({ "scope": "user", "installPath": plugin(user), "version": "1.0.0",
        "installedAt": time, "lastUpdated": time });
    let installed = json!({ "version": 2, "plugins": { "crabs@market": [installed] } });
    for (file, content) in [
        ("market/.claude-plugin/marketplace.json", listed),
        ("market/crabs/.claude-plugin/plugin.json", about),
        ("known_marketplaces.json", known),
        ("installed_plugins.json", installed),
    ] {
        write(user.config.join("plugins").join(file), content.to_string());
    }
    user.settings(json!({ "enabledPlugins": { "crabs@market": true } }));
}

pub(crate) fn write(path: impl AsRef<Path>, text: impl AsRef<str>) {
    fs::create_dir_all(path.as_ref().parent().unwrap()).unwrap();
    fs::write(path, text.as_ref()).unwrap();
}

/// Adds members to a JSON file.
fn merge(path: PathBuf, added: Value) {
    fn join(into: &mut Value, added: Value) {
        match (into, added) {
            (Value::Object(into), Value::Object(added)) => {
                for (key, value) in added {
                    join(into.entry(key).or_insert(Value::Null), value);
                }
            }
            (into, added) => *into = added,
        }
    }
    let old = fs::read_to_string(&path).unwrap_or_else(|_| "{}".to_owned());
    let mut value = serde_json::from_str(&old).unwrap();
    join(&mut value, added);
    write(path, value.to_string());
}
