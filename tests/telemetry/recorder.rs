//! A subscriber that records spans.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tracing_core::span::Current;

#[derive(Debug, Clone, Default)]
pub(super) struct Recorded {
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    /// The spans that it follows from.
    pub(super) follows: Vec<usize>,
    pub(super) fields: BTreeMap<String, String>,
    references: usize,
    metadata: Option<&'static Metadata<'static>>,
}

impl Recorded {
    pub(super) fn is_closed(&self) -> bool {
        self.references == 0
    }

    /// Returns the value of a field; empty if it was not recorded.
    pub(super) fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }
}

impl Visit for Recorded {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields
            .insert(field.name().to_owned(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields
            .insert(field.name().to_owned(), value.to_owned());
    }
}

thread_local! {
    static ENTERED: RefCell<Vec<(Id, &'static Metadata<'static>)>> = const { RefCell::new(vec![]) };
}

/// Records all spans, in the order in which they were created.
#[derive(Debug, Clone, Default)]
pub(super) struct Recorder(Arc<Mutex<Vec<Recorded>>>);

fn index(id: &Id) -> usize {
    usize::try_from(id.into_u64()).unwrap() - 1
}

impl Recorder {
    fn lock(&self) -> MutexGuard<'_, Vec<Recorded>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the spans with this name.
    pub(super) fn named(&self, name: &str) -> Vec<Recorded> {
        let all = self.lock();
        let all = all.iter();
        all.filter(|it| it.name == name).cloned().collect()
    }

    /// Returns the only span with this name.
    #[track_caller]
    pub(super) fn only(&self, name: &str) -> Recorded {
        let mut named = self.named(name);
        assert_eq!(named.len(), 1, "{name}: {named:?}");
        named.remove(0)
    }

    /// Returns the name of the parent of a span.
    pub(super) fn parent(&self, span: &Recorded) -> Option<String> {
        Some(self.lock()[span.parent?].name.clone())
    }

    /// Fails if a span is open, or if a field contains one of these texts.
    #[track_caller]
    pub(super) fn assert_closed_without(&self, secrets: &[&str]) {
        for span in self.lock().iter() {
            assert!(span.is_closed(), "open: {span:?}");
            for secret in secrets {
                assert!(!format!("{span:?}").contains(secret), "{secret}: {span:?}");
            }
        }
    }
}

impl Subscriber for Recorder {
    /// Not those of other crates, such as rmcp.
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        ["agentwire::telemetry", "tests::telemetry"]
            .iter()
            .any(|it| metadata.target().starts_with(it))
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut all = self.lock();
        let current = ENTERED.with_borrow(|it| it.last().map(|(id, _)| id.clone()));
        let contextual = attributes.is_contextual().then_some(current).flatten();
        let mut span = Recorded {
            name: attributes.metadata().name().to_owned(),
            parent: attributes
                .parent()
                .cloned()
                .or(contextual)
                .map(|it| index(&it)),
            references: 1,
            metadata: Some(attributes.metadata()),
            ..Recorded::default()
        };
        attributes.record(&mut span);
        all.push(span);
        Id::from_u64(all.len() as u64)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        values.record(&mut self.lock()[index(id)]);
    }

    fn record_follows_from(&self, id: &Id, follows: &Id) {
        self.lock()[index(id)].follows.push(index(follows));
    }

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, id: &Id) {
        let mut all = self.lock();
        let span = &mut all[index(id)];
        let entered = (id.clone(), span.metadata.unwrap());
        ENTERED.with_borrow_mut(|it| it.push(entered));
    }

    fn exit(&self, id: &Id) {
        ENTERED.with_borrow_mut(|it| {
            if let Some(at) = it.iter().rposition(|(other, _)| other == id) {
                it.remove(at);
            }
        });
    }

    fn clone_span(&self, id: &Id) -> Id {
        self.lock()[index(id)].references += 1;
        id.clone()
    }

    fn try_close(&self, id: Id) -> bool {
        let span = &mut self.lock()[index(&id)];
        span.references -= 1;
        span.references == 0
    }

    fn current_span(&self) -> Current {
        ENTERED.with_borrow(|it| match it.last() {
            Some((id, metadata)) => Current::new(id.clone(), metadata),
            None => Current::none(),
        })
    }
}
