// Prompts and answers.

import assert from "node:assert/strict";
import { LARGE, result, scenario, system, texts, thoughts } from "./support.mjs";

scenario("hello", async (agent) => {
  const messages = await agent.ask("Say hello");
  assert.deepEqual(texts(messages), ["Hello there."]);
  const end = result(messages);
  assert.deepEqual([end.subtype, end.is_error], ["success", false]);
  assert.equal(end.result, "Hello there.");
  assert.deepEqual([end.num_turns, end.stop_reason], [1, "end_turn"]);
  assert.equal(end.terminal_reason, "completed");
  assert.deepEqual(end.permission_denials, []);
  const [init] = system(messages, "init");
  assert.equal(init.session_id, end.session_id);
  assert.equal(init.cwd, agent.folder);
  const [prompt] = await agent.sent("user");
  assert.deepEqual(prompt.message.content, [{ type: "text", text: "Say hello" }]);
  // States that only the SDK asked for stay with it.
  assert.deepEqual(system(messages, "session_state_changed"), []);
  assert.equal(await agent.exitCode(), 0);
});

scenario("streaming", async (agent) => {
  const messages = await agent.ask("Count", { includePartialMessages: true });
  const events = messages.filter((it) => it.type === "stream_event").map((it) => it.event);
  const deltas = events.filter((it) => it.type === "content_block_delta").map((it) => it.delta);
  const said = deltas.filter((it) => it.type === "text_delta").map((it) => it.text);
  assert.deepEqual(said, ["One, ", "two, ", "three."]);
  const thought = deltas.filter((it) => it.type === "thinking_delta").map((it) => it.thinking);
  assert.equal(thought.join(""), "They want numbers.");
  assert.deepEqual(thoughts(messages), ["They want numbers."]);
  assert.deepEqual(texts(messages), ["One, two, three."]);
  assert.deepEqual([events[0].type, events.at(-1).type], ["message_start", "message_stop"]);
});

scenario("unicode", async (agent) => {
  const prompt = "\u2028 \u{1f389} \x85 na\u00efve";
  const whole = "na\u00efve \u{1f389} \u2028 \x85 \u2029 \u65e5\u672c\r\n\ufeff.";
  const messages = await agent.ask(prompt);
  assert.deepEqual(texts(messages), [whole]);
  assert.equal(result(messages).result, whole);
  const [heard] = await agent.sent("user");
  assert.equal(heard.message.content[0].text, prompt);
});

scenario("two_turns", async (agent) => {
  await agent.session({}, async (session) => {
    const first = await session.turn("First");
    const second = await session.turn("Second");
    assert.deepEqual([texts(first), texts(second)], [["One."], ["Two."]]);
    assert.equal(result(first).session_id, result(second).session_id);
  });
  assert.equal(await agent.exitCode(), 0);
});

scenario("many_messages", async (agent) => {
  const numbers = Array.from({ length: 200 }, (_, number) => `${number}`);
  await agent.session({}, async (session) => {
    for (const number of numbers) {
      const expected = ["Tick.", "Tock."][number % 2];
      assert.deepEqual(texts(await session.turn(number)), [expected]);
    }
  });
  const prompts = (await agent.sent("user")).map((it) => it.message.content);
  assert.deepEqual(prompts, numbers);
});

scenario("large_message", async (agent) => {
  const messages = await agent.ask("Much");
  assert.ok(texts(messages)[0] === LARGE);
  assert.ok(result(messages).result === LARGE);
});

scenario("large_prompt", async (agent) => {
  const messages = await agent.ask(LARGE);
  assert.deepEqual(texts(messages), ["That was long."]);
  const [prompt] = await agent.sent("user");
  assert.ok(prompt.message.content[0].text === LARGE);
});
