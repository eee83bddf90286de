//! Events between messages, and the state of the session.

use crate::change::{Change, Member};
use crate::entry::{Activity, Body, EntryId, LongText, Notice, NoticeKind, Session};
use crate::text::{cut, lines, output, title};
use crate::view::View;
use agentwire_protocol::message::{
    AssistantError, AssistantMessage, CompactResult, CompactTrigger, HookOutcome,
    InformationalLevel, Init, RateLimitEvent, RateLimitStatus, RateLimitType, SessionState,
    SessionStateChanged, Status, SystemMessage,
};

impl View {
    pub(super) fn notice(
        &mut self,
        id: EntryId,
        parent: Option<&EntryId>,
        kind: NoticeKind,
        text: &str,
        detail: Option<LongText>,
    ) {
        let notice = Notice {
            kind,
            title: title(text),
            detail: detail.filter(|detail| !detail.is_empty()),
        };
        self.insert(id, parent.cloned(), Body::Notice(notice));
    }

    pub(crate) fn lines_notice(&mut self, id: EntryId, kind: NoticeKind, first: &str, rest: &str) {
        let detail = cut(lines(rest), self.limits.output);
        self.notice(id, None, kind, first, Some(detail));
    }

    pub(crate) fn session_changed(&mut self, session: Session) {
        if self.session != session {
            let session = Box::new(session);
            self.change(Change::Session { session });
        }
    }

    pub(super) fn init(&mut self, init: &Init) {
        let mut session = self.session.clone();
        let of = |new: &Option<String>| new.as_deref().map(title);
        session.session_id = of(&init.session_id).or(session.session_id);
        session.cwd = init
            .cwd
            .as_deref()
            .map(|it| lines(it).into_owned())
            .or(session.cwd);
        let model = of(&init.model);
        session.model = model.or(session.model);
        let mode = init.permission_mode.as_ref().map(|it| title(it.as_str()));
        session.permission_mode = mode.or(session.permission_mode);
        self.session_changed(session);
    }

    pub(crate) fn title(&mut self, text: &str) {
        let mut session = self.session.clone();
        session.title = Some(title(text));
        self.session_changed(session);
    }

    pub(super) fn state(&mut self, state: &SessionStateChanged) {
        self.activity(match state.state {
            SessionState::Idle => Activity::Idle,
            SessionState::Running => Activity::Running,
            SessionState::RequiresAction => Activity::RequiresAction,
            _ => return,
        });
    }

    pub(super) fn status(&mut self, status: &Status) {
        if let Some(mode) = &status.permission_mode {
            let mut session = self.session.clone();
            session.permission_mode = Some(title(mode.as_str()));
            self.session_changed(session);
        }
        if status.compact_result == Some(CompactResult::Failed) {
            let id = self.id_or_number(status.uuid.as_ref(), "status");
            let why = status.compact_error.as_deref().map(lines);
            let detail = why.map(|why| cut(why, self.limits.output));
            let text = "The conversation could not be compacted";
            self.notice(id, None, NoticeKind::Warning, text, detail);
        }
    }

    /// Adds the notice of a failed model request.
    pub(super) fn api_error(
        &mut self,
        message: &AssistantMessage,
        parent: Option<&EntryId>,
        error: &AssistantError,
    ) {
        self.retried();
        let id = self.id_or_number(message.uuid.as_ref(), "error");
        let content = &message.message.content;
        let texts: Vec<&str> = content.iter().filter_map(|it| it.as_text()).collect();
        let detail = cut(lines(&texts.join("\n")), self.limits.output);
        let text = format!("The model request failed: {}", error.as_str());
        self.notice(id, parent, NoticeKind::ApiError, &text, Some(detail));
    }

    /// Removes the notice about a retry: the retry succeeded, or there is none.
    pub(crate) fn retried(&mut self) {
        if let Some(id) = self.fold.retry.take() {
            self.remove(&id);
        }
    }

    pub(super) fn rate_limit(&mut self, event: &RateLimitEvent) {
        let info = &event.rate_limit_info;
        let which = info.rate_limit_type.as_ref().map(RateLimitType::as_str);
        let which = which.unwrap_or("rate").replace('_', " ");
        let text = match info.status {
            RateLimitStatus::Rejected => format!("The {which} limit is reached"),
            RateLimitStatus::AllowedWarning => format!("The {which} limit is close"),
            _ => return,
        };
        let detail = info.resets_at.as_ref().map(|at| LongText {
            text: format!("It resets at the Unix time {at}."),
            omitted: None,
        });
        let id = self.id_or_number(event.uuid.as_ref(), "limit");
        self.notice(id, None, NoticeKind::RateLimit, &text, detail);
    }

