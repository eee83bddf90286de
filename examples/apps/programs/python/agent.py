"""A protocol over the SDK, so that the rest of a program can be tested without it."""

import asyncio
from typing import Protocol

from claude_agent_sdk import ClaudeSDKClient, ResultMessage


class Agent(Protocol):
    async def ask(self, prompt: str) -> str: ...


class SdkAgent:
    def __init__(self, client):
        self.client = client

    async def ask(self, prompt):
        await self.client.query(prompt)
        async for message in self.client.receive_response():
            if isinstance(message, ResultMessage):
                if message.is_error:
                    raise RuntimeError(message.result)
                return message.result


class Mock:
    """Answers "yes" to everything."""

    async def ask(self, prompt):
        return "yes"


async def is_sure(agent: Agent):
    return await agent.ask("Are you sure?") == "yes"


async def main():
    async with ClaudeSDKClient() as client:
        print(await is_sure(Mock()), await is_sure(SdkAgent(client)))


asyncio.run(main())
