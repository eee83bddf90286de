"""What the model says in each of the SDK's end-to-end tests."""

from pathlib import Path

# The tests name their files after a random UUID. The plugin makes it this one,
# since the model has to say the name.
UUID = "abcdef01-2345-6789-abcd-ef0123456789"


def text(words):
    return [{"text": words}]


def tool(name, given, result="", **members):
    return [{"tool": {"name": name, "input": given, "result": result, **members}}]


def bash(command, result=""):
    return repeated(tool("Bash", {"command": command}, result), text("Done."))


def echo(words):
    return bash(f"echo '{words}'", words)


def repeated(*replies, **members):
    return {"replies": list(replies), "repeat": True, **members}


def structured(**output):
    return repeated(tool("StructuredOutput", output), text("Done."))


def mcp(server, *tools):
    given = {"echo": {"text": "test"}, "greet": {"name": "Bob"}}
    calls = [tool(f"mcp__{server}__{name}", given[name]) for name in tools]
    return repeated(*calls, text("Done."))


def write():
    path = Path.home() / f".agent_sdk_permission_e2e_{UUID[:8]}.txt"
    given = {"file_path": str(path), "content": "hello"}
    call = tool("Write", given, "It is written.", writes=True)
    return repeated(call, text("Done."))


def greeter():
    given = {
        "description": "greet",
        "subagent_type": "greeter",
        "prompt": "say hi",
        "run_in_background": False,
    }
    return repeated(tool("Agent", given), text("DONE"), subagents=[text("Hi there!")])


def missing_model():
    error = {"status": 404, "type": "not_found_error", "message": "no such model"}
    return {"replies": [[{"error": error}]]}


SCENARIOS = {
    "test_forward_subagent_text_delivers_attributed_text": greeter,
    "test_hook_with_additional_context": lambda: echo("testing hooks"),
    "test_hook_with_continue_and_stop_reason": lambda: echo("test message"),
    "test_hook_with_permission_decision_and_reason": lambda: echo("hello"),
    "test_include_partial_messages_stream_events": lambda: repeated(
        [{"thinking": "Which jokes are there?"}, {"text": "Why did the chicken cross?"}]
    ),
    "test_include_partial_messages_thinking_deltas": lambda: repeated(
        [{"thinking": "2 and 2 is surely 4, is it not?"}, {"text": "4"}]
    ),
    "test_multiple_hooks_together": lambda: echo("multi-hook test"),
    "test_nested_structured_output": lambda: structured(
        analysis={"word_count": 2, "character_count": 11}, words=["Hello", "world"]
    ),
    "test_permission_callback_gets_called": lambda: bash(
        f"touch /tmp/sdk_permission_test_{UUID[:8]}.txt"
    ),
    "test_post_tool_use_hook_with_tool_use_id": lambda: echo("test tool_use_id"),
    "test_pre_tool_use_hook_with_additional_context": lambda: echo("test context"),
    "test_query_api_error_raises_result_error_with_payload": missing_model,
    "test_query_async_iterable_prompt_with_only_can_use_tool": write,
    "test_query_string_prompt_with_can_use_tool": write,
    "test_sdk_mcp_multiple_tools": lambda: mcp("multi", "echo", "greet"),
    "test_sdk_mcp_permission_enforcement": lambda: mcp("test", "greet", "echo"),
    "test_sdk_mcp_tool_execution": lambda: mcp("test", "echo"),
    "test_sdk_mcp_without_permissions": lambda: mcp("noperm", "echo"),
    "test_simple_structured_output": lambda: structured(
        file_count=5, has_tests=True, test_file_count=2
    ),
    "test_structured_output_with_enum": lambda: structured(
        has_tests=True, test_framework="pytest", test_count=3
    ),
    "test_structured_output_with_tools": lambda: structured(
        file_count=5, has_readme=False
    ),
    "test_subagent_messages_carry_parent_tool_use_id": greeter,
    "test_subagent_text_not_forwarded_by_default": greeter,
}


def of_test(name):
    """Returns the scenario of a test. Most want any answer."""
    return SCENARIOS.get(name, lambda: repeated(text("4, one or two.")))()