    pub(super) fn system_notice(&mut self, message: &SystemMessage) {
        match message {
            SystemMessage::CompactBoundary(boundary) => {
                let id = self.id_or_number(boundary.uuid.as_ref(), "compacted");
                let text = match boundary.compact_metadata.trigger {
                    Some(CompactTrigger::Auto) => "Compacted, because the context was full",
                    _ => "Compacted",
                };
                self.fold.compaction = Some(id.clone());
                self.notice(id, None, NoticeKind::Compacted, text, None);
            }
            SystemMessage::ApiRetry(retry) => {
                let error = retry.error.as_ref().map_or("no response", |it| it.as_str());
                let status = retry.error_status.map(|it| format!(" ({it})"));
                let attempt = retry.attempt.unwrap_or_default();
                let most = retry.max_retries.map(|it| format!(" of {it}"));
                let text = format!(
                    "The model request failed: {error}{}; retry {attempt}{}",
                    status.unwrap_or_default(),
                    most.unwrap_or_default(),
                );
                match self.fold.retry.clone() {
                    Some(id) if self.get(&id).is_some() => {
                        self.set(&id, Member::Title(title(&text)));
                    }
                    _ => {
                        let id = self.id_or_number(retry.uuid.as_ref(), "retry");
                        self.fold.retry = Some(id.clone());
                        self.notice(id, None, NoticeKind::Retrying, &text, None);
                    }
                }
            }
            SystemMessage::ModelRefusalFallback(change) => {
                for uuid in change.retracted_message_uuids.iter().flatten() {
                    self.retract(uuid);
                }
                let model = change.fallback_model.as_deref().unwrap_or("another model");
                let text = format!("The model refused; {model} responds");
                let detail = change.content.as_deref().map(lines);
                let detail = detail.map(|it| cut(it, self.limits.output));
                let id = self.id_or_number(change.uuid.as_ref(), "model");
                self.notice(id, None, NoticeKind::ModelChanged, &text, detail);
            }
            SystemMessage::ModelRefusalNoFallback(refusal) => {
                let detail = refusal.content.as_deref().map(lines);
                let detail = detail.map(|it| cut(it, self.limits.output));
                let id = self.id_or_number(refusal.uuid.as_ref(), "model");
                let text = "The model refused to respond";
                self.notice(id, None, NoticeKind::ApiError, text, detail);
            }
            SystemMessage::HookResponse(hook) => {
                let printed = [&hook.output, &hook.stdout, &hook.stderr];
                let printed = printed
                    .into_iter()
                    .flatten()
                    .find(|it| !it.trim().is_empty());
                let failed = !matches!(hook.outcome, None | Some(HookOutcome::Success));
                if printed.is_none() && !failed {
                    return;
                }
                let text = match failed {
                    true => format!("The hook {} failed", hook.hook_name),
                    false => format!("The hook {} reported", hook.hook_name),
                };
                let detail = printed.map(|it| cut(output(it), self.limits.output));
                let id = self.id_or_number(hook.uuid.as_ref(), "hook");
                self.notice(id, None, NoticeKind::Hook, &text, detail);
            }
            SystemMessage::Informational(line) => {
                let kind = match line.level {
                    Some(InformationalLevel::Warning) => NoticeKind::Warning,
                    _ => NoticeKind::Info,
                };
                let (first, rest) = line.content.split_once('\n').unwrap_or((&line.content, ""));
                let id = self.id_or_number(line.uuid.as_ref(), "info");
                self.lines_notice(id, kind, first, rest);
            }
            SystemMessage::LocalCommandOutput(printed) => {
                let id = self.id_or_number(printed.uuid.as_ref(), "output");
                self.command_output(id, &printed.content);
            }
            SystemMessage::MirrorError(error) => {
                let id = self.id_or_number(error.uuid.as_ref(), "problem");
                let text = format!("The transcript was not stored: {}", error.error);
                self.notice(id, None, NoticeKind::Warning, &text, None);
            }
            SystemMessage::SessionWritesLost(lost) => {
                let id = self.id_or_number(lost.uuid.as_ref(), "problem");
                let text = "The session was not saved, because the disk is full";
                self.notice(id, None, NoticeKind::Warning, text, None);
            }
            _ => {}
        }
    }
}
