// Hooks of several events: what they are given, and what they bring about.

import assert from "node:assert/strict";
import { result, scenario, texts, toolResults } from "./support.mjs";

// A hook that gives these answers in turn, and then empty ones.
function hook(...answers) {
  const called = [];
  const callback = async (input, toolUseId) => {
    called.push({ input, toolUseId });
    const answer = answers.shift() ?? {};
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const inputs = (...members) => called.map(({ input }) => members.map((it) => input[it]));
  return { called, callback, inputs };
}

scenario("hook_blocks_tool", async (agent) => {
  const asked = [];
  const canUseTool = async (name) => {
    asked.push(name);
    return { behavior: "allow" };
  };
  const deny = {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: "No files today.",
  };
  const { called, callback, inputs } = hook({ hookSpecificOutput: deny });
  const other = hook(new Error("not for me"));
  const matchers = [
    { matcher: "Bash", hooks: [callback] },
    { matcher: "Read", hooks: [other.callback] },
  ];
  const options = { hooks: { PreToolUse: matchers }, canUseTool };
  await agent.session(options, async (session) => {
    const messages = await session.turn("Make a file");
    const expected = [["PreToolUse", "Bash", { command: "touch made" }]];
    assert.deepEqual(inputs("hook_event_name", "tool_name", "tool_input"), expected);
    assert.equal(called[0].input.session_id, result(messages).session_id);
    assert.equal(called[0].input.tool_use_id, called[0].toolUseId);
    const [[text, isError]] = toolResults(messages);
    assert.ok(isError);
    assert.match(text, /No files today\./);
  });
  assert.deepEqual([asked, other.called], [[], []]);
});

scenario("hook_changes_input", async (agent) => {
  const allow = {
    hookEventName: "PreToolUse",
    permissionDecision: "allow",
    updatedInput: { command: "echo changed" },
  };
  const { callback, inputs } = hook({ hookSpecificOutput: allow });
  const hooks = { PreToolUse: [{ hooks: [callback] }], PostToolUse: [{ hooks: [callback] }] };
  await agent.session({ hooks }, async (session) => {
    const messages = await session.turn("Say it");
    assert.deepEqual(inputs("hook_event_name", "tool_input"), [
      ["PreToolUse", { command: "echo original" }],
      ["PostToolUse", { command: "echo changed" }],
    ]);
    assert.deepEqual(toolResults(messages), [["changed", false]]);
  });
});

scenario("hook_changes_output", async (agent) => {
  const output = { stdout: "hidden", stderr: "", interrupted: false, isImage: false };
  const change = { hookEventName: "PostToolUse", updatedToolOutput: output };
  const { called, callback } = hook({ hookSpecificOutput: change });
  const hooks = { PostToolUse: [{ matcher: "Ba.h", hooks: [callback] }] };
  await agent.session({ hooks }, async (session) => {
    const messages = await session.turn("Say it");
    assert.equal(called[0].input.tool_response.stdout, "secret");
    assert.deepEqual(toolResults(messages), [["hidden", false]]);
  });
});

scenario("hook_blocks_prompt", async (agent) => {
  const { callback, inputs } = hook({ decision: "block", reason: "It is secret." });
  const hooks = { UserPromptSubmit: [{ hooks: [callback] }] };
  await agent.session({ hooks }, async (session) => {
    const blocked = await session.turn("A secret");
    const after = await session.turn("Still there?");
    assert.deepEqual(inputs("prompt"), [["A secret"], ["Still there?"]]);
    assert.deepEqual(texts(blocked), []);
    assert.equal(result(blocked).is_error, false);
    assert.deepEqual(texts(after), ["Here."]);
  });
});

scenario("hook_stop_goes_on", async (agent) => {
  const { callback, inputs } = hook({ decision: "block", reason: "Look again." });
  await agent.session({ hooks: { Stop: [{ hooks: [callback] }] } }, async (session) => {
    const messages = await session.turn("Do it");
    assert.deepEqual(inputs("stop_hook_active"), [[false], [true]]);
    assert.deepEqual(texts(messages), ["Done.", "Now it is done."]);
    assert.equal(result(messages).result, "Now it is done.");
  });
});

scenario("hook_raises", async (agent) => {
  const { called, callback } = hook(new Error("out of order"));
  await agent.session({ hooks: { PreToolUse: [{ hooks: [callback] }] } }, async (session) => {
    const messages = await session.turn("Say it");
    assert.equal(called.length, 1);
    assert.deepEqual(toolResults(messages), [["hi", false]]);
  });
  const [answer] = await agent.sent("control_response");
  assert.equal(answer.response.error, "out of order");
});

scenario("hook_before_compacting", async (agent) => {
  const { callback, inputs } = hook();
  await agent.session({ hooks: { PreCompact: [{ hooks: [callback] }] } }, async (session) => {
    await session.turn("Hello");
    const compacted = await session.turn("/compact");
    assert.deepEqual(inputs("hook_event_name", "trigger"), [["PreCompact", "manual"]]);
    assert.equal(result(compacted).is_error, false);
  });
});
