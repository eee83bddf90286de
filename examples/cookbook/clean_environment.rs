use agentwire::Options;
use agentwire::process::Environment;

pub async fn run(_: Options) -> Result<(), agentwire::Error> {
    let options = Options::new()
        .environment(Environment::minimal())
        .env("ANTHROPIC_API_KEY", "sk-ant-very-secret");
    // Printed, secrets are masked.
    let passed = options.passed_environment();
    for line in passed.to_string().lines() {
        if line.starts_with("ANTHROPIC") {
            println!("{line}");
        }
    }
    println!("AWS_SECRET_ACCESS_KEY: {:?}", passed.get("AWS_SECRET_ACCESS_KEY"));
    Ok(())
}
