//! The CLI's permission rules, evaluated by the host.

mod command;
mod domain;
mod path;
mod rule;
mod shell;
#[cfg(test)]
mod tests;
mod verdict;

use super::policy::{Decision, Policy};
use agentwire_protocol::Json;
use agentwire_protocol::permission::{CanUseTool, PermissionRule, RuleError};
pub(super) use path::{Disk, Places};
use rule::{Access, Call, CallMatcher, Rule, Side};
pub(super) use rule::{EDITS, READS};
use std::path::{Path, PathBuf};
pub use verdict::{RulesVerdict, Undecided};

/// Permission rules in the syntax of the agent's settings, evaluated by the
/// host:
///
/// ```
/// use agentwire::{Options, Rules};
///
/// let rules = Rules::builder()
///     .allow(["Read", "Bash(git *)", "Edit(src/**)"])
///     .deny(["Bash(git push *)", "Read(.env)"])
///     .ask(["WebFetch"])
///     .build()?;
/// let options = Options::new().rules(rules);
/// # drop(options);
/// # Ok::<(), agentwire::permission::RulesError>(())
/// ```
///
/// Set them with [`Options::rules`](crate::Options::rules): then deny rules apply to every
/// call, whether or not the agent requests a permission for it. As a [`Policy`], they only
/// apply to permission requests.
///
/// A call that matches a deny rule is denied. A call that matches an ask rule gets
/// [`Decision::MustAsk`]. A call that matches an allow rule is allowed, unless it requires a
/// human ([`CanUseTool::requires_human`]). There is no decision about other calls. The agent
/// sends requests only for calls that its own rules and permission mode do not decide, so its
/// own rules take precedence.
///
/// | rule | matches |
/// |---|---|
/// | `Bash` | every call of this tool, and of no other: `Edit` is not `Write`, `Read` is not `Grep` |
/// | `Bash(git status)` | this command |
/// | `Bash(git:*)`, `Bash(git *)` | `git`, alone or with arguments; not `gitk` |
/// | `Bash(git * main)` | commands of this form; each `*` matches anything |
/// | `Edit(src/**)` | files, as in a `.gitignore`, for every tool that writes; `Read(…)` for every tool that reads, including `Grep` and `Glob` |
/// | `WebFetch(domain:example.com)` | requests to this host; `domain:*.example.com` those to its subdomains |
/// | `mcp__server`, `mcp__server__*`, `mcp__server__get_*` | tools of an MCP server |
/// | `Agent(name)`, `Skill(name)` | a kind of sub-agent, a skill |
///
/// Paths are relative to the [working
/// directory](RulesBuilder::working_directory), with or without a leading `/`.
/// `//` starts an absolute path, `~/` a path in the home directory. A pattern
/// without an inner `/` matches names in every directory.
///
/// # Safety
///
/// The rules were compared with the real CLI on a table of rules and calls (`tests/live/rules.rs`)
/// and on thousands of shell commands (`scripts/real commands`). They allow nothing that the CLI
/// would ask about, and deny everything that it would deny. If a match is uncertain, they allow
/// less and deny more:
///
/// - A shell command is allowed if it consists of simple commands in which each
///   word is literal, in bash and in zsh, and if a rule allows each of them.
///   They may be separated by `&&`, `||`, `;`, `|` and line ends, and followed
///   by `2>&1` and `>/dev/null`. There is no decision about commands with a
///   variable, `$(…)`, a glob, `~`, braces or any other expansion.
/// - Of the shell's builtins, a rule can allow `echo`, `printf`, `cd`, `test
///   -f` and some more, without the options that evaluate or set something. A
///   command that runs another program (`timeout`, `env`, `xargs`, `bash`)
///   requires a rule that names that program, such as `Bash(timeout 60
///   make:*)`. So do options with which `find`, `git`, `sed` and others run,
///   read or write something that no word names, such as `Bash(find .
///   -delete)`.
/// - A command rule does not allow access outside the working directory, to
///   files with a leading dot (except to read them), or commands after `cd`
///   that depend on the directory. The CLI permits `ls`, `cd` and others
///   without a rule, and evaluates the command inside `timeout 5 …`; here these
///   need a rule.
/// - A command that the agent could not analyse requires a human
///   ([`CanUseTool::requires_human`]), even with a rule `Bash`.
/// - A command is denied if any part of it may be a denied command: inside
///   `$(…)` or quotes of a shell, as an argument of a program that runs others
///   (`sudo`, `ssh`, `find`, `python3 -c`), with a path or `.exe`, in a variable
///   that the line sets. A command whose name comes from the
///   environment or a script is not detected, nor is it by the CLI. A rule that
///   denies files also denies shell commands that contain their names as words.
///   Every rule that denies commands or files denies a line of more than 128
///   KiB or with too many parts to analyse.
/// - A file is allowed if both its path and the target of that path, with
///   symbolic links resolved, match with the same case. It is denied if either
///   matches, in any case. Paths are resolved on this machine.
/// - A path in or through `/proc`, and `/dev/fd`, `/dev/stdin`, `/dev/stdout`
///   or `/dev/stderr`, depends on the process that opens it. Every rule that
///   denies files denies it. Only a rule with an absolute path (`//proc/**`)
///   allows it, and only a file in `/proc` that no link leads to.
/// - A path of more than 4096 names, in directories more than 256 deep, or with
///   too many others in one command, is denied by every rule that denies files,
///   and not allowed.
/// - Addresses with a user name or an unusual host are not allowed.
///
/// Ask rules match as deny rules do, and those for files to read also match every `Grep` and
/// `Glob`.
#[derive(Debug, Clone)]
pub struct Rules {
    allow: Vec<Rule>,
    ask: Vec<Rule>,
    deny: Vec<Rule>,
    places: Places,
    has_own_places: bool,
}

