//! A command that a prompt can begin with.

use crate::open::object;

object! {
    /// A command that a prompt can begin with.
    pub struct SlashCommand {
        /// The command, without the slash.
        pub name: String,
        /// What it does.
        pub description: Option<String>,
        /// The arguments.
        pub argument_hint: Option<String> = "argumentHint",
        /// Its other names.
        pub aliases: Option<Vec<String>>,
        /// Whether it is the agent's own. Of several with one name such a
        /// one runs.
        pub builtin: Option<bool>,
    }
}
