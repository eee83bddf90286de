"""The Python SDK's adapter for `agentwire conform sdk`: does what a case tells
it to, and prints what a user of the SDK sees. testkit/CONFORM.md has the rules.
"""

import asyncio
import json
import os
from pathlib import Path

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
    StreamEvent,
    TextBlock,
    ToolResultBlock,
    UserMessage,
    create_sdk_mcp_server,
    query,
    tool,
)

# Longer texts are printed as their length.
LONG = 1000


class Seen:
    """What was seen, which others wait for."""

    def __init__(self):
        self.lines = []
        self.answered = set()
        self.changed = asyncio.Condition()

    async def see(self, saw, **members):
        line = {"saw": saw, **members}
        print(json.dumps(line), flush=True)
        async with self.changed:
            self.lines.append(line)
            self.changed.notify_all()

    async def until(self, is_so):
        async with self.changed:
            await self.changed.wait_for(is_so)

    def has(self, wanted):
        return any(
            all(line.get(name) == value for name, value in wanted.items())
            for line in self.lines
        )

    async def failed(self, error):
        code = getattr(error, "exit_code", None)
        await self.see("error", error=str(error), code=code)

    async def message(self, message):
        if isinstance(message, StreamEvent):
            delta = message.event.get("delta") or {}
            if delta.get("type") == "text_delta":
                await self.see("piece", text=delta["text"])
        elif isinstance(message, AssistantMessage):
            for block in message.content:
                if isinstance(block, TextBlock):
                    await self.text(block.text)
        elif isinstance(message, UserMessage) and isinstance(message.content, list):
            for block in message.content:
                if isinstance(block, ToolResultBlock):
                    await self.tool_result(block)
        elif isinstance(message, ResultMessage):
            subtype, is_error = message.subtype, message.is_error
            await self.see("result", subtype=subtype, is_error=is_error)

    async def text(self, text):
        # Half of a surrogate pair is nothing that can be printed.
        encoded = text.encode(errors="replace")
        if len(encoded) > LONG:
            await self.see("text", length=len(encoded))
        else:
            await self.see("text", text=encoded.decode())

    async def tool_result(self, block):
        text = block.content
        if isinstance(text, list):
            text = "".join(it.get("text", "") for it in text)
        await self.see("tool_result", text=text, is_error=bool(block.is_error))


def asks(case, seen):
    """The permission callback, if the case has one."""
    if "asks" not in case:
        return None
    answers = {it["command"]: it for it in case["asks"]}

    async def decide(name, given, context):
        await seen.see("ask", tool=name, input=given)
        answer = answers[given["command"]]
        if "after" in answer:
            await seen.until(lambda: answer["after"] in seen.answered)
        if answer["answer"] == "fail":
            raise RuntimeError("it fails, as the case says")
        if answer["answer"] == "wait":
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                # A task that is cancelled may not wait for anything.
                print(json.dumps({"saw": "cancelled", "tool": name}), flush=True)
                raise
        # The SDK has a task for each ask, which is done when the answer is sent.
        command = answer["command"]
        asyncio.current_task().add_done_callback(lambda _: has_answered(command))
        if answer["answer"] == "deny":
            return PermissionResultDeny(message=answer["message"])
        return PermissionResultAllow(updated_input=answer.get("input"))

    def has_answered(command):
        seen.answered.add(command)
        asyncio.ensure_future(tell())

    async def tell():
        async with seen.changed:
            seen.changed.notify_all()

    return decide


def hooks(case, seen):
    found = {}
    for hook in case.get("hooks", []):

        async def called(given, tool_use_id, context, hook=hook):
            await seen.see("hook", event=hook["event"])
            if hook["answer"] == "fail":
                raise RuntimeError("it fails, as the case says")
            return hook["answer"]

        matcher = HookMatcher(matcher=hook.get("matcher"), hooks=[called])
        found.setdefault(hook["event"], []).append(matcher)
    return found


def servers(case, seen):
    if not case.get("tools"):
        return {}

    @tool("echo", "Says it again.", {"text": str})
    async def echo(given):
        await seen.see("call", tool="echo", text=given["text"])
        return {"content": [{"type": "text", "text": f"echo: {given['text']}"}]}

    return {"conform": create_sdk_mcp_server("conform", tools=[echo])}


async def converse(options, actions, seen):
    async with ClaudeSDKClient(options) as client:
        turn = None

        async def read():
            async for message in client.receive_response():
                await seen.message(message)

        async def send(text):
            await client.query(text)
            return asyncio.ensure_future(read())

        async def request(name, answer):
            try:
                await answer
            except Exception as error:
                await seen.see("refused", to=name, error=str(error))
            else:
                await seen.see("answer", to=name)

        for action in actions:
            match action:
                case {"prompt": text}:
                    await (await send(text))
                case {"send": text}:
                    turn = await send(text)
                case "turn":
                    await turn
                case {"await": wanted}:
                    # Nothing more is seen when the turn is over.
                    there = asyncio.ensure_future(seen.until(lambda: seen.has(wanted)))
                    await asyncio.wait(
                        {there, turn}, return_when=asyncio.FIRST_COMPLETED
                    )
                    there.cancel()
                case {"set_model": model}:
                    await request("set_model", client.set_model(model))
                case {"rewind_files": message}:
                    await request("rewind_files", client.rewind_files(message))
                case "interrupt":
                    await request("interrupt", client.interrupt())
                case "close":
                    break
                case _:
                    raise NotImplementedError(action)


async def ask_once(text, options, seen):
    async def prompt():
        message = {"role": "user", "content": text}
        yield {"type": "user", "message": message, "parent_tool_use_id": None}

    # With a callback for asks the SDK wants a stream.
    asked = prompt() if options.can_use_tool else text
    async for message in query(prompt=asked, options=options):
        await seen.message(message)


async def main():
    case = json.loads(Path(os.environ["AGENTWIRE_CONFORM_CASE"]).read_text())
    seen = Seen()
    options = ClaudeAgentOptions(
        cli_path=os.environ["AGENTWIRE_CONFORM_CLI"],
        can_use_tool=asks(case, seen),
        hooks=hooks(case, seen),
        mcp_servers=servers(case, seen),
        allowed_tools=["mcp__conform"] if case.get("tools") else [],
        include_partial_messages=case.get("partial", False),
    )
    try:
        match case["do"]:
            case [{"query": text}]:
                await ask_once(text, options, seen)
            case actions:
                await converse(options, actions, seen)
    except Exception as error:
        await seen.failed(error)
    await seen.see("closed")


asyncio.run(main())
