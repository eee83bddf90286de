//! The events of a session as inputs of a view.

use crate::event::{Event, PendingRequest, RequestKind};
use agentwire_protocol::host::{Activity, SubmissionState, TurnEvent};
use agentwire_view::Input;
use agentwire_view::entry;

/// With the feature `view`.
impl<'a> From<&'a Event> for Input<'a> {
    fn from(event: &'a Event) -> Self {
        match event {
            Event::Frame(frame) => Self::Frame(frame),
            Event::Turn(TurnEvent::PickedUp { uuid, .. }) => Self::Delivery {
                uuid,
                state: SubmissionState::Started,
            },
            Event::Activity(activity) => Self::Activity(match activity {
                Activity::Idle => entry::Activity::Idle,
                Activity::Running => entry::Activity::Running,
                Activity::RequiresAction => entry::Activity::RequiresAction,
                _ => return Self::Nothing,
            }),
            Event::Request(PendingRequest {
                request_id,
                request,
                ..
            }) => match request {
                RequestKind::Permission(request) => Self::Permission {
                    request_id,
                    request,
                },
                RequestKind::Elicitation(request) => Self::Elicitation {
                    request_id,
                    request,
                },
                RequestKind::Dialog(_) => Self::Nothing,
            },
            Event::RequestAnswered { request_id } | Event::RequestWithdrawn { request_id } => {
                Self::Settled { request_id }
            }
            Event::Notice(notice) => Self::Problem(notice.to_string().into()),
            Event::Restarted(_) => Self::Problem("The agent was restarted".into()),
            Event::Turn(_) | Event::Session(_) | Event::Background(_) | Event::Asleep => {
                Self::Nothing
            }
        }
    }
}
