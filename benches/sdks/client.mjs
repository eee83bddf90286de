// The official TypeScript SDK as a contestant: runs the program that is its
// argument, and prints what it measured as one line of JSON. The programs are
// those of benches/suite/src/contestants.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { query } = await import(pathToFileURL(process.env.OFFICIAL_SDK));
const count = Number(process.env.BENCH_COUNT);
const options = {
  pathToClaudeCodeExecutable: process.env.BENCH_CLI,
  includePartialMessages: true,
};

// A prompt that ends when its function is called, so that a session stays open.
function open() {
  let end;
  const ended = new Promise((resolve) => (end = resolve));
  return [(async function* () { await ended; })(), end];
}

function times(micros) {
  micros.sort((a, b) => a - b);
  const at = (percent) => micros[Math.min(Math.floor((micros.length * percent) / 100), micros.length - 1)];
  return { p50_us: at(50), p99_us: at(99) };
}

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
    const { user, system } = process.cpuUsage();
    return {
      messages,
      seconds: seconds(first),
      total_seconds: seconds(start),
      cpu_seconds: (user + system) / 1e6,
      peak_kb: process.resourceUsage().maxRSS,
    };
  },

  async "round-trip"() {
    const [prompt] = open();
    const session = query({ prompt, options });
    await session.initializationResult();
    const micros = [];
    for (let number = 0; number < count; number += 1) {
      const start = performance.now();
      await session.setModel("x");
      micros.push((performance.now() - start) * 1000);
    }
    return times(micros);
  },
};

console.log(JSON.stringify(await programs[process.argv[2]]()));
process.exit(0);
