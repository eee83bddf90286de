//! A single rule, and the calls that it matches.

use super::command::{self, CommandPattern};
use super::domain::DomainPattern;
use super::path::{Disk, PathPattern, Place, Places};
use super::shell::Commands;
use agentwire_protocol::permission::{CanUseTool, PermissionRule, built_in_tools, closest_tool};
use agentwire_protocol::text::contains;
use std::borrow::Cow;
use std::cell::OnceCell;

/// A parsed and checked rule.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    /// The rule as written.
    pub(super) text: String,
    /// The name of the tool, or a pattern of it.
    pub(super) tool: String,
    pub(super) about: CallMatcher,
}

/// Which calls of its tool a rule matches.
#[derive(Debug, Clone)]
pub(super) enum CallMatcher {
    /// All calls.
    All,
    /// Files in the working directory: `Read(*)`.
    Work,
    Command(CommandPattern),
    /// Files that are read or written, with any tool.
    Files(Access, PathPattern),
    Domain(DomainPattern),
    /// A kind of sub-agent, or a skill.
    Named(String),
    /// Tools of an MCP server that match this pattern.
    Server {
        server: String,
        tool: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Edit,
}

/// The list that a rule belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Allow,
    /// Deny, or ask.
    Stop,
}

/// The most paths that are checked for a shell command.
const MOST_PATHS: usize = 16 * 1024;

/// The largest total length of the paths in the directories that a shell command may change to,
/// in bytes.
const LONGEST_PATHS: usize = 4 * 1024 * 1024;

/// Tools that change a file.
pub(in crate::permission) const EDITS: &[&str] = &["Edit", "MultiEdit", "NotebookEdit", "Write"];
/// Tools that read files.
pub(in crate::permission) const READS: &[&str] = &["Glob", "Grep", "LS", "NotebookRead", "Read"];

impl Rule {
    /// Creates a rule. Fails with the reason if it can never match.
    pub(super) fn new(rule: PermissionRule, side: Side) -> Result<Self, Cow<'static, str>> {
        let text = rule.to_string();
        let tool = new_name(rule.tool_name);
        let content = rule.rule_content.as_deref().map(str::trim);
        let about = match (&*tool, content) {
            (name, content) if name.starts_with("mcp__") => {
                if content.is_some() {
                    return Err("rules about tools of MCP servers take no parentheses".into());
                }
                server(name, side)?
            }
            (name, None) if name.contains('*') && side == Side::Allow => {
                return Err(
                    "an allow rule cannot have a `*` in the name of its tool, except after `mcp__server__`"
                        .into(),
                );
            }
            (name, Some(_)) if name.contains('*') => {
                let why = "a rule with parentheses cannot have a `*` in the name of its tool";
                return Err(why.into());
            }
            (_, None) | ("Bash" | "WebFetch" | "Agent", Some("*")) => CallMatcher::All,
            (name, Some("*")) if EDITS.contains(&name) || READS.contains(&name) => {
                if side == Side::Allow {
                    CallMatcher::Work
                } else {
                    CallMatcher::All
                }
            }
            ("Bash", Some(content)) => CallMatcher::Command(CommandPattern::new(content)?),
            ("Read", Some(content)) => CallMatcher::Files(Access::Read, PathPattern::new(content)?),
            ("Edit", Some(content)) => CallMatcher::Files(Access::Edit, PathPattern::new(content)?),
            ("WebFetch", Some(content)) => CallMatcher::Domain(DomainPattern::new(content)?),
            ("Agent" | "Skill", Some(content)) => CallMatcher::Named(content.to_owned()),
            (name, Some(_)) if EDITS.contains(&name) => {
                return Err("use `Edit(…)`, which matches every tool that writes files".into());
            }
            (name, Some(_)) if READS.contains(&name) => {
                return Err("use `Read(…)`, which matches every tool that reads files".into());
            }
            (name, Some(_)) if built_in_tools().any(|known| known == name) => {
                return Err("rules about this tool take no parentheses".into());
            }
            (name, Some(_)) => {
                let closest = closest_tool(name).map_or_else(String::new, |closest| {
                    format!("; the closest name is `{closest}`")
                });
                return Err(format!("there is no known tool `{name}`{closest}").into());
            }
        };
        Ok(Self { text, tool, about })
    }

    /// Returns whether the rule is about all calls of all tools.
    pub(super) fn is_about_every_tool(&self) -> bool {
        self.tool.bytes().all(|byte| byte == b'*')
    }

    /// Returns whether the rule allows this call. Always false for command
    /// patterns: a shell command is checked against all rules together.
    pub(super) fn covers(&self, call: &Call<'_>, places: &Places) -> bool {
        let is_named = self.tool == call.tool;
        match &self.about {
            CallMatcher::All => is_named,
            CallMatcher::Command(_) => false,
            CallMatcher::Work => {
                is_named && call.is_within(|path| places.is_at_work(path, &call.disk))
            }
            CallMatcher::Files(access, pattern) => {
                let tools = match access {
                    Access::Read => READS,
                    Access::Edit => EDITS,
                };
                let is_folder = call.searches();
                let covers = |path: &str| pattern.covers(path, is_folder, places, &call.disk);
                tools.contains(&call.tool) && call.is_within(covers)
            }
            CallMatcher::Domain(domain) => {
                is_named && call.member("url").is_some_and(|url| domain.covers(&url))
            }
            CallMatcher::Named(name) => is_named && call.name().as_ref() == Some(name),
            CallMatcher::Server { server, tool } => call
                .tool_of(server)
                .is_some_and(|called| command::glob(tool, called)),
        }
    }

    /// Returns whether the rule may match this call.
    pub(super) fn matches_path(&self, call: &Call<'_>, places: &Places) -> bool {
        let is_named = command::glob(&self.tool, call.tool);
        match &self.about {
            // A file that must not be read must not be written either.
            CallMatcher::All if self.tool == "Read" && EDITS.contains(&call.tool) => true,
            CallMatcher::All | CallMatcher::Work => is_named,
            CallMatcher::Command(pattern) => {
                is_named && command::mentioned(pattern, call.commands())
            }
            CallMatcher::Files(access, pattern) => {
                let concerns = EDITS.contains(&call.tool)
                    || (*access == Access::Read && READS.contains(&call.tool));
                let touches = |paths: &[_]| pattern.matches_path(paths, places, &call.disk);
                (concerns && touches(call.places(places))) || call.words(places).is_none_or(touches)
            }
            CallMatcher::Domain(domain) => {
                is_named
                    && call
                        .member("url")
                        .is_none_or(|url| domain.matches_path(&url))
            }
            CallMatcher::Named(name) => {
                is_named
                    && call
                        .name()
                        .is_none_or(|called| called.eq_ignore_ascii_case(name))
            }
            CallMatcher::Server { .. } => {
                is_named || call.tool.starts_with(&format!("{}__", self.tool))
            }
        }
    }
}

