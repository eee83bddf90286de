//! Which reply is taken: the one place that decides it, for the fake agent
//! and for the scripted model.

use crate::asked::Asked;
use crate::scenario::{ApiError, Reply, Scenario, Step, Times, When};
use std::num::NonZeroU32;

/// How often the model may be asked about one prompt, if the scenario says
/// nothing of it.
const REQUESTS_PER_PROMPT: u32 = 1_000;

/// A scenario while it is being played: what was taken of it.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    main: Line,
    subagents: Line,
    repeats: bool,
    /// How many requests there may be about one prompt.
    most: u32,
}

/// Why a request gets no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoReply {
    /// None is left that fits.
    EndOfScript {
        /// How many there were.
        replies: usize,
    },
    /// The prompt has no end.
    TooMany {
        /// Where the reply is in the scenario that was taken last.
        place: usize,
        is_subagent: bool,
        most: u32,
    },
}

/// The replies for one kind of agent.
#[derive(Debug, Clone)]
struct Line {
    replies: Vec<Reply>,
    /// How often each reply was taken, in this round.
    counts: Vec<u32>,
    /// What its ids begin with, after `msg_` and `toolu_`.
    prefix: &'static str,
    /// How many were taken, in all rounds.
    taken: usize,
    /// How many tools those called.
    tools: usize,
    turns: usize,
    /// How many requests there were about this prompt, and the place of the
    /// reply that was taken last.
    requests: u32,
    last: usize,
    /// The last reply, where it was a refusal that stands.
    refused: Option<Taken>,
}

/// A reply that was taken.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Taken {
    pub(crate) reply: Reply,
    /// How many were taken before.
    pub(crate) number: usize,
    /// Where it is in the scenario.
    pub(crate) place: usize,
    prefix: &'static str,
    earlier_tools: usize,
}

impl Script {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        Self {
            main: Line::new(scenario.replies.clone(), ""),
            subagents: Line::new(scenario.subagents.clone(), "sub_"),
            repeats: scenario.repeat,
            most: (scenario.requests_per_prompt).map_or(REQUESTS_PER_PROMPT, NonZeroU32::get),
        }
    }

    /// The reply to a request: the first that is meant for such a one, or
    /// else the next of those that are meant for any. A refusal that stands
    /// is the reply to the same question, however often it is put.
    ///
    /// The script counts the turns. There is none when no reply is left that
    /// fits, and the script does not repeat; and when it was asked too often
    /// about one prompt, such as by an agent that gets the same tool call again
    /// and again.
    pub(crate) fn take(&mut self, mut asked: Asked) -> Result<Taken, NoReply> {
        let replies = self.length();
        let line = if asked.is_subagent {
            &mut self.subagents
        } else {
            &mut self.main
        };
        if asked.is_retry {
            if let Some(refused) = &line.refused {
                return Ok(refused.clone());
            }
        } else if !asked.after_tools {
            line.turns += 1;
            line.requests = 0;
        }
        if line.requests == self.most {
            return Err(NoReply::TooMany {
                place: line.last,
                is_subagent: asked.is_subagent,
                most: self.most,
            });
        }
        asked.turn = line.turns;
        let place = line.find(&asked).or_else(|| {
            self.repeats.then(|| line.counts.fill(0));
            line.find(&asked)
        });
        let place = place.ok_or(NoReply::EndOfScript { replies })?;
        line.requests += 1;
        line.last = place;
        Ok(line.take(place))
    }

    /// How many replies there are, those of sub-agents not counted.
    pub(crate) fn length(&self) -> usize {
        self.main.replies.len()
    }

    /// Whether sub-agents have replies.
    pub(crate) fn has_subagents(&self) -> bool {
        !self.subagents.replies.is_empty()
    }

    /// Whether a reply depends on what tools answered.
    pub(crate) fn reads_results(&self) -> bool {
        let mut replies = self.main.replies.iter().chain(&self.subagents.replies);
        replies.any(|reply| reply.when.as_ref().is_some_and(When::reads_results))
    }
}

