//! Selects the reply to a model request, for the fake agent and for the
//! scripted model.

use crate::request_info::RequestInfo;
use crate::scenario::{ApiError, Reply, Scenario, Step, Times, When};
use std::num::NonZeroU32;

/// The default of [`Scenario::requests_per_prompt`].
const REQUESTS_PER_PROMPT: u32 = 1_000;

/// A scenario in progress.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    main: ReplyList,
    subagents: ReplyList,
    repeats: bool,
    /// The maximum number of requests for one prompt.
    limit: u32,
}

/// The reason why a request gets no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoReply {
    /// No remaining reply matches.
    EndOfScript {
        /// The number of replies in the scenario.
        replies: usize,
    },
    /// The prompt has exceeded its maximum number of requests.
    TooMany {
        /// The index in the scenario of the last taken reply.
        index: usize,
        is_subagent: bool,
        limit: u32,
    },
}

/// The replies of the main agent or of sub-agents.
#[derive(Debug, Clone)]
struct ReplyList {
    replies: Vec<Reply>,
    /// How often each reply was taken in this round.
    counts: Vec<u32>,
    /// The prefix of the IDs in replies, after `msg_` and `toolu_`.
    prefix: &'static str,
    /// The number of taken replies, in all rounds.
    taken: usize,
    /// The number of tool calls in the taken replies.
    tools: usize,
    turns: usize,
    /// The number of requests for the current prompt.
    requests: u32,
    last: usize,
    /// The last reply, if it is a permanent error.
    permanent_error: Option<TakenReply>,
}

/// A taken reply.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TakenReply {
    pub(crate) reply: Reply,
    /// The number of replies taken before this one.
    pub(crate) number: usize,
    /// The index of the reply in the scenario.
    pub(crate) index: usize,
    prefix: &'static str,
    earlier_tools: usize,
}

impl Script {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        Self {
            main: ReplyList::new(scenario.replies.clone(), ""),
            subagents: ReplyList::new(scenario.subagents.clone(), "sub_"),
            repeats: scenario.repeat,
            limit: (scenario.requests_per_prompt).map_or(REQUESTS_PER_PROMPT, NonZeroU32::get),
        }
    }

    /// Takes the reply to a request: the first whose `when` matches, otherwise
    /// the next without `when`. A retry after a permanent error gets the same
    /// error again.
    ///
    /// Counts the turns. Fails if no reply remains and the script does not
    /// repeat. Also fails if the prompt has exceeded its number of requests,
    /// for example because the agent gets the same tool call again and again.
    pub(crate) fn take(&mut self, mut asked: RequestInfo) -> Result<TakenReply, NoReply> {
        let replies = self.length();
        let line = if asked.is_subagent {
            &mut self.subagents
        } else {
            &mut self.main
        };
        if asked.is_retry {
            if let Some(permanent_error) = &line.permanent_error {
                return Ok(permanent_error.clone());
            }
        } else if !asked.after_tools {
            line.turns += 1;
            line.requests = 0;
        }
        if line.requests == self.limit {
            return Err(NoReply::TooMany {
                index: line.last,
                is_subagent: asked.is_subagent,
                limit: self.limit,
            });
        }
        asked.turn = line.turns;
        let index = line.find(&asked).or_else(|| {
            self.repeats.then(|| line.counts.fill(0));
            line.find(&asked)
        });
        let index = index.ok_or(NoReply::EndOfScript { replies })?;
        line.requests += 1;
        line.last = index;
        Ok(line.take(index))
    }

    /// Returns the number of replies of the main agent.
    pub(crate) fn length(&self) -> usize {
        self.main.replies.len()
    }

    /// Returns whether sub-agents have replies.
    pub(crate) fn has_subagents(&self) -> bool {
        !self.subagents.replies.is_empty()
    }

    /// Returns whether the choice of a reply depends on tool results.
    pub(crate) fn reads_results(&self) -> bool {
        let mut replies = self.main.replies.iter().chain(&self.subagents.replies);
        replies.any(|reply| reply.when.as_ref().is_some_and(When::reads_results))
    }
}

impl ReplyList {
    fn new(replies: Vec<Reply>, prefix: &'static str) -> Self {
        Self {
            counts: vec![0; replies.len()],
            replies,
            prefix,
            taken: 0,
            tools: 0,
            turns: 0,
            requests: 0,
            last: 0,
            permanent_error: None,
        }
    }

    /// Returns the index of the reply to a request.
    fn find(&self, asked: &RequestInfo) -> Option<usize> {
        let has_remaining = |index: usize| self.replies[index].times.allow_more(self.counts[index]);
        let fits = |index: &usize| {
            let when = self.replies[*index].when.as_ref();
            has_remaining(*index) && when.is_some_and(|when| when.fits(asked))
        };
        let is_for_any =
            |index: &usize| has_remaining(*index) && self.replies[*index].when.is_none();
        let places = 0..self.replies.len();
        let mut matching = places.clone().filter(fits);
        matching
            .next()
            .or_else(|| places.into_iter().find(is_for_any))
    }

