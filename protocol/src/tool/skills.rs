//! Skills that the model proposes to the user.

use crate::open::{object, open_enum};

object! {
    /// The input of `ProposeSkills`.
    pub struct ProposeSkillsInput {
        /// The proposals.
        pub proposals: Vec<SkillProposal>,
    }
}

object! {
    /// A skill proposed by the model.
    pub struct SkillProposal {
        /// The name.
        pub name: String,
        /// Whether the skill is new or improved.
        pub kind: SkillProposalKind,
        /// The name of the existing skill to improve.
        pub target: Option<String>,
        /// When to use the skill.
        pub description: String,
        /// The memory files that the proposal is based on.
        pub evidence: Option<Vec<String>>,
        /// The replacements to make in the existing skill, in order.
        pub edits: Option<Vec<SkillEdit>>,
        /// The full text of the skill, if `edits` is not used.
        pub skill_md: Option<String> = "skillMd",
    }
}

open_enum! {
    /// Whether a proposed skill is new or an improvement.
    pub enum SkillProposalKind {
        /// A new skill.
        New = "new",
        /// An improvement of an existing skill.
        Improvement = "improvement",
    }
}

object! {
    /// A text replacement in a skill.
    pub struct SkillEdit {
        /// The text to replace, which occurs once.
        pub old_string: String,
        /// The replacement.
        pub new_string: String,
    }
}

object! {
    /// The output of `ProposeSkills`. The user was shown the proposals.
    #[derive(Default)]
    pub struct ProposeSkillsOutput {
        /// The number of proposals.
        pub proposal_count: Option<u64> = "proposalCount",
    }
}
