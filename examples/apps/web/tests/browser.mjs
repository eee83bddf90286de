// The page in a real browser, with the fake agent.
//
//   WEB=target/apps/debug/web CHROMIUM=/usr/bin/chromium PLAYWRIGHT=.../node_modules \
//       node --test examples/apps/web/tests/browser.mjs
//
// `scripts/real apps` sets these. With SCREENSHOTS, a folder, it writes pictures there.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { after, before, beforeEach, afterEach, test } from "node:test";

const { WEB, CHROMIUM, PLAYWRIGHT, SCREENSHOTS } = process.env;
for (const [name, value] of Object.entries({ WEB, CHROMIUM, PLAYWRIGHT })) {
  if (!value) throw new Error(`${name} is not set: run scripts/real apps`);
}
const { chromium } = createRequire(resolve(PLAYWRIGHT, "here.js"))("playwright-core");

const LONG = 120_000;
const MARKUP = `<img src=x onerror="window.ran = 1"><script>window.ran = 2</script>`;

const bash = (command, result, more) => ({ tool: { name: "Bash", input: { command }, result, ...more } });
const makeAlways = {
  permission_suggestions: [
    {
      type: "addRules",
      behavior: "allow",
      destination: "session",
      rules: [{ toolName: "Bash", ruleContent: "cargo test:*" }],
    },
  ],
};
const ask = (question, ...labels) => ({
  tool: {
    name: "AskUserQuestion",
    input: {
      questions: [
        {
          question,
          header: "Choice",
          multiSelect: false,
          options: labels.map((label) => ({ label, description: `use ${label}` })),
        },
      ],
    },
  },
});
const replies = {
  conversation: [
    [
      { text: "Let me see." },
      { gate: "streams" },
      { text: "I will run the tests first." },
      bash("cargo test", "test result: ok. 12 passed; 0 failed", { question: makeAlways }),
    ],
    { say: [{ text: "All 12 tests pass." }], cost_usd: 0.0125 },
    [ask("Which database should the service use?", "SQLite", "PostgreSQL")],
    {
      when: { result: { contains: "PostgreSQL" } },
      say: [{ text: "I will use PostgreSQL." }],
      cost_usd: 0.01,
    },
    [{ text: "The design has four parts. The first is the store, which " }, { gate: "never" }],
    { say: [{ text: "Store, queue, workers, page." }], cost_usd: 0.005 },
  ],
  markup: [
    [
      { text: `Look: ${MARKUP}` },
      bash(MARKUP, MARKUP, { question: { title: MARKUP, decision_reason: MARKUP } }),
    ],
    [ask(MARKUP, MARKUP, "Other")],
    [{ text: "Done." }],
  ],
};

let browser, folder, server, page;

before(async () => {
  // Chromium refuses to run as root with its sandbox.
  const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
  browser = await chromium.launch({ executablePath: CHROMIUM, args });
});
after(() => browser?.close());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "web-"));
  mkdirSync(join(folder, "gates"));
});
afterEach(async () => {
  await page?.context().close();
  const exited = new Promise((done) => server.once("exit", done));
  server.kill();
  await exited;
  rmSync(folder, { recursive: true });
});

async function open(replies) {
  writeFileSync(join(folder, "script.json"), JSON.stringify({ replies }));
  const script = `--fake=${join(folder, "script.json")}`;
  const env = { ...process.env, FAKE_AGENT_GATES: join(folder, "gates") };
  server = spawn(WEB, [script, "--port=0", `--cwd=${folder}`], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = await new Promise((first) => createInterface(server.stdout).once("line", (...it) => first(it)));
  const context = await browser.newContext({ viewport: { width: 960, height: 600 }, colorScheme: "light" });
  page = await context.newPage();
  page.setDefaultTimeout(LONG);
  await page.goto(url);
  await page.getByRole("button", { name: "New session" }).click();
  await page.locator("main").waitFor();
}

const openGate = (name) => writeFileSync(join(folder, "gates", name), "");
const sees = (text) => page.locator("#transcript").getByText(text).first().waitFor();
const status = (text) => page.locator("#status").getByText(text, { exact: true }).waitFor();

async function say(text, priority = "next") {
  await page.getByRole("combobox").selectOption(priority);
  await page.getByPlaceholder("Message").fill(text);
  await page.getByPlaceholder("Message").press("Enter");
}

async function picture(name) {
  if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `web-${name}.png`) });
}