/// Returns the current name of a renamed tool.
pub(super) fn new_name(tool: String) -> String {
    if tool == "Task" {
        "Agent".to_owned()
    } else {
        tool
    }
}

/// Parses a rule about an MCP server.
fn server(name: &str, side: Side) -> Result<CallMatcher, &'static str> {
    let rest = name.strip_prefix("mcp__").unwrap_or_default();
    let (server, tool) = match rest.rsplit_once("__") {
        // `mcp__a__b` may be a tool of `a` or all of `a__b`.
        Some((server, tool)) => (server, tool),
        None => (rest, "*"),
    };
    if server.is_empty() || tool.is_empty() {
        return Err("write `mcp__server`, `mcp__server__*` or `mcp__server__tool`");
    }
    if side == Side::Allow && server.contains('*') {
        return Err("an allow rule cannot have a `*` in the name of its MCP server");
    }
    Ok(CallMatcher::Server {
        server: server.to_owned(),
        tool: tool.to_owned(),
    })
}

/// A tool call, prepared for matching.
pub(super) struct Call<'a> {
    pub(super) tool: &'a str,
    request: &'a CanUseTool,
    /// The possible commands in its line, computed once.
    commands: OnceCell<Option<Commands>>,
    /// The files that it accesses, computed once.
    places: OnceCell<Vec<Option<Place>>>,
    /// The files that its words may name, computed once.
    words: OnceCell<Option<Vec<Option<Place>>>>,
    pub(super) disk: Disk,
}

impl<'a> Call<'a> {
    pub(super) fn new(request: &'a CanUseTool) -> Self {
        let tool = match &*request.tool_name {
            "Task" => "Agent",
            tool => tool,
        };
        Self {
            tool,
            request,
            commands: OnceCell::new(),
            places: OnceCell::new(),
            words: OnceCell::new(),
            disk: Disk::default(),
        }
    }

    /// Returns the possible commands in its line; `None` if they cannot be determined.
    fn commands(&self) -> Option<&Commands> {
        let find = || Commands::of(&self.member("command")?);
        self.commands.get_or_init(find).as_ref()
    }

    /// Returns a member of the input if it is a string.
    pub(super) fn member(&self, name: &str) -> Option<String> {
        self.request.input.member(name)?.read().ok()
    }

