//! The types of `agentwire_protocol::conversation`.

use crate::fields::table::{enums, objects, unions};

objects! { conversation:
    Conversation { session_id, entries, subagents, omitted }
    Reply { message, blocks, state }
    ReplyBlock { state, uuid }
    Subagent { agent_id, subagent_type, task_description, entries }
}

unions! { conversation:
    Entry by "type" { User = "user", Reply = "reply", Notice = "system", Result = "result" }
}

enums! { conversation:
    BlockState { Streaming = "streaming", Written = "written", Whole = "whole" }
    ReplyState { Streaming = "streaming", Done = "done", Aborted = "aborted" }
}