test("a conversation: streaming, a permission, a question, steering, a reload", async () => {
  await open(replies.conversation);

  await say("Do the tests pass?");
  await sees("Let me see.");
  assert.equal(await page.getByText("I will run").count(), 0, "the model is at the gate");
  await status("running");
  openGate("streams");

  const dialog = page.getByRole("dialog");
  await dialog.getByText("Allow Bash?").waitFor();
  await dialog.getByText(`{"command":"cargo test"}`).waitFor();
  await dialog.getByText("Always: allow Bash(cargo test:*) (session)").waitFor();
  await picture("permission");
  await dialog.getByRole("button", { name: "Allow", exact: true }).click();
  await sees("12 passed");
  await sees("All 12 tests pass.");
  await page.getByText("0.0125 USD").waitFor();
  await status("idle");
  assert.equal(await dialog.count(), 0);

  await say("Now set up the service.");
  await dialog.getByText("Which database").waitFor();
  await picture("question");
  await dialog.getByLabel("PostgreSQL").check();
  await dialog.getByRole("button", { name: "Answer" }).click();
  await sees("I will use PostgreSQL.");
  await status("idle");

  await say("Explain the design.");
  await sees("which");
  await say("When you are done: thank you.", "later");
  await say("In one line, please.", "later");
  const queued = (text) => page.locator(".prompt", { hasText: text });
  await queued("In one line").getByText("later, queued").waitFor();
  await picture("steering");
  await queued("thank you").getByRole("button", { name: "Withdraw" }).click();
  await queued("thank you").getByText("later, cancelled").waitFor();
  await page.getByRole("button", { name: "Interrupt" }).click();
  await sees("Turn interrupted");
  await sees("Store, queue, workers, page.");
  await queued("In one line").getByText("later, completed").waitFor();
  await status("idle");

  const transcript = await page.locator("#transcript").innerText();
  await page.reload();
  await queued("In one line").getByText("later, completed").waitFor();
  await page.waitForFunction((text) => document.querySelector("#transcript").innerText === text, transcript);
  await page.getByText("0.0275 USD").waitFor();
  await page.getByRole("link", { name: "Do the tests pass?" }).waitFor();
  await picture("conversation");
});

test("a request that waits is there again after a reload", async () => {
  await open(replies.conversation);
  openGate("streams");
  await say("Do the tests pass?");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await page.reload();
  await dialog.getByRole("button", { name: "Deny" }).click();
  await sees("The user denied this.");
});

test("markup of models and users is text", async () => {
  await open(replies.markup);
  const problems = [];
  // Markup that became elements would be stopped by the policy, with a message.
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));

  await say(`Hello ${MARKUP}`);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("heading", { name: MARKUP }).waitFor();
  await dialog.getByRole("button", { name: "Allow", exact: true }).click();
  await dialog.getByText("The agent asks").waitFor();
  await dialog.getByLabel(MARKUP).first().check();
  await dialog.getByRole("button", { name: "Answer" }).click();
  await sees("Done.");
  await page.reload();
  await sees("Done.");

  assert.equal(await page.locator("img, iframe, body script").count(), 0);
  const shown = await page.locator("#transcript").innerText();
  for (const text of [`Hello ${MARKUP}`, `Look: ${MARKUP}`, `\n${MARKUP}`]) {
    assert.ok(shown.includes(text), `${text} is not in ${shown}`);
  }
  assert.equal(await page.evaluate("window.ran"), undefined);
  assert.deepEqual(problems, []);
});
