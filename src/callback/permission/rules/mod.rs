//! Rules as the agent has them, held by the host.

mod command;
mod domain;
mod path;
mod rule;
mod shell;
#[cfg(test)]
mod tests;
mod verdict;

use super::policy::{Decision, Policy};
use agentwire_protocol::permission::{CanUseTool, PermissionRule, RuleError};
use command::CommandPattern;
use path::Places;
use rule::{About, Call, Rule, Side};
use std::path::PathBuf;
pub use verdict::{RulesVerdict, Undecided};

/// Rules about tools, as the agent has them in its settings, but decided here:
///
/// ```
/// use agentwire::{Options, Rules};
///
/// let rules = Rules::builder()
///     .allow(["Read", "Bash(git *)", "Edit(src/**)"])
///     .deny(["Bash(git push *)", "Read(.env)"])
///     .ask(["WebFetch"])
///     .build()?;
/// let options = Options::new().permission_handler(rules.or_deny("That is not in the rules."));
/// # use agentwire::Policy;
/// # drop(options);
/// # Ok::<(), agentwire::RulesError>(())
/// ```
///
/// What one denies is denied. What one says is to be asked gets
/// [`Decision::MustAsk`]. What one allows is allowed, unless a person is meant
/// to decide ([`CanUseTool::requires_human`]). About everything else they have no
/// decision. The agent asks only about what its own rules and its mode leave
/// open, so these come behind its own.
///
/// | rule | is about |
/// |---|---|
/// | `Bash` | all of a tool, and no other one: `Edit` is not `Write`, `Read` is not `Grep` |
/// | `Bash(git status)` | this command |
/// | `Bash(git:*)`, `Bash(git *)` | `git`, alone or with arguments; not `gitk` |
/// | `Bash(git * main)` | commands of this form, each `*` being anything |
/// | `Edit(src/**)` | files, as in a `.gitignore`, for every tool that writes; `Read(…)` for every tool that reads, `Grep` and `Glob` among them |
/// | `WebFetch(domain:example.com)` | what is fetched from this host; `domain:*.example.com` from those below it |
/// | `mcp__server`, `mcp__server__*`, `mcp__server__get_*` | tools of an MCP server |
/// | `Agent(name)`, `Skill(name)` | a kind of sub-agent, a skill |
///
/// Paths begin in the [working directory](RulesBuilder::working_directory), with or
/// without a `/` in front; `//` begins an absolute path, `~/` one in the home.
/// Without a `/` inside, a pattern is about names in every folder.
///
/// # To be on the safe side
///
/// The real CLI was asked about a table of rules and calls (`tests/live/rules.rs`)
/// and about thousands of shell commands (`scripts/commands`); these rules allow
/// nothing that it would ask about, and deny everything that it would deny. In
/// doubt they allow less and deny more:
///
/// - A shell command is allowed if it is made of simple commands in which each
///   word is what it looks like, in bash and in zsh, and a rule allows each of
///   them. Between them stand `&&`, `||`, `;`, `|` and line ends; behind them
///   may stand `2>&1` and `>/dev/null`. With a variable, `$(…)`, a pattern of
///   file names, a home, braces or anything else that the shell makes something
///   of, nobody decides here.
/// - Of the shell's own commands a rule can allow `echo`, `printf`, `cd`, `test -f`
///   and some more, without the options that evaluate or set something. What runs
///   another program (`timeout`, `env`, `xargs`, `bash`) is allowed by a rule that
///   says which, as `Bash(timeout 60 make:*)` does; so are options with which
///   `find`, `git`, `sed` and others run, read or write what no word names, as
///   `Bash(find . -delete)` is.
/// - No rule about commands leads out of the working directory, to a file with a
///   dot in front (but to read it), or behind `cd` to commands that depend on
///   where they are. The CLI lets `ls`, `cd` and others pass without a rule, and
///   looks through `timeout 5 …`; here a rule has to say so.
/// - A command that the agent could not look through is a person's to decide
///   ([`CanUseTool::requires_human`]), a rule `Bash` or not.
/// - It is denied if any part of it may be the command that a rule denies:
///   inside `$(…)` or quotes of a shell, behind `sudo` or variables, under a
///   path, in a variable that the line sets. A command whose name comes from
///   the environment or a script is not seen, nor by the CLI. A rule that denies
///   files denies shell commands in which their names are words. A line of more
///   than 128 KiB, or with too many parts to look at, is denied by every rule
///   that denies commands or files.
/// - Files are allowed if the path and what it leads to, links followed, are
///   both matched, in the right case; they are denied if either is, in any
///   case. Files are looked at on this machine.
/// - Addresses with a user in them or with an odd host are not allowed.
///
/// What is to be asked is matched as what is denied.
#[derive(Debug, Clone)]
pub struct Rules {
    allow: Vec<Rule>,
    ask: Vec<Rule>,
    deny: Vec<Rule>,
    places: Places,
}

/// Collects [`Rules`].
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct RulesBuilder {
    allow: Vec<String>,
    ask: Vec<String>,
    deny: Vec<String>,
    work: Option<PathBuf>,
    home: Option<PathBuf>,
}

