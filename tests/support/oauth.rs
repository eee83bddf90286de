//! An MCP server over HTTP that requires an OAuth login, and its authorization server.

use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// The code that [`OauthServer`] exchanges, and the token that it issues.
pub(crate) const CODE: &str = "the-code";
const TOKEN: &str = "the-token";

/// A server on loopback. It accepts any redirect address below `http`.
pub(crate) struct OauthServer {
    address: String,
    log: Arc<Mutex<Vec<String>>>,
}

impl OauthServer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let log = Arc::default();
        let (base, shared) = (address.clone(), Arc::clone(&log));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // Clients may close a connection at any time.
                tokio::spawn(serve(stream, base.clone(), Arc::clone(&shared)));
            }
        });
        Self { address, log }
    }

    /// Returns the address of the MCP server.
    pub(crate) fn mcp(&self) -> String {
        format!("{}/mcp", self.address)
    }

    /// Returns the MCP methods that were called with the token, in order.
    pub(crate) fn authorized_calls(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }
}

/// Serves the requests of a connection.
async fn serve(stream: TcpStream, base: String, log: Arc<Mutex<Vec<String>>>) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let (mut line, mut length, mut is_authorized) = (String::new(), 0, false);
    stream.read_line(&mut line).await.ok()?;
    let (method, path) = line.trim_end().rsplit_once(' ')?.0.split_once(' ')?;
    let (method, path) = (method.to_owned(), path.to_owned());
    loop {
        line.clear();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "authorization" => is_authorized = value == format!("Bearer {TOKEN}"),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    let (status, answer) = match (&*method, &*path) {
        ("GET", path) if path.starts_with("/.well-known/oauth-protected-resource") => (
            200,
            json!({"resource": format!("{base}/mcp"), "authorization_servers": [base]}),
        ),
        ("GET", "/.well-known/oauth-authorization-server") => (200, metadata(&base)),
        ("POST", "/register") => {
            let mut client: Value = serde_json::from_slice(&body).ok()?;
            client["client_id"] = json!("the-client");
            (201, client)
        }
        ("POST", "/token") if String::from_utf8_lossy(&body).contains(CODE) => (
            200,
            json!({"access_token": TOKEN, "token_type": "Bearer", "expires_in": 3600}),
        ),
        ("POST", "/token") => (400, json!({"error": "invalid_grant"})),
        (_, "/mcp") if !is_authorized => (401, json!({})),
        ("POST", "/mcp") => {
            let message: Value = serde_json::from_slice(&body).ok()?;
            log.lock()
                .unwrap()
                .push(message["method"].as_str()?.to_owned());
            rpc(&message)
        }
        _ => (404, json!({})),
    };
    let answer = answer.to_string();
    let resource = format!("{base}/.well-known/oauth-protected-resource");
    let head = format!(
        "HTTP/1.1 {status} Status\r\nContent-Type: application/json\r\nConnection: close\r\n\
         WWW-Authenticate: Bearer resource_metadata=\"{resource}\"\r\nContent-Length: {}\r\n\r\n",
        answer.len()
    );
    stream.write_all((head + &answer).as_bytes()).await.ok()
}

fn metadata(base: &str) -> Value {
    json!({
        "issuer": base,
        "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"),
        "registration_endpoint": format!("{base}/register"),
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
    })
}

/// Returns the response to a JSON-RPC message of an MCP client.
fn rpc(message: &Value) -> (u16, Value) {
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "secured", "version": "1"},
        }),
        "tools/list" => json!({"tools": [{"name": "hello", "inputSchema": {"type": "object"}}]}),
        "tools/call" => json!({"content": [{"type": "text", "text": "Hello, user."}]}),
        _ => return (202, json!({})),
    };
    (
        200,
        json!({"jsonrpc": "2.0", "id": message["id"], "result": result}),
    )
}
