"""The official Python SDK as a contestant: runs the program that is its
argument, and prints what it measured as one line of JSON. The programs are those
of benches/suite/src/contestants.
"""

import asyncio
import json
import os
import resource
import sys
import time

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage, query

COUNT = int(os.environ.get("BENCH_COUNT", "0"))


def options(**more):
    return ClaudeAgentOptions(
        cli_path=os.environ["BENCH_CLI"],
        include_partial_messages=True,
        # Unset, a longer line ends the session.
        max_buffer_size=64 * 1024 * 1024,
        **more,
    )


def times(micros):
    micros.sort()
    at = lambda percent: micros[min(len(micros) * percent // 100, len(micros) - 1)]
    return {"p50_us": at(50), "p99_us": at(99)}


async def stream():
    start = time.perf_counter()
    first = None
    messages = 0
    async for message in query(prompt="hello", options=options()):
        messages += 1
        first = first or time.perf_counter()
        if isinstance(message, ResultMessage):
            end = time.perf_counter()
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "messages": messages,
        "seconds": end - first,
        "total_seconds": end - start,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_kb": used.ru_maxrss,
    }


async def round_trip():
    async with ClaudeSDKClient(options()) as client:
        micros = []
        for _ in range(COUNT):
            start = time.perf_counter()
            await client.set_model("x")
            micros.append((time.perf_counter() - start) * 1e6)
        return times(micros)


programs = {"stream": stream, "round-trip": round_trip}
print(json.dumps(asyncio.run(programs[sys.argv[1]]())))
