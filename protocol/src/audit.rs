//! Audits protocol lines one by one. An audit finds the kind of a line, whether
//! the types cover all of its members, and whether it round-trips without loss.
//!
//! ```
//! use agentwire_protocol::audit::Auditor;
//!
//! let mut auditor = Auditor::default();
//! let audit = auditor.line(br#"{"type":"system","subtype":"status","status":null,"mood":"fine"}"#);
//! assert_eq!(audit.kind, "system/status");
//! assert_eq!(audit.untyped, ["/mood"]);
//! assert!(audit.typed && audit.lossless && audit.error.is_none());
//! ```

use crate::control::every_host_request;
use crate::control::{self, Answer, ControlCancel, ControlRequest, ControlResponse, HostRequest};
use crate::dialog::UserDialogResult;
use crate::frame::Frame;
use crate::hook::HookOutput;
use crate::json::Json;
use crate::mcp::{McpElicitationResult, McpReply};
use crate::open::{Fault, object};
use crate::permission::PermissionResult;
use crate::text::is_same_value;
use crate::untyped::Untyped;
use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;

/// The maximum number of pending requests that are tracked. It bounds the
/// memory for recordings without responses.
const OPEN_REQUESTS: usize = 10_000;

/// The audit of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audit {
    /// The kind of the line: its type and subtype, separated by a slash. A
    /// response has the subtype of its request. `invalid` if the line is not a
    /// message.
    pub kind: String,
    /// Whether a type exists for this kind and the line could be read.
    pub typed: bool,
    /// JSON pointers of the members without a typed field.
    pub untyped: Vec<String>,
    /// Missing and invalid members of the line.
    pub faults: Vec<Fault>,
    /// Whether serializing the parsed line gives the same JSON value.
    pub lossless: bool,
    /// The error if the line could not be read.
    pub error: Option<String>,
}

/// Audits the lines of a session, in order and in both directions. The auditor
/// tracks request IDs, so that a response is read as the type that belongs to
/// its request.
#[derive(Debug, Default)]
pub struct Auditor {
    /// The subtypes of pending requests.
    requests: HashMap<Box<str>, Box<str>>,
}

object! {
    /// A control request of the host, with its content untyped.
    pub struct AnyRequest tags("type" = "control_request") {
        /// The ID that the response must carry.
        pub request_id: String,
        /// The content of the request.
        pub request: Json,
    }
}

/// Audits a part of a line by reading it as a certain type.
type Check = fn(&Json) -> Audit;

/// Returns the checks of a host request and of its response.
macro_rules! host_requests {
    ($($request:ident),*) => {
        fn host_request(subtype: &str) -> Option<(Check, Check)> {
            $(
                if subtype == <control::$request as HostRequest>::SUBTYPE {
                    return Some((
                        check_part::<control::$request>,
                        check_part::<<control::$request as HostRequest>::Response>,
                    ));
                }
            )*
            None
        }
    };
}

every_host_request!(host_requests);

/// Returns the check of a host's response.
fn host_answer(subtype: &str) -> Option<Check> {
    match subtype {
        "can_use_tool" => Some(check_part::<PermissionResult>),
        "elicitation" => Some(check_part::<McpElicitationResult>),
        "hook_callback" => Some(check_part::<HookOutput>),
        "mcp_message" => Some(check_part::<McpReply>),
        "request_user_dialog" => Some(check_part::<UserDialogResult>),
        _ => None,
    }
}

impl Auditor {
    /// Audits a line, in either direction.
    pub fn line(&mut self, line: &[u8]) -> Audit {
        let frame = match Frame::new(Bytes::copy_from_slice(line)) {
            Ok(frame) => frame,
            Err(error) => return Audit::failed("invalid".to_owned(), error.to_string()),
        };
        match frame.kind() {
            "control_request" => self.request(&frame),
            "control_response" => self.response(&frame),
            "control_cancel_request" => check::<ControlCancel>(&frame),
            _ => check_message(&frame),
        }
    }