/// A builder for [`Rules`].
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct RulesBuilder {
    allow: Vec<String>,
    ask: Vec<String>,
    deny: Vec<String>,
    work: Option<PathBuf>,
    home: Option<PathBuf>,
}

/// An invalid rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// The rule cannot be parsed.
    #[error("cannot parse the rule `{rule}`: {error}")]
    Unreadable {
        /// The rule.
        rule: String,
        /// The problem, and its position.
        error: RuleError,
    },
    /// The rule can be parsed, but can never match. The agent ignores such a
    /// rule silently.
    #[error("the rule `{rule}` can never match: {why}")]
    NeverMatches {
        /// The rule.
        rule: String,
        /// The reason.
        why: String,
    },
    /// The current directory of this process is unknown, and no absolute
    /// working directory was set.
    #[error("cannot resolve relative paths without a current directory: {0}")]
    NoWorkingDirectory(String),
}

impl Rules {
    /// Returns a builder without rules.
    pub fn builder() -> RulesBuilder {
        RulesBuilder::default()
    }

    /// Evaluates the rules for a call, and returns the reason.
    #[must_use]
    pub fn verdict(&self, request: &CanUseTool) -> RulesVerdict {
        let call = Call::new(request);
        let stops = |rules: &'_ [Rule]| {
            let mut rules = rules.iter();
            rules
                .find(|rule| rule.matches_path(&call, &self.places))
                .map(|rule| rule.text.clone())
        };
        if let Some(rule) = stops(&self.deny) {
            return RulesVerdict::Deny { rule };
        }
        if let Some(rule) = stops(&self.ask).or_else(|| self.search_ask_rule(&call)) {
            return RulesVerdict::Ask { rule };
        }
        if request.requires_human() {
            return RulesVerdict::None(Undecided::RequiresHuman);
        }
        match self.allowing(&call, request) {
            Ok(rules) => RulesVerdict::Allow {
                rules: rules.into_iter().map(str::to_owned).collect(),
            },
            Err(why) => RulesVerdict::None(why),
        }
    }

    /// Returns an ask rule about files that a search may read. The agent only omits files that its
    /// own deny rules match.
    fn search_ask_rule(&self, call: &Call<'_>) -> Option<String> {
        let is_of_files = |rule: &&Rule| matches!(rule.about, CallMatcher::Files(Access::Read, _));
        let rule = self.ask.iter().find(is_of_files)?;
        call.searches().then(|| rule.text.clone())
    }

    /// Returns the verdict about a call that a deny or ask rule matches.
    pub(crate) fn stop(&self, tool_name: &str, input: Json) -> Option<RulesVerdict> {
        let verdict = self.verdict(&CanUseTool::new(tool_name, input));
        match verdict {
            RulesVerdict::Deny { .. } | RulesVerdict::Ask { .. } => Some(verdict),
            _ => None,
        }
    }

    /// Returns the names of the tools that the rules are about, or patterns of them.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &str> {
        let rules = self.allow.iter().chain(&self.ask).chain(&self.deny);
        rules.map(|rule| &*rule.tool)
    }

    /// Returns the deny and the ask rules.
    pub(crate) fn stopping(&self) -> (Vec<String>, Vec<String>) {
        let texts = |rules: &[Rule]| {
            let mut texts: Vec<String> = rules.iter().map(|rule| rule.text.clone()).collect();
            // When a prompt mentions a file, the agent reads it without a tool.
            if rules.iter().any(Rule::is_about_every_tool) {
                texts.push("Read(//**)".to_owned());
            }
            texts
        };
        (texts(&self.deny), texts(&self.ask))
    }

    /// Sets the working directory of a session for relative paths. Fails if the rules were built
    /// for another one.
    pub(crate) fn of_session(mut self, cwd: Option<&Path>) -> Result<Self, String> {
        let work = match cwd {
            Some(cwd) => std::path::absolute(cwd),
            None => std::env::current_dir(),
        };
        let work = work.map_err(|error| format!("have no working directory: {error}"))?;
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if self.has_own_places && real(&self.places.work) != real(&work) {
            return Err(format!(
                "are for the working directory {}, and the session has {}",
                self.places.work.display(),
                work.display()
            ));
        }
        self.places.work = work;
        Ok(self)
    }

    /// Returns the rules that allow the call.
    fn allowing(&self, call: &Call<'_>, request: &CanUseTool) -> Result<Vec<&str>, Undecided> {
        let mut rules = self.allow.iter();
        if let Some(rule) = rules.find(|rule| rule.covers(call, &self.places)) {
            return Ok(vec![&rule.text]);
        }
        match call.tool {
            "Bash" => self.allowing_command(call, request),
            _ => Err(Undecided::NoRule(None)),
        }
    }

    fn allowing_command<'a>(
        &'a self,
        call: &Call<'_>,
        request: &CanUseTool,
    ) -> Result<Vec<&'a str>, Undecided> {
        // Command rules do not allow a call to leave the sandbox.
        let leaves_sandbox = request.input.member("dangerouslyDisableSandbox");
        if leaves_sandbox.is_some_and(|wants| wants.get() != "false") {
            return Err(Undecided::Sandbox);
        }
        let Some(line) = call.member("command") else {
            return Err(Undecided::NoRule(None));
        };
        let mut rules = vec![];
        for rule in &self.allow {
            if let CallMatcher::Command(pattern) = &rule.about {
                rules.push((&*rule.text, pattern));
            }
        }
        let (rules, parts) = command::allowed(&rules, &line)?;
        // Nor the working directory. The agent reports a path outside it; for several commands,
        // only for the first one that it does not know.
        let blocked = request.blocked_path.as_deref();
        if blocked.is_some_and(|path| !self.places.is_at_work(path, &call.disk)) {
            return Err(Undecided::Place(line));
        }
        match parts
            .iter()
            .find(|part| !part.stays(&self.places, &call.disk))
        {
            Some(part) => Err(Undecided::Place(part.text.clone())),
            None => Ok(rules),
        }
    }
}

