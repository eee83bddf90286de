// Requires the feature `mcp`.
use agentwire::mcp::Tools;
use agentwire::schemars::{self, JsonSchema};
use agentwire::{Error, Options, prompt};
use serde::Deserialize;
use std::sync::{Arc, Mutex};

#[derive(Deserialize, JsonSchema)]
struct Note {
    text: String,
}

pub async fn run(options: Options) -> Result<(), Error> {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&notes);
    let desk = Tools::new().tool("note", "Keeps a note.", move |note: Note| {
        let kept = Arc::clone(&kept);
        async move {
            let mut kept = kept.lock().map_err(|error| error.to_string())?;
            if kept.len() == 1 {
                // The model reads this text, in a result that is an error.
                return Err("The desk is full.".to_owned());
            }
            kept.push(note.text);
            Ok("kept")
        }
    });
    let options = options.mcp_server("desk", desk).allowed_tools(["mcp__desk"]);
    println!("{}", prompt("Note two things.", options).await?.text());
    println!("{:?}", notes.lock().map(|notes| notes.clone()).unwrap_or_default());
    Ok(())
}