    fn request(&mut self, frame: &Frame) -> Audit {
        let subtype = frame.subtype().unwrap_or_default();
        if let Some(request_id) = frame.request_id()
            && self.requests.len() < OPEN_REQUESTS
        {
            self.requests.insert(request_id.into(), subtype.into());
        }
        match host_request(subtype) {
            Some((check_request, _)) => {
                check::<AnyRequest>(frame).with_part(frame, "/request", check_request)
            }
            None => {
                let mut audit = check::<ControlRequest>(frame);
                // The request has an unknown subtype.
                audit.typed &= !audit.untyped.iter().any(|pointer| pointer == "/request");
                audit
            }
        }
    }

    /// Audits the pending requests that a response contains. The host responds
    /// to them as to any other request.
    fn pending_requests(&mut self, answer: &Answer, mut audit: Audit) -> Audit {
        for (name, asks) in answer.pending_members() {
            for (index, ask) in asks.iter().enumerate() {
                let of_ask = match Frame::new(Bytes::copy_from_slice(ask.get().as_bytes())) {
                    Ok(frame) => self.request(&frame),
                    Err(error) => Audit::failed(String::new(), error.to_string()),
                };
                audit = audit.with(&format!("/response/{name}/{index}"), of_ask);
            }
        }
        audit
    }

    fn response(&mut self, frame: &Frame) -> Audit {
        let asked = frame.request_id().and_then(|id| self.requests.remove(id));
        let mut audit = check::<ControlResponse>(frame);
        if let Ok(envelope) = frame.read::<ControlResponse>() {
            audit = self.pending_requests(&envelope.response, audit);
        }
        let Some(subtype) = asked else { return audit };
        audit.kind = format!("control_response/{subtype}");
        // `mcp_message` is sent in both directions, and only the host's
        // response has contents.
        let check =
            host_answer(&subtype).or_else(|| host_request(&subtype).map(|(_, answer)| answer));
        match check {
            Some(check) => audit.with_part(frame, "/response/response", check),
            None => {
                // The envelope has a type, but its contents do not.
                audit.typed &= frame.subtype() == Some("error");
                audit
            }
        }
    }
}

impl Audit {
    /// Creates an audit for a line that is intentionally not part of the
    /// protocol.
    #[must_use]
    pub fn aside(kind: String) -> Self {
        Self {
            kind,
            typed: true,
            untyped: vec![],
            faults: vec![],
            lossless: true,
            error: None,
        }
    }

    fn failed(kind: String, error: String) -> Self {
        Self {
            kind,
            typed: false,
            untyped: vec![],
            faults: vec![],
            lossless: false,
            error: Some(error),
        }
    }

    /// Adds the audit of a part that the type of the frame leaves untyped. Does
    /// nothing if the part is missing.
    fn with_part(self, frame: &Frame, pointer: &str, check: Check) -> Self {
        let part = pointer.split('/').skip(1).try_fold(
            serde_json::from_slice::<Json>(frame.raw()).unwrap_or_default(),
            |value, key| value.member(key),
        );
        match part.filter(|part| !part.is_null()) {
            Some(part) => self.with(pointer, check(&part)),
            None => self,
        }
    }

    /// Adds the audit of the part at `pointer`.
    fn with(mut self, pointer: &str, part: Self) -> Self {
        self.typed &= part.typed;
        self.lossless &= part.lossless;
        self.error = self
            .error
            .or(part.error.map(|error| format!("{pointer}: {error}")));
        self.faults.extend(part.faults);
        self.untyped
            .extend(part.untyped.iter().map(|inner| format!("{pointer}{inner}")));
        self
    }
}

fn check<T: DeserializeOwned + Serialize + Untyped>(frame: &Frame) -> Audit {
    let kind = frame.head().label();
    match frame.read::<T>() {
        Ok(value) => found(
            kind,
            &value,
            std::str::from_utf8(frame.raw()).unwrap_or_default(),
        ),
        Err(error) => Audit::failed(kind, error.to_string()),
    }
}

fn check_message(frame: &Frame) -> Audit {
    let text = String::from_utf8_lossy(frame.raw());
    let mut audit = found(frame.head().label(), &frame.message(), &text);
    audit.faults = frame.faults();
    audit
}

