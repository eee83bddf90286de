//! Prompts that come by the clock, here and in the cloud.

use crate::json::{Json, Number};
use crate::open::{object, open_enum};

object! {
    /// A prompt that is to come by the clock.
    pub struct CronCreateInput {
        /// When, in the five fields of cron, by local time.
        pub cron: String,
        /// The prompt.
        pub prompt: String,
        /// Whether it comes again and again, as it does when absent.
        pub recurring: Option<bool>,
        /// Whether it outlives the session.
        pub durable: Option<bool>,
    }
}

object! {
    /// The prompt will come.
    pub struct CronCreateOutput {
        /// Its id.
        pub id: String,
        /// When it comes, for people to read.
        pub human_schedule: Option<String> = "humanSchedule",
        /// Whether it comes again and again.
        pub recurring: Option<bool>,
        /// Whether it outlives the session.
        pub durable: Option<bool>,
        /// When it comes next, in milliseconds since 1970.
        pub next_fire_at: Option<Number> = "nextFireAt",
        /// The age at which a prompt that comes again and again ends, in
        /// milliseconds; 0 is never.
        pub max_age_ms: Option<Number> = "maxAgeMs",
        /// Other prompts of this session that come once and have not come.
        pub other_one_shots: Option<Vec<CronOneShot>> = "otherOneShots",
    }
}

object! {
    /// A prompt that comes once.
    pub struct CronOneShot {
        /// Its id.
        pub id: String,
        /// When it comes, for people to read.
        pub human_schedule: Option<String> = "humanSchedule",
        /// The prompt.
        pub prompt: Option<String>,
    }
}

object! {
    /// A prompt that is not to come any more.
    pub struct CronDeleteInput {
        /// Its id.
        pub id: String,
    }
}

object! {
    /// The prompt will not come any more.
    pub struct CronDeleteOutput {
        /// Its id.
        pub id: String,
        /// Whether it was what kept a loop going.
        pub ended_loop_wakeup: Option<bool> = "endedLoopWakeup",
    }
}

object! {
    /// The prompts that come by the clock.
    pub struct CronListOutput {
        /// The prompts.
        pub jobs: Vec<CronJob>,
    }
}

object! {
    /// A prompt that comes by the clock.
    pub struct CronJob {
        /// Its id.
        pub id: String,
        /// When it comes, in the five fields of cron.
        pub cron: String,
        /// When it comes, for people to read.
        pub human_schedule: Option<String> = "humanSchedule",
        /// The prompt.
        pub prompt: String,
        /// Whether it comes again and again.
        pub recurring: Option<bool>,
        /// Whether it outlives the session.
        pub durable: Option<bool>,
        /// When it comes next, in milliseconds since 1970.
        pub next_fire_at: Option<Number> = "nextFireAt",
    }
}

object! {
    /// When a loop is to go on, or that it is to end.
    #[derive(Default)]
    pub struct ScheduleWakeupInput {
        /// Seconds until then.
        pub delay_seconds: Option<Number> = "delaySeconds",
        /// Why then, in a sentence for people.
        pub reason: Option<String>,
        /// The prompt that it goes on with.
        pub prompt: Option<String>,
        /// Whether it ends instead.
        pub stop: Option<bool>,
        /// Whether nothing has happened that is worth telling.
        pub noop: Option<bool>,
    }
}

object! {
    /// When a loop goes on.
    #[derive(Default)]
    pub struct ScheduleWakeupOutput {
        /// When, in milliseconds since 1970.
        pub scheduled_for: Option<Number> = "scheduledFor",
        /// Seconds until then.
        pub clamped_delay_seconds: Option<Number> = "clampedDelaySeconds",
        /// Whether the model wanted fewer or more than there may be.
        pub was_clamped: Option<bool> = "wasClamped",
        /// Whether it ended.
        pub stopped: Option<bool>,
        /// How many times it would have gone on.
        pub cancelled_wakeups: Option<u64> = "cancelledWakeups",
    }
}

object! {
    /// Something to do with triggers, which start sessions in the cloud.
    pub struct RemoteTriggerInput {
        /// What to do.
        pub action: RemoteTriggerAction,
        /// The trigger.
        pub trigger_id: Option<String>,
        /// The session, when its log is wanted.
        pub session_id: Option<String>,
        /// Where the last page of a list ended.
        pub cursor: Option<String>,
        /// What the API is sent, an object.
        pub body: Option<Json>,
    }
}

open_enum! {
    /// What to do with triggers.
    pub enum RemoteTriggerAction {
        /// List them.
        List = "list",
        /// Look at one.
        Get = "get",
        /// Make one.
        Create = "create",
        /// Change one.
        Update = "update",
        /// Have one start a session.
        Run = "run",
        /// Make one that a web hook pulls.
        CreateWebhookTrigger = "create_webhook_trigger",
        /// List what one has started.
        ListRuns = "list_runs",
        /// Read what a session did.
        GetRunLog = "get_run_log",
    }
}

object! {
    /// What the API said of triggers.
    pub struct RemoteTriggerOutput {
        /// The status code of HTTP.
        pub status: u64,
        /// The answer, as JSON in a text.
        pub json: Option<String>,
        /// The answer in words.
        pub summary: Option<String>,
    }
}