impl Policy for Rules {
    fn decide(&self, request: &CanUseTool) -> Decision {
        self.verdict(request).into()
    }
}

impl RulesBuilder {
    /// Adds rules for calls to allow.
    pub fn allow<S: Into<String>>(mut self, rules: impl IntoIterator<Item = S>) -> Self {
        self.allow.extend(rules.into_iter().map(Into::into));
        self
    }

    /// Adds rules for calls that the handler must decide about, even if another rule allows them.
    pub fn ask<S: Into<String>>(mut self, rules: impl IntoIterator<Item = S>) -> Self {
        self.ask.extend(rules.into_iter().map(Into::into));
        self
    }

    /// Adds rules for calls to deny, even if another rule allows them.
    pub fn deny<S: Into<String>>(mut self, rules: impl IntoIterator<Item = S>) -> Self {
        self.deny.extend(rules.into_iter().map(Into::into));
        self
    }

    /// Sets the agent's working directory ([`Options::cwd`](crate::Options::cwd)) for relative
    /// paths. Default: the current directory of this process.
    pub fn working_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.work = Some(directory.into());
        self
    }

    /// Sets the agent's home directory, for `~`. Default: the variable `HOME`.
    pub fn home(mut self, directory: impl Into<PathBuf>) -> Self {
        self.home = Some(directory.into());
        self
    }

    /// Parses the rules.
    ///
    /// # Errors
    ///
    /// Returns the error of the first rule that cannot be parsed or can never
    /// match, or [`RulesError::NoWorkingDirectory`] if this process has no
    /// current directory.
    pub fn build(self) -> Result<Rules, RulesError> {
        let work = match &self.work {
            Some(work) => std::path::absolute(work),
            None => std::env::current_dir(),
        };
        let work = work.map_err(|error| RulesError::NoWorkingDirectory(error.to_string()))?;
        let has_own_places = self.work.is_some();
        let home = self.home.or_else(std::env::home_dir);
        Ok(Rules {
            allow: read_all(self.allow, Side::Allow)?,
            ask: read_all(self.ask, Side::Stop)?,
            deny: read_all(self.deny, Side::Stop)?,
            places: Places { work, home },
            has_own_places,
        })
    }
}

fn read_all(rules: Vec<String>, side: Side) -> Result<Vec<Rule>, RulesError> {
    let read = |rule: String| {
        let parsed: PermissionRule = match rule.parse() {
            Ok(parsed) => parsed,
            Err(error) => return Err(RulesError::Unreadable { rule, error }),
        };
        Rule::new(parsed, side).map_err(|why| {
            let why = why.into_owned();
            RulesError::NeverMatches { rule, why }
        })
    };
    rules.into_iter().map(read).collect()
}
