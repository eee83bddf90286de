//! What an agent of Cua's gives: items, and what they cost.

use super::Item;
use agentwire_protocol::Number;
use agentwire_protocol::message::{self, ResultMessage};
use agentwire_protocol::open::object;

object! {
    /// A response: one step of an agent, or a whole run of it.
    ///
    /// An agent yields one for each step of the model, and one with no usage
    /// for each answer of a tool; [`Response::push`] makes one of them.
    #[derive(Default)]
    pub struct Response {
        /// The items that are new.
        pub output: Vec<Item>,
        /// What they cost.
        pub usage: Option<Usage>,
    }
}

object! {
    /// What a response cost. The documentation and the answers of tools count
    /// prompts and completions; most models' steps count input and output, as
    /// OpenAI's Responses do.
    #[derive(Default)]
    pub struct Usage {
        /// Tokens read, cached ones among them.
        pub prompt_tokens: Option<u64>,
        /// Tokens written.
        pub completion_tokens: Option<u64>,
        /// Tokens read and written.
        pub total_tokens: Option<u64>,
        /// US dollars.
        pub response_cost: Option<Number>,
        /// Tokens read, in the words of Responses.
        pub input_tokens: Option<u64>,
        /// What they were.
        pub input_tokens_details: Option<InputTokens>,
        /// Tokens written, in the words of Responses.
        pub output_tokens: Option<u64>,
        /// What they were.
        pub output_tokens_details: Option<OutputTokens>,
        /// What the tokens read were.
        pub prompt_tokens_details: Option<InputTokens>,
        /// What the tokens written were.
        pub completion_tokens_details: Option<OutputTokens>,
    }
}

object! {
    /// What the tokens were that a model read.
    #[derive(Default)]
    pub struct InputTokens {
        /// From the cache.
        pub cached_tokens: Option<u64>,
        /// Put into the cache.
        pub cache_write_tokens: Option<u64>,
        /// Of texts.
        pub text_tokens: Option<u64>,
        /// Of sounds.
        pub audio_tokens: Option<u64>,
        /// Of images.
        pub image_tokens: Option<u64>,
    }
}

object! {
    /// What the tokens were that a model wrote.
    #[derive(Default)]
    pub struct OutputTokens {
        /// Of thinking.
        pub reasoning_tokens: Option<u64>,
        /// Of texts.
        pub text_tokens: Option<u64>,
        /// Of images.
        pub image_tokens: Option<u64>,
    }
}

impl Response {
    /// Adds what an agent yields next: its items come after those that are
    /// there, and its usage is added to theirs.
    pub fn push(&mut self, next: Self) {
        self.output.extend(next.output);
        self.usage = match (self.usage.take(), next.usage) {
            (Some(usage), Some(more)) => Some(usage.plus(&more)),
            (usage, more) => usage.or(more),
        };
        for (key, value) in next.extra.iter() {
            self.extra.set(key.to_owned(), value.clone());
        }
    }

    /// A run of an agent CLI as a response: the items of its messages, and what
    /// its result says that they cost.
    #[must_use]
    pub fn from_result(output: Vec<Item>, result: &ResultMessage) -> Self {
        Self {
            output,
            usage: Usage::from_result(result),
            extra: Default::default(),
        }
    }
}

impl Extend<Response> for Response {
    fn extend<T: IntoIterator<Item = Response>>(&mut self, responses: T) {
        for response in responses {
            self.push(response);
        }
    }
}

impl FromIterator<Response> for Response {
    fn from_iter<T: IntoIterator<Item = Response>>(responses: T) -> Self {
        let mut all = Self::default();
        all.extend(responses);
        all
    }
}

impl Usage {
    /// What the result of an agent CLI says that a turn cost, in the words of
    /// the documentation; nothing, when it does not say. Anthropic does not
    /// count cached tokens among the input, Cua does; the details tell them
    /// apart again.
    #[must_use]
    pub fn from_result(result: &ResultMessage) -> Option<Self> {
        if result.usage.is_none() && result.total_cost_usd.is_none() {
            return None;
        }
        let mut usage = Self::default();
        if let Some(tokens) = &result.usage {
            let cached = tokens.cache_read_input_tokens;
            let written = tokens.cache_creation_input_tokens;
            usage.prompt_tokens = sum([tokens.input_tokens, cached, written]);
            usage.completion_tokens = tokens.output_tokens;
            usage.total_tokens = sum([usage.prompt_tokens, usage.completion_tokens]);
            if cached.is_some() || written.is_some() {
                let details = InputTokens {
                    cached_tokens: cached,
                    cache_write_tokens: written,
                    ..InputTokens::default()
                };
                usage.prompt_tokens_details = Some(details);
            }
            let thinking = tokens.output_tokens_details.as_ref();
            usage.completion_tokens_details = thinking
                .and_then(|details| details.thinking_tokens)
                .map(|thinking| OutputTokens {
                    reasoning_tokens: Some(thinking),
                    ..OutputTokens::default()
                });
        }
        usage.response_cost.clone_from(&result.total_cost_usd);
        Some(usage)
    }

