//! Code review findings, and feedback about the agent.

use crate::model::EffortLevel;
use crate::open::{object, open_enum};

object! {
    /// The input of `ReportFindings`.
    pub struct ReportFindingsInput {
        /// The effort level of the review.
        pub level: Option<EffortLevel>,
        /// The findings, most severe first.
        pub findings: Vec<Finding>,
    }
}

object! {
    /// A finding of a review.
    pub struct Finding {
        /// The path of the file in the repository.
        pub file: String,
        /// The line number, starting at 1.
        pub line: Option<u64>,
        /// A description of the problem.
        pub summary: String,
        /// A shorter summary.
        pub short_summary: Option<String>,
        /// A scenario in which it fails.
        pub failure_scenario: Option<String>,
        /// The category, such as `correctness`.
        pub category: Option<String>,
        /// The severity.
        pub severity: Option<FindingSeverity>,
        /// The verdict of a second check.
        pub verdict: Option<FindingVerdict>,
        /// The outcome.
        pub outcome: Option<FindingOutcome>,
    }
}

open_enum! {
    /// The severity of a finding.
    pub enum FindingSeverity {
        /// The change introduces the problem or makes it worse.
        Important = "important",
        /// The problem existed before the change.
        PreExisting = "pre_existing",
        /// A minor issue.
        Nit = "nit",
    }
}

open_enum! {
    /// The verdict of a second check on a finding.
    pub enum FindingVerdict {
        /// Confirmed.
        Confirmed = "CONFIRMED",
        /// Plausible.
        Plausible = "PLAUSIBLE",
    }
}

open_enum! {
    /// The outcome of a finding.
    pub enum FindingOutcome {
        /// Fixed.
        Fixed = "fixed",
        /// Skipped.
        Skipped = "skipped",
        /// No change was needed.
        NoChangeNeeded = "no_change_needed",
    }
}

object! {
    /// The output of `ReportFindings`.
    pub struct ReportFindingsOutput {
        /// The number of findings.
        pub count: Option<u64>,
        /// The effort level of the review.
        pub level: Option<EffortLevel>,
        /// The findings.
        pub findings: Vec<Finding>,
    }
}

object! {
    /// The input of `SendFeedback`: a report to the agent's vendor, sent only
    /// with the user's consent.
    pub struct SendFeedbackInput {
        /// The kind of feedback.
        pub kind: FeedbackKind = "type",
        /// The title.
        pub title: String,
        /// The details.
        pub details: String,
        /// The area that it is about.
        pub area: Option<String>,
        /// The model's mistake, if the report is about the model.
        pub failure_mode: Option<FeedbackFailureMode>,
        /// The activity of the session.
        pub task_category: Option<FeedbackTaskCategory>,
    }
}

open_enum! {
    /// A kind of feedback.
    pub enum FeedbackKind {
        /// A bug.
        Bug = "bug",
        /// A suggestion.
        Idea = "idea",
        /// A missing capability.
        MissingCapability = "missing_capability",
    }
}

open_enum! {
    /// A mistake of a model.
    pub enum FeedbackFailureMode {
        /// It did not follow instructions.
        InstructionFollowing = "instruction_following",
        /// It took destructive actions.
        DestructiveActions = "destructive_actions",
        /// It wrote poor code.
        CodeQuality = "code_quality",
        /// It repeated itself.
        RepetitionAndLooping = "repetition_and_looping",
        /// It performs worse than before.
        ModelRegression = "model_regression",
        /// It was overconfident, or made things up.
        OverconfidenceAndHallucination = "overconfidence_and_hallucination",
        /// It lost context or forgot.
        ContextAndMemory = "context_and_memory",
        /// It did more than it should have.
        Overeager = "overeager",
        /// It yielded too easily.
        OverCorrection = "over_correction",
        /// It stopped before the work was done.
        StoppingShort = "stopping_short",
        /// It argued or refused.
        DisputeOrDecline = "dispute_or_decline",
        /// It started too many sub-agents.
        SubagentOverspawn = "subagent_overspawn",
        /// It was preachy.
        ToneOrPreachiness = "tone_or_preachiness",
        /// It asked too many questions.
        ExcessiveQuestions = "excessive_questions",
        /// It did things that were not requested.
        UnwantedScope = "unwanted_scope",
        /// Another or unknown reason.
        Other = "other",
    }
}

open_enum! {
    /// The activity of a session.
    pub enum FeedbackTaskCategory {
        /// Editing code.
        CodeEdit = "code_edit",
        /// Debugging.
        Debug = "debug",
        /// Explaining.
        Explain = "explain",
        /// Planning.
        Plan = "plan",
        /// Running commands.
        Shell = "shell",
        /// Searching.
        Search = "search",
        /// Reviewing.
        Review = "review",
        /// Another or unknown reason.
        Other = "other",
    }
}

object! {
    /// The output of `SendFeedback`.
    pub struct SendFeedbackOutput {
        /// Whether the feedback awaits the user's consent.
        pub success: bool,
        /// A message about the result.
        pub message: Option<String>,
    }
}
