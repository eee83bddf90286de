//! A tap: records all that a CLI sends to the model, headers included.

use agentwire_testkit::model::ScriptedModel;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub(crate) struct Tap {
    pub(crate) url: String,
    sent: Arc<Mutex<Vec<u8>>>,
}

impl Tap {
    /// Starts a tap in front of the model.
    pub(crate) async fn start(model: &ScriptedModel) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let model = model.url().trim_start_matches("http://").to_owned();
        let sent = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&sent);
        tokio::spawn(async move {
            while let Ok((agent, _)) = listener.accept().await {
                let model = TcpStream::connect(&model).await.unwrap();
                let (mut requests, mut to_agent) = agent.into_split();
                let (mut responses, mut to_model) = model.into_split();
                tokio::spawn(async move {
                    let _ = tokio::io::copy(&mut responses, &mut to_agent).await;
                });
                // A request must be found in one piece.
                let all = Arc::clone(&all);
                tokio::spawn(async move {
                    let mut read = Vec::new();
                    while let Ok(1..) = requests.read_buf(&mut read).await {
                        all.lock().unwrap().extend_from_slice(&read);
                        if to_model.write_all(&read).await.is_err() {
                            return;
                        }
                        read.clear();
                    }
                });
            }
        });
        Self { url, sent }
    }

    /// Returns what was sent so far.
    pub(crate) fn sent(&self) -> String {
        String::from_utf8_lossy(&self.sent.lock().unwrap()).into_owned()
    }
}
