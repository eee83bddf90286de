"""Tools of a calculator, with tests."""

from claude_agent_sdk import ClaudeAgentOptions, ToolAnnotations, create_sdk_mcp_server, tool


@tool("divide", "Divides two numbers.", {"a": float, "b": float}, ToolAnnotations(readOnlyHint=True))
async def divide(args):
    if args["b"] == 0:
        return {"content": [{"type": "text", "text": "Division by zero."}], "is_error": True}
    return {"content": [{"type": "text", "text": str(args["a"] / args["b"])}]}


def options():
    server = create_sdk_mcp_server("calculator", tools=[divide])
    return ClaudeAgentOptions(mcp_servers={"calculator": server})


async def test_divides():
    result = await divide.handler({"a": 6.0, "b": 3.0})
    assert result["content"][0]["text"] == "2.0"


async def test_refuses_zero():
    assert (await divide.handler({"a": 6.0, "b": 0.0}))["is_error"]
