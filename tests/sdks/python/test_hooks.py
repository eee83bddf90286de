"""Hooks of several events: what they are given, and what they bring about."""

from claude_agent_sdk import HookMatcher, PermissionResultAllow
from support import SdkTest, result, texts, tool_results, turn


class Hooks(SdkTest):
    def setUp(self):
        super().setUp()
        self.called = []

    def hook(self, *answers):
        """A hook that gives these answers in turn, and then empty ones."""
        answers = list(answers)

        async def callback(given, tool_use_id, context):
            self.called.append((given, tool_use_id))
            answer = answers.pop(0) if answers else {}
            if isinstance(answer, Exception):
                raise answer
            return answer

        return callback

    def inputs(self, *members):
        """These members of what hooks were given, in the order of the calls."""
        return [tuple(given.get(it) for it in members) for given, _ in self.called]

    async def test_hook_blocks_tool(self):
        asked = []

        async def can_use_tool(name, given, context):
            asked.append(name)
            return PermissionResultAllow()

        deny = {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "No files today.",
        }
        matchers = [
            HookMatcher(matcher="Bash", hooks=[self.hook({"hookSpecificOutput": deny})]),
            HookMatcher(matcher="Read", hooks=[self.hook(RuntimeError("not for me"))]),
        ]
        hooks = {"PreToolUse": matchers}
        async with self.client(hooks=hooks, can_use_tool=can_use_tool) as client:
            messages = await turn(client, "Make a file")
        members = ("hook_event_name", "tool_name", "tool_input")
        expected = [("PreToolUse", "Bash", {"command": "touch made"})]
        self.assertEqual(self.inputs(*members), expected)
        ((given, tool_use_id),) = self.called
        self.assertEqual(given["session_id"], result(messages).session_id)
        self.assertEqual(given["tool_use_id"], tool_use_id)
        ((text, is_error),) = tool_results(messages)
        self.assertTrue(is_error)
        self.assertIn("No files today.", text)
        self.assertEqual(asked, [])

    async def test_hook_changes_input(self):
        allow = {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "updatedInput": {"command": "echo changed"},
        }
        hook = self.hook({"hookSpecificOutput": allow})
        hooks = {it: [HookMatcher(hooks=[hook])] for it in ("PreToolUse", "PostToolUse")}
        async with self.client(hooks=hooks) as client:
            messages = await turn(client, "Say it")
        expected = [
            ("PreToolUse", {"command": "echo original"}),
            ("PostToolUse", {"command": "echo changed"}),
        ]
        self.assertEqual(self.inputs("hook_event_name", "tool_input"), expected)
        self.assertEqual(tool_results(messages), [("changed", False)])

    async def test_hook_changes_output(self):
        output = {"stdout": "hidden", "stderr": "", "interrupted": False, "isImage": False}
        change = {"hookEventName": "PostToolUse", "updatedToolOutput": output}
        hook = self.hook({"hookSpecificOutput": change})
        hooks = {"PostToolUse": [HookMatcher(matcher="Ba.h", hooks=[hook])]}
        async with self.client(hooks=hooks) as client:
            messages = await turn(client, "Say it")
        ((given, _),) = self.called
        self.assertEqual(given["tool_response"]["stdout"], "secret")
        self.assertEqual(tool_results(messages), [("hidden", False)])

    async def test_hook_blocks_prompt(self):
        hook = self.hook({"decision": "block", "reason": "It is secret."})
        hooks = {"UserPromptSubmit": [HookMatcher(hooks=[hook])]}
        async with self.client(hooks=hooks) as client:
            blocked = await turn(client, "A secret")
            after = await turn(client, "Still there?")
        self.assertEqual(self.inputs("prompt"), [("A secret",), ("Still there?",)])
        self.assertEqual(texts(blocked), [])
        self.assertFalse(result(blocked).is_error)
        self.assertEqual(texts(after), ["Here."])

    async def test_hook_stop_goes_on(self):
        hook = self.hook({"decision": "block", "reason": "Look again."})
        hooks = {"Stop": [HookMatcher(hooks=[hook])]}
        async with self.client(hooks=hooks) as client:
            messages = await turn(client, "Do it")
        self.assertEqual(self.inputs("stop_hook_active"), [(False,), (True,)])
        self.assertEqual(texts(messages), ["Done.", "Now it is done."])
        self.assertEqual(result(messages).result, "Now it is done.")

    async def test_hook_raises(self):
        hook = self.hook(RuntimeError("out of order"))
        hooks = {"PreToolUse": [HookMatcher(hooks=[hook])]}
        async with self.client(hooks=hooks) as client:
            messages = await turn(client, "Say it")
        self.assertEqual(len(self.called), 1)
        (answer,) = self.sent("control_response")
        self.assertEqual(answer["response"]["error"], "out of order")
        self.assertEqual(tool_results(messages), [("hi", False)])

    async def test_hook_before_compacting(self):
        hooks = {"PreCompact": [HookMatcher(hooks=[self.hook()])]}
        async with self.client(hooks=hooks) as client:
            await turn(client, "Hello")
            compacted = await turn(client, "/compact")
        members = ("hook_event_name", "trigger")
        self.assertEqual(self.inputs(*members), [("PreCompact", "manual")])
        self.assertFalse(result(compacted).is_error)
