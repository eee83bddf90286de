//! Blocks that say what became of the conversation itself: compacted, handed
//! to another model, given a file.

use super::{CacheControl, ContentBlock};
use crate::open::{Loose, object, open_enum, union};

object! {
    /// The summary of a compacted conversation.
    pub struct CompactionBlock tags("type" = "compaction") {
        /// The summary; `None` when compacting failed.
        pub content: Option<String>,
        /// The summary as only the API can read it.
        pub encrypted_content: Option<String>,
        /// The API's signature of the summary.
        pub signature: Option<String>,
        /// How the tools changed in what was compacted: [`ToolAdditionBlock`]s
        /// and [`ToolRemovalBlock`]s. `None` when the API did not work it out.
        ///
        /// [`ToolAdditionBlock`]: super::ToolAdditionBlock
        /// [`ToolRemovalBlock`]: super::ToolRemovalBlock
        pub tool_changes: Option<Vec<ContentBlock>>,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// From here on another model responds.
    pub struct FallbackBlock tags("type" = "fallback") {
        /// The model before.
        pub from: FallbackModel,
        /// The model from here on.
        pub to: FallbackModel,
        /// Why. The API takes it back in any shape.
        pub trigger: Option<Loose<FallbackCause>>,
    }
}

object! {
    /// A model that hands over, or takes over.
    pub struct FallbackModel {
        /// The name of the model.
        pub model: String,
    }
}

union! {
    /// Why another model responds.
    pub enum FallbackCause by "type" {
        /// The previous model refused.
        "refusal" => Refusal(FallbackRefusal),
    }
}

object! {
    /// The previous model refused.
    #[derive(Default)]
    pub struct FallbackRefusal tags("type" = "refusal") {
        /// What it refused; `None` when it is in no category.
        pub category: Option<RefusalCategory>,
    }
}

open_enum! {
    /// A category of refusals.
    pub enum RefusalCategory {
        /// What could harm computers.
        Cyber = "cyber",
        /// What could harm living things.
        Bio = "bio",
        /// Work on a model that competes with it.
        FrontierLlm = "frontier_llm",
        /// To spell out its own reasoning.
        ReasoningExtraction = "reasoning_extraction",
        /// What could do other harm.
        GeneralHarms = "general_harms",
    }
}

object! {
    /// A file that was put into the API's container.
    pub struct ContainerUploadBlock tags("type" = "container_upload") {
        /// The file's id at the API.
        pub file_id: String,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}
