// The official TypeScript SDK as a contestant: runs the program that is its
// argument, and prints what it measured as one line of JSON. The programs are
// those of benches/suite/src/contestants.

import { readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { query } = await import(pathToFileURL(process.env.OFFICIAL_SDK));
const count = Number(process.env.BENCH_COUNT);
const options = {
  pathToClaudeCodeExecutable: process.env.BENCH_CLI,
  includePartialMessages: true,
};

function times(micros) {
  micros.sort((a, b) => a - b);
  const at = (percent) => micros[Math.min(Math.floor((micros.length * percent) / 100), micros.length - 1)];
  return { p50_us: at(50), p99_us: at(99) };
}

const message = { type: "user", message: { role: "user", content: "hello" }, parent_tool_use_id: null };

// A session that stays open, and what sends it a message.
function connect(more) {
  let wake;
  const waiting = [];
  async function* prompt() {
    for (;;) {
      while (waiting.length) yield waiting.shift();
      await new Promise((resolve) => (wake = resolve));
    }
  }
  const session = query({ prompt: prompt(), options: { ...options, ...more } });
  const send = () => {
    waiting.push(message);
    wake?.();
  };
  return { session, send };
}

async function untilResult(session) {
  for (;;) {
    const { value, done } = await session.next();
    if (done || value.type === "result") return;
  }
}

// Of /proc, as the Rust contestants read it.
function status(name) {
  const line = readFileSync("/proc/self/status", "utf8").split("\n").find((line) => line.startsWith(name));
  return Number(line.split(/\s+/)[1]);
}

const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const seconds = (since) => (performance.now() - since) / 1000;

const programs = {
  async stream() {
    const start = performance.now();
    let first, messages = 0;
    for await (const message of query({ prompt: "hello", options })) {
      messages += 1;
      first ??= performance.now();
      if (message.type === "result") break;
    }
    return {
      messages,
      seconds: seconds(first),
      total_seconds: seconds(start),
      cpu_seconds: cpuSeconds(),
      peak_kb: status("VmHWM"),
    };
  },

  async "round-trip"() {
    const { session } = connect();
    await session.initializationResult();
    const micros = [];
    for (let number = 0; number < count; number += 1) {
      const start = performance.now();
      await session.setModel("x");
      micros.push((performance.now() - start) * 1000);
    }
    return times(micros);
  },

  async connect() {
    const micros = [];
    for (let number = 0; number < count; number += 1) {
      const start = performance.now();
      const { session } = connect();
      await session.initializationResult();
      micros.push((performance.now() - start) * 1000);
      session.close();
    }
    return times(micros);
  },

  async "first-token"() {
    const { session, send } = connect();
    await session.initializationResult();
    const micros = [];
    for (let number = 0; number < count; number += 1) {
      const start = performance.now();
      send();
      while ((await session.next()).value.type !== "stream_event");
      micros.push((performance.now() - start) * 1000);
      await untilResult(session);
    }
    return times(micros);
  },

  async callbacks() {
    const canUseTool = async (_, input) => ({ behavior: "allow", updatedInput: input });
    const { session, send } = connect({ canUseTool });
    send();
    await untilResult(session);
    return {};
  },

  async send() {
    const { session, send } = connect();
    await session.initializationResult();
    const start = performance.now();
    for (let number = 0; number < count; number += 1) send();
    await untilResult(session);
    return { sent_per_second: count / seconds(start) };
  },

  async idle() {
    const open = [];
    let memory, descriptors;
    const descriptorsNow = () => readdirSync("/proc/self/fd").length;
    while (open.length < count) {
      const { session } = connect();
      await session.initializationResult();
      open.push(session);
      memory ??= status("VmRSS");
      descriptors ??= descriptorsNow();
    }
    return {
      kb_each: (status("VmRSS") - memory) / (count - 1),
      descriptors_each: (descriptorsNow() - descriptors) / (count - 1),
    };
  },

  async keep() {
    const { session, send } = connect();
    await session.initializationResult();
    const kept = [];
    const before = status("VmRSS");
    send();
    do kept.push((await session.next()).value);
    while (kept.at(-1).type !== "result");
    const bytes = ((status("VmRSS") - before) * 1024) / kept.length;
    return {
      kept: kept.length,
      bytes_each: bytes,
      bytes_over_line: bytes - Number(process.env.BENCH_LINE_BYTES),
    };
  },

  async sessions() {
    const open = [];
    while (open.length < count) {
      const connected = connect();
      await connected.session.initializationResult();
      open.push(connected);
    }
    const start = performance.now();
    const finished = [];
    await Promise.all(open.map(async ({ session, send }) => {
      send();
      await untilResult(session);
      finished.push(seconds(start));
    }));
    return {
      lines_per_second: (count * Number(process.env.BENCH_LINES)) / finished.at(-1),
      first_seconds: finished[0],
      median_seconds: finished[Math.floor(count / 2)],
      last_seconds: finished.at(-1),
      peak_kb: status("VmHWM"),
      cpu_ms_each: (cpuSeconds() * 1000) / count,
    };
  },
};

console.log(JSON.stringify(await programs[process.argv[2]]()));
process.exit(0);
