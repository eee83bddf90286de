"""What the tests have in common: the fake agent, and readers of messages."""

import faulthandler
import json
import os
import tempfile
import unittest
from pathlib import Path

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ResultMessage,
    SystemMessage,
    TextBlock,
    ToolResultBlock,
    UserMessage,
    query,
)

SCENARIOS = Path(__file__).parent.parent / "scenarios"
FAKE_AGENT = os.environ["FAKE_AGENT"]

# What stands for LARGE in a scenario.
LARGE = "0123456789abcdef" * (3 * 1024 * 1024 // 16)

# A test that takes longer has failed, and ends them all. Nothing waits for it
# to pass.
DEADLINE_S = 60


class SdkTest(unittest.IsolatedAsyncioTestCase):
    """A test is named for the scenario that its agent plays."""

    def setUp(self):
        name = self._testMethodName.removeprefix("test_")
        folder = tempfile.TemporaryDirectory(prefix="agentwire-sdks-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        text = (SCENARIOS / f"{name}.json").read_text()
        self.script = self.folder / "script.json"
        self.script.write_text(text.replace("LARGE", LARGE))
        faulthandler.dump_traceback_later(DEADLINE_S, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)

    def options(self, **options):
        environment = {
            "FAKE_AGENT_SCRIPT": str(self.script),
            "FAKE_AGENT_LOG": str(self.folder / "log"),
        }
        return ClaudeAgentOptions(
            cli_path=FAKE_AGENT, cwd=self.folder, env=environment, **options
        )

    def client(self, **options):
        return ClaudeSDKClient(self.options(**options))

    async def ask(self, prompt, **options):
        """The messages that one prompt, in a session of its own, leads to."""
        return [it async for it in query(prompt=prompt, options=self.options(**options))]

    def log(self):
        """What the fake agent wrote down: (direction, message) pairs."""
        # Not splitlines, which would also split at U+2028.
        lines = (self.folder / "log").read_text().removesuffix("\n").split("\n")
        return [(it["dir"], it["msg"]) for it in map(json.loads, lines)]

    def sent(self, kind):
        """What the SDK sent, of this type."""
        return [msg for dir, msg in self.log() if dir == "send" and msg["type"] == kind]

    def exit_code(self):
        """How the agent exited."""
        direction, last = self.log()[-1]
        self.assertEqual(direction, "exit")
        return last["code"]


async def turn(client, prompt):
    """Sends a prompt; the messages up to its result."""
    await client.query(prompt)
    return [it async for it in client.receive_response()]


def blocks(messages, message_type, block_type):
    """The blocks of one type in messages of one type."""
    found = (it.content for it in messages if isinstance(it, message_type))
    return [
        block
        for content in found
        if isinstance(content, list)
        for block in content
        if isinstance(block, block_type)
    ]


def texts(messages):
    """What the model said."""
    return [it.text for it in blocks(messages, AssistantMessage, TextBlock)]


def tool_results(messages):
    """What the tools answered: (text, whether it is an error) pairs."""

    def text(content):
        if isinstance(content, str):
            return content
        return "".join(it["text"] for it in content)

    found = blocks(messages, UserMessage, ToolResultBlock)
    return [(text(it.content), bool(it.is_error)) for it in found]


def result(messages):
    """The result, which is the last of the messages of a turn."""
    last = messages[-1]
    assert isinstance(last, ResultMessage), f"no result but {last}"
    return last


def system(messages, subtype):
    """The data of the system messages of this kind."""
    found = (it for it in messages if isinstance(it, SystemMessage))
    return [it.data for it in found if it.subtype == subtype]


def is_running(pid):
    """Whether there is a process of this number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True

