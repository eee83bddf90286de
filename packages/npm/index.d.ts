/**
 * Returns the path of the `fake-agent` binary: the one in this package, or the
 * one that the environment variable `FAKE_AGENT_BIN` names.
 *
 * @throws If there is no such file.
 */
export function path(): string;

/** What the model says. */
export interface Scenario {
  replies?: Reply[];
  [member: string]: unknown;
}

/** What the model says when it is called once. */
export type Reply = Step[] | { say: Step[]; [member: string]: unknown };

/** A part of a reply, such as `{ text: "Hello." }`. */
export type Step = "cut" | { [step: string]: unknown };

export interface FakeAgentOptions {
  /** The directory of the scenario's gates. Temporary by default. */
  gates?: string;
  /** The file of the log. Temporary by default. */
  log?: string;
  /** The version of the CLI to imitate, such as `"2.0.77"`. */
  profile?: string;
}

/** An entry of the log. */
export interface Entry {
  /** The time in seconds since the agent was spawned. */
  t: number;
  /** The kind of entry: `send` is a line from the host, `recv` one to it. */
  dir: "spawn" | "send" | "recv" | "send_raw" | "recv_raw" | "exit";
  /** The line, or how the agent was spawned or exited. */
  msg: any;
}

/**
 * Configures a fake agent, which each session spawns anew.
 *
 * `scenario` is an object, or the path or file URL of a JSON file. Pass the
 * returned `pathToClaudeCodeExecutable` and `env` to the SDK.
 */
export function fakeAgent(scenario: Scenario | string | URL, options?: FakeAgentOptions): FakeAgent;

/** A configured fake agent. */
export interface FakeAgent {
  /** The path of the binary, for the SDK's option of this name. */
  readonly pathToClaudeCodeExecutable: string;

  /**
   * The agent's environment variables, for the SDK's option `env`. The agent
   * needs no others.
   */
  readonly env: Record<string, string>;

  /**
   * Returns the log up to now: all entries, or those of one kind. An entry is in
   * the log before it has an effect.
   */
  log(dir?: Entry["dir"]): Entry[];

  /** Opens the gate `name`, now or before the scenario comes to it. */
  openGate(name: string): void;

  /**
   * Waits until the scenario has come to the gate `name`, by default for at most
   * a minute.
   *
   * @throws If the time is up.
   */
  waitReached(name: string, options?: { timeoutMs?: number }): Promise<void>;

  /** Removes the temporary files. An agent that still waits at a gate exits. */
  close(): void;
}
