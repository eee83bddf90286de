"""The answer to one prompt."""

import asyncio

from claude_agent_sdk import ResultMessage, query


async def main():
    async for message in query(prompt="What day is it?"):
        if isinstance(message, ResultMessage):
            if message.is_error:
                raise RuntimeError(message.result)
            print(message.result)


asyncio.run(main())
