// What the tests have in common: the fake agent, and readers of messages.

import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

export const sdk = await import(pathToFileURL(process.env.OFFICIAL_SDK));
export const { z } = await import(pathToFileURL(process.env.ZOD));

const SCENARIOS = path.join(import.meta.dirname, "..", "scenarios");

// What stands for LARGE in a scenario.
export const LARGE = "0123456789abcdef".repeat((3 * 1024 * 1024) / 16);

// A test that takes longer has failed. Nothing waits for it to pass.
const DEADLINE_MS = 60_000;

// A test that is named for the scenario that its agent plays.
export function scenario(name, run) {
  test(name, { timeout: DEADLINE_MS }, async () => {
    const folder = await realpath(await mkdtemp(path.join(tmpdir(), "agentwire-sdks-")));
    try {
      const text = await readFile(path.join(SCENARIOS, `${name}.json`), "utf8");
      await writeFile(path.join(folder, "script.json"), text.replaceAll("LARGE", LARGE));
      await run(new Agent(folder));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}

// What says that there is a tap, if there is one.
const TAP = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name.startsWith("AGENTWIRE_TAP_")),
);

// The fake agent, as the SDK starts it.
class Agent {
  constructor(folder) {
    this.folder = folder;
  }

  options(more) {
    return {
      pathToClaudeCodeExecutable: process.env.FAKE_AGENT,
      cwd: this.folder,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        FAKE_AGENT_SCRIPT: path.join(this.folder, "script.json"),
        FAKE_AGENT_LOG: path.join(this.folder, "log"),
        ...TAP,
      },
      ...more,
    };
  }

  // The messages that one prompt, in a session of its own, leads to, and the
  // error that ends them, if one does.
  async tryToAsk(prompt, options) {
    const messages = [];
    try {
      for await (const it of sdk.query({ prompt, options: this.options(options) })) {
        messages.push(it);
      }
    } catch (error) {
      return { messages, error };
    }
    return { messages, error: null };
  }

  async ask(prompt, options) {
    const { messages, error } = await this.tryToAsk(prompt, options);
    if (error) throw error;
    return messages;
  }

  // Runs a session of many prompts to its end, and gives what `run` gives.
  async session(options, run) {
    const session = new Session(this.options(options));
    try {
      const outcome = await run(session);
      await session.end();
      return outcome;
    } finally {
      session.query.close();
    }
  }

  // What the fake agent wrote down.
  async log() {
    const text = await readFile(path.join(this.folder, "log"), "utf8");
    return text.trimEnd().split("\n").map((line) => JSON.parse(line));
  }

  // What the SDK sent, of this type.
  async sent(type) {
    const lines = (await this.log()).filter((it) => it.dir === "send");
    return lines.map((it) => it.msg).filter((msg) => msg.type === type);
  }

  // How the agent exited.
  async exitCode() {
    const last = (await this.log()).at(-1);
    if (last.dir !== "exit") throw new Error(`the log ends with ${last.dir}`);
    return last.msg.code;
  }
}

// A session that is sent prompts one by one.
class Session {
  #prompts = [];
  #wake = () => {};
  #ended = false;

  constructor(options) {
    this.query = sdk.query({ prompt: this.#stream(), options });
  }

  async *#stream() {
    for (;;) {
      while (this.#prompts.length > 0) yield this.#prompts.shift();
      if (this.#ended) return;
      await new Promise((wake) => (this.#wake = wake));
    }
  }

  send(content) {
    const message = { role: "user", content };
    this.#prompts.push({ type: "user", message, parent_tool_use_id: null, session_id: "" });
    this.#wake();
  }

  // The messages up to the next result. Each is shown to `look` first.
  async receive(look = () => {}) {
    const messages = [];
    for (;;) {
      const { value, done } = await this.query.next();
      if (done) throw new Error("the session ended before a result");
      messages.push(value);
      await look(value);
      if (value.type === "result") return messages;
    }
  }

  async turn(prompt) {
    this.send(prompt);
    return this.receive();
  }

  async end() {
    this.#ended = true;
    this.#wake();
    for await (const _ of this.query);
  }
}

function blocks(messages, from, type) {
  const contents = messages.filter((it) => it.type === from).map((it) => it.message.content);
  return contents.filter(Array.isArray).flat().filter((block) => block.type === type);
}

// What the model said.
export function texts(messages) {
  return blocks(messages, "assistant", "text").map((it) => it.text);
}

// What the model thought.
export function thoughts(messages) {
  return blocks(messages, "assistant", "thinking").map((it) => it.thinking);
}

// What the tools answered: pairs of text and whether it is an error.
export function toolResults(messages) {
  const text = (content) =>
    typeof content === "string" ? content : content.map((it) => it.text).join("");
  const found = blocks(messages, "user", "tool_result");
  return found.map((it) => [text(it.content), it.is_error ?? false]);
}

// The result, which is the last of the messages of a turn.
export function result(messages) {
  const last = messages.at(-1);
  if (last?.type !== "result") throw new Error(`no result but ${JSON.stringify(last)}`);
  return last;
}

// The system messages of this kind.
export function system(messages, subtype) {
  return messages.filter((it) => it.type === "system" && it.subtype === subtype);
}

// What happens outside, and is to be waited for.
export function signal() {
  let resolve;
  const happened = new Promise((it) => (resolve = it));
  return { happened, now: resolve };
}
