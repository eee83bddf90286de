// Tests of ask.ts without a network, an account or a model.

import type { FakeAgent } from "agentwire-fake-agent";
import { test } from "agentwire-fake-agent/vitest";
import { expect } from "vitest";
import { ask } from "./ask.js";

function start(agent: FakeAgent, question: string) {
  const { pathToClaudeCodeExecutable, env } = agent;
  return ask(question, { pathToClaudeCodeExecutable, env });
}

async function collect(texts: AsyncIterable<string>) {
  const all = [];
  for await (const text of texts) all.push(text);
  return all;
}

test("yields the answer", async ({ fakeAgent }) => {
  const agent = fakeAgent({ replies: [[{ text: "Hello." }]] });
  expect(await collect(start(agent, "Say hello."))).toEqual(["Hello."]);
});

test("yields text before the answer is complete", async ({ fakeAgent }) => {
  const agent = fakeAgent({
    replies: [[{ text: "Let me think." }, { gate: "thought" }, { text: "Yes." }]],
  });
  const texts = start(agent, "Is it true?");
  expect((await texts.next()).value).toBe("Let me think.");
  // The model waits at the gate until the test opens it.
  await agent.waitReached("thought");
  agent.openGate("thought");
  expect(await collect(texts)).toEqual(["Yes."]);
});

test("allows only harmless tools", async ({ fakeAgent }) => {
  const read = { tool: { name: "Read", input: { file_path: "a" }, result: "text" } };
  const remove = { tool: { name: "Bash", input: { command: "rm a" }, result: "gone" } };
  const agent = fakeAgent({ replies: [[read, remove], [{ text: "I could only read." }]] });
  expect(await collect(start(agent, "Remove a."))).toEqual(["I could only read."]);

  const sent = agent.log("send").map((entry) => entry.msg);
  const replies = sent.filter((msg) => msg.type === "control_response");
  const behaviors = replies.map((reply) => reply.response.response.behavior);
  expect(behaviors).toEqual(["allow", "deny"]);
});

test("fails if the agent dies", async ({ fakeAgent }) => {
  const agent = fakeAgent({ replies: [[{ text: "I am" }, { fault: { exit: 3 } }]] });
  await expect(collect(start(agent, "Are you there?"))).rejects.toThrow("code 3");
});
