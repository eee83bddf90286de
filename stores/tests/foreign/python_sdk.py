"""Serves a store of the official Python SDK: that in memory, or one of its examples.

The argument is `memory`, `postgres`, `redis` or `s3`; servers are those of `scripts/stores`.
"""

import asyncio
import os
import pathlib
import sys
import urllib.parse

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parents[2] / "testkit/examples/python"))

from serve_store import serve  # noqa: E402


async def store(name):
    if name == "memory":
        from claude_agent_sdk import InMemorySessionStore

        return InMemorySessionStore()
    if name == "postgres":
        import asyncpg
        from session_stores.postgres_session_store import PostgresSessionStore

        words = dict(word.split("=") for word in os.environ["AGENTWIRE_TEST_POSTGRES"].split())
        words["database"] = words.pop("dbname")
        pool = await asyncpg.create_pool(**words, min_size=1, max_size=4)
        made = PostgresSessionStore(pool, "python_sdk")
        await made.create_schema()
        return made
    if name == "redis":
        import redis.asyncio
        from session_stores.redis_session_store import RedisSessionStore

        address = os.environ["AGENTWIRE_TEST_REDIS"]
        client = redis.asyncio.Redis.from_url(address, decode_responses=True)
        return RedisSessionStore(client, "python-sdk")
    import boto3
    from session_stores.s3_session_store import S3SessionStore

    client = boto3.client(
        "s3",
        endpoint_url=os.environ["AGENTWIRE_TEST_S3"],
        region_name="us-east-1",
        aws_access_key_id="key",
        aws_secret_access_key="secret",
    )
    return S3SessionStore(bucket="agentwire", prefix="python-sdk", client=client)


async def main():
    await serve(await store(sys.argv[1]))


asyncio.run(main())
