//! Skills that the model proposes, for the user to keep or not.

use crate::open::{object, open_enum};

object! {
    /// Skills that the model proposes.
    pub struct ProposeSkillsInput {
        /// The skills.
        pub proposals: Vec<SkillProposal>,
    }
}

object! {
    /// A skill that the model proposes.
    pub struct SkillProposal {
        /// Its name.
        pub name: String,
        /// Whether it is new.
        pub kind: SkillProposalKind,
        /// The skill that it makes better.
        pub target: Option<String>,
        /// When it is to be used.
        pub description: String,
        /// The files of memory that it comes from.
        pub evidence: Option<Vec<String>>,
        /// What to replace in the skill's text, in order.
        pub edits: Option<Vec<SkillEdit>>,
        /// The skill's whole text, when it is not told by what to replace.
        pub skill_md: Option<String> = "skillMd",
    }
}

open_enum! {
    /// Whether a proposed skill is new.
    pub enum SkillProposalKind {
        /// It is.
        New = "new",
        /// It makes one better.
        Improvement = "improvement",
    }
}

object! {
    /// A text to replace in a skill.
    pub struct SkillEdit {
        /// The text that is there, once.
        pub old_string: String,
        /// The text that is to be there.
        pub new_string: String,
    }
}

object! {
    /// The user was shown them.
    #[derive(Default)]
    pub struct ProposeSkillsOutput {
        /// The count.
        pub proposal_count: Option<u64> = "proposalCount",
    }
}
