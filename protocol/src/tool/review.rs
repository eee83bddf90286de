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
        /// A scenario in which the code fails.
        pub failure_scenario: Option<String>,
        /// The category, such as `correctness`.
        pub category: Option<String>,
        /// The severity.
        pub severity: Option<FindingSeverity>,
        /// The verdict of a second check.
        pub verdict: Option<FindingVerdict>,
        /// The outcome of the finding.
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
        /// The problem is confirmed.
        Confirmed = "CONFIRMED",
        /// The problem is plausible.
        Plausible = "PLAUSIBLE",
    }
}

open_enum! {
    /// The outcome of a finding.
    pub enum FindingOutcome {
        /// The problem was fixed.
        Fixed = "fixed",
        /// The problem was skipped.
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
    /// The input of `SendFeedback`, a report to the agent's vendor that is sent
    /// only with the user's consent.
    pub struct SendFeedbackInput {
        /// The kind of feedback.
        pub kind: FeedbackKind = "type",
        /// The title.
        pub title: String,
        /// The details.
        pub details: String,
        /// The area that the feedback is about.
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
        /// The model did not follow instructions.
        InstructionFollowing = "instruction_following",
        /// The model took destructive actions.
        DestructiveActions = "destructive_actions",
        /// The model wrote poor code.
        CodeQuality = "code_quality",
        /// The model repeated itself.
        RepetitionAndLooping = "repetition_and_looping",
        /// The model performs worse than before.
        ModelRegression = "model_regression",
        /// The model was overconfident, or made things up.
        OverconfidenceAndHallucination = "overconfidence_and_hallucination",
        /// The model lost context or forgot something.
        ContextAndMemory = "context_and_memory",
        /// The model did more than it should have.
        Overeager = "overeager",
        /// The model yielded too easily.
        OverCorrection = "over_correction",
        /// The model stopped before the work was done.
        StoppingShort = "stopping_short",
        /// The model argued or refused.
        DisputeOrDecline = "dispute_or_decline",
        /// The model started too many sub-agents.
        SubagentOverspawn = "subagent_overspawn",
        /// The model was preachy.
        ToneOrPreachiness = "tone_or_preachiness",
        /// The model asked too many questions.
        ExcessiveQuestions = "excessive_questions",
        /// The model did things that were not requested.
        UnwantedScope = "unwanted_scope",
        /// Another or unknown reason.
        Other = "other",
    }
}

open_enum! {
    /// The activity of a session.
    pub enum FeedbackTaskCategory {
        /// The session edits code.
        CodeEdit = "code_edit",
        /// The session debugs a problem.
        Debug = "debug",
        /// The session explains something.
        Explain = "explain",
        /// The session makes a plan.
        Plan = "plan",
        /// The session runs commands.
        Shell = "shell",
        /// The session searches for something.
        Search = "search",
        /// The session reviews something.
        Review = "review",
        /// Another or unknown activity.
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
