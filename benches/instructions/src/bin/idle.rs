//! Prints the number of heap bytes of an idle session, including its pipes of 2
//! KiB. It is a separate program, because counting takes instructions.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a number is what a measurement is for"
)]

use agentwire::transport::Pipes;
use agentwire::{Client, Options};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

const SESSIONS: u64 = 64;

async fn session() -> (Client, impl Sized) {
    let (to_agent, input) = tokio::io::duplex(1024);
    let (mut output, from_agent) = tokio::io::duplex(1024);
    let agent = tokio::spawn(async move {
        let mut input = BufReader::new(input);
        let mut request = String::new();
        input.read_line(&mut request).await.unwrap();
        let request: serde_json::Value = serde_json::from_str(&request).unwrap();
        let answer = serde_json::json!({"type": "control_response", "response":
            {"subtype": "success", "request_id": request["request_id"], "response": {}}});
        let answer = format!("{answer}\n");
        output.write_all(answer.as_bytes()).await.unwrap();
        (input.into_inner(), output)
    });
    let pipes = Pipes::new(from_agent, to_agent);
    let client = Client::connect_over(pipes, Options::new()).await.unwrap();
    (client, agent.await.unwrap())
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut sessions = Vec::with_capacity(2 * SESSIONS as usize);
    let mut begin = || {
        let counted = allocation_counter::measure(|| {
            runtime.block_on(async {
                for _ in 0..SESSIONS {
                    sessions.push(session().await);
                }
            });
        });
        counted.bytes_current
    };
    // Memory that all sessions share is allocated with the first ones.
    begin();
    println!("{}", begin() / SESSIONS as i64);
}
