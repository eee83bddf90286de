//! Tools that schedule prompts, locally and in the cloud.

use crate::json::{Json, Number};
use crate::open::{object, open_enum};

object! {
    /// The input of `CronCreate`.
    pub struct CronCreateInput {
        /// The schedule, as five cron fields in local time.
        pub cron: String,
        /// The prompt.
        pub prompt: String,
        /// Whether the prompt recurs. Default: `true`.
        pub recurring: Option<bool>,
        /// Whether the schedule outlives the session.
        pub durable: Option<bool>,
    }
}

object! {
    /// The output of `CronCreate`.
    pub struct CronCreateOutput {
        /// The ID of the job.
        pub id: String,
        /// The schedule in human-readable form.
        pub human_schedule: Option<String> = "humanSchedule",
        /// Whether the prompt recurs.
        pub recurring: Option<bool>,
        /// Whether the schedule outlives the session.
        pub durable: Option<bool>,
        /// The time of the next run, in milliseconds since 1970.
        pub next_fire_at: Option<Number> = "nextFireAt",
        /// The age in milliseconds at which a recurring prompt expires. 0 for
        /// never.
        pub max_age_ms: Option<Number> = "maxAgeMs",
        /// The other pending one-shot prompts of this session.
        pub other_one_shots: Option<Vec<CronOneShot>> = "otherOneShots",
    }
}

object! {
    /// A one-shot prompt.
    pub struct CronOneShot {
        /// The ID of the job.
        pub id: String,
        /// The schedule in human-readable form.
        pub human_schedule: Option<String> = "humanSchedule",
        /// The prompt.
        pub prompt: Option<String>,
    }
}

object! {
    /// The input of `CronDelete`.
    pub struct CronDeleteInput {
        /// The ID of the job.
        pub id: String,
    }
}

object! {
    /// The output of `CronDelete`.
    pub struct CronDeleteOutput {
        /// The ID of the job.
        pub id: String,
        /// Whether the job was the wake-up that continued a loop.
        pub ended_loop_wakeup: Option<bool> = "endedLoopWakeup",
    }
}

object! {
    /// The output of `CronList`.
    pub struct CronListOutput {
        /// The jobs.
        pub jobs: Vec<CronJob>,
    }
}

object! {
    /// A scheduled prompt.
    pub struct CronJob {
        /// The ID of the job.
        pub id: String,
        /// The schedule, as five cron fields.
        pub cron: String,
        /// The schedule in human-readable form.
        pub human_schedule: Option<String> = "humanSchedule",
        /// The prompt.
        pub prompt: String,
        /// Whether the prompt recurs.
        pub recurring: Option<bool>,
        /// Whether the schedule outlives the session.
        pub durable: Option<bool>,
        /// The time of the next run, in milliseconds since 1970.
        pub next_fire_at: Option<Number> = "nextFireAt",
    }
}

object! {
    /// The input of `ScheduleWakeup`, which continues or ends a loop.
    #[derive(Default)]
    pub struct ScheduleWakeupInput {
        /// The delay in seconds.
        pub delay_seconds: Option<Number> = "delaySeconds",
        /// The reason for the delay, a sentence for the user.
        pub reason: Option<String>,
        /// The prompt to continue with.
        pub prompt: Option<String>,
        /// Whether to end the loop in place of continuing it.
        pub stop: Option<bool>,
        /// Whether there is nothing to report.
        pub noop: Option<bool>,
    }
}

object! {
    /// The output of `ScheduleWakeup`.
    #[derive(Default)]
    pub struct ScheduleWakeupOutput {
        /// The time of the wake-up, in milliseconds since 1970.
        pub scheduled_for: Option<Number> = "scheduledFor",
        /// The delay in seconds, within the permitted range.
        pub clamped_delay_seconds: Option<Number> = "clampedDelaySeconds",
        /// Whether the requested delay was outside the permitted range.
        pub was_clamped: Option<bool> = "wasClamped",
        /// Whether the loop was ended.
        pub stopped: Option<bool>,
        /// The number of cancelled wake-ups.
        pub cancelled_wakeups: Option<u64> = "cancelledWakeups",
    }
}

object! {
    /// The input of `RemoteTrigger`. Triggers start sessions in the cloud.
    pub struct RemoteTriggerInput {
        /// The operation.
        pub action: RemoteTriggerAction,
        /// The trigger ID.
        pub trigger_id: Option<String>,
        /// The ID of the session whose log to read.
        pub session_id: Option<String>,
        /// The cursor of the next page of a list.
        pub cursor: Option<String>,
        /// The body of the API request, an object.
        pub body: Option<Json>,
    }
}

open_enum! {
    /// An operation on triggers.
    pub enum RemoteTriggerAction {
        /// List triggers.
        List = "list",
        /// Return a trigger.
        Get = "get",
        /// Create a trigger.
        Create = "create",
        /// Update a trigger.
        Update = "update",
        /// Run a trigger now, which starts a session.
        Run = "run",
        /// Create a trigger that a webhook runs.
        CreateWebhookTrigger = "create_webhook_trigger",
        /// List the runs of a trigger.
        ListRuns = "list_runs",
        /// Read the log of a session.
        GetRunLog = "get_run_log",
    }
}

object! {
    /// The output of `RemoteTrigger`.
    pub struct RemoteTriggerOutput {
        /// The HTTP status code.
        pub status: u64,
        /// The response, as a JSON text.
        pub json: Option<String>,
        /// A summary of the response.
        pub summary: Option<String>,
    }
}
