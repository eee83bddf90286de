//! Analysis of shell commands by two parsers: a strict one for allow rules, which rejects
//! everything that it does not understand, and a loose one for deny rules, which finds
//! everything that may be a command.

mod builtins;
mod filters;
mod loose;
mod programs;
mod runners;
mod strict;
mod words;

pub(super) use loose::{Candidate, Commands, words};
pub(super) use strict::{Part, parse_commands};