/// A rule that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// It cannot be read.
    #[error("the rule `{rule}` cannot be read: {error}")]
    Unreadable {
        /// The rule.
        rule: String,
        /// What is wrong with it, and where.
        #[source]
        error: RuleError,
    },
    /// It can be read, and would never say anything. The agent passes over
    /// such a rule in silence.
    #[error("the rule `{rule}` never says anything: {why}")]
    Senseless {
        /// The rule.
        rule: String,
        /// Why.
        why: String,
    },
    /// Nobody said where the agent works, and the directory of this process
    /// cannot be had.
    #[error("relative paths cannot be told: {0}")]
    NoWorkingDirectory(String),
}

impl Rules {
    /// None as yet.
    pub fn builder() -> RulesBuilder {
        RulesBuilder::default()
    }

    /// What they say about a call, and why.
    #[must_use]
    pub fn verdict(&self, request: &CanUseTool) -> RulesVerdict {
        let call = Call::new(request);
        let stops = |rules: &'_ [Rule]| {
            let mut rules = rules.iter();
            rules
                .find(|rule| rule.touches(&call, &self.places))
                .map(|rule| rule.text.clone())
        };
        if let Some(rule) = stops(&self.deny) {
            return RulesVerdict::Deny { rule };
        }
        if let Some(rule) = stops(&self.ask) {
            return RulesVerdict::Ask { rule };
        }
        if request.requires_human() {
            return RulesVerdict::None(Undecided::Person);
        }
        match self.allowing(&call, request) {
            Ok(rules) => RulesVerdict::Allow {
                rules: rules.into_iter().map(str::to_owned).collect(),
            },
            Err(why) => RulesVerdict::None(why),
        }
    }

    /// The rules that allow it.
    fn allowing(&self, call: &Call<'_>, request: &CanUseTool) -> Result<Vec<&str>, Undecided> {
        let mut rules = self.allow.iter();
        if let Some(rule) = rules.find(|rule| rule.covers(call, &self.places)) {
            return Ok(vec![&rule.text]);
        }
        let commands = self.allow.iter().filter_map(|rule| match &rule.about {
            About::Command(pattern) => Some((&*rule.text, pattern)),
            _ => None,
        });
        match call.tool {
            "Bash" => self.allowing_command(commands, call, request),
            _ => Err(Undecided::NoRule(None)),
        }
    }

    fn allowing_command<'a>(
        &self,
        rules: impl Iterator<Item = (&'a str, &'a CommandPattern)> + Clone,
        call: &Call<'_>,
        request: &CanUseTool,
    ) -> Result<Vec<&'a str>, Undecided> {
        // Out of the sandbox leads no rule about a command.
        let leaves_sandbox = request.input.member("dangerouslyDisableSandbox");
        if leaves_sandbox.is_some_and(|wants| wants.get() != "false") {
            return Err(Undecided::Sandbox);
        }
        let Some(line) = call.member("command") else {
            return Err(Undecided::NoRule(None));
        };
        let (rules, parts) = command::allowed(rules, &line)?;
        // Nor does one lead out of the working directory. The agent says so when a
        // command is about a place outside; of several commands it looks at the
        // first that it does not know.
        let blocked = request.blocked_path.as_deref();
        if blocked.is_some_and(|path| !self.places.is_at_work(path)) {
            return Err(Undecided::Place(line));
        }
        match parts.iter().find(|part| !part.stays(&self.places)) {
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
    /// What may run.
    pub fn allow<S: Into<String>>(mut self, rules: impl IntoIterator<Item = S>) -> Self {
        self.allow.extend(rules.into_iter().map(Into::into));
        self
    }

    /// What somebody has to be asked about, whatever allows it.
    pub fn ask<S: Into<String>>(mut self, rules: impl IntoIterator<Item = S>) -> Self {
        self.ask.extend(rules.into_iter().map(Into::into));
        self
    }

    /// What may not run, whatever allows it.
    pub fn deny<S: Into<String>>(mut self, rules: impl IntoIterator<Item = S>) -> Self {
        self.deny.extend(rules.into_iter().map(Into::into));
        self
    }

    /// Where the agent works ([`Options::cwd`](crate::Options::cwd)): where
    /// relative paths begin. This process's directory, if not set.
    pub fn working_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.work = Some(directory.into());
        self
    }

    /// Where `~` is for the agent. The variable `HOME`, if not set.
    pub fn home(mut self, directory: impl Into<PathBuf>) -> Self {
        self.home = Some(directory.into());
        self
    }

    /// Reads all of them.
    ///
    /// # Errors
    ///
    /// With the first rule that cannot be read, or would never say anything;
    /// and when relative paths could not be told, because this process has no
    /// directory.
    pub fn build(self) -> Result<Rules, RulesError> {
        let work = match &self.work {
            Some(work) => std::path::absolute(work),
            None => std::env::current_dir(),
        };
        let work = work.map_err(|error| RulesError::NoWorkingDirectory(error.to_string()))?;
        let home = self.home.or_else(std::env::home_dir);
        Ok(Rules {
            allow: read_all(self.allow, Side::Allow)?,
            ask: read_all(self.ask, Side::Stop)?,
            deny: read_all(self.deny, Side::Stop)?,
            places: Places { work, home },
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
            let why = why.to_owned();
            RulesError::Senseless { rule, why }
        })
    };
    rules.into_iter().map(read).collect()
}
