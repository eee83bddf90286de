"""Models, agents and pipes that fail, and hosts that leave."""

from claude_agent_sdk import (
    AssistantMessage,
    CLIJSONDecodeError,
    ProcessError,
    ResultError,
    query,
)
from support import SdkTest, is_running, result, system, texts


class Failures(SdkTest):
    async def asked(self, prompt, **options):
        """The messages that came, and the error that ended them."""
        messages = []
        try:
            async for it in query(prompt=prompt, options=self.options(**options)):
                messages.append(it)
        except Exception as error:
            return messages, error
        return messages, None

    async def test_api_error(self):
        messages, error = await self.asked("Hello")
        end = result(messages)
        self.assertEqual((end.subtype, end.is_error), ("success", True))
        self.assertEqual(end.api_error_status, 400)
        self.assertEqual(end.terminal_reason, "api_error")
        self.assertIn("The prompt is odd.", end.result)
        (message,) = (it for it in messages if isinstance(it, AssistantMessage))
        self.assertEqual(message.error, "unknown")
        self.assertIsInstance(error, ResultError)
        self.assertEqual(error.api_error_status, 400)
        self.assertIn("The prompt is odd.", str(error))
        self.assertEqual((error.exit_code, self.exit_code()), (1, 1))

    async def test_early_exit(self):
        messages, error = await self.asked("Hello")
        self.assertEqual(texts(messages), ["I was about to"])
        self.assertIsInstance(error, ProcessError)
        self.assertNotIsInstance(error, ResultError)
        self.assertEqual((error.exit_code, self.exit_code()), (3, 3))

    async def test_exit_at_start(self):
        said = []
        messages, error = await self.asked("Hello", stderr=said.append)
        self.assertEqual(messages, [])
        self.assertIsInstance(error, Exception)
        self.assertEqual(said, ["no such feature"])
        self.assertEqual(self.exit_code(), 4)

    async def test_half_line(self):
        messages, error = await self.asked("Hello")
        self.assertEqual(texts(messages), ["Whole."])
        self.assertIsInstance(error, ProcessError)
        self.assertEqual(error.exit_code, 5)

    async def test_large_message_refused(self):
        messages, error = await self.asked("Much", max_buffer_size=1024 * 1024)
        self.assertEqual(texts(messages), [])
        self.assertIsInstance(error, CLIJSONDecodeError)
        self.assertIn("maximum buffer size", str(error))

    async def test_stderr(self):
        said = []
        messages = await self.ask("Hello", stderr=said.append)
        self.assertEqual(said, ["careful", "again: caf\u00e9"])
        self.assertEqual(texts(messages), ["Hello."])

    async def test_noise(self):
        messages = await self.ask("Hello")
        self.assertEqual(texts(messages), ["Hello."])
        (tide,) = system(messages, "tide")
        self.assertTrue(tide["high"])
        self.assertEqual(self.exit_code(), 0)

    async def test_host_leaves(self):
        async with self.client() as client:
            pid = (await client.get_server_info())["pid"]
            self.assertTrue(is_running(pid))
            await client.query("Take your time")
            async for message in client.receive_messages():
                if isinstance(message, AssistantMessage):
                    break
        self.assertFalse(is_running(pid))