    fn take(&mut self, index: usize) -> TakenReply {
        let reply = self.replies[index].clone();
        let taken = TakenReply {
            number: self.taken,
            index,
            prefix: self.prefix,
            earlier_tools: self.tools,
            reply,
        };
        if taken.reply.times != Times::Always {
            self.counts[index] += 1;
        }
        self.taken += 1;
        self.tools += taken.reply.tool_count();
        let is_permanent = taken.refusal().is_some_and(ApiError::is_permanent);
        self.permanent_error = is_permanent.then(|| taken.clone());
        taken
    }
}

impl TakenReply {
    /// Returns the ID of the message.
    pub(crate) fn message_id(&self) -> String {
        format!("msg_{}{}", self.prefix, self.number + 1)
    }

    /// Returns the ID of a tool call, by its index in the reply.
    pub(crate) fn tool_id(&self, number: usize) -> String {
        format!("toolu_{}{}", self.prefix, self.earlier_tools + number + 1)
    }

    /// Returns the error that the model's server sends in place of this reply,
    /// if it sends one.
    pub(crate) fn refusal(&self) -> Option<&ApiError> {
        match self.reply.say.first() {
            Some(Step::Error(error)) => Some(error),
            _ => None,
        }
    }
}

impl ApiError {
    /// Returns whether the error concerns the request itself. A retry then gets
    /// the same error.
    fn is_permanent(&self) -> bool {
        (400..500).contains(&self.status) && !matches!(self.status, 401 | 408 | 409 | 429)
    }
}

