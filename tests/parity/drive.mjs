// Runs sets of options through the official SDK, several at once. The first
// argument is the SDK's module; the sets come on standard input as JSON, each
// `{ name, options }`. Says on standard output what became of each:
// `{ name: null | "what failed" }`.

import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const AT_ONCE = 16;

const sdk = await import(pathToFileURL(process.argv[2]));
const waiting = JSON.parse(await text(process.stdin));
const outcomes = {};

// A store that has one session of whatever project, or none.
function store(session) {
  const transcripts = {
    own: [{ type: "user", uuid: "a" }, { type: "assistant", uuid: "b" }],
    "subagents/agent-a1": [{ type: "agent_metadata", agentType: "crab" }, { type: "user", uuid: "c" }],
  };
  return {
    append: async () => {},
    load: async ({ sessionId, subpath = "own" }) =>
      sessionId === session ? transcripts[subpath] : null,
    listSessions: async () => (session ? [{ sessionId: session, mtime: 1 }] : []),
    listSubkeys: async () => ["subagents/agent-a1"],
  };
}

// What JSON cannot say: functions, servers and stores are strings that begin so.
function revive(value) {
  if (value === "$function") return async () => ({});
  if (value === "$server") {
    return sdk.createSdkMcpServer({ name: "calc", version: "1" });
  }
  if (value === "$emptyStore") return store();
  if (typeof value === "string" && value.startsWith("$store ")) return store(value.slice(7));
  if (Array.isArray(value)) return value.map(revive);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, revive(it)]));
}

async function run({ options }) {
  for await (const _ of sdk.query({ prompt: "Hello.", options: revive(options) }));
}

async function work() {
  for (let set = waiting.shift(); set; set = waiting.shift()) {
    outcomes[set.name] = await run(set).then(() => null, (error) => String(error));
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
process.stdout.write(JSON.stringify(outcomes));
