// Tests of the installed package. They need no SDK: they speak the protocol.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { fakeAgent, path } from "agentwire-fake-agent";

const FLAGS = ["--output-format=stream-json", "--input-format=stream-json", "--verbose"];
const PROMPT = { type: "user", message: { role: "user", content: "Say hello." } };
const HELLO = { replies: [[{ text: "Hello." }]] };
const AT_A_GATE = { replies: [[{ text: "One moment." }, { gate: "sent" }, { text: "Go on." }]] };

// A test with a folder of its own, and agents that are closed after it.
function withAgents(name, run) {
  test(name, async () => {
    const folder = mkdtempSync(join(tmpdir(), "fake-agent-test-"));
    const agents = [];
    const make = (...args) => (agents.push(fakeAgent(...args)), agents.at(-1));
    try {
      await run(make, folder);
    } finally {
      for (const agent of agents) agent.close();
      rmSync(folder, { recursive: true });
    }
  });
}

// Starts a session with one prompt. The agent has no other variables.
function start(agent, ...flags) {
  const stdio = ["pipe", "pipe", "inherit"];
  const process = spawn(agent.pathToClaudeCodeExecutable, [...FLAGS, ...flags], { env: agent.env, stdio });
  process.stdin.end(`${JSON.stringify(PROMPT)}\n`);
  const exited = once(process, "exit").then(([code]) => code);
  return { output: text(process.stdout), exited };
}

// The text of the result, after the process has exited.
async function result({ output, exited }) {
  await exited;
  return JSON.parse((await output).trimEnd().split("\n").at(-1)).result;
}

test("the binary is found and runs", () => {
  assert.match(execFileSync(path(), ["--version"], { encoding: "utf8" }), /\(Claude Code\)\n$/);
});

withAgents("a variable overrides the binary", (make, folder) => {
  const other = join(folder, "other");
  process.env.FAKE_AGENT_BIN = other;
  try {
    assert.throws(path, /FAKE_AGENT_BIN.*other/);
    writeFileSync(other, "");
    assert.equal(path(), other);
  } finally {
    delete process.env.FAKE_AGENT_BIN;
  }
});

withAgents("the scenario is an object, a path or a URL", async (make, folder) => {
  const file = join(folder, "hello.json");
  writeFileSync(file, JSON.stringify(HELLO));
  for (const scenario of [HELLO, file, pathToFileURL(file)]) {
    assert.equal(await result(start(make(scenario))), "Hello.");
  }
});

withAgents("the log has what the host sent and how the agent exited", async (make) => {
  const agent = make(HELLO);
  assert.deepEqual(agent.log(), []);
  await result(start(agent));
  assert.deepEqual(agent.log("send").map((entry) => entry.msg), [PROMPT]);
  assert.equal(agent.log()[0].dir, "spawn");
  assert.deepEqual(agent.log().at(-1).msg, { code: 0 });
});

withAgents("a gate holds the agent until it is opened", async (make) => {
  const agent = make(AT_A_GATE);
  const session = start(agent);
  await agent.waitReached("sent");
  assert.doesNotMatch(JSON.stringify(agent.log("recv")), /Go on/);
  agent.openGate("sent");
  assert.equal(await result(session), "Go on.");
});

withAgents("a gate that is not reached is an error", async (make) => {
  await assert.rejects(make(AT_A_GATE).waitReached("sent", { timeoutMs: 0 }), /gate "sent"/);
});

withAgents("gates and log can be elsewhere", async (make, folder) => {
  const [gates, log] = [join(folder, "gates"), join(folder, "log")];
  const agent = make(AT_A_GATE, { gates, log });
  writeFileSync(join(gates, "sent"), "");
  await result(start(agent));
  assert.equal(readFileSync(log, "utf8").trimEnd().split("\n").length, agent.log().length);
});

withAgents("the profile selects the version", (make) => {
  const agent = make(HELLO, { profile: "2.0.77" });
  const options = { env: agent.env, encoding: "utf8" };
  const version = execFileSync(agent.pathToClaudeCodeExecutable, ["--version"], options);
  assert.equal(version, "2.0.77 (Claude Code)\n");
});

withAgents("a session can be resumed", async (make) => {
  const agent = make(HELLO);
  await result(start(agent));
  assert.equal(await result(start(agent, "--continue")), "Hello.");
  const sessions = agent.log("recv").flatMap((entry) => entry.msg.session_id ?? []);
  assert.equal(new Set(sessions).size, 1);
});

withAgents("closing ends an agent at a gate and leaves nothing behind", async (make) => {
  const agent = make(AT_A_GATE);
  const folder = dirname(agent.env.FAKE_AGENT_SCRIPT);
  const { exited } = start(agent);
  await agent.waitReached("sent");
  agent.close();
  assert.equal(await exited, 1);
  assert.equal(existsSync(folder), false);
});
