//! Tests of features of servers other than tools.

use super::support_library::Library;
use super::with;
use serde_json::json;
use std::sync::atomic::Ordering;

#[tokio::test]
async fn resources_and_prompts_are_listed_and_read_after_log_messages() {
    let library = Library::default();
    let (_client, mut agent) = with(library.clone()).await;
    let request = |method: &str, params| json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params});
    agent
        .sends("a1", request("resources/list", json!({})))
        .await;
    let logged = agent.hears_server().await;
    assert_eq!(logged["method"], "notifications/message");
    assert_eq!(logged["params"]["data"], "listed");
    let listed = agent.hears_reply("a1").await;
    assert_eq!(listed["result"]["resources"][0]["uri"], "book://page");

    let page = json!({"uri": "book://page"});
    for (method, params, at, expected) in [
        (
            "resources/read",
            page,
            "/result/contents/0/text",
            "It was a dark night.",
        ),
        (
            "prompts/list",
            json!({}),
            "/result/prompts/0/name",
            "recite",
        ),
        (
            "prompts/get",
            json!({"name": "recite"}),
            "/result/messages/0/content/text",
            "Recite something of yours.",
        ),
    ] {
        agent.sends("a2", request(method, params)).await;
        let reply = agent.hears_reply("a2").await;
        assert_eq!(reply.pointer(at).unwrap(), expected, "{reply}");
    }

    // The server is notified of changes of the agent's roots.
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"});
    agent.sends("a3", changed).await;
    agent.hears_reply("a3").await;
    agent.sends("a4", request("ping", json!({}))).await;
    agent.hears_reply("a4").await;
    while library.roots_changed.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
}
