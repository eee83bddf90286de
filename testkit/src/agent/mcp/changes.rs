//! Requests of the host that enable, disable or replace MCP servers.

use super::super::Agent;
use super::client::Server;
use agentwire_protocol::control::{self, Refusal};
use agentwire_protocol::json::Json;
use agentwire_protocol::mcp::McpConnection;
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Toggle {
    server_name: String,
    enabled: bool,
}

#[derive(Deserialize)]
struct SetServers {
    servers: Map<String, Value>,
}

impl SetServers {
    /// Reads the servers of a request. An invalid request has none.
    fn read(request: &Json) -> Option<Map<String, Value>> {
        let servers = request.read::<Self>().ok()?.servers;
        servers.values().all(Value::is_object).then_some(servers)
    }
}

impl Agent {
    /// Enables or disables a server. The response to a request that enables a
    /// server is sent when the server is connected or has failed.
    pub(in crate::agent) fn toggle_server(&mut self, request_id: &str, request: &Json) {
        let toggle = match request.read::<Toggle>() {
            Ok(toggle) => toggle,
            Err(_) => {
                let why = "mcp_toggle: serverName must be a string and enabled true or false";
                return self.respond(request_id, Err(Refusal::new(why)));
            }
        };
        let name = toggle.server_name;
        let Some(server) = self.mcp.server(&name) else {
            let refusal = Refusal::new(format!("Server not found: {name}"));
            return self.write_raw(control::failure(request_id, &refusal));
        };
        if toggle.enabled {
            *server = Server::new(&name);
            server.is_listed = true;
            self.mcp.toggled = Some((name.clone(), request_id.to_owned()));
            self.initialize_server(&name);
        } else {
            server.state = McpConnection::Disabled;
            server.tools.clear();
            self.send(control::success::<Json>(request_id, None));
        }
    }

    /// Answers a pending request to enable this server, if the server is no
    /// longer pending.
    pub(super) fn answer_toggle(&mut self, name: &str) {
        let is_there = self
            .mcp
            .server(name)
            .is_some_and(|server| server.state != McpConnection::Pending);
        if let Some((_, request_id)) = self.mcp.toggled.take_if(|it| is_there && it.0 == name) {
            self.send(control::success::<Json>(&request_id, None));
        }
    }

    /// Replaces the set of servers. Servers that do not run inside the host are
    /// rejected, because the agent does not support them.
    pub(in crate::agent) fn set_servers(&mut self, request_id: &str, request: &Json) {
        let Some(wanted) = SetServers::read(request) else {
            let why = "mcp_set_servers: servers must be an object of configurations";
            return self.respond(request_id, Err(Refusal::new(why)));
        };
        let servers = &mut self.mcp.servers;
        let is_removed = |server: &Server| !wanted.contains_key(&server.name);
        let removed: Vec<_> = (servers.iter().filter(|it| is_removed(it)))
            .map(|server| server.name.clone())
            .collect();
        servers.retain(|server| !is_removed(server));
        let (mut added, mut errors) = (vec![], Map::new());
        for (name, config) in wanted {
            if self.mcp.server(&name).is_some() {
                continue;
            }
            added.push(name.clone());
            if config["type"] == "sdk" {
                let mut server = Server::new(&name);
                server.is_listed = true;
                self.mcp.servers.push(server);
                self.initialize_server(&name);
            } else {
                let why = "The fake agent has no servers outside the host.";
                errors.insert(name, why.into());
            }
        }
        let answer = json!({ "added": added, "removed": removed, "errors": errors });
        self.send(control::success(request_id, Some(&answer)));
    }
}
