"""The official Python SDK as a contestant: runs the program that is its
argument, and prints what it measured as one line of JSON. The programs are those
of benches/suite/src/contestants.
"""

import asyncio
import json
import os
import sys
import time

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultAllow,
    ResultMessage,
    StreamEvent,
    query,
)

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


def status(name):
    """Of /proc, as the Rust contestants read it."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name))


async def until_result(client):
    async for _ in client.receive_response():
        pass


async def stream():
    start = time.perf_counter()
    first = None
    messages = 0
    async for message in query(prompt="hello", options=options()):
        messages += 1
        first = first or time.perf_counter()
        if isinstance(message, ResultMessage):
            end = time.perf_counter()
    return {
        "messages": messages,
        "seconds": end - first,
        "total_seconds": end - start,
        "cpu_seconds": time.process_time(),
        "peak_kb": status("VmHWM"),
    }


async def round_trip():
    async with ClaudeSDKClient(options()) as client:
        micros = []
        for _ in range(COUNT):
            start = time.perf_counter()
            await client.set_model("x")
            micros.append((time.perf_counter() - start) * 1e6)
        return times(micros)


async def connect():
    micros = []
    for _ in range(COUNT):
        client = ClaudeSDKClient(options())
        start = time.perf_counter()
        await client.connect()
        micros.append((time.perf_counter() - start) * 1e6)
        await client.disconnect()
    return times(micros)


async def first_token():
    async with ClaudeSDKClient(options()) as client:
        micros = []
        for _ in range(COUNT):
            start = time.perf_counter()
            await client.query("hello")
            async for message in client.receive_response():
                if isinstance(message, StreamEvent):
                    micros.append((time.perf_counter() - start) * 1e6)
        return times(micros)


async def callbacks():
    async def allow(name, tool_input, context):
        return PermissionResultAllow()

    async with ClaudeSDKClient(options(can_use_tool=allow)) as client:
        await client.query("hello")
        await until_result(client)
    return {}


async def send():
    async with ClaudeSDKClient(options()) as client:
        start = time.perf_counter()
        for _ in range(COUNT):
            await client.query("hello")
        await until_result(client)
        return {"sent_per_second": COUNT / (time.perf_counter() - start)}


async def idle():
    clients = []
    descriptors = lambda: len(os.listdir("/proc/self/fd"))
    for number in range(COUNT):
        clients.append(ClaudeSDKClient(options()))
        await clients[-1].connect()
        if number == 0:
            before = status("VmRSS"), descriptors()
    measured = {
        "kb_each": (status("VmRSS") - before[0]) / (COUNT - 1),
        "descriptors_each": (descriptors() - before[1]) / (COUNT - 1),
    }
    for client in reversed(clients):
        await client.disconnect()
    return measured


async def keep():
    async with ClaudeSDKClient(options()) as client:
        before = status("VmRSS")
        await client.query("hello")
        kept = [message async for message in client.receive_response()]
        each = (status("VmRSS") - before) * 1024 / len(kept)
        return {
            "kept": len(kept),
            "bytes_each": each,
            "bytes_over_line": each - int(os.environ["BENCH_LINE_BYTES"]),
        }


programs = {
    "stream": stream,
    "round-trip": round_trip,
    "connect": connect,
    "first-token": first_token,
    "callbacks": callbacks,
    "send": send,
    "idle": idle,
    "keep": keep,
}
print(json.dumps(asyncio.run(programs[sys.argv[1]]())))
