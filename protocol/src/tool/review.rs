//! What the model finds in code, and what it has to say about the agent.

use crate::model::EffortLevel;
use crate::open::{object, open_enum};

object! {
    /// What a review found.
    pub struct ReportFindingsInput {
        /// How hard it looked.
        pub level: Option<EffortLevel>,
        /// What it found, the worst first.
        pub findings: Vec<Finding>,
    }
}

object! {
    /// Something that a review found.
    pub struct Finding {
        /// The file, as the repository names it.
        pub file: String,
        /// The line, counted from 1.
        pub line: Option<u64>,
        /// What is wrong.
        pub summary: String,
        /// The same in a few words.
        pub short_summary: Option<String>,
        /// How it goes wrong.
        pub failure_scenario: Option<String>,
        /// What kind of thing it is, such as `correctness`.
        pub category: Option<String>,
        /// How bad it is.
        pub severity: Option<FindingSeverity>,
        /// Whether a second look agreed.
        pub verdict: Option<FindingVerdict>,
        /// What was done about it.
        pub outcome: Option<FindingOutcome>,
    }
}

open_enum! {
    /// How bad something is that a review found.
    pub enum FindingSeverity {
        /// The change makes it wrong, or worse.
        Important = "important",
        /// It was wrong before.
        PreExisting = "pre_existing",
        /// It is a small thing.
        Nit = "nit",
    }
}

open_enum! {
    /// Whether a second look agreed with what a review found.
    pub enum FindingVerdict {
        /// It did.
        Confirmed = "CONFIRMED",
        /// It may be so.
        Plausible = "PLAUSIBLE",
    }
}

open_enum! {
    /// What was done about something that a review found.
    pub enum FindingOutcome {
        /// It was mended.
        Fixed = "fixed",
        /// It was left.
        Skipped = "skipped",
        /// There was nothing to do.
        NoChangeNeeded = "no_change_needed",
    }
}

object! {
    /// What a review found, again.
    pub struct ReportFindingsOutput {
        /// How much it found.
        pub count: Option<u64>,
        /// How hard it looked.
        pub level: Option<EffortLevel>,
        /// What it found.
        pub findings: Vec<Finding>,
    }
}

object! {
    /// Something to tell the agent's makers, once the user agrees.
    pub struct SendFeedbackInput {
        /// What kind of thing it is.
        pub kind: FeedbackKind = "type",
        /// Its title.
        pub title: String,
        /// All of it.
        pub details: String,
        /// What it is about.
        pub area: Option<String>,
        /// What the model did wrong, when it was the model.
        pub failure_mode: Option<FeedbackFailureMode>,
        /// What the session was doing.
        pub task_category: Option<FeedbackTaskCategory>,
    }
}

open_enum! {
    /// What kind of thing there is to tell.
    pub enum FeedbackKind {
        /// Something is broken.
        Bug = "bug",
        /// Something would be nice.
        Idea = "idea",
        /// Something cannot be done.
        MissingCapability = "missing_capability",
    }
}

open_enum! {
    /// What a model did wrong.
    pub enum FeedbackFailureMode {
        /// It did not do as it was told.
        InstructionFollowing = "instruction_following",
        /// It broke things.
        DestructiveActions = "destructive_actions",
        /// It wrote bad code.
        CodeQuality = "code_quality",
        /// It did the same again and again.
        RepetitionAndLooping = "repetition_and_looping",
        /// It got worse.
        ModelRegression = "model_regression",
        /// It was sure of what is not so.
        OverconfidenceAndHallucination = "overconfidence_and_hallucination",
        /// It forgot.
        ContextAndMemory = "context_and_memory",
        /// It did more than it should.
        Overeager = "overeager",
        /// It gave in too easily.
        OverCorrection = "over_correction",
        /// It did not go on to the end.
        StoppingShort = "stopping_short",
        /// It argued, or refused.
        DisputeOrDecline = "dispute_or_decline",
        /// It started too many sub-agents.
        SubagentOverspawn = "subagent_overspawn",
        /// It preached.
        ToneOrPreachiness = "tone_or_preachiness",
        /// It asked too much.
        ExcessiveQuestions = "excessive_questions",
        /// It did what nobody wanted.
        UnwantedScope = "unwanted_scope",
        /// Another or unknown reason.
        Other = "other",
    }
}

open_enum! {
    /// What a session was doing.
    pub enum FeedbackTaskCategory {
        /// Changing code.
        CodeEdit = "code_edit",
        /// Looking for a mistake.
        Debug = "debug",
        /// Explaining.
        Explain = "explain",
        /// Planning.
        Plan = "plan",
        /// Running commands.
        Shell = "shell",
        /// Looking for something.
        Search = "search",
        /// Reviewing.
        Review = "review",
        /// Another or unknown reason.
        Other = "other",
    }
}

object! {
    /// Whether it waits for the user's consent.
    pub struct SendFeedbackOutput {
        /// Whether it does.
        pub success: bool,
        /// What is to be said about it.
        pub message: Option<String>,
    }
}
