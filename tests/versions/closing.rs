//! Closing, dropping and killing, whatever the session is doing.

use crate::lab::{Bench, Fault, Lab, ask, bash, ensure, flows};
use crate::support::{hasty, kill, says, wait_for, wait_until_gone};
use agentwire::{Client, EndReason, Error, Later};
use agentwire_testkit::{Scenario, Step};
use std::path::Path;
use std::time::Duration;
use tokio::sync::mpsc;

flows! {
    "close when idle" => close_idle,
    "close while the model streams" => close_streaming,
    "close while a tool runs" => close_tool,
    "close while a permission request is pending" => close_ask,
    "drop when idle" => drop_idle,
    "drop while the model streams" => drop_streaming,
    "drop while a tool runs" => drop_tool,
    "drop while a permission request is pending" => drop_ask,
    "kill -9 when idle" => kill_idle,
    "kill -9 while the model streams" => kill_streaming,
    "kill -9 while a tool runs" => kill_tool,
    "kill -9 while a permission request is pending" => kill_ask,
}

/// What the session is doing when it ends.
#[derive(Clone, Copy)]
enum Doing {
    Nothing,
    Streaming,
    Running,
    Asking,
}

/// Waits until a file is there.
pub(crate) async fn until_there(file: &Path) {
    while !file.exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

struct Session {
    client: Client,
    bench: Bench,
}

/// A session that does this.
async fn session(lab: Lab, doing: Doing) -> Result<Session, Fault> {
    let reply = match doing {
        Doing::Nothing => vec![Step::text("Hello.")],
        Doing::Streaming => vec![Step::text("Once upon "), Step::WaitMs(600_000)],
        Doing::Running | Doing::Asking => {
            vec![bash("echo $$ > pid; while :; do sleep 0.1; done")]
        }
    };
    let bench = lab.start(Scenario::default().reply(reply)).await;
    let (sender, mut asks) = mpsc::unbounded_channel();
    let options = match doing {
        Doing::Asking => bench.options().on_permission(move |ask| {
            sender.send(ask).unwrap();
            async { Later }
        }),
        _ => bench.allowing(),
    };
    let policy = hasty().finish(Duration::from_millis(300));
    let mut client = Client::connect(options.close_policy(policy)).await?;
    match doing {
        Doing::Nothing => drop(ask(&mut client, "Hi").await?.well()?),
        Doing::Streaming => {
            client.send("Tell a story").await?;
            wait_for(&mut client, says("upon")).await;
        }
        Doing::Running => {
            client.send("Dig").await?;
            until_there(&bench.live.project().join("pid")).await;
        }
        Doing::Asking => {
            client.send("Dig").await?;
            asks.recv().await.unwrap();
        }
    }
    Ok(Session { client, bench })
}

impl Session {
    /// The CLI is gone, and its tool.
    async fn leaves_nothing(bench: &Bench, pid: u32) -> Result<(), Fault> {
        let tool = std::fs::read_to_string(bench.live.project().join("pid")).ok();
        let tool = tool.and_then(|it| it.trim().parse().ok());
        let waiting = tokio::task::spawn_blocking(move || {
            wait_until_gone(pid);
            if let Some(tool) = tool {
                wait_until_gone(tool);
            }
        });
        waiting
            .await
            .map_err(|panicked| Fault::Wrong(crate::lab::said(panicked)))
    }
}

async fn close(lab: Lab, doing: Doing) -> Result<(), Fault> {
    let Session { mut client, bench } = session(lab, doing).await?;
    let pid = client.pid().unwrap();
    let report = client.close().await;
    ensure!(report.exit.is_some(), "{report:?}");
    Session::leaves_nothing(&bench, pid).await
}

async fn close_idle(lab: Lab) -> Result<(), Fault> {
    close(lab, Doing::Nothing).await
}

async fn close_streaming(lab: Lab) -> Result<(), Fault> {
    close(lab, Doing::Streaming).await
}

async fn close_tool(lab: Lab) -> Result<(), Fault> {
    close(lab, Doing::Running).await
}

async fn close_ask(lab: Lab) -> Result<(), Fault> {
    close(lab, Doing::Asking).await
}

async fn dropped(lab: Lab, doing: Doing) -> Result<(), Fault> {
    let Session { client, bench } = session(lab, doing).await?;
    let pid = client.pid().unwrap();
    drop(client);
    Session::leaves_nothing(&bench, pid).await
}

async fn drop_idle(lab: Lab) -> Result<(), Fault> {
    dropped(lab, Doing::Nothing).await
}

async fn drop_streaming(lab: Lab) -> Result<(), Fault> {
    dropped(lab, Doing::Streaming).await
}

async fn drop_tool(lab: Lab) -> Result<(), Fault> {
    dropped(lab, Doing::Running).await
}

async fn drop_ask(lab: Lab) -> Result<(), Fault> {
    dropped(lab, Doing::Asking).await
}

/// The stream ends with an error that tells it, and nothing is left.
async fn killed(lab: Lab, doing: Doing) -> Result<(), Fault> {
    let Session { mut client, bench } = session(lab, doing).await?;
    let pid = client.pid().unwrap();
    kill(pid);
    let error = loop {
        match client.next().await {
            Some(Ok(_)) => {}
            Some(Err(error)) => break error,
            None => return Err(Fault::Wrong("the stream ended without an error".to_owned())),
        }
    };
    let Error::Ended(end) = error else {
        return Err(Fault::Wrong(format!("{error}")));
    };
    ensure!(end.reason == EndReason::Exited, "{end}");
    Session::leaves_nothing(&bench, pid).await
}

async fn kill_idle(lab: Lab) -> Result<(), Fault> {
    killed(lab, Doing::Nothing).await
}

async fn kill_streaming(lab: Lab) -> Result<(), Fault> {
    killed(lab, Doing::Streaming).await
}

async fn kill_tool(lab: Lab) -> Result<(), Fault> {
    killed(lab, Doing::Running).await
}

async fn kill_ask(lab: Lab) -> Result<(), Fault> {
    killed(lab, Doing::Asking).await
}
