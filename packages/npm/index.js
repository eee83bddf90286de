// A fake agent CLI for tests. The types and their docs are in index.d.ts.

import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync } from "node:fs";
import { readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export function path() {
  const named = process.env.FAKE_AGENT_BIN;
  const binary = resolve(named || fileURLToPath(new URL("bin/fake-agent", import.meta.url)));
  if (!statSync(binary, { throwIfNoEntry: false })?.isFile()) {
    const where = named ? "FAKE_AGENT_BIN" : "the package";
    throw new Error(`no fake-agent binary in ${where}: ${binary}`);
  }
  return binary;
}

export function fakeAgent(scenario, options) {
  return new FakeAgent(scenario, options);
}

class FakeAgent {
  #folder;
  #gates;
  #log;

  constructor(scenario, { gates, log, profile } = {}) {
    this.pathToClaudeCodeExecutable = path();
    this.#folder = realpathSync(mkdtempSync(join(tmpdir(), "fake-agent-")));
    let script = join(this.#folder, "scenario.json");
    if (typeof scenario === "string") script = resolve(scenario);
    else if (scenario instanceof URL) script = fileURLToPath(scenario);
    else writeFileSync(script, JSON.stringify(scenario));
    this.#gates = resolve(gates ?? join(this.#folder, "gates"));
    mkdirSync(this.#gates, { recursive: true });
    this.#log = resolve(log ?? join(this.#folder, "log"));
    this.env = {
      FAKE_AGENT_SCRIPT: script,
      FAKE_AGENT_GATES: this.#gates,
      FAKE_AGENT_LOG: this.#log,
      // Sessions can be resumed, and the user's own are left alone.
      CLAUDE_CONFIG_DIR: join(this.#folder, "config"),
      ...(profile !== undefined && { FAKE_AGENT_PROFILE: profile }),
    };
  }

  log(dir) {
    if (!existsSync(this.#log)) return [];
    const lines = readFileSync(this.#log, "utf8").split("\n");
    // Behind the last line end there is nothing, or half a line.
    const entries = lines.slice(0, -1).map((line) => JSON.parse(line));
    return dir === undefined ? entries : entries.filter((entry) => entry.dir === dir);
  }

  openGate(name) {
    closeSync(openSync(join(this.#gates, name), "a"));
  }

  async waitReached(name, { timeoutMs = 60_000 } = {}) {
    const reached = join(this.#gates, `${name}.reached`);
    const deadline = performance.now() + timeoutMs;
    while (!existsSync(reached)) {
      if (performance.now() > deadline) {
        throw new Error(`gate "${name}" was not reached within ${timeoutMs} ms`);
      }
      await setTimeout(2);
    }
  }

  close() {
    // An agent that is about to exit may still write its session.
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
