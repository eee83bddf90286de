//! Responses of an agent, which consist of items and their usage.

use super::Item;
use agentwire_protocol::Number;
use agentwire_protocol::message::{self, ResultMessage};
use agentwire_protocol::open::object;

object! {
    /// The response of one step of an agent, or of a run. [`Response::push`] merges the steps of a
    /// run.
    #[derive(Default)]
    pub struct Response {
        /// The new items.
        pub output: Vec<Item>,
        /// The usage.
        pub usage: Option<Usage>,
    }
}

object! {
    /// The usage of a response. The documentation and the results of tools count prompts and
    /// completions. Most steps of models count input and output, like Responses.
    #[derive(Default)]
    pub struct Usage {
        /// The number of input tokens, including cached ones.
        pub prompt_tokens: Option<u64>,
        /// The number of output tokens.
        pub completion_tokens: Option<u64>,
        /// The number of input and output tokens.
        pub total_tokens: Option<u64>,
        /// The cost in US dollars.
        pub response_cost: Option<Number>,
        /// The number of input tokens, as in Responses.
        pub input_tokens: Option<u64>,
        /// Details of the input tokens, as in Responses.
        pub input_tokens_details: Option<InputTokens>,
        /// The number of output tokens, as in Responses.
        pub output_tokens: Option<u64>,
        /// Details of the output tokens, as in Responses.
        pub output_tokens_details: Option<OutputTokens>,
        /// Details of the input tokens.
        pub prompt_tokens_details: Option<InputTokens>,
        /// Details of the output tokens.
        pub completion_tokens_details: Option<OutputTokens>,
    }
}

object! {
    /// Details of input tokens.
    #[derive(Default)]
    pub struct InputTokens {
        /// The number of tokens read from the cache.
        pub cached_tokens: Option<u64>,
        /// The number of tokens written to the cache.
        pub cache_write_tokens: Option<u64>,
        /// The number of tokens of text.
        pub text_tokens: Option<u64>,
        /// The number of tokens of audio.
        pub audio_tokens: Option<u64>,
        /// The number of tokens of images.
        pub image_tokens: Option<u64>,
    }
}

object! {
    /// Details of output tokens.
    #[derive(Default)]
    pub struct OutputTokens {
        /// The number of tokens of reasoning.
        pub reasoning_tokens: Option<u64>,
        /// The number of tokens of text.
        pub text_tokens: Option<u64>,
        /// The number of tokens of images.
        pub image_tokens: Option<u64>,
    }
}

impl Response {
    /// Appends the items of the next response, and adds its usage.
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

    /// Creates the response of a run of an agent CLI, from its items and the usage in its result.
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
    /// Converts the usage of a result. Returns `None` if the result has none. Anthropic does not
    /// count cached tokens as input, but Cua does.
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

    /// Writes the usage into a result.
    pub fn set_result(&self, result: &mut ResultMessage) {
        let input = self.input();
        let details = self.input_details();
        let cached = details.and_then(|details| details.cached_tokens);
        let written = details.and_then(|details| details.cache_write_tokens);
        let mut usage = message::Usage::default();
        let all_cached = sum([cached, written]).unwrap_or_default();
        usage.input_tokens = input.map(|tokens| tokens.saturating_sub(all_cached));
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

    /// Returns the number of input tokens.
    #[must_use]
    pub fn input(&self) -> Option<u64> {
        self.prompt_tokens.or(self.input_tokens)
    }

    /// Returns the number of output tokens.
    #[must_use]
    pub fn output(&self) -> Option<u64> {
        self.completion_tokens.or(self.output_tokens)
    }

    fn input_details(&self) -> Option<&InputTokens> {
        let details = self.prompt_tokens_details.as_ref();
        details.or(self.input_tokens_details.as_ref())
    }

    /// Returns the sum of two usages, with the documented names.
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
            // The cost of a tool's result is absent or 0.
            (one, other) => one.clone().or_else(|| other.clone()),
        };
        for (key, value) in self.extra.iter().chain(more.extra.iter()) {
            usage.extra.set(key.to_owned(), value.clone());
        }
        usage
    }
}

/// Adds the known counts. Returns `None` if none is known.
fn sum<const N: usize>(counts: [Option<u64>; N]) -> Option<u64> {
    let known = counts.into_iter().flatten();
    known.reduce(u64::saturating_add)
}