    /// Returns the kind of the sub-agent, or the name of the skill.
    fn name(&self) -> Option<String> {
        match self.tool {
            "Agent" => self.member("subagent_type"),
            "Skill" => self.member("skill").or_else(|| self.member("command")),
            _ => None,
        }
    }

    /// Returns whether the tool searches a directory.
    pub(super) fn searches(&self) -> bool {
        matches!(self.tool, "Glob" | "Grep" | "LS")
    }

    /// Returns the files that the call accesses, as written.
    fn paths(&self) -> Vec<String> {
        let member = match self.tool {
            "NotebookEdit" | "NotebookRead" => "notebook_path",
            "Glob" | "Grep" | "LS" => "path",
            _ => "file_path",
        };
        let mut paths: Vec<String> = self.member(member).into_iter().collect();
        if paths.is_empty() && self.searches() {
            paths.push(".".to_owned());
        }
        if let Some(pattern) = self.member("pattern").filter(|_| self.tool == "Glob") {
            let is_place = |part: &&str| !part.contains(['*', '?', '[', '{']);
            let place: Vec<&str> = pattern.split('/').take_while(is_place).collect();
            if pattern.starts_with(['/', '~']) || place.contains(&"..") {
                let place = place.join("/");
                paths.push(if place.is_empty() {
                    "/".to_owned()
                } else {
                    place
                });
            }
        }
        paths.extend(self.request.blocked_path.clone());
        paths
    }

    /// Returns whether all files of the call satisfy the condition.
    fn is_within(&self, is_fine: impl Fn(&str) -> bool) -> bool {
        let paths = self.paths();
        // A pattern may leave its directory after its first segments.
        let leaves = self.tool == "Glob"
            && self
                .member("pattern")
                .is_some_and(|pattern| contains(&pattern, ".."));
        let names_one = paths.len() > usize::from(self.request.blocked_path.is_some());
        names_one && !leaves && paths.iter().all(|path| is_fine(path))
    }

    /// Returns the files that the call accesses.
    fn places(&self, places: &Places) -> &[Option<Place>] {
        let locate = |path: &String| places.locate(path, &self.disk);
        self.places
            .get_or_init(|| self.paths().iter().map(locate).collect())
    }

    /// Returns the files that the words of a shell command may name, in any
    /// directory that it may change to. `None` if there are too many to check.
    fn words(&self, places: &Places) -> Option<&[Option<Place>]> {
        let find = || {
            let paths = self.word_paths(places)?;
            let locate = |path: &String| places.locate(path, &self.disk);
            Some(paths.iter().map(locate).collect())
        };
        self.words.get_or_init(find).as_deref()
    }

    /// Returns the words of a shell command, as paths relative to any directory
    /// that it may change to. `None` if there are too many to check.
    fn word_paths(&self, places: &Places) -> Option<Vec<String>> {
        let Some(line) = self.member("command").filter(|_| self.tool == "Bash") else {
            return Some(Vec::new());
        };
        let words = super::shell::words(&line)?;
        let bytes: usize = words.iter().map(String::len).sum();
        if words.len() > MOST_PATHS {
            return None;
        }
        if !contains(&line, "cd") && !contains(&line, "pushd") {
            return Some(words);
        }
        // Any word may be the directory that the command changes to.
        let mut all = words.clone();
        let mut remaining = LONGEST_PATHS;
        for folder in words.iter().filter(|word| !word.starts_with('-')) {
            let Some(folder) = places.resolve(folder).filter(|folder| folder.is_dir()) else {
                continue;
            };
            let longer = words.len() * (folder.as_os_str().len() + 1);
            remaining = remaining.checked_sub(bytes + longer)?;
            if all.len() + words.len() > MOST_PATHS {
                return None;
            }
            let moved = words.iter().map(|word| folder.join(word));
            all.extend(moved.filter_map(|path| path.to_str().map(str::to_owned)));
        }
        Some(all)
    }

    /// Returns the name of the tool, if it certainly belongs to this MCP
    /// server.
    fn tool_of(&self, server: &str) -> Option<&str> {
        let rest = self.tool.strip_prefix("mcp__")?;
        let tool = rest.strip_prefix(server)?.strip_prefix("__")?;
        match &self.request.mcp_server {
            Some(from) => (in_names(&from.name) == server).then_some(tool),
            // Some agents do not report the server: then the tool's name must be unambiguous.
            None => (!contains(tool, "__")).then_some(tool),
        }
    }
}

/// Returns the name of an MCP server as it appears in the names of its tools.
fn in_names(server: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let replaced = |c| if is_plain(c) { c } else { '_' };
    server.chars().map(replaced).collect()
}
