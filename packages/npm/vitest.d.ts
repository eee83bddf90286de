import type { TestAPI } from "vitest";
import type { fakeAgent } from "./index.js";

export interface FakeAgentFixtures {
  /** Configures a fake agent, which is closed after the test. */
  fakeAgent: typeof fakeAgent;
}

/** vitest's `test`, with the fixture `fakeAgent`. */
export const test: TestAPI<FakeAgentFixtures>;

/** The same as `test`. */
export const it: typeof test;
