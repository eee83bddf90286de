//! For tests: a program that ends while a command of Codex runs.
//!
//! `ends WAY OPTIONS`, where the options are JSON: the parameters of `thread/start`.

use agentwire_codex::machine::Event;
use agentwire_codex::wire::{Item, Notification};
use agentwire_codex::{Codex, CodexOptions, ThreadOptions};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let way = std::env::args().nth(1).unwrap_or_default();
    let settings = std::env::args().nth(2).unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let (codex, turn) = runtime.block_on(async {
        let codex = Codex::spawn(CodexOptions::new()).await?;
        let settings = serde_json::from_str(&settings)?;
        let options = ThreadOptions::new().settings(|it| *it = settings);
        let thread = codex.start(options).await?;
        let mut events = codex.events();
        let turn = thread.send("Run");
        loop {
            if let Event::Notification(frame) = events.recv().await?
                && let Notification::ItemStarted(it) =
                    Notification::read(frame.method(), &frame.params())
                && matches!(it.item, Item::CommandExecution(_))
            {
                return Ok::<_, Box<dyn Error>>((codex, turn));
            }
        }
    })?;
    match way.as_str() {
        "close" => drop(runtime.block_on(codex.close())),
        "close_all" => drop(agentwire::close_all()),
        "drop" => drop((codex, turn)),
        "shut_down" => {
            runtime.shutdown_background();
            drop((codex, turn));
        }
        "panic" => std::panic::panic_any("on purpose"),
        "exit" => std::process::exit(0),
        "abort" => std::process::abort(),
        // The test ends it.
        _ => std::thread::sleep(std::time::Duration::from_secs(60)),
    }
    Ok(())
}
