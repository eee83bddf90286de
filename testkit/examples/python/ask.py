"""A small program that drives an agent CLI: asks one question, prints the answer.

It stands for your own program. The CLI is `claude`, or what AGENT_CLI names.

    python3 ask.py "What is in this directory?"
"""

import json
import os
import subprocess
import sys

# Tools that may run. Any other is denied.
HARMLESS = {"Read", "Glob", "Grep"}

FLAGS = [
    "--output-format=stream-json",
    "--input-format=stream-json",
    "--verbose",
    "--permission-prompt-tool=stdio",
]


def decide(request):
    if request["tool_name"] in HARMLESS:
        return {"behavior": "allow", "updatedInput": request["input"]}
    return {"behavior": "deny", "message": f"{request['tool_name']} is not allowed here."}


def main():
    cli = os.environ.get("AGENT_CLI", "claude")
    # Bytes, and not text: Python would split and end lines in its own way.
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    agent = subprocess.Popen([cli, *FLAGS], **pipes)

    def send(message):
        agent.stdin.write(json.dumps(message).encode() + b"\n")
        agent.stdin.flush()

    send({"type": "control_request", "request_id": "1", "request": {"subtype": "initialize"}})
    send({"type": "user", "message": {"role": "user", "content": sys.argv[1]}})

    failed = True
    for line in agent.stdout:
        message = json.loads(line)
        if message["type"] == "control_request":
            response = {"subtype": "error", "error": "not known here"}
            if message["request"]["subtype"] == "can_use_tool":
                answer = decide(message["request"])
                response = {"subtype": "success", "response": answer}
            response["request_id"] = message["request_id"]
            send({"type": "control_response", "response": response})
        elif message["type"] == "assistant":
            for block in message["message"]["content"]:
                if block["type"] == "text":
                    print(block["text"], flush=True)
        elif message["type"] == "result":
            failed = message["is_error"]
            agent.stdin.close()
    sys.exit(agent.wait() or int(failed))


main()
