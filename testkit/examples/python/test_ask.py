"""Tests of ask.py that need no model, no network and no account.

The fake agent takes the place of the CLI. FAKE_AGENT says where it is, if it
is not in the PATH.

    python3 -m unittest
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ASK = Path(__file__).parent / "ask.py"
FAKE_AGENT = os.environ.get("FAKE_AGENT") or shutil.which("fake-agent")


class AskTest(unittest.TestCase):
    def setUp(self):
        if not FAKE_AGENT:
            self.fail("fake-agent is not in the PATH; see the README")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def ask(self, question, replies):
        """Starts ask.py with an agent whose model gives these replies."""
        environment = {
            **os.environ,
            "AGENT_CLI": FAKE_AGENT,
            "FAKE_AGENT_SCRIPT": json.dumps({"replies": replies}),
            "FAKE_AGENT_GATES": str(self.folder),
            "FAKE_AGENT_LOG": str(self.folder / "log"),
        }
        process = subprocess.Popen(
            [sys.executable, str(ASK), question],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def log(self, direction):
        """What the agent was sent ("send"), said ("recv"), …"""
        lines = (self.folder / "log").read_text(encoding="utf-8").rstrip("\n").split("\n")
        entries = [json.loads(line) for line in lines]
        return [it["msg"] for it in entries if it["dir"] == direction]

    def test_prints_text_before_the_answer_is_complete(self):
        answer = [{"text": "Let me think."}, {"gate": "thought"}, {"text": "It is."}]
        asked = self.ask("Is it true?", [answer])
        # The model is at the gate now, and says nothing more until it opens.
        self.assertEqual(asked.stdout.readline(), "Let me think.\n")
        self.assertIsNone(asked.poll())
        (self.folder / "thought").touch()
        self.assertEqual(asked.stdout.read(), "It is.\n")
        self.assertEqual(asked.wait(), 0)

        hello, question = self.log("send")
        self.assertEqual(hello["request"]["subtype"], "initialize")
        self.assertEqual(question["message"]["content"], "Is it true?")
        self.assertEqual(self.log("exit"), [{"code": 0}])

    def test_lets_only_harmless_tools_run(self):
        replies = [
            [
                {"tool": {"name": "Read", "input": {"file_path": "a"}, "result": "text"}},
                {"tool": {"name": "Bash", "input": {"command": "rm a"}, "result": "gone"}},
            ],
            [{"text": "I could only read."}],
        ]
        asked = self.ask("Remove a", replies)
        self.assertEqual(asked.stdout.read(), "I could only read.\n")
        self.assertEqual(asked.wait(), 0)

        answers = [it["response"] for it in self.log("send") if it["type"] == "control_response"]
        decisions = [it["response"]["behavior"] for it in answers]
        self.assertEqual(decisions, ["allow", "deny"])
        self.assertIn("--permission-prompt-tool=stdio", self.log("spawn")[0]["argv"])

    def test_fails_when_the_agent_dies(self):
        asked = self.ask("Are you there?", [[{"text": "I am"}, {"fault": {"exit": 3}}]])
        self.assertEqual(asked.stdout.read(), "I am\n")
        self.assertEqual(asked.wait(), 3)


if __name__ == "__main__":
    unittest.main()
