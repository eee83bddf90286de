//! Blocks about the conversation itself: compaction, a fallback to another
//! model, and uploaded files.

use super::{CacheControl, ContentBlock};
use crate::open::{Loose, object, open_enum, union};

object! {
    /// The summary of a compacted conversation.
    pub struct CompactionBlock tags("type" = "compaction") {
        /// The summary; `None` if compaction failed.
        pub content: Option<String>,
        /// The encrypted summary, which only the API can read.
        pub encrypted_content: Option<String>,
        /// The API's signature of the summary.
        pub signature: Option<String>,
        /// The changes of the tools in the compacted part, as
        /// [`ToolAdditionBlock`]s and [`ToolRemovalBlock`]s. `None` if the API
        /// did not determine them.
        ///
        /// [`ToolAdditionBlock`]: super::ToolAdditionBlock
        /// [`ToolRemovalBlock`]: super::ToolRemovalBlock
        pub tool_changes: Option<Vec<ContentBlock>>,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// A switch to another model, which responds from here on.
    pub struct FallbackBlock tags("type" = "fallback") {
        /// The previous model.
        pub from: FallbackModel,
        /// The new model.
        pub to: FallbackModel,
        /// The reason. When the block is sent back, the API accepts any JSON
        /// here.
        pub trigger: Option<Loose<FallbackCause>>,
    }
}

object! {
    /// A model in a fallback.
    pub struct FallbackModel {
        /// The name of the model.
        pub model: String,
    }
}

union! {
    /// The reason for a fallback to another model.
    pub enum FallbackCause by "type" {
        /// The previous model refused.
        "refusal" => Refusal(FallbackRefusal),
    }
}

object! {
    /// The refusal of the previous model.
    #[derive(Default)]
    pub struct FallbackRefusal tags("type" = "refusal") {
        /// The category of the refused content; `None` if it has no category.
        pub category: Option<RefusalCategory>,
    }
}

open_enum! {
    /// A category of refused content.
    pub enum RefusalCategory {
        /// Potential harm to computer systems.
        Cyber = "cyber",
        /// Potential biological harm.
        Bio = "bio",
        /// Work on a competing model.
        FrontierLlm = "frontier_llm",
        /// Extraction of the model's own reasoning.
        ReasoningExtraction = "reasoning_extraction",
        /// Other potential harm.
        GeneralHarms = "general_harms",
    }
}

object! {
    /// A file that was uploaded to the API's container.
    pub struct ContainerUploadBlock tags("type" = "container_upload") {
        /// The file's ID at the API.
        pub file_id: String,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}
