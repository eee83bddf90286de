// Tools that run in the host's own process.

import assert from "node:assert/strict";
import { result, scenario, sdk, signal, system, texts, toolResults, z } from "./support.mjs";

const says = (text) => ({ content: [{ type: "text", text }] });
const numbers = { a: z.number(), b: z.number() };
const add = sdk.tool("add", "Adds two numbers.", numbers, async ({ a, b }) => says(`${a + b}`));
const divide = sdk.tool("divide", "Divides two numbers.", numbers, async ({ a, b }) => {
  throw new Error(`${a} by ${b}?`);
});

function withTools(name, ...tools) {
  const mcpServers = { [name]: sdk.createSdkMcpServer({ name, tools }) };
  return { mcpServers, allowedTools: [`mcp__${name}`] };
}

scenario("mcp_tool", async (agent) => {
  await agent.session(withTools("calc", add, divide), async (session) => {
    const messages = await session.turn("What is 2 and 40?");
    const [init] = system(messages, "init");
    const ours = init.tools.filter((it) => it.startsWith("mcp__"));
    assert.deepEqual(ours, ["mcp__calc__add", "mcp__calc__divide"]);
    const servers = init.mcp_servers.map((it) => [it.name, it.status]);
    assert.deepEqual(servers, [["calc", "connected"]]);
    assert.deepEqual(toolResults(messages), [["42", false]]);
    assert.deepEqual(texts(messages), ["It is 42."]);
  });
});

scenario("mcp_tool_fails", async (agent) => {
  await agent.session(withTools("calc", add, divide), async (session) => {
    const messages = await session.turn("Divide one by nothing");
    const [[text, isError]] = toolResults(messages);
    assert.ok(isError);
    assert.match(text, /1 by 0\?/);
    assert.deepEqual(texts(messages), ["That cannot be."]);
    assert.equal(result(messages).is_error, false);
  });
});

scenario("mcp_tools_at_once", async (agent) => {
  const there = { a: signal(), b: signal() };
  const meet = async ({ who }) => {
    there[who].now();
    await Promise.all([there.a.happened, there.b.happened]);
    return says(`${who} met`);
  };
  const annotations = { readOnlyHint: true };
  const schema = { who: z.enum(["a", "b"]) };
  const wait = sdk.tool("wait", "Waits for the other.", schema, meet, { annotations });
  await agent.session(withTools("meet", wait), async (session) => {
    const messages = await session.turn("Meet");
    const expected = [["a met", false], ["b met", false]];
    assert.deepEqual(toolResults(messages).sort(), expected);
    assert.deepEqual(texts(messages), ["Both were there."]);
  });
});

scenario("mcp_status", async (agent) => {
  await agent.session(withTools("calc", add), async (session) => {
    await session.turn("Hello");
    const [server, ...others] = await session.query.mcpServerStatus();
    assert.deepEqual(others, []);
    assert.deepEqual([server.name, server.status], ["calc", "connected"]);
    assert.deepEqual(server.tools.map((it) => it.name), ["add"]);
  });
});
