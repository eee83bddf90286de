//! Three turns of the real CLI with a scripted model: one with a tool of this program, one with a
//! permission request. The spans of this program and those of the CLI go to one receiver, which
//! prints them as a tree.
//!
//! ```sh
//! cargo run -p traces -- "$(../../scripts/install cli)"
//! ```

mod receiver;
mod tree;

use agentwire::mcp::Tools;
use agentwire::{Client, Options, PermissionResult};
use agentwire_testkit::model::ScriptedModel;
use agentwire_testkit::{Scenario, Step};
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use receiver::Receiver;
use serde_json::json;
use std::error::Error as StdError;
use std::path::Path;
use tracing::{Instrument, info_span};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

fn main() -> Result<(), Box<dyn StdError>> {
    let cli = std::env::args().nth(1).ok_or("usage: traces CLI")?;
    let runtime = tokio::runtime::Runtime::new()?;
    let receiver = runtime.block_on(Receiver::start())?;
    let provider = export_to(receiver.url())?;
    let home = tempfile::tempdir()?;
    std::fs::create_dir(home.path().join("tmp"))?;
    runtime.block_on(async {
        let model = ScriptedModel::start(script()).await?;
        let options = options(&cli, home.path(), &model.url(), receiver.url());
        // Everything in this span belongs to one trace, also the spans of the CLI.
        three_turns(options).instrument(info_span!("program")).await
    })?;
    // The CLI has sent its spans when it exited.
    provider.shutdown()?;
    print!("{}", tree::of(receiver.spans()));
    Ok(())
}

async fn three_turns(options: Options) -> Result<(), Box<dyn StdError>> {
    let mut client = Client::connect(options).await?;
    for prompt in ["Hello", "What does a crab cost?", "Buy one."] {
        client.prompt(prompt).await?.error_for_result()?;
    }
    client.close().await;
    Ok(())
}

fn options(cli: &str, home: &Path, model: &str, receiver: &str) -> Options {
    let shop = Tools::new().read_only_tool("price", "Returns the price.", |(): ()| async {
        Ok::<_, String>(7)
    });
    let variables = [
        ("ANTHROPIC_API_KEY", "anything"),
        ("ANTHROPIC_BASE_URL", model),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        // The spans of the CLI.
        ("CLAUDE_CODE_ENABLE_TELEMETRY", "1"),
        ("CLAUDE_CODE_ENHANCED_TELEMETRY_BETA", "1"),
        ("OTEL_TRACES_EXPORTER", "otlp"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", receiver),
    ];
    let options = Options::new()
        .cli(cli)
        .cwd(home)
        .clean_env()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("TMPDIR", home.join("tmp"))
        .setting_sources([])
        .mcp_server("shop", shop)
        .allowed_tools(["mcp__shop__price"])
        .on_permission(|_| async { PermissionResult::allow() });
    variables
        .into_iter()
        .fold(options, |options, (name, value)| options.env(name, value))
}

/// The model calls a tool of the program in the second turn, and the shell in the third.
fn script() -> Scenario {
    Scenario::default()
        .reply([Step::text("Hello.")])
        .reply([Step::tool("mcp__shop__price", json!({}), "")])
        .reply([Step::text("Seven.")])
        .reply([Step::tool("Bash", json!({ "command": "touch crab" }), "")])
        .reply([Step::text("Done.")])
}

/// Sends the spans of this program to a receiver.
fn export_to(receiver: &str) -> Result<SdkTracerProvider, Box<dyn StdError>> {
    let exporter = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpJson)
        .with_endpoint(format!("{receiver}/v1/traces"))
        .build()?;
    let provider = SdkTracerProvider::builder()
        .with_resource(Resource::builder().with_service_name("program").build())
        .with_batch_exporter(exporter)
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("agentwire"));
    let ours = Targets::new()
        .with_target("agentwire::telemetry", LevelFilter::INFO)
        .with_target("traces", LevelFilter::INFO);
    tracing_subscriber::registry()
        .with(layer.with_filter(ours))
        .init();
    Ok(provider)
}