impl Line {
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
            refused: None,
        }
    }

    /// Where the reply is that such a request gets.
    fn find(&self, asked: &Asked) -> Option<usize> {
        let is_left = |place: usize| self.replies[place].times.allow_more(self.counts[place]);
        let fits = |place: &usize| {
            let when = self.replies[*place].when.as_ref();
            is_left(*place) && when.is_some_and(|when| when.fits(asked))
        };
        let is_for_any = |place: &usize| is_left(*place) && self.replies[*place].when.is_none();
        let places = 0..self.replies.len();
        let mut meant = places.clone().filter(fits);
        meant.next().or_else(|| places.into_iter().find(is_for_any))
    }

    fn take(&mut self, place: usize) -> Taken {
        let reply = self.replies[place].clone();
        let taken = Taken {
            number: self.taken,
            place,
            prefix: self.prefix,
            earlier_tools: self.tools,
            reply,
        };
        if taken.reply.times != Times::Always {
            self.counts[place] += 1;
        }
        self.taken += 1;
        self.tools += taken.reply.tool_count();
        let stands = taken.refusal().is_some_and(ApiError::stands);
        self.refused = stands.then(|| taken.clone());
        taken
    }
}

impl Taken {
    /// The id of the message.
    pub(crate) fn message_id(&self) -> String {
        format!("msg_{}{}", self.prefix, self.number + 1)
    }

    /// The id of a tool call, by its number in the reply (counted from 0).
    pub(crate) fn tool_id(&self, number: usize) -> String {
        format!("toolu_{}{}", self.prefix, self.earlier_tools + number + 1)
    }

    /// The error, where that is what the model's server answers.
    pub(crate) fn refusal(&self) -> Option<&ApiError> {
        match self.reply.say.first() {
            Some(Step::Error(error)) => Some(error),
            _ => None,
        }
    }
}

impl ApiError {
    /// Whether it is about what was asked, and not about the moment: the same
    /// question gets it again.
    fn stands(&self) -> bool {
        (400..500).contains(&self.status) && !matches!(self.status, 401 | 408 | 409 | 429)
    }
}

