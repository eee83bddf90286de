"""Prompts and answers."""

from claude_agent_sdk import AssistantMessage, StreamEvent, ThinkingBlock
from support import LARGE, SdkTest, blocks, result, system, texts, turn


class Conversation(SdkTest):
    async def test_hello(self):
        messages = await self.ask("Say hello")
        self.assertEqual(texts(messages), ["Hello there."])
        end = result(messages)
        self.assertEqual((end.subtype, end.is_error), ("success", False))
        self.assertEqual(end.result, "Hello there.")
        self.assertEqual((end.num_turns, end.stop_reason), (1, "end_turn"))
        self.assertEqual(end.terminal_reason, "completed")
        self.assertEqual(end.permission_denials, [])
        (init,) = system(messages, "init")
        self.assertEqual(init["session_id"], end.session_id)
        self.assertEqual(init["cwd"], str(self.folder.resolve()))
        (prompt,) = self.sent("user")
        self.assertEqual(prompt["message"]["content"], "Say hello")
        # States that only the SDK asked for stay with it.
        self.assertEqual(system(messages, "session_state_changed"), [])
        self.assertEqual(self.exit_code(), 0)

    async def test_streaming(self):
        messages = await self.ask("Count", include_partial_messages=True)
        events = [it.event for it in messages if isinstance(it, StreamEvent)]
        deltas = [it["delta"] for it in events if it["type"] == "content_block_delta"]
        said = [it["text"] for it in deltas if it["type"] == "text_delta"]
        self.assertEqual(said, ["One, ", "two, ", "three."])
        thought = [it["thinking"] for it in deltas if it["type"] == "thinking_delta"]
        self.assertEqual("".join(thought), "They want numbers.")
        (thinking,) = blocks(messages, AssistantMessage, ThinkingBlock)
        self.assertEqual(thinking.thinking, "They want numbers.")
        self.assertEqual(texts(messages), ["One, two, three."])
        ends = [events[0]["type"], events[-1]["type"]]
        self.assertEqual(ends, ["message_start", "message_stop"])

    async def test_unicode(self):
        prompt = "\u2028 \U0001f389 \x85 na\u00efve"
        whole = "na\u00efve \U0001f389 \u2028 \x85 \u2029 \u65e5\u672c\r\n\ufeff."
        messages = await self.ask(prompt)
        self.assertEqual(texts(messages), [whole])
        self.assertEqual(result(messages).result, whole)
        (heard,) = self.sent("user")
        self.assertEqual(heard["message"]["content"], prompt)

    async def test_two_turns(self):
        async with self.client() as client:
            first = await turn(client, "First")
            second = await turn(client, "Second")
        self.assertEqual((texts(first), texts(second)), (["One."], ["Two."]))
        self.assertEqual(result(first).session_id, result(second).session_id)
        self.assertEqual(self.exit_code(), 0)

    async def test_many_messages(self):
        async with self.client() as client:
            for number in range(200):
                expected = ["Tick.", "Tock."][number % 2]
                self.assertEqual(texts(await turn(client, f"{number}")), [expected])
        prompts = [it["message"]["content"] for it in self.sent("user")]
        self.assertEqual(prompts, [f"{number}" for number in range(200)])

    async def test_large_message(self):
        messages = await self.ask("Much", max_buffer_size=16 * 1024 * 1024)
        self.assertEqual(texts(messages), [LARGE])
        self.assertEqual(result(messages).result, LARGE)

    async def test_large_prompt(self):
        messages = await self.ask(LARGE)
        self.assertEqual(texts(messages), ["That was long."])
        (prompt,) = self.sent("user")
        self.assertEqual(prompt["message"]["content"], LARGE)
