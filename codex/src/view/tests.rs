//! Views of hand-written frames.

#![allow(clippy::unwrap_used)]

use super::Feed;
use agentwire_view::entry::Activity;
use agentwire_view::entry::{
    Content, Delivery, FailureReason, NoticeKind, Outcome, Status, ToolCall,
};
use agentwire_view::{Body, Entries, Entry, Input, Limits, View};
use serde_json::{Value, json};

mod entries;
mod requests;
mod restored;

/// A thread and its view.
struct Thread {
    feed: Feed,
    view: View,
}

impl Thread {
    fn new() -> Self {
        let mut thread = Self {
            feed: Feed::new("t"),
            view: View::new(),
        };
        let of = json!({"thread": {"id": "t", "cwd": "/w", "model": "gpt-5.5"}});
        thread.send_notification("thread/started", of);
        thread
    }

    fn send_notification(&mut self, method: &str, params: Value) {
        self.feed.notification(&mut self.view, method, &params);
    }

    fn send_request(&mut self, id: &str, method: &str, params: Value) {
        self.feed.request(&mut self.view, id, method, &params);
    }

    fn started(&mut self, item: Value) {
        self.send_notification("item/started", json!({"threadId": "t", "item": item}));
    }

    fn completed(&mut self, item: Value) {
        self.send_notification("item/completed", json!({"threadId": "t", "item": item}));
    }

    fn delta(&mut self, of: &str, id: &str, delta: &str) {
        let params = json!({"threadId": "t", "itemId": id, "delta": delta});
        self.send_notification(&format!("item/{of}"), params);
    }

    fn turn(&mut self, status: &str, error: Value) {
        let turn = json!({"id": "turn", "status": status, "error": error, "durationMs": 12});
        self.send_notification("turn/completed", json!({"threadId": "t", "turn": turn}));
    }

    fn call(&self, id: &str) -> &ToolCall {
        match &self.view.get(id).unwrap().body {
            Body::ToolCall(call) => call,
            body => panic!("{body:?}"),
        }
    }

    fn last(&self) -> &Body {
        &self.view.entries().last().unwrap().body
    }

    /// Returns the entries as JSON, without their IDs.
    fn shown(&self) -> Vec<Value> {
        let entries = self.view.entries().map(|entry| {
            let mut entry = serde_json::to_value(entry).unwrap();
            entry.as_object_mut().unwrap().remove("id");
            entry
        });
        entries.collect()
    }
}

fn command(script: &str, actions: Value) -> Value {
    json!({"type": "commandExecution", "id": "call", "command": format!("/bin/bash -lc '{script}'"),
        "cwd": "/w", "status": "inProgress", "commandActions": actions})
}

/// Returns an item with other members.
fn with(mut item: Value, members: Value) -> Value {
    for (name, value) in members.as_object().unwrap() {
        item[name] = value.clone();
    }
    item
}