impl From<&NoReply> for ApiError {
    /// What the request is told.
    fn from(none: &NoReply) -> Self {
        let message = match none {
            NoReply::EndOfScript { replies } => {
                format!("the script has no reply left (it had {replies})")
            }
            NoReply::TooMany {
                place,
                is_subagent,
                most,
            } => {
                let list = if *is_subagent { "subagents" } else { "replies" };
                format!(
                    "the model was asked {most} times about one prompt, the last time it said \
                     {list}[{place}]: a reply that calls a tool and is taken again and again has no \
                     end (`requests_per_prompt` sets how often it may be asked)"
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

    /// What the script says to each of these requests.
    fn said(script: &mut Script, requests: &[Asked]) -> Vec<String> {
        let say = |asked: &Asked| match script.take(asked.clone()) {
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

    fn says(text: &str) -> Reply {
        Reply::new([Step::text(text)])
    }

    fn prompt(text: &str) -> Asked {
        Asked {
            prompt: text.to_owned(),
            ..Asked::default()
        }
    }

    fn after(prompt_text: &str, result: &str) -> Asked {
        Asked {
            results: vec!["other".to_owned(), result.to_owned()],
            after_tools: true,
            ..prompt(prompt_text)
        }
    }

    #[test]
    fn a_reply_that_is_meant_for_a_request_goes_before_those_for_any() {
        let scenario = Scenario::default()
            .reply([Step::text("first")])
            .reply([Step::text("second")])
            .reply(says("sunny").when(When::prompt_contains("weather")))
            .reply(says("sunny still").when(When::prompt_matches("^weather$").unwrap()))
            .reply(says("bye").when(When::prompt_is("bye")).always());
        let mut script = Script::new(&scenario);
        let asked = ["weather", "bye", "hi", "the weather", "weather", "bye", "x"].map(prompt);
        let expected = [
            "sunny",
            "bye",
            "first",
            "second",
            "sunny still",
            "bye",
            "nothing",
        ];
        assert_eq!(said(&mut script, &asked), expected);
    }

    #[test]
    fn results_and_their_absence_turns_and_models_can_be_meant() {
        let result = When::default().result(TextMatch::Contains("denied".into()));
        let other = When::default().model(TextMatch::Is("other".into()));
        let scenario = Scenario::default()
            .reply(says("then not").when(result))
            .reply(says("prompt again").when(When::prompt_is("go").after_tools(false)))
            .reply(says("turn three").when(When::default().turn(3)))
            .reply(says("other model").when(other))
            .reply(says("any").always());
        let mut script = Script::new(&scenario);
        let model = Asked {
            model: "other".to_owned(),
            ..prompt("x")
        };
        let asked = [
            after("go", "fine"),
            prompt("go"),
            after("go", "it was denied"),
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
        assert_eq!(said(&mut script, &asked), expected);
    }

    #[test]
    fn a_function_sees_what_is_known() {
        let first = |asked: &Asked| asked.turn == 1 && asked.prompt.len() > 3;
        let scenario = Scenario::default()
            .reply(says("long").when(When::predicate(first)).always())
            .reply(says("short").always());
        let mut script = Script::new(&scenario);
        let asked = [prompt("hello"), after("hello", ""), prompt("hello")];
        assert_eq!(said(&mut script, &asked), ["long", "long", "short"]);
    }

    #[test]
    fn replies_are_taken_as_often_as_they_may_and_begin_again() {
        let scenario = Scenario::default()
            .reply(says("twice").times(2))
            .reply(says("once"))
            .reply(says("mine").when(When::prompt_is("me")));
        let asked = ["x", "me", "x", "me", "x", "me"].map(prompt);
        let mut script = Script::new(&scenario);
        let once = ["twice", "mine", "twice", "once", "nothing", "nothing"];
        assert_eq!(said(&mut script, &asked), once);
        let mut script = Script::new(&scenario.repeated());
        let again = ["twice", "mine", "twice", "once", "twice", "mine"];
        assert_eq!(said(&mut script, &asked), again);
        // A script without replies does not repeat either.
        let mut script = Script::new(&Scenario::default().repeated());
        assert_eq!(said(&mut script, &[prompt("x")]), ["nothing"]);
    }

    #[test]
    fn a_reply_that_is_taken_without_end_is_named() {
        let call = Reply::new([Step::tool("Bash", Value::Null, "x")]).always();
        let scenario = Scenario::default()
            .reply(says("first").when(When::prompt_is("go").after_tools(false)))
            .reply(call)
            .requests_per_prompt(NonZeroU32::new(3).unwrap());
        let mut script = Script::new(&scenario);
        let asked = [
            prompt("go"),
            after("go", ""),
            after("go", ""),
            after("go", ""),
            after("go", ""),
            // The next prompt has as many again.
            prompt("more"),
        ];
        let said = said(&mut script, &asked);
        let told = &said[3];
        assert!(
            told.starts_with("the model was asked 3 times") && told.contains("replies[1]"),
            "{told}"
        );
        assert_eq!(said[4], *told);
        assert!(said[5].starts_with("[Tool"), "{}", said[5]);
    }

    #[test]
    fn only_a_refusal_that_stands_is_given_again_and_a_retry_is_no_turn() {
        let again = Asked {
            is_retry: true,
            ..prompt("x")
        };
        let scenario = Scenario::default()
            .reply([Step::error(529, "overloaded_error", "Later.")])
            .reply([Step::error(404, "not_found_error", "No.")])
            .reply(says("second turn").when(When::default().turn(2)))
            .reply([Step::text("any")]);
        let mut script = Script::new(&scenario);
        let asked = [
            prompt("x"),
            again.clone(),
            again.clone(),
            again,
            prompt("y"),
            prompt("z"),
        ];
        let expected = ["529", "404", "404", "404", "second turn", "any"];
        assert_eq!(said(&mut script, &asked), expected);
    }

    #[test]
    fn sub_agents_have_replies_turns_and_ids_of_their_own() {
        let call = || Step::tool("Bash", Value::Null, "");
        let scenario = Scenario::default()
            .reply([call(), call()])
            .reply([call()])
            .subagent(Reply::new([call()]).when(When::default().turn(1)));
        let mut script = Script::new(&scenario);
        let sub = Asked {
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
