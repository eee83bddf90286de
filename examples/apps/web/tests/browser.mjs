// The page in a real browser, with the fake agent.
//
//   WEB=target/debug/web CHROMIUM=/usr/bin/chromium PLAYWRIGHT=.../node_modules \
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
const quiet = (name, input, result = "", more) => ({ tool: { name, input, result, ask: false, ...more } });
const replies = {
  tools: [
    { when: { prompt: { is: "Go on." } }, say: [{ text: "Here I am again." }] },
    [
      { thinking: "What is there to do?" },
      { text: "I use every tool." },
      quiet("Bash", { command: "cargo test" }, "test result: ok. 12 passed; 0 failed"),
      quiet("Edit", { file_path: "src/lib.rs", old_string: "let a = 1;\nlet b = 2;", new_string: "let a = 1;\nlet b = 3;" }, "The file was updated."),
      quiet("Write", { file_path: "notes.md", content: "# Notes\n\nNone.\n" }, "File created."),
      quiet("Read", { file_path: "src/lib.rs" }, "     1\tlet a = 1;\n     2\tlet b = 3;"),
      quiet("Grep", { pattern: "let", output_mode: "content" }, "src/lib.rs:1:let a = 1;\nsrc/lib.rs:2:let b = 3;"),
      quiet("WebFetch", { url: "https://example.com/docs", prompt: "Summarise" }, "A page of examples."),
      quiet("Bash", { command: "false" }, "Exit code 1", { is_error: true }),
      quiet("mcp__calc__add", { a: 1, b: 2 }, "3"),
      quiet("TodoWrite", {
        todos: [
          { content: "Run the tests", status: "completed", activeForm: "Running the tests" },
          { content: "Write the notes", status: "in_progress", activeForm: "Writing the notes" },
        ],
      }),
    ],
    [quiet("Agent", { description: "Look for bugs", prompt: "Look for bugs in src.", subagent_type: "general-purpose", run_in_background: false })],
    [{ text: "All is used." }],
  ],
  subagents: [
    [{ text: "I look at it." }, quiet("Bash", { command: "ls src" }, "lib.rs")],
    [{ text: "It has no bugs." }],
  ],
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

let browser, folder, server, url, context, page;

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
  await context?.close();
  await stop();
  rmSync(folder, { recursive: true });
});

async function stop() {
  const exited = new Promise((done) => server.once("exit", done));
  server.kill();
  await exited;
}

async function start(port = 0) {
  const script = `--fake=${join(folder, "script.json")}`;
  const env = {
    ...process.env,
    CLAUDE_CONFIG_DIR: join(folder, "config"),
    FAKE_AGENT_GATES: join(folder, "gates"),
  };
  server = spawn(WEB, [script, `--port=${port}`, `--cwd=${folder}`], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  [url] = await new Promise((first) => createInterface(server.stdout).once("line", (...it) => first(it)));
}

async function open(replies, subagents = []) {
  writeFileSync(join(folder, "script.json"), JSON.stringify({ replies, subagents }));
  await start();
  context = await browser.newContext({ viewport: { width: 960, height: 600 }, colorScheme: "light" });
  context.setDefaultTimeout(LONG);
  page = await context.newPage();
  await page.goto(url);
  await page.getByRole("button", { name: "New session" }).click();
  await page.locator("main").waitFor();
}

const openGate = (name) => writeFileSync(join(folder, "gates", name), "");
const status = (text) => page.locator("#status").getByText(text, { exact: true }).waitFor();

async function say(text, priority = "next") {
  await page.getByRole("combobox").selectOption(priority);
  await page.getByPlaceholder("Message").fill(text);
  await page.getByPlaceholder("Message").press("Enter");
}

async function picture(name) {
  if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `web-${name}.png`) });
}

const shows = (text, where = page) => where.locator("#transcript").getByText(text).first().waitFor();
const shown = (where = page) => where.locator("#transcript").innerText();
const shownIs = (text, where = page) =>
  where.waitForFunction((text) => document.querySelector("#transcript").innerText === text, text);
const approval = (where = page) => where.getByRole("group", { name: "Permission request" });

test("a conversation: streaming, a permission, a question, steering, a reload", async () => {
  await open(replies.conversation);

  await say("Do the tests pass?");
  await shows("Let me see.");
  assert.equal(await page.getByText("I will run").count(), 0, "the model is at the gate");
  await status("running");
  openGate("streams");

  await approval().getByText("$ cargo test").waitFor();
  await approval().getByText("Always: allow Bash(cargo test:*) (session)").waitFor();
  await status("requires action");
  await picture("permission");
  await approval().getByRole("button", { name: "Allow", exact: true }).click();
  await shows("12 passed");
  await shows("All 12 tests pass.");
  await page.getByText("0.0125 USD").waitFor();
  await status("idle");
  assert.equal(await approval().count(), 0);

  await say("Now set up the service.");
  const question = page.locator(".question");
  await question.getByText("Which database").waitFor();
  await picture("question");
  await question.getByLabel("PostgreSQL").check();
  await question.getByRole("button", { name: "Answer" }).click();
  await shows("I will use PostgreSQL.");
  await status("idle");

  await say("Explain the design.");
  await shows("which");
  await say("When you are done: thank you.", "later");
  await say("In one line, please.", "later");
  const queued = (text) => page.locator(".prompt", { hasText: text });
  await queued("In one line").getByText("later, queued").waitFor();
  await picture("steering");
  await queued("thank you").getByRole("button", { name: "Withdraw" }).click();
  await queued("thank you").getByText("later, cancelled").waitFor();
  await page.getByRole("button", { name: "Interrupt" }).click();
  await shows("Turn interrupted");
  await shows("Store, queue, workers, page.");
  await queued("In one line").getByText("later, delivered").waitFor();
  await page.getByText("0.0275 USD").waitFor();
  await status("idle");

  const text = await shown();
  await page.reload();
  await shownIs(text);
  await page.getByText("0.0275 USD").waitFor();
  await page.getByRole("link", { name: "Do the tests pass?" }).waitFor();
  await picture("conversation");
});

