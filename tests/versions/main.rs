//! The same flows on several versions of the real CLI: a table of what works,
//! what a version does not support, and what is wrong. `scripts/versions`
//! installs the versions and prints the table.
//!
//! A flow is *ok*; or the session says, by a typed error or a notice, which
//! feature this version lacks; or it is *wrong*, which no cell may be.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "../support/mod.rs"]
mod support;

mod closing;
mod controls;
mod lab;
mod options;
mod permissions;
mod table;
mod turns;

use lab::{Cli, Fault, Lab};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use table::{Cell, Table};
use tokio::sync::Semaphore;

/// A flow: what it shows, and how it is played.
pub(crate) type Flow = (&'static str, fn(Lab) -> lab::Played);

/// How long a flow may take before it counts as hanging. On an idle machine
/// most take a second; a request that an old CLI ignores takes its timeout of a
/// minute.
const HANGS: Duration = Duration::from_secs(300);

/// How many flows run at once.
const AT_ONCE: usize = 4;

fn flows() -> Vec<Flow> {
    [
        turns::FLOWS,
        permissions::FLOWS,
        controls::FLOWS,
        closing::FLOWS,
        options::FLOWS,
    ]
    .concat()
}

fn main() {
    let filter = std::env::args().skip(1).find(|it| !it.starts_with('-'));
    let clis = Cli::of_environment();
    // A flow that panics is wrong, and the table says so.
    std::panic::set_hook(Box::new(|_| ()));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let table = runtime.block_on(run(&clis, filter.as_deref()));
    println!("{table}");
    let wrong = table.wrong();
    for line in &wrong {
        println!("{line}");
    }
    let counted = table.count();
    println!(
        "{} flows on {} versions: {} ok, {} not supported, {} wrong",
        table.rows(),
        clis.len(),
        counted.ok,
        counted.unsupported,
        wrong.len()
    );
    let cells = counted.ok + counted.unsupported + wrong.len();
    support::counted(cells, "flows played on versions of the CLI");
    if !wrong.is_empty() {
        std::process::exit(1);
    }
    if filter.is_none() {
        table.hold();
    }
}

async fn run(clis: &[Cli], filter: Option<&str>) -> Table {
    let permits = Arc::new(Semaphore::new(AT_ONCE));
    let mut runs = Vec::new();
    for (name, play) in flows() {
        if filter.is_some_and(|filter| !name.contains(filter)) {
            continue;
        }
        for cli in clis {
            let version = cli.version.clone();
            let (lab, permits) = (Lab::new(cli.clone()), Arc::clone(&permits));
            let run = tokio::spawn(async move {
                let _permit = permits.acquire_owned().await.unwrap();
                let flow = tokio::spawn(play(lab.clone()));
                let began = Instant::now();
                let cell = match tokio::time::timeout(HANGS, flow).await {
                    Ok(Ok(Ok(()))) => Cell::Ok,
                    Ok(Ok(Err(Fault::Unsupported(what)))) => Cell::Unsupported(what),
                    Ok(Ok(Err(Fault::Wrong(why)))) => Cell::Wrong(why),
                    Ok(Err(panicked)) => Cell::Wrong(lab::said(panicked)),
                    Err(_) => Cell::Wrong("hangs".to_owned()),
                };
                let cleaning_up = tokio::task::spawn_blocking(move || lab.clean_up());
                let cell = match (cell, cleaning_up.await) {
                    (Cell::Ok, Err(panicked)) => Cell::Wrong(lab::said(panicked)),
                    (cell, _) => cell,
                };
                eprintln!("{version}: {name}: {cell} ({:.1?})", began.elapsed());
                cell
            });
            runs.push((name, cli.version.clone(), run));
        }
    }
    let mut cells = BTreeMap::new();
    let mut names = Vec::new();
    for (name, version, run) in runs {
        if names.last() != Some(&name) {
            names.push(name);
        }
        cells.insert((name, version), run.await.unwrap());
    }
    let versions = clis.iter().map(|cli| cli.version.clone()).collect();
    Table::new(names, versions, cells)
}
