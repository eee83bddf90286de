//! A command that a prompt can begin with.

use crate::open::object;

object! {
    /// A command that a prompt can begin with.
    pub struct SlashCommand {
        /// The name of the command, without the slash.
        pub name: String,
        /// A description of the command.
        pub description: Option<String>,
        /// A hint about the arguments.
        pub argument_hint: Option<String> = "argumentHint",
        /// The aliases of the command.
        pub aliases: Option<Vec<String>>,
        /// Whether the command is built into the agent. Of several commands
        /// with the same name, the built-in one runs.
        pub builtin: Option<bool>,
    }
}