impl From<&NoReply> for ApiError {
    /// Creates the error that the agent gets.
    fn from(none: &NoReply) -> Self {
        let message = match none {
            NoReply::EndOfScript { replies } => {
                format!("the script has no remaining reply (of {replies})")
            }
            NoReply::TooMany {
                index,
                is_subagent,
                limit,
            } => {
                let list = if *is_subagent { "subagents" } else { "replies" };
                format!(
                    "{limit} model requests for one prompt, the last of them with {list}[{index}]: a reply \
                     that calls a tool and is always taken does not end (`requests_per_prompt` sets \
                     the limit)"
                )
            }
        };
        Self {
            status: 400,
            kind: "invalid_request_error".to_owned(),
            message,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::scenario::TextMatch;
    use serde_json::Value;

    /// Returns the reply of the script to each of these requests.
    fn take_all(script: &mut Script, requests: &[RequestInfo]) -> Vec<String> {
        let say = |asked: &RequestInfo| match script.take(asked.clone()) {
            Err(NoReply::EndOfScript { .. }) => "nothing".to_owned(),
            Err(none) => ApiError::from(&none).message,
            Ok(taken) => match &taken.reply.say[..] {
                [Step::Text(text)] => text.whole(),
                [Step::Error(error)] => error.status.to_string(),
                steps => format!("{steps:?}"),
            },
        };
        requests.iter().map(say).collect()
    }

    fn text_reply(text: &str) -> Reply {
        Reply::new([Step::text(text)])
    }

    fn prompt(text: &str) -> RequestInfo {
        RequestInfo {
            prompt: text.to_owned(),
            ..RequestInfo::default()
        }
    }

    fn request_after(prompt_text: &str, result: &str) -> RequestInfo {
        RequestInfo {
            results: vec!["other".to_owned(), result.to_owned()],
            after_tools: true,
            ..prompt(prompt_text)
        }
    }

    #[test]
    fn a_matching_reply_comes_before_replies_without_when() {
        let scenario = Scenario::default()
            .reply([Step::text("first")])
            .reply([Step::text("second")])
            .reply(text_reply("sunny").when(When::prompt_contains("weather")))
            .reply(text_reply("sunny still").when(When::prompt_matches("^weather$").unwrap()))
            .reply(text_reply("bye").when(When::prompt_is("bye")).always());
        let mut script = Script::new(&scenario);
        let requests = ["weather", "bye", "hi", "the weather", "weather", "bye", "x"].map(prompt);
        let expected = [
            "sunny",
            "bye",
            "first",
            "second",
            "sunny still",
            "bye",
            "nothing",
        ];
        assert_eq!(take_all(&mut script, &requests), expected);
    }

    #[test]
    fn results_turns_and_models_are_matched() {
        let result = When::default().result(TextMatch::Contains("denied".into()));
        let other = When::default().model(TextMatch::Is("other".into()));
        let scenario = Scenario::default()
            .reply(text_reply("then not").when(result))
            .reply(text_reply("prompt again").when(When::prompt_is("go").after_tools(false)))
            .reply(text_reply("turn three").when(When::default().turn(3)))
            .reply(text_reply("other model").when(other))
            .reply(text_reply("any").always());
        let mut script = Script::new(&scenario);
        let model = RequestInfo {
            model: "other".to_owned(),
            ..prompt("x")
        };
        let requests = [
            request_after("go", "fine"),
            prompt("go"),
            request_after("go", "it was denied"),
            model,
            prompt("x"),
            prompt("x"),
        ];
        let expected = [
            "any",
            "prompt again",
            "then not",
            "other model",
            "turn three",
            "any",
        ];
        assert_eq!(take_all(&mut script, &requests), expected);
    }

    #[test]
    fn a_predicate_gets_the_request() {
        let first = |asked: &RequestInfo| asked.turn == 1 && asked.prompt.len() > 3;
        let scenario = Scenario::default()
            .reply(text_reply("long").when(When::predicate(first)).always())
            .reply(text_reply("short").always());
        let mut script = Script::new(&scenario);
        let requests = [prompt("hello"), request_after("hello", ""), prompt("hello")];
        assert_eq!(take_all(&mut script, &requests), ["long", "long", "short"]);
    }

    #[test]
    fn replies_are_taken_up_to_their_times_and_begin_again() {
        let scenario = Scenario::default()
            .reply(text_reply("twice").times(2))
            .reply(text_reply("once"))
            .reply(text_reply("mine").when(When::prompt_is("me")));
        let requests = ["x", "me", "x", "me", "x", "me"].map(prompt);
        let mut script = Script::new(&scenario);
        let once = ["twice", "mine", "twice", "once", "nothing", "nothing"];
        assert_eq!(take_all(&mut script, &requests), once);
        let mut script = Script::new(&scenario.repeated());
        let again = ["twice", "mine", "twice", "once", "twice", "mine"];
        assert_eq!(take_all(&mut script, &requests), again);
        // A script without replies ends, even if it repeats.
        let mut script = Script::new(&Scenario::default().repeated());
        assert_eq!(take_all(&mut script, &[prompt("x")]), ["nothing"]);
    }

    #[test]
    fn the_error_of_an_endless_prompt_names_the_reply() {
        let call = Reply::new([Step::tool("Bash", Value::Null, "x")]).always();
        let scenario = Scenario::default()
            .reply(text_reply("first").when(When::prompt_is("go").after_tools(false)))
            .reply(call)
            .requests_per_prompt(NonZeroU32::new(3).unwrap());
        let mut script = Script::new(&scenario);
        let requests = [
            prompt("go"),
            request_after("go", ""),
            request_after("go", ""),
            request_after("go", ""),
            request_after("go", ""),
            // Each prompt has its own limit.
            prompt("more"),
        ];
        let taken = take_all(&mut script, &requests);
        let error = &taken[3];
        assert!(
            error.starts_with("3 model requests for one prompt") && error.contains("replies[1]"),
            "{error}"
        );
        assert_eq!(taken[4], *error);
        assert!(taken[5].starts_with("[Tool"), "{}", taken[5]);
    }

    #[test]
    fn only_a_permanent_error_is_repeated_and_a_retry_is_no_turn() {
        let again = RequestInfo {
            is_retry: true,
            ..prompt("x")
        };
        let scenario = Scenario::default()
            .reply([Step::error(529, "overloaded_error", "Later.")])
            .reply([Step::error(404, "not_found_error", "No.")])
            .reply(text_reply("second turn").when(When::default().turn(2)))
            .reply([Step::text("any")]);
        let mut script = Script::new(&scenario);
        let requests = [
            prompt("x"),
            again.clone(),
            again.clone(),
            again,
            prompt("y"),
            prompt("z"),
        ];
        let expected = ["529", "404", "404", "404", "second turn", "any"];
        assert_eq!(take_all(&mut script, &requests), expected);
    }

    #[test]
    fn sub_agents_have_their_own_replies_turns_and_ids() {
        let call = || Step::tool("Bash", Value::Null, "");
        let scenario = Scenario::default()
            .reply([call(), call()])
            .reply([call()])
            .subagent(Reply::new([call()]).when(When::default().turn(1)));
        let mut script = Script::new(&scenario);
        let sub = RequestInfo {
            is_subagent: true,
            ..prompt("x")
        };
        let mut ids = Vec::new();
        for asked in [prompt("x"), sub, prompt("x")] {
            let taken = script.take(asked).unwrap();
            let calls = 0..taken.reply.tool_count();
            let calls: Vec<_> = calls.map(|number| taken.tool_id(number)).collect();
            ids.push(format!("{}: {}", taken.message_id(), calls.join(" ")));
        }
        let expected = [
            "msg_1: toolu_1 toolu_2",
            "msg_sub_1: toolu_sub_1",
            "msg_2: toolu_3",
        ];
        assert_eq!(ids, expected);
    }
}