fn check_part<T: DeserializeOwned + Serialize + Untyped>(part: &Json) -> Audit {
    match part.read::<T>() {
        Ok(value) => found(String::new(), &value, part.get()),
        Err(error) => Audit::failed(String::new(), error.to_string()),
    }
}

fn found<T: Serialize + Untyped>(kind: String, value: &T, text: &str) -> Audit {
    let mut untyped = value.untyped();
    // The empty pointer means that the whole line has no type.
    let is_unknown = untyped.iter().any(String::is_empty);
    untyped.retain(|pointer| !pointer.is_empty());
    let lossless = serde_json::to_string(value)
        .and_then(|written| is_same_value(&written, text))
        .unwrap_or(false);
    Audit {
        kind,
        typed: !is_unknown,
        untyped,
        faults: vec![],
        lossless,
        error: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audit(lines: &[&str]) -> Vec<Audit> {
        let mut auditor = Auditor::default();
        lines
            .iter()
            .map(|line| auditor.line(line.as_bytes()))
            .collect()
    }

    #[test]
    fn a_response_is_audited_by_the_type_of_its_request() {
        let audits = audit(&[
            r#"{"type":"control_request","request_id":"r1","request":{"subtype":"set_model","model":"m","why":1}}"#,
            r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"model":"m","speed":2}}}"#,
            r#"{"type":"control_request","request_id":"a1","request":{"subtype":"can_use_tool","tool_name":"T","input":{}}}"#,
            r#"{"type":"control_response","response":{"subtype":"success","request_id":"a1","response":{"behavior":"deny"}}}"#,
        ]);
        assert_eq!(audits[0].kind, "control_request/set_model");
        assert_eq!(audits[0].untyped, ["/request/why"]);
        assert_eq!(audits[1].kind, "control_response/set_model");
        assert_eq!(audits[1].untyped, ["/response/response/speed"]);
        assert!(
            audits[2].typed && audits[2].untyped.is_empty(),
            "{:?}",
            audits[2]
        );
        // A denial must have a message.
        assert!(!audits[3].typed);
        assert!(
            audits[3]
                .error
                .as_ref()
                .is_some_and(|error| error.contains("message"))
        );
    }

    #[test]
    fn pending_requests_in_a_response_are_audited_as_requests() {
        let audits = audit(&[
            r#"{"type":"control_request","request_id":"r1","request":{"subtype":"initialize"}}"#,
            r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"commands":[]},
                "pending_permission_requests":[
                    {"type":"control_request","request_id":"a1","request":{"subtype":"can_use_tool","tool_name":"T","input":{},"lane":1}},
                    {"type":"control_request","request_id":"a2","request":{"subtype":"can_use_tool"}}]}}"#,
            r#"{"type":"control_response","response":{"subtype":"success","request_id":"a1","response":{"behavior":"allow","mood":1}}}"#,
        ]);
        let answer = &audits[1];
        assert_eq!(answer.kind, "control_response/initialize");
        assert_eq!(
            answer.untyped,
            ["/response/pending_permission_requests/0/request/lane"]
        );
        let error = answer.error.as_deref().unwrap_or_default();
        assert!(
            error.starts_with("/response/pending_permission_requests/1: "),
            "{error}"
        );
        assert_eq!(audits[2].kind, "control_response/can_use_tool");
        assert_eq!(audits[2].untyped, ["/response/response/mood"]);
    }

    #[test]
    fn unknown_members_and_kinds_are_untyped() {
        let audits = audit(&[
            r#"{"type":"weather"}"#,
            r#"{"type":"control_request","request_id":"r1","request":{"subtype":"make_coffee"}}"#,
            r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1"}}"#,
            "no json",
            r#"{"type":"assistant","message":{"content":[{"type":"text"}]}}"#,
        ]);
        assert_eq!(
            audits
                .iter()
                .map(|audit| (audit.kind.as_str(), audit.typed))
                .collect::<Vec<_>>(),
            [
                ("weather", false),
                ("control_request/make_coffee", false),
                ("control_response/make_coffee", false),
                ("invalid", false),
                ("assistant", true),
            ]
        );
        assert_eq!(audits[4].faults[0].path, "message.content[0].text");
        assert!(audits[4].untyped.is_empty() && audits[4].lossless);
    }
}
