// The vitest fixture `fakeAgent`. The types and their docs are in vitest.d.ts.

import { test as base } from "vitest";
import { fakeAgent } from "./index.js";

export const test = base.extend({
  fakeAgent: async ({}, use) => {
    const agents = [];
    await use((...args) => {
      const agent = fakeAgent(...args);
      agents.push(agent);
      return agent;
    });
    for (const agent of agents) agent.close();
  },
});

export const it = test;
