"""Tools that run in the host's own process."""

import asyncio

from claude_agent_sdk import ToolAnnotations, create_sdk_mcp_server, tool
from support import SdkTest, result, system, texts, tool_results, turn


@tool("add", "Adds two numbers.", {"a": int, "b": int})
async def add(given):
    return {"content": [{"type": "text", "text": f"{given['a'] + given['b']}"}]}


@tool("divide", "Divides two numbers.", {"a": int, "b": int})
async def divide(given):
    raise ArithmeticError(f"{given['a']} by {given['b']}?")


class Tools(SdkTest):
    def with_tools(self, server, *tools):
        servers = {server: create_sdk_mcp_server(server, tools=list(tools))}
        return self.client(mcp_servers=servers, allowed_tools=[f"mcp__{server}"])

    async def test_mcp_tool(self):
        async with self.with_tools("calc", add, divide) as client:
            messages = await turn(client, "What is 2 and 40?")
        (init,) = system(messages, "init")
        ours = [it for it in init["tools"] if it.startswith("mcp__")]
        self.assertEqual(ours, ["mcp__calc__add", "mcp__calc__divide"])
        (server,) = init["mcp_servers"]
        self.assertEqual((server["name"], server["status"]), ("calc", "connected"))
        self.assertEqual(tool_results(messages), [("42", False)])
        self.assertEqual(texts(messages), ["It is 42."])

    async def test_mcp_tool_fails(self):
        async with self.with_tools("calc", add, divide) as client:
            messages = await turn(client, "Divide one by nothing")
        ((text, is_error),) = tool_results(messages)
        self.assertTrue(is_error)
        self.assertIn("1 by 0?", text)
        self.assertEqual(texts(messages), ["That cannot be."])
        self.assertFalse(result(messages).is_error)

    async def test_mcp_tools_at_once(self):
        there = {"a": asyncio.Event(), "b": asyncio.Event()}

        reads_only = ToolAnnotations(readOnlyHint=True)

        @tool("wait", "Waits for the other.", {"who": str}, annotations=reads_only)
        async def wait(given):
            there[given["who"]].set()
            for other in there.values():
                await other.wait()
            return {"content": [{"type": "text", "text": f"{given['who']} met"}]}

        async with self.with_tools("meet", wait) as client:
            messages = await turn(client, "Meet")
        expected = [("a met", False), ("b met", False)]
        self.assertEqual(sorted(tool_results(messages)), expected)
        self.assertEqual(texts(messages), ["Both were there."])

    async def test_mcp_status(self):
        async with self.with_tools("calc", add) as client:
            await turn(client, "Hello")
            status = await client.get_mcp_status()
        (server,) = status["mcpServers"]
        self.assertEqual((server["name"], server["status"]), ("calc", "connected"))
        self.assertEqual([it["name"] for it in server["tools"]], ["add"])
