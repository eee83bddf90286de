// Tools that the host is asked about.

import assert from "node:assert/strict";
import { result, scenario, texts, toolResults } from "./support.mjs";

// A permission callback that answers so, and notes the asks.
function deciding(answer) {
  const asked = [];
  const canUseTool = async (name, input, options) => {
    asked.push({ name, input, options });
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { asked, canUseTool, asks: () => asked.map(({ name, input }) => [name, input]) };
}

scenario("tool_allowed", async (agent) => {
  const { asks, canUseTool } = deciding({ behavior: "allow" });
  await agent.session({ canUseTool }, async (session) => {
    const messages = await session.turn("Say hi");
    assert.deepEqual(asks(), [["Bash", { command: "echo hi" }]]);
    assert.deepEqual(toolResults(messages), [["hi", false]]);
    assert.deepEqual(texts(messages), ["It says hi."]);
    assert.deepEqual(result(messages).permission_denials, []);
  });
});

scenario("tool_changed", async (agent) => {
  const ran = [];
  const after = async (input, toolUseId) => {
    ran.push([input.tool_input, input.tool_use_id === toolUseId]);
    return {};
  };
  const harmless = { command: "echo changed" };
  const { asks, canUseTool } = deciding({ behavior: "allow", updatedInput: harmless });
  const hooks = { PostToolUse: [{ hooks: [after] }] };
  await agent.session({ canUseTool, hooks }, async (session) => {
    const messages = await session.turn("Remove all");
    assert.deepEqual(asks(), [["Bash", { command: "rm -r all" }]]);
    assert.deepEqual(ran, [[harmless, true]]);
    assert.deepEqual(toolResults(messages), [["changed", false]]);
  });
});

scenario("tool_denied", async (agent) => {
  const { canUseTool } = deciding({ behavior: "deny", message: "No files today." });
  await agent.session({ canUseTool }, async (session) => {
    const messages = await session.turn("Make a file");
    assert.deepEqual(toolResults(messages), [["No files today.", true]]);
    assert.deepEqual(texts(messages), ["Then not."]);
    const end = result(messages);
    assert.deepEqual([end.subtype, end.is_error], ["success", false]);
    const [denied, ...others] = end.permission_denials;
    assert.deepEqual(others, []);
    assert.equal(denied.tool_name, "Bash");
    assert.deepEqual(denied.tool_input, { command: "touch made" });
  });
});

scenario("tool_denied_and_interrupted", async (agent) => {
  const { canUseTool } = deciding({ behavior: "deny", message: "Stop.", interrupt: true });
  await agent.session({ canUseTool }, async (session) => {
    const end = result(await session.turn("Make a file"));
    assert.deepEqual([end.subtype, end.is_error], ["error_during_execution", true]);
    assert.equal(end.terminal_reason, "aborted_tools");
    const after = await session.turn("Still there?");
    assert.deepEqual(texts(after), ["Here again."]);
    assert.equal(result(after).is_error, false);
  });
});

scenario("permission_raises", async (agent) => {
  const { canUseTool } = deciding(new Error("out of order"));
  await agent.session({ canUseTool }, async (session) => {
    const messages = await session.turn("Make a file");
    const [[text, isError]] = toolResults(messages);
    assert.ok(isError);
    assert.match(text, /out of order/);
    assert.deepEqual(texts(messages), ["Then not."]);
  });
});

scenario("permission_question", async (agent) => {
  const rules = [{ toolName: "Bash", ruleContent: "ls:*" }];
  const update = { type: "addRules", rules, behavior: "allow", destination: "session" };
  const { asked, canUseTool } = deciding({ behavior: "allow", updatedPermissions: [update] });
  await agent.session({ canUseTool }, async (session) => {
    const messages = await session.turn("Look elsewhere");
    const [{ options }] = asked;
    assert.deepEqual(options.suggestions, [update]);
    assert.equal(options.blockedPath, "/elsewhere");
    assert.equal(options.decisionReason, "It is outside.");
    assert.ok(options.toolUseID);
    assert.deepEqual(texts(messages), ["Empty."]);
  });
  const [answer] = await agent.sent("control_response");
  assert.deepEqual(answer.response.response.updatedPermissions, [update]);
});

scenario("user_question", async (agent) => {
  const canUseTool = async (name, input) => {
    assert.equal(name, "AskUserQuestion");
    const [question] = input.questions;
    const answers = { [question.question]: question.options[1].label };
    return { behavior: "allow", updatedInput: { ...input, answers } };
  };
  await agent.session({ canUseTool }, async (session) => {
    const messages = await session.turn("Ask me");
    const [[text, isError]] = toolResults(messages);
    assert.match(text, /Blue/);
    assert.doesNotMatch(text, /Red/);
    assert.equal(isError, false);
    assert.deepEqual(texts(messages), ["Blue it is."]);
  });
});
