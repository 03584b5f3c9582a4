/**
 * Where everything goes that the program says: the result to stdout in the chosen format, all else to stderr.
 *
 * @see a2a-cli specification §11.1, §11.4
 */
import type { CliError } from "./cli-error.ts";
import type { Io } from "./io.ts";
import type { Messages } from "./messages/en.ts";
import { formatField, withoutControls } from "./text-output.ts";

/** How much is said, and in which form. */
export interface ReportOptions {
  readonly format: "text" | "json";
  readonly verbose: boolean;
  readonly debug: boolean;
  readonly progress: boolean;
}

/** The two streams of one invocation. */
export class Report {
  readonly options: ReportOptions;
  readonly #io: Io;
  readonly #messages: Messages;

  constructor(options: ReportOptions, io: Io, messages: Messages) {
    this.options = options;
    this.#io = io;
    this.#messages = messages;
  }

  get isJson(): boolean {
    return this.options.format === "json";
  }

  /** Part of the result, in the text format. */
  text(text: string): Promise<void> {
    return this.#io.out(text);
  }

  /** One JSON document on a line of its own. */
  json(json: string): Promise<void> {
    return this.#io.out(`${json}\n`);
  }

  warn(text: string): void {
    this.#io.err(`${this.#messages.warning}: ${withoutControls(text)}\n`);
  }

  /** A line for people who wait; only with --progress. */
  progress(text: string): void {
    if (this.options.progress) this.#io.err(`${withoutControls(text)}\n`);
  }

  /** A line for people who look for a fault; only with --debug. */
  debug(text: string): void {
    if (this.options.debug) this.#io.err(`debug: ${withoutControls(text)}\n`);
  }

  /** A failure: one error object on stdout in the JSON format, fields on stderr otherwise. */
  async failure(error: CliError): Promise<void> {
    if (this.isJson) {
      await this.json(JSON.stringify(error.envelope));
      return;
    }
    this.#io.err(formatField("Error", error.message));
    this.#io.err(formatField("Code", error.code));
    if (error.a2aCode !== undefined) this.#io.err(formatField("A2A code", String(error.a2aCode)));
    if (error.hint !== undefined) this.#io.err(formatField("Hint", error.hint));
  }
}
