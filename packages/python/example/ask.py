"""A small program on the official SDK: asks one question, prints the answer.

    python3 ask.py "What is in this directory?"
"""

import asyncio
import sys
from dataclasses import replace

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultAllow,
    PermissionResultDeny,
    TextBlock,
)

HARMLESS = {"Read", "Glob", "Grep"}


async def decide(tool, input, context):
    if tool in HARMLESS:
        return PermissionResultAllow()
    return PermissionResultDeny(message=f"{tool} is not allowed here.")


async def ask(question, options):
    """Yields the texts of the answer as they arrive."""
    async with ClaudeSDKClient(replace(options, can_use_tool=decide)) as client:
        await client.query(question)
        async for message in client.receive_response():
            if isinstance(message, AssistantMessage):
                for block in message.content:
                    if isinstance(block, TextBlock):
                        yield block.text


async def main():
    async for text in ask(sys.argv[1], ClaudeAgentOptions()):
        print(text, flush=True)


if __name__ == "__main__":
    asyncio.run(main())
