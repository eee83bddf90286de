//! Closing all sessions at once.

use super::closer::{CLOSER, is_this_thread};
use super::closing::Closing;
use super::policy::CloseReport;

/// Ends every session of this process, all at once, and blocks until everything that they started
/// has gone. It is for a program that is about to exit, whatever made it: a signal, a panic, its
/// end. Sessions that are ending already, because their clients were dropped, are waited for as
/// well; those that somebody else started ([`Client::connect_over`](crate::Client::connect_over))
/// have no processes here, and are left alone.
///
/// It takes no longer than the longest [`ClosePolicy`](super::ClosePolicy) allows, without its `finish`, and some
/// seconds to list the processes. It gives the reports of those sessions that were not over before;
/// one that was not done in that time has none. A session that another thread starts meanwhile is
/// not ended.
///
/// It needs no runtime, and may be called on any thread. Inside async code it is called by
/// `tokio::task::spawn_blocking`, so that the sessions can close the inputs of their CLIs; where
/// they cannot, the CLIs are terminated when [`ClosePolicy::exit`](super::ClosePolicy::exit) is over.
///
/// Signals are the program's business: what to do on one is for the program to say, and only one
/// place in it can. With tokio, for instance:
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
///     assert!(report.left.is_empty() && !report.descendants_unknown);
/// }
/// # Ok(())
/// # }
/// ```
///
/// Against SIGKILL there is no handler: [`ExitGuard`](crate::ExitGuard) says what is left then, and
/// what can be done.
pub fn close_all() -> Vec<CloseReport> {
    let mut children = CLOSER.children();
    children.retain(|child| child.is_ours() && !child.is_closed());
    for child in &children {
        CLOSER.close(child, child.closes_input_with_all());
    }
    // Nobody else will do what the closer was about to do when it panicked, with a hook that ends
    // all sessions.
    if is_this_thread() {
        children.iter().for_each(Closing::abandon);
    }
    children.iter().filter_map(|child| child.wait()).collect()
}
