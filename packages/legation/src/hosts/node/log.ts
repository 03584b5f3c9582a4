/** Makes log lines of what the server tells: by the operator's logger, or as JSON lines on stderr. */
import type { ServerLog, ServerLogEntry } from "../../server/server-log.ts";

/** A logger as pino, bunyan and others have it: details first, then the text. */
export interface Logger {
  debug(details: object, text: string): void;
  info(details: object, text: string): void;
  warn(details: object, text: string): void;
  error(details: object, text: string): void;
}

/**
 * Where the entries go.
 *
 * @param logger the operator's; absent: JSON lines on stderr from level `info` on; false: nowhere
 */
export function createServerLog(logger: Logger | false | undefined): ServerLog {
  if (logger === false) return () => undefined;
  if (logger === undefined) return (entry) => entry.level === "debug" || process.stderr.write(`${jsonLine(entry)}\n`);
  return ({ level, event, ...details }) => logger[level](details, event);
}

/** One entry as one line of JSON. */
function jsonLine({ level, event, ...details }: ServerLogEntry): string {
  return JSON.stringify({ time: new Date().toISOString(), level, event, ...details }, (_key, value: unknown) =>
    value instanceof Error ? describeError(value) : typeof value === "bigint" ? String(value) : value,
  );
}

function describeError(error: Error): object {
  const { name, message, stack, cause } = error;
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return { name, message, code, stack, cause };
}
