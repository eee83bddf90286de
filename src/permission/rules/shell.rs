//! Analysis of shell commands, in two ways: a strict parser for allow rules,
//! which gives up on anything that it does not understand, and a loose one for
//! deny rules, which finds everything that may be a command.

mod builtins;
mod filters;
mod loose;
mod programs;
mod runners;
mod strict;
mod words;

pub(super) use loose::{Candidate, Commands, words};
pub(super) use strict::{Part, understood};
