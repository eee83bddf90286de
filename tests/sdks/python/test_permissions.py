"""Tools that the host is asked about."""

from claude_agent_sdk import (
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    PermissionUpdate,
)
from claude_agent_sdk.types import PermissionRuleValue
from support import SdkTest, result, texts, tool_results, turn


class Permissions(SdkTest):
    def deciding(self, answer, **options):
        """A client whose permission callback answers so, and notes the asks."""
        self.asked = []

        async def can_use_tool(name, given, context):
            self.asked.append((name, given, context))
            if isinstance(answer, Exception):
                raise answer
            return answer

        return self.client(can_use_tool=can_use_tool, **options)

    def asks(self):
        return [(name, given) for name, given, _ in self.asked]

    async def test_tool_allowed(self):
        async with self.deciding(PermissionResultAllow()) as client:
            messages = await turn(client, "Say hi")
        self.assertEqual(self.asks(), [("Bash", {"command": "echo hi"})])
        self.assertEqual(tool_results(messages), [("hi", False)])
        self.assertEqual(texts(messages), ["It says hi."])
        self.assertEqual(result(messages).permission_denials, [])

    async def test_tool_changed(self):
        ran = []

        async def after(given, tool_use_id, context):
            ran.append((given["tool_input"], given["tool_use_id"] == tool_use_id))
            return {}

        harmless = {"command": "echo changed"}
        allow = PermissionResultAllow(updated_input=harmless)
        hooks = {"PostToolUse": [HookMatcher(hooks=[after])]}
        async with self.deciding(allow, hooks=hooks) as client:
            messages = await turn(client, "Remove all")
        self.assertEqual(self.asks(), [("Bash", {"command": "rm -r all"})])
        self.assertEqual(ran, [(harmless, True)])
        self.assertEqual(tool_results(messages), [("changed", False)])

    async def test_tool_denied(self):
        deny = PermissionResultDeny(message="No files today.")
        async with self.deciding(deny) as client:
            messages = await turn(client, "Make a file")
        self.assertEqual(tool_results(messages), [("No files today.", True)])
        self.assertEqual(texts(messages), ["Then not."])
        end = result(messages)
        self.assertEqual((end.subtype, end.is_error), ("success", False))
        (denied,) = end.permission_denials
        self.assertEqual(denied["tool_name"], "Bash")
        self.assertEqual(denied["tool_input"], {"command": "touch made"})

    async def test_tool_denied_and_interrupted(self):
        deny = PermissionResultDeny(message="Stop.", interrupt=True)
        async with self.deciding(deny) as client:
            messages = await turn(client, "Make a file")
            after = await turn(client, "Still there?")
        end = result(messages)
        self.assertEqual((end.subtype, end.is_error), ("error_during_execution", True))
        self.assertEqual(end.terminal_reason, "aborted_tools")
        self.assertEqual(texts(after), ["Here again."])
        self.assertFalse(result(after).is_error)

    async def test_permission_raises(self):
        async with self.deciding(RuntimeError("out of order")) as client:
            messages = await turn(client, "Make a file")
        ((text, is_error),) = tool_results(messages)
        self.assertTrue(is_error)
        self.assertIn("out of order", text)
        self.assertEqual(texts(messages), ["Then not."])

    async def test_permission_question(self):
        rule = PermissionRuleValue(tool_name="Bash", rule_content="ls:*")
        update = PermissionUpdate(
            type="addRules", rules=[rule], behavior="allow", destination="session"
        )
        allow = PermissionResultAllow(updated_permissions=[update])
        async with self.deciding(allow) as client:
            messages = await turn(client, "Look elsewhere")
        ((_, _, context),) = self.asked
        self.assertEqual(context.suggestions, [update])
        self.assertEqual(context.blocked_path, "/elsewhere")
        self.assertEqual(context.decision_reason, "It is outside.")
        self.assertTrue(context.tool_use_id)
        (answer,) = self.sent("control_response")
        (sent,) = answer["response"]["response"]["updatedPermissions"]
        self.assertEqual(sent["rules"], [{"toolName": "Bash", "ruleContent": "ls:*"}])
        self.assertEqual(texts(messages), ["Empty."])

    async def test_user_question(self):
        async def can_use_tool(name, given, context):
            self.assertEqual(name, "AskUserQuestion")
            (question,) = given["questions"]
            labels = [it["label"] for it in question["options"]]
            answers = {question["question"]: labels[1]}
            return PermissionResultAllow(updated_input={**given, "answers": answers})

        async with self.client(can_use_tool=can_use_tool) as client:
            messages = await turn(client, "Ask me")
        ((text, is_error),) = tool_results(messages)
        self.assertIn("Blue", text)
        self.assertNotIn("Red", text)
        self.assertFalse(is_error)
        self.assertEqual(texts(messages), ["Blue it is."])
