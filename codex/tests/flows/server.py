"""An MCP server on stdio."""
import json
import sys

TOOLS = [
    {"name": "read", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
    {"name": "ask", "inputSchema": {"type": "object"}},
]
SCHEMA = {"type": "object", "properties": {"colour": {"type": "string", "enum": ["red", "blue"]}}}


def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    method, params = message.get("method"), message.get("params", {})
    if method == "initialize":
        info = {"name": "here", "version": "1"}
        version = params["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        send(id=message["id"], result=result)
    elif method == "tools/list":
        send(id=message["id"], result={"tools": TOOLS})
    elif method == "tools/call" and params["name"] == "ask":
        call = message["id"]
        wanted = {"message": "Which colour?", "requestedSchema": SCHEMA}
        send(id="question", method="elicitation/create", params=wanted)
    elif message.get("id") == "question":
        text = json.dumps(message["result"])
        send(id=call, result={"content": [{"type": "text", "text": text}]})
    elif method == "tools/call":
        send(id=message["id"], result={"content": [{"type": "text", "text": "read"}]})
