"""Control requests, both ways."""

import asyncio

from claude_agent_sdk import PermissionResultAllow, StreamEvent
from support import SdkTest, result, system, texts, tool_results, turn


class Controls(SdkTest):
    async def test_interrupt(self):
        async with self.client(include_partial_messages=True) as client:
            await client.query("Tell me a story")
            messages = []
            async for message in client.receive_response():
                messages.append(message)
                if isinstance(message, StreamEvent):
                    delta = message.event.get("delta", {})
                    if delta.get("text") == "upon ":
                        await client.interrupt()
            after = await turn(client, "Still there?")
        end = result(messages)
        self.assertEqual((end.subtype, end.is_error), ("error_during_execution", True))
        self.assertEqual(end.terminal_reason, "aborted_streaming")
        self.assertNotIn("not reached", texts(messages))
        self.assertEqual(texts(after), ["Here again."])

    async def test_interrupt_with_question_open(self):
        asked = asyncio.Event()
        taken_back = asyncio.Event()

        async def can_use_tool(name, given, context):
            asked.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                taken_back.set()
                raise
            return PermissionResultAllow()

        async with self.client(can_use_tool=can_use_tool) as client:
            await client.query("Make a file")
            await asked.wait()
            await client.interrupt()
            messages = [it async for it in client.receive_response()]
            await taken_back.wait()
            after = await turn(client, "Still there?")
        self.assertEqual(result(messages).terminal_reason, "aborted_tools")
        self.assertEqual(self.sent("control_response"), [])
        self.assertEqual(texts(after), ["Here again."])

    async def test_set_model(self):
        async with self.client(model="first") as client:
            one = await turn(client, "First")
            await client.set_model("second")
            two = await turn(client, "Second")
        models = [system(it, "init")[0]["model"] for it in (one, two)]
        self.assertEqual(models, ["first", "second"])
        self.assertEqual(texts(two), ["Two."])

    async def test_set_permission_mode(self):
        asked = []

        async def can_use_tool(name, given, context):
            asked.append(given["file_path"])
            return PermissionResultAllow()

        async with self.client(can_use_tool=can_use_tool) as client:
            one = await turn(client, "Write a")
            await client.set_permission_mode("dontAsk")
            two = await turn(client, "Write b")
        self.assertEqual(asked, ["/project/a"])
        self.assertEqual(tool_results(one), [("written", False)])
        ((_, is_error),) = tool_results(two)
        self.assertTrue(is_error)
        modes = [system(it, "init")[0]["permissionMode"] for it in (one, two)]
        self.assertEqual(modes, ["default", "dontAsk"])

    async def test_refused_request(self):
        async with self.client() as client:
            with self.assertRaisesRegex(Exception, "(?i)not enabled"):
                await client.rewind_files("no-such-message")
            messages = await turn(client, "Hello")
        self.assertEqual(texts(messages), ["Hello."])

    async def test_unknown_request(self):
        async with self.client() as client:
            messages = await turn(client, "Fetch it")
        refused, after = texts(messages)
        self.assertRegex(refused, "^refused: .*fetch_the_moon")
        self.assertEqual(after, "Then not.")
