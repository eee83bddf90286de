"""A web server for sessions: `POST /sessions` starts one, `GET /sessions/ID` is
its stream of server-sent events with messages and permission requests in order,
`POST /sessions/ID` sends a prompt, `POST /sessions/ID/requests/REQUEST` with `yes`
or `no` answers a request. A session ends with its event stream."""

import asyncio
import json
from dataclasses import asdict
from itertools import count

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient
from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny
from starlette.applications import Starlette
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

sessions = {}
numbers = count()


class Session:
    def __init__(self):
        self.events, self.requests = asyncio.Queue(), {}
        options = ClaudeAgentOptions(include_partial_messages=True, can_use_tool=self.ask)
        self.client = ClaudeSDKClient(options)

    async def ask(self, tool, tool_input, context):
        answer = self.requests[context.tool_use_id] = asyncio.get_running_loop().create_future()
        data = f"{context.tool_use_id} {tool} {json.dumps(tool_input)}"
        await self.events.put(f"event: request\ndata: {data}\n\n")
        if await answer == "yes":
            return PermissionResultAllow()
        return PermissionResultDeny(message="The user said no.")

    async def pump(self):
        async for message in self.client.receive_messages():
            await self.events.put(f"data: {json.dumps(asdict(message))}\n\n")


async def start(request):
    session = Session()
    await session.client.connect()
    sessions[number := next(numbers)] = session
    return Response(str(number))


async def events(request):
    session = sessions[request.path_params["id"]]

    async def stream():
        pump = asyncio.create_task(session.pump())
        try:
            while True:
                yield await session.events.get()
        finally:
            pump.cancel()
            await session.client.disconnect()

    return StreamingResponse(stream(), media_type="text/event-stream")


async def send(request):
    session = sessions.get(request.path_params["id"])
    if session is None:
        return Response(status_code=404)
    await session.client.query((await request.body()).decode())
    return Response(status_code=202)


async def answer(request):
    session = sessions.get(request.path_params["id"])
    future = session and session.requests.pop(request.path_params["request"], None)
    if not future:
        return Response(status_code=404)
    future.set_result((await request.body()).decode())
    return Response(status_code=204)


app = Starlette(
    routes=[
        Route("/sessions", start, methods=["POST"]),
        Route("/sessions/{id:int}", events),
        Route("/sessions/{id:int}", send, methods=["POST"]),
        Route("/sessions/{id:int}/requests/{request}", answer, methods=["POST"]),
    ]
)
