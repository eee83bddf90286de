"""Rates 200 texts, eight at a time, with structured output, retries and the cost."""

import asyncio

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query
from pydantic import BaseModel


class Rating(BaseModel):
    label: str
    score: float


async def rate(number, limit):
    schema = {"type": "json_schema", "schema": Rating.model_json_schema()}
    options = ClaudeAgentOptions(output_format=schema)
    async with limit:
        for tries in range(1, 4):
            async for message in query(prompt=f"Rate review {number}.", options=options):
                if isinstance(message, ResultMessage):
                    result = message
            if result.api_error_status not in (429, 500, 529) or tries == 3:
                break
            await asyncio.sleep(tries)
        if result.is_error:
            raise RuntimeError(result.result)
        return Rating.model_validate(result.structured_output), result.total_cost_usd or 0.0


async def main():
    limit, good, cost = asyncio.Semaphore(8), 0, 0.0
    for rating in asyncio.as_completed([rate(number, limit) for number in range(1, 201)]):
        try:
            rating, usd = await rating
        except Exception as error:
            print(error)
            continue
        print(rating.label, rating.score)
        good += 1
        cost += usd
    print(f"{good} of 200, {cost:.4f} USD")


asyncio.run(main())
