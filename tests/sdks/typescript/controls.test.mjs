// Control requests, both ways.

import assert from "node:assert/strict";
import { result, scenario, signal, system, texts, toolResults } from "./support.mjs";

scenario("interrupt", async (agent) => {
  await agent.session({ includePartialMessages: true }, async (session) => {
    session.send("Tell me a story");
    const messages = await session.receive(async (message) => {
      if (message.event?.delta?.text === "upon ") await session.query.interrupt();
    });
    const end = result(messages);
    assert.deepEqual([end.subtype, end.is_error], ["error_during_execution", true]);
    assert.equal(end.terminal_reason, "aborted_streaming");
    assert.ok(!texts(messages).includes("not reached"));
    assert.deepEqual(texts(await session.turn("Still there?")), ["Here again."]);
  });
});

scenario("interrupt_with_question_open", async (agent) => {
  const asked = signal();
  const takenBack = signal();
  const canUseTool = (_name, _input, { signal }) => {
    signal.addEventListener("abort", takenBack.now);
    asked.now();
    return new Promise(() => {});
  };
  await agent.session({ canUseTool }, async (session) => {
    session.send("Make a file");
    const received = session.receive();
    await asked.happened;
    await session.query.interrupt();
    assert.equal(result(await received).terminal_reason, "aborted_tools");
    await takenBack.happened;
    assert.deepEqual(texts(await session.turn("Still there?")), ["Here again."]);
  });
  assert.deepEqual(await agent.sent("control_response"), []);
});

scenario("set_model", async (agent) => {
  await agent.session({ model: "first" }, async (session) => {
    const one = await session.turn("First");
    await session.query.setModel("second");
    const two = await session.turn("Second");
    const models = [one, two].map((it) => system(it, "init")[0].model);
    assert.deepEqual(models, ["first", "second"]);
    assert.deepEqual(texts(two), ["Two."]);
  });
});

scenario("set_permission_mode", async (agent) => {
  const asked = [];
  const canUseTool = async (_name, input) => {
    asked.push(input.file_path);
    return { behavior: "allow" };
  };
  await agent.session({ canUseTool }, async (session) => {
    const one = await session.turn("Write a");
    await session.query.setPermissionMode("dontAsk");
    const two = await session.turn("Write b");
    assert.deepEqual(asked, ["/project/a"]);
    assert.deepEqual(toolResults(one), [["written", false]]);
    assert.ok(toolResults(two)[0][1]);
    const modes = [one, two].map((it) => system(it, "init")[0].permissionMode);
    assert.deepEqual(modes, ["default", "dontAsk"]);
  });
});

scenario("refused_request", async (agent) => {
  await agent.session({}, async (session) => {
    await assert.rejects(session.query.rewindFiles("no-such-message"), /not enabled/i);
    assert.deepEqual(texts(await session.turn("Hello")), ["Hello."]);
  });
});

scenario("unknown_request", async (agent) => {
  await agent.session({}, async (session) => {
    const [refused, after] = texts(await session.turn("Fetch it"));
    assert.match(refused, /^refused: .*fetch_the_moon/);
    assert.equal(after, "Then not.");
  });
});

scenario("elicitation", async (agent) => {
  const asked = [];
  const onElicitation = async (request) => {
    asked.push(request);
    return { action: "accept", content: { name: "Ada" } };
  };
  await agent.session({ onElicitation }, async (session) => {
    const [answered, after] = texts(await session.turn("Fill in the form"));
    assert.deepEqual(JSON.parse(answered.replace("answered: ", "")), {
      action: "accept",
      content: { name: "Ada" },
    });
    assert.equal(after, "Thanks.");
    const [{ serverName, message, mode, requestedSchema }] = asked;
    assert.deepEqual([serverName, message, mode], ["forms", "Your name?", "form"]);
    assert.deepEqual(Object.keys(requestedSchema.properties), ["name"]);
  });
});
