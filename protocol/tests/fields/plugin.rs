//! The types of `agentwire_protocol::plugin`.

use crate::fields::table::{objects, unions};

objects! { plugin:
    LoadedPlugin { name, path, source, version }
    LocalPlugin { path, skip_mcp_discovery = "skipMcpDiscovery" }
}

unions! { plugin:
    PluginConfig by "type" { Local = "local" }
}
