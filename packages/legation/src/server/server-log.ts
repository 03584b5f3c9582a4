/** How the server tells its operator what happens; a host makes lines of it. */

/** One entry of the operator's log; never sent to a caller. `error` is what was thrown. */
export interface ServerLogEntry {
  readonly level: "debug" | "info" | "warn" | "error";
  /** A dotted name, `task.failed`, `host.listening`. */
  readonly event: string;
  readonly taskId?: string | undefined;
  readonly [detail: string]: unknown;
}

/** Takes the entries of the log. It must not throw. */
export type ServerLog = (entry: ServerLogEntry) => void;