    /// Sets what a result of ours says that a turn cost.
    pub fn set_result(&self, result: &mut ResultMessage) {
        let input = self.input();
        let details = self.input_details();
        let cached = details.and_then(|details| details.cached_tokens);
        let written = details.and_then(|details| details.cache_write_tokens);
        let mut usage = message::Usage::default();
        let beside = sum([cached, written]).unwrap_or_default();
        usage.input_tokens = input.map(|tokens| tokens.saturating_sub(beside));
        usage.output_tokens = self.output();
        usage.cache_read_input_tokens = cached;
        usage.cache_creation_input_tokens = written;
        let details = [&self.completion_tokens_details, &self.output_tokens_details];
        let thinking = details
            .into_iter()
            .flatten()
            .find_map(|details| details.reasoning_tokens);
        usage.output_tokens_details = thinking.map(|thinking| {
            let mut details = message::OutputTokensDetails::default();
            details.thinking_tokens = Some(thinking);
            details
        });
        result.usage = (usage != message::Usage::default()).then_some(usage);
        result.total_cost_usd.clone_from(&self.response_cost);
    }

    /// Tokens read, in whichever words.
    #[must_use]
    pub fn input(&self) -> Option<u64> {
        self.prompt_tokens.or(self.input_tokens)
    }

    /// Tokens written, in whichever words.
    #[must_use]
    pub fn output(&self) -> Option<u64> {
        self.completion_tokens.or(self.output_tokens)
    }

    fn input_details(&self) -> Option<&InputTokens> {
        let details = self.prompt_tokens_details.as_ref();
        details.or(self.input_tokens_details.as_ref())
    }

    /// Both together, in the words of the documentation.
    #[must_use]
    pub fn plus(&self, more: &Self) -> Self {
        let both = [self, more];
        let mut usage = Self {
            prompt_tokens: sum(both.map(Self::input)),
            completion_tokens: sum(both.map(Self::output)),
            total_tokens: sum(both.map(|usage| usage.total_tokens)),
            ..Self::default()
        };
        let input = |member: fn(&InputTokens) -> Option<u64>| {
            sum(both.map(|usage| usage.input_details().and_then(member)))
        };
        let details = InputTokens {
            cached_tokens: input(|details| details.cached_tokens),
            cache_write_tokens: input(|details| details.cache_write_tokens),
            text_tokens: input(|details| details.text_tokens),
            audio_tokens: input(|details| details.audio_tokens),
            image_tokens: input(|details| details.image_tokens),
            ..InputTokens::default()
        };
        usage.prompt_tokens_details = (details != InputTokens::default()).then_some(details);
        let output = |member: fn(&OutputTokens) -> Option<u64>| {
            sum(both.map(|usage| {
                let details = usage.completion_tokens_details.as_ref();
                details
                    .or(usage.output_tokens_details.as_ref())
                    .and_then(member)
            }))
        };
        let details = OutputTokens {
            reasoning_tokens: output(|details| details.reasoning_tokens),
            text_tokens: output(|details| details.text_tokens),
            image_tokens: output(|details| details.image_tokens),
            ..OutputTokens::default()
        };
        usage.completion_tokens_details = (details != OutputTokens::default()).then_some(details);
        usage.response_cost = match (&self.response_cost, &more.response_cost) {
            (Some(one), Some(other)) if other.as_f64() != 0.0 => {
                Some((one.as_f64() + other.as_f64()).into())
            }
            // The cost of a tool's answer is not said.
            (one, other) => one.clone().or_else(|| other.clone()),
        };
        for (key, value) in self.extra.iter().chain(more.extra.iter()) {
            usage.extra.set(key.to_owned(), value.clone());
        }
        usage
    }
}

/// The sum of what is known; nothing, when nothing is.
fn sum<const N: usize>(counts: [Option<u64>; N]) -> Option<u64> {
    let known = counts.into_iter().flatten();
    known.reduce(u64::saturating_add)
}
