//! Shell commands, taken apart twice: into commands that are understood, for
//! rules that allow, and into everything that may be a command, for rules that
//! deny. The first gives up where the second goes on.

mod builtins;
mod filters;
mod loose;
mod programs;
mod strict;
mod words;

pub(super) use loose::{Candidate, Commands, words};
pub(super) use strict::{Part, understood};
