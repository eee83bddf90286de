use agentwire::protocol::hook::{PreToolUse, PreToolUseOutput};
use agentwire::hook::HookCall;
use agentwire::{Error, Hook, Options, prompt};

pub async fn run(options: Options) -> Result<(), Error> {
    let no_pushes = Hook::new(|call: HookCall<PreToolUse>| async move {
        let pushes = call.event.tool_input.get().contains("git push");
        pushes.then(|| PreToolUseOutput::deny("Pushing is done by the release team."))
    });
    // A gate: if the closure panics or fails, the call is blocked.
    let options = options.hook(no_pushes.matcher("Bash").gate());
    println!("{}", prompt("Publish it.", options).await?.text());
    Ok(())
}
