// A small program on the official SDK: answers one question.

import { type CanUseTool, type Options, query } from "@anthropic-ai/claude-agent-sdk";

const HARMLESS = new Set(["Read", "Glob", "Grep"]);

const canUseTool: CanUseTool = async (tool, input) =>
  HARMLESS.has(tool)
    ? { behavior: "allow", updatedInput: input }
    : { behavior: "deny", message: `${tool} is not allowed here.` };

// Yields the texts of the answer as they arrive.
export async function* ask(question: string, options: Options = {}) {
  for await (const message of query({ prompt: question, options: { ...options, canUseTool } })) {
    if (message.type !== "assistant") continue;
    for (const block of message.message.content) {
      if (block.type === "text") yield block.text;
    }
  }
}