test("a request that waits is there again after a reload, and is denied with feedback", async () => {
  await open(replies.conversation);
  openGate("streams");
  await say("Do the tests pass?");
  await approval().waitFor();
  await page.reload();
  await approval().getByPlaceholder("Deny").fill("Read them first.");
  await approval().getByRole("button", { name: "Deny" }).click();
  await shows("Read them first.");
});

test("a second page sees the same and answers, and the first answer counts", async () => {
  await open(replies.conversation);
  openGate("streams");
  await say("Do the tests pass?");
  await approval().waitFor();
  const second = await context.newPage();
  await second.goto(page.url());
  await shownIs(await shown(), second);
  // The first page does not learn of the answer before it gives its own.
  await page.route("**/requests/*", async (route) => {
    await approval(second).getByRole("button", { name: "Allow", exact: true }).click();
    await shows("12 passed", second);
    await route.continue();
  });
  await approval().getByRole("button", { name: "Deny" }).click();
  await page.getByRole("alert").getByText("it was answered already").waitFor();
  await shows("All 12 tests pass.");
  await shows("All 12 tests pass.", second);
  await status("idle");
  await shownIs(await shown(), second);
});

test("a restarted server shows its sessions, and a prompt resumes one", async () => {
  await open(replies.tools, replies.subagents);
  await say("Use the tools.");
  await shows("All is used.");
  await status("idle");
  await page.locator(".sub_agent .children").getByText("It has no bugs.").waitFor();
  // Ends of turns and priorities are not stored, and the fake agent stores no structured results.
  const stored = ".prompt > div:first-child, .text, .thought, .tool_call summary, .plan";
  const entries = () => page.locator(stored).allInnerTexts();
  const before = await entries();
  await page.getByRole("button", { name: "New session" }).click();
  await page.waitForFunction(() => document.querySelector("#transcript").childElementCount === 0);

  const { port } = new URL(url);
  await stop();
  await start(port);
  await page.goto(url);
  await page.getByRole("link", { name: "Use the tools." }).click();
  await shows("All is used.");
  assert.deepEqual(await entries(), before);
  assert.ok(before.length > 5, before);

  // A page that stays open connects again, and takes a snapshot: the numbers of its changes
  // are those of the earlier server.
  await stop();
  await start(port);
  await say("Go on.");
  await shows("Here I am again.");
  await status("idle");
  assert.deepEqual((await entries()).slice(0, before.length), before);
});

test("only links of the web are links, and only bytes are images", async () => {
  await open(replies.conversation);
  await page.route("**/events", (route) => {
    const content = [
      { type: "links", links: [{ url: "javascript:window.ran=1" }, { url: "https://example.com/", title: "A page" }] },
      { type: "attachment", media_type: "image/png", data: "iVBORw0KGgo=" },
      { type: "attachment", media_type: "text/html", data: "PGI+" },
      { type: "attachment", media_type: "image/png", url: "http://127.0.0.1:1/x.png" },
    ];
    const call = { id: "1", type: "tool_call", tool: "T", title: "T", kind: "fetch", status: "completed", content };
    const snapshot = { number: 1, session: { activity: "idle" }, entries: [call] };
    const body = `event: snapshot\ndata: ${JSON.stringify(snapshot)}\n\n`;
    return route.fulfill({ contentType: "text/event-stream", body });
  });
  await page.reload();
  await page.getByRole("link", { name: "A page" }).waitFor();
  const links = await page.locator("#transcript a").evaluateAll((all) => all.map((it) => it.href));
  assert.deepEqual(links, ["https://example.com/", "http://127.0.0.1:1/x.png"]);
  const images = await page.locator("img").evaluateAll((all) => all.map((it) => it.src));
  assert.deepEqual(images, ["data:image/png;base64,iVBORw0KGgo="]);
});

test("markup of models and users is text", async () => {
  await open(replies.markup);
  const problems = [];
  // Markup that became elements would be stopped by the policy, with a message.
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));

  await say(`Hello ${MARKUP}`);
  await approval().getByText(MARKUP).first().waitFor();
  await approval().getByRole("button", { name: "Allow", exact: true }).click();
  await page.getByText("The agent asks").waitFor();
  await page.getByLabel(MARKUP).first().check();
  await page.getByRole("button", { name: "Answer" }).click();
  await shows("Done.");
  await page.reload();
  await shows("Done.");

  assert.equal(await page.locator("img, iframe, body script").count(), 0);
  const text = await shown();
  for (const part of [`Hello ${MARKUP}`, `Look: ${MARKUP}`, `$ ${MARKUP}`, `\n${MARKUP}`]) {
    assert.ok(text.includes(part), `${part} is not in ${text}`);
  }
  assert.equal(await page.evaluate("window.ran"), undefined);
  assert.deepEqual(problems, []);
});
