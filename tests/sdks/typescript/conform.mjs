// The TypeScript SDK's adapter for `agentwire conform sdk`: does what a case
// tells it to, and prints what a user of the SDK sees. testkit/CONFORM.md has
// the rules.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const sdk = await import(pathToFileURL(process.env.OFFICIAL_SDK));
const { z } = await import(pathToFileURL(process.env.ZOD));

// Longer texts are printed as their length.
const LONG = 1000;

const task = JSON.parse(readFileSync(process.env.AGENTWIRE_CONFORM_CASE, "utf8"));

// What was seen, and who waits for what.
const lines = [];
const answered = new Set();
let waiting = [];
let isOver = false;

function changed() {
  const there = waiting.filter((it) => isOver || it.isSo());
  waiting = waiting.filter((it) => !there.includes(it));
  for (const it of there) it.resolve();
}

function until(isSo) {
  return new Promise((resolve) => {
    waiting.push({ isSo, resolve });
    changed();
  });
}

function see(saw, members = {}) {
  const line = { saw, ...members };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  lines.push(line);
  changed();
}

const has = (wanted) =>
  lines.some((line) => Object.entries(wanted).every(([name, value]) => line[name] === value));

function seeText(text) {
  const plain = text.toWellFormed();
  const length = Buffer.byteLength(plain);
  see("text", length > LONG ? { length } : { text: plain });
}

function seeMessage(message) {
  const content = message.message?.content;
  const blocks = Array.isArray(content) ? content : [];
  if (message.type === "stream_event" && message.event?.delta?.type === "text_delta") {
    see("piece", { text: message.event.delta.text });
  } else if (message.type === "assistant") {
    for (const it of blocks) if (it.type === "text") seeText(it.text);
  } else if (message.type === "user") {
    for (const it of blocks) if (it.type === "tool_result") seeToolResult(it);
  } else if (message.type === "result") {
    see("result", { subtype: message.subtype, is_error: message.is_error });
  }
}

function seeToolResult(block) {
  const { content } = block;
  const text = typeof content === "string" ? content : content.map((it) => it.text).join("");
  see("tool_result", { text, is_error: block.is_error ?? false });
}

async function decide(tool, input, { signal }) {
  see("ask", { tool, input });
  const answer = task.asks.find((it) => it.command === input.command);
  if (answer.after) await until(() => answered.has(answer.after));
  if (answer.answer === "fail") throw new Error("it fails, as the case says");
  if (answer.answer === "wait") {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    see("cancelled", { tool });
    return { behavior: "deny", message: "Too late." };
  }
  // The SDK sends the answer before anything else has its turn.
  setImmediate(() => {
    answered.add(answer.command);
    changed();
  });
  if (answer.answer === "deny") return { behavior: "deny", message: answer.message };
  return { behavior: "allow", updatedInput: answer.input ?? input };
}

function options() {
  const made = {
    pathToClaudeCodeExecutable: process.env.AGENTWIRE_CONFORM_CLI,
    includePartialMessages: task.partial ?? false,
    hooks: {},
  };
  if (task.asks) made.canUseTool = decide;
  for (const hook of task.hooks ?? []) {
    const called = async () => {
      see("hook", { event: hook.event });
      if (hook.answer === "fail") throw new Error("it fails, as the case says");
      return hook.answer;
    };
    made.hooks[hook.event] = [{ matcher: hook.matcher, hooks: [called] }];
  }
  if (task.tools) {
    const echo = sdk.tool("echo", "Says it again.", { text: z.string() }, async ({ text }) => {
      see("call", { tool: "echo", text });
      return { content: [{ type: "text", text: `echo: ${text}` }] };
    });
    made.mcpServers = { conform: sdk.createSdkMcpServer({ name: "conform", tools: [echo] }) };
    made.allowedTools = ["mcp__conform__echo"];
  }
  return made;
}

function failed(error) {
  see("error", { error: String(error?.message ?? error), code: error?.exitCode ?? null });
}

// What is to be sent, one by one, until the session is to be closed.
const prompts = [];
let wake = () => {};
let isClosed = false;

async function* stream() {
  for (;;) {
    while (prompts.length > 0) yield prompts.shift();
    if (isClosed) return;
    await new Promise((resolve) => (wake = resolve));
  }
}

function send(content) {
  const message = { role: "user", content };
  prompts.push({ type: "user", message, parent_tool_use_id: null, session_id: "" });
  wake();
}

async function request(name, answer) {
  try {
    await answer;
    see("answer", { to: name });
  } catch (error) {
    see("refused", { to: name, error: String(error) });
  }
}

// A turn is over with its result: the SDK has no other sign of it.
async function converse(session) {
  const read = (async () => {
    try {
      for await (const message of session) seeMessage(message);
    } catch (error) {
      failed(error);
    }
    isOver = true;
    changed();
  })();
  const results = () => lines.filter((it) => it.saw === "result").length;
  let before = 0;
  for (const action of task.do) {
    const [name, given] = typeof action === "string" ? [action] : Object.entries(action)[0];
    if (name === "prompt" || name === "send") {
      before = results();
      send(given);
    }
    if (name === "prompt" || name === "turn") await until(() => results() > before);
    if (name === "await") await until(() => has(given));
    if (name === "set_model") await request(name, session.setModel(given));
    if (name === "rewind_files") await request(name, session.rewindFiles(given));
    if (name === "interrupt") await request(name, session.interrupt());
    if (name === "close") {
      isClosed = true;
      wake();
      // What does not end by itself is ended.
      if (results() > before || isOver) await read;
      else session.close();
    }
  }
  await read;
}

async function askOnce(prompt) {
  try {
    for await (const message of sdk.query({ prompt, options: options() })) seeMessage(message);
  } catch (error) {
    failed(error);
  }
}

if (task.do[0].query) await askOnce(task.do[0].query);
else await converse(sdk.query({ prompt: stream(), options: options() }));
see("closed");
