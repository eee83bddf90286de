use agentwire::protocol::permission::CanUseTool;
use agentwire::callback::Response;
use agentwire::permission::{Audited, Policy, ReadOnly};
use agentwire::{Options, PermissionResult, prompt};

pub async fn run(options: Options) -> Result<(), agentwire::Error> {
    let handler = ReadOnly.or_deny("Only reading.");
    let log = |request: &CanUseTool, reply: &Response<PermissionResult>, _took| {
        let allowed = matches!(reply, Response::Now(PermissionResult::Allow(_)));
        println!("{} {}: allowed = {allowed}", request.tool_name, request.input);
    };
    let options = options.permission_handler(Audited::new(handler, log));
    println!("{}", prompt("Look around.", options).await?.text());
    Ok(())
}
