//! Closing all sessions.

use super::closer::{CLOSER, is_this_thread};
use super::closing::Closing;
use super::policy::CloseReport;

/// Closes all sessions of this process at once, and blocks until all processes that they
/// started have exited.
///
/// It is for signal handlers and the end of a program: it ends the sessions of every part of the
/// program, and running turns are cut off. To close some sessions, or within a deadline, put them
/// into a [`SessionGroup`](crate::SessionGroup).
///
/// It also waits for sessions that are already closing because their clients were dropped. Sessions of agents that were
/// spawned elsewhere ([`Client::connect_over`](crate::Client::connect_over)) have no processes
/// here and are not closed.
///
/// This takes at most as long as the longest
/// [`ClosePolicy`](super::ClosePolicy) allows, without its `finish`, plus some
/// seconds to list the processes. Returns the reports of the sessions that were
/// not closed before. A session that is not closed within that time has no
/// report. A session that another thread starts meanwhile is not closed.
///
/// No runtime is needed, and any thread may call it. In async code, call it
/// with `tokio::task::spawn_blocking`, so that sessions can close the stdin of
/// their CLIs. If they cannot, the CLIs are terminated after
/// [`ClosePolicy::exit`](super::ClosePolicy::exit).
///
/// agentwire installs no signal handlers; that is up to your application. For
/// example, with tokio:
///
/// ```no_run
/// use tokio::signal::unix::{SignalKind, signal};
/// # async fn work() {}
///
/// # async fn example() -> std::io::Result<()> {
/// let mut terminate = signal(SignalKind::terminate())?;
/// tokio::select! {
///     _ = work() => {}
///     _ = terminate.recv() => {}
///     _ = tokio::signal::ctrl_c() => {}
/// }
/// let reports = tokio::task::spawn_blocking(agentwire::close_all).await?;
/// for report in reports {
///     assert!(report.remaining.is_empty() && !report.descendants_unknown);
/// }
/// # Ok(())
/// # }
/// ```
///
/// SIGKILL has no handler: see [`ExitGuard`](crate::ExitGuard) for its effect and remedies.
pub fn close_all() -> Vec<CloseReport> {
    let mut children = CLOSER.children();
    children.retain(|child| child.is_ours() && !child.is_closed());
    for child in &children {
        CLOSER.close(child, child.closes_input_with_all());
    }
    // In a panic hook of the closer itself, no other thread finishes its work.
    if is_this_thread() {
        children.iter().for_each(Closing::abandon);
    }
    children.iter().filter_map(|child| child.wait()).collect()
}
