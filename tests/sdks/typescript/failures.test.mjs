// Models, agents and pipes that fail, and hosts that leave.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { result, scenario, sdk, system, texts } from "./support.mjs";

scenario("api_error", async (agent) => {
  const { messages, error } = await agent.tryToAsk("Hello");
  const end = result(messages);
  assert.deepEqual([end.subtype, end.is_error], ["success", true]);
  assert.equal(end.api_error_status, 400);
  assert.equal(end.terminal_reason, "api_error");
  assert.match(end.result, /The prompt is odd\./);
  const [message] = messages.filter((it) => it.type === "assistant");
  assert.equal(message.error, "unknown");
  assert.match(error.message, /The prompt is odd\./);
  assert.equal(await agent.exitCode(), 1);
});

scenario("early_exit", async (agent) => {
  const { messages, error } = await agent.tryToAsk("Hello");
  assert.deepEqual(texts(messages), ["I was about to"]);
  assert.match(error.message, /exited with code 3/);
  assert.equal(await agent.exitCode(), 3);
});

scenario("exit_at_start", async (agent) => {
  const said = [];
  const options = { stderr: (text) => said.push(text) };
  const { messages, error } = await agent.tryToAsk("Hello", options);
  assert.deepEqual(messages, []);
  assert.ok(error instanceof Error);
  assert.match(said.join(""), /^no such feature$/m);
  assert.equal(await agent.exitCode(), 4);
});

scenario("half_line", async (agent) => {
  const { messages, error } = await agent.tryToAsk("Hello");
  assert.deepEqual(texts(messages), ["Whole."]);
  assert.match(error.message, /exited with code 5/);
});

scenario("stderr", async (agent) => {
  const said = [];
  const messages = await agent.ask("Hello", { stderr: (text) => said.push(text) });
  assert.equal(said.join(""), "careful\nagain: caf\u00e9\n");
  assert.deepEqual(texts(messages), ["Hello."]);
});

scenario("noise", async (agent) => {
  const messages = await agent.ask("Hello");
  assert.deepEqual(texts(messages), ["Hello."]);
  const [tide] = system(messages, "tide");
  assert.equal(tide.high, true);
  assert.equal(await agent.exitCode(), 0);
});

scenario("host_leaves", async (agent) => {
  // The child is ours, so that its end can be waited for.
  let child;
  const spawnClaudeCodeProcess = ({ command, args, cwd, env, signal }) => {
    child = spawn(command, args, { cwd, env, signal, stdio: ["pipe", "pipe", "ignore"] });
    return child;
  };
  const options = agent.options({ spawnClaudeCodeProcess });
  const query = sdk.query({ prompt: "Take your time", options });
  for await (const message of query) {
    if (message.type === "assistant") break;
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  assert.ok(child.exitCode !== null || child.signalCode !== null);
});
