// Asks the official SDK's functions about directories. A line of standard input is
// `{"config": DIRECTORY, "calls": [[FUNCTION, ARGUMENT...], ...]}`; the answer is a
// line with `{"is": RESULT}` or `{"threw": MESSAGE}` for each call.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const sdk = await import(pathToFileURL(`${folder}/sdk.mjs`));

for await (const line of createInterface({ input: process.stdin })) {
  const { config, calls } = JSON.parse(line);
  process.env.CLAUDE_CONFIG_DIR = config;
  const answers = [];
  for (const [name, ...args] of calls) {
    try {
      answers.push({ is: (await sdk[name](...args)) ?? null });
    } catch (error) {
      answers.push({ threw: String(error) });
    }
  }
  process.stdout.write(JSON.stringify(answers) + "\n");
}
