"""A chat in the terminal: text as it is written, permission prompts with "yes",
"no" and "always", `/model NAME`; Ctrl-C interrupts the turn."""

import asyncio
import signal

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage, StreamEvent
from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny


async def ask(tool, tool_input, context):
    answer = await asyncio.to_thread(input, f"\n{tool} {tool_input}? [yes/no/always] ")
    if answer == "always":
        return PermissionResultAllow(updated_permissions=context.suggestions)
    return PermissionResultAllow() if answer == "yes" else PermissionResultDeny(message="no")


async def main():
    options = ClaudeAgentOptions(include_partial_messages=True, can_use_tool=ask)
    async with ClaudeSDKClient(options) as client:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(
            signal.SIGINT, lambda: asyncio.ensure_future(client.interrupt())
        )
        while line := await asyncio.to_thread(input, "\n> "):
            if line.startswith("/model "):
                await client.set_model(line.removeprefix("/model "))
                continue
            await client.query(line)
            async for message in client.receive_response():
                if isinstance(message, StreamEvent):
                    print(message.event.get("delta", {}).get("text", ""), end="", flush=True)
                elif isinstance(message, ResultMessage) and message.is_error:
                    raise RuntimeError(message.result)


asyncio.run(main())
